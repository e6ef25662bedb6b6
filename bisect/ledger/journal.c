/* The journal: see journal.h. */
#include "journal.h"

#include <stdlib.h>

void cul_journal_open(struct cul_journal *journal) {
  journal->seen =
      cul_xcalloc((size_t)journal->range->history.n + 1, sizeof *journal->seen);
}

void cul_journal_release(struct cul_journal *journal) {
  free(journal->events);
  free(journal->seen);
}

void cul_journal_add(struct cul_journal *journal,
                     const struct cul_journal_event *event) {
  journal->events = cul_xreallocarray(journal->events, journal->n_events + 1,
                                      sizeof *journal->events);
  journal->events[journal->n_events] = *event;
  if (event->answer != CUL_SAME && event->answer != CUL_PASSES)
    cul_lacking_blame(journal->lacking, journal->range, event->commit,
                      journal->events[journal->n_events].why);
  journal->n_events++;
  journal->seen[event->commit] |= CUL_SEEN_TOLD;
  if (event->build)
    journal->seen[event->commit] |= CUL_SEEN_BUILT;
}

const char *cul_journal_last_why(const struct cul_journal *journal) {
  const char *uncounted = NULL;
  for (size_t i = journal->n_events; i-- > 0;) {
    const struct cul_journal_event *event = &journal->events[i];
    bool counts = event->answer != CUL_SAME && event->answer != CUL_PASSES;
    if (event->why[0] && counts)
      return event->why;
    if (event->why[0] && !uncounted)
      uncounted = event->why; /* of a run that passes or fails, and yet says
                                 nothing */
  }
  return uncounted ? uncounted : "no run of it shows whether it passes";
}
