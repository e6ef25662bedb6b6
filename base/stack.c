/* See stack.h. */
#include "stack.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#define WANTED (8UL << 20)

struct call {
  int (*body)(void *arg);
  void *arg;
  int result;
};

/* makecontext(3) passes integers. */
static void run(unsigned high, unsigned low) {
  struct call *call = (struct call *)((uintptr_t)high << 32 | low);
  call->result = call->body(call->arg);
}

static int is_large(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) < 0 ||
         limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= WANTED;
}

/* Less where less memory may be had; NULL: none. */
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

/* swapcontext(3) returns as setjmp(3) does: nothing that changes is beside. */
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

int cul_stack_call(int (*body)(void *arg), void *arg) {
  struct call call = {body, arg, 1};
  size_t size = 0;
  void *stack = is_large() ? NULL : map(&size);
  if (!stack)
    return body(arg);
  mprotect(stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
  return call_on(stack, size, &call);
}
