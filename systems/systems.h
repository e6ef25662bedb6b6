/* The table of known compilers, one line each. */
#ifndef CUL_SYSTEMS_SYSTEMS_H
#define CUL_SYSTEMS_SYSTEMS_H

#include "../base/buf.h"

/* A tool as observed in its first run; all members are borrowed. */
struct cul_system_tool {
  /* resolved path; for a wrapper, of the program that it runs */
  const char *program;
  /* The files that it executed and read, as in struct cul_identity: a line
   * "DIGEST PATH" for each, sorted by path; "" = unknown. */
  const char *files;
  const char *program_dir; /* culprit's own: cul_program_dir() */
};

/* The argv that prints the generic form of "@@" (heap, NULL terminated, one
 * block with its strings: one free()); NULL if none is known or installed.  It
 * is taken from the first system that matches the program, else from one that
 * matches another program that the tool executed (a stage of a pipeline, a
 * program run by a test script), else from a package. */
char **cul_system_generic_argv(const struct cul_system_tool *tool);

/* Iterate over cul_system_tool.files: the path of the next line (borrowed;
 * empty if the line has none); *at moves to the following line. */
struct cul_bytes cul_system_next_file(const char **at);

/* Is the tool, or a program that it ran, an MLIR opt tool, which accepts passes
 * and reads crash reproducers with --run-reproducer? */
bool cul_system_is_opt(const struct cul_system_tool *tool);

#endif
