/* Where a run stays: see stay.h. */
#include "stay.h"

#include <string.h>

enum { LEAST_SAMPLES = 8, LEAST_WAITING = 4 };

static bool has(const uint64_t *places, size_t n, uint64_t place) {
  for (size_t i = 0; i < n; i++)
    if (places[i] == place)
      return true;
  return false;
}

void cul_stay_sample_add(struct cul_stay_sample *sample, const uint64_t *places,
                         size_t n) {
  for (size_t i = 0; i < n && sample->n < CUL_STAY_MOST_FRAMES; i++)
    if (!has(sample->places, sample->n, places[i]))
      sample->places[sample->n++] = places[i];
}

static void keep_common(struct cul_stay_sample *common,
                        const struct cul_stay_sample *other) {
  size_t n = 0;
  for (size_t i = 0; i < common->n; i++)
    if (has(other->places, other->n, common->places[i]))
      common->places[n++] = common->places[i];
  common->n = n;
  common->many |= other->many;
}

static bool holds(const struct cul_stay *stay,
                  const struct cul_stay_sample *sample) {
  if (sample->waiting != stay->waiting)
    return false;
  for (uint32_t i = 0; i < stay->n; i++)
    if (!has(sample->places, sample->n, stay->places[i]))
      return false;
  return true;
}

/* ---- learn ---- */

/* Do more of the samples from the first one on wait than compute? */
static bool mostly_waits(const struct cul_stay_sample *samples, size_t first,
                         size_t n) {
  size_t waiting = 0;
  for (size_t i = first; i < n; i++)
    waiting += samples[i].waiting;
  return 2 * waiting > n - first;
}

void cul_stay_learn(const struct cul_stay_sample *samples, size_t n,
                    struct cul_stay *out) {
  struct cul_stay_sample common = {0};
  size_t first = 0, taken = 0, partial = 0;
  uint64_t half_us = n ? samples[n - 1].at_us / 2 : 0;
  *out = (struct cul_stay){0};
  while (first < n && samples[first].at_us < half_us)
    first++;
  out->waiting = mostly_waits(samples, first, n);
  for (size_t i = first; i < n; i++) {
    const struct cul_stay_sample *sample = &samples[i];
    if (sample->waiting != out->waiting)
      continue;
    partial += !sample->whole;
    if (!sample->whole)
      continue;
    if (taken++ == 0)
      common = *sample;
    else
      keep_common(&common, sample);
  }
  if (taken < LEAST_SAMPLES || partial > taken)
    return;
  out->many = common.many;
  out->n = (uint32_t)(common.n < CUL_STAY_MOST ? common.n : CUL_STAY_MOST);
  memcpy(out->places, common.places, out->n * sizeof *out->places);
  /* A single sample elsewhere does not end a stay: the task may have been
   * between two states. */
  while (first > 0 &&
         (!samples[first - 1].whole || holds(out, &samples[first - 1]) ||
          (first > 1 && holds(out, &samples[first - 2]))))
    first--;
  out->reached_us = samples[first].at_us;
}

void cul_stay_merge(struct cul_stay *stay, const struct cul_stay *other) {
  uint32_t n = 0;
  if (stay->waiting != other->waiting || !other->n)
    return;
  for (uint32_t i = 0; i < stay->n; i++)
    if (has(other->places, other->n, stay->places[i]))
      stay->places[n++] = stay->places[i];
  stay->n = n;
  stay->many |= other->many;
  if (other->reached_us > stay->reached_us)
    stay->reached_us = other->reached_us;
}

/* ---- follow ---- */

static void leave(struct cul_stay_match *match) {
  match->n = match->partial = 0;
}

void cul_stay_follow(struct cul_stay_match *match,
                     const struct cul_stay_wish *wish,
                     const struct cul_stay_sample *sample) {
  if (!sample->whole) {
    match->partial++;
    return;
  }
  if (!holds(&wish->stay, sample)) {
    leave(match);
    return;
  }
  if (match->n++ == 0) {
    match->since_us = sample->at_us;
    match->common = *sample;
  } else {
    keep_common(&match->common, sample);
  }
  match->last_us = sample->at_us;
  if (match->last_us - match->since_us > match->longest_us)
    match->longest_us = match->last_us - match->since_us;
}

bool cul_stay_is_settled(const struct cul_stay_match *match,
                         const struct cul_stay_wish *wish) {
  const struct cul_stay *stay = &wish->stay;
  size_t least = stay->waiting ? LEAST_WAITING : LEAST_SAMPLES;
  if (!stay->n || match->n < least || match->partial > match->n ||
      match->last_us < wish->after_us ||
      match->last_us - match->since_us < wish->settled_us)
    return false;
  return stay->waiting || stay->many || match->common.many ||
         match->common.places[0] == stay->places[0];
}
