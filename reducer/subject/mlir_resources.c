/* The {-# ... #-} section of an MLIR file.
 *
 * The C API drops external resources and stops at resources of dialects that
 * it does not know; local-scope printing drops them all.  So the section never
 * reaches the parser: it is cut off and put back, less the entries that
 * nothing names any more.  Format: "File metadata dictionary" of the MLIR
 * language reference. */
#include <string.h>

#include "mlir_private.h"

/* The position behind the string or comment that starts at text[at], or at. */
static size_t skip_quoted(struct cul_bytes text, size_t at) {
  const char *end;
  if (text.data[at] == '"') {
    for (at++; at < text.len && text.data[at] != '"'; at++)
      if (text.data[at] == '\\')
        at++;
    return at < text.len ? at + 1 : text.len;
  }
  if (text.data[at] != '/' || at + 1 >= text.len || text.data[at + 1] != '/')
    return at;
  end = memchr(text.data + at, '\n', text.len - at);
  return end ? (size_t)(end - text.data) : text.len;
}

/* Position of mark outside strings and comments, from at on; len: none. */
static size_t find(struct cul_bytes text, size_t at, const char *mark) {
  size_t n = strlen(mark);
  while (at < text.len) {
    size_t next = skip_quoted(text, at);
    if (next == at && text.len - at >= n &&
        memcmp(text.data + at, mark, n) == 0)
      return at;
    at = next > at ? next : at + 1;
  }
  return text.len;
}

void cul_ir_resources_cut(struct cul_bytes text, struct cul_buf *rest,
                          struct cul_buf *section) {
  size_t start = find(text, 0, "{-#");
  size_t end = find(text, start, "#-}");
  cul_buf_add(rest, text.data, start);
  if (start == text.len)
    return;
  end = end < text.len ? end + 3 : text.len;
  cul_buf_add(section, text.data + start, end - start);
  for (size_t i = start; i < end; i++)
    if (text.data[i] == '\n')
      cul_buf_addc(rest, '\n');
  cul_buf_add(rest, text.data + end, text.len - end);
}

/* ---- putting back ---- */

struct reader {
  struct cul_bytes text;
  size_t at;
};

static void skip_space(struct reader *r) {
  while (r->at < r->text.len) {
    size_t next = skip_quoted(r->text, r->at);
    if (r->text.data[r->at] == '/' && next > r->at)
      r->at = next;
    else if (strchr(" \t\r\n,", r->text.data[r->at]))
      r->at++;
    else
      return;
  }
}

/* `key :`; false at the end of the dictionary. */
static bool read_key(struct reader *r, struct cul_bytes *key) {
  size_t start, end;
  skip_space(r);
  start = end = r->at;
  if (start >= r->text.len || strchr("}#", r->text.data[start]))
    return false;
  if (r->text.data[start] == '"')
    end = skip_quoted(r->text, start);
  else
    while (end < r->text.len && !strchr(": \t\r\n", r->text.data[end]))
      end++;
  *key = (struct cul_bytes){r->text.data + start, end - start};
  r->at = end;
  skip_space(r);
  if (r->at >= r->text.len || r->text.data[r->at] != ':')
    return false;
  r->at++;
  skip_space(r);
  return r->at < r->text.len;
}

/* A value: a string, a word, or a balanced {...} or [...]. */
static struct cul_bytes read_value(struct reader *r) {
  size_t start = r->at;
  int depth = 0;
  while (r->at < r->text.len) {
    char c = r->text.data[r->at];
    size_t next = skip_quoted(r->text, r->at);
    if (depth == 0 && r->at > start && strchr(", \t\r\n}", c))
      break;
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    r->at = next > r->at ? next : r->at + 1;
    if (depth == 0 && (c == '"' || c == '}' || c == ']'))
      break;
  }
  return (struct cul_bytes){r->text.data + start, r->at - start};
}

static bool names(struct cul_bytes module, struct cul_bytes key) {
  const char *at = module.data, *end = module.data + module.len;
  while ((at = memmem(at, (size_t)(end - at), key.data, key.len))) {
    bool starts = at > module.data && strchr("<\" ,(", at[-1]);
    bool ends = at + key.len < end && strchr(">\" ,)", at[key.len]);
    if (starts && ends)
      return true;
    at += key.len;
  }
  return false;
}

static void add_entry(struct cul_buf *out, const char *indent,
                      struct cul_bytes key, struct cul_bytes value) {
  cul_buf_adds(out, out->len ? ",\n" : "");
  cul_buf_adds(out, indent);
  cul_buf_add(out, key.data, key.len);
  cul_buf_adds(out, ": ");
  cul_buf_add(out, value.data, value.len);
}

/* The entries of one dialect that module names; empty when none. */
static void keep_named(struct cul_bytes dictionary, struct cul_bytes module,
                       struct cul_buf *out) {
  struct reader r = {dictionary, 1};
  struct cul_bytes key;
  while (read_key(&r, &key)) {
    struct cul_bytes value = read_value(&r);
    if (names(module, key))
      add_entry(out, "      ", key, value);
  }
}

static void keep_dialects(struct cul_bytes dictionary, struct cul_bytes module,
                          struct cul_buf *out) {
  struct reader r = {dictionary, 1};
  struct cul_bytes key;
  while (read_key(&r, &key)) {
    struct cul_buf entries = {0}, body = {0};
    keep_named(read_value(&r), module, &entries);
    if (entries.len) {
      cul_buf_addf(&body, "{\n%s\n    }", cul_buf_str(&entries));
      add_entry(out, "    ", key, cul_buf_bytes(&body));
    }
    cul_buf_release(&entries);
    cul_buf_release(&body);
  }
}

void cul_ir_resources_add(struct cul_bytes section, struct cul_buf *text) {
  struct reader r = {section, 3};
  struct cul_buf all = {0};
  struct cul_bytes key;
  while (section.len && read_key(&r, &key)) {
    struct cul_bytes value = read_value(&r);
    struct cul_buf kept = {0}, body = {0};
    if (key.len != strlen("dialect_resources") ||
        memcmp(key.data, "dialect_resources", key.len) != 0) {
      add_entry(&all, "  ", key, value);
      continue;
    }
    keep_dialects(value, cul_buf_bytes(text), &kept);
    if (kept.len) {
      cul_buf_addf(&body, "{\n%s\n  }", cul_buf_str(&kept));
      add_entry(&all, "  ", key, cul_buf_bytes(&body));
    }
    cul_buf_release(&kept);
    cul_buf_release(&body);
  }
  if (all.len)
    cul_buf_addf(text, "\n{-#\n%s\n#-}\n", cul_buf_str(&all));
  cul_buf_release(&all);
}
