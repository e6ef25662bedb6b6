/* The smallest legal subjects, tried before any search: where one of them
 * shows the failure, the job is done; where a script accepts an empty file,
 * it does not test what the user means. */
#include <string.h>

#include "../base/file.h"
#include "reduce.h"

/* In the order they are tried; needs: only where the input holds this text
 * (another dialect would not be known to the tool). */
struct trivial {
  enum cul_form form;
  const char *needs, *text;
};

static const struct trivial trivials[] = {
    {CUL_FORM_NATIVE, NULL, "module {\n}\n"},
    {CUL_FORM_NATIVE, "func.func",
     "module {\n  func.func @f() {\n    return\n  }\n}\n"},
    {CUL_FORM_NATIVE, "gpu.func",
     "module {\n  gpu.module @m {\n    gpu.func @f() kernel {\n"
     "      gpu.return\n    }\n  }\n}\n"},
    {CUL_FORM_GENERIC, NULL, "\"builtin.module\"() ({\n}) : () -> ()\n"},
    {CUL_FORM_OPAQUE, NULL, "\"builtin.module\"() ({\n}) : () -> ()\n"},
    {CUL_FORM_OPAQUE, "func.func",
     "\"builtin.module\"() ({\n  \"func.func\"() <{function_type = () -> (), "
     "sym_name = \"f\"}> ({\n    \"func.return\"() : () -> ()\n  }) : () -> "
     "()\n}) : () -> ()\n"},
    {CUL_FORM_MLIR_TEXT, NULL, "module {\n}\n"},
    {CUL_FORM_MLIR_TEXT, "func.func",
     "module {\n  func.func @f() {\n    return\n  }\n}\n"},
    {CUL_FORM_MLIR_TEXT, "tt.func",
     "module {\n  tt.func @f() {\n    tt.return\n  }\n}\n"},
    {CUL_FORM_TEXT, NULL, "\n"},
};

static size_t count_lines(const char *text) {
  size_t n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* The trivial subject is the result. */
static int accept(struct cul_reduce *job, const char *text,
                  struct cul_err *err) {
  struct cul_chosen_form parsed = {0};
  struct cul_bytes bytes = {text, strlen(text)};
  int rc = cul_form_identity(&job->target, job->form.form, false, bytes,
                             &parsed, err);
  job->origins_lost = true;
  if (rc == 0)
    job->space.best = parsed.size;
  job->space.best.bytes = bytes.len;
  job->space.best.lines = count_lines(text);
  cul_chosen_form_release(&parsed);
  return rc ? rc
            : cul_file_write(job->conf->output, text, bytes.len, 0666, err);
}

static bool applies(const struct cul_reduce *job, const struct trivial *t) {
  return t->form == job->form.form &&
         (!t->needs || memmem(job->target.text.data, job->target.text.len,
                              t->needs, strlen(t->needs)));
}

int cul_reduce_try_trivial(struct cul_reduce *job, bool *done,
                           struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(trivials) && rc == 0 && !*done; i++) {
    const struct trivial *t = &trivials[i];
    struct cul_judged judged = {0};
    if (!applies(job, t))
      continue;
    rc = cul_target_judge(&job->target,
                          (struct cul_bytes){t->text, strlen(t->text)}, false,
                          &judged, err);
    *done = rc == 0 && judged.verdict.answer == CUL_SAME;
    cul_judged_release(&judged);
    if (*done && job->conf->target.script)
      return cul_target_fail_blind(err);
    if (*done)
      rc = accept(job, t->text, err);
  }
  return rc;
}
