/* The probe's loop: builds and judges the points that the search asks for.
 *
 * A slot is free, building (a child makes the candidate), tried (a trial is in
 * progress), or held (a good answer waits for earlier tickets).  All waits are
 * one poll. */
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/check.h"
#include "../base/clock.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "../runners/tree/strays.h"
#include "trial.h"

enum slot_state { FREE, BUILDING, TRYING, HELD };

struct slot {
  enum slot_state state;
  uint64_t ticket;
  struct cul_digest key;
  uint32_t *ids;
  size_t n_ids;
  int fd;              /* BUILDING */
  uint64_t resume_us;  /* BUILDING: when to continue the child next, in case a
                          tool stopped it */
  uint64_t give_up_us; /* BUILDING: from then on the child counts as hung */
  unsigned lost;       /* children that were killed, or could not be made */
  bool died;  /* a child died; the cause may be a lack of memory that nothing
                 reports, so the candidate is made once more */
  bool early; /* cul_sample_early */
  struct cul_built built;
  struct cul_trial trial; /* TRYING */
  bool on_disk;           /* materialised */
  enum cul_trial_state trial_state;
};

struct loop {
  struct cul_probe *probe;
  int n; /* slots */
  struct cul_space *space;
  struct cul_asker *search;
  struct slot *slots;
  uint64_t again_us; /* when to ask the search again, unless it is told an
                        answer earlier; 0: it gave no time */
  bool calls;        /* a call of the search, which must not wait, runs */
  struct cul_err *err;
};

/* Making a candidate takes milliseconds, but a compiler pass that is run as a
 * mutation may loop. */
static const uint64_t build_limit_us = 20 * 1000 * 1000;

/* The interval at which children are continued, in case a tool stopped them. */
static const uint64_t resume_us = 1000 * 1000;

static struct cul_point point_of(const struct slot *slot) {
  return (struct cul_point){slot->ids, slot->n_ids};
}

static void free_slot(struct loop *loop, int i, bool drop) {
  struct slot *slot = &loop->slots[i];
  if (slot->state == TRYING)
    cul_trial_release(&slot->trial);
  if (slot->state != FREE && drop)
    loop->space->drop(loop->space->self, i);
  free(slot->ids);
  *slot = (struct slot){0};
}

/* Did an earlier run of the job store an answer for this key?  A good answer is
 * never stored, because it needs its candidate anyway; nor is another failure,
 * because the watcher must receive it each time. */
static int recall(struct loop *loop, const struct cul_digest *key, bool *found,
                  struct cul_err *err) {
  struct cul_buf memo = {0};
  int rc = 0;
  *found = false;
  if (loop->probe->cache && loop->space->key)
    rc =
        cul_cache_memo_get(loop->probe->cache, "point", key, &memo, found, err);
  cul_buf_release(&memo);
  return rc;
}

static bool was_refused(const struct slot *slot) {
  char *path =
      slot->state == TRYING ? cul_judged_refused(&slot->trial.judged) : NULL;
  bool refused = path != NULL;
  free(path);
  return refused;
}

/* Store an answer for recall().  If the sandbox refused a write, none is
 * stored, because a later run may be allowed that write. */
static int remember(struct loop *loop, const struct slot *slot,
                    const struct cul_verdict *verdict) {
  enum cul_answer answer = verdict->answer;
  char byte = (char)answer;
  if (!loop->probe->cache || !loop->space->key || answer == CUL_SAME ||
      answer == CUL_UNRESOLVED || answer == CUL_BROKEN ||
      (answer == CUL_OTHER && verdict->sig.kind != CUL_KIND_NONE) ||
      was_refused(slot))
    return 0;
  return cul_cache_memo_put(loop->probe->cache, "point", &slot->key, &byte, 1,
                            loop->err);
}

/* The slot that works on a ticket; -1 when none does any more. */
static int slot_of(const struct loop *loop, uint64_t ticket) {
  for (int i = 0; i < loop->n; i++)
    if (loop->slots[i].state != FREE && loop->slots[i].ticket == ticket)
      return i;
  return -1;
}

static int commit_slot(struct loop *loop, int i) {
  struct slot *slot = &loop->slots[i];
  struct cul_point point = point_of(slot);
  int rc = loop->space->commit(loop->space->self, i, &point, &slot->built,
                               loop->err);
  if (!cul_is_cut(rc))
    loop->probe->best_ops = slot->built.size.ops;
  free_slot(loop, i, false);
  return rc;
}

/* Commit the candidates that the search accepted, and drop those that it gave
 * up. */
static int settle(struct loop *loop) {
  struct cul_asker *search = loop->search;
  uint64_t accepted, stale[CUL_MAX_SLOTS];
  size_t n;
  while ((accepted = search->accepted(search->self))) {
    int i = slot_of(loop, accepted);
    int rc = i >= 0 ? commit_slot(loop, i) : 0;
    if (rc < 0)
      return rc;
  }
  while ((n = search->stale(search->self, stale, CUL_ARRAY_SIZE(stale))))
    for (size_t k = 0; k < n; k++) {
      int i = slot_of(loop, stale[k]);
      if (i >= 0)
        free_slot(loop, i, true);
    }
  return 0;
}

static int tell(struct loop *loop, uint64_t ticket,
                const struct cul_verdict *verdict) {
  struct cul_asker *search = loop->search;
  loop->again_us = 0;
  loop->calls = true;
  search->tell(search->self, ticket, verdict);
  loop->calls = false;
  return settle(loop);
}

/* The slot's point has its verdict. */
static int conclude(struct loop *loop, int i,
                    const struct cul_verdict *verdict) {
  struct slot *slot = &loop->slots[i];
  struct cul_watcher *watcher = &loop->probe->watcher;
  struct cul_point point = point_of(slot);
  uint64_t ticket = slot->ticket;
  int rc = 0;
  /* An accepted candidate must be of the tool as it was; a test that cannot run
   * may be one that is being built. */
  bool now = verdict->answer == CUL_SAME || verdict->answer == CUL_BROKEN ||
             loop->probe->doubt.passes;
  rc = cul_probe_tools_hold(loop->probe, now, loop->err);
  if (rc == 0)
    rc = remember(loop, slot, verdict);
  if (rc == 0) /* a write to the store may have noticed a change */
    rc = cul_probe_tools_hold(loop->probe, false, loop->err);
  if (rc < 0)
    return rc;
  if (rc == 0 && verdict->answer == CUL_BROKEN)
    rc = cul_fail(loop->err, CUL_EENV,
                  "run the command by hand on the input and fix it",
                  "the test itself cannot run: %s", verdict->why);
  if (watcher->judged)
    watcher->judged(watcher->self, i, ticket, &point, &slot->built, verdict);
  if (verdict->answer == CUL_SAME) {
    if (slot->state == TRYING)
      cul_trial_release(&slot->trial);
    slot->state = HELD;
  }
  if (verdict->answer != CUL_SAME)
    free_slot(loop, i, true);
  if (rc < 0)
    return rc;
  return tell(loop, ticket, verdict);
}

static int conclude_invalid(struct loop *loop, int i, const char *why) {
  struct cul_verdict verdict = {.answer = CUL_INVALID, .confidence = 1};
  cul_phrase(verdict.why, sizeof verdict.why, "%s", why);
  loop->probe->counts.invalid++;
  return conclude(loop, i, &verdict);
}

static int build(struct loop *loop, int i) {
  struct slot *slot = &loop->slots[i];
  struct cul_point point = point_of(slot);
  slot->state = BUILDING;
  slot->resume_us = cul_now_us() + resume_us;
  slot->give_up_us =
      cul_now_us() +
      (loop->probe->build_ms ? loop->probe->build_ms * 1000 : build_limit_us);
  return loop->space->begin(loop->space->self, &point, i, &slot->fd, loop->err);
}

/* Begin the point of a ticket in slot i. */
static int begin_point(struct loop *loop, int i, const struct cul_point *point,
                       uint64_t ticket) {
  struct slot *slot = &loop->slots[i];
  struct cul_verdict no = {.answer = CUL_PASSES, .confidence = 1};
  struct cul_digest key = {{0, 0}};
  bool known;
  int rc;
  loop->probe->counts.asked++;
  if (loop->space->key)
    loop->space->key(loop->space->self, point, &key);
  rc = recall(loop, &key, &known, loop->err);
  if (rc < 0)
    return rc;
  if (known) {
    loop->probe->counts.recalled++;
    return tell(loop, ticket, &no);
  }
  *slot = (struct slot){.ticket = ticket, .key = key};
  slot->early = cul_sample_early(&loop->probe->traced.samples.asked);
  slot->ids = cul_xreallocarray(NULL, point->n, sizeof *slot->ids);
  for (size_t k = 0; k < point->n; k++)
    slot->ids[k] = point->ids[k];
  slot->n_ids = point->n;
  rc = build(loop, i);
  if (rc < 0)
    free_slot(loop, i, false);
  return rc;
}

static int build_once_more(struct loop *loop, int i) {
  struct slot *slot = &loop->slots[i];
  if (slot->state == TRYING)
    cul_trial_release(&slot->trial);
  loop->space->drop(loop->space->self, i);
  slot->on_disk = false;
  slot->built = (struct cul_built){0};
  return build(loop, i);
}

/* The slot's child was killed, or the machine refused to make it.  This is not
 * an answer about the candidate: make another child.  loop->err has the reason.
 */
static int build_again(struct loop *loop, int i) {
  enum { MOST_LOST = 3 };
  struct slot *slot = &loop->slots[i];
  if (slot->lost++ >= MOST_LOST)
    return conclude_invalid(loop, i, loop->err->what);
  cul_status_transient(
      CUL_TRANSIENT_WORKER,
      "note:      a candidate was lost; culprit makes it again: %s",
      loop->err->what);
  return build_once_more(loop, i);
}

static int count_active(const struct loop *loop) {
  int n = 0;
  for (int i = 0; i < loop->n; i++)
    n += loop->slots[i].state == BUILDING || loop->slots[i].state == TRYING;
  return n;
}

/* Is it too early to ask the search again? */
static bool is_too_early(const struct loop *loop) {
  return loop->again_us > 0 && cul_now_us() < loop->again_us;
}

static int fill_slots(struct loop *loop) {
  int room = is_too_early(loop) ? 0 : loop->probe->workers - count_active(loop);
  for (int i = 0; i < loop->n && room > 0; i++) {
    struct cul_point point;
    uint64_t ticket;
    while (loop->slots[i].state == FREE) {
      int rc;
      loop->again_us = 0;
      if (!loop->search->ask(loop->search->self, &point, &ticket,
                             &loop->again_us))
        return 0;
      rc = begin_point(loop, i, &point, ticket);
      if (rc < 0)
        return rc;
    }
    room = loop->probe->workers - count_active(loop);
  }
  return 0;
}

/* A child has answered, died, or hung. */
static int take_built(struct loop *loop, int i, bool hung) {
  struct slot *slot = &loop->slots[i];
  int rc;
  if (hung)
    return conclude_invalid(loop, i, "the edit did not end");
  rc = loop->space->built(loop->space->self, i, &slot->built, loop->err);
  if (rc == CUL_ELOST)
    return build_again(loop, i);
  if (rc == CUL_ECHILD && !slot->died)
    return slot->died = true, build_once_more(loop, i);
  if (rc == CUL_ECHILD)
    return conclude_invalid(loop, i, loop->err->what);
  if (rc < 0)
    return rc;
  if (slot->built.pending) {
    slot->fd = slot->built.fd;
    return 0;
  }
  if (!slot->built.valid)
    return conclude_invalid(loop, i, slot->built.why);
  slot->state = TRYING;
  slot->trial_state = CUL_TRIAL_WANTS_RUN;
  cul_trial_begin_served(&slot->trial, loop->probe, &slot->built.art, i,
                         slot->early);
  return 0;
}

static int count_running(const struct loop *loop) {
  int running = 0;
  for (int i = 0; i < loop->n; i++)
    running += loop->slots[i].state == TRYING &&
               loop->slots[i].trial_state == CUL_TRIAL_RUNNING;
  return running;
}

/* Will the running runs use up the budget of runs? */
static bool is_last_running(const struct loop *loop) {
  uint64_t running = (uint64_t)count_running(loop);
  uint64_t most = loop->probe->budget.max_runs;
  return most && running &&
         cul_counts_ended(&loop->probe->counts) + running >= most;
}

/* May the slot start a process now?  A run that must be alone waits for the
 * others to end and keeps new ones out. */
static bool may_start(const struct loop *loop, const struct slot *slot) {
  bool alone = cul_trial_alone(&slot->trial);
  if (is_last_running(loop))
    return false;
  for (int i = 0; i < loop->n; i++) {
    const struct slot *other = &loop->slots[i];
    if (other == slot || other->state != TRYING)
      continue;
    if (other->trial_state == CUL_TRIAL_RUNNING && alone)
      return false;
    if (cul_trial_alone(&other->trial) &&
        (!alone || other->trial_state == CUL_TRIAL_RUNNING))
      return false;
  }
  return true;
}

static bool is_live(const struct loop *loop, const struct slot *slot) {
  return loop->probe->runner->live && slot->built.art.live_fd >= 0;
}

/* Must the candidate's files be written first?  A run in the process that holds
 * the candidate needs none. */
static bool needs_files(const struct slot *slot) {
  return !slot->on_disk && cul_trial_needs_files(&slot->trial);
}

static int step_trial(struct loop *loop, int i) {
  struct slot *slot = &loop->slots[i];
  struct cul_verdict verdict;
  int rc = cul_trial_step(&slot->trial, false, &slot->trial_state, loop->err);
  if (rc == 0 && slot->trial_state == CUL_TRIAL_WANTS_RUN &&
      may_start(loop, slot)) {
    rc = cul_probe_budget_left(loop->probe, loop->err);
    if (rc == 0 && needs_files(slot)) {
      rc = loop->space->materialise(loop->space->self, i, loop->err);
      slot->on_disk = rc == 0;
    }
    if (rc == CUL_ELOST)
      return build_again(loop, i);
    if (rc == CUL_ECHILD)
      return conclude_invalid(loop, i, loop->err->what);
    if (rc < 0)
      return rc;
    rc = cul_trial_step(&slot->trial, true, &slot->trial_state, loop->err);
  }
  if (rc < 0 || slot->trial_state != CUL_TRIAL_DONE)
    return rc;
  verdict = slot->trial.judged.verdict;
  if (verdict.answer == CUL_BROKEN && is_live(loop, slot) && slot->lost == 0) {
    cul_fail(loop->err, CUL_ELOST, "", "%s", verdict.why);
    return build_again(loop, i);
  }
  return conclude(loop, i, &verdict);
}

static int step_slot(struct loop *loop, int i, bool ready) {
  struct slot *slot = &loop->slots[i];
  if (slot->state == BUILDING) {
    bool hung = !ready && cul_now_us() > slot->give_up_us;
    if (!ready && !hung && cul_now_us() > slot->resume_us) {
      slot->resume_us = cul_now_us() + resume_us;
      cul_strays_resume();
    }
    return ready || hung ? take_built(loop, i, hung) : 0;
  }
  return slot->state == TRYING ? step_trial(loop, i) : 0;
}

static uint64_t count_idle(const struct loop *loop) {
  int running = count_running(loop);
  return running < loop->probe->workers
             ? (uint64_t)(loop->probe->workers - running)
             : 0;
}

/* How long one poll may take, in milliseconds: rounded up, so that it does not
 * end before again_us, and at most 100, so that cul_watcher.tick is called in
 * time. */
static int patience_ms(const struct loop *loop) {
  enum { LONGEST_MS = 100 };
  uint64_t now = cul_now_us();
  uint64_t left =
      loop->again_us > now ? (loop->again_us - now + 999) / 1000 : LONGEST_MS;
  return left < LONGEST_MS ? (int)left : LONGEST_MS;
}

/* One poll over everything in flight, then one step of every slot. */
static int turn(struct loop *loop) {
  struct pollfd fds[CUL_MAX_SLOTS * CUL_RUN_MAX_FDS];
  size_t n = 0, first[CUL_MAX_SLOTS] = {0};
  uint64_t before, idle;
  bool building = false;
  int timeout = patience_ms(loop), rc = 0;
  for (int i = 0; i < loop->n; i++) {
    struct slot *slot = &loop->slots[i];
    first[i] = n;
    building |= slot->state == BUILDING;
    if (slot->state == BUILDING && slot->fd < 0)
      timeout = 0;
    else if (slot->state == BUILDING)
      fds[n++] = (struct pollfd){.fd = slot->fd, .events = POLLIN};
    else if (slot->state == TRYING && slot->trial_state == CUL_TRIAL_RUNNING)
      n += cul_trial_fds(&slot->trial, fds + n, CUL_RUN_MAX_FDS);
    else if (slot->state == TRYING && may_start(loop, slot))
      timeout = 0;
  }
  before = cul_now_us();
  cul_check(!loop->calls);
  poll(fds, n, timeout);
  idle = count_idle(loop) * (cul_now_us() - before);
  loop->probe->counts.idle_us += idle;
  loop->probe->counts.idle_building_us += building ? idle : 0;
  for (int i = 0; i < loop->n && rc == 0; i++)
    rc = step_slot(loop, i,
                   loop->slots[i].state == BUILDING &&
                       (loop->slots[i].fd < 0 || fds[first[i]].revents));
  loop->probe->running = count_running(loop);
  cul_probe_tick(loop->probe);
  return rc;
}

static bool all_free(const struct loop *loop) {
  for (int i = 0; i < loop->n; i++)
    if (loop->slots[i].state != FREE)
      return false;
  return true;
}

/* Detect a search that would wait for ever: it asked for nothing and gave no
 * time to ask it again, and nothing is under way. */
static void check_progress(const struct loop *loop, uint64_t asked) {
  if (count_active(loop) == 0 && loop->again_us == 0 &&
      loop->probe->counts.asked == asked &&
      !loop->search->finished(loop->search->self))
    cul_bug("a search neither asks for a point, nor waits, nor ends");
}

int cul_probe_run(struct cul_probe *probe, struct cul_space *space,
                  struct cul_asker *search, struct cul_err *err) {
  struct loop loop = {
      .probe = probe, .space = space, .search = search, .err = err};
  int rc = 0;
  loop.n = probe->slots ? probe->slots : probe->workers;
  loop.slots = cul_xcalloc((size_t)loop.n, sizeof *loop.slots);
  while (rc == 0 && !search->finished(search->self)) {
    uint64_t asked = probe->counts.asked;
    rc = cul_probe_budget_left(probe, err);
    if (rc == 0 && search->left && search->left(search->self))
      rc = settle(&loop);
    if (rc == 0 && search->finished(search->self))
      break;
    if (rc == 0)
      rc = fill_slots(&loop);
    if (rc == 0)
      check_progress(&loop, asked);
    /* If all answers were recalled, no slot is busy that could end a poll. */
    if (rc == 0 && ((all_free(&loop) && loop.again_us == 0) ||
                    search->finished(search->self)))
      continue;
    if (rc == 0)
      rc = turn(&loop);
  }
  for (int i = 0; i < loop.n; i++)
    if (loop.slots[i].state == TRYING)
      cul_trial_hang_up(&loop.slots[i].trial);
  for (int i = 0; i < loop.n; i++)
    free_slot(&loop, i, true);
  free(loop.slots);
  probe->running = 0;
  return rc;
}
