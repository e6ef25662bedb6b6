/* Artefacts whose files are in place, judged outside a search: see probe.h.
 * Their runs are side by side; what follows from them is as if one came after
 * the other. */
#include <stdlib.h>

#include "../base/file.h"
#include "trial.h"

bool cul_judged_is_lost(const struct cul_judged *judged) {
  return judged->n > 0 && judged->verdict.answer == CUL_UNRESOLVED &&
         judged->records[judged->n - 1].end == CUL_MACHINE;
}

int cul_judged_fail(const struct cul_judged *judged, struct cul_err *err) {
  if (judged->n && judged->records[judged->n - 1].end == CUL_MACHINE)
    return cul_record_fail(&judged->records[judged->n - 1], err);
  return cul_fail_command(
      err, "run the command by hand on the input and fix it",
      "the test itself cannot run: %s", judged->verdict.why);
}

struct judging {
  struct cul_probe *probe;
  struct cul_trial *trials;
  enum cul_trial_state *states;
  size_t n, taken; /* of them: taken from the first on */
  struct cul_judged *out;
};

static size_t count_running(const struct judging *judging) {
  size_t n = 0;
  for (size_t i = judging->taken; i < judging->n; i++)
    n += judging->states[i] == CUL_TRIAL_RUNNING;
  return n;
}

/* A run that must be alone waits for the others to end and keeps new ones
 * out. */
static bool may_start(const struct judging *judging, size_t at) {
  size_t running = count_running(judging);
  if (cul_trial_alone(&judging->trials[at]))
    return running == 0;
  for (size_t i = judging->taken; i < judging->n; i++)
    if (judging->states[i] != CUL_TRIAL_DONE &&
        cul_trial_alone(&judging->trials[i]))
      return false;
  return running < (size_t)judging->probe->workers;
}

static int step(struct judging *judging, size_t at, struct cul_err *err) {
  struct cul_trial *trial = &judging->trials[at];
  enum cul_trial_state *state = &judging->states[at];
  int rc;
  if (*state == CUL_TRIAL_DONE)
    return 0;
  rc = cul_trial_step(trial, false, state, err);
  if (rc == 0 && *state == CUL_TRIAL_WANTS_RUN && may_start(judging, at))
    rc = cul_trial_step(trial, true, state, err);
  return rc;
}

/* Wait for the runs in flight, 100 ms at most. */
static int wait_for(struct judging *judging, struct cul_err *err) {
  struct pollfd fds[CUL_MAX_WORKERS * CUL_RUN_MAX_FDS];
  struct cul_probe *probe = judging->probe;
  size_t n = 0, running = count_running(judging);
  uint64_t before = cul_now_us();
  for (size_t i = judging->taken; i < judging->n; i++)
    n += cul_trial_fds(&judging->trials[i], fds + n, CUL_RUN_MAX_FDS);
  poll(fds, n, running ? 100 : 0);
  probe->counts.idle_us +=
      ((size_t)probe->workers - running) * (cul_now_us() - before);
  cul_probe_tick(probe);
  return cul_probe_time_left(probe, err);
}

static bool is_end(enum cul_until until, bool first, enum cul_answer answer) {
  bool same = answer == CUL_SAME;
  switch (until) {
  case CUL_UNTIL_SAME:
    return same;
  case CUL_UNTIL_SAME_AGAIN:
    return same != first;
  case CUL_UNTIL_END:
    break;
  }
  return false;
}

/* The verdicts that are there, in order; *enough: no more are asked for. */
static void take(struct judging *judging, enum cul_until until, bool *enough) {
  while (!*enough && judging->taken < judging->n &&
         judging->states[judging->taken] == CUL_TRIAL_DONE) {
    struct cul_trial *trial = &judging->trials[judging->taken];
    enum cul_answer answer = trial->judged.verdict.answer;
    bool first = judging->taken == 0;
    judging->out[judging->taken++] = trial->judged;
    trial->judged = (struct cul_judged){0};
    *enough = answer == CUL_BROKEN || is_end(until, first, answer);
  }
  *enough |= judging->taken == judging->n;
}

static int judge(struct judging *judging, enum cul_until until,
                 struct cul_err *err) {
  bool enough = judging->n == 0;
  int rc = 0;
  while (rc == 0 && !enough) {
    for (size_t i = judging->taken; i < judging->n && rc == 0; i++)
      rc = step(judging, i, err);
    if (rc == 0)
      take(judging, until, &enough);
    if (rc == 0 && !enough)
      rc = wait_for(judging, err);
  }
  return rc;
}

int cul_probe_judge_all(struct cul_probe *probe,
                        const struct cul_artefact *artefacts, size_t n,
                        enum cul_until until, struct cul_judged *out,
                        struct cul_err *err) {
  struct judging judging = {.probe = probe, .n = n, .out = out};
  int rc;
  judging.trials = cul_xcalloc(n + 1, sizeof *judging.trials);
  judging.states = cul_xcalloc(n + 1, sizeof *judging.states);
  for (size_t i = 0; i < n; i++) {
    out[i] = (struct cul_judged){0};
    judging.states[i] = CUL_TRIAL_WANTS_RUN;
    cul_trial_begin(&judging.trials[i], probe, &artefacts[i],
                    CUL_MAX_WORKERS + (int)i, false);
  }
  rc = judge(&judging, until, err);
  for (size_t i = 0; i < n; i++)
    cul_trial_hang_up(&judging.trials[i]);
  for (size_t i = 0; i < n; i++)
    cul_trial_release(&judging.trials[i]);
  free(judging.trials);
  free(judging.states);
  return rc;
}

int cul_probe_judge(struct cul_probe *probe,
                    const struct cul_artefact *artefact, bool learn,
                    struct cul_judged *out, struct cul_err *err) {
  struct cul_trial trial;
  enum cul_trial_state state = CUL_TRIAL_WANTS_RUN;
  struct judging judging = {
      .probe = probe, .trials = &trial, .states = &state, .n = 1, .out = out};
  int rc;
  cul_trial_begin(&trial, probe, artefact, CUL_MAX_WORKERS, learn);
  trial.judged = *out;
  trial.wanted = out->n == 0;
  *out = (struct cul_judged){0};
  rc = judge(&judging, CUL_UNTIL_END, err);
  if (rc < 0) { /* what was had stays had */
    *out = trial.judged;
    trial.judged = (struct cul_judged){0};
  }
  cul_trial_release(&trial);
  return rc;
}

int cul_probe_try_servers(struct cul_probe *probe,
                          const struct cul_artefact *artefact, double *share,
                          struct cul_err *err) {
  struct cul_trial trial;
  struct cul_judged verdict = {0};
  enum cul_trial_state state = CUL_TRIAL_WANTS_RUN;
  struct judging judging = {.probe = probe,
                            .trials = &trial,
                            .states = &state,
                            .n = 1,
                            .out = &verdict};
  int rc;
  cul_trial_begin_served(&trial, probe, artefact, 0);
  /* That a run of its own fails is known. */
  trial.request.flags |= CUL_RUN_NO_CACHE;
  rc = judge(&judging, CUL_UNTIL_END, err);
  *share = cul_trial_share(&trial, &verdict);
  cul_judged_release(&verdict);
  cul_trial_release(&trial);
  return rc;
}
