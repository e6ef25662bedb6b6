/* Live progress: see progress.h. */
#include "progress.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/terminal/gauge.h"
#include "../../base/visible.h"
#include "../../pipeline/arguments.h"
#include "../../probe/target/findings.h"
#include "../../reducer/mutations/mutation.h"
#include "events.h"
#include "keys.h"

static const uint64_t redraw_us = 100 * 1000;
static const uint64_t second_us = 1000 * 1000;
static const uint64_t stall_us = 60 * 1000 * 1000;

/* ---- rate and remaining time ---- */

static uint64_t asked_by(const struct cul_reduce *job) {
  return job->target.probe.counts.asked;
}

static void take_sample(struct cul_progress *progress, uint64_t asked) {
  uint64_t now = cul_now_us();
  const struct cul_progress_sample *last = &progress->samples[progress->sample];
  if (last->us && now - last->us < 2 * second_us)
    return;
  progress->sample = (progress->sample + 1) % CUL_PROGRESS_SAMPLES;
  progress->samples[progress->sample] =
      (struct cul_progress_sample){now, asked};
}

/* Forget the samples after a pause: no candidates were asked in it. */
static void forget_samples(struct cul_progress *progress) {
  memset(progress->samples, 0, sizeof progress->samples);
}

/* Candidates per second since the sample `back` samples ago, or since the
 * oldest one if there are fewer; 0: too early to tell. */
static double rate_since(const struct cul_progress *progress, uint64_t asked,
                         size_t back) {
  const struct cul_progress_sample *from = NULL;
  uint64_t now = cul_now_us();
  for (size_t i = 0; i <= back; i++) {
    size_t at =
        (progress->sample + CUL_PROGRESS_SAMPLES - i) % CUL_PROGRESS_SAMPLES;
    if (progress->samples[at].us)
      from = &progress->samples[at];
  }
  return from && now > from->us
             ? (double)(asked - from->asked) * 1e6 / (double)(now - from->us)
             : 0;
}

/* The number of points that a mutation will ask: as many as in its last search
 * of this kind, or one per site that another kind of search left. False:
 * unknown. */
static bool points_of(const struct cul_statistics *known,
                      enum cul_fruitless kind, uint64_t *out) {
  bool same = known->searched & 1U << kind;
  *out = same ? known->points[kind] : known->left_some ? known->left : 0;
  return known->searched != 0;
}

static void add_outlook(const struct cul_reduce *job, uint32_t m,
                        enum cul_fruitless kind, struct cul_gauge_work *out) {
  const struct cul_statistics *known = &job->subject.statistics[m];
  uint64_t points;
  if (known->dead ||
      cul_digest_equal(&known->fruitless[kind], &job->subject.space.revision))
    return;
  out->turns++;
  if (points_of(known, kind, &points))
    out->points += points;
  else
    out->unknown++;
}

/* The work until the result is known to be minimal, if no candidate is accepted
 * any more: every mutation that has not failed on this revision. */
static struct cul_gauge_work look_out(const struct cul_reduce *job) {
  const struct cul_digest *revision = &job->subject.space.revision;
  struct cul_gauge_work out = {0};
  for (uint32_t m = 0; m < job->subject.n_mutations; m++) {
    const struct cul_statistics *known = &job->subject.statistics[m];
    if (known->phase == CUL_PHASE_GROW || known->flags & CUL_MUT_GROWS)
      out.grows |= !known->dead && !cul_digest_equal(&known->grown, revision);
    if (known->flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN) ||
        known->phase == CUL_PHASE_GROW)
      continue;
    if (known->flags & CUL_MUT_NUMBERS)
      add_outlook(job, m, CUL_FRUITLESS_NUMBERS, &out);
    add_outlook(job, m, CUL_FRUITLESS_MINIMAL, &out);
    if (job->phase < CUL_REDUCE_MINIMAL && known->phase == CUL_PHASE_DELTA)
      add_outlook(job, m, CUL_FRUITLESS_DELTA, &out);
  }
  return out;
}

/* Seconds until --max-time ends the job; 0: no limit. */
static double limit_s(const struct cul_reduce *job) {
  uint64_t now = cul_now_us();
  return job->end_us > now ? (double)(job->end_us - now) / 1e6 : 0;
}

/* Seconds to go; 0: unknown, also before the search and in a pause. */
static double guess(const struct cul_progress *progress,
                    const struct cul_reduce *job, bool *at_least) {
  uint64_t asked = asked_by(job);
  struct cul_gauge_work work;
  *at_least = false;
  if (job->phase < CUL_REDUCE_CUT || job->phase > CUL_REDUCE_MINIMAL ||
      progress->wishes.paused)
    return 0;
  work = look_out(job);
  work.seconds = cul_reduce_seconds(job) - (double)job->pauses.us / 1e6;
  work.rate = rate_since(progress, asked, CUL_PROGRESS_SAMPLES - 1);
  work.done = asked - progress->entered;
  work.since_step = asked - progress->stepped;
  work.more_phases = job->phase < CUL_REDUCE_MINIMAL;
  work.limit_s = limit_s(job);
  return cul_gauge_time_left(&work, at_least);
}

/* ---- the line ---- */

static const char *words_of(enum cul_reduce_phase phase) {
  static const char *const words[] = {
      "learning the failure", "finding the pass",     "choosing a form",
      "shortening command",   "cutting large parts",  "removing parts",
      "trying single edits",  "confirming the result"};
  return words[phase];
}

static bool is_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
    const char *value = getenv(names[i]);
    if (value && *value)
      return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
  }
  return false;
}

static bool is_searching(const struct cul_reduce *job) {
  return job->subject.open && job->phase >= CUL_REDUCE_COMMAND &&
         job->phase <= CUL_REDUCE_MINIMAL;
}

static struct cul_gauge gauge_of(const struct cul_progress *progress,
                                 const struct cul_reduce *job) {
  const struct cul_probe *probe = &job->target.probe;
  struct cul_gauge gauge = {
      .doing = words_of(job->phase),
      .unit = cul_form_unit(job->subject.form.form,
                            job->subject.space.best.size.ops),
      .left = job->subject.space.best.size.ops,
      .of = job->subject.reread.on ? job->subject.reread.size.ops
                                   : job->initial.ops,
      .bytes = job->subject.space.best.size.bytes,
      .runs = probe->counts.executed,
      .cached = probe->counts.cached + probe->counts.recalled,
      .rate = rate_since(progress, probe->counts.asked, 1),
      .busy = (unsigned)probe->running,
      .workers = (unsigned)probe->workers,
      .seconds = cul_reduce_seconds(job),
      .blocks = progress->blocks};
  if (is_searching(job))
    gauge.by = job->subject.statistics[job->subject.space.mutation].name;
  if (progress->wishes.paused) {
    gauge.doing = probe->running ? "pausing" : "paused";
    gauge.by = "p: go on";
  }
  gauge.eta_s = guess(progress, job, &gauge.at_least);
  return gauge;
}

static void print_line(const struct cul_progress *progress,
                       const struct cul_gauge_line *line) {
  const char *text = line->text.data;
  FILE *out = progress->out;
  fputs("\r\033[K", out);
  if (!progress->colour) {
    cul_say_text(out, text);
    return;
  }
  fputs("\033[1m", out);
  cul_say(out, "%.*s", (int)line->head, text);
  fputs("\033[0m", out);
  cul_say(out, "%.*s", (int)(line->bar - line->head), text + line->head);
  fputs("\033[36m", out);
  cul_say(out, "%.*s", (int)(line->full - line->bar), text + line->bar);
  fputs("\033[0;2m", out);
  cul_say(out, "%.*s", (int)(line->bar_end - line->full), text + line->full);
  fputs("\033[0m", out);
  cul_say_text(out, text + line->bar_end);
}

/* Is culprit in the background? Then the line is not drawn. */
static bool is_hidden(const struct cul_progress *progress) {
  pid_t group = tcgetpgrp(fileno(progress->out));
  return group > 0 && group != getpgrp();
}

static void draw(struct cul_progress *progress, const struct cul_reduce *job) {
  struct cul_gauge_line line = {0};
  struct cul_gauge gauge;
  uint64_t now = cul_now_us();
  if (!progress->live || now - progress->drawn_us < redraw_us ||
      job->phase == CUL_REDUCE_CLASSIFY || /* the status line shows more */
      !job->subject.open || is_hidden(progress))
    return;
  cul_status_make_way();
  progress->drawn_us = now;
  gauge = gauge_of(progress, job);
  cul_gauge_line(&gauge, cul_columns(fileno(progress->out)), &line);
  print_line(progress, &line);
  fflush(progress->out);
  cul_buf_release(&line.text);
}

static void wipe(struct cul_progress *progress) {
  cul_status_make_way();
  if (progress->live)
    fputs("\r\033[K", progress->out);
  fflush(progress->out);
}

void cul_progress_end(struct cul_progress *progress) {
  cul_keys_end();
  if (!progress->quiet)
    wipe(progress);
}

/* ---- for programs ---- */

static json_t *eta_of(const struct cul_gauge *gauge) {
  return gauge->eta_s > 0 ? json_pack("{s:f, s:b}", "seconds", gauge->eta_s,
                                      "at_least", gauge->at_least)
                          : json_null();
}

static void tell(struct cul_progress *progress, const struct cul_reduce *job) {
  uint64_t now = cul_now_us();
  struct cul_gauge gauge;
  if (!progress->events || !job->subject.open ||
      now - progress->drawn_us < second_us)
    return;
  cul_status_make_way();
  progress->drawn_us = now;
  gauge = gauge_of(progress, job);
  cul_event(json_pack(
      "{s:s, s:f, s:s, s:o, s:I, s:I, s:s, s:I, s:I, s:I, s:I, s:f, s:i, s:i, "
      "s:o}",
      "event", "progress", "t", gauge.seconds, "phase",
      cul_reduce_phase_name(job->phase), "mutation",
      gauge.by ? cul_report_string(gauge.by) : json_null(), "ops",
      (json_int_t)gauge.left, "initial_ops", (json_int_t)gauge.of, "unit",
      gauge.unit, "bytes", (json_int_t)gauge.bytes, "runs",
      (json_int_t)gauge.runs, "cached", (json_int_t)gauge.cached, "candidates",
      (json_int_t)asked_by(job), "per_second", gauge.rate, "running",
      (int)gauge.busy, "workers", (int)gauge.workers, "eta", eta_of(&gauge)));
}

static void tell_step(const struct cul_reduce_step *step) {
  cul_event(json_pack(
      "{s:s, s:f, s:s, s:I, s:I, s:I}", "event", "step", "t", step->t,
      "mutation", step->mutation, "ops", (json_int_t)step->size.ops, "bytes",
      (json_int_t)step->size.bytes, "runs", (json_int_t)step->executed));
}

/* ---- keys ---- */

static void show_best(struct cul_progress *progress,
                      const struct cul_reduce *job) {
  enum { MOST_LINES = 30 };
  struct cul_buf text = {0}, *best = &text;
  size_t columns = cul_columns(fileno(progress->out)), lines = 0, more = 0;
  if (!job->subject.open) {
    cul_say_text(progress->out, "best:      the input, so far\n");
    return;
  }
  cul_say(
      progress->out, "best:      %llu %s, %llu byte%s: %s\n",
      (unsigned long long)job->subject.space.best.size.ops,
      cul_form_unit(job->subject.form.form, job->subject.space.best.size.ops),
      (unsigned long long)job->subject.space.best.size.bytes,
      cul_s(job->subject.space.best.size.bytes), job->conf->output);
  cul_pieces_copy(&job->output.written, best);
  for (size_t at = 0, n; at < best->len; at += n + 1) {
    const char *end = memchr(best->data + at, '\n', best->len - at);
    n = end ? (size_t)(end - best->data) - at : best->len - at;
    if (++lines > MOST_LINES)
      more++;
    else
      cul_say(progress->out, "%.*s%s\n", (int)(n < columns ? n : columns - 4),
              best->data + at, n < columns ? "" : "...");
  }
  if (more)
    cul_say(progress->out, "... and %zu more line%s\n", more, cul_s(more));
  cul_buf_release(best);
}

static void wish_skip(struct cul_progress *progress,
                      const struct cul_reduce *job) {
  uint32_t mutation = job->subject.space.mutation;
  if (!is_searching(job)) {
    cul_say(progress->out, "skip:      there is no mutation to skip while %s\n",
            words_of(job->phase));
    return;
  }
  progress->wishes.skip = mutation + 1;
}

static void toggle_pause(struct cul_progress *progress,
                         const struct cul_reduce *job) {
  progress->wishes.paused = !progress->wishes.paused;
  forget_samples(progress);
  if (progress->wishes.paused)
    cul_say(
        progress->out,
        "pause:     no new candidate starts%s; p resumes, and --max-time does "
        "not count the pause\n",
        is_searching(job) ? "" : " once the search begins");
}

static void print_keys(const struct cul_progress *progress) {
  cul_say_text(progress->out, "keys:      s skip this mutation, b show the "
                              "best, p pause, q stop with the best\n");
}

static void obey(struct cul_progress *progress, const struct cul_reduce *job,
                 int key) {
  if (!strchr("sbpq?h", key))
    return;
  wipe(progress);
  if (key == 's')
    wish_skip(progress, job);
  else if (key == 'b')
    show_best(progress, job);
  else if (key == 'p')
    toggle_pause(progress, job);
  else if (key == 'q')
    raise(SIGINT); /* the same as Ctrl-C */
  else
    print_keys(progress);
  fflush(progress->out);
  progress->drawn_us = 0;
}

static void take_keys(struct cul_progress *progress,
                      const struct cul_reduce *job) {
  int key;
  while (progress->live && (key = cul_keys_read()))
    obey(progress, job, key);
}

/* ---- messages ---- */

/* After a minute without a finished run, report what is running. */
static void note_stall(struct cul_progress *progress,
                       const struct cul_reduce *job) {
  const struct cul_counts *counts = &job->target.probe.counts;
  uint64_t now = cul_now_us(), moved = counts->asked + cul_counts_ended(counts);
  if (moved != progress->executed) {
    progress->executed = moved;
    progress->moved_us = now;
    progress->stalled = false;
  }
  if (progress->wishes.paused)
    progress->moved_us = now;
  if (progress->stalled || now - progress->moved_us < stall_us)
    return;
  progress->stalled = true;
  wipe(progress);
  cul_say(progress->out,
          "no run has ended for a minute (phase %s, mutation %s); the deadline "
          "of a run is %.0f s, less what other processes take\n",
          cul_reduce_phase_name(job->phase),
          job->subject.n_mutations
              ? job->subject.statistics[job->subject.space.mutation].name
              : "none",
          (double)cul_probe_deadline_ms(&job->target.probe, CUL_ROLE_SUSPECT) /
              1000);
}

/* Report that a run does not fail: a failure that always shows needs fewer runs
 * to classify. */
static void note_repeats(struct cul_progress *progress,
                         const struct cul_reduce *job) {
  /* The runs of a reference count too. */
  uint64_t usual = job->target.oracle_conf.mismatch.wanted ? 9 : 4;
  if (job->phase != CUL_REDUCE_CLASSIFY || progress->said_repeated ||
      progress->live || cul_target_whole(&job->target) ||
      job->target.probe.counts.executed <= usual)
    return;
  progress->said_repeated = true;
  wipe(progress);
  cul_say(progress->out,
          "note:      a run shows no failure: repeating it, in case the "
          "failure is flaky (--repeat 2 limits this)\n");
  fflush(progress->out);
}

static void note_mutation(struct cul_progress *progress,
                          const struct cul_reduce *job) {
  if (progress->mutation == job->subject.space.mutation)
    return;
  progress->mutation = job->subject.space.mutation;
  progress->entered = asked_by(job);
}

static void tick(void *self, const struct cul_reduce *job) {
  struct cul_progress *progress = self;
  if (!progress->wishes.paused)
    take_sample(progress, asked_by(job));
  note_mutation(progress, job);
  tell(progress, job);
  if (progress->quiet)
    return;
  take_keys(progress, job);
  note_repeats(progress, job);
  note_stall(progress, job);
  draw(progress, job);
}

/* The subject goes on in another form: the first step in it. */
static void note_form(struct cul_progress *progress,
                      const struct cul_reduce *job) {
  const struct cul_size *size = &job->subject.space.best.size;
  enum cul_form form = job->subject.form.form;
  bool changed = progress->form != (int)form && job->subject.reread.on;
  progress->form = (int)form;
  if (changed && progress->events)
    cul_event(json_pack("{s:s, s:f, s:s, s:s, s:I, s:I}", "event", "form", "t",
                        cul_reduce_seconds(job), "form", cul_form_name(form),
                        "unit", cul_form_unit(form, 2), "ops",
                        (json_int_t)size->ops, "bytes",
                        (json_int_t)size->bytes));
  if (!changed || progress->quiet)
    return;
  wipe(progress);
  cul_say(progress->out, "form:      %s from here on, %llu %s, %llu byte%s\n",
          cul_form_name(form), (unsigned long long)size->ops,
          cul_form_unit(form, size->ops), (unsigned long long)size->bytes,
          cul_s(size->bytes));
}

/* The other form was left again. */
static void say_left(struct cul_progress *progress,
                     const struct cul_reduce *job) {
  const struct cul_reduce_reread *reread = &job->subject.reread;
  if (reread->n_mutations == 0 || reread->kept || progress->said_left)
    return;
  progress->said_left = true;
  cul_say(progress->out,
          "note:      edited as %s too: nothing smaller was found\n",
          cul_form_name(reread->as));
}

static void stepped(void *self, const struct cul_reduce *job) {
  struct cul_progress *progress = self;
  const struct cul_reduce_step *step = &job->log.steps[job->log.n_steps - 1];
  enum cul_form form = job->subject.form.form;
  progress->stepped = asked_by(job);
  note_form(progress, job);
  if (progress->events)
    tell_step(step);
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
            cul_form_first(&job->conf->form, job->conf->target.input,
                           (struct cul_bytes){NULL, 0}) == CUL_FORM_LLVM
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

/* Report the pass that was found in the command. */
static void say_pass(struct cul_progress *progress,
                     const struct cul_reduce *job) {
  const struct cul_pass_cut *cut = &job->pass;
  if (!cut->pass)
    return;
  cul_say(progress->out, "pass:      %s, of %zu, found in %llu run%s (%s)%s\n",
          cut->pass, cut->given, (unsigned long long)cut->runs,
          cul_s(cut->runs), cut->how,
          cut->text ? "; continuing with the IR before it" : "");
  if (cut->note)
    cul_say(progress->out, "note:      %s\n", cut->note);
}

/* Report where wrong numbers begin. */
static void say_divergence(struct cul_progress *progress,
                           const struct cul_reduce *job) {
  const struct cul_divergent_part *part = &job->divergence;
  if (!part->operation || progress->said_divergence)
    return;
  progress->said_divergence = true;
  cul_say(progress->out, "wrong:     first in %s at %s, found in %u run%s%s\n",
          part->operation, part->location, part->runs, cul_s(part->runs),
          job->divergence_taken ? "; continuing with it and its inputs" : "");
}

/* Report whether culprit's engine or the command runs the candidates, if the
 * engine is a choice. */
static void say_engine(struct cul_progress *progress,
                       const struct cul_reduce *job) {
  const struct cul_target *target = &job->target;
  if (progress->said_engine ||
      (!target->probe.service.inside.on && !target->inside.why))
    return;
  progress->said_engine = true;
  if (target->probe.service.inside.on)
    cul_say(progress->out, "engine:    in-process, which shows the same as the "
                           "command; the result is confirmed by the command\n");
  else
    cul_say(progress->out, "engine:    the command: %s\n", target->inside.why);
}

static void phase(void *self, const struct cul_reduce *job) {
  struct cul_progress *progress = self;
  if (progress->events)
    cul_event(json_pack("{s:s, s:f, s:s, s:s}", "event", "phase", "t",
                        cul_reduce_seconds(job), "phase",
                        cul_reduce_phase_name(job->phase), "words",
                        words_of(job->phase)));
  if (progress->quiet)
    return;
  wipe(progress);
  if (job->phase == CUL_REDUCE_CLASSIFY) {
    if (job->target.note)
      cul_say(progress->out, "note:      %s\n", job->target.note);
    cul_say(progress->out, "running:   %s on %s\n",
            cul_arguments_program(job->target.tool.command.argv),
            job->conf->target.input);
  } else if (job->phase == CUL_REDUCE_PASS) {
    say_failure(progress, job);
  } else if (job->phase == CUL_REDUCE_FORM) {
    if (!job->conf->reduce_command)
      say_failure(progress, job);
    say_pass(progress, job);
  } else if (job->phase == CUL_REDUCE_COMMAND || job->phase == CUL_REDUCE_CUT) {
    if (!progress->said_subject) {
      say_subject(progress, job);
      if (progress->live && isatty(STDIN_FILENO))
        print_keys(progress);
    }
    progress->said_subject = true;
    say_divergence(progress, job);
    say_engine(progress, job);
  } else if (job->phase == CUL_REDUCE_FINISH) {
    say_left(progress, job);
  }
  fflush(progress->out);
}

static void skipped(void *self, const struct cul_reduce *job,
                    uint32_t mutation) {
  struct cul_progress *progress = self;
  const char *name = job->subject.statistics[mutation].name;
  if (progress->events)
    cul_event(json_pack("{s:s, s:f, s:s}", "event", "skipped", "t",
                        cul_reduce_seconds(job), "mutation", name));
  if (progress->quiet)
    return;
  wipe(progress);
  cul_say(progress->out,
          "skipped:   %s, until another mutation makes the subject smaller\n",
          name);
  fflush(progress->out);
}

struct cul_reduce_watcher cul_progress_begin(struct cul_progress *progress,
                                             FILE *out, bool quiet,
                                             enum cul_display display) {
  bool words =
      !quiet && display != CUL_DISPLAY_JSON && display != CUL_DISPLAY_NOTHING;
  *progress = (struct cul_progress){
      .out = out,
      .quiet = !words,
      .live = words && cul_is_live(out, display),
      .events = display == CUL_DISPLAY_JSON,
      .blocks = is_utf8(),
      .colour = cul_has_colour(out),
      .mutation = UINT32_MAX,
      .form = CUL_N_FORMS,
      .moved_us = cul_now_us(),
  };
  return (struct cul_reduce_watcher){.self = progress,
                                     .phase = phase,
                                     .stepped = stepped,
                                     .tick = tick,
                                     .skipped = skipped};
}
