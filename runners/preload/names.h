/* Names of the frames of a process that is dying: nothing here allocates, and
 * all of it may run in a signal handler. */
#ifndef CUL_RUNNERS_PRELOAD_NAMES_H
#define CUL_RUNNERS_PRELOAD_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* A frame and what is known of it. */
struct cul_where {
  uintptr_t address;
  const char *path; /* of its module; NULL = in none */
  uintptr_t base;   /* where the module is loaded */
  char name[256];   /* the symbol that holds it, as the linker has it; "" =
                       not known */
};

/* Fill in the names of those of frames[0..n) that lie in the module of
 * frames[0], from the module's file: its symbol table has also what is not
 * exported. */
void cul_where_name(struct cul_where *frames, size_t n);

/* A C++ symbol's namespaces, classes and function, without arguments and
 * without what follows template arguments; any other symbol as it is. */
void cul_where_readable(const char *symbol, char *out, size_t size);

#endif
