/* Measure noise and exactness: see wide.h. */
#include "wide.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "exact.h"

/* Discard standard output until unmute. */
static int mute(void) {
  int saved, null = TEMP_FAILURE_RETRY(open("/dev/null", O_WRONLY | O_CLOEXEC));
  fflush(stdout);
  saved = dup(STDOUT_FILENO);
  if (null >= 0)
    dup2(null, STDOUT_FILENO), close(null);
  return saved;
}

static void unmute(int saved) {
  fflush(stdout);
  if (saved >= 0)
    dup2(saved, STDOUT_FILENO), close(saved);
}

/* ---- noise ---- */

static int add_noise(const struct cul_tensors *results,
                     struct cul_tensors *noise, struct cul_err *err) {
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

/* The noise of an element is the largest distance between its value and those
 * with moved inputs. */
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

static int measure_noise(const struct cul_jit_wide *wide,
                         MlirExecutionEngine jit, uint64_t seed,
                         struct cul_tensors *noise, struct cul_err *err) {
  enum { RUNS = 4 };
  struct cul_jit_inputs inputs = *wide->inputs;
  struct cul_tensors results = {0};
  int rc;
  inputs.seed += seed;
  rc = cul_jit_call_run(wide->call, jit, wide->name, &inputs, &results, NULL,
                        err);
  if (rc == 0)
    rc = add_noise(&results, noise, err);
  for (inputs.stray = 1; inputs.stray <= RUNS && rc == 0; inputs.stray++) {
    struct cul_tensors strayed = {0};
    rc = cul_jit_call_run(wide->call, jit, wide->name, &inputs, &strayed, NULL,
                          err);
    for (size_t i = 0; i < results.n && rc == 0; i++)
      spread(&results.items[i], &strayed.items[i], &noise->items[i]);
    cul_tensors_release(&strayed);
  }
  cul_tensors_release(&results);
  return rc;
}

/* ---- exactness ---- */

static cul_number largest(const struct cul_tensors *tensors) {
  cul_number most = 0;
  for (size_t t = 0; t < tensors->n; t++) {
    const struct cul_tensor *tensor = &tensors->items[t];
    unsigned parts = cul_tensor_parts(tensor);
    bool whole = cul_dtype_info(tensor->dtype)->kind == CUL_IS_INT;
    for (uint64_t i = 0; !whole && i < tensor->n * parts; i++) {
      cul_number value = cul_tensor_get(tensor, i / parts, i % parts);
      if (!(value <= most))
        most = value;
    }
  }
  return most;
}

/* Are all arguments whole numbers? */
static bool all_whole(const struct cul_jit_wide *wide,
                      const struct cul_jit_inputs *inputs,
                      struct cul_buf *why) {
  struct cul_tensors drawn = {0};
  struct cul_err err = {0};
  bool whole = cul_jit_call_draw(wide->call, inputs, &drawn, &err) == 0;
  for (size_t t = 0; t < drawn.n && whole; t++) {
    const struct cul_tensor *tensor = &drawn.items[t];
    unsigned parts = cul_tensor_parts(tensor);
    for (uint64_t i = 0; i < tensor->n * parts && whole; i++) {
      cul_number value = cul_tensor_get(tensor, i / parts, i % parts);
      whole = value == rintl(value);
    }
    if (!whole)
      cul_buf_addf(why, "argument %zu is not whole", t);
  }
  cul_tensors_release(&drawn);
  return whole;
}

/* The largest bound over all seeds; NaN if there is none, with the reason in
 * why. */
static cul_number bound_all(const struct cul_jit_wide *wide,
                            struct cul_buf *why) {
  struct cul_jit_inputs inputs = *wide->inputs;
  MlirModule module = mlirModuleFromOperation(wide->lowered);
  MlirExecutionEngine jit;
  struct cul_err err = {0};
  cul_number most = 0;
  for (uint64_t s = 0; s < wide->seeds; s++) {
    inputs.seed = wide->inputs->seed + s;
    if (!all_whole(wide, &inputs, why))
      return (cul_number)NAN;
  }
  if (!cul_exact_bound(wide->ir, wide->lowered, why))
    return (cul_number)NAN;
  jit = cul_jit_compile(module, 0);
  inputs.magnitudes = true;
  for (uint64_t s = 0; s < wide->seeds && jit.ptr; s++) {
    struct cul_tensors results = {0};
    inputs.seed = wide->inputs->seed + s;
    if (cul_jit_call_run(wide->call, jit, wide->name, &inputs, &results, NULL,
                         &err) == 0)
      most = fmaxl(most, largest(&results));
    else
      most = (cul_number)INFINITY;
    cul_tensors_release(&results);
  }
  return jit.ptr ? most : (cul_number)INFINITY;
}

static void say_exact(const struct cul_jit_wide *wide) {
  struct cul_buf why = {0};
  unsigned digits = wide->widened.digits;
  cul_number bound = bound_all(wide, &why);
  if (!why.len && bound <= ldexpl(1, (int)digits))
    fprintf(stderr, "wide: digits=%u exact=yes: no number above %.0Lf\n",
            digits, bound);
  else
    fprintf(stderr, "wide: digits=%u exact=no: %s\n", digits,
            why.len ? cul_buf_str(&why) : "its numbers may have more digits");
  cul_buf_release(&why);
}

int cul_jit_wide_run(const struct cul_jit_wide *wide, MlirExecutionEngine jit,
                     struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = 0, saved = mute();
  for (uint64_t s = 0; s < wide->seeds && rc == 0; s++) {
    struct cul_tensors noise = {0};
    char suffix[24] = "";
    if (wide->seeds > 1)
      snprintf(suffix, sizeof suffix, "/%llu", (unsigned long long)s);
    rc = measure_noise(wide, jit, s, &noise, err);
    if (rc == 0)
      cul_jit_print(&noise, "noise ", suffix, &text);
    cul_tensors_release(&noise);
  }
  if (rc == 0)
    say_exact(wide);
  unmute(saved);
  if (rc == 0)
    fwrite(cul_buf_str(&text), 1, text.len, stdout);
  cul_buf_release(&text);
  return rc;
}

void cul_jit_say_raised(int raised) {
  static const struct {
    int flag;
    const char *name;
  } names[] = {{FE_DIVBYZERO, "division by zero"},
               {FE_INVALID, "an operation without a result"},
               {FE_OVERFLOW, "overflow"},
               {CUL_JIT_DENORMAL, "a denormal number"}};
  struct cul_buf text = {0};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (raised & names[i].flag)
      cul_buf_addf(&text, "%s%s", text.len ? ", " : "", names[i].name);
  if (text.len)
    fprintf(stderr, "raised: %s\n", cul_buf_str(&text));
  cul_buf_release(&text);
}
