/* The fate of strange edits: see strange.h. */
#include "strange.h"

#include <stdlib.h>

#include "mutations/mutation.h"

/* How often one kind may fail: while much else can go, and in all. */
enum { FEW = 2, MOST = 4 };

void cul_strange_release(struct cul_strange_record *record) {
  free(record->fates);
  *record = (struct cul_strange_record){0};
}

bool cul_strange_unasked(uint32_t mutation_flags) {
  return mutation_flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN | CUL_MUT_ONCE);
}

static bool is_strange(const struct cul_strange *strange) {
  return strange->what[0] > CUL_STRANGE_ALONE;
}

/* Of two strange things at once either may be to blame. */
static uint32_t together(const struct cul_strange *strange) {
  return strange->what[1] ? strange->what[0] * 31 + strange->what[1]
                          : strange->what[0];
}

static struct cul_strange_fate *find(const struct cul_strange_record *record,
                                     uint32_t what) {
  for (size_t i = 0; i < record->n; i++)
    if (record->fates[i].what == what)
      return &record->fates[i];
  return NULL;
}

static void add(struct cul_strange_record *record, uint32_t what) {
  struct cul_strange_fate *fate = find(record, what);
  if (!fate) {
    if (record->n == record->cap) {
      record->cap = record->cap ? 2 * record->cap : 64;
      record->fates =
          cul_xreallocarray(record->fates, record->cap, sizeof *record->fates);
    }
    fate = &record->fates[record->n++];
    *fate = (struct cul_strange_fate){what, 0};
  }
  fate->failed++;
}

void cul_strange_failed(struct cul_strange_record *record,
                        const struct cul_strange *strange) {
  if (is_strange(strange))
    add(record, together(strange));
}

static bool is_worn(const struct cul_strange_record *record, uint32_t what,
                    uint32_t most) {
  const struct cul_strange_fate *fate = what ? find(record, what) : NULL;
  return fate && fate->failed >= most;
}

/* From the last site to the first: what comes late can mostly go first. */
bool *cul_strange_worth(const struct cul_strange_record *record,
                        const struct cul_listing *list, uint32_t mutation_flags,
                        bool every_site) {
  bool *worth = cul_xcalloc(list->n_sites + 1, sizeof *worth);
  struct cul_strange_record asked = {0};
  uint32_t most = every_site ? MOST : FEW;
  for (size_t i = list->n_sites; i-- > 0;) {
    const struct cul_strange *strange = &list->sites[i].strange;
    const struct cul_strange_fate *before = find(record, together(strange));
    const struct cul_strange_fate *here = find(&asked, together(strange));
    uint32_t failed = (before ? before->failed : 0) + (here ? here->failed : 0);
    worth[i] = cul_strange_unasked(mutation_flags) || !is_strange(strange) ||
               (failed < most && !is_worn(record, strange->what[0], most) &&
                !is_worn(record, strange->what[1], most));
    if (worth[i])
      cul_strange_failed(&asked, strange);
  }
  cul_strange_release(&asked);
  return worth;
}
