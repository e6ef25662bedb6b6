/* The passes of a command, in the order in which they run, and the command
 * with only some of them: what is needed to find the one that fails.
 *
 * They stand in a pipeline text (--pass-pipeline=..., -passes=...), in the
 * section of a crash reproducer (--run-reproducer), or as flags of their own
 * (--canonicalize --cse), which the tool's help tells from other flags.
 * Pure. */
#ifndef CUL_PIPELINE_PASSES_H
#define CUL_PIPELINE_PASSES_H

#include "arguments.h"
#include "reproducer.h"

struct cul_passes {
  struct cul_arguments args;
  bool section;                /* the passes stand in the subject's section */
  struct cul_reproducer repro; /* then this; borrowed from the subject */
  struct cul_pipeline list;    /* and its items */
  uint32_t *ids;               /* the passes: items of list, or of args */
  size_t n;
};

/* Read them.  text: the subject.  help: what TOOL --help prints; empty: flags
 * of their own are not known.  All are borrowed while out lives. */
void cul_passes_read(const char *const *argv, struct cul_bytes text,
                     struct cul_bytes help, struct cul_passes *out);
void cul_passes_release(struct cul_passes *passes);

/* Would help tell more: are there flags, and no pipeline text? */
bool cul_passes_need_help(const struct cul_passes *passes);

struct cul_bytes cul_passes_name(const struct cul_passes *passes, size_t i);
/* As it is written, options included. */
struct cul_bytes cul_passes_written(const struct cul_passes *passes, size_t i);

/* The passes from..to-1, and what else is changed of the command. */
struct cul_pass_range {
  size_t from, to;
  const char *const *less; /* flags to leave out; NULL terminated, no dashes */
  const char *const *more; /* arguments to add, as in cul_arguments_write */
  bool no_output;          /* without -o FILE: the result on standard output */
};
/* The argv with these passes only.  Heap, one block. */
char **cul_passes_argv(const struct cul_passes *passes,
                       const struct cul_pass_range *range);
/* Append module as the subject for these passes: with their section where
 * that is where they stand (module: any text; a section of its own is
 * replaced). */
void cul_passes_text(const struct cul_passes *passes, struct cul_bytes module,
                     const struct cul_pass_range *range, struct cul_buf *out);

#endif
