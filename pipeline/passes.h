/* The passes of a command, in the order in which they run, and the command with
 * only some of them, to find the failing one.
 *
 * They are in a pipeline text (--pass-pipeline=..., -passes=...), in the
 * section of a crash reproducer (--run-reproducer), or separate flags
 * (--canonicalize --cse), which the tool's help distinguishes from other
 * flags.  Pure. */
#ifndef CUL_PIPELINE_PASSES_H
#define CUL_PIPELINE_PASSES_H

#include "arguments.h"
#include "reproducer.h"

struct cul_passes {
  struct cul_arguments args;
  bool section;                /* the passes are in the subject's section */
  struct cul_reproducer repro; /* set if section; borrowed from the subject */
  struct cul_pipeline list;    /* and its items */
  uint32_t *ids;               /* the passes: items of list, or of args */
  size_t n;
  char **own; /* heap: the argv, if it is not the one that was given */
};

/* Read the passes.  text: the subject.  help: output of TOOL --help; empty:
 * passes as separate flags are not recognized.  All are borrowed while out
 * lives. */
void cul_passes_read(const char *const *argv, struct cul_bytes text,
                     struct cul_bytes help, struct cul_passes *out);
void cul_passes_release(struct cul_passes *passes);

/* Would help be useful, because there are flags and no pipeline text? */
bool cul_passes_need_help(const struct cul_passes *passes);

struct cul_bytes cul_passes_name(const struct cul_passes *passes, size_t i);
/* The pass as written, including its options. */
struct cul_bytes cul_passes_written(const struct cul_passes *passes, size_t i);

/* The passes from..to-1, and other changes of the command. */
struct cul_pass_range {
  size_t from, to;
  const char *const *less; /* flags to leave out; NULL terminated, no dashes */
  const char *const *more; /* arguments to add, as in cul_arguments_write */
  bool no_output;          /* without -o FILE: the result on standard output */
};
/* The argv with these passes only.  Heap, one block. */
char **cul_passes_argv(const struct cul_passes *passes,
                       const struct cul_pass_range *range);
/* Append module as the subject for these passes.  If the passes are in a
 * section, append one with these only.  module: any text; its own section is
 * replaced. */
void cul_passes_text(const struct cul_passes *passes, struct cul_bytes module,
                     const struct cul_pass_range *range, struct cul_buf *out);

#endif
