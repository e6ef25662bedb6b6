/* Loaded (LD_PRELOAD) into a tool that may use freed or uninitialized memory,
 * to make the content of that memory independent of the rest of the run.
 *
 * Freed memory is never reused.  CULPRIT_KEPT adds:
 *   fill      what is freed holds a byte that makes no address: the first use
 *             is where it dies; else it stays as it was left
 *   layoutN   one of a few fixed heaps: fresh memory, and room behind each
 *             block, hold one byte; behind a large block may be nothing */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILL = 0xaa };

/* Kept at most; what is freed then is freed. */
#define MOST ((size_t)1 << 30)

/* Where large blocks lie, if nothing is to be behind them: most of it is
 * address space only. */
#define ARENA ((size_t)1 << 36)
#define GAP ((size_t)2 << 20)
enum { LARGE = 4000, ALIGNMENT = 16 };

struct layout {
  int byte;   /* of fresh memory, of room and of what is freed */
  size_t pad; /* room behind a block */
  bool gaps;  /* none behind large ones */
};

static const struct layout layouts[] = {
    {0x00, 512, false}, {0xa5, 512, true}, {0xff, 2048, false}};

/* glibc's own. */
extern void __libc_free(void *);
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_size_t kept;
static bool fill, ready;
static const struct layout *layout; /* NULL: glibc's */
static char *arena;                 /* NULL: none */
static atomic_size_t arena_used;
static size_t page = 4096;

static void read_word(void) {
  const char *word = getenv("CULPRIT_KEPT");
  size_t n =
      word && strncmp(word, "layout", 6) == 0 ? strtoul(word + 6, 0, 10) : 0;
  ready = true;
  fill = word && strcmp(word, "fill") == 0;
  if (n == 0 || n > sizeof layouts / sizeof *layouts)
    return;
  layout = &layouts[n - 1];
  page = (size_t)sysconf(_SC_PAGESIZE);
  if (layout->gaps)
    arena = mmap(NULL, ARENA, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (arena == MAP_FAILED)
    arena = NULL;
}

/* The loader allocates before there is an environment. */
static bool has_layout(void) {
  if (!ready && environ)
    read_word();
  return layout != NULL;
}

static bool in_arena(const void *block) {
  return arena && (const char *)block >= arena &&
         (const char *)block < arena + ARENA;
}

/* What glibc has in front of a block that it mapped by itself, so that
 * malloc_usable_size, whoever calls it, can tell how large this one is. */
enum { HEADER = 2 * sizeof(size_t), IS_MAPPED = 2 };

/* A large block ends where nothing is.  NULL: there is no room for it there. */
static void *take_large(size_t alignment, size_t size) {
  size_t whole = (size + alignment - 1) & ~(alignment - 1);
  size_t mapped = (whole + HEADER + page - 1) & ~(page - 1), at;
  size_t word = (whole + HEADER) | IS_MAPPED;
  char *block;
  if (!arena || size < LARGE || size > ARENA / 4 || alignment > page)
    return NULL;
  at = atomic_fetch_add(&arena_used, mapped + GAP);
  if (at + mapped > ARENA ||
      mprotect(arena + at, mapped, PROT_READ | PROT_WRITE))
    return NULL;
  block = arena + at + mapped - whole;
  memset(arena + at, layout->byte, mapped);
  memcpy(block - sizeof word, &word, sizeof word);
  return block;
}

static void *filled(char *block, size_t size) {
  if (block)
    memset(block, layout->byte, size);
  return block;
}

static void *take(size_t alignment, size_t size) {
  size_t all = size + layout->pad;
  void *block = take_large(alignment, size);
  if (block)
    return block;
  if (alignment > ALIGNMENT)
    return filled(__libc_memalign(alignment, all), all);
  return filled(__libc_malloc(all), all);
}

void *malloc(size_t size) {
  if (!has_layout() || size > SIZE_MAX - layout->pad)
    return __libc_malloc(size);
  return take(ALIGNMENT, size);
}

void *memalign(size_t alignment, size_t size) {
  if (!has_layout() || size > SIZE_MAX - layout->pad)
    return __libc_memalign(alignment, size);
  return take(alignment > ALIGNMENT ? alignment : ALIGNMENT, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *block;
  if (alignment % sizeof(void *) || !alignment || (alignment & (alignment - 1)))
    return EINVAL;
  block = memalign(alignment, size);
  if (!block)
    return ENOMEM;
  *out = block;
  return 0;
}

void *calloc(size_t n, size_t size) {
  size_t all;
  char *block;
  if (!has_layout() || __builtin_mul_overflow(n, size, &all))
    return __libc_calloc(n, size);
  block = malloc(all);
  if (block)
    memset(block, 0, all);
  return block;
}

void free(void *block) {
  size_t size;
  if (!block)
    return;
  if (!ready && environ)
    read_word();
  size = malloc_usable_size(block);
  if (fill || layout)
    memset(block, layout ? layout->byte : FILL, size);
  if (atomic_fetch_add(&kept, size) > MOST && !in_arena(block))
    __libc_free(block);
}

/* A block that grows in its place or is moved. */
void *realloc(void *block, size_t size) {
  size_t had = block ? malloc_usable_size(block) : 0;
  void *out;
  if (!block)
    return malloc(size);
  if (!has_layout() && atomic_load(&kept) > MOST)
    return __libc_realloc(block, size);
  if (!layout && size > 0 && size <= had)
    return block;
  out = size > 0 ? malloc(size) : NULL;
  if (out)
    memcpy(out, block, had < size ? had : size);
  if (out || size == 0)
    free(block);
  return out;
}
