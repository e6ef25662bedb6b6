/* The engine "noise": how far the results of another tool move when its numbers
 * stray. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../base/options/opt.h"
#include "../engine.h"
#include "results.h"

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
    rc =
        cul_fail(&err, CUL_EUSAGE, "add --results DIR", "no results are given");
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
