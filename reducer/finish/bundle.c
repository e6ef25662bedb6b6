/* The bundle: see bundle.h. */
#include "bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/files/held.h"
#include "../../base/files/outputs.h"
#include "../../issue/issue.h"
#include "../../probe/outdir.h"
#include "../../probe/target/scripts.h"
#include "../results/seal.h"
#include "report.h"
#include "repro.h"

static int put(const struct cul_held *dir, const char *name, const char *data,
               size_t len, mode_t mode, struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/%s", dir->path, name);
  return cul_held_replace(dir, path, (struct cul_bytes){data, len}, mode, err);
}

static int put_buf(const struct cul_held *dir, const char *name,
                   const struct cul_buf *buf, struct cul_err *err) {
  return put(dir, name, buf->data, buf->len, 0666, err);
}

static int put_json(const struct cul_held *dir, const char *name, json_t *json,
                    struct cul_err *err) {
  CUL_HEAP char *text = cul_report_text(json);
  return put(dir, name, text, strlen(text), 0666, err);
}

static int put_leads(const struct cul_reduce *job, const struct cul_held *dir,
                     const char *ext, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < job->others.n && rc == 0; i++) {
    CUL_OWNED(cul_buf) text = {0};
    json_t *sig = cul_report_signature(&job->others.items[i].sig);
    CUL_HEAP char *name = cul_xasprintf("other-failures/%02zu%s", i + 1, ext);
    CUL_HEAP char *about = cul_xasprintf("other-failures/%02zu.json", i + 1);
    rc = cul_held_read(&job->target.place.held, job->others.items[i].file, 0,
                       &text, err);
    if (rc == 0)
      rc = put_buf(dir, name, &text, err);
    if (rc == 0)
      rc = put_json(dir, about, sig, err);
    json_decref(sig);
  }
  return rc;
}

static int put_environment(const struct cul_reduce *job,
                           const struct cul_held *dir, struct cul_err *err) {
  json_t *env = cul_bundle_environment(&job->target);
  int rc = put_json(dir, "env.json", env, err);
  json_decref(env);
  return rc;
}

static int put_repro(const struct cul_reduce *job, const struct cul_held *dir,
                     const char *ext, struct cul_err *err) {
  CUL_HEAP char *name = cul_xasprintf("repro%s", ext);
  CUL_HEAP char *passing = cul_xasprintf("passing%s", ext);
  if (put(dir, name, job->outcome.text.data, job->outcome.text.len,
          job->target.subject.executable ? 0777 : 0666, err) < 0 ||
      put(dir, "repro.sh", job->outcome.script.data, job->outcome.script.len,
          0777, err) < 0)
    return err->code;
  if (job->neighbours.nearest.text.len &&
      put_buf(dir, passing, &job->neighbours.nearest.text, err) < 0)
    return err->code;
  if (job->outcome.reproducer.len &&
      put_buf(dir, "reproducer.mlir", &job->outcome.reproducer, err) < 0)
    return err->code;
  return 0;
}

/* The text of the user's --script, which the bundle needs to reproduce. */
static int read_user_script(const struct cul_reduce *job, struct cul_buf *out,
                            struct cul_err *err) {
  const char *const *argv = job->target.tool.command.argv;
  const char *string;
  if (!job->target.script.contract)
    return 0;
  string = cul_contract_string(argv);
  if (!string)
    return cul_file_read(argv[0], 0, out, err);
  cul_buf_addf(out, "#!/bin/sh\n%s\n", string);
  return 0;
}

struct scripts {
  char **words;
  struct cul_buf *texts;   /* of each word */
  struct cul_bytes *bytes; /* the same */
  size_t n;
};

static void release_scripts(struct scripts *scripts) {
  for (size_t i = 0; i < scripts->n; i++)
    cul_buf_release(&scripts->texts[i]);
  free(scripts->texts);
  free(scripts->bytes);
  cul_scripts_free(scripts->words);
}

/* Copy the scripts that the commands run, and hold their texts. */
static int put_scripts(const struct cul_reduce *job, const struct cul_held *dir,
                       struct scripts *out, struct cul_err *err) {
  int rc = 0;
  out->words = cul_scripts_named(&job->target, NULL);
  while (out->words[out->n])
    out->n++;
  out->texts = cul_xcalloc(out->n + 1, sizeof *out->texts);
  out->bytes = cul_xcalloc(out->n + 1, sizeof *out->bytes);
  for (size_t i = 0; i < out->n && rc == 0; i++) {
    const char *word = out->words[i];
    CUL_HEAP char *name = cul_xasprintf("script-%s", cul_basename(word));
    rc = cul_file_read(word, 0, &out->texts[i], err);
    out->bytes[i] = cul_buf_bytes(&out->texts[i]);
    if (rc == 0)
      rc = put(dir, name, out->bytes[i].data, out->bytes[i].len,
               access(word, X_OK) == 0 ? 0777 : 0666, err);
  }
  return rc;
}

static int put_page(const struct cul_held *dir, const char *name,
                    const struct cul_issue *issue, enum cul_page_style style,
                    struct cul_err *err) {
  CUL_OWNED(cul_page) page = {0};
  cul_page_init(&page, style, 0);
  cul_issue_write(issue, &page);
  return put_buf(dir, name, &page.out, err);
}

/* report.md, report.html, and the scripts, which both pages show. */
static int put_pages(const struct cul_reduce *job, const struct cul_held *dir,
                     struct cul_err *err) {
  CUL_OWNED(cul_buf) script = {0};
  CUL_HEAP char *name = cul_issue_case_name(job->outcome.report);
  struct cul_issue issue = {.report = job->outcome.report,
                            .name = name,
                            .repro = cul_buf_bytes(&job->outcome.text),
                            .passing =
                                cul_buf_bytes(&job->neighbours.nearest.text)};
  struct scripts scripts = {0};
  int rc = read_user_script(job, &script, err);
  if (rc == 0)
    rc = put_scripts(job, dir, &scripts, err);
  issue.script = cul_buf_bytes(&script);
  issue.runs = scripts.bytes;
  issue.n_runs = scripts.n;
  if (rc == 0 && job->target.script.contract)
    rc = put(dir, "interesting", cul_buf_str(&script), script.len, 0777, err);
  if (rc == 0)
    rc = put_page(dir, "report.md", &issue, CUL_PAGE_GITHUB, err);
  if (rc == 0)
    rc = put_page(dir, "report.html", &issue, CUL_PAGE_HTML, err);
  if (scripts.words)
    release_scripts(&scripts);
  return rc;
}

static int put_input(const struct cul_held *dir,
                     const struct cul_output_file *file, struct cul_err *err) {
  CUL_HEAP char *name = cul_xasprintf("inputs/%s", file->name);
  return put(dir, name, file->bytes.data, file->bytes.len, 0666, err);
}

/* The directory of @{inputs} as inputs/, and the engine's own input values as
 * inputs.txt. */
static int put_inputs(const struct cul_reduce *job, const struct cul_held *dir,
                      struct cul_err *err) {
  const char *values = json_string_value(json_object_get(
      json_object_get(job->outcome.report, "inputs"), "values"));
  CUL_OWNED(cul_buf) files = {0};
  struct cul_output_file file;
  size_t at = 0;
  char *place = cul_xasprintf("%s/inputs", dir->path);
  int rc = job->target.inputs.dir ? cul_held_ready(dir, place, 0777, err) : 0;
  free(place);
  if (job->target.inputs.dir &&
      cul_outputs_collect(job->target.inputs.dir, &files))
    rc = cul_fail(err, CUL_EENV, "copy it into the bundle by hand",
                  "%s: a file is larger than 64 MiB, or cannot be read",
                  job->target.inputs.dir);
  if (rc == 0 && values && *values)
    rc = put(dir, "inputs.txt", values, strlen(values), 0666, err);
  while (rc == 0 && cul_outputs_next(cul_buf_bytes(&files), &at, &file))
    rc = put_input(dir, &file, err);
  return rc;
}

static int seal(const char *dir, const char *ext, struct cul_err *err) {
  CUL_HEAP char *repro = cul_xasprintf("repro%s", ext);
  return cul_seal_write(dir, repro, err);
}

int cul_bundle_write(struct cul_reduce *job, struct cul_err *err) {
  const char *ext = cul_repro_case_extension(job->conf->target.input);
  struct cul_held dir;
  int rc = cul_held_make(&dir, job->conf->bundle, 0777, err);
  if (rc < 0)
    return rc;
  cul_outdir_clear(job->conf->outdir);
  rc = put_repro(job, &dir, ext, err);
  if (rc == 0)
    rc = put_pages(job, &dir, err);
  if (rc == 0)
    rc = put_inputs(job, &dir, err);
  if (rc == 0)
    rc = put_leads(job, &dir, ext, err);
  if (rc == 0)
    rc = put_environment(job, &dir, err);
  if (rc == 0)
    rc = put_buf(&dir, "journal.jsonl", &job->log.journal, err);
  if (rc == 0)
    rc = put_json(&dir, "report.json", job->outcome.report, err);
  cul_held_close(&dir);
  if (rc == 0)
    rc = seal(job->conf->bundle, ext, err);
  job->output.bundled = rc == 0;
  return rc;
}
