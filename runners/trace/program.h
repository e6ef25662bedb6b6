/* The kind of program that a file is, by its first bytes. */
#ifndef CUL_RUNNERS_TRACE_PROGRAM_H
#define CUL_RUNNERS_TRACE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

enum cul_program_kind {
  CUL_PROGRAM_OTHER,   /* not readable by this user, or of no known kind */
  CUL_PROGRAM_SCRIPT,  /* "#!" */
  CUL_PROGRAM_NATIVE,  /* ELF of this machine's word size */
  CUL_PROGRAM_FOREIGN, /* another ELF */
  CUL_PROGRAM_UNKNOWN, /* the machine failed to read it */
};

struct cul_program {
  enum cul_program_kind kind;
  char interpreter[PATH_MAX]; /* of the "#!" line or PT_INTERP; "" = none */
};

void cul_program_read(const char *path, struct cul_program *out);

#endif
