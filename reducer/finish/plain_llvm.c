/* LLVM IR as people write it: see plain_llvm.h. */
#include "plain_llvm.h"

#include <ctype.h>
#include <string.h>

static bool starts_with(struct cul_bytes line, const char *word) {
  size_t n = strlen(word);
  return line.len >= n && memcmp(line.data, word, n) == 0;
}

/* The next line, with its line feed if it has one; false at the end. */
static bool next_line(struct cul_bytes *rest, struct cul_bytes *line) {
  const char *feed;
  if (rest->len == 0) /* its data may be NULL */
    return false;
  feed = memchr(rest->data, '\n', rest->len);
  line->data = rest->data;
  line->len = feed ? (size_t)(feed - rest->data) + 1 : rest->len;
  rest->data += line->len;
  rest->len -= line->len;
  return true;
}

/* The next " #N" outside of strings, from *at on; its length, 0: none. */
static size_t next_group(struct cul_bytes line, size_t *at) {
  bool quoted = false;
  for (; *at < line.len; ++*at) {
    size_t n = 2;
    quoted ^= line.data[*at] == '"';
    if (quoted || line.data[*at] != ' ' || *at + n >= line.len ||
        line.data[*at + 1] != '#')
      continue;
    while (*at + n < line.len && isdigit((unsigned char)line.data[*at + n]))
      n++;
    if (n > 2)
      return n;
  }
  return 0;
}

static bool is_group(struct cul_bytes line) {
  return starts_with(line, "attributes #");
}

/* An intrinsic is called "llvm." and more. */
static bool declares_intrinsic(struct cul_bytes line) {
  return starts_with(line, "declare ") &&
         memmem(line.data, line.len, " @llvm.", strlen(" @llvm."));
}

static void add_without_groups(struct cul_bytes line, struct cul_buf *out) {
  size_t at = 0, from = 0, n;
  while ((n = next_group(line, &at))) {
    cul_buf_add(out, line.data + from, at - from);
    from = at += n;
  }
  cul_buf_add(out, line.data + from, line.len - from);
}

/* The line without its comment, the blanks at its end and its line feed. */
static struct cul_bytes without_comment(struct cul_bytes line) {
  bool quoted = false;
  size_t n = 0;
  while (n < line.len && (quoted || line.data[n] != ';'))
    quoted ^= line.data[n++] == '"';
  while (n > 0 && isspace((unsigned char)line.data[n - 1]))
    n--;
  line.len = n;
  return line;
}

static void add_lines(struct cul_bytes text, struct cul_buf *out) {
  struct cul_bytes whole, line;
  while (next_line(&text, &whole)) {
    line = without_comment(whole);
    if (line.len == 0)
      continue;
    if (declares_intrinsic(line))
      add_without_groups(line, out);
    else
      cul_buf_add(out, line.data, line.len);
    if (whole.data[whole.len - 1] == '\n')
      cul_buf_addc(out, '\n');
  }
}

/* Does a line refer to the group that this one defines? */
static bool is_used(struct cul_bytes text, struct cul_bytes group) {
  struct cul_bytes line;
  size_t at = 0, n = next_group(group, &at), to;
  const char *name = group.data + at;
  while (next_line(&text, &line)) {
    at = 0;
    while (!is_group(line) && (to = next_group(line, &at))) {
      if (to == n && memcmp(line.data + at, name, n) == 0)
        return true;
      at += to;
    }
  }
  return false;
}

void cul_plain_llvm(struct cul_bytes text, struct cul_buf *out) {
  CUL_OWNED(cul_buf) lines = {0};
  struct cul_bytes rest, line;
  add_lines(text, &lines);
  rest = cul_buf_bytes(&lines);
  while (next_line(&rest, &line))
    if (!is_group(line) || is_used(cul_buf_bytes(&lines), line))
      cul_buf_add(out, line.data, line.len);
}
