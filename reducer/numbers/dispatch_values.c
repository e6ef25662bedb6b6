/* Compare the values of dispatches: see dispatch_values.h. */
#include "dispatch_values.h"

#include <math.h>
#include <string.h>

#include "../../systems/trace.h"

/* The largest finite value. */
static double largest(const struct cul_tensor *tensor) {
  unsigned parts = cul_tensor_parts(tensor);
  double most = 0;
  for (uint64_t i = 0; i < tensor->n * parts; i++) {
    double x = fabs((double)cul_tensor_get(tensor, i / parts, i % parts));
    most = isfinite(x) && x > most ? x : most;
  }
  return most;
}

/* The largest difference that rounding explains, as when traces are paired;
 * integers are exact. */
static struct cul_tolerance by_rounding(const struct cul_tensor *got,
                                        const struct cul_tensor *want) {
  struct cul_tolerance_conf conf = {.rtol = 0, .atol = 0, .ulps = -1};
  struct cul_tolerance out;
  if (cul_dtype_info(want->dtype)->kind != CUL_IS_INT)
    conf.atol = cul_trace_slack(got->dtype, want->dtype) * largest(want);
  out = cul_tolerance_of(&conf, got, want);
  out.nan_equal = out.inf_equal = true;
  return out;
}

void cul_dispatch_reshape(struct cul_tensor *tensor,
                          const struct cul_tensor *as) {
  if (tensor->n != as->n)
    return;
  tensor->rank = as->rank;
  memcpy(tensor->dims, as->dims, sizeof tensor->dims);
}

bool cul_dispatch_differ(const struct cul_divergence_job *job,
                         const struct cul_tensor *got,
                         const struct cul_tensor *want, char *what,
                         size_t room) {
  const struct cul_tolerance_conf *own =
      job ? &job->target->oracle_conf.mismatch.tolerance : NULL;
  struct cul_tolerance tolerance;
  CUL_OWNED(cul_difference) difference = {0};
  CUL_OWNED(cul_buf) pattern = {0};
  struct cul_tensor same = *want; /* borrows its data */
  bool off;
  cul_dispatch_reshape(&same, got);
  tolerance = own && cul_tolerance_is_given(own)
                  ? cul_tolerance_of(own, got, &same)
                  : by_rounding(got, &same);
  cul_tensor_compare(got, &same, &tolerance, &difference);
  off = difference.class != CUL_ERR_NONE;
  if (difference.class == CUL_ERR_SHAPE) {
    snprintf(what, room, "%.190s", difference.why);
  } else {
    if (off)
      cul_tensor_pattern(got, &same, &difference, &pattern);
    snprintf(what, room, "%llu of %llu are off%s%.140s",
             (unsigned long long)difference.n_fail,
             (unsigned long long)difference.n, pattern.len ? ", " : "",
             cul_buf_str(&pattern));
  }
  return off;
}
