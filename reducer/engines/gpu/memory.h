/* Replacements of C library functions for compiled code: memory is poisoned
 * when allocated and when freed, and abort() exits with a message.  A load
 * outside the bounds of its memref, but within the same allocation, prints
 * "warning: within one allocation: ..." on standard error, and the program
 * continues. */
#ifndef CUL_REDUCER_ENGINES_GPU_MEMORY_H
#define CUL_REDUCER_ENGINES_GPU_MEMORY_H

#include <stddef.h>

/* Exit status of a process whose compiled code called abort(), which is a check
 * by runtime verification, or met undefined behaviour. */
enum { CUL_JIT_UNSOUND = 3 };
/* Content of fresh memory, unless cul_jit_poison changes it. */
enum { CUL_JIT_FRESH = 0x5b };

struct cul_jit_symbol {
  const char *name;
  void *address;
};
/* To register with an execution engine, which then uses these functions instead
 * of the process's own. */
extern const struct cul_jit_symbol cul_jit_symbols[]; /* name NULL ends */

/* From now on, every byte of fresh memory is this one.  The default read as a
 * float of any type is a number, neither zero nor a small integer. */
void cul_jit_poison(unsigned char byte);

/* From now on memory comes from source, and is never freed. */
void cul_jit_memory(void *(*source)(size_t size));

/* Allocate memory as compiled code does, for its arguments. */
void *cul_jit_alloc(size_t size);

#endif
