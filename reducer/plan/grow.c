/* Pumps: edits that make the subject larger so that others can make it
 * smaller than it was.  Each is taken provisionally, where it fails the same,
 * and followed by the mutations of delta, site by site; what comes of it is
 * kept if it is smaller than before.  All of that happens in a worker of its
 * own, beside the one that holds the best; the output and the report see
 * nothing of it until then. */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../driver/singles.h"
#include "../job/watch.h"
#include "../mutations/mutation.h"
#include "plan.h"

/* Find the first site from *at on that fails the same: space->best_child, if
 * there is one; *at: its number. */
static int find_one(struct cul_reduce *job, uint32_t mutation, uint32_t *at,
                    struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_singles singles = {.from = *at};
  uint32_t ids[CUL_MAX_SINGLES];
  size_t first;
  int rc = cul_edit_space_list(space, mutation, err);
  if (rc < 0)
    return rc;
  while (singles.n < CUL_MAX_SINGLES && singles.n < space->lists[0].n_sites) {
    ids[singles.n] = (uint32_t)singles.n;
    singles.points[singles.n] = (struct cul_point){&ids[singles.n], 1};
    singles.n++;
  }
  if (*at == 0)
    job->subject.statistics[mutation].sites += singles.n;
  space->may_grow = true;
  rc = cul_singles_run(&job->driver, &singles, &first, err);
  space->may_grow = false;
  *at = (uint32_t)first;
  return rc;
}

/* Another worker for what was found; the old one is *kept.  *taken: false
 * where what was found does not parse again. */
static int enter(struct cul_reduce *job, struct cul_worker **kept, bool *taken,
                 struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_chosen_form found = {0};
  struct cul_buf text = {0};
  struct cul_err unread = {0};
  int rc = cul_child_text(space->best_child, &text, err);
  *taken =
      rc == 0 && cul_form_identity(&job->subject.workers,
                                   cul_form_reading(&job->subject.form),
                                   cul_buf_bytes(&text), &found, &unread) == 0;
  if (*taken) {
    *kept = space->worker;
    space->worker = found.worker;
    found.worker = NULL;
    space->revision = space->best_digest = found.digest;
    space->best = found.size;
  }
  cul_chosen_form_release(&found);
  cul_buf_release(&text);
  return rc;
}

/* The mutations of delta, site by site, until nothing changes. */
static int shrink(struct cul_reduce *job, struct cul_err *err) {
  struct cul_turn *turns =
      cul_xreallocarray(NULL, job->subject.n_mutations + 1, sizeof *turns);
  bool again = true;
  size_t n = 0;
  int rc = 0;
  for (uint32_t m = 0; m < job->subject.n_mutations; m++)
    if (job->subject.statistics[m].phase == CUL_PHASE_DELTA &&
        !(job->subject.statistics[m].flags & (CUL_MUT_RANGE | CUL_MUT_COMMAND)))
      turns[n++] = (struct cul_turn){.mutation = m,
                                     .rule = "minimal",
                                     .kind = CUL_TURN_MINIMAL,
                                     .phase = job->phase};
  while (again && rc == 0) {
    again = false;
    rc = cul_reduce_mutate_all(job, turns, n, &again, err);
  }
  free(turns);
  return rc;
}

/* What found nothing below the floor may find something above it. */
static void forget_fruitless(struct cul_reduce *job) {
  for (size_t m = 0; m < job->subject.n_mutations; m++)
    memset(job->subject.statistics[m].fruitless, 0,
           sizeof job->subject.statistics[m].fruitless);
}

/* First what is below the floor in one step: of several steps the first ones
 * may just take back what the growing edit did.  Those are left to growing
 * edits that change the whole module at once: others have many sites. */
static int shrink_below(struct cul_reduce *job, bool once,
                        struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_size size = space->best;
  int rc;
  space->best = *space->floor;
  rc = shrink(job, err);
  if (rc < 0 || !once || cul_size_less(&space->best, space->floor))
    return rc;
  space->best = size;
  forget_fruitless(job);
  return shrink(job, err);
}

/* The growing edit's own worker goes, or the one that was kept. */
static void leave(struct cul_reduce *job, struct cul_worker *kept,
                  bool gained) {
  struct cul_worker *gone = gained ? kept : job->subject.space.worker;
  if (!gained)
    job->subject.space.worker = kept;
  job->subject.losses.origins |= gained;
  cul_worker_close(gone);
}

/* One growing edit at the first site from *at on that fails the same; *at: the
 * next to try.  *taken: there was one; *gained: the subject is smaller for it.
 */
static int grow_once(struct cul_reduce *job, uint32_t mutation, uint32_t *at,
                     bool *taken, bool *gained, struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_size before = space->best;
  struct cul_digest digest = space->best_digest;
  struct cul_worker *kept = NULL;
  bool lost = job->subject.losses.origins;
  int rc;
  space->floor = &before;
  space->avoid = digest;
  rc = find_one(job, mutation, at, err);
  *taken = rc == 0 && space->best_child;
  if (*taken)
    rc = enter(job, &kept, taken, err);
  cul_child_drop(space->best_child);
  space->best_child = NULL;
  if (rc == 0 && *taken)
    rc = shrink_below(
        job, job->subject.statistics[mutation].flags & CUL_MUT_ONCE, err);
  ++*at;
  space->floor = NULL;
  *gained = kept && cul_size_less(&space->best, &before);
  if (!*gained) { /* what the output holds */
    space->best = before;
    space->revision = space->best_digest = digest;
    job->target.probe.best_ops = before.ops;
    job->subject.losses.origins = lost;
  }
  if (kept)
    leave(job, kept, *gained);
  if (*gained)
    cul_reduce_gained(job, mutation, &before);
  if (rc == CUL_ELOST) { /* another worker; the same site, then */
    rc = cul_reduce_recover(job, rc, err);
    *taken = rc == 0;
    --*at;
  }
  return rc;
}

static bool is_growing(const struct cul_statistics *known) {
  return !known->dead &&
         (known->phase == CUL_PHASE_GROW || (known->flags & CUL_MUT_GROWS));
}

int cul_reduce_grow(struct cul_reduce *job, bool *changed,
                    struct cul_err *err) {
  bool gained = false;
  int rc = 0;
  for (uint32_t m = 0; m < job->subject.n_mutations && rc == 0 && !gained;
       m++) {
    struct cul_statistics *known = &job->subject.statistics[m];
    bool taken = true;
    if (!is_growing(known) ||
        cul_digest_equal(&known->grown, &job->subject.space.revision))
      continue;
    for (uint32_t at = 0; taken && !gained && rc == 0;) {
      rc = grow_once(job, m, &at, &taken, &gained, err);
      taken &= !cul_reduce_skips(job, m);
    }
    known->grown = job->subject.space.revision;
  }
  *changed |= gained; /* everything else first, again */
  return rc;
}
