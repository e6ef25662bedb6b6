/* The log of a reduce job: see watch.h. */
#include "watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/page/diff.h"
#include "../../base/visible.h"
#include "../../probe/target/findings.h"
#include "../mutations/mutation.h"
#include "journal.h"
#include "neighbour.h"

static void journal_line(struct cul_reduce *job, json_t *entry, bool often) {
  cul_journal_add(&job->log.journal, entry, often, &job->log.journal_cut);
}

/* ---- steps ---- */

enum {
  MOST_TEXT = 1 << 20,  /* bytes of the texts that are compared */
  MOST_KEPT = 4 << 10,  /* bytes kept of one difference */
  MOST_ALL = 512 << 10, /* bytes kept of all differences */
  MOST_LINE = 240,      /* bytes kept of a line */
};

/* The change of the text in one step, by lines. */
struct change {
  struct cul_buf text;        /* the first lines of the difference */
  size_t removed, added, cut; /* lines; cut: those missing in text */
};

/* Move a cut to the start of its code point. */
static size_t cut_at(const char *line, size_t n) {
  while (n > 0 && ((unsigned char)line[n] & 0xc0) == 0x80)
    n--;
  return n;
}

static void take_line(struct change *change, const char *line, size_t n,
                      size_t room) {
  bool is_long = n > MOST_LINE;
  size_t shown = is_long ? cut_at(line, MOST_LINE) : n;
  change->removed += *line == '-';
  change->added += *line == '+';
  if (change->cut || change->text.len + shown + strlen("...\n") > room) {
    change->cut++;
    return;
  }
  cul_buf_add(&change->text, line, shown);
  cul_buf_adds(&change->text, is_long ? "...\n" : "\n");
}

/* Keep the text of a step for the comparison with the next one. */
static void remember(struct cul_reduce *job, const struct cul_pieces *text) {
  cul_buf_clear(&job->log.last);
  job->log.is_large = cul_pieces_len(text) > MOST_TEXT;
  if (!job->log.is_large)
    cul_pieces_copy(text, &job->log.last);
}

/* Compare the texts; false: one is too large, or contains NUL bytes. */
static bool find_change(const struct cul_reduce_log *log,
                        struct cul_pieces *text, size_t room,
                        struct change *out) {
  const struct cul_buf *before = &log->last, *now = &text->own;
  CUL_OWNED(cul_buf) diff = {0};
  if (log->is_large || cul_pieces_len(text) > MOST_TEXT)
    return false;
  cul_pieces_flatten(text);
  if (strlen(cul_buf_str(before)) != before->len ||
      strlen(cul_buf_str(now)) != now->len)
    return false;
  cul_diff(cul_buf_str(before), cul_buf_str(now), &diff);
  for (const char *at = cul_buf_str(&diff); *at;) {
    size_t n = strcspn(at, "\n");
    take_line(out, at, n, room);
    at += n + (at[n] == '\n');
  }
  return true;
}

static json_t *change_json(struct cul_reduce *job) {
  size_t left = MOST_ALL - job->log.kept;
  struct change change = {.cut = 0};
  json_t *out = NULL;
  if (find_change(&job->log, &job->output.written,
                  left < MOST_KEPT ? left : MOST_KEPT, &change))
    out = json_pack("{s:I, s:I, s:I, s:o}", "removed",
                    (json_int_t)change.removed, "added",
                    (json_int_t)change.added, "cut", (json_int_t)change.cut,
                    "text", cul_report_string(cul_buf_str(&change.text)));
  job->log.kept += change.text.len;
  remember(job, &job->output.written);
  cul_buf_release(&change.text);
  return out;
}

static json_t *like_json(struct cul_like like) {
  char text[24];
  snprintf(text, sizeof text, "%08x.%08x", like.name, like.shape);
  return json_string(text);
}

/* The two ends of a cut, read by plan/recipe.c. */
static json_t *part_json(const struct cul_part *part) {
  json_t *out = json_array();
  json_array_append_new(out, like_json(part->first));
  if (!part->single)
    json_array_append_new(out, like_json(part->last));
  return out;
}

static json_t *step_json(struct cul_reduce *job,
                         const struct cul_reduce_step *step,
                         const struct cul_part *part) {
  json_t *change = change_json(job);
  json_t *out = json_pack("{s:f, s:s, s:I, s:I, s:I}", "t", step->t, "mutation",
                          step->mutation, "ops", (json_int_t)step->size.ops,
                          "bytes", (json_int_t)step->size.bytes, "executed",
                          (json_int_t)step->executed);
  if (part->first.name)
    json_object_set_new(out, "part", part_json(part));
  if (change)
    json_object_set_new(out, "change", change);
  return out;
}

void cul_reduce_log_forget(struct cul_reduce *job) {
  struct cul_reduce_log *log = &job->log;
  for (size_t i = 0; i < log->n_steps; i++)
    json_decref(log->steps[i].json);
  free(log->steps);
  cul_buf_release(&log->last);
  log->steps = NULL;
  log->n_steps = log->kept = 0;
}

void cul_reduce_log_start(struct cul_reduce *job,
                          const struct cul_pieces *text) {
  cul_reduce_log_forget(job);
  remember(job, text);
}

static void add_step(struct cul_reduce *job, const char *mutation,
                     const struct cul_size *after,
                     const struct cul_part *part) {
  struct cul_reduce_step *entry;
  job->log.steps = cul_xreallocarray(job->log.steps, job->log.n_steps + 1,
                                     sizeof *job->log.steps);
  cul_buf_clear(
      &job->neighbours.nearest
           .text); /* the passing text is not a neighbour of the new revision */
  entry = &job->log.steps[job->log.n_steps++];
  cul_trail_add(&job->trail, &job->output.written);
  *entry =
      (struct cul_reduce_step){.t = cul_reduce_seconds(job),
                               .mutation = mutation,
                               .size = *after,
                               .executed = job->target.probe.counts.executed};
  entry->json = step_json(job, entry, part);
  journal_line(job,
               json_pack("{s:s, s:f, s:s, s:I, s:I}", "event", "accepted", "t",
                         entry->t, "mutation", mutation, "ops",
                         (json_int_t)after->ops, "bytes",
                         (json_int_t)after->bytes),
               false);
  if (job->watcher.stepped)
    job->watcher.stepped(job->watcher.self, job);
}

static void add_edit(struct cul_reduce *job, uint32_t mutation,
                     const struct cul_step *step) {
  struct cul_statistics *known = &job->subject.statistics[mutation];
  uint64_t removed = step->before.ops - step->after.ops;
  known->accepted++;
  known->ops_removed += removed;
  known->round_removed += removed;
  add_step(job, known->name, &step->after, &step->part);
}

void cul_reduce_jumped(struct cul_reduce *job, const char *why) {
  add_step(job, why, &job->subject.space.best.size, &(struct cul_part){0});
}

static void stepped(void *self, const struct cul_step *step) {
  struct cul_reduce *job = self;
  add_edit(job, step->number, step);
}

void cul_reduce_gained(struct cul_reduce *job, uint32_t mutation,
                       const struct cul_size *before) {
  struct cul_step step = {.mutation = job->subject.statistics[mutation].name,
                          .number = mutation,
                          .before = *before,
                          .after = job->subject.space.best.size};
  add_edit(job, mutation, &step);
}

static char *broken_path(const struct cul_reduce *job) {
  return cul_xasprintf("%s.broken", job->output.path);
}

/* Was the file at path left by an earlier job of culprit? The store knows the
 * digest of such a file; any other file is the user's. */
static bool is_left_broken(const struct cul_reduce *job, const char *path) {
  struct cul_digest key = cul_digest_of(path, strlen(path)), digest;
  struct cul_err ignored = {0};
  CUL_OWNED(cul_buf) memo = {0};
  struct stat st;
  bool found = false;
  return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
         cul_cache_memo_get(job->target.cache, "broken", &key, &memo, &found,
                            &ignored) == 0 &&
         found && memo.len == sizeof digest &&
         cul_file_digest(path, &digest, &ignored) == 0 &&
         memcmp(&digest, memo.data, sizeof digest) == 0;
}

void cul_reduce_drop_broken(struct cul_reduce *job) {
  CUL_HEAP char *path = broken_path(job);
  if (job->output.broken || is_left_broken(job, path))
    unlink(path);
  free(job->output.broken);
  job->output.broken = NULL;
}

/* Write the candidate on which the test itself cannot run beside the output. */
static void keep_broken(struct cul_reduce *job, int slot) {
  char *path = broken_path(job);
  CUL_OWNED(cul_buf) text = {0};
  struct cul_digest key = cul_digest_of(path, strlen(path)), digest;
  struct cul_err err = {0};
  struct stat st;
  if (!job->output.broken && lstat(path, &st) < 0 && errno == ENOENT &&
      cul_edit_space_text(&job->subject.space, slot, &text) &&
      cul_file_replace(path, text.data, text.len, 0666, &err) == 0) {
    job->output.broken = path;
    digest = cul_digest_of(text.data, text.len);
    (void)!cul_cache_memo_put(job->target.cache, "broken", &key, &digest,
                              sizeof digest, &err);
  } else {
    free(path);
  }
}

static void meet_other(struct cul_reduce *job, int slot, uint64_t ticket,
                       const struct cul_signature *sig) {
  CUL_OWNED(cul_buf) text = {0};
  bool kept = cul_other_failures_want(&job->others, sig) &&
              cul_edit_space_text(&job->subject.space, slot, &text);
  cul_other_failures_wait(&job->others, ticket, sig, kept ? &text : NULL);
}

static void judged(void *self, int slot, uint64_t ticket,
                   const struct cul_point *point, const struct cul_built *built,
                   const struct cul_verdict *verdict) {
  struct cul_reduce *job = self;
  uint32_t mutation = cul_edit_space_mutation_of(&job->subject.space, slot);
  struct cul_statistics *known = &job->subject.statistics[mutation];
  known->tried++;
  known->invalid += verdict->answer == CUL_INVALID;
  if (verdict->answer == CUL_INVALID)
    return;
  journal_line(job,
               json_pack("{s:s, s:f, s:s, s:I, s:s, s:I, s:o}", "event",
                         "judged", "t", cul_reduce_seconds(job), "mutation",
                         known->name, "sites", (json_int_t)point->n, "answer",
                         cul_answer_name(verdict->answer), "ops",
                         (json_int_t)built->size.ops, "why",
                         cul_report_string(verdict->why)),
               true);
  if (verdict->answer == CUL_BROKEN)
    keep_broken(job, slot);
  if (cul_edit_space_is_command(&job->subject.space, mutation))
    return; /* the module is unchanged */
  if (job->watcher.judged)
    job->watcher.judged(job->watcher.self, job, slot, verdict->answer);
  if (verdict->answer == CUL_OTHER)
    meet_other(job, slot, ticket, &verdict->sig);
  if (verdict->answer == CUL_PASSES && !job->subject.space.floor)
    cul_neighbour_consider(job, slot, &built->size);
}

/* Record a run for the timeline: which slot ran when. */
static void ended(void *self, int slot, uint64_t start_us, bool killed) {
  struct cul_reduce *job = self;
  double start = (double)(start_us - job->start_us) / 1e6;
  journal_line(job,
               json_pack("{s:s, s:f, s:f, s:s, s:i, s:b}", "event", "run", "t",
                         start, "until", cul_reduce_seconds(job), "phase",
                         cul_reduce_phase_name(job->phase), "slot", slot,
                         "killed", killed),
               true);
}

/* Extend the overall limits by the time that the user pauses the job. */
static void stretch(struct cul_reduce *job) {
  const struct cul_reduce_wishes *wishes = job->conf->wishes;
  struct cul_budget *budget = &job->target.probe.budget;
  struct cul_reduce_pauses *pauses = &job->pauses;
  uint64_t now = cul_now_us(), more;
  if (!pauses->since_us && !(wishes && wishes->paused))
    return;
  if (!pauses->since_us) {
    pauses->since_us = now;
    pauses->seen_us = 0;
  }
  more = now - pauses->since_us - pauses->seen_us;
  pauses->seen_us += more;
  pauses->us += more;
  if (job->end_us)
    job->end_us += more;
  if (budget->deadline_us)
    budget->deadline_us += more;
  if (wishes->paused)
    return;
  journal_line(job,
               json_pack("{s:s, s:f, s:f}", "event", "paused", "t",
                         (double)(pauses->since_us - job->start_us) / 1e6,
                         "until", cul_reduce_seconds(job)),
               false);
  pauses->since_us = 0;
}

static void tick(void *self) {
  struct cul_reduce *job = self;
  stretch(job);
  if (job->watcher.tick)
    job->watcher.tick(job->watcher.self, job);
}

static struct cul_statistics *known_of(struct cul_reduce *job, const char *name,
                                       size_t len) {
  for (size_t i = 0; i < job->subject.n_mutations; i++)
    if (strlen(job->subject.statistics[i].name) == len &&
        memcmp(job->subject.statistics[i].name, name, len) == 0)
      return &job->subject.statistics[i];
  return NULL;
}

/* Skip the mutations in conf->without: names separated by commas, of the form
 * of the input. */
static int leave_out(struct cul_reduce *job, struct cul_err *err) {
  const char *at = job->conf->without;
  while (at && *at) {
    size_t len = strcspn(at, ",");
    struct cul_statistics *known = known_of(job, at, len);
    if (!known && len > 0 && !job->subject.reread.on &&
        !(len == strlen(CUL_STANDALONE) && !strncmp(at, CUL_STANDALONE, len)))
      return cul_fail(err, CUL_EUSAGE,
                      "`mutations` of a report (--json FILE) lists all of them",
                      "--without: no mutation of this form is called \"%.*s\"",
                      (int)len, at);
    if (known)
      known->dead = true;
    at += len + (at[len] == ',');
  }
  return 0;
}

/* ---- events of the driver ---- */

static void entered(void *self, const struct cul_turn *turn) {
  struct cul_reduce *job = self;
  struct cul_reduce_wishes *wishes = job->conf->wishes;
  if (job->phase != turn->phase)
    cul_reduce_enter(job, (enum cul_reduce_phase)turn->phase);
  job->subject.space.mutation = turn->mutation;
  if (wishes &&
      wishes->skip != turn->mutation + 1) /* the skipped mutation has ended */
    wishes->skip = 0;
}

static uint64_t paused_until(void *self) {
  enum { LOOK_AGAIN_US = 50 * 1000 };
  const struct cul_reduce_wishes *wishes =
      ((const struct cul_reduce *)self)->conf->wishes;
  return wishes && wishes->paused ? cul_now_us() + LOOK_AGAIN_US : 0;
}

static bool is_skipped(void *self, const struct cul_turn *turn) {
  const struct cul_reduce_wishes *wishes =
      ((const struct cul_reduce *)self)->conf->wishes;
  return wishes && wishes->skip == turn->mutation + 1;
}

static void skip(struct cul_reduce *job, uint32_t mutation) {
  job->conf->wishes->skip = 0;
  journal_line(job,
               json_pack("{s:s, s:f, s:s, s:s}", "event", "skipped", "t",
                         cul_reduce_seconds(job), "mutation",
                         job->subject.statistics[mutation].name, "phase",
                         cul_reduce_phase_name(job->phase)),
               false);
  if (job->watcher.skipped)
    job->watcher.skipped(job->watcher.self, job, mutation);
}

static void skipped(void *self, const struct cul_turn *turn) {
  skip(self, turn->mutation);
}

bool cul_reduce_skips(struct cul_reduce *job, uint32_t mutation) {
  const struct cul_reduce_wishes *wishes = job->conf->wishes;
  if (!wishes || wishes->skip != mutation + 1)
    return false;
  job->subject.statistics[mutation].skipped++;
  skip(job, mutation);
  return true;
}

static void learnt(void *self, uint64_t ticket) {
  struct cul_reduce *job = self;
  cul_other_failures_learnt(&job->others, ticket);
}

static void over(void *self) {
  struct cul_reduce *job = self;
  cul_other_failures_forget(&job->others);
}

static void promoted(void *self) { cul_neighbour_promote(self); }

static void dropped_ahead(void *self) { cul_neighbour_forget(self); }

static bool is_due(void *self) {
  const struct cul_reduce *job = self;
  return cul_other_failures_due(&job->others);
}

static void set_up_driver(struct cul_reduce *job) {
  struct cul_driver *driver = &job->driver;
  driver->edits = cul_edit_space_edits(&job->subject.space);
  driver->events = (struct cul_driver_events){.self = job,
                                              .entered = entered,
                                              .learnt = learnt,
                                              .over = over,
                                              .promoted = promoted,
                                              .dropped_ahead = dropped_ahead,
                                              .is_due = is_due,
                                              .paused_until = paused_until,
                                              .is_skipped = is_skipped,
                                              .skipped = skipped};
  driver->statistics = job->subject.statistics;
  driver->workers = (size_t)job->target.probe.workers;
  driver->seed = job->conf->seed;
  driver->is_ruled = job->conf->search != NULL;
}

void cul_reduce_listen(struct cul_reduce *job) {
  job->target.probe.watcher =
      (struct cul_watcher){.self = job, .ended = ended, .tick = tick};
}

int cul_reduce_watch(struct cul_reduce *job, struct cul_err *err) {
  job->subject.n_mutations = cul_edit_space_mutations(&job->subject.space);
  job->subject.statistics =
      cul_xcalloc(job->subject.n_mutations, sizeof *job->subject.statistics);
  for (size_t i = 0; i < job->subject.n_mutations; i++) {
    struct cul_statistics *known = &job->subject.statistics[i];
    const struct cul_mutation_info *info =
        cul_edit_space_mutation(&job->subject.space, i);
    snprintf(known->name, sizeof known->name, "%s", info->name);
    known->kinds = info->kinds;
    known->phase = info->phase;
    known->flags = info->flags;
    known->dead =
        ((info->flags & CUL_MUT_COMMAND) && !job->conf->reduce_command) ||
        (job->conf->extract && !(info->flags & CUL_MUT_SEGMENT));
  }
  set_up_driver(job);
  job->others.dir = job->target.dir;
  job->others.held = &job->target.place.held;
  job->subject.space.watcher = job;
  job->subject.space.stepped = stepped;
  job->target.probe.watcher = (struct cul_watcher){
      .self = job, .judged = judged, .ended = ended, .tick = tick};
  return leave_out(job, err);
}
