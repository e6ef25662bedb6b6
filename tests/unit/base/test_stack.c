/* base/stack: a stack that is used up ends the process with words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/buf.h"
#include "../../../base/files/file.h"
#include "../../../base/stack.h"

static volatile int depth;

static int sink(int n) {
  volatile char frame[1024];
  frame[0] = (char)n;
  if (depth >= 0)
    depth = sink(n + 1) + frame[0];
  return depth;
}

static int nest(void *arg) {
  (void)arg;
  cul_stack_tell();
  return sink(0);
}

static int fault(void *arg) {
  (void)arg;
  cul_stack_tell();
  return *(volatile int *)mmap(NULL, 4096, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* How a process ends that has so much stack, and what it says. */
static int end_of(int (*body)(void *arg), rlim_t bytes, struct cul_buf *said) {
  int ends[2], status = 0;
  pid_t pid;
  assert_int_equal(pipe(ends), 0);
  pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct rlimit limit = {bytes, bytes};
    signal(SIGSEGV, SIG_DFL); /* cmocka looks at it */
    prctl(PR_SET_DUMPABLE, 0);
    dup2(ends[1], STDERR_FILENO);
    setrlimit(RLIMIT_STACK, &limit);
    cul_stack_call(body, NULL);
    _exit(0);
  }
  close(ends[1]);
  assert_int_equal(cul_read_rest(ends[0], 0, said), 0);
  close(ends[0]);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status;
}

static void test_words(void **state) {
  static const rlim_t sizes[] = {64 << 10, 256 << 10, 8 << 20, 16 << 20};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(sizes); i++) {
    struct cul_buf said = {0};
    int status = end_of(nest, sizes[i], &said);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 6);
    assert_non_null(strstr(cul_buf_str(&said), "the stack is used up"));
    cul_buf_release(&said);
  }
}

static void test_other_fault(void **state) {
  struct cul_buf said = {0};
  int status = end_of(fault, 8 << 20, &said);
  (void)state;
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGSEGV);
  assert_int_equal(said.len, 0);
  cul_buf_release(&said);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),
                                     cmocka_unit_test(test_other_fault)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
