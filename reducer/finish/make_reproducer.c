/* The result as a crash reproducer: module and pipeline in one file, for TOOL
 * --run-reproducer.  It is kept only if it fails the same. */
#include <stdlib.h>
#include <string.h>

#include "../../probe/target/pass_tool.h"
#include "../../systems/systems.h"
#include "../job/job.h"
#include "finish.h"

/* The text of the argument that contains the passes; empty if each pass is a
 * flag. */
static struct cul_bytes pipeline_text(const struct cul_passes *passes) {
  const struct cul_arguments *args = &passes->args;
  const struct cul_argument *item = &args->items[passes->ids[0]];
  const struct cul_word *word = &args->words[item->word];
  if (item->kind != CUL_ARG_ITEM)
    return (struct cul_bytes){0};
  return (struct cul_bytes){args->argv[word->arg] + word->value_from,
                            word->value_to - word->value_from};
}

/* Get the pipeline's text from a reproducer that the tool writes: passes given
 * as flags have none. */
static int ask_pipeline(struct cul_reduce *job, const struct cul_passes *passes,
                        struct cul_buf *out, struct cul_err *err) {
  CUL_OWNED(cul_buf) text = {0};
  struct cul_reproducer repro;
  int rc = cul_pass_tool_reproduce(
      &job->target, passes, cul_buf_bytes(&job->outcome.text), &text, err);
  if (rc == 0 && cul_reproducer_find(cul_buf_bytes(&text), &repro))
    cul_buf_add(out, repro.pipeline.data, repro.pipeline.len);
  return rc;
}

static void write_file(const struct cul_buf *module,
                       const struct cul_buf *pipeline, struct cul_buf *out) {
  cul_buf_add(out, module->data, module->len);
  cul_buf_addf(out,
               "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n"
               "      pipeline: \"%s\",\n      disable_threading: true,\n"
               "      verify_each: true\n    }\n  }\n#-}\n",
               cul_buf_str(pipeline));
}

/* The command with --run-reproducer in place of its passes. */
static char **command_of(const struct cul_passes *passes) {
  static const char *const less[] = {"pass-pipeline", NULL};
  static const char *const more[] = {"--run-reproducer", NULL};
  struct cul_pass_range none = {.less = less, .more = more};
  return cul_passes_argv(passes, &none);
}

static int confirm(struct cul_reduce *job, char **argv, struct cul_buf *file,
                   struct cul_err *err) {
  CUL_OWNED(cul_judged) judged = {0};
  int rc = cul_target_judge_under(&job->target, argv, cul_buf_bytes(file),
                                  &judged, err);
  if (rc == 0 && judged.verdict.answer == CUL_SAME) {
    job->outcome.reproducer = *file;
    job->outcome.reproducer_argv = argv;
    *file = (struct cul_buf){0};
    argv = NULL;
  }
  free(argv);
  return rc;
}

static int make(struct cul_reduce *job, const struct cul_passes *passes,
                struct cul_err *err) {
  struct cul_bytes text = pipeline_text(passes);
  CUL_OWNED(cul_buf) pipeline = {0}, file = {0};
  int rc = 0;
  if (text.len)
    cul_buf_add(&pipeline, text.data, text.len);
  else
    rc = ask_pipeline(job, passes, &pipeline, err);
  if (rc == 0 && pipeline.len && !memchr(pipeline.data, '"', pipeline.len)) {
    write_file(&job->outcome.text, &pipeline, &file);
    rc = confirm(job, command_of(passes), &file, err);
  }
  return rc;
}

static bool is_opt(const struct cul_identity *identity) {
  const struct cul_system_tool tool = {
      .program = identity->wrapper ? identity->wrapper : identity->program,
      .files = cul_buf_str(&identity->files),
      .program_dir = ""};
  return tool.program && cul_system_is_opt(&tool);
}

/* Does the subject already have a section of resources?  A parser accepts only
 * one. */
static bool has_section(const struct cul_buf *text) {
  return memmem(text->data, text->len, "{-#", 3) != NULL;
}

int cul_reduce_make_reproducer(struct cul_reduce *job, struct cul_err *err) {
  CUL_OWNED(cul_passes) passes = {0};
  CUL_OWNED(cul_buf) help = {0};
  int rc = 0;
  cul_buf_clear(&job->outcome.reproducer);
  free(job->outcome.reproducer_argv);
  job->outcome.reproducer_argv = NULL;
  if (!job->conf->bundle || job->target.script.contract ||
      !is_opt(&job->target.tool.identity) || has_section(&job->outcome.text))
    return 0;
  rc = cul_pass_tool_passes(&job->target, cul_buf_bytes(&job->outcome.text),
                            &help, &passes, err);
  if (rc == 0 && passes.n > 0 && passes.args.simple)
    rc = make(job, &passes, err);
  return rc;
}
