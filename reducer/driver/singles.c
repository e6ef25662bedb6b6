/* Asks for points in a row: see singles.h. */
#include "singles.h"

struct asking {
  const struct cul_driver_events *events;
  const struct cul_singles *singles;
  size_t window, open;
  size_t next;  /* to ask for; its ticket is one more */
  size_t first; /* that is not answered "no" */
  bool no[CUL_MAX_SINGLES], yes[CUL_MAX_SINGLES];
  bool given; /* what is accepted was told */
};

static bool is_over(const struct asking *asking) {
  return asking->first >= asking->singles->n || asking->yes[asking->first];
}

static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct asking *asking = self;
  const struct cul_driver_events *events = asking->events;
  bool any = false;
  if (events->paused_until && !is_over(asking) &&
      (*again_us = events->paused_until(events->self)) > 0)
    return false;
  for (size_t i = asking->first; i < asking->next; i++)
    any |= asking->yes[i];
  if (any || asking->next >= asking->singles->n ||
      asking->open >= asking->window)
    return false;
  asking->open++;
  *point = asking->singles->points[asking->next++];
  *ticket = asking->next;
  return true;
}

static void learn(struct asking *asking) {
  const struct cul_driver_events *events = asking->events;
  asking->first++;
  if (events->learnt)
    events->learnt(events->self, asking->first);
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct asking *asking = self;
  asking->open--;
  asking->yes[ticket - 1] = verdict->answer == CUL_SAME;
  asking->no[ticket - 1] = !asking->yes[ticket - 1];
  while (asking->first < asking->singles->n && asking->no[asking->first])
    learn(asking);
}

static size_t stale(void *self, uint64_t *tickets, size_t max) {
  (void)self;
  (void)tickets;
  (void)max;
  return 0;
}

static uint64_t accepted(void *self) {
  struct asking *asking = self;
  if (asking->given || asking->open > 0 || !is_over(asking) ||
      asking->first >= asking->singles->n)
    return 0;
  asking->given = true;
  return asking->first + 1;
}

static bool finished(void *self) {
  const struct asking *asking = self;
  return asking->open == 0 && is_over(asking);
}

int cul_singles_run(struct cul_driver *driver,
                    const struct cul_singles *singles, size_t *first,
                    struct cul_err *err) {
  const struct cul_driver_events *events = &driver->events;
  struct asking asking = {.events = events,
                          .singles = singles,
                          .next = singles->from,
                          .first = singles->from,
                          .window = driver->workers};
  struct cul_asker asker = {&asking,  ask,      tell, stale,
                            accepted, finished, NULL};
  int rc = 0;
  if (singles->n > singles->from)
    rc = driver->edits.run(driver->edits.self, &asker, err);
  if (events->over)
    events->over(events->self);
  *first = asking.first;
  return rc;
}
