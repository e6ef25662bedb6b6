/* Functions for compiled code: see memory.h.  No argument could pass the byte
 * to them, so it is a global (tests/lint/exempt). */
#include "memory.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/buf.h"

static unsigned char poison = CUL_JIT_FRESH;
static void *(*memory_source)(size_t size); /* NULL: the C library */

void cul_jit_poison(unsigned char byte) { poison = byte; }

/* ---- allocations ---- */

/* The allocations of compiled code that are not freed, the newest last. */
static struct allocation {
  const char *memory;
  size_t size;
} *allocations; /* heap */
static size_t n_allocations;

static void remember(const void *memory, size_t size) {
  size_t n = n_allocations;
  if ((n & (n - 1)) == 0) /* room for the next power of two */
    allocations =
        cul_xreallocarray(allocations, n ? 2 * n : 1, sizeof *allocations);
  allocations[n_allocations++] = (struct allocation){memory, size};
}

/* The allocation that the address is in; NULL: none. */
static struct allocation *allocation_of(const char *address) {
  for (size_t i = n_allocations; i-- > 0;)
    if (address >= allocations[i].memory &&
        address < allocations[i].memory + allocations[i].size)
      return &allocations[i];
  return NULL;
}

static void forget(const void *memory) {
  for (size_t i = n_allocations; i-- > 0;)
    if (allocations[i].memory == memory) {
      allocations[i] = allocations[--n_allocations];
      return;
    }
}

static void *aligned(size_t alignment, size_t size) {
  void *memory = NULL;
  if (alignment < 64)
    alignment = 64;
  if (memory_source)
    memory = memory_source(size);
  else if (posix_memalign(&memory, alignment, size ? size : 1) != 0)
    return NULL;
  if (memory)
    remember(memory, size);
  return memory ? memset(memory, poison, size) : NULL;
}

void cul_jit_memory(void *(*source)(size_t size)) { memory_source = source; }

void *cul_jit_alloc(size_t size) { return aligned(64, size); }

/* Freed memory is poison until it is allocated again. */
static void release(void *memory) {
  if (memory_source)
    return;
  if (memory) {
    memset(memory, poison, malloc_usable_size(memory));
    forget(memory);
  }
  free(memory);
}

/* ---- messages ---- */

/* The rest of the line after the mark; "" if the mark is missing. */
static const char *line_behind(const char *text, const char *mark, int *len) {
  const char *at = strstr(text, mark);
  at = at ? at + strlen(mark) : "";
  *len = (int)strcspn(at, "\n");
  return at;
}

/* Print a message of runtime verification, which has operation, reason and
 * location in lines of their own.  False: the text is no such message. */
static bool print_check(const char *text, const char *before) {
  int op_len, why_len, at_len;
  const char *op =
                 line_behind(text, "Runtime op verification failed\n", &op_len),
             *why = line_behind(text, "\n^ ", &why_len),
             *at = line_behind(text, "\nLocation: ", &at_len);
  if (op_len)
    fprintf(stderr, "%s: %.*s: %.*s, at %.*s\n", before, why_len, why, op_len,
            op, at_len, at);
  return op_len > 0;
}

/* puts: cf.assert prints its message with it before it aborts. */
static int print_line(const char *text) {
  if (!print_check(text, "error: undefined behaviour"))
    fprintf(stderr, "error: %s\n", text);
  return 0;
}

static void stop(void) {
  fflush(NULL);
  _exit(CUL_JIT_UNSOUND);
}

/* ---- loads out of bounds ---- */

static const char *base; /* of the memory that is loaded from next */
static const char *warned;

static void set_base(int64_t address, int64_t zero, int64_t nothing) {
  (void)zero, (void)nothing;
  base = (const char *)(uintptr_t)address;
}

/* A load from this address; bad: it is out of bounds. */
static void check_within(int64_t bad, int64_t text, int64_t address) {
  const char *message = (const char *)(uintptr_t)text;
  const struct allocation *own = bad ? allocation_of(base) : NULL;
  if (!bad)
    return;
  if (!own || allocation_of((const char *)(uintptr_t)address) != own) {
    (void)print_line(message);
    stop();
  }
  if (warned != message)
    (void)print_check(message, "warning: within one allocation");
  warned = message;
}

const struct cul_jit_symbol cul_jit_symbols[] = {
    {"malloc", (void *)cul_jit_alloc},
    {"aligned_alloc", (void *)aligned},
    {"free", (void *)release},
    {"puts", (void *)print_line},
    {"abort", (void *)stop},
    {"culprit_base", (void *)set_base},
    {"culprit_within", (void *)check_within},
    {NULL, NULL}};
