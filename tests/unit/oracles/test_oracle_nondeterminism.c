/* Outputs that differ from run to run, over literal records. */
#include "oracle_helper.h"

#include <stdlib.h>
#include <string.h>

#include "../../../oracles/numbers/nondeterminism.h"

extern const struct cul_oracle cul_oracle_nondeterminism;

static enum cul_varied how(const char *a, const char *b) {
  enum cul_varied there = cul_varied_texts((struct cul_bytes){a, strlen(a)},
                                           (struct cul_bytes){b, strlen(b)});
  assert_int_equal(there, cul_varied_texts((struct cul_bytes){b, strlen(b)},
                                           (struct cul_bytes){a, strlen(a)}));
  return there;
}

static void ways_are_told(void **state) {
  (void)state;
  assert_int_equal(how("", ""), CUL_VARIED_NOT);
  assert_int_equal(how("a\nb\n", "b\na\n"), CUL_VARIED_ORDER);
  assert_int_equal(how("a\nb\nb\n", "b\na\na\n"), CUL_VARIED_NAMES);
  assert_int_equal(how("%1 = f %0\n", "%2 = f %0\n"), CUL_VARIED_NAMES);
  assert_int_equal(how("%1 = f %1\n", "%2 = f %3\n"), CUL_VARIED_TEXT);
  assert_int_equal(how("@f_1 @f_2\n", "@f_2 @f_1\n"), CUL_VARIED_NAMES);
  assert_int_equal(how("x = 1.5e-3\n", "x = 17\n"), CUL_VARIED_NUMBERS);
  assert_int_equal(how("at 0x12ab\n", "at 0xff\n"), CUL_VARIED_NUMBERS);
  assert_int_equal(how("%1 = 5\n", "%2 = 6\n"), CUL_VARIED_TEXT);
  assert_int_equal(how("x = 1\n", "x = y\n"), CUL_VARIED_TEXT);
  assert_int_equal(how("x\n", "x\nx\n"), CUL_VARIED_TEXT);
  assert_int_equal(how("x", ""), CUL_VARIED_TEXT);
  assert_int_equal(how("tensor<4xf32>", "tensor<8xf32>"), CUL_VARIED_NAMES);
}

struct fixture {
  struct cul_rules *rules;
  struct cul_oracle_conf conf;
  void *self;
  struct cul_record records[400];
  size_t n;
  struct cul_wants more;
  struct cul_verdict verdict;
};

static void forget(struct fixture *f) {
  for (size_t i = 0; i < f->n; i++)
    cul_record_release(&f->records[i]);
  f->n = 0;
}

static int start(void **state) {
  struct fixture *f = cul_xcalloc(1, sizeof *f);
  struct cul_err err;
  f->rules = make_rules();
  f->conf = (struct cul_oracle_conf){.rules = f->rules,
                                     .exit_code = -1,
                                     .timeout_ms = 60000,
                                     .nondeterminism.wanted = true};
  assert_ptr_equal(cul_oracle_choose(&f->conf), &cul_oracle_nondeterminism);
  assert_int_equal(cul_oracle_nondeterminism.open(&f->conf, &f->self, &err), 0);
  *state = f;
  return 0;
}

static int stop(void **state) {
  struct fixture *f = *state;
  forget(f);
  cul_oracle_nondeterminism.close(f->self);
  cul_rules_free(f->rules);
  free(f);
  return 0;
}

static const char *text_of(char what) {
  return what == 'a'   ? "one\ntwo 2\n"
         : what == 'b' ? "two 2\none\n"
         : what == 'n' ? "one\ntwo 3\n"
                       : "quite another thing\n";
}

/* Feed runs that print the pattern's letters in turn. */
static enum cul_answer feed(struct fixture *f, const char *pattern,
                            bool learn) {
  struct cul_err err;
  forget(f);
  f->more = (struct cul_wants){.n = 1};
  do {
    struct cul_wants more = f->more;
    for (size_t i = 0; i < more.n; i++) {
      assert_int_equal(more.want[i].attempt, f->n);
      f->records[f->n] = make_record(CUL_EXITED, 0, "");
      cul_buf_adds(&f->records[f->n].out,
                   text_of(pattern[f->n % strlen(pattern)]));
      f->n++;
    }
    assert_int_equal(
        (learn ? cul_oracle_nondeterminism.learn(f->self, f->records, f->n,
                                                 &f->more, &f->verdict, &err)
               : cul_oracle_nondeterminism.judge(f->self, f->records, f->n,
                                                 &f->more, &f->verdict, &err)),
        0);
  } while (f->more.n);
  return f->verdict.answer;
}

static void the_way_is_kept(void **state) {
  struct fixture *f = *state;
  assert_int_equal(feed(f, "ab", true), CUL_SAME);
  assert_non_null(strstr(f->verdict.sig.title, "the order of lines"));
  assert_int_equal(f->verdict.sig.kind, CUL_KIND_NONDETERMINISM);
  assert_int_equal(feed(f, "ba", false), CUL_SAME);
  assert_int_equal(f->n, 12);
  assert_int_equal(feed(f, "a", false), CUL_PASSES);
  assert_int_equal(f->n, 8);
  assert_int_equal(feed(f, "an", false), CUL_UNRESOLVED);
  assert_non_null(strstr(f->verdict.why, "in another way: numbers"));
  f->conf.any_class = true;
  assert_int_equal(feed(f, "an", false), CUL_SAME);
}

static void the_rate_is_kept(void **state) {
  struct fixture *f = *state;
  assert_int_equal(feed(f, "abaa", true), CUL_SAME); /* every other pair */
  assert_int_equal(feed(f, "abaa", false), CUL_SAME);
  assert_int_equal(feed(f, "abaaaaaaaaaaaaaaaaaa", false), CUL_UNRESOLVED);
  assert_int_equal(feed(f, "a", false), CUL_PASSES);
}

static void nothing_differs(void **state) {
  struct fixture *f = *state;
  assert_int_equal(feed(f, "a", true), CUL_PASSES);
  assert_string_equal(f->verdict.why, "the same output in 64 runs");
}

static void too_rare_is_said(void **state) {
  struct fixture *f = *state;
  char pattern[201];
  memset(pattern, 'a', 200);
  pattern[200] = '\0';
  pattern[1] = pattern[101] = 'b';
  assert_int_equal(feed(f, pattern, true), CUL_UNRESOLVED);
  assert_non_null(strstr(f->verdict.why, "too few"));
}

static void mixtures_count_as_any(void **state) {
  struct fixture *f = *state;
  assert_int_equal(feed(f, "ax", true), CUL_SAME);
  assert_int_equal(feed(f, "ab", false), CUL_SAME);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ways_are_told),
      cmocka_unit_test_setup_teardown(the_way_is_kept, start, stop),
      cmocka_unit_test_setup_teardown(the_rate_is_kept, start, stop),
      cmocka_unit_test_setup_teardown(nothing_differs, start, stop),
      cmocka_unit_test_setup_teardown(too_rare_is_said, start, stop),
      cmocka_unit_test_setup_teardown(mixtures_count_as_any, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
