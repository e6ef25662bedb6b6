/* Small literals: see literal.h. */
#include "literal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void skip_blanks(struct cul_literal *in) {
  while (in->at < in->end && isspace((unsigned char)*in->at))
    in->at++;
}

bool cul_literal_peek(struct cul_literal *in, char c) {
  skip_blanks(in);
  return in->at < in->end && *in->at == c;
}

bool cul_literal_char(struct cul_literal *in, char c) {
  if (!cul_literal_peek(in, c))
    return false;
  in->at++;
  return true;
}

bool cul_literal_word(struct cul_literal *in, const char *word) {
  size_t n = strlen(word);
  skip_blanks(in);
  if ((size_t)(in->end - in->at) < n || memcmp(in->at, word, n) != 0)
    return false;
  in->at += n;
  return true;
}

bool cul_literal_number(struct cul_literal *in, uint64_t *out) {
  bool any = false;
  skip_blanks(in);
  for (*out = 0; in->at < in->end && isdigit((unsigned char)*in->at);
       in->at++) {
    any = true;
    if (__builtin_mul_overflow(*out, 10, out) ||
        __builtin_add_overflow(*out, (uint64_t)(*in->at - '0'), out))
      return false;
  }
  return any;
}

char *cul_literal_string(struct cul_literal *in) {
  const char *close;
  char *text;
  skip_blanks(in);
  if (in->at >= in->end || (*in->at != '\'' && *in->at != '"'))
    return NULL;
  close = memchr(in->at + 1, *in->at, (size_t)(in->end - in->at - 1));
  if (!close)
    return NULL;
  text = cul_xstrndup(in->at + 1, (size_t)(close - in->at - 1));
  in->at = close + 1;
  return text;
}

/* Words that denote numbers, the longest first. */
static bool named_number(const char *text, size_t len, size_t *used,
                         cul_number *out) {
  static const struct {
    const char *word;
    double value;
  } words[] = {{"infinity", INFINITY},
               {"inf", INFINITY},
               {"nan", NAN},
               {"true", 1},
               {"false", 0}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++) {
    size_t n = strlen(words[i].word);
    if (len >= n && strncasecmp(text, words[i].word, n) == 0 &&
        (len == n || !isalnum((unsigned char)text[n])))
      return *used = n, *out = (cul_number)words[i].value, true;
  }
  return false;
}

bool cul_literal_real(struct cul_literal *in, cul_number *out, bool *whole) {
  char copy[64];
  size_t sign, used, n;
  char *end;
  skip_blanks(in);
  n = (size_t)(in->end - in->at);
  sign = n && (*in->at == '-' || *in->at == '+');
  *whole = false;
  if (named_number(in->at + sign, n - sign, &used, out)) {
    if (sign && *in->at == '-')
      *out = -*out;
    in->at += sign + used;
    return true;
  }
  if (n == sign || (!isdigit((unsigned char)in->at[sign]) &&
                    !(in->at[sign] == '.' && n > sign + 1 &&
                      isdigit((unsigned char)in->at[sign + 1]))))
    return false;
  n = n < sizeof copy - 1 ? n : sizeof copy - 1;
  memcpy(copy, in->at, n);
  copy[n] = 0;
  *out = strtold(copy, &end);
  used = (size_t)(end - copy);
  *whole = !memchr(copy, '.', used) && !memchr(copy, 'e', used) &&
           !memchr(copy, 'E', used);
  in->at += used;
  return true;
}

int cul_tensor_room(enum cul_dtype dtype, size_t rank, const uint64_t *dims,
                    uint64_t have, uint64_t *need, struct cul_err *err) {
  uint64_t total = cul_dtype_info(dtype)->size;
  bool empty = false, fits = true;
  for (size_t i = 0; i < rank; i++)
    empty |= dims[i] == 0;
  for (size_t i = 0; i < rank && !empty && fits; i++)
    fits = !__builtin_mul_overflow(total, dims[i], &total);
  *need = empty ? 0 : total;
  if (fits && *need <= have)
    return 0;
  if (!fits || *need > CUL_TENSOR_MAX_BYTES)
    return cul_fail(err, CUL_EUSAGE,
                    "is the header damaged? write the tensor in parts",
                    "a shape asks for more than %llu GiB",
                    (unsigned long long)(CUL_TENSOR_MAX_BYTES >> 30));
  return cul_fail(err, CUL_EUSAGE, "was it copied whole? write it again",
                  "cut off: its shape needs %llu byte%s of data, and there %s "
                  "%llu",
                  (unsigned long long)*need, cul_s(*need),
                  have == 1 ? "is" : "are", (unsigned long long)have);
}
