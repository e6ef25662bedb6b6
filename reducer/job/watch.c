/* Bookkeeping of a reduce job: see watch.h. */
#include "watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../base/visible.h"
#include "../../probe/target/findings.h"
#include "../mutations/mutation.h"
#include "neighbour.h"

static void journal_line(struct cul_reduce *job, json_t *entry) {
  char *line = json_dumps(entry, JSON_COMPACT);
  if (line) {
    cul_visible_json(line, &job->log.journal);
    cul_buf_addc(&job->log.journal, '\n');
  }
  free(line);
  json_decref(entry);
}

static void add_step(struct cul_reduce *job, const char *mutation,
                     const struct cul_size *after,
                     const struct cul_part *part) {
  struct cul_reduce_step *entry;
  job->log.steps = cul_xreallocarray(job->log.steps, job->log.n_steps + 1,
                                     sizeof *job->log.steps);
  cul_buf_clear(
      &job->neighbours.nearest.text); /* what passes is now further away */
  entry = &job->log.steps[job->log.n_steps++];
  *entry =
      (struct cul_reduce_step){.t = cul_reduce_seconds(job),
                               .mutation = mutation,
                               .size = *after,
                               .part = *part,
                               .executed = job->target.probe.counts.executed};
  journal_line(job, json_pack("{s:s, s:f, s:s, s:I, s:I}", "event", "accepted",
                              "t", entry->t, "mutation", mutation, "ops",
                              (json_int_t)after->ops, "bytes",
                              (json_int_t)after->bytes));
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
  add_step(job, why, &job->subject.space.best, &(struct cul_part){0});
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
                          .after = job->subject.space.best};
  add_edit(job, mutation, &step);
}

bool cul_reduce_candidate(struct cul_reduce *job, int slot,
                          struct cul_buf *out) {
  struct cul_edit_slot *held = &job->subject.space.slots[slot];
  struct cul_err err = {0};
  cul_buf_clear(out);
  return held->child && cul_child_text(held->child, out, &err) == 0;
}

static char *broken_path(const struct cul_reduce *job) {
  return cul_xasprintf("%s.broken", job->output.path);
}

/* The file at path is what a job like this one left there: the store knows its
 * bytes.  Else it is somebody's. */
static bool is_left_broken(const struct cul_reduce *job, const char *path) {
  struct cul_digest key = cul_digest_of(path, strlen(path)), digest;
  struct cul_err ignored = {0};
  struct cul_buf memo = {0};
  struct stat st;
  bool found = false;
  bool ours = lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
              cul_cache_memo_get(job->target.cache, "broken", &key, &memo,
                                 &found, &ignored) == 0 &&
              found && memo.len == sizeof digest &&
              cul_file_digest(path, &digest, &ignored) == 0 &&
              memcmp(&digest, memo.data, sizeof digest) == 0;
  cul_buf_release(&memo);
  return ours;
}

void cul_reduce_drop_broken(struct cul_reduce *job) {
  char *path = broken_path(job);
  if (job->output.broken || is_left_broken(job, path))
    unlink(path);
  free(path);
  free(job->output.broken);
  job->output.broken = NULL;
}

/* The candidate on which the test itself cannot run, beside the output. */
static void keep_broken(struct cul_reduce *job, int slot) {
  char *path = broken_path(job);
  struct cul_buf text = {0};
  struct cul_digest key = cul_digest_of(path, strlen(path)), digest;
  struct cul_err err = {0};
  struct stat st;
  if (!job->output.broken && lstat(path, &st) < 0 && errno == ENOENT &&
      cul_reduce_candidate(job, slot, &text) &&
      cul_file_replace(path, text.data, text.len, 0666, &err) == 0) {
    job->output.broken = path;
    digest = cul_digest_of(text.data, text.len);
    (void)!cul_cache_memo_put(job->target.cache, "broken", &key, &digest,
                              sizeof digest, &err);
  } else {
    free(path);
  }
  cul_buf_release(&text);
}

static void meet_other(struct cul_reduce *job, int slot, uint64_t ticket,
                       const struct cul_signature *sig) {
  struct cul_buf text = {0};
  bool kept = cul_other_failures_want(&job->others, sig) &&
              cul_reduce_candidate(job, slot, &text);
  cul_other_failures_wait(&job->others, ticket, sig, kept ? &text : NULL);
  cul_buf_release(&text);
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
                         cul_report_string(verdict->why)));
  if (verdict->answer == CUL_BROKEN)
    keep_broken(job, slot);
  if (cul_edit_space_is_command(&job->subject.space, mutation))
    return; /* the module is the same */
  if (job->watcher.judged)
    job->watcher.judged(job->watcher.self, job, slot, verdict->answer);
  if (verdict->answer == CUL_OTHER)
    meet_other(job, slot, ticket, &verdict->sig);
  if (verdict->answer == CUL_PASSES && !job->subject.space.floor)
    cul_neighbour_consider(job, slot, &built->size);
}

/* The journal is a timeline, too: which worker ran when. */
static void ended(void *self, int slot, uint64_t start_us, bool killed) {
  struct cul_reduce *job = self;
  double start = (double)(start_us - job->start_us) / 1e6;
  journal_line(job, json_pack("{s:s, s:f, s:f, s:s, s:i, s:b}", "event", "run",
                              "t", start, "until", cul_reduce_seconds(job),
                              "phase", cul_reduce_phase_name(job->phase),
                              "slot", slot, "killed", killed));
}

static void tick(void *self) {
  struct cul_reduce *job = self;
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

/* conf->without: names with commas between. */
static int leave_out(struct cul_reduce *job, struct cul_err *err) {
  const char *at = job->conf->without;
  while (at && *at) {
    size_t len = strcspn(at, ",");
    struct cul_statistics *known = known_of(job, at, len);
    if (!known && len > 0)
      return cul_fail(err, CUL_EUSAGE,
                      "`mutations` of a report (--json FILE) names them all",
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
  if (job->phase != turn->phase)
    cul_reduce_enter(job, (enum cul_reduce_phase)turn->phase);
  job->subject.space.mutation = turn->mutation;
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
                                              .is_due = is_due};
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
