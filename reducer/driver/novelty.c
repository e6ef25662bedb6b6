/* The failures of novel edits: see novelty.h. */
#include "novelty.h"

#include <stdlib.h>

#include "../mutations/mutation.h"

/* How often one kind may fail: while much else can go, and in all. */
enum { FEW = 2, MOST = 4 };

void cul_novelty_release(struct cul_novelty_history *history) {
  free(history->failures);
  *history = (struct cul_novelty_history){0};
}

bool cul_novelty_unasked(uint32_t mutation_flags) {
  return mutation_flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN | CUL_MUT_ONCE);
}

static bool is_novel(const struct cul_novel *novel) {
  return novel->what[0] > CUL_NOVEL_ALONE;
}

/* Of two novel things at once either may be to blame. */
static uint32_t together(const struct cul_novel *novel) {
  return novel->what[1] ? novel->what[0] * 31 + novel->what[1] : novel->what[0];
}

static struct cul_novelty_failures *
find(const struct cul_novelty_history *history, uint32_t what) {
  for (size_t i = 0; i < history->n; i++)
    if (history->failures[i].what == what)
      return &history->failures[i];
  return NULL;
}

static void add(struct cul_novelty_history *history, uint32_t what) {
  struct cul_novelty_failures *failures = find(history, what);
  if (!failures) {
    if (history->n == history->cap) {
      history->cap = history->cap ? 2 * history->cap : 64;
      history->failures = cul_xreallocarray(history->failures, history->cap,
                                            sizeof *history->failures);
    }
    failures = &history->failures[history->n++];
    *failures = (struct cul_novelty_failures){what, 0};
  }
  failures->failed++;
}

void cul_novelty_failed(struct cul_novelty_history *history,
                        const struct cul_novel *novel) {
  if (is_novel(novel))
    add(history, together(novel));
}

static bool is_worn(const struct cul_novelty_history *history, uint32_t what,
                    uint32_t most) {
  const struct cul_novelty_failures *failures =
      what ? find(history, what) : NULL;
  return failures && failures->failed >= most;
}

/* From the last site to the first: what comes late can mostly go first. */
bool *cul_novelty_worth(const struct cul_novelty_history *history,
                        const struct cul_listing *list, uint32_t mutation_flags,
                        bool every_site) {
  bool *worth = cul_xcalloc(list->n_sites + 1, sizeof *worth);
  struct cul_novelty_history asked = {0};
  uint32_t most = every_site ? MOST : FEW;
  for (size_t i = list->n_sites; i-- > 0;) {
    const struct cul_novel *novel = &list->sites[i].novel;
    const struct cul_novelty_failures *before = find(history, together(novel));
    const struct cul_novelty_failures *here = find(&asked, together(novel));
    uint32_t failed = (before ? before->failed : 0) + (here ? here->failed : 0);
    worth[i] = cul_novelty_unasked(mutation_flags) || !is_novel(novel) ||
               (failed < most && !is_worn(history, novel->what[0], most) &&
                !is_worn(history, novel->what[1], most));
    if (worth[i])
      cul_novelty_failed(&asked, novel);
  }
  cul_novelty_release(&asked);
  return worth;
}
