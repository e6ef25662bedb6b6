/* Loaded into a tool (LD_PRELOAD) that dies of a signal and does not say
 * where: prints the stack to standard error, then lets it die.
 *
 * A tool that has a handler of its own keeps it.  Unwinding from a handler is
 * glibc's backtrace(3); frames are printed as LLVM prints them:
 *   #4 0x00007f0012345678 ns::f (/lib/libX.so+0x345678) */
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "names.h"

enum {
  MAX_FRAMES = 64,
  MAX_NAMED = 12,
  STACK_BYTES = 256 * 1024,
  NEAR_STACK = 64 * 1024, /* a fault so close to its end is an overflow */
};

static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

/* Where the faulting instruction and the stack are. */
static void registers(const ucontext_t *context, uintptr_t *pc, uintptr_t *sp) {
#if defined(__x86_64__)
  *pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  *sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  *pc = context->uc_mcontext.pc;
  *sp = context->uc_mcontext.sp;
#else
  (void)context;
  *pc = *sp = 0;
#endif
}

static void print_frame(int number, const struct cul_where *frame) {
  char line[1024], name[256];
  unsigned long address = (unsigned long)frame->address;
  unsigned long offset = (unsigned long)(frame->address - frame->base);
  int n = snprintf(line, sizeof line, "#%d 0x%016lx", number, address);
  cul_where_readable(frame->name, name, sizeof name);
  if (frame->path)
    n += snprintf(line + n, sizeof line - (size_t)n, "%s%s (%.400s+0x%lx)",
                  *name ? " " : "", name, frame->path, offset);
  line[n++] = '\n';
  if (write(STDERR_FILENO, line, (size_t)n) < 0)
    return;
}

static void describe(struct cul_where *frame, uintptr_t address) {
  Dl_info info;
  *frame = (struct cul_where){.address = address};
  if (!dladdr((void *)address, &info) || !info.dli_fname)
    return;
  frame->path = info.dli_fname;
  frame->base = (uintptr_t)info.dli_fbase;
}

/* From the faulting instruction outwards; what lies further in is this
 * handler.  After a call to nowhere not even the caller is known. */
static void print_stack(uintptr_t pc) {
  struct cul_where frames[MAX_FRAMES];
  void *addresses[MAX_FRAMES];
  int n = backtrace(addresses, MAX_FRAMES), first = 0;
  while (first < n && (uintptr_t)addresses[first] != pc)
    first++;
  if (first == n)
    addresses[first = n = 0] = (void *)pc, n++;
  for (int i = first; i < n; i++)
    describe(&frames[i - first], (uintptr_t)addresses[i]);
  n -= first;
  for (int i = 0; i < n && i < MAX_NAMED; i++)
    if (!frames[i].name[0] && frames[i].path)
      cul_where_name(&frames[i],
                     (size_t)(n < MAX_NAMED ? n : MAX_NAMED) - (size_t)i);
  for (int i = 0; i < n; i++)
    print_frame(i, &frames[i]);
}

/* Where a stack overflows is chance: then only the signal speaks. */
static void die(int number, siginfo_t *info, void *context) {
  uintptr_t pc, sp, at = (uintptr_t)info->si_addr;
  registers(context, &pc, &sp);
  if (number != SIGSEGV || at + NEAR_STACK < sp || at > sp + NEAR_STACK)
    print_stack(pc);
  raise(number); /* blocked until the handler returns; then the default */
}

__attribute__((constructor)) static void install(void) {
  struct sigaction action = {.sa_sigaction = die,
                             .sa_flags =
                                 SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
  stack_t stack = {.ss_size = STACK_BYTES};
  void *load[1];
  backtrace(load, 1); /* the unwinder is loaded now, not in the handler */
  stack.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp != MAP_FAILED)
    sigaltstack(&stack, NULL);
  for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
    struct sigaction old;
    if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction(deadly[i], &action, NULL);
  }
}
