/* What builds read elsewhere, and its states on another machine. */
#include "runner_fixture.h"

#include "../../../runners/identity/outside.h"

#define ONE "z 00000000000000000000000000000001 a /x\n"
#define TWO "z 00000000000000000000000000000002 a /x\n"
#define ASKED "z 00000000000000000000000000000003 P /y z\n"

static struct cul_digest state_of(const struct cul_outside_told *told,
                                  const char *list) {
  struct cul_digest state;
  assert_true(
      cul_outside_told_state(told, CUL_OUTSIDE_ALL, NULL, list, &state));
  return state;
}

static void takes_what_was_told_last(void **state) {
  struct cul_outside_told told = {0};
  struct cul_buf list = {0};
  struct cul_digest first, second;
  (void)state;
  assert_false(
      cul_outside_told_state(&told, CUL_OUTSIDE_ALL, NULL, "a /x\n", &first));
  assert_true(cul_outside_told_state(&told, CUL_OUTSIDE_ALL, NULL, "", &first));
  cul_outside_take(&told, 0, "r /other\n" ASKED ONE "Y more\n", &list);
  assert_string_equal(cul_buf_str(&list), "P /y z\na /x\n");
  first = state_of(&told, "P /y z\na /x\n");
  cul_outside_take(&told, 0, ONE, &list);
  second = state_of(&told, "P /y z\na /x\n");
  assert_true(cul_digest_equal(&first, &second));
  cul_outside_take(&told, 0, TWO, &list);
  second = state_of(&told, "P /y z\na /x\n");
  assert_false(cul_digest_equal(&first, &second));
  assert_int_equal(told.n, 2);
  assert_false(
      cul_outside_told_state(&told, CUL_OUTSIDE_ALL, NULL, "L /x\n", &first));
  cul_buf_release(&list);
  cul_outside_told_release(&told);
}

/* A file that changed on one machine is another state of all of them, and that
 * machine's own. */
static void keeps_workers_apart(void **state) {
  struct cul_outside_told told = {0};
  struct cul_buf list = {0};
  struct cul_digest alike, first, second, all;
  (void)state;
  cul_outside_take(&told, 0, ONE, &list);
  alike = state_of(&told, "a /x\n");
  assert_false(cul_outside_told_state(&told, 1, NULL, "a /x\n", &second));
  cul_outside_take(&told, 1, ONE, &list);
  all = state_of(&told, "a /x\n");
  assert_true(cul_digest_equal(&alike, &all));
  assert_null(cul_outside_find_other(&told, 1, ONE));
  cul_outside_take(&told, 1, TWO, &list);
  assert_true(cul_outside_told_state(&told, 0, NULL, "a /x\n", &first));
  assert_true(cul_outside_told_state(&told, 1, NULL, "a /x\n", &second));
  all = state_of(&told, "a /x\n");
  assert_true(cul_digest_equal(&alike, &first));
  assert_false(cul_digest_equal(&alike, &second));
  assert_false(cul_digest_equal(&alike, &all));
  assert_false(cul_digest_equal(&second, &all));
  cul_outside_take(&told, 1, ONE, &list);
  all = state_of(&told, "a /x\n");
  assert_true(cul_digest_equal(&alike, &all));
  cul_buf_release(&list);
  cul_outside_told_release(&told);
}

/* Of equal machines each has its own configuration, state and caches. */
static void finds_other_files(void **state) {
  static const char one[] = "z 00000000000000000000000000000001 ",
                    two[] = "z 00000000000000000000000000000002 ";
  static const struct {
    const char *line, *other;
  } cases[] = {{"a /usr/include/x.h", "/usr/include/x.h"},
               {"P /usr/local/include/x.h", "/usr/local/include/x.h"},
               {"L /usr/share", NULL},
               {"a /etc/hosts", NULL},
               {"a /etcetera", "/etcetera"},
               {"a /opt/cache/x.h", "/opt/cache/x.h"},
               {"a /home/u/.gitconfig", NULL},
               {"a /home/u/.local/x.h", "/home/u/.local/x.h"},
               {"a /home/u/.cache/ccache/1/2", NULL},
               {"a /home/u/.ccache/1/2", NULL}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cases); i++) {
    struct cul_outside_told told = {0};
    struct cul_buf list = {0};
    char *here = cul_xasprintf("%s%s\n", one, cases[i].line);
    char *there = cul_xasprintf("r /x\n%s%s\n", two, cases[i].line), *found;
    cul_outside_take(&told, 3, here, &list);
    assert_null(cul_outside_find_other(&told, 3, there));
    assert_null(cul_outside_find_other(&told, 0, here));
    found = cul_outside_find_other(&told, 0, there);
    if (cases[i].other)
      assert_string_equal(found, cases[i].other);
    else
      assert_null(found);
    free(found);
    free(here);
    free(there);
    cul_buf_release(&list);
    cul_outside_told_release(&told);
  }
}

/* Lines that no worker sends: they tell nothing. */
static void takes_no_other_lines(void **state) {
  static const char *const bad[] = {"",
                                    "z",
                                    "z ",
                                    "z 1 a /x",
                                    "z 0000000000000000000000000000000g a /x\n",
                                    "z 00000000000000000000000000000001",
                                    "z 00000000000000000000000000000001 ",
                                    "z 00000000000000000000000000000001 a"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(bad); i++) {
    struct cul_outside_told told = {0};
    struct cul_buf list = {0};
    cul_outside_take(&told, 0, bad[i], &list);
    assert_int_equal(told.n, 0);
    assert_string_equal(cul_buf_str(&list), "");
    cul_buf_release(&list);
  }
}

/* Files that were sent are looked at here, whatever is told of them. */
static void looks_at_sent_files_here(void **state) {
  struct scratch *s = *state;
  struct cul_outside_told told = {0};
  char *list = cul_xasprintf("a " CUL_OUTSIDE_SENT "%s\n", at(s, "sent") + 1);
  struct cul_digest first, second;
  put_file(at(s, "sent"), "one", 0644);
  first = state_of(&told, list);
  second = state_of(&told, list);
  assert_true(cul_digest_equal(&first, &second));
  put_file(at(s, "sent"), "three", 0644);
  second = state_of(&told, list);
  assert_false(cul_digest_equal(&first, &second));
  free(list);
}

/* So are the names in a directory that was sent, and a name that was missing.
 */
static void looks_for_sent_names_here(void **state) {
  struct scratch *s = *state;
  struct cul_outside_told told = {0};
  const char *root = s->root + 1;
  char *list[2] = {cul_xasprintf("L " CUL_OUTSIDE_SENT "%s/d\n", root),
                   cul_xasprintf("P " CUL_OUTSIDE_SENT "%s/d/new\n", root)};
  struct cul_digest first[2], second;
  struct cul_err err = {0};
  assert_int_equal(cul_mkdirs(at(s, "d"), 0700, &err), 0);
  for (size_t i = 0; i < 2; i++) {
    first[i] = state_of(&told, list[i]);
    second = state_of(&told, list[i]);
    assert_true(cul_digest_equal(&first[i], &second));
  }
  put_file(at(s, "d/new"), "", 0644);
  for (size_t i = 0; i < 2; i++) {
    second = state_of(&told, list[i]);
    assert_false(cul_digest_equal(&first[i], &second));
    free(list[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_what_was_told_last),
      cmocka_unit_test(keeps_workers_apart),
      cmocka_unit_test(finds_other_files),
      cmocka_unit_test(takes_no_other_lines),
      cmocka_unit_test_setup_teardown(looks_at_sent_files_here, scratch_setup,
                                      scratch_teardown),
      cmocka_unit_test_setup_teardown(looks_for_sent_names_here, scratch_setup,
                                      scratch_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
