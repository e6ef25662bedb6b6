/* Builds with CULPRIT_CHECK: what is asserted there ends the process where it
 * does not hold.  The row of tickets is compiled so here, whatever the build.
 */
#undef CULPRIT_CHECK
#define CULPRIT_CHECK 1

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../reducer/driver/ticket_row.c"

static int status_of(void (*run)(void)) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    close(STDERR_FILENO);
    run();
    _exit(0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status;
}

static void give_ascending(void) {
  struct cul_ticket_row row = {0};
  uint64_t last = 0;
  cul_ticket_row_give(&row, 1, &last);
  cul_ticket_row_give(&row, 2, &last);
  cul_ticket_row_release(&row);
}

static void give_descending(void) {
  struct cul_ticket_row row = {0};
  uint64_t last = 7, other = 3;
  cul_ticket_row_give(&row, 1, &last);
  cul_ticket_row_give(&row, 2, &other);
}

static void what_holds_goes_on(void **state) {
  (void)state;
  assert_int_equal(status_of(give_ascending), 0);
}

static void what_does_not_hold_ends_the_process(void **state) {
  int status = status_of(give_descending);
  (void)state;
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_holds_goes_on),
      cmocka_unit_test(what_does_not_hold_ends_the_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
