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
  for (size_t i = journal->n_events; i-- > 0;)
    if (journal->events[i].why[0] && journal->events[i].answer != CUL_SAME &&
        journal->events[i].answer != CUL_PASSES)
      return journal->events[i].why;
  return "";
}
