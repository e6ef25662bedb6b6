/* Rounds on adversarial subjects: what they find does not depend on who is
 * judged first, is minimal, and takes a bounded number of runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../rounds.h"
#include "schedule_space.h"

static struct schedule subject;

/* No class of delta that works can remove one more site. */
static void assert_minimal(struct schedule *s) {
  for (uint32_t m = 0; m < SCHEDULE_CLASSES; m++) {
    struct cul_listing *list = &s->lists[0];
    size_t number;
    struct cul_err err = {0};
    if (schedule_classes[m].phase == CUL_PHASE_CUT || s->mode[m] == USELESS)
      continue;
    assert_int_equal(schedule_edits_list(s, CUL_LIST_FIRST, m, &number, &err),
                     0);
    for (uint32_t i = 0; i < list->n_sites; i++) {
      const struct cul_point point = {&i, 1};
      struct schedule_slot slot = {.set = schedule_candidate(s, &point),
                                   .best = s->revision,
                                   .base = s->revision,
                                   .mutation = m};
      assert_int_not_equal(schedule_judge(s, &slot), CUL_SAME);
      free(slot.set);
    }
  }
}

/* What works for one site at a time depends on what was accepted before, and so
 * on the order; what a real tool says of a candidate does not. */
static void make_pure(struct schedule *s) {
  for (size_t m = 0; m < SCHEDULE_CLASSES; m++)
    if (s->mode[m] == SINGLY)
      s->mode[m] = m % 2 ? USEFUL : USELESS;
}

static void who_is_first_does_not_matter(void **state) {
  (void)state;
  for (uint64_t number = 1; number <= ROUNDS(24); number++)
    for (size_t workers = 1; workers <= 4; workers++) {
      struct cul_digest trail = {{0}};
      for (uint64_t order = 1; order <= 3; order++) {
        schedule_init(&subject, number, workers, order);
        make_pure(&subject);
        assert_int_equal(schedule_reduce(&subject), 0);
        assert_minimal(&subject);
        if (order == 1)
          trail = subject.trail;
        assert_true(cul_digest_equal(&trail, &subject.trail));
        schedule_release(&subject);
      }
    }
}

/* bench/schedule.c has the real bars; here: no subject takes more than so many
 * runs for each operation that it has, and all of them are bounded. */
static void runs_are_bounded(void **state) {
  uint64_t runs = 0;
  (void)state;
  for (uint64_t number = 1; number <= 200; number++) {
    schedule_init(&subject, number, 1, 1);
    assert_int_equal(schedule_reduce(&subject), 0);
    assert_in_range(subject.runs, 0, 300 + 2 * subject.n_ops);
    runs += subject.runs;
    schedule_release(&subject);
  }
  assert_in_range(runs, 0, 19500);
}

/* One class of one site at a time does nearly all of the work here, a few sites
 * each round.  After each of its steps the others find nothing again; none of
 * them may use up all of its sites each time. */
static void the_useless_get_no_more_than_the_others(void **state) {
  (void)state;
  schedule_init(&subject, 377, 1, 1);
  assert_int_equal(schedule_reduce(&subject), 0);
  assert_in_range(subject.runs, 0, 2 * subject.n_ops);
  schedule_release(&subject);
}

/* A class of one site at a time goes on and on here, while a cut that would
 * remove nearly all of the subject waits: it was left before it found anything.
 * It gets its turn before the slow class is through. */
static void the_slow_does_not_hold_up_the_fast(void **state) {
  (void)state;
  schedule_init(&subject, 348, 1, 1);
  assert_int_equal(schedule_reduce(&subject), 0);
  assert_in_range(subject.runs, 0, 3 * subject.n_ops / 4);
  schedule_release(&subject);
}

/* What was entered first: the last class, or delta debugging by another. */
enum first { NEITHER, LIKELY, DELTA };

static void note_first(void *self, const struct cul_turn *turn) {
  enum first *first = self;
  if (*first == NEITHER && turn->mutation == SCHEDULE_CLASSES - 1)
    *first = LIKELY;
  else if (*first == NEITHER && turn->kind == CUL_TURN_DELTA)
    *first = DELTA;
}

static enum first first_with(uint32_t flags) {
  struct cul_statistics *last = &subject.statistics[SCHEDULE_CLASSES - 1];
  enum first first = NEITHER;
  schedule_init(&subject, 2, 1, 1);
  last->phase = CUL_PHASE_FINE;
  last->flags = flags;
  subject.driver.events.self = &first;
  subject.driver.events.entered = note_first;
  assert_int_equal(schedule_reduce(&subject), 0);
  schedule_release(&subject);
  return first;
}

/* What changes the subject when all others were searched to their end makes
 * them run again. */
static void the_likely_does_not_come_last(void **state) {
  (void)state;
  assert_int_equal(first_with(CUL_MUT_LIKELY), LIKELY);
  assert_int_equal(first_with(0), DELTA);
}

/* A pair that was refused does not tell for ever that sites go one at a time
 * only: perhaps it held a needed operation. */
static void what_goes_together_is_not_singly(void **state) {
  static const struct cul_turn turns[] = {
      {.mutation = SCHEDULE_ERASE,
       .rule = "minimal",
       .kind = CUL_TURN_DELTA,
       .leaves_singly = true},
      {.mutation = SCHEDULE_ERASE, .rule = "minimal", .kind = CUL_TURN_DELTA}};
  const bool *singly = &subject.statistics[SCHEDULE_ERASE].is_singly;
  (void)state;
  for (size_t workers = 1; workers <= 4; workers++) {
    struct cul_driven driven;
    struct cul_err err = {0};
    schedule_init(&subject, 1, workers, 1);
    subject.mode[SCHEDULE_ERASE] = SINGLY;
    assert_int_equal(
        cul_driver_run(&subject.driver, &turns[0], 1, &driven, &err), 0);
    assert_true(*singly);
    assert_int_equal(
        cul_driver_run(&subject.driver, &turns[1], 1, &driven, &err), 0);
    assert_true(*singly);
    schedule_release(&subject);

    schedule_init(&subject, 1, workers, 1);
    subject.mode[SCHEDULE_ERASE] = SINGLY;
    assert_int_equal(
        cul_driver_run(&subject.driver, &turns[0], 1, &driven, &err), 0);
    subject.mode[SCHEDULE_ERASE] = USEFUL;
    assert_int_equal(
        cul_driver_run(&subject.driver, &turns[1], 1, &driven, &err), 0);
    assert_false(*singly);
    schedule_release(&subject);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_is_first_does_not_matter),
      cmocka_unit_test(runs_are_bounded),
      cmocka_unit_test(the_useless_get_no_more_than_the_others),
      cmocka_unit_test(the_slow_does_not_hold_up_the_fast),
      cmocka_unit_test(the_likely_does_not_come_last),
      cmocka_unit_test(what_goes_together_is_not_singly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
