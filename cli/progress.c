/* Live progress: see progress.h. */
#include "progress.h"
#include "../base/status.h"

#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "../base/visible.h"
#include "../probe/target/findings.h"

static const uint64_t redraw_us = 100 * 1000;
static const uint64_t stall_us = 60 * 1000 * 1000;

void cul_progress_init(struct cul_progress *progress, FILE *out, bool quiet) {
  *progress = (struct cul_progress){
      .out = out, .quiet = quiet, .live = !quiet && isatty(fileno(out))};
  progress->moved_us = progress->rate_us = cul_now_us();
}

void cul_progress_end(struct cul_progress *progress) {
  cul_status_make_way();
  if (progress->live)
    fputs("\r\033[K", progress->out);
  fflush(progress->out);
}

/* Candidates per second over the last second or so. */
static void measure_rate(struct cul_progress *progress, uint64_t asked) {
  uint64_t now = cul_now_us(), span = now - progress->rate_us;
  if (span < 1000 * 1000)
    return;
  progress->rate = (double)(asked - progress->rate_asked) * 1e6 / (double)span;
  progress->rate_us = now;
  progress->rate_asked = asked;
}

static void draw(struct cul_progress *progress, const struct cul_reduce *job) {
  const struct cul_counts *counts = &job->target.probe.counts;
  uint64_t now = cul_now_us();
  if (!progress->live || now - progress->drawn_us < redraw_us ||
      job->phase == CUL_REDUCE_CLASSIFY) /* the status tells more */
    return;
  cul_status_make_way();
  progress->drawn_us = now;
  measure_rate(progress, counts->asked);
  fputs("\r\033[K", progress->out);
  cul_say(progress->out,
          "%-8s %llu %s  %llu run%s + %llu cached  "
          "%.0f candidates/s  %.0f s",
          cul_reduce_phase_name(job->phase),
          (unsigned long long)job->subject.space.best.ops,
          cul_form_unit(job->subject.form.form, job->subject.space.best.ops),
          (unsigned long long)counts->executed, cul_s(counts->executed),
          (unsigned long long)(counts->cached + counts->recalled),
          progress->rate, cul_reduce_seconds(job));
  fflush(progress->out);
}

/* A minute without a finished run: say what is being waited for. */
static void note_stall(struct cul_progress *progress,
                       const struct cul_reduce *job) {
  const struct cul_counts *counts = &job->target.probe.counts;
  uint64_t now = cul_now_us(), moved = counts->asked + counts->executed;
  if (moved != progress->executed) {
    progress->executed = moved;
    progress->moved_us = now;
    progress->stalled = false;
  }
  if (progress->stalled || now - progress->moved_us < stall_us)
    return;
  progress->stalled = true;
  cul_progress_end(progress);
  cul_say(progress->out,
          "no run has ended for a minute: the tool works on a candidate of "
          "phase %s (mutation %s); its deadline is %.0f s\n",
          cul_reduce_phase_name(job->phase),
          job->subject.n_mutations
              ? job->subject.statistics[job->subject.space.mutation].name
              : "none",
          (double)cul_probe_deadline_ms(&job->target.probe) / 1000);
}

/* A failure that always shows is classified in fewer runs. */
static void note_repeats(struct cul_progress *progress,
                         const struct cul_reduce *job) {
  /* A reference has runs of its own. */
  uint64_t usual = job->target.oracle_conf.mismatch.wanted ? 9 : 4;
  if (job->phase != CUL_REDUCE_CLASSIFY || progress->said_repeated ||
      progress->live || cul_target_whole(&job->target) ||
      job->target.probe.counts.executed <= usual)
    return;
  progress->said_repeated = true;
  cul_progress_end(progress);
  cul_say(progress->out,
          "note:      a run shows no failure: running it more often, in case "
          "it fails sometimes (--repeat 2: no more)\n");
  fflush(progress->out);
}

static void tick(void *self, const struct cul_reduce *job) {
  struct cul_progress *progress = self;
  if (progress->quiet)
    return;
  note_repeats(progress, job);
  note_stall(progress, job);
  draw(progress, job);
}

static void stepped(void *self, const struct cul_reduce *job) {
  struct cul_progress *progress = self;
  const struct cul_reduce_step *step = &job->log.steps[job->log.n_steps - 1];
  enum cul_form form = job->subject.form.form;
  if (progress->quiet)
    return;
  if (progress->live) {
    draw(progress, job);
    return;
  }
  cul_status_make_way();
  cul_say(progress->out, "%8.2f s  %6llu %-*s %8llu %-5s  %5llu %-4s  %s\n",
          step->t, (unsigned long long)step->size.ops,
          (int)strlen(cul_form_unit(form, 0)),
          cul_form_unit(form, step->size.ops),
          (unsigned long long)step->size.bytes,
          step->size.bytes == 1 ? "byte" : "bytes",
          (unsigned long long)step->executed,
          step->executed == 1 ? "run" : "runs", step->mutation);
  fflush(progress->out);
}

static void say_subject(struct cul_progress *progress,
                        const struct cul_reduce *job) {
  struct cul_bytes why =
      cul_form_refusal(&job->subject.form, job->conf->target.input);
  struct cul_buf advice = {0};
  cul_say(progress->out, "form:      %s%s, %llu %s, %llu byte%s\n",
          cul_form_name(job->subject.form.form),
          job->subject.form.located ? " with locations" : "",
          (unsigned long long)job->initial.ops,
          cul_form_unit(job->subject.form.form, job->initial.ops),
          (unsigned long long)job->initial.bytes, cul_s(job->initial.bytes));
  if (job->subject.form.form >= CUL_FORM_MLIR_TEXT &&
      !job->subject.form.unlike && why.len)
    cul_say(progress->out,
            cul_form_first(&job->conf->form, job->conf->target.input) ==
                    CUL_FORM_LLVM
                ? "note:      not edited as %.*s\n"
                : "note:      not parsed as MLIR (%.*s)\n",
            (int)why.len, why.data);
  if (job->subject.form.unlike)
    cul_say(progress->out, "note:      not edited as %s\n",
            job->subject.form.unlike);
  if (cul_form_advice(&job->subject.form, &job->conf->form, &advice))
    cul_say(progress->out, "note:      %s\n", cul_buf_str(&advice));
  cul_buf_release(&advice);
}

static void say_failure(struct cul_progress *progress,
                        const struct cul_reduce *job) {
  const struct cul_signature *sig = &job->target.original.verdict.sig;
  struct cul_buf text = {0};
  cul_report_preserved(&job->target, &text);
  if (sig->title[0])
    cul_say(progress->out, "failure:   %s\n", sig->title);
  if (job->target.found)
    cul_say(progress->out, "note:      %s\n", job->target.found);
  cul_say_text(progress->out, cul_buf_str(&text));
  cul_buf_clear(&text);
  cul_sandbox_describe_lacks(
      cul_environment_sandbox(job->target.tool.environment), &text);
  if (text.len)
    cul_say(progress->out, "sandbox:   %s\n", cul_buf_str(&text));
  cul_buf_release(&text);
}

/* The passes of the command have been looked through. */
static void say_pass(struct cul_progress *progress,
                     const struct cul_reduce *job) {
  const struct cul_pass_cut *cut = &job->pass;
  if (!cut->pass)
    return;
  cul_say(progress->out, "pass:      %s, of %zu, found in %llu run%s (%s)%s\n",
          cut->pass, cut->given, (unsigned long long)cut->runs,
          cul_s(cut->runs), cut->how,
          cut->text ? "; going on with the IR right before it" : "");
  if (cut->note)
    cul_say(progress->out, "note:      %s\n", cut->note);
}

/* Where wrong numbers begin. */
static void say_divergence(struct cul_progress *progress,
                           const struct cul_reduce *job) {
  const struct cul_divergent_part *part = &job->divergence;
  if (!part->operation || progress->said_divergence)
    return;
  progress->said_divergence = true;
  cul_say(progress->out, "wrong:     first in %s at %s, found in %u run%s%s\n",
          part->operation, part->location, part->runs, cul_s(part->runs),
          job->divergence_taken ? "; going on with it and what it takes" : "");
}

static void phase(void *self, const struct cul_reduce *job) {
  struct cul_progress *progress = self;
  if (progress->quiet)
    return;
  cul_progress_end(progress);
  if (job->phase == CUL_REDUCE_CLASSIFY) {
    if (job->target.note)
      cul_say(progress->out, "note:      %s\n", job->target.note);
    cul_say(progress->out, "running:   %s on %s\n",
            job->target.tool.command.argv[0], job->conf->target.input);
  } else if (job->phase == CUL_REDUCE_PASS) {
    say_failure(progress, job);
  } else if (job->phase == CUL_REDUCE_FORM) {
    if (!job->conf->reduce_command)
      say_failure(progress, job);
    say_pass(progress, job);
  } else if (job->phase == CUL_REDUCE_COMMAND || job->phase == CUL_REDUCE_CUT) {
    if (!progress->said_subject)
      say_subject(progress, job);
    progress->said_subject = true;
    say_divergence(progress, job);
  }
  fflush(progress->out);
}

struct cul_reduce_watcher cul_progress_watcher(struct cul_progress *progress) {
  return (struct cul_reduce_watcher){
      .self = progress, .phase = phase, .stepped = stepped, .tick = tick};
}
