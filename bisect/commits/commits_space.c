/* Commits as a space: a point is a commit and the number of a toss of its
 * coin.  What was built is named by what the test reads of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../build/build_log.h"
#include "commits_private.h"

void cul_commits_note(struct cul_commits *job,
                      const struct cul_commits_event *event) {
  job->events =
      cul_xreallocarray(job->events, job->n_events + 1, sizeof *job->events);
  job->events[job->n_events] = *event;
  if (event->answer != CUL_SAME && event->answer != CUL_PASSES)
    cul_commits_blame_lack(job, event->commit, job->events[job->n_events].why);
  job->n_events++;
  job->seen[event->commit] |= CUL_SEEN_TOLD;
  if (event->build)
    job->seen[event->commit] |= CUL_SEEN_BUILT;
}

struct cul_commits_run *cul_commits_run_of(struct cul_commits *job,
                                           uint32_t commit) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(job->runs); i++)
    if (job->runs[i].live && job->runs[i].commit == commit)
      return &job->runs[i];
  return NULL;
}

static struct cul_commits_run *begin_run(struct cul_commits *job, int slot,
                                         const struct cul_point *point) {
  struct cul_commits_run *run = cul_commits_run_of(job, point->ids[0]);
  if (run)
    run->live = false; /* one that was cancelled */
  run = &job->runs[slot];
  *run = (struct cul_commits_run){
      .commit = point->ids[0], .attempt = point->ids[1], .live = true};
  return run;
}

static int begin(void *self, const struct cul_point *point, int i, int *fd,
                 struct cul_err *err) {
  struct cul_commits *job = self;
  struct cul_commits_slot *slot = &job->slots[i];
  struct cul_revision revision;
  int rc;
  struct cul_buf lacking = {0};
  begin_run(job, i, point);
  cul_commits_revision(job, point->ids[0], &revision, &slot->held);
  if (cul_commits_lacking(job, &revision, &lacking))
    slot->lacking = cul_xstrdup(cul_buf_str(&lacking));
  cul_buf_release(&lacking);
  rc = cul_pool_begin(job->pool, &revision, &slot->place, err);
  if (rc < 0)
    return rc;
  slot->used = true;
  cul_commit_hex(&revision.commit, slot->hex);
  cul_commit_hex(&job->history.ids[point->ids[0]], slot->name);
  slot->subst[0] = (struct cul_subst){"@{dir}", slot->place.dir};
  slot->subst[1] = (struct cul_subst){"@{commit}", slot->hex};
  slot->art = (struct cul_artefact){.subst = slot->subst,
                                    .n_subst = 2,
                                    .dir = slot->place.dir,
                                    .file = "",
                                    .live_fd = -1};
  if (slot->place.fresh)
    cul_commits_say(job, "building %.12s", slot->name);
  *fd = slot->place.fd;
  return 0;
}

static void note_build(struct cul_commits *job,
                       const struct cul_commits_slot *slot, uint32_t commit) {
  bool ready = slot->place.state == CUL_PLACE_READY;
  struct cul_commits_event event = {.commit = commit,
                                    .build = true,
                                    .answer = ready ? CUL_PASSES : CUL_INVALID,
                                    .us = slot->place.wall_us};
  if (!slot->place.fresh || slot->place.state == CUL_PLACE_TROUBLE)
    return;
  cul_commits_keep_build(job, slot->name, slot->place.log);
  job->built++;
  job->failed += !ready;
  snprintf(event.why, sizeof event.why, "%s", slot->place.why);
  cul_commits_note(job, &event);
}

/* Which artefact was built?  Where that is not known, its run is traced. */
static void name_artefact(struct cul_commits *job,
                          struct cul_commits_slot *slot,
                          struct cul_commits_run *run) {
  struct cul_built_in build = {slot->place.dir, slot->name, slot->lacking};
  struct cul_commits_coin *coin = cul_commits_coin(job, run->commit);
  struct cul_digest name;
  if (!coin && cul_artefacts_find(job->artefacts, &build, &name)) {
    coin = cul_commits_set_coin(job, run->commit, &name);
    if (coin->member != CUL_DAG_NONE)
      run->fate = CUL_FATE_SAME;
    else
      run->attempt = coin->tosses++;
  }
  slot->art.digest = cul_digest_of(slot->name, strlen(slot->name));
  slot->art.run_flags = CUL_RUN_TRACE | CUL_RUN_NO_CACHE;
  if (coin) {
    slot->art.digest = cul_commits_toss(coin, run->attempt);
    slot->art.run_flags = job->teaching ? CUL_RUN_TRACE : 0;
  }
}

static int built(void *self, int i, struct cul_built *out,
                 struct cul_err *err) {
  struct cul_commits *job = self;
  struct cul_commits_slot *slot = &job->slots[i];
  struct cul_commits_run *run = &job->runs[i];
  const char *why = slot->place.why;
  int rc = cul_pool_built(job->pool, &slot->place, err);
  *out = (struct cul_built){.valid = false};
  if (rc < 0)
    return rc;
  note_build(job, slot, run->commit);
  if (slot->place.files.n_pointers)
    cul_commits_say_pointers(job, &slot->place.files);
  cul_commits_heed_refused(job, "build", slot->name, slot->place.refused,
                           slot->place.state == CUL_PLACE_REFUSED);
  slot->place.fresh = false;
  switch (slot->place.state) {
  case CUL_PLACE_READY:
    name_artefact(job, slot, run);
    out->valid = run->fate == CUL_FATE_ANSWER;
    out->art = slot->art;
    why = "the same artefact as a commit before";
    break;
  case CUL_PLACE_FAILED:
    cul_commits_remember_failure(job, run->commit, why);
    break;
  case CUL_PLACE_LACKING:
  case CUL_PLACE_REFUSED:
    break;
  case CUL_PLACE_TROUBLE:
    run->fate = CUL_FATE_TROUBLE;
    break;
  }
  snprintf(run->why, sizeof run->why, "%s", why);
  if (slot->place.state != CUL_PLACE_READY)
    cul_commits_blame_lack(job, run->commit, run->why);
  snprintf(out->why, sizeof out->why, "%.159s", run->why);
  return 0;
}

/* ---- runs ---- */

/* A program that is no part of the commit is missing. */
static bool lacks_tool(const struct cul_commits *job,
                       const struct cul_record *record) {
  return record->end == CUL_NOT_STARTED && job->argv[0][0] != '@' &&
         !job->program;
}

static void find_trouble(const struct cul_commits *job,
                         const struct cul_record *record,
                         struct cul_commits_run *run) {
  if (record->end == CUL_MACHINE || lacks_tool(job, record))
    run->fate = CUL_FATE_TROUBLE;
  else
    run->doubtful = (record->end == CUL_SIGNALED && record->status == 9) ||
                    cul_is_trouble(cul_buf_str(&record->err));
  if (run->fate != CUL_FATE_TROUBLE && !run->doubtful)
    return;
  if (record->end == CUL_SIGNALED)
    snprintf(run->why, sizeof run->why, "the test was killed (SIGKILL)");
  else
    snprintf(run->why, sizeof run->why, "%.*s",
             (int)strcspn(cul_buf_str(&record->err), "\n"),
             cul_buf_str(&record->err));
}

/* The first run of an artefact: what it read is its name. */
static void learn_artefact(struct cul_commits *job,
                           const struct cul_commits_slot *slot,
                           const struct cul_record *record,
                           struct cul_commits_run *run) {
  struct cul_built_in build = {slot->place.dir, slot->name, slot->lacking};
  struct cul_request request = job->probe.request;
  struct cul_commits_coin *coin;
  struct cul_digest name, toss;
  struct cul_err ignored = {0};
  request.flags |= CUL_RUN_TRACE;
  coin = cul_commits_set_coin(job, run->commit,
                              cul_artefacts_learn(job->artefacts,
                                                  cul_buf_str(&record->files),
                                                  &build, &name)
                                  ? &name
                                  : NULL);
  if (!coin)
    return;
  run->attempt = coin->tosses++;
  toss = cul_commits_toss(coin, run->attempt);
  if (job->cache)
    (void)!cul_cache_put(job->cache, &toss, &request, record, &ignored);
}

/* What a run read that was refused a write is not what another one reads: the
 * commit stands by itself in this job. */
static void stand_alone(struct cul_commits *job, struct cul_commits_run *run) {
  struct cul_commits_coin *coin = cul_commits_set_coin(job, run->commit, NULL);
  if (coin)
    run->attempt = coin->tosses++;
}

static void take_trace(struct cul_commits *job,
                       const struct cul_commits_slot *slot,
                       const struct cul_record *record,
                       struct cul_commits_run *run) {
  if (job->teaching)
    cul_commits_teach(job, record);
  if (!record->trace_closed)
    run->fate = CUL_FATE_ESCAPED;
  else if (cul_commits_coin(job, run->commit))
    return;
  else if (run->refused)
    stand_alone(job, run);
  else
    learn_artefact(job, slot, record, run);
}

static void find_refused(struct cul_commits *job,
                         const struct cul_commits_slot *slot,
                         const struct cul_record *record,
                         struct cul_commits_run *run) {
  char *refused = cul_record_refused(record);
  if (refused) {
    run->refused = true;
    cul_commits_heed_refused(job, "test", slot->name, refused, true);
  }
  free(refused);
}

void cul_commits_ran(void *self, int i, const struct cul_record *record) {
  struct cul_commits *job = self;
  struct cul_commits_slot *slot = &job->slots[i];
  struct cul_commits_run *run = &job->runs[i];
  bool first = run->run_us == 0;
  if (!slot->used)
    return;
  run->run_us += record->wall_us + 1;
  if (!record->cached)
    cul_commits_keep_run(job, slot->name, run->attempt, record);
  if (!record->cached)
    find_trouble(job, record, run);
  find_refused(job, slot, record, run);
  if (first && run->fate == CUL_FATE_ANSWER && !run->doubtful &&
      slot->art.run_flags & CUL_RUN_TRACE)
    take_trace(job, slot, record, run);
}

static int materialise(void *self, int i, struct cul_err *err) {
  (void)self, (void)i, (void)err;
  return 0;
}

static void drop(void *self, int i) {
  struct cul_commits *job = self;
  struct cul_commits_slot *slot = &job->slots[i];
  if (slot->used)
    cul_pool_leave(job->pool, &slot->place);
  free(slot->held);
  free(slot->lacking);
  *slot = (struct cul_commits_slot){0};
}

static int commit(void *self, int i, const struct cul_point *point,
                  const struct cul_built *result, struct cul_err *err) {
  (void)point, (void)result, (void)err;
  drop(self, i); /* nothing is kept: the next step may go anywhere */
  return 0;
}

struct cul_space cul_commits_space(struct cul_commits *job) {
  return (struct cul_space){.name = "commits",
                            .self = job,
                            .begin = begin,
                            .built = built,
                            .materialise = materialise,
                            .commit = commit,
                            .drop = drop};
}
