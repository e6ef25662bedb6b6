/* How far numbers move: see compare.h. */
#include "compare.h"

#include <math.h>

int cul_noise_add(const struct cul_tensors *results, struct cul_tensors *noise,
                  struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < results->n && rc == 0; i++) {
    const struct cul_tensor *r = &results->items[i];
    struct cul_tensor *made;
    rc = cul_tensors_add(noise, r->name,
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
