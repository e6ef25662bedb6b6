/* The stack of a dying process: see stack.h.  glibc's backtrace(3) unwinds from
 * the handler; frames are printed as LLVM prints them: #4 0x00007f0012345678
 * ns::f (/lib/libX.so+0x345678) */
#include "stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "names.h"

enum {
  MAX_FRAMES = 64,
  MAX_NAMED = 12,
  STACK_BYTES = 256 * 1024,
  NEAR_STACK = 64 * 1024, /* a fault so close to its end is an overflow */
};

/* An abort is the last: most who abort say why. */
static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

/* Where the faulting instruction and the stack are, and where a function that
 * has just been called returns to; 0 where that cannot be read. */
struct registers {
  uintptr_t pc, sp, caller;
};

/* The word there; 0 where there is none, be the address as broken as may be. */
static uintptr_t read_word(uintptr_t address) {
  uintptr_t word = 0;
  struct iovec here = {&word, sizeof word};
  struct iovec there = {(void *)address, sizeof word};
  ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  return n == sizeof word ? word : 0;
}

static struct registers registers_of(const ucontext_t *context) {
#if defined(__x86_64__)
  const greg_t *all = context->uc_mcontext.gregs;
  return (struct registers){(uintptr_t)all[REG_RIP], (uintptr_t)all[REG_RSP],
                            read_word((uintptr_t)all[REG_RSP])};
#elif defined(__aarch64__)
  return (struct registers){context->uc_mcontext.pc, context->uc_mcontext.sp,
                            context->uc_mcontext.regs[30]};
#else
  (void)context;
  return (struct registers){0};
#endif
}

/* Lines for standard error.  Each write(2) wakes up the reader. */
struct lines {
  size_t n;
  char text[8192];
};

static void write_lines(struct lines *lines) {
  if (lines->n && write(STDERR_FILENO, lines->text, lines->n) < 0)
    lines->n = 0;
  lines->n = 0;
}

static void add_frame(struct lines *lines, int number,
                      const struct cul_where *frame) {
  enum { MOST_LINE = 1024 };
  char *line, plain[256];
  const char *name = plain;
  unsigned long address = (unsigned long)frame->address;
  unsigned long offset = (unsigned long)(frame->address - frame->base);
  int n;
  if (sizeof lines->text - lines->n < MOST_LINE)
    write_lines(lines);
  line = lines->text + lines->n;
  n = snprintf(line, MOST_LINE, "#%d 0x%016lx", number, address);
  /* Who reads a mangled name finds all of it. */
  if (!cul_where_readable(frame->name, plain, sizeof plain) &&
      strlen(frame->name) + 1 < sizeof frame->name)
    name = frame->name;
  if (frame->path)
    n += snprintf(line + n, (size_t)(MOST_LINE - n), "%s%s (%.400s+0x%lx)",
                  *name ? " " : "", name, frame->path, offset);
  line[n++] = '\n';
  lines->n += (size_t)n;
}

/* dladdr would look at every symbol of the module to name the nearest, for
 * each frame again; in libMLIR that takes longer than most runs. */
static int find_module(struct dl_phdr_info *info, size_t size, void *arg) {
  struct cul_where *frame = arg;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD ||
        frame->address - info->dlpi_addr - part->p_vaddr >= part->p_memsz)
      continue;
    frame->path = info->dlpi_name;
    frame->base = info->dlpi_addr;
    return 1;
  }
  return 0;
}

/* The program itself has no name there, and is loaded at its first byte. */
static void name_program(struct cul_where *frame) {
  Dl_info info;
  frame->path = NULL;
  if (!dladdr((void *)frame->address, &info) || !info.dli_fname)
    return;
  frame->path = info.dli_fname;
  frame->base = (uintptr_t)info.dli_fbase;
}

static void describe(struct cul_where *frame, uintptr_t address) {
  frame->address = address;
  frame->path = NULL;
  frame->base = 0;
  frame->name[0] = '\0';
  if (dl_iterate_phdr(find_module, frame) && !frame->path[0])
    name_program(frame);
}

/* From the faulting instruction outwards; what lies further in is this
 * handler.  Returns how many. */
static int unwind(uintptr_t pc, struct cul_where *frames) {
  void *addresses[MAX_FRAMES];
  int n = backtrace(addresses, MAX_FRAMES), first = 0;
  while (first < n && (uintptr_t)addresses[first] != pc)
    first++;
  if (first == n)
    addresses[first = n = 0] = (void *)pc, n++;
  for (int i = first; i < n; i++)
    describe(&frames[i - first], (uintptr_t)addresses[i]);
  return n - first;
}

/* A call of what is no code is not unwound, which would read it: of its callers
 * the first is known. */
static void print_stack(const struct registers *at) {
  struct cul_where frames[MAX_FRAMES];
  struct lines lines;
  int n = 1;
  lines.n = 0;
  describe(&frames[0], at->pc);
  if (frames[0].path || read_word(at->pc))
    n = unwind(at->pc, frames);
  if (n == 1 && !frames[0].path) {
    describe(&frames[n], at->caller);
    n += frames[n].path != NULL;
  }
  for (int i = 0; i < n && i < MAX_NAMED; i++)
    if (!frames[i].name[0] && frames[i].path)
      cul_where_name(&frames[i],
                     (size_t)(n < MAX_NAMED ? n : MAX_NAMED) - (size_t)i);
  for (int i = 0; i < n; i++)
    add_frame(&lines, i, &frames[i]);
  write_lines(&lines);
}

/* Where a stack overflows is chance: then only the signal speaks. */
static void die(int number, siginfo_t *info, void *context) {
  struct registers at = registers_of(context);
  uintptr_t fault = (uintptr_t)info->si_addr;
  if (number != SIGSEGV || fault + NEAR_STACK < at.sp ||
      fault > at.sp + NEAR_STACK)
    print_stack(&at);
  raise(number); /* blocked until the handler returns; then the default */
}

static int get_ready(struct dl_phdr_info *info, size_t size, void *arg) {
  struct cul_where module = {.path = info->dlpi_name, .base = info->dlpi_addr};
  (void)size;
  (void)arg;
  if (!module.path[0]) {
    module.address = info->dlpi_addr + info->dlpi_phdr[0].p_vaddr;
    name_program(&module);
    /* whatever path it was started by */
    module.path = module.path ? info->dlpi_name : NULL;
  } else if (module.path[0] != '/') {
    return 0; /* the kernel's: it has no file */
  }
  if (module.path)
    cul_where_name(&module, 0);
  return 0;
}

void cul_stack_catch(bool aborts, bool later) {
  struct sigaction action = {.sa_sigaction = die,
                             .sa_flags =
                                 SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
  stack_t stack = {.ss_size = STACK_BYTES};
  size_t n = sizeof deadly / sizeof *deadly - !aborts;
  void *load[1];
  backtrace(load, 1); /* the unwinder is loaded now, not in the handler */
  if (later) {
    (void)dl_iterate_phdr(get_ready, NULL);
    return;
  }
  stack.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp != MAP_FAILED)
    sigaltstack(&stack, NULL);
  for (size_t i = 0; i < n; i++) {
    struct sigaction old;
    if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction(deadly[i], &action, NULL);
  }
}
