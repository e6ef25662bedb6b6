/* Tensors printed by programs: IREE's `2x3xf32=[1 2 3][4 5 6]`, the memref
 * prints of MLIR's runners, vector.print, and any other line with numbers. */
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "literal.h"
#include "tensor.h"

/* ---- print ---- */

/* Numbers in printed text. Private to base/tensor. */

void cul_printed_release(struct cul_printed *printed) {
  free(printed->values);
  *printed = (struct cul_printed){0};
}

static void print_add(struct cul_printed *out, cul_number value, bool whole) {
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

/* Note the significant digits of the number between from and to; those of a
 * hexadecimal one, which is exact, are more than any type has. */
static void note_digits(const char *from, const char *to,
                        struct cul_printed *out) {
  const unsigned exact = 40;
  unsigned n = 0;
  for (; from < to && *from != 'e' && *from != 'E'; from++) {
    if (*from == 'x' || *from == 'X')
      n = exact;
    n += isdigit((unsigned char)*from) && (n || *from != '0');
  }
  out->digits = n > out->digits ? n : out->digits;
}

/* The imaginary part after a real one: +bj, -bi. */
static bool imaginary(struct cul_literal *in, struct cul_printed *out,
                      cul_number *value) {
  struct cul_literal ahead = *in;
  bool whole;
  if (ahead.at >= ahead.end || (*ahead.at != '+' && *ahead.at != '-') ||
      !cul_literal_real(&ahead, value, &whole) || ahead.at >= ahead.end ||
      (*ahead.at != 'j' && *ahead.at != 'i'))
    return false;
  note_digits(in->at, ahead.at, out);
  ahead.at++;
  *in = ahead;
  return true;
}

static int read_number(struct cul_literal *in, struct cul_printed *out,
                       struct cul_err *err) {
  const char *from = in->at;
  cul_number value;
  bool whole;
  if (!cul_literal_real(in, &value, &whole))
    return strange(in, err);
  note_digits(from, in->at, out);
  print_add(out, value, whole);
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
    if (out->complex && imaginary(in, out, &part))
      print_add(out, part, false);
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
      print_add(out, value, whole);
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

/* The type that holds the values without loss: f64, or i64 for large
 * integers. */
static enum cul_dtype printed_dtype(const struct cul_printed *printed) {
  const cul_number most = 9007199254740992.0L; /* 2^53 */
  bool large = false;
  if (printed->complex)
    return CUL_C128;
  for (size_t i = 0; i < printed->n; i++)
    large |= fabsl(printed->values[i]) > most;
  return large && !printed->broken ? CUL_I64 : CUL_F64;
}

/* ---- text ---- */

/* The contents of a text, in order; unnamed tensors are numbered by kind. */
struct reader {
  struct cul_literal in;
  const struct cul_tensor_hint *hint;
  struct cul_tensors *out;
  struct cul_err *err;
  char *name;               /* heap: the name from the line before; or NULL */
  struct cul_printed loose; /* numbers of lines that contain nothing else */
  struct cul_buf words;     /* the text around the numbers */
  size_t n_memrefs, n_prints, n_lines;
};

static struct cul_bytes line_at(const struct reader *r) {
  const char *end = memchr(r->in.at, '\n', (size_t)(r->in.end - r->in.at));
  return (struct cul_bytes){r->in.at,
                            (size_t)((end ? end : r->in.end) - r->in.at)};
}

static void skip_line(struct reader *r) {
  r->in.at += line_at(r).len;
  r->in.at += r->in.at < r->in.end;
}

/* Move the printed numbers into a tensor; dims NULL: take the shape from the
 * brackets. */
static int add(struct reader *r, const char *name,
               const struct cul_printed *printed,
               const struct cul_tensor_hint *type) {
  enum cul_dtype dtype = type->has_dtype ? type->dtype : printed_dtype(printed);
  unsigned parts = cul_dtype_info(dtype)->kind == CUL_IS_COMPLEX ? 2 : 1;
  struct cul_tensor *tensor;
  uint64_t given = printed->n / (printed->complex ? 2 : 1);
  if (parts != (printed->complex ? 2 : 1))
    return cul_fail(
        r->err, CUL_EUSAGE, "give the type that was printed",
        "%s: the numbers are complex and the type is not, or the reverse",
        name);
  if (cul_tensors_add(
          r->out, name, dtype, type->has_shape ? type->rank : printed->rank,
          type->has_shape ? type->dims : printed->dims, &tensor, r->err) < 0)
    return r->err->code;
  tensor->untyped = !type->has_dtype;
  tensor->digits = printed->digits;
  if (given != tensor->n && !(given == 1 && type->has_shape))
    return cul_fail(r->err, CUL_EUSAGE, "was the output cut? print it whole",
                    "%s: %llu %s printed, but its shape has %llu", name,
                    (unsigned long long)given,
                    given == 1 ? "value is" : "values are",
                    (unsigned long long)tensor->n);
  for (uint64_t i = 0; i < tensor->n; i++)
    for (unsigned part = 0; part < parts; part++)
      cul_tensor_set(tensor, i, part,
                     printed->values[(given == 1 ? 0 : i) * parts + part]);
  return 0;
}

/* End the tensor of the loose lines read before. */
static int end_loose(struct reader *r) {
  struct cul_tensor_hint none = {0};
  char name[40];
  int rc = 0;
  if (r->loose.n) {
    r->loose.rank = 1;
    r->loose.dims[0] = r->loose.n;
    snprintf(name, sizeof name, "lines[%zu]", r->n_lines++);
    rc = add(r, name, &r->loose, &none);
    if (rc == 0)
      r->out->items[r->out->n - 1].text = cul_buf_take(&r->words);
  }
  cul_printed_release(&r->loose);
  cul_buf_clear(&r->words);
  return rc;
}

/* Read "2x3xf32=", set type and advance past it. */
static bool typed_at(struct reader *r, struct cul_tensor_hint *type) {
  struct cul_bytes line = line_at(r);
  const char *equals = memchr(line.data, '=', line.len);
  struct cul_err ignored = {0};
  char *text;
  bool is_type;
  if (!equals || equals - line.data > 200 ||
      memchr(line.data, ' ', (size_t)(equals - line.data)))
    return false;
  text = cul_xstrndup(line.data, (size_t)(equals - line.data));
  is_type = cul_tensor_hint_parse(text, type, &ignored) == 0;
  free(text);
  if (!is_type)
    return false;
  type->has_shape = true; /* also for rank 0 */
  r->in.at = equals + 1;
  return true;
}

static int read_typed(struct reader *r, const struct cul_tensor_hint *type) {
  struct cul_bytes line = line_at(r);
  struct cul_literal in = {line.data, line.data + line.len};
  struct cul_printed printed = {0};
  char number[40];
  int rc;
  snprintf(number, sizeof number, "result[%zu]", r->out->n);
  printed.complex = cul_dtype_info(type->dtype)->kind == CUL_IS_COMPLEX;
  rc = cul_printed_flat(&in, &printed, r->err);
  if (rc < 0)
    cul_fail_in(r->err, "%s", r->name ? r->name : number);
  if (rc == 0)
    rc = add(r, r->name ? r->name : number, &printed, type);
  cul_printed_release(&printed);
  free(r->name);
  r->name = NULL;
  skip_line(r);
  return rc;
}

/* Read "sizes = [2, 3]" of a memref print. */
static int read_sizes(struct reader *r, struct cul_tensor_hint *type) {
  const char *sizes = memmem(r->in.at, (size_t)(r->in.end - r->in.at),
                             "sizes = [", strlen("sizes = ["));
  *type = *r->hint;
  type->has_shape = true;
  type->rank = 0;
  if (!sizes || sizes > r->in.at + line_at(r).len)
    return cul_fail(r->err, CUL_EUSAGE, "was the output cut? print it whole",
                    "a memref print without sizes");
  r->in.at = sizes + strlen("sizes = [");
  while (!cul_literal_char(&r->in, ']')) {
    uint64_t dim;
    if (type->rank == CUL_TENSOR_MAX_RANK || !cul_literal_number(&r->in, &dim))
      return cul_fail(
          r->err, CUL_EUSAGE, "was the output cut?",
          "a memref print whose sizes are not numbers, or are more than 16");
    type->dims[type->rank++] = dim;
    cul_literal_char(&r->in, ',');
  }
  return 0;
}

static int read_memref(struct reader *r) {
  struct cul_printed printed = {0};
  struct cul_tensor_hint type;
  const char *data;
  char name[40];
  int rc = read_sizes(r, &type);
  snprintf(name, sizeof name, "memref[%zu]", r->n_memrefs++);
  if (rc < 0)
    return rc;
  data = memmem(r->in.at, line_at(r).len, "data =", 6);
  if (!data)
    return cul_fail(r->err, CUL_EUSAGE, "was the output cut? print it whole",
                    "%s: a memref print without data", name);
  r->in.at = data + 6;
  rc = cul_printed_nested(&r->in, &printed, r->err);
  if (rc < 0)
    cul_fail_in(r->err, "%s", name);
  if (rc == 0)
    rc = add(r, name, &printed, &type);
  cul_printed_release(&printed);
  skip_line(r);
  return rc;
}

/* Read a nest of brackets alone on its lines. *is: whether there was one. */
static int read_nested(struct reader *r, bool *is) {
  struct cul_tensor_hint type = *r->hint;
  struct cul_printed printed = {0};
  struct cul_err ignored = {0};
  const char *before = r->in.at;
  char name[40];
  int rc = 0;
  type.has_shape = false;
  *is = cul_printed_nested(&r->in, &printed, &ignored) == 0 &&
        !printed.ragged && printed.n > 0;
  for (; *is && r->in.at < r->in.end && *r->in.at != '\n'; r->in.at++)
    *is = isspace((unsigned char)*r->in.at);
  if (*is) {
    rc = end_loose(r);
    snprintf(name, sizeof name, "print[%zu]", r->n_prints++);
    if (rc == 0)
      rc = add(r, name, &printed, &type);
    skip_line(r);
  } else {
    r->in.at = before;
  }
  cul_printed_release(&printed);
  return rc;
}

/* Read "result[0]: " before a value, or on the line before it. */
static void take_name(struct reader *r) {
  struct cul_bytes line = line_at(r);
  const char *close = cul_bytes_start(line, "result[")
                          ? memmem(line.data, line.len, "]: ", 3)
                          : NULL;
  if (!close)
    return;
  free(r->name);
  r->name = cul_xstrndup(line.data, (size_t)(close + 1 - line.data));
  r->in.at = close + 3;
  if (cul_bytes_start(line_at(r), "hal.buffer_view"))
    skip_line(r);
}

static int read_line(struct reader *r) {
  struct cul_tensor_hint type;
  struct cul_bytes line;
  bool is = false;
  int rc;
  take_name(r);
  line = line_at(r);
  if (typed_at(r, &type)) {
    rc = end_loose(r);
    return rc < 0 ? rc : read_typed(r, &type);
  }
  if (cul_bytes_start(line, "Unranked Memref base@") ||
      cul_bytes_start(line, "Memref base@")) {
    rc = end_loose(r);
    return rc < 0 ? rc : read_memref(r);
  }
  while (line.len && (*line.data == ' ' || *line.data == '\t'))
    line.data++, line.len--;
  if (line.len && (*line.data == '(' || *line.data == '[')) {
    rc = read_nested(r, &is);
    if (rc < 0 || is)
      return rc;
  }
  cul_printed_loose(line_at(r), &r->loose, &r->words);
  skip_line(r);
  return 0;
}

int cul_tensors_parse_text(struct cul_bytes bytes,
                           const struct cul_tensor_hint *hint,
                           struct cul_tensors *out, struct cul_err *err) {
  static const struct cul_tensor_hint none;
  struct cul_bytes text = cul_bytes_behind_mark(bytes);
  struct reader r = {.in = {text.data, text.data + text.len},
                     .hint = hint ? hint : &none,
                     .out = out,
                     .err = err};
  int rc = 0;
  while (r.in.at < r.in.end && rc == 0)
    rc = read_line(&r);
  if (rc == 0)
    rc = end_loose(&r);
  cul_printed_release(&r.loose);
  cul_buf_release(&r.words);
  free(r.name);
  return rc;
}

static bool sniff(struct cul_bytes file) {
  struct cul_bytes bytes = cul_bytes_behind_mark(file);
  size_t n = bytes.len < 4096 ? bytes.len : 4096;
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)bytes.data[i];
    if (c >= 127 || (c < 32 && !isspace(c)))
      return false;
  }
  return n > 0;
}

static int read_text(struct cul_bytes bytes, const struct cul_tensor_hint *hint,
                     struct cul_tensors *out, struct cul_err *err) {
  size_t before = out->n;
  int rc = cul_tensors_parse_text(bytes, hint, out, err);
  if (rc == 0 && out->n == before)
    return cul_fail(err, CUL_EUSAGE,
                    "give npy, safetensors, IREE's text or a memref print",
                    "a text without numbers");
  if (rc == 0 && out->n == before + 1) /* a single tensor needs no name */
    out->items[before].name[0] = 0;
  return rc;
}

const struct cul_tensor_format cul_tensor_text = {.name = "text",
                                                  .ends = ".txt .out",
                                                  .sniff = sniff,
                                                  .weak = true,
                                                  .read = read_text};
