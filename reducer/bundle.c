/* The bundle: see bundle.h. */
#include "bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "../base/outputs.h"
#include "report.h"
#include "repro.h"
#include "seal.h"

static int put(const char *dir, const char *name, const char *data, size_t len,
               mode_t mode, struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", dir, name);
  int rc = cul_file_write(path, data, len, mode, err);
  free(path);
  return rc;
}

static int put_buf(const char *dir, const char *name, const struct cul_buf *buf,
                   struct cul_err *err) {
  return put(dir, name, buf->data, buf->len, 0644, err);
}

static int put_json(const char *dir, const char *name, json_t *json,
                    struct cul_err *err) {
  char *text = cul_report_text(json);
  int rc = put(dir, name, text, strlen(text), 0644, err);
  free(text);
  return rc;
}

static int put_leads(const struct cul_reduce *job, const char *ext,
                     struct cul_err *err) {
  char *dir = cul_xasprintf("%s/leads", job->conf->bundle);
  int rc = job->n_leads ? cul_mkdirs(dir, err) : 0;
  for (size_t i = 0; i < job->n_leads && rc == 0; i++) {
    struct cul_buf text = {0};
    json_t *sig = cul_report_signature(&job->leads[i].sig);
    char *name = cul_xasprintf("%02zu%s", i + 1, ext);
    char *about = cul_xasprintf("%02zu.json", i + 1);
    rc = cul_file_read(job->leads[i].file, 0, &text, err);
    if (rc == 0)
      rc = put_buf(dir, name, &text, err);
    if (rc == 0)
      rc = put_json(dir, about, sig, err);
    json_decref(sig);
    cul_buf_release(&text);
    free(name);
    free(about);
  }
  free(dir);
  return rc;
}

static bool drop(const char *dir, const char *name) {
  char *path = cul_xasprintf("%s/%s", dir, name);
  bool done = unlink(path) == 0;
  free(path);
  return done;
}

/* What an earlier job put into this bundle and this one has none of. */
static void drop_old(const struct cul_reduce *job, const char *ext) {
  const char *dir = job->conf->bundle;
  char *passing = cul_xasprintf("passing%s", ext);
  char *report = cul_xasprintf("%s/report.json", dir);
  bool more = access(report, F_OK) == 0;
  if (more) {
    (void)drop(dir, passing);
    (void)drop(dir, "reproducer.mlir");
  }
  for (size_t i = job->n_leads + 1; more; i++) {
    char *name = cul_xasprintf("leads/%02zu%s", i, ext);
    char *about = cul_xasprintf("leads/%02zu.json", i);
    more = drop(dir, name);
    more |= drop(dir, about);
    free(name);
    free(about);
  }
  free(passing);
  free(report);
}

static int put_environment(const struct cul_reduce *job, struct cul_err *err) {
  json_t *env = cul_bundle_environment(&job->target);
  int rc = put_json(job->conf->bundle, "env.json", env, err);
  json_decref(env);
  return rc;
}

static int put_repro(const struct cul_reduce *job, const char *ext,
                     struct cul_err *err) {
  const char *dir = job->conf->bundle;
  char *name = cul_xasprintf("repro%s", ext);
  char *passing = cul_xasprintf("passing%s", ext);
  int rc = put(dir, name, job->text.data, job->text.len,
               job->target.executable ? 0755 : 0644, err);
  if (rc == 0)
    rc = put(dir, "repro.sh", job->script.data, job->script.len, 0755, err);
  if (rc == 0)
    rc = put_buf(dir, "report.md", &job->page, err);
  if (rc == 0 && job->passing.len)
    rc = put_buf(dir, passing, &job->passing, err);
  if (rc == 0 && job->reproducer.len)
    rc = put_buf(dir, "reproducer.mlir", &job->reproducer, err);
  free(name);
  free(passing);
  return rc;
}

/* A script is part of what reproduces. */
static int put_user_script(const struct cul_reduce *job, struct cul_err *err) {
  const char *const *argv = job->target.command.argv;
  const char *string;
  struct cul_buf text = {0};
  int rc = 0;
  if (!job->target.contract)
    return 0;
  string = cul_contract_string(argv);
  if (string)
    cul_buf_addf(&text, "#!/bin/sh\n%s\n", string);
  else
    rc = cul_file_read(argv[0], 0, &text, err);
  if (rc == 0)
    rc = put(job->conf->bundle, "interesting", text.data, text.len, 0755, err);
  cul_buf_release(&text);
  return rc;
}

/* What @{inputs} names goes along, and what the engine made itself. */
static int put_inputs(const struct cul_reduce *job, struct cul_err *err) {
  const char *values = json_string_value(
      json_object_get(json_object_get(job->report, "inputs"), "values"));
  struct cul_buf files = {0};
  struct cul_output_file file;
  size_t at = 0;
  char *dir = cul_xasprintf("%s/inputs", job->conf->bundle);
  int rc = 0;
  if (job->target.inputs)
    rc = cul_mkdirs(dir, err);
  if (job->target.inputs && cul_outputs_collect(job->target.inputs, &files))
    rc = cul_fail(err, CUL_EENV, "copy it into the bundle by hand",
                  "%s: a file is larger than 64 MiB, or cannot be read",
                  job->target.inputs);
  if (rc == 0 && values && *values)
    rc =
        put(job->conf->bundle, "inputs.txt", values, strlen(values), 0666, err);
  while (rc == 0 && cul_outputs_next(cul_buf_bytes(&files), &at, &file))
    rc = put(dir, file.name, file.bytes.data, file.bytes.len, 0666, err);
  cul_buf_release(&files);
  free(dir);
  return rc;
}

static int seal(const char *dir, const char *ext, struct cul_err *err) {
  char *repro = cul_xasprintf("repro%s", ext);
  int rc = cul_seal_write(dir, repro, err);
  free(repro);
  return rc;
}

int cul_bundle_write(struct cul_reduce *job, struct cul_err *err) {
  const char *dir = job->conf->bundle;
  const char *ext = cul_repro_extension(job);
  int rc = cul_mkdirs(dir, err);
  if (rc == 0)
    drop_old(job, ext);
  if (rc == 0)
    rc = put_repro(job, ext, err);
  if (rc == 0)
    rc = put_user_script(job, err);
  if (rc == 0)
    rc = put_inputs(job, err);
  if (rc == 0)
    rc = put_leads(job, ext, err);
  if (rc == 0)
    rc = put_environment(job, err);
  if (rc == 0)
    rc = put_buf(dir, "journal.jsonl", &job->journal, err);
  if (rc == 0)
    rc = put_json(dir, "report.json", job->report, err);
  if (rc == 0)
    rc = seal(dir, ext, err);
  return rc;
}
