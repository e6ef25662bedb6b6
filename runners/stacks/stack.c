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
#include <sys/syscall.h>
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
  PAGE = 4096,
  MAX_PAGES = 64,
  MAX_MAPS_BYTES = 8 << 20,
  MAX_PHDRS = 64,
  MAX_ENTRY = 4096, /* maximal bytes of an entry of call frame information */
  MAX_STATES = 8,
  FIRST_BYTES = 64,  /* bytes of a program's first function */
  COPY = 128 * 1024, /* bytes of a stack to copy */
  ROWS = 2048,
  MAPS_EACH = 16, /* number of stacks after which mappings are read again */
  MOST_PAUSE_NS = 1000 * 1000,
  STOP_US = 250 * 1000, /* the task must first be scheduled, which takes long on
                           a busy machine */
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

struct cul_module {
  uint64_t start, end; /* of the executable mapping */
  uint64_t
      base; /* address at which the file's first byte would be; 0: no file */
  uint64_t name;   /* hash of the file's base name; 0: no file */
  bool looked;     /* the members below are set */
  uint64_t entry;  /* entry point of the program; 0: not in this module */
  uint64_t header; /* address of .eh_frame_hdr; 0: none */
  uint64_t table;  /* address of its sorted entries of 8 bytes */
  uint32_t n;      /* number of entries */
};

struct cul_found_row {
  uint64_t pc, function;
  bool described; /* row is set; false: the code has frame pointers, or nothing
                   */
  struct cul_row row;
};

/* A copy of the stack from address `from`. */
struct copied {
  uint64_t from;
  size_t n;
  const uint8_t *bytes;
};

/* ---- memory ---- */

/* Read n bytes at an address of the process; false: not all are readable. */
static bool remote_read(pid_t pid, uint64_t address, void *out, size_t n) {
  struct iovec here = {out, n}, there = {(void *)(uintptr_t)address, n};
  return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* Read up to n bytes, page by page; returns the number of readable bytes. */
static size_t remote_read_some(pid_t pid, uint64_t address, void *out,
                               size_t n) {
  struct iovec here = {out, n}, there[MAX_PAGES];
  size_t pages = 0, taken = 0;
  ssize_t got;
  /* A transfer is only partial at the bounds of elements, so each page is
   * one. */
  while (taken < n && pages < MAX_PAGES) {
    size_t part = PAGE - (address + taken) % PAGE;
    if (part > n - taken)
      part = n - taken;
    there[pages++] = (struct iovec){(void *)(uintptr_t)(address + taken), part};
    taken += part;
  }
  got = process_vm_readv(pid, &here, 1, there, pages, 0);
  return got > 0 ? (size_t)got : 0;
}

/* ---- mappings ---- */

static uint64_t hash(const char *text, size_t n) {
  uint64_t h = 0xcbf29ce484222325;
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
  return h ? h : 1;
}

static uint64_t hash_base(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  return hash(name, strlen(name));
}

static bool read_maps(pid_t pid, struct cul_buf *out) {
  char path[32];
  int fd;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  if (fd < 0)
    return false;
  while (out->len < MAX_MAPS_BYTES) {
    ssize_t n;
    cul_buf_reserve(out, 1 << 16);
    n = TEMP_FAILURE_RETRY(read(fd, out->data + out->len, 1 << 16));
    if (n <= 0)
      break;
    out->len += (size_t)n;
  }
  close(fd);
  return out->len > 0;
}

static void add(struct cul_mappings *modules, const struct cul_module *module) {
  modules->items =
      cul_xreallocarray(modules->items, modules->n + 1, sizeof *modules->items);
  modules->items[modules->n++] = *module;
}

/* What the lines read so far tell about the next one. */
struct last_file {
  uint64_t file, base; /* of the last mapping; 0: of no file */
  uint64_t name;       /* hash of the file's base name */
  uint64_t end;        /* of the last mapping */
  size_t n_copied;     /* modules after it that may be copies of its code */
};

/* Code of a file may be replaced by a copy in anonymous memory (on huge pages,
 * for instance).  An anonymous mapping counts as such a copy if mappings of the
 * file adjoin it on both sides. */
static void settle_copies(struct cul_mappings *modules, struct last_file *last,
                          bool confirmed) {
  for (; last->n_copied; last->n_copied--)
    if (!confirmed)
      modules->items[modules->n - last->n_copied].base =
          modules->items[modules->n - last->n_copied].name = 0;
}

static void take_line(struct cul_mappings *modules, const char *line,
                      size_t len, struct last_file *last) {
  unsigned long long start, end, offset;
  char text[512], perms[5];
  int at = 0;
  const char *name;
  uint64_t file;
  bool adjoins, copied;
  snprintf(text, sizeof text, "%.*s", (int)len, line);
  if (sscanf(text, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, perms,
             &offset, &at) < 4 ||
      at == 0)
    return;
  name = text + at;
  file = *name ? hash(name, strlen(name)) : 0;
  adjoins = start == last->end;
  copied = !file && adjoins && last->base;
  last->end = end;
  if (!copied) {
    settle_copies(modules, last, adjoins && file && file == last->file);
    /* The first page of a small program may be mapped twice, the second time as
     * code. */
    if (file != last->file || (offset == 0 && perms[2] != 'x')) {
      last->base = file && offset == 0 ? start : 0;
      last->name = last->base ? hash_base(name) : 0;
      last->file = file;
    }
  }
  if (perms[2] != 'x' || strcmp(name, "[vsyscall]") == 0)
    return;
  add(modules,
      &(struct cul_module){
          .start = start, .end = end, .base = last->base, .name = last->name});
  last->n_copied += copied;
}

static void mappings_release(struct cul_mappings *modules) {
  free(modules->items);
  *modules = (struct cul_mappings){0};
}

/* Read the mappings of a process.  *changed: they differ from the last call.
 * False: the process has ended or may not be inspected. */
static bool mappings_read(struct cul_mappings *modules, pid_t pid,
                          bool *changed) {
  struct cul_buf maps = {0};
  struct last_file last = {0};
  uint64_t digest;
  if (!read_maps(pid, &maps)) {
    cul_buf_release(&maps);
    return false;
  }
  digest = hash(maps.data, maps.len);
  *changed = modules->pid != pid || modules->digest != digest;
  if (*changed) {
    mappings_release(modules);
    modules->pid = pid;
    modules->digest = digest;
    for (const char *at = maps.data, *end = at + maps.len, *next; at < end;
         at = next + 1) {
      next = memchr(at, '\n', (size_t)(end - at));
      if (!next)
        break;
      take_line(modules, at, (size_t)(next - at), &last);
    }
    settle_copies(modules, &last, false);
  }
  cul_buf_release(&maps);
  return true;
}

/* ---- table of functions ---- */

static uint64_t find_header(pid_t pid, uint64_t base, uint64_t *entry) {
  Elf64_Ehdr ehdr;
  Elf64_Phdr phdrs[MAX_PHDRS];
  uint64_t bias = base, header = 0;
  if (!remote_read(pid, base, &ehdr, sizeof ehdr) ||
      memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 ||
      ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_phnum > MAX_PHDRS ||
      ehdr.e_phentsize != sizeof *phdrs ||
      !remote_read(pid, base + ehdr.e_phoff, phdrs,
                   ehdr.e_phnum * sizeof *phdrs))
    return 0;
  for (int i = 0; i < ehdr.e_phnum; i++)
    if (phdrs[i].p_type == PT_LOAD && phdrs[i].p_offset < PAGE) {
      bias = base - (phdrs[i].p_vaddr - phdrs[i].p_offset);
      break;
    }
  *entry = ehdr.e_entry ? bias + ehdr.e_entry : 0;
  for (int i = 0; i < ehdr.e_phnum; i++)
    if (phdrs[i].p_type == PT_GNU_EH_FRAME)
      header = bias + phdrs[i].p_vaddr;
  return header;
}

/* the version; the encodings of pointer, count and table; pointer and count in
 * 4 bytes each: the form that all linkers write */
static void look(pid_t pid, struct cul_module *module) {
  struct {
    uint8_t version, pointer, count, table;
    int32_t frames;
    uint32_t n;
  } head;
  uint64_t header =
      module->base ? find_header(pid, module->base, &module->entry) : 0;
  module->looked = true;
  if (!header || !remote_read(pid, header, &head, sizeof head) ||
      head.version != 1 || head.count != 0x03 || head.table != 0x3b)
    return;
  module->header = header;
  module->table = header + sizeof head;
  module->n = head.n;
}

/* The module that contains the address, with its table; NULL: not code. */
static struct cul_module *mappings_find(struct cul_mappings *modules,
                                        uint64_t address) {
  size_t low = 0, high = modules->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    struct cul_module *m = &modules->items[middle];
    if (address < m->start) {
      high = middle;
    } else if (address >= m->end) {
      low = middle + 1;
    } else {
      if (!m->looked)
        look(modules->pid, m);
      return m;
    }
  }
  return NULL;
}

struct entry {
  int32_t start, fde; /* relative to the address of the header */
};

/* Find the function at an address: its start and its description.  False: it is
 * not in the table. */
static bool module_entry(pid_t pid, const struct cul_module *module,
                         uint64_t address, uint64_t *start, uint64_t *fde) {
  int64_t sought = (int64_t)(address - module->header);
  struct entry at = {0};
  uint32_t low = 0, high = module->n; /* invariant: the last entry <= sought is
                                         in [low, high) */
  if (!module->header || !module->n)
    return false;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (!remote_read(pid, module->table + middle * sizeof at, &at, sizeof at))
      return false;
    if (at.start <= sought)
      low = middle;
    else
      high = middle;
  }
  if (!remote_read(pid, module->table + low * sizeof at, &at, sizeof at) ||
      at.start > sought)
    return false;
  *start = module->header + (uint64_t)(int64_t)at.start;
  *fde = module->header + (uint64_t)(int64_t)at.fde;
  return true;
}

/* ---- call frame information ---- */

struct cursor {
  const uint8_t *at, *end;
  bool bad;
};

struct cie {
  uint64_t code_align;
  int64_t data_align;
  uint8_t pointers; /* encoding of addresses */
  bool augmented, signal;
};

struct machine {
  struct cul_row row, initial, stack[MAX_STATES];
  const struct cie *cie;
  size_t n;
  uint64_t at, until; /* current address, and the address at which to stop */
};

static uint64_t take(struct cursor *in, size_t n) {
  uint64_t value = 0;
  if ((size_t)(in->end - in->at) < n) {
    in->bad = true;
    in->at = in->end;
    return 0;
  }
  memcpy(&value, in->at, n); /* all supported machines are little endian */
  in->at += n;
  return value;
}

static uint64_t take_uleb(struct cursor *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = (uint8_t)take(in, 1);
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  in->bad = true;
  return 0;
}

static int64_t take_sleb(struct cursor *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = (uint8_t)take(in, 1);
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte & 0x80)
      continue;
    if (byte & 0x40 && shift + 7 < 64)
      value |= ~(uint64_t)0 << (shift + 7);
    return (int64_t)value;
  }
  in->bad = true;
  return 0;
}

static size_t width_of(uint8_t encoding) {
  switch (encoding & 7) {
  case 2:
    return 2;
  case 3:
    return 4;
  default:
    return 8;
  }
}

static void skip(struct cursor *in, uint64_t n) {
  if ((uint64_t)(in->end - in->at) < n)
    in->bad = true, in->at = in->end;
  else
    in->at += n;
}

/* Read the bytes of an entry after its length.  A length of 0 ends the table;
 * ~0 begins a 64-bit entry, which linkers do not write to .eh_frame. */
static bool read_entry(pid_t pid, uint64_t address, uint8_t bytes[MAX_ENTRY],
                       struct cursor *out) {
  uint32_t length;
  if (!remote_read(pid, address, &length, sizeof length) || length < 4 ||
      length == ~0U)
    return false;
  if (length > MAX_ENTRY)
    length = MAX_ENTRY;
  if (!remote_read(pid, address + 4, bytes, length))
    return false;
  *out = (struct cursor){bytes, bytes + length, false};
  return true;
}

static bool read_cie(struct cursor *in, struct cie *out, uint8_t *returns) {
  uint8_t version;
  const char *letters;
  take(in, 4);
  version = (uint8_t)take(in, 1);
  letters = (const char *)in->at;
  if (!memchr(in->at, 0, (size_t)(in->end - in->at)))
    return false;
  in->at += strlen(letters) + 1;
  out->code_align = take_uleb(in);
  out->data_align = take_sleb(in);
  *returns = (uint8_t)(version == 1 ? take(in, 1) : take_uleb(in));
  out->augmented = letters[0] == 'z';
  if (!out->augmented)
    return !letters[0] && !in->bad;
  take_uleb(in);
  for (letters++; *letters && !in->bad; letters++) {
    if (*letters == 'R')
      out->pointers = (uint8_t)take(in, 1);
    else if (*letters == 'L')
      take(in, 1);
    else if (*letters == 'P')
      skip(in, width_of((uint8_t)take(in, 1)));
    else if (*letters == 'S')
      out->signal = true;
    else if (*letters != 'B')
      return false;
  }
  return !in->bad;
}

static void set_rule(struct cul_row *row, uint64_t number, enum cul_rule rule,
                     int64_t offset) {
  if (number >= CUL_N_REGISTERS)
    return;
  row->rules[number] = (uint8_t)rule;
  row->offsets[number] = (int32_t)offset;
}

static void restore(struct machine *m, uint64_t number) {
  if (number >= CUL_N_REGISTERS)
    return;
  m->row.rules[number] = m->initial.rules[number];
  m->row.offsets[number] = m->initial.offsets[number];
}

static void set_cfa(struct machine *m, uint64_t number, int64_t offset) {
  m->row.cfa_register = number < CUL_N_REGISTERS ? (int)number : -1;
  m->row.cfa_offset = offset;
}

/* An offset in units of the table's alignment.  It may wrap around, because a
 * damaged table can contain anything. */
static int64_t scaled(const struct machine *m, uint64_t units) {
  return (int64_t)(units * (uint64_t)m->cie->data_align);
}

/* The instructions that set the CFA or rules of one register. */
static bool step_rule(struct machine *m, uint8_t op, struct cursor *in) {
  uint64_t number = op == 0x0e || op == 0x13 || op == 0x0f ? 0 : take_uleb(in);
  switch (op) {
  case 0x05: /* offset_extended */
    set_rule(&m->row, number, CUL_RULE_SAVED, scaled(m, take_uleb(in)));
    return true;
  case 0x06:
    restore(m, number);
    return true;
  case 0x07:
    set_rule(&m->row, number, CUL_RULE_LOST, 0);
    return true;
  case 0x08:
    set_rule(&m->row, number, CUL_RULE_SAME, 0);
    return true;
  case 0x09: /* register */
    take_uleb(in);
    set_rule(&m->row, number, CUL_RULE_LOST, 0);
    return true;
  case 0x0c:
    set_cfa(m, number, (int64_t)take_uleb(in));
    return true;
  case 0x0d:
    set_cfa(m, number, m->row.cfa_offset);
    return true;
  case 0x0e:
    m->row.cfa_offset = (int64_t)take_uleb(in);
    return true;
  case 0x0f: /* def_cfa_expression */
    skip(in, take_uleb(in));
    m->row.cfa_register = -1;
    return true;
  case 0x10: /* expression, val_expression */
  case 0x16:
    skip(in, take_uleb(in));
    set_rule(&m->row, number, CUL_RULE_LOST, 0);
    return true;
  case 0x11:
    set_rule(&m->row, number, CUL_RULE_SAVED,
             scaled(m, (uint64_t)take_sleb(in)));
    return true;
  case 0x12:
    set_cfa(m, number, scaled(m, (uint64_t)take_sleb(in)));
    return true;
  case 0x13:
    m->row.cfa_offset = scaled(m, (uint64_t)take_sleb(in));
    return true;
  case 0x14:
    set_rule(&m->row, number, CUL_RULE_ADDRESS, scaled(m, take_uleb(in)));
    return true;
  case 0x15:
    set_rule(&m->row, number, CUL_RULE_ADDRESS,
             scaled(m, (uint64_t)take_sleb(in)));
    return true;
  default:
    return false;
  }
}

static bool step_state(struct machine *m, uint8_t op, struct cursor *in) {
  switch (op) {
  case 0x00: /* nop */
  case 0x2d: /* AArch64: the return address is signed, or no longer */
    return true;
  case 0x02: /* advance_loc1, 2, 4 */
    m->at += take(in, 1) * m->cie->code_align;
    return true;
  case 0x03:
    m->at += take(in, 2) * m->cie->code_align;
    return true;
  case 0x04:
    m->at += take(in, 4) * m->cie->code_align;
    return true;
  case 0x0a: /* remember_state, restore_state */
    if (m->n == MAX_STATES)
      return false;
    m->stack[m->n++] = m->row;
    return true;
  case 0x0b:
    if (m->n == 0)
      return false;
    m->row = m->stack[--m->n];
    return true;
  case 0x2e: /* GNU_args_size */
    take_uleb(in);
    return true;
  default:
    return step_rule(m, op, in);
  }
}

static bool execute(struct machine *m, struct cursor *in) {
  while (in->at < in->end && !in->bad) {
    uint8_t byte = (uint8_t)take(in, 1), low = byte & 0x3f;
    uint64_t before = m->at;
    bool known = true;
    struct cul_row row = m->row;
    if (byte >> 6 == 1)
      m->at += low * m->cie->code_align;
    else if (byte >> 6 == 2)
      set_rule(&m->row, low, CUL_RULE_SAVED, scaled(m, take_uleb(in)));
    else if (byte >> 6 == 3)
      restore(m, low);
    else
      known = step_state(m, byte, in);
    if (!known)
      return false;
    if (m->at != before && m->at > m->until) {
      m->row = row;
      return true;
    }
  }
  return !in->bad;
}

bool cul_row_read(pid_t pid, uint64_t fde, uint64_t start, uint64_t address,
                  struct cul_row *out) {
  uint8_t fde_bytes[MAX_ENTRY], cie_bytes[MAX_ENTRY];
  struct cursor in, common;
  struct cie cie = {0};
  struct machine m = {.cie = &cie, .at = start, .until = address};
  uint64_t back, length;
  if (!read_entry(pid, fde, fde_bytes, &in))
    return false;
  back = take(&in, 4);
  if (back == 0 || !read_entry(pid, fde + 4 - back, cie_bytes, &common) ||
      !read_cie(&common, &cie, &m.row.return_register))
    return false;
  skip(&in, width_of(cie.pointers));
  length = take(&in, width_of(cie.pointers));
  if (in.bad || address - start >= length)
    return false;
  if (cie.augmented)
    skip(&in, take_uleb(&in));
  m.row.signal = cie.signal;
  m.at = m.until; /* the instructions of the CIE apply to all addresses */
  if (!execute(&m, &common))
    return false;
  m.at = start;
  m.initial = m.row;
  if (!execute(&m, &in))
    return false;
  *out = m.row;
  out->outermost = !out->signal && out->return_register < CUL_N_REGISTERS &&
                   out->rules[out->return_register] == CUL_RULE_LOST;
  return true;
}

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

/* Has the task stopped?  1: yes, *status: the reason; 0: not yet; -1: it has
 * ended.  The end of a child of this process can still be waited for
 * afterwards. */
static int stopped(pid_t tid, int *status) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)tid, &info,
             WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL))
    return errno == EINTR ? 0 : -1;
  if (!info.si_pid)
    return 0;
  if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
    return -1;
  /* a stop that is not collected would last */
  return TEMP_FAILURE_RETRY(waitpid(tid, status, WNOHANG | __WALL)) == tid ? 1
                                                                           : -1;
}

/* Restart the system call that the stop has interrupted.  The task computed
 * when it was looked at, and has begun to wait since.  The kernel restarts most
 * calls itself, but not epoll_wait, semop, sigtimedwait or sockets with a limit
 * of time (signal(7)).  It restarts a call that has returned ERESTARTNOHAND,
 * unless the handler of a signal runs: then the call returns EINTR, as without
 * the stop.  close(2) has closed the file even if it returns EINTR. */
static void restart_call(pid_t tid) {
#if defined(__x86_64__)
  enum { ERESTARTNOHAND = 514 };
  struct user_regs_struct r;
  struct iovec io = {&r, sizeof r};
  if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io) ||
      (long)r.orig_rax < 0 || r.orig_rax == SYS_close || (long)r.rax != -EINTR)
    return;
  r.rax = (unsigned long)-ERESTARTNOHAND;
  ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &io);
#else
  (void)tid;
#endif
}

/* Detach from the task.  A pending signal is delivered; a stop by SIGSTOP
 * stays. */
static void let_go(pid_t tid, int status) {
  bool event = status >> 16;
  int sig = event ? 0 : WSTOPSIG(status);
  if (event)
    restart_call(tid);
  ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)sig);
}

/* Wait for the end of a traced process that is not a child, so that its parent
 * is notified, too. */
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
  (void)TEMP_FAILURE_RETRY(
      waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL));
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

/* Copy the registers and the top of the stack of a running task. */
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
    out->n = remote_read_some(pid, out->from, reader->copy, COPY);
    out->bytes = reader->copy;
  }
  let_go(tid, status);
  return taken;
}

/* ---- unwind ---- */

/* Read a word of the copied stack.  False: it is not in the copy; *ends: it is
 * after its end. */
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

/* The function at an address, with its row; NULL: not code. */
static const struct cul_found_row *find_row(struct cul_stack_reader *reader,
                                            uint64_t address) {
  struct cul_found_row *row = &reader->rows[mix(address, 0) % ROWS];
  struct cul_module *module;
  uint64_t start, fde;
  if (row->pc == address)
    return row;
  module = mappings_find(&reader->modules, address);
  if (!module)
    return NULL;
  *row = (struct cul_found_row){.pc = address};
  if (module_entry(reader->modules.pid, module, address, &start, &fde)) {
    row->described =
        cul_row_read(reader->modules.pid, fde, start, address, &row->row);
    if (row->described)
      row->function = mix(module->name, start - module->base);
  }
  /* Code without a description: count a page of its file as a function, and all
   * code made at run time as one. */
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
  pc &= ((uint64_t)1 << 48) - 1; /* remove the signature of the address */
#endif
  if (cfa <= frame->regs[STACK] && row->return_register == RETURN &&
      pc == frame->pc)
    return false; /* no progress */
  set(&next, STACK, cfa);
  next.known[RETURN] = false; /* the call overwrote the register */
  next.pc = pc;
  *frame = next;
  return true;
}

/* Step from a signal handler to the interrupted function, whose registers are
 * on the stack (struct ucontext_t). */
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

/* Is pc in the program's first function?  It has no caller, even if its call
 * frame information does not mark that. */
static bool is_first(struct cul_stack_reader *reader, uint64_t pc) {
  const struct cul_module *module = mappings_find(&reader->modules, pc);
  return module && module->entry && pc >= module->entry &&
         pc - module->entry < FIRST_BYTES;
}

static void unwind(struct cul_stack_reader *reader, struct frame *frame,
                   const struct copied *stack, struct cul_stack *out) {
  bool exact =
      true; /* pc is the address of an instruction, not a return address */
  uint64_t last = 0;
  while (out->n < CUL_STAY_MOST_FRAMES) {
    bool ends = false;
    const struct cul_found_row *row =
        frame->pc ? find_row(reader, frame->pc - !exact) : NULL;
    if (!row) {
      out->whole = !frame->pc || is_first(reader, last);
      return;
    }
    out->places[out->n++] = row->function;
    last = frame->pc;
    if (row->described && row->row.outermost) {
      out->whole = true;
      return;
    }
    if (!step(row, stack, frame, &ends)) {
      out->whole = ends || is_first(reader, last);
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
  if (!mappings_read(&reader->modules, pid, &changed))
    return false;
  if (changed)
    memset(reader->rows, 0, ROWS * sizeof *reader->rows);
  return true;
}

/* Read the mappings again if pc may be in code that was loaded later. */
static void read_maps_if_new(struct cul_stack_reader *reader, uint64_t pc) {
  if (!mappings_find(&reader->modules, pc))
    reader->taken = 0;
}

static bool take_running(struct cul_stack_reader *reader, pid_t pid, pid_t tid,
                         struct cul_stack *out) {
  struct frame frame;
  struct copied stack;
  if (!make_ready(reader, pid) ||
      !copy_running(reader, pid, tid, &frame, &stack))
    return false;
  read_maps_if_new(reader, frame.pc);
  unwind(reader, &frame, &stack, out);
  if (!out->whole)
    reader->taken = 0;
  return out->n > 0;
}

/* Read /proc/PID/task/TID/syscall: "NUMBER ARGUMENTS... SP PC", "running" or
 * "-1 SP PC". */
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

static bool take_waiting(struct cul_stack_reader *reader, pid_t pid, pid_t tid,
                         struct cul_stack *out) {
  struct frame frame;
  struct copied stack;
  long number;
  if (!make_ready(reader, pid) || !read_call(pid, tid, &number, &frame))
    return false;
  stack = (struct copied){
      frame.regs[STACK],
      remote_read_some(pid, frame.regs[STACK], reader->copy, COPY),
      reader->copy};
  read_maps_if_new(reader, frame.pc);
  out->places[out->n++] = mix(2, (uint64_t)number);
  unwind(reader, &frame, &stack, out);
  return true;
}

bool cul_stack_take(struct cul_stack_reader *reader, pid_t pid, pid_t tid,
                    bool waits, struct cul_stack *out) {
  *out = (struct cul_stack){0};
  return waits ? take_waiting(reader, pid, tid, out)
               : take_running(reader, pid, tid, out);
}
