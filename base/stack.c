/* See stack.h. */
#include "stack.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#define WANTED (8UL << 20)

/* A frame may be larger than a page, and skip a guard of one page. */
#define GUARD (64UL << 10)

/* A fault at an address in this range is a stack overflow. Globals, as a signal
 * handler has no argument. */
static uintptr_t used_up_from, used_up_to;

struct call {
  int (*body)(void *arg);
  void *arg;
  int result;
};

/* makecontext(3) passes only integers. */
static void run(unsigned high, unsigned low) {
  struct call *call = (struct call *)((uintptr_t)high << 32 | low);
  call->result = call->body(call->arg);
}

static int is_large(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) < 0 ||
         limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= WANTED;
}

/* Map a stack, a smaller one if memory is scarce; NULL: none. */
static void *map(size_t *size) {
  for (*size = WANTED; *size >= WANTED / 8; *size /= 2) {
    void *at =
        mmap(NULL, *size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at != MAP_FAILED)
      return at;
  }
  return NULL;
}

/* swapcontext(3) returns as setjmp(3) does; no local variable changes in
 * between. */
static int call_on(void *stack, size_t size, struct call *call) {
  ucontext_t here, there;
  uintptr_t at = (uintptr_t)call;
  if (getcontext(&there) < 0)
    return call->body(call->arg);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = size;
  there.uc_link = &here;
  makecontext(&there, (void (*)(void))run, 2, (unsigned)(at >> 32),
              (unsigned)at);
  swapcontext(&here, &there);
  return call->result;
}

/* The main stack grows on demand up to its limit: take the addresses below the
 * limit as its guard. */
static void know_main(const void *top) {
  struct rlimit limit;
  uintptr_t at = (uintptr_t)top;
  if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= at)
    return;
  used_up_from = at - limit.rlim_cur - GUARD;
  used_up_to = at;
}

static void tell(int number, siginfo_t *info, void *context) {
  static const char words[] =
      "culprit: the stack is used up: something is nested too deeply\n  raise "
      "its limit (ulimit -s), or give a smaller input; all files written so "
      "far are intact\n";
  uintptr_t at = (uintptr_t)info->si_addr;
  (void)context;
  if (at >= used_up_from && at < used_up_to) {
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(6);
  }
  signal(number,
         SIG_DFL); /* the instruction faults again and ends the process */
}

void cul_stack_tell(void) {
  static char room[GUARD];
  const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  struct sigaction action = {.sa_sigaction = tell,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK},
                   old;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, NULL, &old) < 0 || old.sa_handler != SIG_DFL)
    return; /* another handler is installed already */
  if (sigaltstack(&stack, NULL) == 0)
    sigaction(SIGSEGV, &action, NULL);
}

int cul_stack_call(int (*body)(void *arg), void *arg) {
  struct call call = {body, arg, 1};
  size_t size = 0;
  void *stack = is_large() ? NULL : map(&size);
  if (!stack) {
    know_main(&call);
    return body(arg);
  }
  mprotect(stack, GUARD, PROT_NONE);
  used_up_from = (uintptr_t)stack;
  used_up_to = used_up_from + GUARD;
  return call_on(stack, size, &call);
}
