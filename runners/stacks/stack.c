/* Stacks of other processes: see stack.h. */
#include "stack.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "../../base/clock.h"
#include "../../base/files/file.h"

enum {
  COPY = 128 * 1024, /* of a stack */
  ROWS = 2048,
  MAPS_EACH = 16, /* stacks: mappings change, rarely */
  MOST_PAUSE_NS = 1000 * 1000,
  STOP_US = 250 * 1000, /* on a busy machine it has to be scheduled first */
};

#if defined(__x86_64__)
enum { FRAME = 6, STACK = 7, RETURN = 16, IS_SUPPORTED = 1 };
#elif defined(__aarch64__)
enum { FRAME = 29, STACK = 31, RETURN = 30, IS_SUPPORTED = 1 };
#else
enum { FRAME = 0, STACK = 1, RETURN = 2, IS_SUPPORTED = 0 };
#endif

struct frame {
  uint64_t pc, regs[CUL_N_REGISTERS];
  bool known[CUL_N_REGISTERS];
};

struct cul_found_row {
  uint64_t pc, function;
  bool described; /* row is set; else its code has frame pointers or nothing */
  struct cul_row row;
};

/* The copied stack. */
struct copied {
  uint64_t from;
  size_t n;
  const uint8_t *bytes;
};

/* ---- stop ---- */

static void set(struct frame *out, int number, uint64_t value) {
  out->regs[number] = value;
  out->known[number] = true;
}

static bool take_registers(pid_t tid, struct frame *out) {
#if defined(__x86_64__)
  struct user_regs_struct r;
  struct iovec io = {&r, sizeof r};
  if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io))
    return false;
  *out = (struct frame){.pc = r.rip};
  set(out, 3, r.rbx);
  set(out, FRAME, r.rbp);
  set(out, STACK, r.rsp);
  set(out, 12, r.r12);
  set(out, 13, r.r13);
  set(out, 14, r.r14);
  set(out, 15, r.r15);
  return true;
#elif defined(__aarch64__)
  struct user_regs_struct r;
  struct iovec io = {&r, sizeof r};
  if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io))
    return false;
  *out = (struct frame){.pc = r.pc};
  for (int i = 19; i < 31; i++)
    set(out, i, r.regs[i]);
  set(out, STACK, r.sp);
  return true;
#else
  (void)tid, (void)out, (void)set;
  return false;
#endif
}

/* Has the task stopped?  1: yes, *status says for what; 0: not yet; -1: it has
 * ended.  The end of a child of this process stays to be waited for. */
static int stopped(pid_t tid, int *status) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)tid, &info,
             WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL))
    return errno == EINTR ? 0 : -1;
  if (!info.si_pid)
    return 0;
  if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
    return -1;
  return waitpid(tid, status, WNOHANG | __WALL) == tid ? 1 : -1;
}

/* A signal that was about to be delivered is delivered now; a stop by SIGSTOP
 * lasts. */
static void let_go(pid_t tid, int status) {
  bool event = status >> 16;
  int sig = event ? 0 : WSTOPSIG(status);
  ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)sig);
}

/* The end of a traced process that is no child of this one is told to its
 * parent once it was told here. */
static void see_end(pid_t tid) {
  siginfo_t info = {0};
  char path[64], text[512];
  const char *at;
  int parent = 0, fd;
  ssize_t n;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)tid);
  fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  n = fd < 0 ? 0 : TEMP_FAILURE_RETRY(read(fd, text, sizeof text - 1));
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  at = strrchr(text, ')');
  if (!at || sscanf(at + 1, " %*c %d", &parent) != 1 || parent == getpid())
    return;
  (void)waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL);
}

void cul_stack_let_held_go(struct cul_stack_reader *reader) {
  int status, is = reader->held ? stopped(reader->held, &status) : 0;
  if (is > 0)
    let_go(reader->held, status);
  else if (is < 0)
    see_end(reader->held);
  if (is)
    reader->held = 0;
}

/* Registers and the top of the stack of a running task. */
static bool copy_running(struct cul_stack_reader *reader, pid_t pid, pid_t tid,
                         struct frame *frame, struct copied *out) {
  struct timespec pause = {0, 20 * 1000};
  uint64_t until = cul_now_us() + STOP_US;
  int status = 0, is;
  bool taken;
  cul_stack_let_held_go(reader);
  if (reader->held || ptrace(PTRACE_SEIZE, tid, NULL, NULL))
    return false;
  if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0)
    while ((is = stopped(tid, &status)) == 0 && cul_now_us() < until)
      nanosleep(&pause, NULL), pause.tv_nsec += pause.tv_nsec < MOST_PAUSE_NS
                                                    ? pause.tv_nsec / 4
                                                    : 0;
  else
    is = stopped(tid, &status);
  if (is <= 0) {
    if (is < 0)
      see_end(tid);
    else
      reader->held = tid;
    return false;
  }
  taken = take_registers(tid, frame);
  if (taken) {
    out->from = frame->regs[STACK];
    out->n = cul_remote_read_some(pid, out->from, reader->copy, COPY);
    out->bytes = reader->copy;
  }
  let_go(tid, status);
  return taken;
}

/* ---- unwind ---- */

/* False: it is not in the copy; *ends: it lies behind it. */
static bool read_stack(const struct copied *stack, uint64_t address,
                       uint64_t *out, bool *ends) {
  *ends |= address >= stack->from + stack->n &&
           address < stack->from + stack->n + COPY;
  if (address < stack->from || stack->n < sizeof *out ||
      address - stack->from > stack->n - sizeof *out)
    return false;
  memcpy(out, stack->bytes + (address - stack->from), sizeof *out);
  return true;
}

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  h ^= h >> 29;
  return h ? h : 1;
}

/* The function at an address, with its row; NULL: no code is there. */
static const struct cul_found_row *find_row(struct cul_stack_reader *reader,
                                            uint64_t address) {
  struct cul_found_row *row = &reader->rows[mix(address, 0) % ROWS];
  struct cul_module *module;
  uint64_t start, fde;
  if (row->pc == address)
    return row;
  module = cul_mappings_find(&reader->modules, address);
  if (!module)
    return NULL;
  *row = (struct cul_found_row){.pc = address};
  if (cul_module_entry(reader->modules.pid, module, address, &start, &fde)) {
    row->described =
        cul_row_read(reader->modules.pid, fde, start, address, &row->row);
    if (row->described)
      row->function = mix(module->name, start - module->base);
  }
  /* Code without a description: a page of its file; code made at run time is
   * all one place. */
  if (!row->described)
    row->function = module->base
                        ? mix(module->name, (address - module->base) >> 12)
                        : mix(1, 1);
  return row;
}

static bool step_by_row(const struct cul_row *row, const struct copied *stack,
                        struct frame *frame, bool *ends) {
  struct frame next = {0};
  uint64_t cfa, pc = 0;
  if (row->cfa_register < 0 || !frame->known[row->cfa_register])
    return false;
  cfa = frame->regs[row->cfa_register] + (uint64_t)row->cfa_offset;
  for (int i = 0; i < CUL_N_REGISTERS; i++) {
    uint64_t at = cfa + (uint64_t)(int64_t)row->offsets[i], value = 0;
    bool known = false;
    if (row->rules[i] == CUL_RULE_SAME)
      known = frame->known[i], value = frame->regs[i];
    else if (row->rules[i] == CUL_RULE_ADDRESS)
      known = true, value = at;
    else if (row->rules[i] == CUL_RULE_SAVED)
      known = read_stack(stack, at, &value, ends);
    if (known)
      set(&next, i, value);
  }
  if (!next.known[row->return_register])
    return false;
  pc = next.regs[row->return_register];
#if defined(__aarch64__)
  pc &= ((uint64_t)1 << 48) - 1; /* a signed address */
#endif
  if (cfa <= frame->regs[STACK] && row->return_register == RETURN &&
      pc == frame->pc)
    return false; /* it does not get on */
  set(&next, STACK, cfa);
  next.known[RETURN] = false; /* the call has overwritten it */
  next.pc = pc;
  *frame = next;
  return true;
}

/* From a signal handler's return to what was interrupted: the stack holds its
 * registers (struct ucontext_t). */
static bool step_by_signal(const struct copied *stack, struct frame *frame,
                           bool *ends) {
#if defined(__x86_64__)
  static const struct {
    int dwarf, saved; /* REG_* */
  } all[] = {{3, REG_RBX},  {FRAME, REG_RBP}, {STACK, REG_RSP}, {12, REG_R12},
             {13, REG_R13}, {14, REG_R14},    {15, REG_R15}};
  uint64_t at = frame->regs[STACK] + offsetof(ucontext_t, uc_mcontext.gregs);
  struct frame next = {0};
  if (!read_stack(stack, at + 8 * REG_RIP, &next.pc, ends))
    return false;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    uint64_t value;
    if (!read_stack(stack, at + 8 * (uint64_t)all[i].saved, &value, ends))
      return false;
    set(&next, all[i].dwarf, value);
  }
  *frame = next;
  return true;
#else
  (void)stack, (void)frame, (void)ends;
  return false;
#endif
}

static bool step_by_pointer(const struct copied *stack, struct frame *frame,
                            bool *ends) {
  struct frame next = {0};
  uint64_t at = frame->regs[FRAME], pc, before;
  if (!frame->known[FRAME] || at < frame->regs[STACK] ||
      !read_stack(stack, at, &before, ends) ||
      !read_stack(stack, at + 8, &pc, ends))
    return false;
  set(&next, FRAME, before);
  set(&next, STACK, at + 16);
  next.pc = pc;
  *frame = next;
  return true;
}

static bool step(const struct cul_found_row *row, const struct copied *stack,
                 struct frame *frame, bool *ends) {
  if (!row->described)
    return step_by_pointer(stack, frame, ends);
  if (row->row.signal && row->row.cfa_register < 0)
    return step_by_signal(stack, frame, ends);
  return step_by_row(&row->row, stack, frame, ends);
}

static void unwind(struct cul_stack_reader *reader, struct frame *frame,
                   const struct copied *stack, struct cul_stack *out) {
  bool exact = true; /* pc is of an instruction, not behind a call */
  while (out->n < CUL_STAY_MOST_FRAMES) {
    bool ends = false;
    const struct cul_found_row *row =
        frame->pc ? find_row(reader, frame->pc - !exact) : NULL;
    if (!row) {
      out->whole = !frame->pc;
      return;
    }
    out->places[out->n++] = row->function;
    if (row->described && row->row.outermost) {
      out->whole = true;
      return;
    }
    if (!step(row, stack, frame, &ends)) {
      out->whole = ends;
      return;
    }
    exact = row->described && row->row.signal;
  }
  out->whole = true;
}

/* ---- stack ---- */

static bool make_ready(struct cul_stack_reader *reader, pid_t pid) {
  bool changed = true;
  if (!IS_SUPPORTED)
    return false;
  if (!reader->rows) {
    reader->rows = cul_xcalloc(ROWS, sizeof *reader->rows);
    reader->copy = cul_xcalloc(1, COPY);
  }
  if (reader->modules.pid == pid && reader->taken++ % MAPS_EACH)
    return true;
  if (!cul_mappings_read(&reader->modules, pid, &changed))
    return false;
  if (changed)
    memset(reader->rows, 0, ROWS * sizeof *reader->rows);
  return true;
}

/* Code that was loaded since the mappings were read? */
static void read_maps_if_new(struct cul_stack_reader *reader, uint64_t pc) {
  if (!cul_mappings_find(&reader->modules, pc))
    reader->taken = 0;
}

bool cul_stack_take(struct cul_stack_reader *reader, pid_t pid, pid_t tid,
                    struct cul_stack *out) {
  struct frame frame;
  struct copied stack;
  *out = (struct cul_stack){0};
  if (!make_ready(reader, pid) ||
      !copy_running(reader, pid, tid, &frame, &stack))
    return false;
  read_maps_if_new(reader, frame.pc);
  unwind(reader, &frame, &stack, out);
  if (!out->whole)
    reader->taken = 0;
  return out->n > 0;
}

/* "NUMBER ARGUMENTS... SP PC", or "running", or "-1 SP PC". */
static bool read_call(pid_t pid, pid_t tid, long *number, struct frame *frame) {
  char path[64], text[256], *at;
  int fd;
  ssize_t n;
  unsigned long long sp, pc;
  snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
  fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  n = fd < 0 ? 0 : TEMP_FAILURE_RETRY(read(fd, text, sizeof text - 1));
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  *number = strtol(text, &at, 10);
  if (at == text || *number < 0 ||
      sscanf(at, " %*s %*s %*s %*s %*s %*s %llx %llx", &sp, &pc) != 2)
    return false;
  *frame = (struct frame){.pc = pc};
  set(frame, STACK, sp);
  return true;
}

bool cul_stack_take_waiting(struct cul_stack_reader *reader, pid_t pid,
                            pid_t tid, struct cul_stack *out) {
  struct frame frame;
  struct copied stack;
  long number;
  *out = (struct cul_stack){0};
  if (!make_ready(reader, pid) || !read_call(pid, tid, &number, &frame))
    return false;
  stack = (struct copied){
      frame.regs[STACK],
      cul_remote_read_some(pid, frame.regs[STACK], reader->copy, COPY),
      reader->copy};
  read_maps_if_new(reader, frame.pc);
  out->places[out->n++] = mix(2, (uint64_t)number);
  unwind(reader, &frame, &stack, out);
  return true;
}

void cul_stack_reader_release(struct cul_stack_reader *reader) {
  cul_stack_let_held_go(reader);
  cul_mappings_release(&reader->modules);
  free(reader->rows);
  free(reader->copy);
  *reader = (struct cul_stack_reader){.held = reader->held};
}
