/* Commits as a space: a point is a commit and the number of a run.  Equal
 * trees, built alike, are one artefact: what ran for one stands for all. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "commits_private.h"

static struct cul_digest name_run(const struct cul_commits *job,
                                  uint32_t commit, uint32_t attempt) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &job->job, sizeof job->job);
  cul_hasher_add(h, job->history.ids[commit].raw, 20);
  cul_hasher_u64(h, attempt);
  return cul_hasher_finish(h);
}

static void key(void *self, const struct cul_point *point,
                struct cul_digest *out) {
  *out = name_run(self, point->ids[0], point->ids[1]);
}

/* ---- memory of a job ---- */

bool cul_commits_recall(struct cul_commits *job, uint32_t commit,
                        uint32_t attempt, struct cul_verdict *verdict) {
  struct cul_digest name = name_run(job, commit, attempt);
  struct cul_buf memo = {0};
  struct cul_err ignored = {0};
  bool found = false;
  if (job->cache)
    (void)!cul_cache_memo_get(job->cache, "bisect", &name, &memo, &found,
                              &ignored);
  found = found && memo.len == sizeof *verdict;
  if (found)
    memcpy(verdict, memo.data, sizeof *verdict);
  cul_buf_release(&memo);
  return found;
}

void cul_commits_remember(struct cul_commits *job, uint32_t commit,
                          uint32_t attempt, const struct cul_verdict *verdict) {
  struct cul_digest name = name_run(job, commit, attempt);
  struct cul_err ignored = {0};
  if (!job->cache)
    return;
  /* A run may have cost a build: it is safe before the next one starts. */
  if (cul_cache_memo_put(job->cache, "bisect", &name, verdict, sizeof *verdict,
                         &ignored) == 0)
    (void)!cul_cache_flush(job->cache, &ignored);
}

void cul_commits_note(struct cul_commits *job, uint32_t commit,
                      uint32_t attempt, bool recalled,
                      const struct cul_verdict *verdict) {
  struct cul_commits_event event = {.point = commit,
                                    .attempt = attempt,
                                    .answer = verdict->answer,
                                    .recalled = recalled};
  snprintf(event.why, sizeof event.why, "%s", verdict->why);
  job->events =
      cul_xreallocarray(job->events, job->n_events + 1, sizeof *job->events);
  job->events[job->n_events++] = event;
  if (job->attempts[commit] <= attempt)
    job->attempts[commit] = attempt + 1;
  job->recalled += recalled;
  if (!recalled)
    cul_commits_remember(job, commit, attempt, verdict);
}

/* ---- the space ---- */

static int name_artefact(struct cul_commits *job, uint32_t commit,
                         uint32_t attempt, struct cul_digest *out,
                         struct cul_err *err) {
  struct cul_commit_id tree;
  struct cul_hasher *h;
  int rc = cul_repo_tree(job->repo, &job->history.ids[commit], &tree, err);
  if (rc < 0)
    return rc;
  h = cul_hasher_new();
  cul_hasher_add(h, tree.raw, sizeof tree.raw);
  cul_hasher_field(h, job->conf->build);
  cul_hasher_u64(h, attempt);
  *out = cul_hasher_finish(h);
  return 0;
}

static int begin(void *self, const struct cul_point *point, int i, int *fd,
                 struct cul_err *err) {
  struct cul_commits *job = self;
  struct cul_commits_slot *slot = &job->slots[i];
  const struct cul_commit_id *commit = &job->history.ids[point->ids[0]];
  int rc = cul_pool_begin(job->pool, commit, &slot->place, err);
  if (rc < 0)
    return rc;
  slot->used = true;
  cul_commit_hex(commit, slot->hex);
  slot->subst[0] = (struct cul_subst){"@{dir}", slot->place.dir};
  slot->subst[1] = (struct cul_subst){"@{commit}", slot->hex};
  slot->art = (struct cul_artefact){.subst = slot->subst,
                                    .n_subst = 2,
                                    .dir = slot->place.dir,
                                    .file = "",
                                    .live_fd = -1};
  if (slot->place.fresh)
    cul_commits_say(job, "building %.12s", slot->hex);
  *fd = slot->place.fd;
  return name_artefact(job, point->ids[0], point->ids[1], &slot->art.digest,
                       err);
}

static int built(void *self, int i, struct cul_built *out,
                 struct cul_err *err) {
  struct cul_commits *job = self;
  struct cul_commits_slot *slot = &job->slots[i];
  int rc;
  *out = (struct cul_built){.art = slot->art};
  rc = cul_pool_built(job->pool, &slot->place, &out->valid, out->why,
                      sizeof out->why, err);
  if (rc == 0 && slot->place.fresh) {
    job->built++;
    job->failed += !out->valid;
  }
  slot->place.fresh = false;
  return rc;
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
                            .key = key,
                            .begin = begin,
                            .built = built,
                            .materialise = materialise,
                            .commit = commit,
                            .drop = drop};
}

/* ---- one at a time ---- */

static int wait_built(struct cul_commits *job, int fd, struct cul_err *err) {
  struct pollfd pollfd = {.fd = fd, .events = POLLIN};
  while (poll(&pollfd, 1, 100) == 0)
    if (job->conf->interrupted && *job->conf->interrupted)
      return cul_fail(err, CUL_EINTR, "", "interrupted");
  return 0;
}

static int judge(struct cul_commits *job, int i, bool learn,
                 struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_judged judged = {0};
  struct cul_built result = {0};
  int rc = wait_built(job, job->slots[i].place.fd, err);
  if (rc == 0)
    rc = built(job, i, &result, err);
  if (rc == 0 && !result.valid) {
    *verdict = (struct cul_verdict){.answer = CUL_INVALID, .confidence = 1};
    snprintf(verdict->why, sizeof verdict->why, "%s", result.why);
    return 0;
  }
  if (rc == 0)
    rc = cul_probe_judge(&job->probe, &job->slots[i].art, learn, &judged, err);
  if (rc == 0)
    *verdict = judged.verdict;
  cul_judged_release(&judged);
  return rc;
}

/* The failure as an earlier, same job saw it: learnt from its record, without
 * a build. */
static int learn_again(struct cul_commits *job, uint32_t commit,
                       struct cul_verdict *verdict, bool *learnt,
                       struct cul_err *err) {
  struct cul_artefact art = {.live_fd = -1};
  struct cul_judged judged = {0};
  struct cul_record record = {0};
  struct cul_request request = job->probe.request;
  uint32_t attempt = job->attempts[commit];
  int rc = name_artefact(job, commit, attempt, &art.digest, err);
  *learnt = false;
  if (rc == 0 && job->cache)
    rc = cul_cache_get(job->cache, &art.digest, &request, &record, learnt, err);
  if (rc < 0 || !*learnt)
    return rc;
  judged.records = cul_xcalloc(1, sizeof *judged.records);
  judged.records[judged.n++] = record;
  rc = cul_probe_judge(&job->probe, &art, true, &judged, err);
  if (rc == 0)
    *verdict = judged.verdict;
  cul_judged_release(&judged);
  if (rc == 0)
    cul_commits_note(job, commit, attempt, true, verdict);
  return rc;
}

int cul_commits_try(struct cul_commits *job, uint32_t commit, bool learn,
                    struct cul_verdict *verdict, struct cul_err *err) {
  uint32_t attempt = job->attempts[commit];
  uint32_t ids[2] = {commit, attempt};
  struct cul_point point = {ids, 2};
  int slot = CUL_MAX_WORKERS, fd, rc = 0;
  bool learnt = false;
  if (learn)
    rc = learn_again(job, commit, verdict, &learnt, err);
  if (rc < 0 || learnt)
    return rc;
  if (!learn && cul_commits_recall(job, commit, attempt, verdict)) {
    cul_commits_note(job, commit, attempt, true, verdict);
    return 0;
  }
  rc = begin(job, &point, slot, &fd, err);
  if (rc == 0)
    rc = judge(job, slot, learn, verdict, err);
  drop(job, slot);
  if (rc == 0)
    cul_commits_note(job, commit, attempt, false, verdict);
  return rc;
}
