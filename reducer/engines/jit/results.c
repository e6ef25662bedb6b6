/* Results and how far they move: see results.h. */
#include "results.h"

#include <math.h>

/* ---- text ---- */

static void print_real(cul_number value, struct cul_buf *out) {
  /* 21 digits distinguish any two numbers with 64 bits of fraction. */
  cul_buf_addf(out, "%.21Lg", value);
}

static void print_tensor(const struct cul_tensor *tensor, struct cul_buf *out) {
  cul_tensor_type(tensor, out);
  cul_buf_addc(out, '=');
  for (uint64_t i = 0; i < tensor->n; i++) {
    cul_buf_adds(out, i ? " " : "");
    if (cul_tensor_parts(tensor) == 1) {
      print_real(cul_tensor_get(tensor, i, 0), out);
      continue;
    }
    cul_buf_addc(out, '(');
    print_real(cul_tensor_get(tensor, i, 0), out);
    cul_buf_addc(out, ',');
    print_real(cul_tensor_get(tensor, i, 1), out);
    cul_buf_addc(out, ')');
  }
  cul_buf_addc(out, '\n');
}

void cul_results_print(const struct cul_tensors *tensors, const char *prefix,
                       const char *suffix, struct cul_buf *text) {
  for (size_t i = 0; i < tensors->n; i++) {
    cul_buf_addf(text, "result[%s%zu%s]: ", prefix, i, suffix);
    print_tensor(&tensors->items[i], text);
  }
}

/* ---- noise ---- */

int cul_noise_add(const struct cul_tensors *results, struct cul_tensors *noise,
                  struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < results->n && rc == 0; i++) {
    const struct cul_tensor *r = &results->items[i];
    struct cul_tensor *made;
    rc = cul_tensors_add(noise, "",
                         cul_tensor_parts(r) == 2 ? CUL_C128 : CUL_F64, r->rank,
                         r->dims, &made, err);
  }
  return rc;
}

static cul_number distance(cul_number a, cul_number b) {
  if (a == b || (isnan(a) && isnan(b)))
    return 0;
  return isfinite(a) && isfinite(b) ? fabsl(a - b) : (cul_number)INFINITY;
}

static void spread(const struct cul_tensor *result,
                   const struct cul_tensor *strayed, struct cul_tensor *noise) {
  unsigned parts = cul_tensor_parts(result);
  for (uint64_t i = 0; i < result->n * parts; i++) {
    uint64_t at = i / parts;
    unsigned part = (unsigned)(i % parts);
    cul_number far = (cul_number)INFINITY;
    if (at < strayed->n)
      far = distance(cul_tensor_get(result, at, part),
                     cul_tensor_get(strayed, at, part));
    if (far > cul_tensor_get(noise, at, part))
      cul_tensor_set(noise, at, part, far);
  }
}

void cul_noise_spread(const struct cul_tensors *results,
                      const struct cul_tensors *strayed,
                      struct cul_tensors *noise) {
  static const struct cul_tensor none;
  for (size_t i = 0; i < results->n && i < noise->n; i++)
    spread(&results->items[i], i < strayed->n ? &strayed->items[i] : &none,
           &noise->items[i]);
}
