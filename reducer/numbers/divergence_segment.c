/* The segment that is wrong by itself, with recorded inputs: see
 * divergence_segment.h. */
#include "divergence_segment.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"
#include "../engines/engine.h"
#include "../engines/program/trace_step.h"
#include "divergence_inner.h"

/* The most segments that are tried after the single operation. */
enum { MOST_TRIES = 10 };

void cul_segment_release(struct cul_divergence_segment *segment) {
  cul_buf_release(&segment->program);
  cul_buf_release(&segment->got);
  cul_buf_release(&segment->want);
  cul_tensors_release(&segment->want_tensors);
  *segment = (struct cul_divergence_segment){0};
}

static char *inputs_dir(const struct cul_divergence_job *job) {
  return cul_xasprintf("%s/recorded", job->target->dir);
}

static int write_npy(const struct cul_held *place, const char *dir,
                     const char *name, const struct cul_tensor *tensor,
                     struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/%s.npy", dir, name);
  CUL_OWNED(cul_buf) npy = {0};
  cul_tensor_write_npy(tensor, &npy);
  return cul_held_replace(place, path, cul_buf_bytes(&npy), 0666, err);
}

static int record_one(struct cul_divergence_job *job, const char *dir,
                      uint32_t number, struct cul_err *err) {
  const struct cul_held *place = &job->target->place.held;
  CUL_OWNED(cul_tensors) inside = {0};
  const struct cul_tensor *value;
  char name[24], file[32];
  snprintf(name, sizeof name, "%u", number);
  snprintf(file, sizeof file, "value%u", number);
  if ((number < job->n_values ? cul_divergence_want(job, &number, 1, err)
                              : cul_inner_value(job, number, &inside, err)) < 0)
    return err->code;
  value = number < job->n_values ? cul_tensors_find(&job->want, name)
                                 : &inside.items[0];
  return write_npy(place, dir, file, value, err);
}

/* Write the reference's value N into a file for each line "valueN". */
static int record(struct cul_divergence_job *job, const char *needs,
                  struct cul_err *err) {
  CUL_HEAP char *dir = inputs_dir(job);
  int rc = cul_held_ready(&job->target->place.held, dir, 0700, err);
  for (const char *at = needs; rc == 0 && *at; at += strcspn(at, "\n") + 1) {
    uint32_t number;
    if (sscanf(at, "value%u", &number) == 1)
      rc = record_one(job, dir, number, err);
  }
  return rc;
}

/* The engine's words for a segment. */
static void begin_words(const struct cul_divergence_job *job,
                        const struct cul_divergence_segment *s,
                        struct cul_divergence_words *out) {
  snprintf(out->range, sizeof out->range, "%u:%u", s->first, s->last);
  snprintf(out->op, sizeof out->op, "%u", job->inner.op);
  cul_divergence_add_word(out, "--keep");
  cul_divergence_add_word(out, out->range);
  if (!s->inside)
    return;
  cul_divergence_add_root(&job->inner, out);
  cul_divergence_add_word(out, "--inside");
  cul_divergence_add_word(out, out->op);
}

/* Append words, NULL terminated, to those of begin_words. */
static const char *const *add_words(struct cul_divergence_words *words,
                                    const char *const *more) {
  size_t n = words->n;
  while (*more)
    words->items[n++] = *more++;
  words->items[n] = NULL;
  return words->items;
}

static int make_segment(struct cul_divergence_job *job,
                        struct cul_divergence_segment *s, const char *to,
                        struct cul_err *err) {
  CUL_HEAP char *from = inputs_dir(job);
  const char *keep[] = {"--from", from, to ? "--to" : NULL, "@{out}", NULL};
  struct cul_divergence_words words = {.n = 0};
  CUL_OWNED(cul_buf) needs = {0};
  int rc;
  begin_words(job, s, &words);
  rc = cul_divergence_make(
      job, add_words(&words, (const char *const[]){"--needs", NULL}), NULL,
      &needs, err);
  if (rc == 0)
    rc = record(job, cul_buf_str(&needs), err);
  cul_buf_clear(&s->program);
  return rc ? rc
            : cul_divergence_make(job, add_words(&words, keep), to, &s->program,
                                  err);
}

int cul_segment_plain(struct cul_divergence_job *job,
                      const struct cul_divergence_segment *s,
                      struct cul_buf *out, struct cul_err *err) {
  CUL_HEAP char *from = inputs_dir(job);
  const char *keep[] = {"--from", from, "--plain", NULL};
  struct cul_divergence_words words = {.n = 0};
  begin_words(job, s, &words);
  return cul_divergence_make(job, add_words(&words, keep), NULL, out, err);
}

static bool judge(struct cul_divergence_job *job,
                  struct cul_divergence_segment *s, struct cul_tensors *got) {
  bool differs = false;
  for (size_t i = 0; i < got->n && !differs; i++) {
    const struct cul_tensor *want =
        cul_tensors_find(&s->want_tensors, got->items[i].name);
    if (!want)
      continue;
    cul_divergence_compare(job, &got->items[i], want, &s->worst);
    differs = s->worst.differs;
  }
  return differs;
}

/* Is the segment wrong by itself?  One that does not run is not. */
static int try_segment(struct cul_divergence_job *job,
                       struct cul_divergence_segment *s, bool *differs,
                       struct cul_err *err) {
  CUL_OWNED(cul_tensors) got = {0};
  int rc = make_segment(job, s, NULL, err);
  *differs = false;
  cul_buf_clear(&s->want);
  cul_buf_clear(&s->got);
  cul_tensors_release(&s->want_tensors);
  if (rc == 0)
    rc = cul_divergence_run(job, &s->program, CUL_ROLE_REFERENCE,
                            &s->want_tensors, &s->want, err);
  if (rc == 0)
    rc = cul_divergence_run(job, &s->program, CUL_ROLE_SUSPECT, &got, &s->got,
                            err);
  if (rc == 0)
    *differs = judge(job, s, &got);
  return rc == CUL_EUSAGE ? 0 : rc;
}

/* Try the operation alone, then with twice as many operations before it each
 * time; inside another operation, with all of them at once.  *right: the
 * earliest start that was tried and is not wrong. */
static int find_wrong(struct cul_divergence_job *job,
                      struct cul_divergence_segment *out, uint32_t *right,
                      bool *found, struct cul_err *err) {
  uint32_t width = 1;
  *right = out->last + 1;
  *found = false;
  for (int tries = 0;; tries++) {
    if (try_segment(job, out, found, err) < 0)
      return err->code;
    if (*found || out->first == 0 || tries == MOST_TRIES)
      return 0;
    *right = out->first;
    width *= 2;
    out->first = !out->inside && out->last >= width ? out->last - width : 0;
  }
}

/* Bisect for the latest start at which the segment is wrong.  It is wrong from
 * out->first on, and not from `right` on. */
static int shorten(struct cul_divergence_job *job,
                   struct cul_divergence_segment *out, uint32_t right,
                   struct cul_err *err) {
  uint32_t wrong = out->first;
  bool differs = true;
  while (right - wrong > 1) {
    out->first = wrong + (right - wrong) / 2;
    if (try_segment(job, out, &differs, err) < 0)
      return err->code;
    if (differs)
      wrong = out->first;
    else
      right = out->first;
  }
  if (out->first == wrong)
    return 0;
  out->first = wrong;
  return try_segment(job, out, &differs, err);
}

int cul_segment_find(struct cul_divergence_job *job, uint32_t last,
                     struct cul_divergence_segment *out, bool *found,
                     struct cul_err *err) {
  uint32_t right = 0;
  int rc = 0;
  *found = false;
  *out = (struct cul_divergence_segment){0};
  for (int inside = job->inner.entered;
       rc == 0 && !*found && inside >= job->inner.whole; inside--) {
    cul_segment_release(out);
    out->inside = inside;
    out->first = out->last = inside ? job->inner.at : last;
    rc = find_wrong(job, out, &right, found, err);
  }
  return rc == 0 && *found ? shorten(job, out, right, err) : rc;
}

/* ---- its files ---- */

static void add_passes(const char *passes, struct cul_buf *out) {
  if (!passes)
    return;
  cul_buf_adds(out, " |\n    \"$bin/mlir-opt\" --pass-pipeline=");
  cul_shell_quote(passes, out);
}

/* Append the work of the engine as a pipe of tools, which belong to the MLIR
 * that culprit was built with. */
static void add_tools(const char *passes, struct cul_buf *out) {
  cul_buf_adds(out, "  cat \"$repro\"");
  add_passes(passes, out);
  add_passes(CUL_BUFFERIZE, out);
  add_passes(CUL_LOWER, out);
  cul_buf_adds(out, " |\n    \"$bin/mlir-runner\" -O0 -e main "
                    "-entry-point-result=void -shared-libs=\"$libs\"\n");
}

static void add_role(const struct cul_divergence_job *job,
                     enum cul_run_role role, struct cul_buf *out) {
  const struct cul_target *target = job->target;
  const struct cul_target_conf *conf = &job->conf->target;
  const struct cul_command *command = role == CUL_ROLE_SUSPECT
                                          ? cul_target_command(target)
                                          : &target->roles.of[role].command;
  if (target->engine.argv && !conf->device) {
    add_tools(role == CUL_ROLE_SUSPECT ? conf->passes : conf->ref.passes, out);
    return;
  }
  cul_buf_adds(out, "  env");
  cul_shell_program(command->argv, NULL, out);
  if (command->delivery == CUL_BY_STDIN)
    cul_buf_adds(out, " <\"$repro\"");
  cul_buf_addc(out, '\n');
}

static void add_script(const struct cul_divergence_job *job,
                       struct cul_buf *out) {
  cul_buf_adds(out, "#!/bin/bash\n# Exits 0 if the command's numbers differ "
                    "from those of the reference,\n# want/printed.txt; "
                    "inputs/ are in repro.mlir.\n# ");
  cul_shell_comment(job->target->original.verdict.sig.title, out);
  cul_buf_addf(out,
               "\nset -o pipefail\n"
               "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
               "repro=$here/repro.mlir\n"
               "bin=${MLIR_BIN:-%s/bin}\nlib=${MLIR_LIB:-%s/lib}\n"
               "libs=$lib/libmlir_c_runner_utils.so,"
               "$lib/libmlir_runner_utils.so\n"
               "work=$(mktemp -d) || exit 2\ntrap 'rm -rf \"$work\"' EXIT\n"
               "suspect() {\n",
               CULPRIT_LLVM_PREFIX, CULPRIT_LLVM_PREFIX);
  add_role(job, CUL_ROLE_SUSPECT, out);
  cul_buf_adds(out, "}\nreference() {\n");
  add_role(job, CUL_ROLE_REFERENCE, out);
  cul_buf_adds(
      out, "}\nif [ \"$1\" = --reference ]; then\n"
           "  reference >\"$work/want\" || exit 2\n"
           "  cmp \"$work/want\" \"$here/want/printed.txt\"\n  exit\nfi\n"
           "suspect >\"$work/got\" || exit 2\n"
           "cmp -s \"$work/got\" \"$here/want/printed.txt\" && exit 1\n"
           "cmp -s \"$work/got\" \"$here/got/printed.txt\" ||\n"
           "  echo 'wrong, but not by the same bits as when it was recorded'\n"
           "diff \"$work/got\" \"$here/want/printed.txt\" | head -n 20\n"
           "exit 0\n");
}

static int put_tensors(const struct cul_divergence_job *job, const char *name,
                       const struct cul_tensors *tensors, struct cul_err *err) {
  CUL_HEAP char *dir = cul_xasprintf("%s/%s", job->conf->out, name);
  int rc = 0;
  for (size_t i = 0; i < tensors->n && rc == 0; i++) {
    CUL_HEAP char *file = cul_xasprintf("value%s", tensors->items[i].name);
    for (char *at = file; *at; at++) /* the name comes from a program's print */
      *at = *at == '/' ? '_' : *at;
    rc = write_npy(&job->out, dir, file, &tensors->items[i], err);
  }
  return rc;
}

static int put_inputs(struct cul_divergence_job *job,
                      const struct cul_divergence_segment *segment,
                      struct cul_err *err) {
  struct cul_divergence_segment again = {.inside = segment->inside,
                                         .first = segment->first,
                                         .last = segment->last};
  CUL_HEAP char *dir = cul_xasprintf("%s/inputs", job->conf->out);
  int rc = cul_held_ready(&job->out, dir, 0777, err);
  if (rc == 0)
    rc = make_segment(job, &again, dir, err);
  cul_segment_release(&again);
  return rc;
}

/* Run repro.sh as a user would. */
static int run_script(struct cul_divergence_job *job, bool *shows,
                      struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/repro.sh", job->conf->out);
  CUL_HEAP char *tmp =
      cul_xasprintf("%s/t%04d", job->target->dir, CUL_SLOT_OTHER);
  const char *argv[] = {"bash", path, NULL};
  struct cul_command command = {
      .argv = argv, .cwd = ".", .environment = job->target->tool.environment};
  struct cul_request request = {.role = "repro",
                                .cmd = &command,
                                .wall_ms = job->target->probe.request.wall_ms};
  struct cul_artefact none = {.dir = "", .file = "", .live_fd = -1};
  CUL_OWNED(cul_record) record = {0};
  int rc = cul_probe_wait(&job->target->probe, cul_runner_find("process"),
                          &none, &request, tmp, &record, err);
  job->runs[CUL_ROLE_SUSPECT]++;
  *shows = rc == 0 && record.end == CUL_EXITED && record.status == 0;
  return rc;
}

int cul_segment_write(struct cul_divergence_job *job,
                      const struct cul_divergence_segment *segment, bool *shows,
                      struct cul_err *err) {
  CUL_OWNED(cul_buf) script = {0};
  int rc = cul_divergence_put(job, "repro.mlir", &segment->program, 0666, err);
  add_script(job, &script);
  if (rc < 0 || cul_divergence_put(job, "repro.sh", &script, 0777, err) < 0 ||
      put_inputs(job, segment, err) < 0 ||
      put_tensors(job, "want", &segment->want_tensors, err) < 0 ||
      cul_divergence_put(job, "want/printed.txt", &segment->want, 0666, err) <
          0 ||
      cul_divergence_put(job, "got/printed.txt", &segment->got, 0666, err) < 0)
    return err->code;
  return run_script(job, shows, err);
}
