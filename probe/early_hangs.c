/* Hangs that are known early: see early_hangs.hangs.h. */
#include "early_hangs.h"

#include "../runners/stacks/stay.h"

static const uint64_t least_us = 200 * 1000, least_stay_us = 100 * 1000,
                      least_wait_us = 1000 * 1000;

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

const struct cul_stay_wish *
cul_early_hangs_learning(const struct cul_early_hangs *early) {
  static const struct cul_stay_wish learning = {.learn = true};
  return early->off ? NULL : &learning;
}

void cul_early_hangs_learn(struct cul_early_hangs *early,
                           const struct cul_record *records, size_t n) {
  early->stay.n = 0;
  for (size_t i = 0; i < n; i++) {
    const struct cul_stay *stay = &records[i].stayed.stay;
    if (records[i].end != CUL_DEADLINE || !stay->n)
      continue;
    if (early->stay.n)
      cul_stay_merge(&early->stay, stay);
    else
      early->stay = *stay;
  }
}

const struct cul_stay_wish *cul_early_hangs_wish(struct cul_early_hangs *early,
                                                 uint64_t wall_ms) {
  const struct cul_stay *stay = &early->stay;
  uint64_t after, settled;
  if (early->off || !stay->n)
    return NULL;
  after = most(least_us, 2 * most(stay->reached_us, early->quickest_us));
  settled = most(least_stay_us, 3 * early->longest_us);
  if (stay->waiting) {
    after = most(after, least_wait_us);
    settled = most(settled, least_wait_us);
  }
  after <<= 2 * early->doubts;
  settled <<= 2 * early->doubts;
  if (wall_ms && most(after, settled) >= wall_ms * 1000)
    return NULL;
  early->wish = (struct cul_stay_wish){
      .stay = *stay, .after_us = after, .settled_us = settled};
  return &early->wish;
}

/* Processor time, which load does not lengthen; that of many threads is more
 * than the clock's. */
static uint64_t own_us(const struct cul_record *record) {
  return record->cpu_us < record->wall_us ? record->cpu_us : record->wall_us;
}

void cul_early_hangs_note(struct cul_early_hangs *early,
                          const struct cul_record *record) {
  uint64_t us = own_us(record);
  if (record->stayed.early)
    early->provisional++;
  if (record->end != CUL_EXITED && record->end != CUL_SIGNALED)
    return;
  if (!early->quickest_us || us < early->quickest_us)
    early->quickest_us = us;
  early->longest_us = most(early->longest_us, record->stayed.longest_us);
}

void cul_early_hangs_doubt(struct cul_early_hangs *early) {
  if (++early->doubts >= CUL_EARLY_MOST_DOUBTS)
    early->stay.n = 0;
}
