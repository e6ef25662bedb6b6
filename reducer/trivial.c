/* The smallest legal subjects, tried before any search: where one of them
 * shows the failure, the job is done; where a script accepts an empty file,
 * it does not test what the user means. */
#include <string.h>

#include "../base/file.h"
#include "../pipeline/reproducer.h"
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
static int accept(struct cul_reduce *job, const struct cul_buf *text,
                  struct cul_err *err) {
  struct cul_chosen_form parsed = {0};
  struct cul_bytes bytes = cul_buf_bytes(text);
  int rc = cul_form_identity(&job->target, job->form.form, false, bytes,
                             &parsed, err);
  job->origins_lost = true;
  if (rc == 0) {
    cul_edit_space_reopen(&job->space, parsed.shop, &parsed.digest);
    parsed.shop = NULL;
  }
  job->space.best.bytes = bytes.len;
  job->space.best.lines = count_lines(cul_buf_str(text));
  cul_chosen_form_release(&parsed);
  return rc ? rc
            : cul_file_write(job->conf->output, bytes.data, bytes.len, 0666,
                             err);
}

/* A subject of --run-reproducer without its pipeline runs nothing. */
static void add_section(const struct cul_reduce *job, struct cul_buf *text) {
  struct cul_reproducer repro;
  if (!cul_reproducer_find(cul_buf_bytes(&job->target.text), &repro))
    return;
  cul_buf_addc(text, '\n');
  cul_buf_add(text, repro.section.data, repro.section.len);
  cul_buf_addc(text, '\n');
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
    struct cul_buf text = {0};
    if (!applies(job, t))
      continue;
    cul_buf_adds(&text, t->text);
    add_section(job, &text);
    rc = cul_target_judge(&job->target, cul_buf_bytes(&text), false, &judged,
                          err);
    *done = rc == 0 && judged.verdict.answer == CUL_SAME;
    cul_judged_release(&judged);
    if (*done)
      rc = job->conf->target.script ? cul_target_fail_blind(err)
                                    : accept(job, &text, err);
    cul_buf_release(&text);
  }
  return rc;
}
