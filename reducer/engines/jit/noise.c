/* The noise of results: see noise.h; and the engine "noise", which prints it for
 * the results that another tool has computed. */
#include "noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../base/options/opt.h"
#include "../engine.h"

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

int cul_noise_add(const struct cul_tensors *results,
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

/* ---- of files ---- */

struct options {
  const char *results;
};

static const struct cul_opt opts[] = {
    {.name = "results",
     .type = CUL_OPT_STRING,
     .value = "DIR",
     .offset = offsetof(struct options, results),
     .help = "0.R.npy is result R, WAY.R.npy what it was when numbers strayed "
             "that way; all are numbered without a gap"},
    {.name = NULL}};

/* Append result r of a way; *found: there is one. */
static int load(const char *dir, unsigned way, size_t r, bool *found,
                struct cul_tensors *out, struct cul_err *err) {
  char *path = cul_xasprintf("%s/%u.%zu.npy", dir, way, r);
  int rc = 0;
  *found = access(path, R_OK) == 0;
  if (*found)
    rc = cul_tensors_load(path, NULL, out, err);
  if (rc == 0 && *found && out->n != 1)
    rc = cul_fail(err, CUL_EUSAGE, "give one array per file",
                  "%s: has %zu arrays", path, out->n);
  free(path);
  return rc;
}

/* Append the noise of result r; *found: there is such a result. */
static int measure(const char *dir, size_t r, bool *found,
                   struct cul_tensors *noise, struct cul_err *err) {
  struct cul_tensors result = {0}, own = {0};
  bool more;
  int rc = load(dir, 0, r, found, &result, err);
  more = *found;
  if (rc == 0 && *found)
    rc = cul_noise_add(&result, &own, err);
  for (unsigned way = 1; rc == 0 && more; way++) {
    struct cul_tensors strayed = {0};
    rc = load(dir, way, r, &more, &strayed, err);
    if (rc == 0 && more)
      cul_noise_spread(&result, &strayed, &own);
    cul_tensors_release(&strayed);
  }
  cul_tensors_release(&result);
  cul_tensors_move(noise, &own, "");
  return rc;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct options options = {0};
  struct cul_tensors noise = {0};
  struct cul_buf text = {0};
  struct cul_err err = {0};
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  bool found = true;
  int rc = cul_opt_parse(opts, &options, argc, argv, &operands, &err);
  (void)subject;
  (void)warm;
  if (rc == 0 && !options.results)
    rc = cul_fail(&err, CUL_EUSAGE, "add --results DIR", "no results are given");
  for (size_t r = 0; rc == 0 && found; r++)
    rc = measure(options.results, r, &found, &noise, &err);
  if (rc < 0) {
    fprintf(stderr, "error: %s; %s\n", err.what, err.advice);
    return CUL_ENGINE_USAGE;
  }
  cul_results_print(&noise, "noise ", "", &text);
  fwrite(cul_buf_str(&text), 1, text.len, stdout);
  cul_buf_release(&text);
  cul_tensors_release(&noise);
  return 0;
}

const struct cul_engine cul_engine_noise = {
    .name = "noise",
    .summary = "print how far results move when numbers stray",
    .opts = opts,
    .run = run,
};
