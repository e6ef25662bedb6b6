/* The work of one bisection: its builds and runs in order, for the report, and
 * which commits were tested. */
#ifndef CUL_BISECT_LEDGER_JOURNAL_H
#define CUL_BISECT_LEDGER_JOURNAL_H

#include "../history/lacking.h"

/* One build or run. */
struct cul_journal_event {
  uint32_t commit, attempt;
  bool build; /* else a run */
  enum cul_answer answer;
  bool recalled; /* of an earlier job */
  uint64_t us;
  char why[200];
};

enum cul_journal_seen { CUL_SEEN_TOLD = 1, CUL_SEEN_BUILT = 2 };

struct cul_journal {
  const struct cul_range *range; /* borrowed, as lacking */
  struct cul_lacking *lacking;
  struct cul_journal_event *events;
  size_t n_events;
  uint8_t *seen;          /* per commit of the range: enum cul_journal_seen */
  uint32_t built, failed; /* builds */
};

/* Open it for the commits of the range, whose history must have been read. */
void cul_journal_open(struct cul_journal *journal);
void cul_journal_release(struct cul_journal *journal);
/* Add an event.  If it has no answer because its commit lacks a submodule, that
 * becomes its reason. */
void cul_journal_add(struct cul_journal *journal,
                     const struct cul_journal_event *event);
/* The reason why the last commit without an answer had none. */
const char *cul_journal_last_why(const struct cul_journal *journal);

#endif
