/* Expand attribute and type aliases in text.
 *
 * An opaque attribute is kept as its text, and an alias inside it would be
 * printed without its definition.  `#name = ...` and `!name = ...` are at the
 * start of a line, before their first use. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../pipeline/quoted.h"
#include "../ir/mangle.h"
#include "alias.h"

struct alias {
  struct cul_bytes name; /* with its '#' or '!' */
  struct cul_buf value;
};

struct aliases {
  struct alias *items;
  size_t n, cap;
};

static bool is_word(char c) {
  return isalnum((unsigned char)c) || (c && strchr("_$.-", c));
}

static size_t word_end(struct cul_bytes text, size_t at) {
  while (
      at < text.len && is_word(text.data[at]) &&
      !(text.data[at] == '-' && at + 1 < text.len && text.data[at + 1] == '>'))
    at++;
  return at;
}

static const struct alias *find(const struct aliases *list,
                                struct cul_bytes name) {
  for (size_t i = 0; i < list->n; i++)
    if (list->items[i].name.len == name.len &&
        memcmp(list->items[i].name.data, name.data, name.len) == 0)
      return &list->items[i];
  return NULL;
}

/* Append text with every alias of the list replaced. */
static void expand(const struct aliases *list, struct cul_bytes text,
                   struct cul_buf *out) {
  size_t at = 0;
  while (at < text.len) {
    size_t plain = cul_ir_plain_end(text, at, "\"/#!"), end;
    cul_buf_add(out, text.data + at, plain - at);
    at = plain;
    if (at == text.len)
      break;
    end = cul_quoted_end(text, at);
    const struct alias *alias = NULL;
    if (end == at && strchr("#!", text.data[at])) {
      end = word_end(text, at + 1);
      alias = find(list, (struct cul_bytes){text.data + at, end - at});
    }
    if (end == at)
      end = at + 1;
    if (alias)
      cul_buf_add(out, cul_buf_str(&alias->value), alias->value.len);
    else
      cul_buf_add(out, text.data + at, end - at);
    at = end;
  }
}

/* Read `#name = value` at the start of a line: returns the end of the value; 0:
 * none is there. */
static size_t definition(struct cul_bytes text, size_t at,
                         struct cul_bytes *name, struct cul_bytes *value) {
  size_t end = word_end(text, at + 1), depth = 0;
  if (!strchr("#!", text.data[at]) || end == at + 1 || text.len - end < 3 ||
      memcmp(text.data + end, " = ", 3) != 0)
    return 0;
  *name = (struct cul_bytes){text.data + at, end - at};
  at = end += 3;
  while (end < text.len && (depth > 0 || text.data[end] != '\n')) {
    size_t next = cul_quoted_end(text, end);
    if (next == end) {
      bool arrow = end > 0 && text.data[end - 1] == '-';
      depth += strchr("<([{", text.data[end]) != NULL;
      if (depth > 0 && !arrow)
        depth -= strchr(">)]}", text.data[end]) != NULL;
      next = end + 1;
    }
    end = next;
  }
  *value = (struct cul_bytes){text.data + at, end - at};
  return end;
}

static bool is_location(struct cul_bytes value) {
  return value.len > 4 && memcmp(value.data, "loc(", 4) == 0;
}

static void define(struct aliases *list, struct cul_bytes name,
                   struct cul_bytes value) {
  struct alias alias = {.name = name};
  expand(list, value, &alias.value);
  CUL_XADD(list->items, list->n, list->cap) = alias;
}

/* Append the newlines of text, so that later lines keep their numbers. */
static void add_newlines(struct cul_buf *out, struct cul_bytes text) {
  for (size_t i = 0; i < text.len; i++)
    if (text.data[i] == '\n')
      cul_buf_addc(out, '\n');
}

void cul_ir_expand_aliases(struct cul_bytes text, struct cul_buf *out) {
  struct aliases list = {0};
  size_t at = 0;
  while (at < text.len) {
    const char *newline = memchr(text.data + at, '\n', text.len - at);
    size_t next = newline ? (size_t)(newline - text.data) + 1 : text.len;
    struct cul_bytes name, value;
    size_t end = definition(text, at, &name, &value);
    if (end && !is_location(value)) {
      define(&list, name, value);
      add_newlines(out, (struct cul_bytes){text.data + at, end - at});
      at = end;
      continue;
    }
    expand(&list, (struct cul_bytes){text.data + at, next - at}, out);
    at = next;
  }
  for (size_t i = 0; i < list.n; i++)
    cul_buf_release(&list.items[i].value);
  free(list.items);
}
