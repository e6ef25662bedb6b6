/* The engine "noise": how far the results of another tool move when its numbers
 * stray. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../base/options/opt.h"
#include "../../../base/tensor/compare.h"
#include "../engine.h"
#include "results.h"

struct options {
  const char *results, *own;
};

static const struct cul_opt opts[] = {
    {.name = "results",
     .type = CUL_OPT_STRING,
     .value = "DIR",
     .offset = offsetof(struct options, results),
     .help = "0.R.npy is result R, WAY.R.npy what it was when numbers strayed "
             "that way; all are numbered without a gap"},
    {.name = "own",
     .type = CUL_OPT_STRING,
     .value = "DIR",
     .offset = offsetof(struct options, own),
     .help = "0 is what the engine jit printed of the module, 1 and 2 what it "
             "printed of those that stray: measure there, unless 0 is not what "
             "--results has"},
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

/* ---- own: as the engine jit prints the results ---- */

/* Append the results of a way: the lines "result[0]: 2xf64=1 2". */
static int read_own(const char *dir, unsigned way, struct cul_tensors *out,
                    struct cul_err *err) {
  static const size_t most = (size_t)1 << 30;
  CUL_HEAP char *path = cul_xasprintf("%s/%u", dir, way);
  struct cul_buf text = {0}, values = {0};
  int rc = cul_file_read(path, most, &text, err);
  for (const char *at = cul_buf_str(&text); rc == 0 && *at;) {
    size_t len = strcspn(at, "\n");
    const char *value = memmem(at, len, ": ", 2);
    if (value) {
      cul_buf_add(&values, value + 2, (size_t)(at + len - value) - 2);
      cul_buf_adds(&values, "\n");
    }
    at += len + (at[len] == '\n');
  }
  if (rc == 0)
    rc = cul_tensors_parse_text(cul_buf_bytes(&values), NULL, out, err);
  cul_buf_release(&text);
  cul_buf_release(&values);
  return rc;
}

/* Two computations in f64 of the same numbers differ by less than any rounding
 * in a narrower type. */
static bool is_near(cul_number a, cul_number b) {
  static const cul_number least = 1e-10L;
  return a == b || (isnan(a) && isnan(b)) ||
         fabsl(a - b) <= least * (1 + fabsl(a));
}

static bool is_same(const struct cul_tensor *a, const struct cul_tensor *b) {
  bool same = a->n == b->n && cul_tensor_parts(a) == cul_tensor_parts(b);
  for (uint64_t i = 0; same && i < a->n; i++)
    for (unsigned part = 0; same && part < cul_tensor_parts(a); part++)
      same = is_near(cul_tensor_get(a, i, part), cul_tensor_get(b, i, part));
  return same;
}

/* Fail unless the engine's results are those of the files. */
static int compare_own(const struct cul_tensors *own, const char *dir,
                       struct cul_err *err) {
  bool found = true, same = true;
  size_t n = 0;
  int rc = 0;
  while (rc == 0 && found && same) {
    struct cul_tensors result = {0};
    rc = load(dir, 0, n, &found, &result, err);
    if (rc == 0 && found) {
      same = n < own->n && is_same(&result.items[0], &own->items[n]);
      n++;
    }
    cul_tensors_release(&result);
  }
  if (rc == 0 && (!same || n != own->n))
    rc = cul_fail(err, CUL_EUSAGE, "measure the files",
                  "the engine computes other results");
  return rc;
}

static int measure_own(const struct options *options, struct cul_tensors *noise,
                       struct cul_err *err) {
  struct cul_tensors own = {0};
  int rc = read_own(options->own, 0, &own, err);
  if (rc == 0)
    rc = compare_own(&own, options->results, err);
  if (rc == 0)
    rc = cul_noise_add(&own, noise, err);
  for (unsigned way = 1; rc == 0 && way <= 2; way++) {
    struct cul_tensors strayed = {0};
    rc = read_own(options->own, way, &strayed, err);
    if (rc == 0)
      cul_noise_spread(&own, &strayed, noise);
    cul_tensors_release(&strayed);
  }
  cul_tensors_release(&own);
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
    rc =
        cul_fail(&err, CUL_EUSAGE, "add --results DIR", "no results are given");
  if (rc == 0 && options.own) {
    rc = measure_own(&options, &noise, &err);
    found = false;
  }
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
    .summary = "print by how much rounding moves each result",
    .opts = opts,
    .run = run,
};
