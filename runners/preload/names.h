/* Names the stack frames of a dying process.  Nothing here allocates, and all
 * functions may run in a signal handler. */
#ifndef CUL_RUNNERS_PRELOAD_NAMES_H
#define CUL_RUNNERS_PRELOAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame and what is known about it. */
struct cul_where {
  uintptr_t address;
  const char *path; /* of its module; NULL = in no module */
  uintptr_t base;   /* where the module is loaded */
  char name[512];   /* the symbol that holds it, mangled; "" = not known */
};

/* Fill in the names of those of frames[0..n) that lie in the module of
 * frames[0].  They are read from the symbol table of the module's file, which
 * also has symbols that are not exported.  n 0: if the table of frames[0].path
 * is large, or the program's, sort it, so that later calls of this process and
 * of its forks need not read all of it; not in a signal handler. */
void cul_where_name(struct cul_where *frames, size_t n);

/* Write a C++ symbol's namespaces, classes and function, without arguments and
 * without anything after template arguments; other symbols are copied
 * unchanged.  False: a part of the name is missing. */
bool cul_where_readable(const char *symbol, char *out, size_t size);

#endif
