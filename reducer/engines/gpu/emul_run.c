/* Launch emulated kernels: see emul.h.
 *
 * Each thread of a block is a fibre; blocks run one after the other.  A fibre
 * runs until it ends or waits at a barrier.  When all fibres of the block wait,
 * they continue.  If some have ended and others wait, the kernel is wrong: a
 * device hangs, or the result is undefined.  Compiled code passes no context of
 * its own, so the state is a global (tests/lint/exempt). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "emul.h"

enum { STACK_BYTES = 256 * 1024, MAX_THREADS = 1024, MAX_PARAMS = 512 };

struct place {
  int64_t x, y, z;
};

struct fibre {
  ucontext_t context;
  char *stack;
  bool done;
  struct place id;
  void *params[MAX_PARAMS];
};

static struct {
  const struct cul_emul_kernels *kernels;
  const struct cul_emul_kernel *kernel; /* the running kernel */
  /* extents; index of the running block */
  struct place grid, block, at;
  struct fibre *fibres; /* MAX_THREADS of them, made at the first launch */
  struct fibre *current;
  ucontext_t scheduler;
} now;

void cul_emul_serve(const struct cul_emul_kernels *kernels) {
  now.kernels = kernels;
}

static _Noreturn void stop(const char *what) {
  fflush(stdout);
  fprintf(stderr, "error: kernel %s: %s\n", now.kernel ? now.kernel->name : "",
          what);
  _exit(CUL_JIT_UNSOUND);
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

static void barrier(void) {
  swapcontext(&now.current->context, &now.scheduler);
}

#define ROW(name) {"cul_emul_" #name, (void *)name}
#define ROWS(dim)                                                              \
  ROW(thread_id_##dim), ROW(block_id_##dim), ROW(block_dim_##dim),             \
      ROW(grid_dim_##dim), ROW(global_id_##dim)
const struct cul_jit_symbol cul_emul_kernel_symbols[] = {
    ROWS(x), ROWS(y), ROWS(z), ROW(barrier), {NULL, NULL}};

/* ---- a block ---- */

static void enter(void) {
  struct fibre *fibre = now.current;
  now.kernel->code(fibre->params);
  fibre->done = true;
  swapcontext(&fibre->context, &now.scheduler);
}

static void start_fibre(struct fibre *fibre) {
  if (!fibre->stack)
    fibre->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fibre->stack == MAP_FAILED)
    stop("no memory for its threads");
  fibre->done = false;
  getcontext(&fibre->context);
  fibre->context.uc_stack.ss_sp = fibre->stack;
  fibre->context.uc_stack.ss_size = STACK_BYTES;
  fibre->context.uc_link = NULL;
  makecontext(&fibre->context, enter, 0);
}

/* Run all fibres up to their next barrier; the number of fibres that have
 * ended. */
static size_t run_round(size_t n) {
  size_t done = 0;
  for (size_t i = 0; i < n; i++) {
    struct fibre *fibre = &now.fibres[i];
    if (!fibre->done) {
      now.current = fibre;
      swapcontext(&now.scheduler, &fibre->context);
    }
    done += fibre->done;
  }
  return done;
}

/* The words of a buffer's descriptor. */
struct words {
  uint64_t word[3 + 2 * 8];
};

static size_t describe(const struct cul_emul_buffer *b, struct words *w,
                       void **params) {
  uint64_t stride = 1;
  size_t n = 3 + 2 * b->rank;
  w->word[0] = w->word[1] = (uint64_t)(uintptr_t)cul_jit_alloc(b->bytes);
  w->word[2] = 0;
  for (size_t d = b->rank; d-- > 0; stride *= (uint64_t)b->dims[d]) {
    w->word[3 + d] = (uint64_t)b->dims[d];
    w->word[3 + b->rank + d] = stride;
  }
  for (size_t i = 0; i < n; i++)
    params[i] = &w->word[i];
  return n;
}

struct launch {
  void **params;
  size_t n_params, n_threads;
  /* own: by thread and buffer */
  struct words shared[CUL_EMUL_MAX_BUFFERS], *own;
};

static void give_params(struct launch *l, size_t thread) {
  const struct cul_emul_kernel *k = now.kernel;
  void **params = now.fibres[thread].params;
  size_t n = l->n_params;
  memcpy(params, l->params, n * sizeof *params);
  for (size_t i = 0; i < k->n_buffers; i++) {
    const struct cul_emul_buffer *b = &k->buffers[i];
    struct words *w = b->is_private ? &l->own[thread * CUL_EMUL_MAX_BUFFERS + i]
                                    : &l->shared[i];
    if (b->is_private || thread == 0)
      n += describe(b, w, params + n);
    else
      for (size_t j = 0; j < 3 + 2 * b->rank; j++)
        params[n++] = &w->word[j];
  }
}

static void free_buffers(struct launch *l) {
  for (size_t i = 0; i < now.kernel->n_buffers; i++) {
    free((void *)(uintptr_t)l->shared[i].word[0]);
    for (size_t t = 0; t < l->n_threads; t++)
      free((void *)(uintptr_t)l->own[t * CUL_EMUL_MAX_BUFFERS + i].word[0]);
  }
}

static void run_block(struct launch *l) {
  size_t done = 0, i = 0;
  for (int64_t z = 0; z < now.block.z; z++)
    for (int64_t y = 0; y < now.block.y; y++)
      for (int64_t x = 0; x < now.block.x; x++, i++) {
        now.fibres[i].id = (struct place){x, y, z};
        give_params(l, i);
        start_fibre(&now.fibres[i]);
      }
  while (done < l->n_threads) {
    size_t before = done;
    done = run_round(l->n_threads);
    if (done > before && done < l->n_threads)
      stop("some threads of a block wait at a barrier, others have ended");
  }
  free_buffers(l);
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

/* MLIR's code generator passes the number of parameters. */
#define LAUNCH_PARAMETERS                                                      \
  struct cul_emul_kernel *kernel, int64_t gx, int64_t gy, int64_t gz,          \
      int64_t bx, int64_t by, int64_t bz, int32_t shared, void *stream,        \
      void **params, void **extra, size_t n_params
static void launch_kernel(LAUNCH_PARAMETERS) {
  struct launch l = {.params = params, .n_params = n_params};
  (void)shared, (void)stream, (void)extra;
  now.kernel = kernel;
  now.grid = (struct place){gx, gy, gz};
  now.block = (struct place){bx, by, bz};
  if (bx < 1 || by < 1 || bz < 1 || bx * by * bz > MAX_THREADS || gx < 1 ||
      gy < 1 || gz < 1)
    stop("launched with an illegal size of block or grid");
  if (n_params + CUL_EMUL_MAX_BUFFERS * 19 > MAX_PARAMS)
    stop("more parameters than can be emulated");
  l.n_threads = (size_t)(bx * by * bz);
  if (!now.fibres)
    now.fibres = calloc(MAX_THREADS, sizeof *now.fibres);
  l.own = calloc(l.n_threads * CUL_EMUL_MAX_BUFFERS, sizeof *l.own);
  if (!now.fibres || !l.own)
    stop("no memory for its threads");
  for (now.at.z = 0; now.at.z < gz; now.at.z++)
    for (now.at.y = 0; now.at.y < gy; now.at.y++)
      for (now.at.x = 0; now.at.x < gx; now.at.x++)
        run_block(&l);
  free(l.own);
}

static void *mem_alloc(uint64_t size, void *stream, bool shared) {
  (void)stream, (void)shared;
  return cul_jit_alloc(size);
}
static void mem_free(void *memory, void *stream) {
  (void)stream;
  (void)memory;
}
static void mem_copy(void *to, void *from, size_t size, void *stream) {
  (void)stream;
  memcpy(to, from, size);
}
static void set32(void *to, unsigned value, size_t n, void *stream) {
  (void)stream;
  for (size_t i = 0; i < n; i++)
    ((unsigned *)to)[i] = value;
}
static void set16(void *to, unsigned short value, size_t n, void *stream) {
  (void)stream;
  for (size_t i = 0; i < n; i++)
    ((unsigned short *)to)[i] = value;
}
static void host_register(int64_t rank, void *descriptor, int64_t size) {
  (void)rank, (void)descriptor, (void)size;
}

const struct cul_jit_symbol cul_emul_host_symbols[] = {
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
