/* What compiled code calls in the place of the C library's: memory that is
 * poisoned when it is had, and ends that say what they are. */
#ifndef CUL_REDUCER_ENGINES_GPU_MEMORY_H
#define CUL_REDUCER_ENGINES_GPU_MEMORY_H

#include <stddef.h>

/* Exit status of a process whose compiled code called abort(): a check that
 * runtime verification put there. */
enum { CUL_JIT_UNSOUND = 3 };
/* What fresh memory holds where nothing else was said. */
enum { CUL_JIT_FRESH = 0x5b };

struct cul_jit_symbol {
  const char *name;
  void *address;
};
/* To be registered with an execution engine, which then takes these and not
 * those of the process. */
extern const struct cul_jit_symbol cul_jit_symbols[]; /* name NULL ends */

/* What fresh memory holds from now on: every byte is this one.  As a float of
 * any type it is a number, neither zero nor a small integer. */
void cul_jit_poison(unsigned char byte);

/* Memory comes from there from now on, and is never given back. */
void cul_jit_memory(void *(*source)(size_t size));

/* Memory as compiled code has it, for what is handed to it. */
void *cul_jit_alloc(size_t size);

#endif
