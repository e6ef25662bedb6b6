/* For failures that no rule recognizes, chooses the line that describes the
 * failure: the first likely line that most logs do not contain. */
#include <stdlib.h>
#include <string.h>

#include "../table.h"
#include "../triage.h"

enum { FEW_LOGS = 4 /* with fewer logs, no line counts as common */ };

/* The number of logs that contain each line. */
static struct cul_table *count_lines(const struct cul_triage *t) {
  struct cul_table *counts = cul_table_new();
  for (size_t m = 0; m < t->n_members; m++)
    for (size_t i = 0; i < t->members[m].n_guesses; i++)
      ++*cul_table_at(counts, &t->members[m].guesses[i].id, NULL);
  return counts;
}

/* The index of the line to use: the first that is not common, else the
 * rarest. */
static size_t choose(const struct cul_member *member, struct cul_table *counts,
                     size_t n_logs) {
  size_t rarest = 0, fewest = SIZE_MAX;
  for (size_t i = 0; i < member->n_guesses; i++) {
    size_t n = *cul_table_at(counts, &member->guesses[i].id, NULL);
    if (n_logs < FEW_LOGS || 2 * n <= n_logs)
      return i;
    if (n < fewest) {
      fewest = n;
      rarest = i;
    }
  }
  return rarest;
}

void cul_triage_guess(struct cul_triage *t) {
  struct cul_table *counts = count_lines(t);
  size_t n_logs = 0;
  for (size_t m = 0; m < t->n_members; m++)
    n_logs += t->members[m].n_guesses > 0;
  for (size_t m = 0; m < t->n_members; m++) {
    struct cul_member *member = &t->members[m];
    size_t i = member->n_guesses ? choose(member, counts, n_logs) : 0;
    if (i > 0)
      cul_triage_rename_guess(t, member, member->guesses[i].raw,
                              member->guesses[i].text);
  }
  cul_table_free(counts);
}
