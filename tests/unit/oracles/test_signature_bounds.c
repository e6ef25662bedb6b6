/* Lines of 256 KiB made for expressions to go back and forth on: whatever a
 * log holds, each rule and each expression of a user ends soon, in bounded
 * memory. */
#include <sys/resource.h>
#include <time.h>

#include "../../../oracles/common/pattern.h"
#include "../rounds.h"
#include "oracle_helper.h"

/* What a line may take of the processor, a sanitizer's share included; without
 * limits it is minutes to years.  A sanitizer sees the reads of a shorter line;
 * it does not look into PCRE2, where the time goes. */
enum { LINE = ROUNDS(1 << 18), MOST_SECONDS = 10, MOST_MIB = 512 };

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void assert_soon(double start, const char *what) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  if (processor_seconds() - start > MOST_SECONDS)
    fail_msg("%s takes %.1f s", what, processor_seconds() - start);
  if (usage.ru_maxrss > MOST_MIB * 1024L)
    fail_msg("%s takes %ld MiB", what, usage.ru_maxrss / 1024);
}

/* head, then pump again and again: one line. */
static struct cul_buf make_line(const char *head, const char *pump) {
  struct cul_buf line = {0};
  size_t first, len = strlen(pump), end;
  cul_buf_adds(&line, head);
  cul_buf_adds(&line, pump);
  first = line.len - len;
  end = first + (LINE - first + len - 1) / len * len;
  cul_buf_reserve(&line, end + 1);
  while (line.len < end) { /* what is there once more */
    size_t n = line.len - first;
    cul_buf_add(&line, line.data + first,
                n < end - line.len ? n : end - line.len);
  }
  return line;
}

static void test_each_rule(void **state) {
  static const char *const pumps[] = {"a", "'", " ", "(", "9", "::", "a "};
  struct cul_rules *rules = make_rules();
  (void)state;
  for (size_t i = 0; i < rules->n_rules; i++) {
    const char *find = rules->rules[i].find;
    struct cul_buf line = make_line(find, i % 8 ? pumps[i % 7] : find);
    struct cul_log_failure told;
    double start = processor_seconds();
    cul_signature_read_log(rules, cul_buf_bytes(&line), &told);
    assert_soon(start, rules->rules[i].name);
    cul_buf_release(&line);
  }
  cul_rules_free(rules);
}

/* Each expression by itself on all of the line: the limits hold, also where
 * nobody cuts what it sees. */
static void limit(pcre2_code *code, const char *name,
                  const struct cul_rules *rules, const struct cul_buf *line) {
  pcre2_match_data *data = pcre2_match_data_create(10, NULL);
  double start = processor_seconds();
  int n = pcre2_match(code, (PCRE2_SPTR)line->data, line->len, 0, 0, data,
                      rules->limits);
  assert_true(n > 0 || n == PCRE2_ERROR_NOMATCH ||
              n == PCRE2_ERROR_MATCHLIMIT || n == PCRE2_ERROR_DEPTHLIMIT ||
              n == PCRE2_ERROR_HEAPLIMIT);
  assert_soon(start, name);
  pcre2_match_data_free(data);
}

static void test_each_line_rule(void **state) {
  static const char *const pumps[] = {"a ", "a", ":", "("};
  struct cul_rules *rules = make_rules();
  (void)state;
  for (size_t k = 0; k < CUL_ARRAY_SIZE(pumps); k++) {
    struct cul_buf line = make_line("", pumps[k]);
    for (size_t i = 0; i < rules->n_lines; i++)
      limit(cul_regex_code(rules->lines[i].regex), rules->lines[i].name, rules,
            &line);
    cul_buf_release(&line);
  }
  cul_rules_free(rules);
}

/* Norms see the first 2 KiB of a message. */
static void test_normalise(void **state) {
  static const char *const pumps[] = {"0x", "a/", "%", "9", "<", "loc("};
  struct cul_rules *rules = make_rules();
  (void)state;
  for (size_t k = 0; k < CUL_ARRAY_SIZE(pumps); k++) {
    struct cul_buf line = make_line("error: ", pumps[k]), out = {0};
    double start = processor_seconds();
    for (int kind = 0; kind <= CUL_KIND_INFRASTRUCTURE; kind++)
      cul_normalise(rules, (enum cul_kind)kind, line.data, line.len, &out);
    assert_soon(start, pumps[k]);
    cul_buf_release(&line);
    cul_buf_release(&out);
  }
  cul_rules_free(rules);
}

static void test_expressions_of_users(void **state) {
  static const struct {
    const char *expression, *head, *pump;
  } cases[] = {{"(a+)+$", "", "a"},          {"(a|aa)+b", "", "a"},
               {"^(\\w+\\s?)*$", "", "a a"}, {" *+x", "", " "},
               {"(.*a){20}b", "", "a"},      {"(?:a*)*b", "", "a"},
               {"(a*)*(b*)*c", "", "ab"},    {"((a{0,5}){0,5})*c", "", "a"},
               {"(?:(?:a)?){30}b", "", "a"}, {"(?s)(.)(?:.*\\1){9}z", "", "ab"},
               {"(x(?R)?y)", "", "x"}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cases); i++) {
    struct cul_buf line = make_line(cases[i].head, cases[i].pump), out = {0};
    struct cul_pattern *pattern;
    struct cul_err err;
    double start = processor_seconds(), number;
    assert_int_equal(
        cul_pattern_new("match", cases[i].expression, &pattern, &err), 0);
    cul_pattern_find(pattern, cul_buf_bytes(&line), NULL);
    assert_soon(start, cases[i].expression);
    start = processor_seconds();
    cul_pattern_number(pattern, cul_buf_bytes(&line), &number);
    assert_soon(start, cases[i].expression);
    start = processor_seconds();
    cul_pattern_replace(pattern, cul_buf_bytes(&line), "x", &out);
    assert_soon(start, cases[i].expression);
    cul_pattern_free(pattern);
    cul_buf_release(&line);
    cul_buf_release(&out);
  }
}

/* Many matches, each of which takes long: they share one limit. */
static void test_replace_shares_its_limit(void **state) {
  struct cul_buf line = make_line("", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab,"),
                 out = {0};
  struct cul_pattern *pattern;
  struct cul_err err;
  double start = processor_seconds();
  (void)state;
  assert_int_equal(
      cul_pattern_new("ignore", "(?:(?:a|a)(?:a|a)){9}c|b", &pattern, &err), 0);
  cul_pattern_replace(pattern, cul_buf_bytes(&line), "x", &out);
  assert_soon(start, "replace");
  cul_pattern_free(pattern);
  cul_buf_release(&line);
  cul_buf_release(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_rule),
      cmocka_unit_test(test_each_line_rule),
      cmocka_unit_test(test_normalise),
      cmocka_unit_test(test_expressions_of_users),
      cmocka_unit_test(test_replace_shares_its_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
