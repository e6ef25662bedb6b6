/* Search for a passing neighbour if the reduction left none: the candidates
 * that passed were edits of larger revisions, and of edits of the result only
 * the answers were remembered.  Single sites are asked again; the cache has
 * most of their runs. */
#include "../job/neighbour.h"
#include "../job/watch.h"
#include "../mutations/mutation.h"
#include "../plan/plan.h"

/* Most sites of one mutation, and most runs in all. */
enum { MOST_SITES = 8, MOST_RUNS = 24 };

/* An asker that asks for each site alone and accepts nothing. */
struct seeking {
  const struct cul_listing *list;
  bool light; /* leave out sites of more than one operation */
  uint32_t next, asked, n_asked;
  uint64_t ticket, told;          /* last ticket, from 1; number of answers */
  uint64_t held[CUL_MAX_WORKERS]; /* tickets that failed: to be given up */
  size_t n_held;
};

/* Have all sites been asked?  Moves over sites that are not to be asked. */
static bool is_through(struct seeking *seeking) {
  const struct cul_listing *list = seeking->list;
  while (seeking->next < list->n_sites && seeking->light &&
         list->sites[seeking->next].weight > 1)
    seeking->next++;
  return seeking->n_asked == MOST_SITES || seeking->next >= list->n_sites;
}

static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct seeking *seeking = self;
  (void)again_us;
  if (is_through(seeking))
    return false;
  seeking->n_asked++;
  seeking->asked = seeking->next++;
  *point = (struct cul_point){&seeking->asked, 1};
  *ticket = ++seeking->ticket;
  return true;
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct seeking *seeking = self;
  seeking->told++;
  if (verdict->answer == CUL_SAME)
    seeking->held[seeking->n_held++] = ticket;
}

static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct seeking *seeking = self;
  size_t n = 0;
  while (n < max && seeking->n_held > 0)
    tickets[n++] = seeking->held[--seeking->n_held];
  return n;
}

static uint64_t accepted(void *self) {
  (void)self;
  return 0;
}

static bool finished(void *self) {
  struct seeking *seeking = self;
  return is_through(seeking) && seeking->told == seeking->ticket;
}

/* The watcher of the job keeps what passes (cul_neighbour_consider) and other
 * failures. */
static int seek_once(struct cul_reduce *job, uint32_t mutation, bool light,
                     struct cul_err *err) {
  struct cul_space view = cul_edit_space_view(&job->subject.space);
  struct seeking seeking = {.list = &job->subject.space.lists[0],
                            .light = light};
  struct cul_asker asker = {&seeking, ask,      tell, stale,
                            accepted, finished, NULL};
  int rc = cul_edit_space_list(&job->subject.space, mutation, err);
  view.key = NULL; /* no remembered answers: they have no text */
  if (rc < 0 || is_through(&seeking))
    return rc;
  rc = cul_probe_run(&job->target.probe, &view, &asker, err);
  for (uint64_t ticket = 1; ticket <= seeking.ticket; ticket++)
    cul_other_failures_learnt(&job->others, ticket);
  return rc;
}

static int seek_by(struct cul_reduce *job, uint32_t mutation, bool light,
                   struct cul_err *err) {
  int rc = seek_once(job, mutation, light, err);
  if (rc != CUL_ELOST)
    return rc;
  rc = cul_reduce_recover(job, rc, err);
  return rc ? rc : seek_once(job, mutation, light, err);
}

static bool is_asked(const struct cul_reduce *job, uint32_t mutation) {
  const struct cul_statistics *known = &job->subject.statistics[mutation];
  return !known->dead &&
         (known->phase == CUL_PHASE_DELTA || known->phase == CUL_PHASE_FINE) &&
         !(known->flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN | CUL_MUT_COMMAND));
}

static int seek(struct cul_reduce *job, uint64_t most, bool light,
                struct cul_err *err) {
  const struct cul_counts *counts = &job->target.probe.counts;
  int rc = 0;
  for (uint32_t m = 0;
       m < job->subject.n_mutations && rc == 0 &&
       job->neighbours.nearest.text.len == 0 && counts->executed < most;
       m++)
    if (is_asked(job, m))
      rc = seek_by(job, m, light, err);
  return rc;
}

int cul_neighbour_seek(struct cul_reduce *job, struct cul_err *err) {
  uint64_t most = job->target.probe.counts.executed + MOST_RUNS;
  bool changed;
  int rc;
  if (!job->subject.open || job->neighbours.nearest.text.len > 0 ||
      job->subject.space.best.size.bytes > CUL_NEIGHBOUR_MOST)
    return 0;
  rc = cul_edit_space_adopt(&job->subject.space, &changed, err);
  rc = cul_reduce_recover(job, rc, err);
  if (rc == 0)
    rc = seek(job, most, true, err);
  if (rc == 0)
    rc = seek(job, most, false, err);
  return rc == CUL_EBUDGET ? 0 : rc;
}
