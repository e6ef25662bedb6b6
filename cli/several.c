/* Several inputs in one call: see several.h. */
#include "several.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/files/file.h"
#include "../base/status.h"
#include "../base/visible.h"
#include "../probe/json_word.h"
#include "../probe/outdir.h"
#include "../probe/target/findings.h"
#include "options.h"
#include "summary.h"

/* The jobs of one call. */
struct several {
  const struct cul_several_conf *conf;
  struct cul_several_job *jobs;
  size_t n;
  FILE *out;
};

static bool is_same_file(const char *a, const char *b) {
  struct stat one, other;
  return strcmp(a, b) == 0 ||
         (stat(a, &one) == 0 && stat(b, &other) == 0 &&
          one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

static bool has_input(const struct several *several, const char *input) {
  for (size_t i = 0; i < several->n; i++)
    if (is_same_file(several->jobs[i].input, input))
      return true;
  return false;
}

static bool has_output(const struct several *several, const char *path) {
  for (size_t i = 0; i < several->n; i++)
    if (strcmp(several->jobs[i].output, path) == 0 ||
        strcmp(several->jobs[i].bundle, path) == 0)
      return true;
  return false;
}

/* Name the outputs: DIR/a.mlir and DIR/a.mlir.bundle; for the next input of
 * that name a-2.mlir. */
static void name_outputs(const struct several *several,
                         struct cul_several_job *job) {
  const char *dir = several->conf->dir, *base = cul_basename(job->input);
  const char *dot = strrchr(base, '.');
  size_t stem = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  job->output = cul_xasprintf("%s/%s", dir, base);
  job->bundle = cul_xasprintf("%s.bundle", job->output);
  for (int i = 2;
       has_output(several, job->output) || has_output(several, job->bundle);
       i++) {
    free(job->output);
    free(job->bundle);
    job->output =
        cul_xasprintf("%s/%.*s-%d%s", dir, (int)stem, base, i, base + stem);
    job->bundle = cul_xasprintf("%s.bundle", job->output);
  }
}

/* List the jobs; a file given twice is one job. */
static void list_jobs(struct several *several) {
  const struct cul_several_conf *conf = several->conf;
  several->jobs = cul_xcalloc(conf->n, sizeof *several->jobs);
  for (size_t i = 0; i < conf->n; i++) {
    struct cul_several_job job = {.input = conf->inputs[i]};
    if (has_input(several, job.input))
      continue;
    name_outputs(several, &job);
    several->jobs[several->n++] = job;
  }
}

static int check_outputs(const struct several *several, struct cul_err *err) {
  for (size_t i = 0; i < several->n; i++)
    for (size_t k = 0; k < several->n; k++)
      if (is_same_file(several->jobs[i].output, several->jobs[k].input))
        return cul_fail(err, CUL_EUSAGE, "give a directory that holds no input",
                        "--out-dir: the result %s would replace the input %s",
                        several->jobs[i].output, several->jobs[k].input);
  return 0;
}

static void say_error(const struct cul_several_job *job) {
  const struct cul_err *err = &job->err;
  bool is_named = strstr(err->what, job->input) != NULL;
  cul_status_make_way();
  cul_say(stderr, "culprit: %s%s%s%s%s\n", is_named ? "" : job->input,
          is_named ? "" : ": ", err->what, err->advice[0] ? "\n  " : "",
          err->advice);
}

static void work(struct several *several) {
  const struct cul_several_conf *conf = several->conf;
  for (size_t i = 0; i < several->n && !cul_status_interrupted(); i++) {
    struct cul_several_job *job = &several->jobs[i];
    cul_status_make_way();
    cul_say(several->out, "%s[%zu/%zu] %s\n", i ? "\n" : "", i + 1, several->n,
            job->input);
    fflush(several->out);
    job->begun = true;
    conf->reduce(conf->self, job);
    if (job->err.code && job->err.code != CUL_EINTR && several->n > 1)
      say_error(job);
  }
}

static void print_outcome(const struct cul_several_job *job, FILE *out) {
  if (job->report) {
    cul_print_size(job->report, "initial", out);
    fputs(" -> ", out);
    cul_print_size(job->report, "final", out);
    cul_say(out, ": %s", job->output);
    if (job->err.code)
      cul_say(out, " (%s)", job->err.what);
    fputc('\n', out);
  } else if (!job->begun) {
    fputs("not begun\n", out);
  } else if (job->err.code == CUL_ENOFAIL) {
    fputs("skipped: it shows no failure\n", out);
  } else {
    cul_say(out, "not reduced: %s\n", job->err.what);
  }
}

static void print_table(const struct several *several) {
  enum { WIDEST = 40 };
  int width = 0;
  for (size_t i = 0; i < several->n; i++) {
    size_t len = strlen(several->jobs[i].input);
    if (len <= WIDEST && (int)len > width)
      width = (int)len;
  }
  fputc('\n', several->out);
  for (size_t i = 0; i < several->n; i++) {
    cul_say(several->out, "%-*s  ", width, several->jobs[i].input);
    print_outcome(&several->jobs[i], several->out);
  }
  fflush(several->out);
}

static json_t *report_of(const struct several *several) {
  json_t *list = json_array();
  for (size_t i = 0; i < several->n; i++) {
    const struct cul_several_job *job = &several->jobs[i];
    json_t *one = json_object();
    json_object_set_new(one, "input", cul_json_word(job->input));
    json_object_set_new(one, "output", cul_json_word(job->output));
    json_object_set_new(one, "bundle", cul_json_word(job->bundle));
    json_object_set_new(one, "status",
                        job->begun
                            ? json_integer(cul_exit_status(job->err.code))
                            : json_null());
    json_object_set_new(one, "error", cul_report_string(job->err.what));
    json_object_set(one, "report", job->report ? job->report : json_null());
    json_array_append_new(list, one);
  }
  return json_pack("{s:s, s:o}", "culprit_version", CULPRIT_VERSION, "jobs",
                   list);
}

/* Report the result of all jobs. */
static int conclude(const struct several *several, struct cul_err *err) {
  size_t done = 0, passing = 0;
  int first = 0;
  if (several->n == 1) {
    *err = several->jobs[0].err;
    return err->code;
  }
  for (size_t i = 0; i < several->n; i++) {
    int code = several->jobs[i].err.code;
    done += several->jobs[i].begun && code == 0;
    passing += code == CUL_ENOFAIL;
    if (!first && code != CUL_ENOFAIL)
      first = code;
  }
  if (cul_status_interrupted())
    return cul_fail(err, CUL_EINTR, "the same command continues",
                    "interrupted: %zu of %zu inputs are reduced", done,
                    several->n);
  if (first)
    return cul_fail(err, (enum cul_code)first,
                    "see the messages above for the others",
                    "%zu of %zu inputs are reduced", done, several->n);
  return passing == several->n
             ? cul_fail(err, CUL_ENOFAIL,
                        "culprit check FILE -- CMD @@ describes the result for "
                        "one of them",
                        "none of %zu inputs shows a failure", several->n)
             : 0;
}

static void release(struct several *several) {
  for (size_t i = 0; i < several->n; i++) {
    free(several->jobs[i].output);
    free(several->jobs[i].bundle);
    json_decref(several->jobs[i].report);
  }
  free(several->jobs);
  cul_text_close(several->out);
}

/* Open the directory of the results. */
static int open_outdir(const struct several *several, struct cul_outdir **out,
                       struct cul_err *err) {
  CUL_HEAP const char **names = cul_xcalloc(several->n + 1, sizeof *names);
  for (size_t i = 0; i < several->n; i++)
    names[i] = cul_basename(several->jobs[i].output);
  return cul_outdir_open(out,
                         &(struct cul_outdir_conf){.dir = several->conf->dir,
                                                   .option = "--out-dir",
                                                   .names = names,
                                                   .stays = true},
                         err);
}

int cul_several_run(const struct cul_several_conf *conf, struct cul_err *err) {
  struct several several = {.conf = conf};
  struct cul_outdir *outdir = NULL;
  struct cul_err later = {0};
  int rc = cul_file_check_later(conf->dir, true, err);
  if (rc == 0)
    rc = cul_file_check_later(conf->json, false, err);
  if (rc < 0)
    return rc;
  several.out = cul_text_stream(conf->json, conf->quiet);
  list_jobs(&several);
  rc = check_outputs(&several, err);
  if (rc == 0)
    rc = open_outdir(&several, &outdir, err);
  if (rc == 0) {
    json_t *report;
    int written;
    work(&several);
    print_table(&several);
    rc = conclude(&several, err);
    report = report_of(&several);
    written = cul_write_json(conf->json, report, rc ? &later : err);
    rc = rc ? rc : written;
    json_decref(report);
  }
  cul_outdir_close(outdir);
  release(&several);
  return rc;
}
