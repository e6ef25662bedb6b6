/* See config.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

/* The position of the reader, and the entry read so far. */
struct reader {
  const char *at, *end, *name;
  size_t line;
  struct cul_buf section, subsection, key, value;
  bool has_section, has_subsection;
  struct cul_err *err;
};

static int fail(const struct reader *r, const char *what) {
  return cul_fail(r->err, CUL_EUSAGE,
                  "[section], [section \"subsection\"], key = value, # comment",
                  "%s:%zu: %s", r->name, r->line, what);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(char c, bool dot) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '-' ||
         (dot && c == '.');
}

static int peek(const struct reader *r) {
  return r->at < r->end ? (unsigned char)*r->at : -1;
}

static void skip_blanks(struct reader *r) {
  while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\r')
    r->at++;
}

static void skip_line(struct reader *r) {
  while (peek(r) >= 0 && peek(r) != '\n')
    r->at++;
}

static void read_name(struct reader *r, bool dot, struct cul_buf *out) {
  cul_buf_clear(out);
  for (; peek(r) >= 0 && is_name(*r->at, dot); r->at++)
    cul_buf_addc(
        out, (char)(*r->at >= 'A' && *r->at <= 'Z' ? *r->at | 0x20 : *r->at));
}

/* Starts after the opening quote. */
static int read_subsection(struct reader *r) {
  cul_buf_clear(&r->subsection);
  for (; peek(r) != '"'; r->at++) {
    if (peek(r) == '\\')
      r->at++;
    if (peek(r) <= 0 || peek(r) == '\n')
      return fail(r, "the name of the subsection has no end");
    cul_buf_addc(&r->subsection, *r->at);
  }
  r->at++;
  r->has_subsection = true;
  return 0;
}

/* Starts after '['. */
static int read_section(struct reader *r) {
  read_name(r, true, &r->section);
  r->has_section = true;
  r->has_subsection = false;
  if (!r->section.len)
    return fail(r, "the section has no name");
  skip_blanks(r);
  if (peek(r) == '"') {
    r->at++;
    if (read_subsection(r) < 0)
      return r->err->code;
    skip_blanks(r);
  }
  if (peek(r) != ']')
    return fail(r, "the section has no ]");
  r->at++;
  return 0;
}

/* Starts after a backslash in a value. */
static int read_escape(struct reader *r) {
  static const char from[] = "\"\\ntb", to[] = "\"\\\n\t\b";
  int c = peek(r);
  const char *found = c > 0 ? strchr(from, c) : NULL;
  if (c == '\r' && r->at + 1 < r->end && r->at[1] == '\n')
    r->at++;
  if (peek(r) == '\n')
    r->line++;
  else if (found)
    cul_buf_addc(&r->value, to[found - from]);
  else
    return fail(r, "a backslash must be followed by one of \" \\ n t b, or by "
                   "the end of the line");
  r->at++;
  return 0;
}

/* Starts after '=' and reads to the end of the line; unquoted trailing blanks
 * do not belong to the value. */
static int read_value(struct reader *r) {
  bool quoted = false;
  size_t kept = 0;
  cul_buf_clear(&r->value);
  skip_blanks(r);
  for (;;) {
    int c = peek(r);
    if (c < 0 || c == '\n')
      break;
    if (c == 0)
      return fail(r, "a zero byte");
    if (!quoted && (c == '#' || c == ';')) {
      skip_line(r);
      break;
    }
    r->at++;
    if (c == '"')
      quoted = !quoted;
    else if (c == '\\' && read_escape(r) < 0)
      return r->err->code;
    else if (c != '\\')
      cul_buf_addc(&r->value, (char)c);
    if (quoted || c == '"' || c == '\\' || (c != ' ' && c != '\t' && c != '\r'))
      kept = r->value.len;
  }
  if (quoted)
    return fail(r, "a quote has no end");
  cul_buf_addc(&r->value, '\0');
  r->value.data[kept] = '\0';
  return 0;
}

static int read_key(struct reader *r, struct cul_config_entry *entry) {
  entry->line = r->line;
  read_name(r, false, &r->key);
  skip_blanks(r);
  if (!r->key.len || !is_letter(r->key.data[0]))
    return fail(r, "this is neither a section, a key nor a comment");
  if (!r->has_section)
    return fail(r, "the key is outside any section");
  entry->value = NULL;
  if (peek(r) == '=') {
    r->at++;
    if (read_value(r) < 0)
      return r->err->code;
    entry->value = r->value.data;
  } else if (peek(r) >= 0 && !strchr("\n#;", peek(r))) {
    return fail(r, "no = follows the key");
  }
  skip_line(r);
  entry->section = cul_buf_str(&r->section);
  entry->subsection = r->has_subsection ? cul_buf_str(&r->subsection) : NULL;
  entry->key = cul_buf_str(&r->key);
  return 0;
}

static int read_all(struct reader *r,
                    int (*tell)(void *self, const struct cul_config_entry *,
                                struct cul_err *),
                    void *self) {
  for (;;) {
    struct cul_config_entry entry;
    int rc = 0;
    skip_blanks(r);
    switch (peek(r)) {
    case -1:
      return 0;
    case '\n':
      r->line++;
      r->at++;
      break;
    case '#':
    case ';':
      skip_line(r);
      break;
    case '[':
      r->at++;
      rc = read_section(r);
      break;
    default:
      rc = read_key(r, &entry);
      if (rc == 0)
        rc = tell(self, &entry, r->err);
    }
    if (rc < 0)
      return rc;
  }
}

int cul_config_read(struct cul_bytes text, const char *name,
                    int (*tell)(void *self,
                                const struct cul_config_entry *entry,
                                struct cul_err *err),
                    void *self, struct cul_err *err) {
  struct reader r = {.at = text.data,
                     .end = text.data ? text.data + text.len : NULL,
                     .name = name,
                     .line = 1,
                     .err = err};
  int rc = text.data ? read_all(&r, tell, self) : 0;
  cul_buf_release(&r.section);
  cul_buf_release(&r.subsection);
  cul_buf_release(&r.key);
  cul_buf_release(&r.value);
  return rc;
}
