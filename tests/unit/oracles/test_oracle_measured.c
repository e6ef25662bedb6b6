/* slower and memory, over literal records. */
#include "oracle_helper.h"

#include <stdlib.h>
#include <string.h>

extern const struct cul_oracle cul_oracle_slower, cul_oracle_memory;

enum { MOST = 64 };

struct fixture {
  struct cul_rules *rules;
  struct cul_oracle_conf conf;
  const struct cul_oracle *oracle;
  void *self;
  struct cul_record records[MOST];
  size_t n;
  struct cul_wants more;
  struct cul_verdict verdict;
  struct cul_err err;
};

static int start(void **state) {
  struct fixture *f = cul_xcalloc(1, sizeof *f);
  f->rules = make_rules();
  f->conf = (struct cul_oracle_conf){.rules = f->rules,
                                     .exit_code = -1,
                                     .measured.keep = -1,
                                     .measured.slower = true};
  *state = f;
  return 0;
}

static void forget(struct fixture *f) {
  for (size_t i = 0; i < f->n; i++)
    cul_record_release(&f->records[i]);
  f->n = 0;
}

static int stop(void **state) {
  struct fixture *f = *state;
  forget(f);
  if (f->self)
    f->oracle->close(f->self);
  cul_rules_free(f->rules);
  free(f);
  return 0;
}

static void begin(struct fixture *f) {
  f->oracle = cul_oracle_choose(&f->conf);
  assert_ptr_equal(f->oracle, f->conf.measured.memory ? &cul_oracle_memory
                                                      : &cul_oracle_slower);
  assert_true(f->oracle->whole);
  assert_int_equal(f->oracle->open(&f->conf, &f->self, &f->err), 0);
}

/* What a command takes in its i-th run. */
typedef uint64_t takes(uint32_t i);

static void add(struct fixture *f, enum cul_run_role role, uint64_t amount) {
  struct cul_record *record = &f->records[f->n++];
  *record = make_record(CUL_EXITED, 0, "");
  record->role = role;
  record->cpu_us = amount;
  record->rss_bytes = amount;
}

/* Feed runs until no more are wanted; the order of the pairs is told. */
static enum cul_answer feed(struct fixture *f, bool learn, takes *suspect,
                            takes *reference, char *order) {
  forget(f);
  f->more = (struct cul_wants){.n = 1};
  do {
    struct cul_wants more = f->more;
    for (size_t i = 0; i < more.n; i++) {
      bool side = more.want[i].role == CUL_ROLE_REFERENCE;
      assert_true(f->n < MOST);
      *order++ = side ? 'B' : 'A';
      add(f, more.want[i].role,
          (side ? reference : suspect)(more.want[i].attempt));
    }
    f->verdict = (struct cul_verdict){.answer = CUL_BROKEN};
    assert_int_equal(learn ? f->oracle->learn(f->self, f->records, f->n,
                                              &f->more, &f->verdict, &f->err)
                           : f->oracle->judge(f->self, f->records, f->n,
                                              &f->more, &f->verdict, &f->err),
                     0);
  } while (f->more.n);
  *order = '\0';
  return f->verdict.answer;
}

static uint64_t is_100(uint32_t i) { return i == 0 ? 5000 : 100 + i % 2; }
static uint64_t is_130(uint32_t i) { return 130 + i % 2; }
static uint64_t is_150(uint32_t i) { return 150 + i % 3; }
static uint64_t is_190(uint32_t i) { return 190 + i % 3; }
static uint64_t is_300(uint32_t i) { return i == 0 ? 9000 : 300 + 2 * (i % 4); }
static uint64_t steady_300(uint32_t i) { return 300 + 2 * (i % 4); }
static uint64_t steady_100(uint32_t i) { return 100 + i % 2; }
static uint64_t wild(uint32_t i) { return i % 2 ? 100 : 300; }

static void a_ratio_is_kept_by_half(void **state) {
  struct fixture *f = *state;
  struct cul_buf text = {0};
  char order[MOST + 1];
  f->conf.measured.reference = true;
  begin(f);
  assert_int_equal(feed(f, true, is_300, is_100, order), CUL_SAME);
  assert_string_equal(order, "ABBAABBAABBAABBA"); /* the first pair warms up */
  assert_int_equal(f->verdict.sig.kind, CUL_KIND_SLOWER);
  assert_non_null(strstr(f->verdict.sig.title, "slower: 3.0"));
  f->oracle->describe(f->self, &text);
  assert_non_null(strstr(cul_buf_str(&text), "more than 2.0"));
  cul_buf_release(&text);
  assert_int_equal(feed(f, false, steady_300, is_150, order), CUL_PASSES);
  assert_string_equal(order, "ABBA"); /* two pairs decide */
  assert_int_equal(feed(f, false, is_190, steady_100, order), CUL_PASSES);
  assert_int_equal(feed(f, false, steady_300, is_130, order), CUL_SAME);
}

static void a_bound_is_held(void **state) {
  struct fixture *f = *state;
  char order[MOST + 1];
  f->conf.measured.above = "180us";
  begin(f);
  assert_int_equal(feed(f, true, is_300, NULL, order), CUL_SAME);
  assert_string_equal(order, "AAAAAAAA");
  assert_int_equal(feed(f, false, is_190, NULL, order), CUL_SAME);
  assert_int_equal(feed(f, false, is_150, NULL, order), CUL_PASSES);
  assert_int_equal(feed(f, true, is_150, NULL, order), CUL_PASSES);
}

static void noise_is_no_difference(void **state) {
  struct fixture *f = *state;
  char order[MOST + 1];
  f->conf.measured.reference = true;
  begin(f);
  assert_int_equal(feed(f, true, is_150, wild, order), CUL_PASSES);
  assert_int_equal(strlen(order), 42); /* looked at twice */
  assert_int_equal(feed(f, true, is_300, wild, order), CUL_UNRESOLVED);
  assert_non_null(strstr(f->verdict.why, "within the noise"));
}

static void who_is_on_the_bound_is_neither(void **state) {
  struct fixture *f = *state;
  char order[MOST + 1];
  f->conf.measured.above = "200us";
  begin(f);
  assert_int_equal(feed(f, true, is_300, NULL, order), CUL_SAME);
  assert_int_equal(feed(f, false, wild, NULL, order), CUL_UNRESOLVED);
  assert_int_equal(strlen(order), 12);
}

static void another_end_is_not_slow(void **state) {
  struct fixture *f = *state;
  char order[MOST + 1];
  f->conf.measured.reference = true;
  begin(f);
  assert_int_equal(feed(f, true, is_300, is_100, order), CUL_SAME);
  forget(f);
  add(f, CUL_ROLE_SUSPECT, 300);
  f->records[0].end = CUL_SIGNALED;
  f->records[0].status = 6;
  f->oracle->judge(f->self, f->records, 1, &f->more, &f->verdict, &f->err);
  assert_int_equal(f->verdict.answer, CUL_OTHER);
  add(f, CUL_ROLE_REFERENCE, 100);
  f->records[0].end = CUL_EXITED;
  f->records[0].status = 0;
  f->records[1].status = 1;
  f->oracle->judge(f->self, f->records, 2, &f->more, &f->verdict, &f->err);
  assert_int_equal(f->verdict.answer, CUL_UNRESOLVED);
  f->records[1].end = CUL_DEADLINE;
  f->oracle->judge(f->self, f->records, 2, &f->more, &f->verdict, &f->err);
  assert_int_equal(f->verdict.answer, CUL_UNRESOLVED);
}

static void memory_grows(void **state) {
  struct fixture *f = *state;
  char order[MOST + 1];
  f->conf.measured.slower = false;
  f->conf.measured.memory = true;
  f->conf.measured.iterations = 10;
  begin(f);
  assert_int_equal(feed(f, true, is_300, is_100, order), CUL_SAME);
  assert_int_equal(f->verdict.sig.kind, CUL_KIND_LARGER);
  assert_non_null(strstr(f->verdict.sig.title, "per iteration"));
  assert_int_equal(feed(f, false, is_150, steady_100, order), CUL_PASSES);
  assert_int_equal(feed(f, true, is_100, is_100, order), CUL_PASSES);
}

static void refused(struct fixture *f, const char *above, const char *by) {
  f->conf.measured.above = above;
  f->conf.measured.by = by;
  f->oracle = cul_oracle_choose(&f->conf);
  assert_int_equal(f->oracle->open(&f->conf, &f->self, &f->err), CUL_EUSAGE);
  f->self = NULL;
}

static void bounds_are_checked(void **state) {
  struct fixture *f = *state;
  refused(f, "0", NULL);
  refused(f, "-3s", NULL);
  refused(f, "nan", NULL);
  refused(f, "1e999", NULL);
  refused(f, "3 MiB", NULL);
  refused(f, "3ms", "(\\d+");
  refused(f, "3ms", "(\\d+)"); /* what a command prints has no unit */
  f->conf.measured.reference = true;
  refused(f, "1", NULL);
  refused(f, "2s", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_ratio_is_kept_by_half, start, stop),
      cmocka_unit_test_setup_teardown(a_bound_is_held, start, stop),
      cmocka_unit_test_setup_teardown(noise_is_no_difference, start, stop),
      cmocka_unit_test_setup_teardown(who_is_on_the_bound_is_neither, start,
                                      stop),
      cmocka_unit_test_setup_teardown(another_end_is_not_slow, start, stop),
      cmocka_unit_test_setup_teardown(memory_grows, start, stop),
      cmocka_unit_test_setup_teardown(bounds_are_checked, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
