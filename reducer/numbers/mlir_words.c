/* Read parts of MLIR text: see mlir_words.h. */
#include "mlir_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../pipeline/quoted.h"

void cul_mlir_words_add(struct cul_mlir_words *words, char *taken) {
  CUL_XADD(words->items, words->n, words->cap) = taken;
}

void cul_mlir_words_release(struct cul_mlir_words *words) {
  for (size_t i = 0; i < words->n; i++)
    free(words->items[i]);
  free(words->items);
  *words = (struct cul_mlir_words){0};
}

bool cul_mlir_words_have(const struct cul_mlir_words *words, const char *word) {
  for (size_t i = 0; i < words->n; i++)
    if (strcmp(words->items[i], word) == 0)
      return true;
  return false;
}

/* The '>' of "->" is no bracket. */
const char *cul_mlir_behind_brackets(const char *at) {
  int depth = 0;
  for (; *at; at++) {
    if (*at == '"') {
      at = cul_string_end(at) - 1;
      continue;
    }
    depth += strchr("([{<", *at) != NULL;
    if (strchr(")]}>", *at) && !(*at == '>' && at[-1] == '-') && --depth == 0)
      return at + 1;
  }
  return at;
}

void cul_mlir_words_split(const char *at, const char *end,
                          struct cul_mlir_words *out) {
  while (at < end) {
    const char *from = at + strspn(at, " "), *to = from;
    while (to < end && *to != ',')
      to = strchr("([{<", *to) ? cul_mlir_behind_brackets(to) : to + 1;
    to = to > end ? end : to;
    if (to > from)
      cul_mlir_words_add(out, cul_xstrndup(from, (size_t)(to - from)));
    at = to + 1;
  }
}

size_t cul_mlir_name_length(const char *at) {
  return 1 + strspn(at + 1, "0123456789abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_$.-");
}

unsigned cul_mlir_element_bytes(const char *type) {
  const char *end = strrchr(type, '>'), *at = end;
  unsigned bits;
  while (at && at > type && (isalnum((unsigned char)at[-1])))
    at--;
  if (!end || at == end)
    return 0;
  for (const char *x = at; x < end; x++)
    if (*x == 'x')
      at = x + 1;
  at += cul_mlir_starts(at, "bf");
  bits = *at == 'f' || *at == 'i' ? (unsigned)strtoul(at + 1, NULL, 10) : 0;
  return bits % 8 ? 0 : bits / 8;
}
