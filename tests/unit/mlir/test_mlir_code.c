/* reducer/worker/code.h: a process prepared for many forks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../reducer/worker/code.h"

/* The mappings of the C library that are neither code nor writable. */
static int count_constants(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[4096];
  int n = 0;
  assert_non_null(maps);
  while (fgets(line, sizeof line, maps))
    n += strstr(line, " r--p ") && strstr(line, "/libc.so");
  fclose(maps);
  return n;
}

/* Code and constants of a library that is not copied are one mapping, and both
 * are what they were, here and in a fork.  What remains the loader made
 * read-only. */
static void test_small_libraries_are_joined(void **state) {
  static const char *const none[] = {NULL};
  int before = count_constants(), status = 0;
  pid_t pid;
  (void)state;
  assert_in_range(before, 1, 3);
  cul_code_share(&(struct cul_code_sets){none, none});
  assert_int_equal(count_constants(), 1);
  pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(strtod("0.5", NULL) * 4 == 2 ? 0 : 1);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_libraries_are_joined)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
