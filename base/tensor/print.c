/* Numbers in printed text: see print.h. */
#include "print.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cul_printed_release(struct cul_printed *printed) {
  free(printed->values);
  *printed = (struct cul_printed){0};
}

static void add(struct cul_printed *out, cul_number value, bool whole) {
  if ((out->n & (out->n - 1)) == 0)
    out->values = cul_xreallocarray(out->values, out->n ? 2 * out->n : 1,
                                    sizeof *out->values);
  out->values[out->n++] = value;
  out->broken |= !whole;
}

static int strange(struct cul_literal *in, struct cul_err *err) {
  size_t left = (size_t)(in->end - in->at);
  if (left >= 3 && memcmp(in->at, "...", 3) == 0)
    return cul_fail(err, CUL_EUSAGE,
                    "print all of it (iree-run-module: "
                    "--print_max_element_count=N)",
                    "some values are left out (\"...\")");
  if (left == 0)
    return cul_fail(err, CUL_EUSAGE, "was the output cut? print it whole",
                    "the print ends too early");
  return cul_fail(err, CUL_EUSAGE, "give the text as it was printed",
                  "a number is missing: \"%.*s\"", (int)(left < 20 ? left : 20),
                  in->at);
}

/* The imaginary part after a real one: +bj, -bi. */
static bool imaginary(struct cul_literal *in, cul_number *out) {
  struct cul_literal ahead = *in;
  bool whole;
  if (ahead.at >= ahead.end || (*ahead.at != '+' && *ahead.at != '-') ||
      !cul_literal_real(&ahead, out, &whole) || ahead.at >= ahead.end ||
      (*ahead.at != 'j' && *ahead.at != 'i'))
    return false;
  ahead.at++;
  *in = ahead;
  return true;
}

static int read_number(struct cul_literal *in, struct cul_printed *out,
                       struct cul_err *err) {
  cul_number value;
  bool whole;
  if (!cul_literal_real(in, &value, &whole))
    return strange(in, err);
  add(out, value, whole);
  return 0;
}

int cul_printed_flat(struct cul_literal *in, struct cul_printed *out,
                     struct cul_err *err) {
  cul_number part;
  for (;;) {
    while (cul_literal_char(in, '[') || cul_literal_char(in, ']') ||
           cul_literal_char(in, '(') || cul_literal_char(in, ')') ||
           cul_literal_char(in, ','))
      ;
    if (in->at >= in->end)
      break;
    if (read_number(in, out, err) < 0)
      return err->code;
    if (out->complex && imaginary(in, &part))
      add(out, part, false);
  }
  if (out->complex && out->n % 2)
    return cul_fail(err, CUL_EUSAGE, "was the output cut? print it whole",
                    "a complex number lacks its imaginary part");
  return 0;
}

/* The open brackets. */
struct nest {
  uint64_t counts[CUL_TENSOR_MAX_RANK + 1];
  bool known[CUL_TENSOR_MAX_RANK + 1];
  char closers[CUL_TENSOR_MAX_RANK + 1];
  size_t depth;
};

static int open_bracket(struct nest *nest, char closer, struct cul_err *err) {
  if (nest->depth == CUL_TENSOR_MAX_RANK)
    return cul_fail(err, CUL_EUSAGE, "reshape it before it is printed",
                    "brackets in more than 16 levels");
  nest->closers[nest->depth] = closer;
  nest->counts[nest->depth++] = 0;
  return 0;
}

static void close_bracket(struct nest *nest, struct cul_printed *out) {
  size_t level = --nest->depth;
  if (!nest->known[level])
    out->dims[level] = nest->counts[level];
  else if (out->dims[level] != nest->counts[level])
    out->ragged = true;
  nest->known[level] = true;
  if (out->rank < level + 1)
    out->rank = level + 1;
  if (level)
    nest->counts[level - 1]++;
}

/* "(1,2)" inside square brackets. */
static int read_pair(struct cul_literal *in, struct cul_printed *out,
                     struct cul_err *err) {
  if (out->n && !out->complex)
    return strange(in, err);
  out->complex = true;
  if (read_number(in, out, err) < 0)
    return err->code;
  cul_literal_char(in, ',');
  if (read_number(in, out, err) < 0)
    return err->code;
  return cul_literal_char(in, ')') ? 0 : strange(in, err);
}

static int read_inner(struct cul_literal *in, struct nest *nest,
                      struct cul_printed *out, struct cul_err *err) {
  bool square = nest->closers[0] == ']';
  if (cul_literal_char(in, nest->closers[nest->depth - 1])) {
    close_bracket(nest, out);
    return 0;
  }
  if (cul_literal_char(in, ','))
    return 0;
  if (cul_literal_char(in, '['))
    return open_bracket(nest, ']', err);
  if (!square && cul_literal_char(in, '('))
    return open_bracket(nest, ')', err);
  nest->counts[nest->depth - 1]++;
  if (cul_literal_char(in, '('))
    return read_pair(in, out, err);
  return read_number(in, out, err);
}

/* Are numbers only at the innermost level? */
static bool is_even(const struct cul_printed *out) {
  uint64_t total = 1;
  for (size_t d = 0; d < out->rank; d++)
    if (__builtin_mul_overflow(total, out->dims[d], &total))
      return false;
  return total == out->n / (out->complex ? 2 : 1);
}

int cul_printed_nested(struct cul_literal *in, struct cul_printed *out,
                       struct cul_err *err) {
  struct nest nest = {0};
  int rc;
  if (cul_literal_char(in, '['))
    rc = open_bracket(&nest, ']', err);
  else if (cul_literal_char(in, '('))
    rc = open_bracket(&nest, ')', err);
  else
    return strange(in, err);
  while (rc == 0 && nest.depth > 0)
    rc = read_inner(in, &nest, out, err);
  out->ragged |= rc == 0 && !is_even(out);
  return rc;
}

static bool in_word(char c) {
  return isalnum((unsigned char)c) || strchr("_.@%#$", c);
}

void cul_printed_loose(struct cul_bytes line, struct cul_printed *out,
                       struct cul_buf *words) {
  struct cul_literal in = {line.data, line.data + line.len};
  size_t had = out->n, start = words->len;
  while (in.at < in.end) {
    char before = in.at > line.data ? in.at[-1] : ' ';
    cul_number value;
    bool whole;
    if (in.end - in.at > 2 && !in_word(before) && in.at[0] == '0' &&
        in.at[1] == 'x' && isxdigit((unsigned char)in.at[2])) {
      for (in.at += 2; in.at < in.end && isxdigit((unsigned char)*in.at);)
        in.at++;
      cul_buf_addc(words, 'X');
    } else if (!in_word(before) && !isspace((unsigned char)*in.at) &&
               cul_literal_real(&in, &value, &whole)) {
      add(out, value, whole);
      cul_buf_addc(words, '#');
    } else {
      cul_buf_addc(words, *in.at++);
    }
  }
  if (out->n == had)
    words->len = start;
  else
    cul_buf_addc(words, '\n');
}

enum cul_dtype cul_printed_dtype(const struct cul_printed *printed) {
  const cul_number most = 9007199254740992.0L; /* 2^53 */
  bool large = false;
  if (printed->complex)
    return CUL_C128;
  for (size_t i = 0; i < printed->n; i++)
    large |= fabsl(printed->values[i]) > most;
  return large && !printed->broken ? CUL_I64 : CUL_F64;
}
