/* References of XML, written line ends, wrapped lines: see undo.h. */
#include "undo.h"

#include <stdlib.h>
#include <string.h>

#include "../../oracles/rules/rules.h"

enum {
  NARROW = 40, /* columns of a terminal, at least */
  WIDE = 400,  /* and at most */
  FEW = 2,     /* lines that fill it */
};

static bool begins(struct cul_bytes in, size_t at, const char *with) {
  size_t n = strlen(with);
  return in.len - at >= n && !memcmp(in.data + at, with, n);
}

static void put_code(unsigned long code, struct cul_buf *out) {
  if (code < 0x80) {
    cul_buf_addc(out, (char)code);
  } else if (code < 0x800) {
    cul_buf_addc(out, (char)(0xc0 | code >> 6));
    cul_buf_addc(out, (char)(0x80 | (code & 0x3f)));
  } else {
    cul_buf_addc(out, (char)(0xe0 | (code >> 12 & 0xf)));
    cul_buf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
    cul_buf_addc(out, (char)(0x80 | (code & 0x3f)));
  }
}

/* "#39;", "#x27;": its length; 0 = it is none. */
static size_t take_number(struct cul_bytes in, size_t at, struct cul_buf *out) {
  const char *s = in.data + at, *semicolon;
  unsigned long code;
  bool hex;
  semicolon = at < in.len && *s == '#'
                  ? memchr(s, ';', in.len - at < 9 ? in.len - at : 9)
                  : NULL;
  if (!semicolon)
    return 0;
  hex = s[1] == 'x';
  code = strtoul(s + 1 + hex, NULL, hex ? 16 : 10);
  if (code && code < 0x10000)
    put_code(code, out);
  return (size_t)(semicolon - s) + 1;
}

static size_t take_reference(struct cul_bytes in, size_t at,
                             struct cul_buf *out) {
  static const struct {
    const char *name;
    char c;
  } names[] = {{"lt;", '<'},
               {"gt;", '>'},
               {"amp;", '&'},
               {"quot;", '"'},
               {"apos;", '\''}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (begins(in, at, names[i].name)) {
      cul_buf_addc(out, names[i].c);
      return strlen(names[i].name);
    }
  return take_number(in, at, out);
}

void cul_unescape(struct cul_bytes text, struct cul_buf *out) {
  for (size_t i = 0; i < text.len; i++) {
    const char *next = memchr(text.data + i, '&', text.len - i);
    size_t end = next ? (size_t)(next - text.data) : text.len, n;
    cul_buf_add(out, text.data + i, end - i);
    i = end;
    if (i == text.len)
      break;
    n = take_reference(text, i + 1, out);
    if (!n)
      cul_buf_addc(out, '&');
    i += n;
  }
}

/* ---- undoing ---- */

static bool holds(const struct cul_buf *text, const char *what) {
  return memmem(cul_buf_str(text), text->len, what, strlen(what)) != NULL;
}

/* Takes the other form where it is understood better, or as well if as_well. */
static void take(const struct cul_rules *rules, struct cul_buf *text,
                 struct cul_buf *other, bool as_well) {
  size_t before = cul_understood(rules, cul_buf_bytes(text));
  size_t after = cul_understood(rules, cul_buf_bytes(other));
  if (after > before || (as_well && after == before)) {
    cul_buf_release(text);
    *text = *other;
  } else {
    cul_buf_release(other);
  }
}

static void undo_references(const struct cul_rules *rules,
                            struct cul_buf *text) {
  static const char *const names[] = {"&lt;",   "&gt;",   "&quot;", "&#39;",
                                      "&apos;", "&#x27;", "&#34;"};
  struct cul_buf other = {0};
  bool any = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    any = any || holds(text, names[i]);
  if (!any)
    return;
  cul_unescape(cul_buf_bytes(text), &other);
  take(rules, text, &other, true);
}

static void undo_line_ends(const struct cul_rules *rules,
                           struct cul_buf *text) {
  struct cul_buf other = {0};
  const char *s = cul_buf_str(text);
  if (!holds(text, "\\n"))
    return;
  for (size_t i = 0; i < text->len; i++) {
    char c = s[i] == '\\' && i + 1 < text->len ? s[i + 1] : '\0';
    bool known = c && strchr("nt\"", c);
    cul_buf_addc(&other, !known ? s[i] : c == 'n' ? '\n' : c == 't' ? '\t' : c);
    i += known;
  }
  take(rules, text, &other, false);
}

/* The width that no line exceeds and some fill; 0 = there is none. */
static size_t width_of(struct cul_bytes text) {
  size_t most = 0, n = 0;
  for (size_t at = 0; at < text.len;) {
    const char *nl = memchr(text.data + at, '\n', text.len - at);
    size_t len = nl ? (size_t)(nl - text.data) - at : text.len - at;
    if (len > most) {
      most = len;
      n = 0;
    }
    n += len == most;
    if (most > WIDE)
      return 0;
    at += len + 1;
  }
  return most >= NARROW && n >= FEW ? most : 0;
}

/* Widths of terminals and of CI services' pages. */
static bool is_usual(size_t width) {
  return width == 80 || width == 100 || width == 120 || width == 132 ||
         width == 160 || width == 200;
}

static void undo_wrapping(const struct cul_rules *rules, struct cul_buf *text) {
  struct cul_buf other = {0};
  size_t width = width_of(cul_buf_bytes(text));
  if (!width)
    return;
  for (size_t at = 0; at < text->len;) {
    const char *line = text->data + at;
    const char *nl = memchr(line, '\n', text->len - at);
    size_t len = nl ? (size_t)(nl - line) : text->len - at;
    cul_buf_add(&other, line, len);
    if (len < width && nl)
      cul_buf_addc(&other, '\n');
    at += len + 1;
  }
  take(rules, text, &other, is_usual(width));
}

void cul_undo(const struct cul_rules *rules, struct cul_buf *text) {
  if (!text->len)
    return;
  undo_references(rules, text);
  undo_line_ends(rules, text);
  undo_wrapping(rules, text);
}
