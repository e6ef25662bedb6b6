/* Mutations that make numbers smaller: one number 0, 1 or half; a size 1, 2 or
 * half wherever it occurs. */
#include "../../subject/text/language/declarations.h"
#include "sites.h"

/* A choice below HALF is the new number itself. */
enum { HALF = 3 };

/* The number after the choice, heap; NULL if its text or value is not
 * smaller. */
static char *shrunk(const struct cul_text *text, uint32_t token,
                    uint32_t choice) {
  uint64_t value = 0, smaller = choice &= HALF;
  if (!cul_bytes_whole(cul_text_token(text, token), &value))
    return choice != HALF && text->tokens[token].len > 3
               ? cul_xasprintf("%u.0", choice)
               : NULL;
  if (choice == HALF)
    smaller = value / 2;
  return smaller < value && (choice != HALF || smaller > 1)
             ? cul_xasprintf("%llu", (unsigned long long)smaller)
             : NULL;
}

static void add_choice(const struct cul_text *text, uint32_t token,
                       uint32_t choice, uint32_t weight,
                       struct cul_sites *out) {
  CUL_HEAP char *with = shrunk(text, token, choice);
  if (with && weight)
    cul_sites_add(out, NULL, cul_text_two(token, choice), weight);
}

/* Is the number a dimension, as the 4 of 4x8xf32?  There 0x8 would be a number
 * of its own. */
static bool is_dimension(const struct cul_text *text, uint32_t token) {
  return text->lang->dimensions && cul_text_token_is(text, token + 1, "x");
}

/* ---- one number ---- */

static void list_numbers(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    if (text->tokens[i].kind != CUL_TOKEN_NUMBER)
      continue;
    if (!is_dimension(text, i))
      add_choice(text, i, 0, 1, out);
    add_choice(text, i, 1, 1, out);
    add_choice(text, i, HALF, 1, out);
  }
}

static bool shrink_number(struct cul_text *text, uint64_t detail) {
  uint32_t token = cul_text_high(detail);
  CUL_HEAP char *with = shrunk(text, token, (uint32_t)detail);
  return with && cul_text_replace(text, token, with);
}

CUL_TEXT(text_shrink_numbers, .list = list_numbers, .edit = shrink_number);

/* ---- a size everywhere ---- */

/* Shrink the 8 of all 4x8xf32, alone or with every other 8, which may be an
 * index or an entry of a list of sizes.  Only for MLIR: other languages do not
 * distinguish sizes from numbers.  detail: such an 8; the choice, with WIDE if
 * other numbers change too. */
enum { WIDE = 4 };

/* Is the token a number above 1 and, if not wide, a dimension? */
static bool is_size(const struct cul_text *text, uint32_t token,
                    const void *wide) {
  uint64_t size;
  return text->tokens[token].kind == CUL_TOKEN_NUMBER &&
         cul_bytes_whole(cul_text_token(text, token), &size) && size > 1 &&
         (*(const bool *)wide || is_dimension(text, token));
}

static void list_sizes(struct cul_text *text, struct cul_sites *out) {
  CUL_OWNED(cul_text_words) sizes = {0}, numbers = {0};
  cul_text_words_sort(text, is_size, &(bool){false}, &sizes);
  cul_text_words_sort(text, is_size, &(bool){true}, &numbers);
  for (size_t i = 0, end, n, first; i < sizes.n; i = end) {
    uint32_t token = sizes.items[i];
    uint64_t size = 0;
    end = cul_text_words_find(text, &sizes, cul_text_token(text, token), &i);
    n = cul_text_words_find(text, &numbers, cul_text_token(text, token),
                            &first);
    n -= first;
    (void)cul_bytes_whole(cul_text_token(text, token), &size);
    for (uint32_t choice = 1; choice <= HALF; choice++) {
      if (choice == HALF && size / 2 <= 2)
        continue;
      if (n > end - i)
        add_choice(text, token, choice | WIDE, (uint32_t)n, out);
      add_choice(text, token, choice, (uint32_t)(end - i), out);
    }
  }
}

static bool shrink_size(struct cul_text *text, uint64_t detail) {
  uint32_t token = cul_text_high(detail);
  CUL_HEAP char *with = shrunk(text, token, (uint32_t)detail);
  CUL_OWNED(cul_text_words) sizes = {0};
  cul_text_words_sort(text, is_size, &(bool){(detail & WIDE) != 0}, &sizes);
  return cul_text_words_replace(text, &sizes, cul_text_token(text, token),
                                with);
}

CUL_TEXT(text_shrink_dimensions, .list = list_sizes, .edit = shrink_size);
