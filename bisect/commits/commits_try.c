/* One commit at a time, before the search begins: the ends. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../base/status.h"
#include "commits_private.h"

bool cul_commits_again(struct cul_commits *job, uint32_t tries,
                       const struct cul_commits_run *run, uint64_t *pause_us) {
  double pause = job->conf->retry_pause_s;
  char hex[CUL_COMMIT_HEX];
  cul_commit_hex(&job->history.ids[run->commit], hex);
  if ((int64_t)tries > job->conf->retries) {
    free(job->trouble);
    job->trouble = cul_xasprintf("%.12s: %s (%u time%s)", hex, run->why, tries,
                                 cul_s(tries));
    return false;
  }
  cul_commits_say(job, "%.12s: %s; again in %g s", hex, run->why, pause);
  *pause_us = (uint64_t)(pause * 1e6);
  return true;
}

static int wait_until(struct cul_commits *job, uint64_t when,
                      struct cul_err *err) {
  int rc = cul_probe_time_left(&job->probe, err);
  while (rc == 0 && cul_now_us() < when) {
    uint64_t left = when - cul_now_us();
    usleep(left < 100000 ? (useconds_t)left : 100000);
    rc = cul_probe_time_left(&job->probe, err);
  }
  return rc;
}

static int wait_built(struct cul_commits *job, int fd, struct cul_err *err) {
  struct pollfd pollfd = {.fd = fd, .events = POLLIN};
  int rc = 0;
  while (rc == 0 && fd >= 0 && poll(&pollfd, 1, 100) <= 0)
    cul_status_beat(), rc = cul_probe_time_left(&job->probe, err);
  return rc;
}

static int judge(struct cul_commits *job, struct cul_space *space, bool learn,
                 struct cul_verdict *verdict, struct cul_err *err) {
  int i = CUL_MAX_WORKERS;
  struct cul_judged judged = {0};
  struct cul_built result = {0};
  int rc = wait_built(job, job->slots[i].place.fd, err);
  if (rc == 0)
    rc = space->built(job, i, &result, err);
  if (rc == 0 && !result.valid) {
    *verdict = (struct cul_verdict){.answer = CUL_INVALID, .confidence = 1};
    snprintf(verdict->why, sizeof verdict->why, "%s", job->runs[i].why);
    return 0;
  }
  if (rc == 0)
    rc = cul_probe_judge(&job->probe, &job->slots[i].art, learn, &judged, err);
  if (rc == 0)
    *verdict = judged.verdict;
  if (rc == 0 && judged.n > 0)
    cul_commits_heed(job, learn, &judged.records[judged.n - 1],
                     verdict->answer);
  cul_judged_release(&judged);
  return rc;
}

/* Once, by a build and a run. */
static int try_once(struct cul_commits *job, uint32_t commit, bool learn,
                    struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_commits_coin *coin = cul_commits_coin(job, commit);
  uint32_t ids[2] = {commit, coin ? coin->tosses++ : 0};
  struct cul_point point = {ids, 2};
  struct cul_space space = cul_commits_space(job);
  int fd, rc = space.begin(job, &point, CUL_MAX_WORKERS, &fd, err);
  job->teaching = learn && cul_commits_may_teach(job);
  if (rc == 0)
    rc = judge(job, &space, learn, verdict, err);
  job->teaching = false;
  space.drop(job, CUL_MAX_WORKERS);
  return rc;
}

static void take(struct cul_commits *job, const struct cul_commits_run *run,
                 bool recalled, const struct cul_verdict *verdict) {
  struct cul_commits_event event = {.commit = run->commit,
                                    .attempt = run->attempt,
                                    .answer = verdict->answer,
                                    .recalled = recalled,
                                    .us = run->run_us};
  snprintf(event.why, sizeof event.why, "%s", verdict->why);
  if (verdict->answer == CUL_INVALID)
    return; /* the build was noted */
  cul_commits_note(job, &event);
  if (!recalled && !run->refused)
    cul_commits_remember(job, run->commit, run->attempt, verdict);
}

/* The next toss of a coin, where it is known. */
static int recall(struct cul_commits *job, uint32_t commit, bool learn,
                  struct cul_verdict *verdict, bool *found,
                  struct cul_err *err) {
  struct cul_commits_coin *coin = cul_commits_coin(job, commit);
  struct cul_commits_run run = {.commit = commit};
  int rc;
  *found = false;
  if (!coin)
    return 0;
  run.attempt = coin->tosses;
  rc = cul_commits_recall(job, coin, run.attempt, learn, verdict, found, err);
  if (rc < 0 || !*found)
    return rc;
  coin->tosses++;
  take(job, &run, true, verdict);
  return 0;
}

int cul_commits_try(struct cul_commits *job, uint32_t commit, bool learn,
                    struct cul_verdict *verdict, struct cul_err *err) {
  const struct cul_commits_run *run = &job->runs[CUL_MAX_WORKERS];
  uint64_t pause;
  bool found;
  int rc = recall(job, commit, learn, verdict, &found, err);
  for (uint32_t tries = 1; rc == 0 && !found; tries++) {
    rc = try_once(job, commit, learn, verdict, err);
    if (rc < 0)
      break;
    found = run->fate == CUL_FATE_ANSWER &&
            !(run->doubtful && verdict->answer != CUL_SAME);
    if (found) {
      take(job, run, false, verdict);
    } else if (run->fate == CUL_FATE_ESCAPED) {
      job->by_tree = true;
    } else if (!cul_commits_again(job, tries, run, &pause)) {
      rc = cul_fail(err, CUL_EENV,
                    "mend it; the same command goes on where it stopped", "%s",
                    job->trouble);
    } else {
      rc = wait_until(job, cul_now_us() + pause, err);
    }
  }
  return rc;
}
