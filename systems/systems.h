/* What culprit knows of the compilers it meets: one table, one line each. */
#ifndef CUL_SYSTEMS_SYSTEMS_H
#define CUL_SYSTEMS_SYSTEMS_H

#include "../base/buf.h"

/* A tool, as its first run showed it; all is borrowed. */
struct cul_system_tool {
  const char *program; /* resolved path; of what a wrapper runs */
  /* What it executed and read, as in struct cul_identity: a line "DIGEST
   * PATH" for each, sorted by path; "" = not known. */
  const char *files;
  const char *program_dir; /* culprit's own: cul_program_dir() */
};

/* The first system that knows the program, else another program that the tool
 * executed: a stage of a pipeline, what a test script runs; else a package.
 * The argv (heap, NULL terminated, one block with its strings: one free())
 * that prints the generic form of "@@"; NULL where none is known or
 * installed. */
char **cul_system_generic_argv(const struct cul_system_tool *tool);

/* A step through cul_system_tool.files: the path of the next line (borrowed;
 * empty where the line has none); *at moves behind the line. */
struct cul_bytes cul_system_next_file(const char **at);

/* Is the tool, or what it ran, one of MLIR's opt tools: takes passes, and reads
 * crash reproducers with --run-reproducer? */
bool cul_system_is_opt(const struct cul_system_tool *tool);

#endif
