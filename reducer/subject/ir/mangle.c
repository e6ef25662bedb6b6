/* Wrap and unwrap, as text, types that a context without dialects cannot
 * represent.
 *
 * A memref's memory space and the elements of memrefs and vectors must come
 * from a dialect that declares them suitable; opaque ones do not.  So
 *
 *   memref<4xf32, #gpu.address_space<workgroup>>
 *                        -> memref<4xf32, "cul#gpu.address_space<workgroup>">
 *   vector<4x!llvm.ptr>  -> !cul.type<vector<4x!llvm.ptr>>
 *
 * before parsing, and the reverse after printing. */
#include <ctype.h>
#include <string.h>

#include "../../../pipeline/quoted.h"
#include "compat.h"
#include "mangle.h"

#define SPACE_PREFIX "\"cul#"
#define TYPE_PREFIX "!cul.type<"

static bool starts(struct cul_bytes text, size_t at, const char *word) {
  size_t n = strlen(word);
  return text.len - at >= n && memcmp(text.data + at, word, n) == 0;
}

/* The position after the bracket that closes the one at `at`; 0: none does. */
static size_t skip_balanced(struct cul_bytes text, size_t at) {
  int depth = 0;
  while (at < text.len) {
    char c = text.data[at];
    if (c == '"') {
      at = cul_quoted_end(text, at);
      continue;
    }
    if (c == '-' && starts(text, at, "->")) {
      at += 2;
      continue;
    }
    depth += strchr("<([{", c) != NULL;
    depth -= strchr(">)]}", c) != NULL;
    at++;
    if (depth == 0)
      return at;
    if (c == '\0')
      return 0;
  }
  return 0;
}

/* The next ',' or the closing '>' of the list around `at`. */
static size_t skip_part(struct cul_bytes text, size_t at) {
  while (at < text.len && text.data[at] != ',' && text.data[at] != '>') {
    char c = text.data[at];
    size_t next = at + 1;
    if (c == '"')
      next = cul_quoted_end(text, at);
    else if (c == '-' && starts(text, at, "->"))
      next = at + 2;
    else if (strchr("<([{", c))
      next = skip_balanced(text, at);
    at = next ? next : text.len;
  }
  return at;
}

/* ---- wrapping ---- */

static void add_space(struct cul_buf *out, struct cul_bytes attr) {
  cul_buf_adds(out, "\"cul");
  for (size_t i = 0; i < attr.len; i++) {
    if (strchr("\"\\", attr.data[i]))
      cul_buf_addc(out, '\\');
    cul_buf_addc(out, attr.data[i]);
  }
  cul_buf_addc(out, '"');
}

/* Append the parts after the shape: `, layout, space`. */
static void add_parts(struct cul_buf *out, struct cul_bytes text, size_t at,
                      size_t end) {
  while (at < end && text.data[at] == ',') {
    size_t start = at + 1, stop;
    while (start < end && isspace((unsigned char)text.data[start]))
      start++;
    stop = skip_part(text, start);
    stop = stop < end ? stop : end - 1;
    start = start < stop ? start : stop;
    cul_buf_add(out, text.data + at, start - at);
    if (text.data[start] == '#')
      add_space(out, (struct cul_bytes){text.data + start, stop - start});
    else
      cul_buf_add(out, text.data + start, stop - start);
    at = stop;
  }
  cul_buf_add(out, text.data + at, end - at);
}

static bool has_foreign_element(struct cul_bytes text, size_t at, size_t end) {
  size_t bang = at;
  while (bang < end && text.data[bang] != '!')
    bang++;
  return bang < end && (bang == at || text.data[bang - 1] == 'x') &&
         !starts(text, bang, "!cul.");
}

/* Wrap the memref or vector type at `at`; returns its end; 0: it is none. */
static size_t wrap_type(struct cul_buf *out, struct cul_bytes text, size_t at,
                        size_t open) {
  size_t end = skip_balanced(text, open), shape;
  if (!end || memchr(text.data + at, '\n', end - at) ||
      memmem(text.data + at, end - at, "//", 2))
    return 0;
  shape = skip_part(text, open + 1);
  /* In text that is not MLIR, one kind of bracket may close another. */
  if (shape >= end)
    shape = end - 1;
  if (has_foreign_element(text, open + 1, shape)) {
    cul_buf_adds(out, TYPE_PREFIX);
    cul_buf_add(out, text.data + at, end - at);
    cul_buf_addc(out, '>');
    return end;
  }
  cul_buf_add(out, text.data + at, shape - at);
  add_parts(out, text, shape, end);
  return end;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || strchr("_.$!#@%", c);
}

/* Is "4x" or "?x" before at, so that the element of a shaped type is there? */
static bool after_size(struct cul_bytes text, size_t at) {
  return at >= 2 && text.data[at - 1] == 'x' &&
         (isdigit((unsigned char)text.data[at - 2]) ||
          strchr("?*]", text.data[at - 2]));
}

void cul_ir_mangle(struct cul_bytes text, struct cul_buf *out) {
  size_t at = 0;
  while (at < text.len) {
    size_t plain = cul_ir_plain_end(text, at, "\"/mv"), end = 0;
    bool fresh;
    cul_buf_add(out, text.data + at, plain - at);
    at = plain;
    if (at == text.len)
      break;
    fresh = at == 0 || !is_word(text.data[at - 1]) || after_size(text, at);
    if (fresh && (starts(text, at, "memref<") || starts(text, at, "vector<")))
      end = wrap_type(out, text, at, at + strlen("memref"));
    if (!end) {
      end = cul_quoted_end(text, at);
      end += end == at;
      cul_buf_add(out, text.data + at, end - at);
    }
    at = end;
  }
}

/* ---- unwrapping ---- */

static int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char)tolower((unsigned char)c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Append the inside of a printed string without its escapes. */
static void add_unescaped(struct cul_buf *out, struct cul_bytes s) {
  for (size_t i = 0; i < s.len; i++) {
    int high, low;
    if (s.data[i] != '\\' || i + 1 >= s.len) {
      cul_buf_addc(out, s.data[i]);
      continue;
    }
    high = hex_digit(s.data[i + 1]);
    low = i + 2 < s.len ? hex_digit(s.data[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      cul_buf_addc(out, (char)(16 * high + low));
      i += 2;
    } else {
      cul_buf_addc(out, s.data[++i]);
    }
  }
}

/* Append T of the `!cul.type<T>` at `at`; returns its end. */
static size_t unwrap_type(struct cul_buf *out, struct cul_bytes text,
                          size_t at) {
  size_t open = at + strlen(TYPE_PREFIX) - 1;
  size_t end = skip_balanced(text, open);
  if (!end) {
    cul_buf_addc(out, text.data[at]);
    return at + 1;
  }
  cul_buf_add(out, text.data + open + 1, end - open - 2);
  return end;
}

/* Append the attribute of the `"cul#..."` at `at`; returns its end. */
static size_t unwrap_space(struct cul_buf *out, struct cul_bytes text,
                           size_t at) {
  size_t body = at + strlen(SPACE_PREFIX) - 1;
  size_t end = cul_quoted_end(text, at);
  add_unescaped(out, (struct cul_bytes){text.data + body, end - 1 - body});
  return end;
}

void cul_ir_unmangle(struct cul_bytes text, struct cul_buf *out) {
  size_t at = 0;
  while (at < text.len) {
    size_t plain = cul_ir_plain_end(text, at, "\"/!!"), end;
    cul_buf_add(out, text.data + at, plain - at);
    at = plain;
    if (at == text.len)
      break;
    if (starts(text, at, SPACE_PREFIX)) {
      at = unwrap_space(out, text, at);
      continue;
    }
    if (starts(text, at, TYPE_PREFIX)) {
      at = unwrap_type(out, text, at);
      continue;
    }
    end = cul_quoted_end(text, at);
    end += end == at;
    cul_buf_add(out, text.data + at, end - at);
    at = end;
  }
}
