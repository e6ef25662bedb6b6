/* Launch emulated kernels: see emul.h.
 *
 * Each thread of a block is a fibre; blocks run one after the other.  A fibre
 * runs until it ends, waits for its block or subgroup, or has worked for so
 * long that it may wait for another thread's atomic operation.  When no fibre
 * can run, the waiting ones continue if all that take part have come to the
 * same operation.  If not, the kernel is wrong: a device hangs, or the result
 * is undefined.  Compiled code passes no context of its own, so the state is a
 * global (tests/lint/exempt). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../../base/buf.h"
#include "emul.h"

enum {
  STACK_BYTES = 256 * 1024,
  MAX_THREADS = 1024,
  MAX_PARAMS = 512,
  GUARD = 256, /* bytes around an allocation that nothing may access */
  MAX_PENDING = 64,
  /* a fibre yields after so many accesses, and after so many atomic operations
   * whose result it uses, because it may wait for another thread */
  TURN = 100000,
  SPINS = 50,
  MAX_TURNS =
      2000,       /* maximal consecutive turns without progress of any fibre */
  PAGE_BITS = 10, /* log2 of the bytes of a shadow page; allocations do not
                     share pages */
  MAX_FINDINGS = 64, /* distinct findings in one launch */
};

struct place {
  int64_t x, y, z;
};

/* The state of a fibre: running, or waiting at an operation. */
enum state {
  RUNNABLE,
  ENDED,
  AT_BARRIER,
  AT_GATHER, /* of the block */
  /* of the subgroup */
  AT_SHUFFLE,
  AT_SUBGROUP,
};

struct fibre {
  ucontext_t context;
  enum state state;
  struct place id;
  void *params[MAX_PARAMS];
  int64_t site;
  /* the value for other fibres, and the received one */
  char value[CUL_EMUL_MAX_VALUE], got[CUL_EMUL_MAX_VALUE];
  size_t bytes;
  int64_t mode, offset, width; /* of a shuffle */
  int64_t size, stride;        /* of a cluster */
  size_t *members;             /* of the last gather: fibres; heap */
  size_t n_members;
  bool valid;
};

/* ---- the shadow's structures ---- */

/* An access: by which thread of the launch, when, at which site; site 0: none.
 */
struct access {
  uint32_t thread, tick, site;
};

/* The accesses to some bytes.  Reads and atomic operations: two of the latest
 * block with any, and one of an earlier block. */
struct cell {
  struct access write, reads[3], atomics[3];
  uint8_t written; /* a bit per byte */
};

struct page {
  uintptr_t at;   /* address >> PAGE_BITS; 0: unused */
  uint64_t era;   /* when its accesses were made: see region */
  unsigned shift; /* bytes of a cell as a power of two: 2, or 0 */
  struct cell *cells;
};

/* A vector clock of a thread.  For a thread as key: its accesses up to a tick
 * happened before; for a block: those before a tick.  Sorted by key: blocks,
 * then threads. */
struct clock {
  struct known {
    uint64_t key;
    uint32_t tick;
  } *items;
  size_t n, cap;
};

struct sync { /* a memory word that atomic operations use */
  uintptr_t at;
  struct clock clock;
};

enum memory {
  GLOBAL,
  DEVICE, /* global memory that the host has not written */
  WORKGROUP,
  PRIVATE,
};

struct region {
  uintptr_t base;
  size_t size;
  enum memory memory;
  size_t stride, bytes; /* PRIVATE: of each thread's part */
};

/* A global of compiled code, with its content when the launch began and after
 * the first order of it. */
struct global {
  uintptr_t base;
  size_t size;
  char *before, *after; /* heap */
};

/* ---- findings ---- */

enum kind { RACE, OUTSIDE, UNWRITTEN, BARRIER, SHUFFLE };

struct finding {
  enum kind kind;
  int64_t site, other; /* numbers of sites; 0: none */
  char *what, *note;
};

static struct {
  const struct cul_emul_kernels *kernels;
  const struct cul_emul_kernel *kernel; /* the running kernel */
  /* extents; index of the running block */
  struct place grid, block, at;
  size_t n_threads, n_block;
  struct fibre *fibres; /* MAX_THREADS of them, made at the first launch */
  char *stacks;
  struct fibre *current;
  ucontext_t scheduler;
  /* accesses and atomic operations of the current fibre in its turn */
  size_t turn, spins;
  bool worked; /* its turn ended after TURN accesses, or an atomic operation
                  changed memory in it */
  /* the last atomic operation of the fibre whose result it uses, and the bytes
     before it; spin_bytes 0: none */
  uintptr_t spin_at;
  size_t spin_bytes;
  char spin_old[16];
  bool changed; /* such an operation changed memory in this turn */
  bool runs;    /* a kernel is running */
  enum cul_emul_order order;

  struct region *allocations; /* the host's; sorted by address */
  size_t n_allocations;
  struct region *regions; /* of the launch; sorted by address */
  size_t n_regions, hit;
  struct global *globals;
  size_t n_globals;
  struct page *pages; /* a hash table; its size is a power of two */
  size_t n_pages, cap_pages;
  /* of the current run of a launch, of the current block; numbers from
   * n_eras */
  uint64_t era, block_era, n_eras;
  uint32_t tick, block_tick;
  struct clock *clocks, block_clock; /* of fibres; common to all */
  struct sync *syncs;
  size_t n_syncs;
  /* parts of the last write, which may leave the same bytes */
  struct pending {
    uintptr_t at;
    size_t bytes;
    char old[4];
    struct access with, by;
    enum memory memory;
  } pending[MAX_PENDING];
  size_t n_pending;
  struct finding findings[MAX_FINDINGS];
  size_t n_findings;
} now;

/* ---- messages ---- */

static const struct cul_emul_site *site_of(int64_t site) {
  static const struct cul_emul_site unknown = {(char *)"an access", (char *)""};
  return site > 0 && (size_t)site < now.kernels->n_sites
             ? &now.kernels->sites[site]
             : &unknown;
}

/* Append "memref.load (3:5)": its place, without the name of the input; 0:0: it
 * has none. */
static void add_site(struct cul_buf *out, int64_t site) {
  const struct cul_emul_site *s = site_of(site);
  const char *place = strncmp(s->place, "-:", 2) == 0 ? s->place + 2 : s->place;
  cul_buf_addf(out, "%s (%s)", s->op, *place ? place : "0:0");
}

static const char *const memories[] = {[GLOBAL] = "global",
                                       [DEVICE] = "global",
                                       [WORKGROUP] = "workgroup",
                                       [PRIVATE] = "private"};

/* Append "thread (1, 0, 0) of block (0, 0, 0)". */
static void add_thread(struct cul_buf *out, size_t thread) {
  size_t t = thread % now.n_threads, b = thread / now.n_threads;
  size_t bx = (size_t)now.block.x, by = (size_t)now.block.y;
  size_t gx = (size_t)now.grid.x, gy = (size_t)now.grid.y;
  cul_buf_addf(out, "thread (%zu, %zu, %zu) of block (%zu, %zu, %zu)", t % bx,
               t / bx % by, t / bx / by, b % gx, b / gx % gy, b / gx / gy);
}

static void print_at(int64_t site, const char *severity, const char *text) {
  const char *place = site_of(site)->place;
  fprintf(stderr, "%s%s%s: %s\n", place, *place ? ": " : "", severity, text);
}

/* Is the finding a consequence of a race of the same access? */
static bool is_consequence(const struct finding *f) {
  for (size_t i = 0; i < now.n_findings && f->kind == UNWRITTEN; i++)
    if (now.findings[i].kind == RACE &&
        (now.findings[i].site == f->site || now.findings[i].other == f->site))
      return true;
  return false;
}

/* Report the findings and end the process. */
static _Noreturn void end(void) {
  fflush(stdout);
  for (size_t i = 0; i < now.n_findings; i++) {
    const struct finding *f = &now.findings[i];
    if (is_consequence(f))
      continue;
    print_at(f->site, "error", f->what);
    print_at(f->other ? f->other : f->site, "note", f->note);
  }
  fflush(stderr);
  _exit(CUL_JIT_UNSOUND);
}

static _Noreturn void stop(const char *what) {
  fflush(stdout);
  fprintf(stderr, "error: kernel %s: %s\n", now.kernel ? now.kernel->shown : "",
          what);
  end();
}

static struct finding *find_finding(enum kind kind, int64_t site,
                                    int64_t other) {
  for (size_t i = 0; i < now.n_findings; i++) {
    struct finding *f = &now.findings[i];
    if (f->kind == kind && ((f->site == site && f->other == other) ||
                            (f->site == other && f->other == site)))
      return f;
  }
  return NULL;
}

/* Add a finding; takes over both texts. */
static void add_finding(enum kind kind, int64_t site, int64_t other, char *what,
                        char *note) {
  if (now.n_findings == MAX_FINDINGS || find_finding(kind, site, other)) {
    free(what);
    free(note);
    return;
  }
  now.findings[now.n_findings++] =
      (struct finding){kind, site, other, what, note};
}

static size_t current_thread(void) {
  return now.n_block * now.n_threads + (size_t)(now.current - now.fibres);
}

/* ---- clocks ---- */

static uint64_t key_of_block(size_t block) { return block; }
static uint64_t key_of_thread(size_t thread) {
  return UINT64_C(1) << 40 | thread;
}

static uint32_t known_tick(const struct clock *clock, uint64_t key) {
  size_t low = 0, high = clock->n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (clock->items[mid].key < key)
      low = mid + 1;
    else
      high = mid;
  }
  return low < clock->n && clock->items[low].key == key ? clock->items[low].tick
                                                        : 0;
}

/* Raise the entry of key to tick. */
static void learn(struct clock *clock, uint64_t key, uint32_t tick) {
  size_t i = clock->n;
  while (i > 0 && clock->items[i - 1].key > key)
    i--;
  if (i > 0 && clock->items[i - 1].key == key) {
    if (clock->items[i - 1].tick < tick)
      clock->items[i - 1].tick = tick;
    return;
  }
  if (clock->n == clock->cap) {
    clock->cap = clock->cap ? 2 * clock->cap : 8;
    clock->items =
        cul_xreallocarray(clock->items, clock->cap, sizeof *clock->items);
  }
  memmove(&clock->items[i + 1], &clock->items[i],
          (clock->n - i) * sizeof *clock->items);
  clock->items[i] = (struct known){key, tick};
  clock->n++;
}

/* Merge another clock into clock; linear in both. */
static void learn_all(struct clock *clock, const struct clock *from) {
  struct clock out = {.cap = clock->n + from->n};
  size_t a = 0, b = 0;
  if (!from->n)
    return;
  out.items = cul_xcalloc(out.cap, sizeof *out.items);
  while (a < clock->n || b < from->n) {
    const struct known *x = a < clock->n ? &clock->items[a] : NULL,
                       *y = b < from->n ? &from->items[b] : NULL;
    if (x && y && x->key == y->key) {
      out.items[out.n++] = x->tick > y->tick ? *x : *y;
      a++, b++;
    } else if (!y || (x && x->key < y->key)) {
      out.items[out.n++] = *x, a++;
    } else {
      out.items[out.n++] = *y, b++;
    }
  }
  free(clock->items);
  *clock = out;
}

/* Did the access happen before the current operation of the current thread? */
static bool is_ordered(const struct access *a) {
  size_t me = (size_t)(now.current - now.fibres);
  size_t block = a->thread / now.n_threads;
  uint64_t thread_key = key_of_thread(a->thread), block_key;
  if (a->thread == current_thread())
    return true;
  if (block == now.n_block && a->tick < now.block_tick)
    return true;
  block_key = key_of_block(block);
  return known_tick(&now.clocks[me], block_key) > a->tick ||
         known_tick(&now.block_clock, block_key) > a->tick ||
         known_tick(&now.clocks[me], thread_key) >= a->tick ||
         known_tick(&now.block_clock, thread_key) >= a->tick;
}

/* All threads of the block have waited for each other: order their accesses
 * before everything that follows. */
static void order_block(void) {
  for (size_t i = 0; i < now.n_threads; i++) {
    learn_all(&now.block_clock, &now.clocks[i]);
    now.clocks[i].n = 0;
  }
  now.block_tick = ++now.tick;
}

static struct sync *sync_of(uintptr_t at) {
  enum { SIZE = 1 << 14 };
  size_t i = at * UINT64_C(0x9e3779b97f4a7c15) >> 50;
  if (!now.syncs)
    now.syncs = cul_xcalloc(SIZE, sizeof *now.syncs);
  for (size_t tries = 0; tries < SIZE; tries++, i++) {
    struct sync *s = &now.syncs[i % SIZE];
    if (s->at == at || !s->at) {
      s->at = at;
      return s;
    }
  }
  stop("more words are used by atomic operations than can be emulated");
}

static void order_atomic(uintptr_t at, enum cul_emul_access kind) {
  struct sync *s = sync_of(at);
  struct clock *own = &now.clocks[now.current - now.fibres];
  if (kind == CUL_EMUL_ACQUIRE)
    learn_all(own, &s->clock);
  learn_all(&s->clock, own);
  learn_all(&s->clock, &now.block_clock);
  learn(&s->clock, key_of_block(now.n_block), now.block_tick);
  learn(&s->clock, key_of_thread(current_thread()), now.tick++);
}

static void forget_order(void) {
  enum { SIZE = 1 << 14 };
  for (size_t i = 0; now.syncs && i < SIZE; i++)
    now.syncs[i].at = 0, now.syncs[i].clock.n = 0;
  now.tick = now.block_tick = 1;
}

/* ---- regions ---- */

/* The first region that begins above the address. */
static size_t region_above(const struct region *regions, size_t n,
                           uintptr_t at) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (regions[mid].base <= at)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static void insert_region(struct region **regions, size_t *n,
                          struct region region) {
  size_t i = region_above(*regions, *n, region.base);
  *regions = cul_xreallocarray(*regions, *n + 1, sizeof **regions);
  memmove(*regions + i + 1, *regions + i, (*n - i) * sizeof **regions);
  (*regions)[i] = region;
  ++*n;
}

/* Allocate memory for compiled code, with a guard on both sides; it is never
 * freed.  Memory that a thread allocates in a kernel is not watched. */
static void *allocate(size_t size) {
  void *memory;
  if (now.runs)
    return aligned_alloc(64, (size + 64) / 64 * 64);
  if (posix_memalign(&memory, (size_t)1 << PAGE_BITS, size + 2 * GUARD) != 0)
    return NULL;
  insert_region(&now.allocations, &now.n_allocations,
                (struct region){(uintptr_t)memory + GUARD, size, GLOBAL, 0, 0});
  return (char *)memory + GUARD;
}

void cul_emul_serve(const struct cul_emul_kernels *kernels) {
  now.kernels = kernels;
  cul_jit_memory(allocate);
}

/* The region that contains the bytes, or is next to them (*outside).  NULL:
 * unknown memory. */
static const struct region *region_of(uintptr_t at, size_t bytes,
                                      bool *outside) {
  const struct region *r = now.regions;
  size_t i = now.hit;
  *outside = false;
  if (i >= now.n_regions || at < r[i].base || at >= r[i].base + r[i].size)
    i = region_above(r, now.n_regions, at) - 1;
  if (i != SIZE_MAX && at < r[i].base + r[i].size) {
    now.hit = i;
    *outside = at + bytes > r[i].base + r[i].size;
  } else if (i != SIZE_MAX && at < r[i].base + r[i].size + GUARD) {
    *outside = true;
  } else if (++i < now.n_regions && at + GUARD >= r[i].base) {
    *outside = true;
  } else {
    return NULL;
  }
  if (r[i].memory == PRIVATE && !*outside) {
    size_t thread = (size_t)(now.current - now.fibres);
    uintptr_t own = r[i].base + thread * r[i].stride;
    *outside = at < own || at + bytes > own + r[i].bytes;
  }
  return &r[i];
}

/* ---- the shadow ---- */

static void grow_pages(void) {
  struct page *old = now.pages;
  size_t cap = now.cap_pages;
  now.cap_pages = cap ? 2 * cap : 1024;
  now.pages = cul_xcalloc(now.cap_pages, sizeof *now.pages);
  for (size_t i = 0; i < cap; i++) {
    size_t at = old[i].at * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    if (!old[i].at)
      continue;
    while (now.pages[at % now.cap_pages].at)
      at++;
    now.pages[at % now.cap_pages] = old[i];
  }
  free(old);
}

static struct page *page_of(uintptr_t at, uint64_t era, bool keep_written) {
  uintptr_t number = at >> PAGE_BITS;
  size_t i = number * UINT64_C(0x9e3779b97f4a7c15) >> 20, n;
  struct page *p;
  if (2 * now.n_pages >= now.cap_pages)
    grow_pages();
  for (;; i++) {
    p = &now.pages[i % now.cap_pages];
    if (p->at == number || !p->at)
      break;
  }
  if (!p->at) {
    *p = (struct page){.at = number, .era = era, .shift = 2};
    p->cells = cul_xcalloc((size_t)1 << (PAGE_BITS - 2), sizeof *p->cells);
    now.n_pages++;
  }
  n = (size_t)1 << (PAGE_BITS - p->shift);
  if (p->era != era) {
    for (size_t j = 0; j < n; j++) {
      uint8_t written = p->cells[j].written;
      p->cells[j] = (struct cell){.written = keep_written ? written : 0};
    }
    p->era = era;
  }
  return p;
}

/* Give the page a cell per byte. */
static void refine(struct page *p) {
  size_t n = (size_t)1 << PAGE_BITS;
  struct cell *cells = cul_xcalloc(n, sizeof *cells);
  for (size_t i = 0; i < n; i++) {
    cells[i] = p->cells[i >> 2];
    cells[i].written = p->cells[i >> 2].written >> (i & 3) & 1;
  }
  free(p->cells);
  p->cells = cells;
  p->shift = 0;
}

/* Report a race.  The access that comes first in the kernel is named first,
 * whichever was made first, so that the message is the same in all orders. */
static void tell_race(enum memory memory, const struct access *one,
                      const struct access *another) {
  bool swap = another->site < one->site;
  const struct access *first = swap ? another : one,
                      *second = swap ? one : another;
  struct cul_buf what = {0}, note = {0};
  bool same = first->thread / now.n_threads == second->thread / now.n_threads;
  if (find_finding(RACE, first->site, second->site))
    return;
  cul_buf_addf(&what, "race in %s memory: ", memories[memory]);
  add_site(&what, first->site);
  if (first->site != second->site) {
    cul_buf_adds(&what, " and ");
    add_site(&what, second->site);
  }
  cul_buf_addf(&what, " of %s, in kernel @%s",
               first->site == second->site ? "two threads" : "another thread",
               now.kernel->shown);
  cul_buf_adds(&note, "the other access is this one by ");
  add_thread(&note, second->thread);
  cul_buf_adds(&note, ", the first one is by ");
  add_thread(&note, first->thread);
  cul_buf_adds(&note, same ? "; no gpu.barrier is between them"
                           : "; nothing orders the two blocks");
  add_finding(RACE, first->site, second->site, cul_buf_take(&what),
              cul_buf_take(&note));
}

/* Judge the last write, which is done by now: a write over a write is a race
 * only if it changed the bytes. */
static void settle(void) {
  for (size_t i = 0; i < now.n_pending; i++) {
    const struct pending *p = &now.pending[i];
    if (memcmp((const void *)p->at, p->old, p->bytes) != 0)
      tell_race(p->memory, &p->with, &p->by);
  }
  now.n_pending = 0;
  if (now.spin_bytes &&
      memcmp((const void *)now.spin_at, now.spin_old, now.spin_bytes) != 0)
    now.changed = true;
  now.spin_bytes = 0;
}

/* Keep the bytes before an atomic operation: a thread that waits for another
 * repeats one that changes nothing (see settle). */
static void watch_spin(uintptr_t at, size_t bytes) {
  if (bytes > sizeof now.spin_old)
    return;
  now.spin_at = at;
  now.spin_bytes = bytes;
  memcpy(now.spin_old, (const void *)at, bytes);
}

static void suspect_write(enum memory memory, const struct access *with,
                          const struct access *by, uintptr_t at, size_t bytes) {
  struct pending *p = &now.pending[now.n_pending];
  if (now.n_pending == MAX_PENDING)
    return;
  now.n_pending++;
  *p = (struct pending){
      .at = at, .bytes = bytes, .with = *with, .by = *by, .memory = memory};
  memcpy(p->old, (const void *)at, bytes);
}

/* One of the accesses that is not ordered before the current operation; NULL:
 * none. */
static const struct access *unordered(const struct access *items, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (items[i].site && !is_ordered(&items[i]))
      return &items[i];
  return NULL;
}

/* Remember an access among those of its kind in a cell: see struct cell. */
static void note_access(struct access items[3], const struct access *by) {
  if (items[0].site &&
      items[0].thread / now.n_threads != by->thread / now.n_threads) {
    items[2] = items[0];
    items[0] = items[1] = (struct access){0};
  }
  for (size_t i = 0; i < 2; i++)
    if (!items[i].site || items[i].thread == by->thread) {
      items[i] = *by;
      return;
    }
  for (size_t i = 0; i < 2; i++)
    if (is_ordered(&items[i])) {
      items[i] = *by;
      return;
    }
}

static void look(struct cell *cell, enum memory memory,
                 enum cul_emul_access kind, const struct access *by,
                 uintptr_t at, size_t bytes) {
  const struct access *other = NULL;
  bool atomic = kind >= CUL_EMUL_ATOMIC;
  if (cell->write.site && !is_ordered(&cell->write)) {
    if (kind == CUL_EMUL_WRITE)
      suspect_write(memory, &cell->write, by, at, bytes);
    else
      other = &cell->write;
  }
  if (!other && !atomic)
    other = unordered(cell->atomics, 3);
  if (!other && kind != CUL_EMUL_READ)
    other = unordered(cell->reads, 3);
  if (other)
    tell_race(memory, other, by);
  if (kind == CUL_EMUL_WRITE)
    cell->write = *by;
  else
    note_access(kind == CUL_EMUL_READ ? cell->reads : cell->atomics, by);
}

/* Report one access: "memref.load (3:5) BETWEEN workgroup memoryAFTER". */
static void tell_access(enum kind kind, int64_t site, enum memory memory,
                        const char *between, const char *after,
                        const char *more) {
  struct cul_buf what = {0}, note = {0};
  add_site(&what, site);
  cul_buf_addf(&what, " %s %s memory%s, in kernel @%s", between,
               memories[memory], after, now.kernel->shown);
  cul_buf_adds(&note, "by ");
  add_thread(&note, current_thread());
  cul_buf_adds(&note, more);
  add_finding(kind, site, 0, cul_buf_take(&what), cul_buf_take(&note));
}

/* Check an access in the cells that contain its bytes. */
static void look_at(const struct region *r, uintptr_t at, size_t bytes,
                    enum cul_emul_access kind, const struct access *by) {
  bool shared = r->memory != PRIVATE, blank = r->memory != GLOBAL;
  uint64_t era =
      r->memory == WORKGROUP || r->memory == PRIVATE ? now.block_era : now.era;
  bool unwritten = false;
  for (size_t done = 0; done < bytes;) {
    uintptr_t here = at + done;
    struct page *p = page_of(here, era, r->memory == DEVICE);
    size_t step = p->shift ? 4 : 1, bit = 0xf;
    struct cell *cell;
    if (p->shift && (here % 4 || bytes - done < 4)) {
      refine(p);
      step = 1;
    }
    if (step == 1)
      bit = 1;
    cell = &p->cells[(here & (((uintptr_t)1 << PAGE_BITS) - 1)) >> p->shift];
    if (shared)
      look(cell, r->memory, kind, by, here, step);
    if (kind != CUL_EMUL_WRITE && blank && (cell->written & bit) != bit)
      unwritten = true;
    if (kind != CUL_EMUL_READ)
      cell->written |= (uint8_t)bit;
    done += step;
  }
  if (unwritten)
    tell_access(UNWRITTEN, by->site, r->memory, "of",
                " that nothing has written", "");
}

static void yield_to_others(void) {
  now.worked = now.turn > TURN || now.changed;
  now.turn = now.spins = 0;
  now.changed = false;
  swapcontext(&now.current->context, &now.scheduler);
}

static bool is_on_stack(uintptr_t at) {
  uintptr_t from = (uintptr_t)now.stacks;
  return at >= from && at < from + (uintptr_t)MAX_THREADS * STACK_BYTES;
}

/* Check one of the accesses of an operation.  The caller settles the previous
 * operation first. */
static void check_part(int64_t address, int64_t bytes, int64_t what) {
  uintptr_t at = (uintptr_t)address;
  enum cul_emul_access kind = (enum cul_emul_access)(what % CUL_EMUL_KINDS);
  int64_t site = what / CUL_EMUL_KINDS;
  struct access by = {(uint32_t)current_thread(), 0, (uint32_t)site};
  const struct region *r;
  bool outside;
  if (bytes <= 0 || is_on_stack(at))
    return;
  r = region_of(at, (size_t)bytes, &outside);
  if (r && outside) {
    char *more = cul_xasprintf("; %lld bytes at byte %lld of %zu",
                               (long long)bytes, (long long)(at - r->base),
                               r->memory == PRIVATE ? r->bytes : r->size);
    tell_access(OUTSIDE, site, r->memory, "is out of the bounds of", "", more);
    free(more);
    end();
  }
  if (!r)
    return;
  by.tick = now.tick;
  look_at(r, at, (size_t)bytes, kind, &by);
  if (kind == CUL_EMUL_ATOMIC || kind == CUL_EMUL_ACQUIRE)
    order_atomic(at, kind);
}

/* Settle the previous operation of the fibre, and let others run if this one
 * may wait for them. */
static void begin_access(int64_t what) {
  settle();
  if (++now.turn > TURN ||
      (what % CUL_EMUL_KINDS == CUL_EMUL_ACQUIRE && ++now.spins > SPINS))
    yield_to_others();
}

static void check_access(int64_t address, int64_t bytes, int64_t what) {
  begin_access(what);
  if (what % CUL_EMUL_KINDS == CUL_EMUL_ACQUIRE)
    watch_spin((uintptr_t)address, (size_t)bytes);
  if (now.kernels->checked)
    check_part(address, bytes, what);
}

/* The two accesses of a copy. */
static void check_copy(int64_t to, int64_t from, int64_t bytes, int64_t write,
                       int64_t read) {
  begin_access(write);
  check_part(from, bytes, read);
  check_part(to, bytes, write);
}

static void check_masked(int64_t address, int64_t bytes, int64_t mask,
                         int64_t what) {
  begin_access(what);
  for (int lane = 0; lane < 64; lane++)
    if ((uint64_t)mask >> lane & 1)
      check_part(address + lane * bytes, bytes, what);
}

/* Register a global when a kernel or the host takes its address.  If it was
 * unknown before, it has not been written in this launch. */
static void know_global(int64_t address, int64_t bytes) {
  uintptr_t at = (uintptr_t)address;
  size_t size = (size_t)bytes;
  struct global *g;
  for (size_t i = 0; i < now.n_globals; i++)
    if (now.globals[i].base == at)
      return;
  if (bytes <= 0 || !now.kernels || !now.kernels->checked)
    return;
  now.globals =
      cul_xreallocarray(now.globals, now.n_globals + 1, sizeof *now.globals);
  g = &now.globals[now.n_globals++];
  *g = (struct global){at, size, cul_xcalloc(1, size), cul_xcalloc(1, size)};
  memcpy(g->before, (const void *)at, size);
  memcpy(g->after, (const void *)at, size);
  if (now.runs)
    insert_region(&now.regions, &now.n_regions,
                  (struct region){at, size, GLOBAL, 0, 0});
}

/* ---- functions for kernels ---- */

#define ID(name, expression)                                                   \
  static int64_t name(void) { return expression; }
#define IDS(dim)                                                               \
  ID(thread_id_##dim, now.current->id.dim)                                     \
  ID(block_id_##dim, now.at.dim)                                               \
  ID(block_dim_##dim, now.block.dim)                                           \
  ID(grid_dim_##dim, now.grid.dim)                                             \
  ID(global_id_##dim, now.at.dim *now.block.dim + now.current->id.dim)
IDS(x)
IDS(y)
IDS(z)
ID(lane_id, (now.current - now.fibres) % now.kernels->warp)
ID(subgroup_id, (now.current - now.fibres) / now.kernels->warp)
ID(num_subgroups,
   ((int64_t)now.n_threads + now.kernels->warp - 1) / now.kernels->warp)
ID(subgroup_size, now.kernels->warp)

static void wait_as(enum state state, int64_t site) {
  settle();
  now.current->state = state;
  now.current->site = site;
  yield_to_others();
}

static void barrier(int64_t site) { wait_as(AT_BARRIER, site); }

static int64_t shuffle(int64_t value, int64_t bytes, int64_t offset,
                       int64_t width, int64_t mode, int64_t site) {
  struct fibre *f = now.current;
  f->bytes = (size_t)bytes;
  f->offset = offset;
  f->width = width;
  f->mode = mode;
  memcpy(f->value, (const void *)(uintptr_t)value, f->bytes);
  wait_as(AT_SHUFFLE, site);
  memcpy((void *)(uintptr_t)value, f->got, f->bytes);
  return f->valid;
}

/* Wait for all threads of the block, or of a cluster of a subgroup; returns
 * their number. */
static int64_t gather(int64_t value, int64_t bytes, int64_t whole, int64_t size,
                      int64_t stride, int64_t site) {
  struct fibre *f = now.current;
  f->bytes = (size_t)bytes;
  f->size = size ? size : now.kernels->warp;
  f->stride = stride;
  memcpy(f->value, (const void *)(uintptr_t)value, f->bytes);
  wait_as(whole ? AT_GATHER : AT_SUBGROUP, site);
  return (int64_t)f->n_members;
}

/* The value of member i. */
static void piece(int64_t value, int64_t i) {
  const struct fibre *f = now.current;
  memcpy((void *)(uintptr_t)value, now.fibres[f->members[i]].got, f->bytes);
}

/* The line of text after mark; "" if the mark is missing. */
static const char *line_after(const char *text, const char *mark, int *len) {
  const char *at = strstr(text, mark);
  at = at ? at + strlen(mark) : "";
  *len = (int)strcspn(at, "\n");
  return at;
}

/* The text without its quotes; heap. */
static char *unquoted(const char *text, int len) {
  struct cul_buf out = {0};
  for (int i = 0; i < len; i++)
    if (text[i] != '"')
      cul_buf_addc(&out, text[i]);
  return cul_buf_take(&out);
}

/* Print what runtime verification found: its message has the operation, the
 * reason and the place, loc("k.mlir":3:5), in lines of their own. */
static void tell_verification(const char *text, struct cul_buf *note) {
  int op_len, why_len, at_len;
  const char *op =
                 line_after(text, "Runtime op verification failed\n", &op_len),
             *why = line_after(text, "\n^ ", &why_len),
             *at = line_after(text, "\nLocation: loc(", &at_len);
  const char *name = memchr(op, '=', (size_t)op_len);
  char *place = unquoted(at, at_len ? at_len - 1 : 0);
  name = name ? name + 1 : op;
  name += strspn(name, " \"");
  fprintf(stderr, "%s%serror: %.*s", place, *place ? ": " : "",
          (int)strcspn(name, "\" ("), name);
  if (*place)
    fprintf(stderr, " (%s)", strncmp(place, "-:", 2) ? place : place + 2);
  fprintf(stderr, ": %.*s, in kernel @%s\n%s%snote: %s\n", why_len, why,
          now.kernel->shown, place, *place ? ": " : "", cul_buf_str(note));
  free(place);
}

/* An assertion of the kernel, or one of runtime verification. */
static void assert_that(int64_t holds, int64_t message) {
  const char *text = (const char *)(uintptr_t)message;
  struct cul_buf note = {0};
  if (holds & 1) /* an i1, whose other bits are not defined */
    return;
  settle();
  cul_buf_adds(&note, "by ");
  add_thread(&note, current_thread());
  fflush(stdout);
  if (strstr(text, "Runtime op verification failed\n"))
    tell_verification(text, &note);
  else
    fprintf(stderr, "error: %s, in kernel @%s\nnote: %s\n", text,
            now.kernel->shown, cul_buf_str(&note));
  end();
}

#define ROW(name) {"cul_emul_" #name, (void *)name}
#define ROWS(dim)                                                              \
  ROW(thread_id_##dim), ROW(block_id_##dim), ROW(block_dim_##dim),             \
      ROW(grid_dim_##dim), ROW(global_id_##dim)
const struct cul_jit_symbol cul_emul_kernel_symbols[] = {
    ROWS(x),
    ROWS(y),
    ROWS(z),
    ROW(lane_id),
    ROW(subgroup_id),
    ROW(num_subgroups),
    ROW(subgroup_size),
    ROW(barrier),
    ROW(shuffle),
    ROW(gather),
    ROW(piece),
    {"cul_emul_assert", (void *)assert_that},
    {"cul_emul_access", (void *)check_access},
    {"cul_emul_masked", (void *)check_masked},
    {"cul_emul_copy", (void *)check_copy},
    {"cul_emul_global", (void *)know_global},
    {NULL, NULL}};

/* ---- waiting ---- */

static _Noreturn void tell_divergence(enum kind kind, size_t waits,
                                      size_t other) {
  const struct fibre *f = &now.fibres[waits], *g = &now.fibres[other];
  size_t first = now.n_block * now.n_threads;
  struct cul_buf what = {0}, note = {0};
  add_site(&what, f->site);
  cul_buf_adds(&what, " in divergent control flow: ");
  if (g->state == ENDED)
    cul_buf_adds(&what, "another thread has ended");
  else
    cul_buf_adds(&what, "another thread waits at ");
  if (g->state != ENDED)
    add_site(&what, g->site);
  cul_buf_addf(&what, ", in kernel @%s", now.kernel->shown);
  add_thread(&note, first + waits);
  cul_buf_adds(&note, " waits there, ");
  add_thread(&note, first + other);
  cul_buf_adds(&note, g->state == ENDED ? " has ended" : " waits here");
  add_finding(kind, f->site, g->state == ENDED ? 0 : g->site,
              cul_buf_take(&what), cul_buf_take(&note));
  end();
}

/* The lane whose value a lane gets; -1: none. */
static int64_t source_of(const struct fibre *f, int64_t lane) {
  enum { XOR, UP, DOWN, INDEX, ROTATE }; /* as in emul_cut.c */
  int64_t width = f->width > 0 ? f->width : 1;
  int64_t from = f->mode == XOR      ? (lane ^ f->offset)
                 : f->mode == UP     ? lane - f->offset
                 : f->mode == DOWN   ? lane + f->offset
                 : f->mode == ROTATE ? (lane + f->offset) % width
                                     : f->offset;
  return lane < f->width && from >= 0 && from < f->width ? from : -1;
}

static bool is_at_shuffle(const struct fibre *f, int64_t site) {
  return f->state == AT_SHUFFLE && f->site == site;
}

/* Let the lanes that wait at this shuffle continue; those beyond its width may
 * wait at a later one.  A value from a lane that does not exist has
 * CUL_JIT_FRESH in each byte. */
static void exchange(size_t first, size_t n, int64_t site) {
  for (size_t i = 0; i < n; i++) {
    struct fibre *f = &now.fibres[first + i];
    int64_t from;
    if (!is_at_shuffle(f, site))
      continue;
    from = source_of(f, (int64_t)i);
    f->valid = from >= 0 && (size_t)from < n &&
               is_at_shuffle(&now.fibres[first + (size_t)from], site);
    if (f->valid)
      memcpy(f->got, now.fibres[first + (size_t)from].value, f->bytes);
    else if (from < 0)
      memcpy(f->got, f->value, f->bytes);
    else
      memset(f->got, CUL_JIT_FRESH, f->bytes);
  }
  for (size_t i = 0; i < n; i++)
    if (is_at_shuffle(&now.fibres[first + i], site))
      now.fibres[first + i].state = RUNNABLE;
}

/* Give each fibre of [first, first + n) the others of its cluster. */
static void form_clusters(size_t first, size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct fibre *f = &now.fibres[first + i];
    size_t size = (size_t)f->size, stride = (size_t)f->stride;
    size_t whole = f->state == AT_GATHER ? now.n_threads : size * stride;
    size_t start = i / whole * whole + (f->state == AT_GATHER ? 0 : i % stride);
    memcpy(f->got, f->value, f->bytes);
    f->members =
        cul_xreallocarray(f->members, now.n_threads + 1, sizeof *f->members);
    f->n_members = 0;
    if (f->state == AT_GATHER)
      size = n, stride = 1;
    for (size_t j = 0; j < size && start + j * stride < n; j++)
      f->members[f->n_members++] = first + start + j * stride;
  }
  for (size_t i = 0; i < n; i++)
    now.fibres[first + i].state = RUNNABLE;
}

/* Let the subgroup continue if it waits as one; true: it did.  A subgroup with
 * a thread that still runs does not continue yet. */
static bool release_subgroup(size_t first, size_t n) {
  size_t waits = SIZE_MAX;
  size_t width;
  for (size_t i = 0; i < n && waits == SIZE_MAX; i++)
    if (now.fibres[first + i].state >= AT_SHUFFLE)
      waits = first + i;
  if (waits == SIZE_MAX)
    return false;
  width = now.fibres[waits].state == AT_SHUFFLE &&
                  (size_t)now.fibres[waits].width < n
              ? (size_t)now.fibres[waits].width
              : n;
  for (size_t i = 0; i < width; i++)
    if (now.fibres[first + i].state == RUNNABLE)
      return false;
  for (size_t i = 0; i < width; i++)
    if (now.fibres[first + i].state != now.fibres[waits].state ||
        now.fibres[first + i].site != now.fibres[waits].site)
      tell_divergence(SHUFFLE, waits, first + i);
  if (now.fibres[waits].state == AT_SHUFFLE)
    exchange(first, n, now.fibres[waits].site);
  else
    form_clusters(first, n);
  return true;
}

static bool release_subgroups(void) {
  size_t warp = now.kernels->warp;
  bool any = false;
  for (size_t first = 0; first < now.n_threads; first += warp)
    any |= release_subgroup(
        first, now.n_threads - first < warp ? now.n_threads - first : warp);
  return any;
}

/* Let a block in which no fibre can run continue; false: all have ended. */
static bool release_block(void) {
  size_t waits = SIZE_MAX;
  bool gathers;
  for (size_t i = 0; i < now.n_threads && waits == SIZE_MAX; i++)
    if (now.fibres[i].state != ENDED)
      waits = i;
  if (waits == SIZE_MAX)
    return false;
  for (size_t i = 0; i < now.n_threads; i++)
    if (now.fibres[i].state != now.fibres[waits].state ||
        now.fibres[i].site != now.fibres[waits].site)
      tell_divergence(BARRIER, waits, i);
  gathers = now.fibres[waits].state == AT_GATHER;
  if (now.kernels->checked)
    order_block();
  if (gathers)
    form_clusters(0, now.n_threads);
  for (size_t i = 0; i < now.n_threads; i++)
    now.fibres[i].state = RUNNABLE;
  return true;
}

/* ---- a block ---- */

static void enter(void) {
  struct fibre *fibre = now.current;
  now.kernel->code(fibre->params);
  settle();
  fibre->state = ENDED;
  yield_to_others();
}

static void start_fibre(struct fibre *fibre) {
  size_t i = (size_t)(fibre - now.fibres);
  fibre->state = RUNNABLE;
  getcontext(&fibre->context);
  fibre->context.uc_stack.ss_sp = now.stacks + i * STACK_BYTES;
  fibre->context.uc_stack.ss_size = STACK_BYTES;
  fibre->context.uc_link = NULL;
  makecontext(&fibre->context, enter, 0);
}

/* The fibre that runs as number i of n, in the order of this run. */
static size_t turn_of(size_t i, size_t n) {
  size_t step = n / 2 + 1;
  if (now.order == CUL_EMUL_FORWARD)
    return i;
  if (now.order == CUL_EMUL_REVERSE)
    return n - 1 - i;
  while (n > 1) { /* a step without a common factor with n reaches all */
    size_t a = step, b = n;
    while (b) {
      size_t rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1)
      break;
    step++;
  }
  return (i * step + n / 3) % n;
}

/* Run all fibres until none can run.  If those that run wait for others by
 * atomic operations, let subgroups that wait as a whole continue: these may be
 * the others. */
static void run_round(size_t n) {
  bool again = true, further = true;
  for (size_t turns = 0; again; turns = further ? 0 : turns + 1) {
    again = further = false;
    if (turns > MAX_TURNS)
      stop("its threads wait forever: blocks run one after the other, and no "
           "block can wait for a later one");
    for (size_t i = 0; i < n; i++) {
      struct fibre *fibre = &now.fibres[turn_of(i, n)];
      bool spins;
      if (fibre->state != RUNNABLE)
        continue;
      now.current = fibre;
      swapcontext(&now.scheduler, &fibre->context);
      spins = fibre->state == RUNNABLE;
      again |= spins;
      further |= !spins || now.worked;
    }
    if (again && !further)
      further = release_subgroups();
  }
}

/* The words of a buffer's descriptor. */
struct words {
  uint64_t word[3 + 2 * 8];
};

struct launch {
  void **params;
  size_t n_params;
  size_t dynamic; /* bytes of dynamic shared memory */
  /* of each buffer: all of it, for a thread its part */
  char *memory[CUL_EMUL_MAX_BUFFERS];
  size_t bytes[CUL_EMUL_MAX_BUFFERS], stride[CUL_EMUL_MAX_BUFFERS];
  unsigned char fresh;
  struct words *words; /* by thread and buffer */
};

static size_t describe(const struct cul_emul_buffer *b, char *memory,
                       size_t bytes, struct words *w, void **params) {
  uint64_t stride = 1;
  size_t n = 3 + 2 * b->rank;
  w->word[0] = w->word[1] = (uint64_t)(uintptr_t)memory;
  w->word[2] = 0;
  for (size_t d = b->rank; d-- > 0; stride *= (uint64_t)b->dims[d]) {
    w->word[3 + d] = b->dynamic ? bytes / b->bytes : (uint64_t)b->dims[d];
    w->word[3 + b->rank + d] = stride;
  }
  for (size_t i = 0; i < n; i++)
    params[i] = &w->word[i];
  return n;
}

static void give_params(struct launch *l, size_t thread) {
  const struct cul_emul_kernel *k = now.kernel;
  void **params = now.fibres[thread].params;
  size_t n = l->n_params;
  memcpy(params, l->params, n * sizeof *params);
  for (size_t i = 0; i < k->n_buffers; i++)
    n += describe(
        &k->buffers[i],
        l->memory[i] + (k->buffers[i].is_private ? thread * l->stride[i] : 0),
        l->bytes[i], &l->words[thread * CUL_EMUL_MAX_BUFFERS + i], params + n);
}

static void make_buffers(struct launch *l) {
  for (size_t i = 0; i < now.kernel->n_buffers; i++) {
    const struct cul_emul_buffer *b = &now.kernel->buffers[i];
    size_t n = b->is_private ? now.n_threads : 1;
    l->bytes[i] = b->dynamic ? l->dynamic : b->bytes;
    l->stride[i] = (l->bytes[i] + GUARD + 63) / 64 * 64;
    l->memory[i] = cul_jit_alloc(n * l->stride[i]);
    if (!l->memory[i])
      stop("no memory for its buffers");
    l->fresh = (unsigned char)l->memory[i][0];
  }
}

/* The regions that the kernel may access: sorted, the host's and its own. */
static void make_regions(const struct launch *l) {
  now.regions = cul_xreallocarray(now.regions, now.n_allocations + 1,
                                  sizeof *now.regions);
  memcpy(now.regions, now.allocations, now.n_allocations * sizeof *now.regions);
  now.n_regions = now.n_allocations;
  now.hit = 0;
  for (size_t i = 0; i < now.kernel->n_buffers; i++) {
    uintptr_t base = (uintptr_t)l->memory[i];
    bool own = now.kernel->buffers[i].is_private;
    for (size_t j = 0; j < now.n_regions; j++)
      if (now.regions[j].base == base) {
        now.regions[j].memory = own ? PRIVATE : WORKGROUP;
        now.regions[j].size = own ? now.n_threads * l->stride[i] : l->bytes[i];
        now.regions[j].stride = l->stride[i];
        now.regions[j].bytes = l->bytes[i];
      }
  }
  for (size_t i = 0; i < now.n_globals; i++)
    insert_region(&now.regions, &now.n_regions,
                  (struct region){now.globals[i].base, now.globals[i].size,
                                  GLOBAL, 0, 0});
}

/* Free the memory of the buffers. */
static void drop_buffers(const struct launch *l) {
  for (size_t i = 0; i < now.kernel->n_buffers; i++)
    for (size_t j = 0; j < now.n_allocations; j++)
      if (now.allocations[j].base == (uintptr_t)l->memory[i]) {
        free(l->memory[i] - GUARD);
        memmove(&now.allocations[j], &now.allocations[j + 1],
                (--now.n_allocations - j) * sizeof *now.allocations);
        break;
      }
}

static void run_block(struct launch *l) {
  size_t i = 0;
  now.block_era = ++now.n_eras;
  now.block_tick = ++now.tick;
  now.block_clock.n = 0;
  for (size_t b = 0; b < now.kernel->n_buffers; b++)
    memset(l->memory[b], l->fresh,
           (now.kernel->buffers[b].is_private ? now.n_threads : 1) *
               l->stride[b]);
  for (int64_t z = 0; z < now.block.z; z++)
    for (int64_t y = 0; y < now.block.y; y++)
      for (int64_t x = 0; x < now.block.x; x++, i++) {
        now.fibres[i].id = (struct place){x, y, z};
        now.clocks[i].n = 0;
        give_params(l, i);
        start_fibre(&now.fibres[i]);
      }
  do
    run_round(now.n_threads);
  while (release_subgroups() || release_block());
}

/* Run all blocks, in the order of this run. */
static void run_grid(struct launch *l) {
  size_t x = (size_t)now.grid.x, y = (size_t)now.grid.y,
         n = x * y * (size_t)now.grid.z;
  forget_order();
  for (size_t i = 0; i < n; i++) {
    now.n_block = turn_of(i, n);
    now.at = (struct place){(int64_t)(now.n_block % x),
                            (int64_t)(now.n_block / x % y),
                            (int64_t)(now.n_block / x / y)};
    run_block(l);
  }
}

/* ---- several orders ---- */

/* Copy the host's memory to or from saved. */
static void copy_memory(char **saved, bool back) {
  for (size_t i = 0; i < now.n_allocations; i++) {
    const struct region *r = &now.allocations[i];
    if (back)
      memcpy((void *)r->base, saved[i], r->size);
    else
      memcpy(saved[i], (const void *)r->base, r->size);
  }
}

static char **make_copy(void) {
  char **saved = cul_xcalloc(now.n_allocations + 1, sizeof *saved);
  for (size_t i = 0; i < now.n_allocations; i++)
    saved[i] = cul_xcalloc(1, now.allocations[i].size + 1);
  copy_memory(saved, false);
  return saved;
}

static void free_copy(char **saved) {
  for (size_t i = 0; i < now.n_allocations; i++)
    free(saved[i]);
  free(saved);
}

static void save_globals(bool after) {
  for (size_t i = 0; i < now.n_globals; i++) {
    const struct global *g = &now.globals[i];
    memcpy(after ? g->after : g->before, (const void *)g->base, g->size);
  }
}

/* Constants are in read-only memory: only what differs is written. */
static void restore_globals(bool after) {
  for (size_t i = 0; i < now.n_globals; i++) {
    const struct global *g = &now.globals[i];
    const char *saved = after ? g->after : g->before;
    if (memcmp((const void *)g->base, saved, g->size) != 0)
      memcpy((void *)g->base, saved, g->size);
  }
}

/* Run the launch in all orders; then restore the memory after the first one. */
static void run_orders(struct launch *l) {
  char **before = make_copy(), **after = NULL;
  save_globals(false);
  for (int order = 0; order < CUL_EMUL_N_ORDERS; order++) {
    now.order = (enum cul_emul_order)order;
    if (order) {
      copy_memory(before, true);
      restore_globals(false);
    }
    now.era = ++now.n_eras;
    run_grid(l);
    if (!order) {
      after = make_copy();
      save_globals(true);
    }
  }
  copy_memory(after, true);
  restore_globals(true);
  free_copy(before);
  free_copy(after);
  if (now.n_findings)
    end();
}

/* ---- functions for the host ---- */

static void *load_module(void *blob, int32_t level) {
  (void)level;
  return blob;
}

static void *load_sized(void *blob, size_t size) {
  (void)size;
  return blob;
}

static void *get_function(void *module, const char *name) {
  (void)module;
  for (size_t i = 0; now.kernels && i < now.kernels->n; i++)
    if (strcmp(now.kernels->items[i].name, name) == 0)
      return &now.kernels->items[i];
  stop("no such kernel");
}

static void *make_stream(void) { return &now; }
static void nothing(void *thing) { (void)thing; }
static void wait_event(void *stream, void *event) { (void)stream, (void)event; }

static void make_fibres(void) {
  size_t bytes = (size_t)MAX_THREADS * STACK_BYTES;
  if (now.fibres)
    return;
  now.fibres = cul_xcalloc(MAX_THREADS, sizeof *now.fibres);
  now.clocks = cul_xcalloc(MAX_THREADS, sizeof *now.clocks);
  now.stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (now.stacks == MAP_FAILED)
    stop("no memory for its threads");
}

/* MLIR's code generator passes the number of parameters. */
#define LAUNCH_PARAMETERS                                                      \
  struct cul_emul_kernel *kernel, int64_t gx, int64_t gy, int64_t gz,          \
      int64_t bx, int64_t by, int64_t bz, int32_t shared, void *stream,        \
      void **params, void **extra, size_t n_params
static void launch_kernel(LAUNCH_PARAMETERS) {
  struct launch l = {
      .params = params, .n_params = n_params, .dynamic = (size_t)shared};
  (void)stream, (void)extra;
  now.kernel = kernel;
  now.grid = (struct place){gx, gy, gz};
  now.block = (struct place){bx, by, bz};
  if (bx < 1 || by < 1 || bz < 1 || bx > MAX_THREADS || by > MAX_THREADS ||
      bz > MAX_THREADS || bx * by * bz > MAX_THREADS || gx < 1 || gy < 1 ||
      gz < 1)
    stop("launched with an illegal size of block or grid");
  if (shared < 0)
    stop("launched with a negative size of dynamic shared memory");
  if (n_params + CUL_EMUL_MAX_BUFFERS * 19 > MAX_PARAMS)
    stop("more parameters than can be emulated");
  now.n_threads = (size_t)(bx * by * bz);
  make_fibres();
  l.words = cul_xcalloc(now.n_threads * CUL_EMUL_MAX_BUFFERS, sizeof *l.words);
  make_buffers(&l);
  make_regions(&l);
  now.order = now.kernels->order;
  now.runs = true;
  if (now.kernels->checked)
    run_orders(&l);
  else
    run_grid(&l);
  now.runs = false;
  drop_buffers(&l);
  free(l.words);
}

/* Mark the bytes of device memory as written. */
static void mark_written(const void *memory, size_t size) {
  uintptr_t at = (uintptr_t)memory;
  for (size_t i = 0; now.kernels->checked && i < size; i++) {
    struct page *p = page_of(at + i, now.era, true);
    struct cell *cell =
        &p->cells[((at + i) & (((uintptr_t)1 << PAGE_BITS) - 1)) >> p->shift];
    cell->written |= (uint8_t)(p->shift ? 1 << ((at + i) & 3) : 1);
  }
}

/* Mark the memory as unwritten: its shadow may be that of earlier buffers. */
static void mark_unwritten(const void *memory, size_t size) {
  uintptr_t first = (uintptr_t)memory >> PAGE_BITS,
            last = ((uintptr_t)memory + size) >> PAGE_BITS;
  for (size_t i = 0; i < now.cap_pages; i++) {
    struct page *p = &now.pages[i];
    size_t n = (size_t)1 << (PAGE_BITS - p->shift);
    for (size_t j = 0; p->at >= first && p->at <= last && j < n; j++)
      p->cells[j].written = 0;
  }
}

/* Memory that the host can reach counts as written. */
static void *mem_alloc(uint64_t size, void *stream, bool shared) {
  char *memory = cul_jit_alloc(size);
  (void)stream;
  if (memory && !shared)
    mark_unwritten(memory, size);
  for (size_t i = 0; !shared && i < now.n_allocations; i++)
    if (now.allocations[i].base == (uintptr_t)memory)
      now.allocations[i].memory = DEVICE;
  return memory;
}
static void mem_free(void *memory, void *stream) {
  (void)stream;
  (void)memory;
}
static void mem_copy(void *to, void *from, size_t size, void *stream) {
  (void)stream;
  memcpy(to, from, size);
  mark_written(to, size);
}
static void set32(void *to, unsigned value, size_t n, void *stream) {
  (void)stream;
  for (size_t i = 0; i < n; i++)
    ((unsigned *)to)[i] = value;
  mark_written(to, n * sizeof value);
}
static void set16(void *to, unsigned short value, size_t n, void *stream) {
  (void)stream;
  for (size_t i = 0; i < n; i++)
    ((unsigned short *)to)[i] = value;
  mark_written(to, n * sizeof value);
}
static void host_register(int64_t rank, void *descriptor, int64_t size) {
  (void)rank, (void)descriptor, (void)size;
}

const struct cul_jit_symbol cul_emul_host_symbols[] = {
    {"cul_emul_know", (void *)know_global},
    {"mgpuModuleLoad", (void *)load_sized},
    {"mgpuModuleLoadJIT", (void *)load_module},
    {"mgpuModuleUnload", (void *)nothing},
    {"mgpuModuleGetFunction", (void *)get_function},
    {"mgpuLaunchKernel", (void *)launch_kernel},
    {"mgpuStreamCreate", (void *)make_stream},
    {"mgpuStreamDestroy", (void *)nothing},
    {"mgpuStreamSynchronize", (void *)nothing},
    {"mgpuStreamWaitEvent", (void *)wait_event},
    {"mgpuEventCreate", (void *)make_stream},
    {"mgpuEventDestroy", (void *)nothing},
    {"mgpuEventSynchronize", (void *)nothing},
    {"mgpuEventRecord", (void *)wait_event},
    {"mgpuMemAlloc", (void *)mem_alloc},
    {"mgpuMemFree", (void *)mem_free},
    {"mgpuMemcpy", (void *)mem_copy},
    {"mgpuMemset32", (void *)set32},
    {"mgpuMemset16", (void *)set16},
    {"mgpuMemHostRegisterMemRef", (void *)host_register},
    {"mgpuMemHostUnregisterMemRef", (void *)host_register},
    {NULL, NULL}};
