/* Early recognition of hangs: see early_hangs.h. */
#include "early_hangs.h"

static const uint64_t least_us = 200 * 1000, least_stay_us = 100 * 1000,
                      least_wait_us = 1000 * 1000;

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

const struct cul_stay_wish *cul_early_hangs_ask(struct cul_early_hangs *early,
                                                bool learn) {
  static const struct cul_stay_wish learning = {.learn = true};
  const struct cul_stay *stay = &early->stay;
  uint64_t after, settled;
  if (early->off || (!learn && !stay->n))
    return NULL;
  if (learn)
    return &learning;
  after = most(least_us, 2 * most(stay->reached_us, early->quickest_us));
  settled = most(least_stay_us, 3 * early->longest_us);
  if (stay->waiting) {
    after = most(after, least_wait_us);
    settled = most(settled, least_wait_us);
  }
  early->wish =
      (struct cul_stay_wish){.stay = *stay,
                             .after_us = after << 2 * early->doubts,
                             .settled_us = settled << 2 * early->doubts};
  return &early->wish;
}

static void merge(struct cul_stay *stay, const struct cul_stay *other) {
  uint32_t n = 0;
  if (stay->waiting != other->waiting)
    return;
  for (uint32_t i = 0; i < stay->n; i++) {
    bool has = false;
    for (uint32_t k = 0; k < other->n && !has; k++)
      has = other->places[k] == stay->places[i];
    if (has)
      stay->places[n++] = stay->places[i];
  }
  stay->n = n;
  stay->many |= other->many;
  stay->reached_us = most(stay->reached_us, other->reached_us);
}

/* The processor time, because load does not lengthen it; but at most the wall
 * time, which it exceeds if the tool has several threads. */
static uint64_t own_us(const struct cul_record *record) {
  return record->cpu_us < record->wall_us ? record->cpu_us : record->wall_us;
}

void cul_early_hangs_note(struct cul_early_hangs *early,
                          const struct cul_record *record) {
  const struct cul_stayed *stayed = &record->stayed;
  uint64_t us = own_us(record);
  if (record->end == CUL_DEADLINE && stayed->stay.n && early->stay.n)
    merge(&early->stay, &stayed->stay);
  else if (record->end == CUL_DEADLINE && stayed->stay.n)
    early->stay = stayed->stay;
  early->provisional += stayed->early;
  if (record->end != CUL_EXITED && record->end != CUL_SIGNALED)
    return;
  if (!early->quickest_us || us < early->quickest_us)
    early->quickest_us = us;
  early->longest_us = most(early->longest_us, stayed->longest_us);
}
