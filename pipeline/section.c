/* Reads the {-# ... #-} section of an MLIR file: see section.h. */
#include "section.h"

#include <string.h>

#include "quoted.h"

size_t cul_section_find(struct cul_bytes text, size_t at, const char *mark) {
  size_t n = strlen(mark);
  if (at < text.len && !memmem(text.data + at, text.len - at, mark, n))
    return text.len;
  while (at < text.len) {
    size_t next = cul_quoted_end(text, at);
    if (next == at && text.len - at >= n &&
        memcmp(text.data + at, mark, n) == 0)
      return at;
    at = next > at ? next : at + 1;
  }
  return text.len;
}

static void skip_space(struct cul_section_reader *r) {
  while (r->at < r->text.len) {
    size_t next = cul_quoted_end(r->text, r->at);
    if (r->text.data[r->at] == '/' && next > r->at)
      r->at = next;
    else if (strchr(" \t\r\n,", r->text.data[r->at]))
      r->at++;
    else
      return;
  }
}

bool cul_section_key(struct cul_section_reader *r, struct cul_bytes *key) {
  size_t start, end;
  skip_space(r);
  start = end = r->at;
  if (start >= r->text.len || strchr("}#", r->text.data[start]))
    return false;
  if (r->text.data[start] == '"')
    end = cul_quoted_end(r->text, start);
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

struct cul_bytes cul_section_value(struct cul_section_reader *r) {
  size_t start = r->at;
  int depth = 0;
  while (r->at < r->text.len) {
    char c = r->text.data[r->at];
    size_t next = cul_quoted_end(r->text, r->at);
    if (depth == 0 && r->at > start && strchr(", \t\r\n}", c))
      break;
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    r->at = next > r->at ? next : r->at + 1;
    if (depth == 0 && (c == '"' || c == '}' || c == ']'))
      break;
  }
  return (struct cul_bytes){r->text.data + start, r->at - start};
}
