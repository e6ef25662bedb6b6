/* Reads a command as stages of MLIR's own tools, each of which hands its module
 * to the next one:
 *
 *   mlir-opt --canonicalize @@
 *   set -o pipefail; mlir-opt @@ A | mlir-opt B | mlir-runner -e main ...
 *
 * The second form is the string of a `bash -c` or `sh -c`.  A file that one
 * stage writes and only the next one reads (-o F && ... F, or >F && ... <F) is
 * treated as a pipe that ends at the first failure.  Pure. */
#ifndef CUL_PIPELINE_UPSTREAM_H
#define CUL_PIPELINE_UPSTREAM_H

#include "../base/buf.h"

enum cul_upstream_tool { CUL_UPSTREAM_OPT, CUL_UPSTREAM_RUNNER };

struct cul_upstream_stage {
  enum cul_upstream_tool tool;
  /* the words that its program receives, the program first; NULL terminated */
  char **words; /* heap, as each word */
  size_t n;
  char *from, *to; /* files that the shell redirects from and to; heap */
  /* OPT */
  bool silent;     /* its output goes to /dev/null */
  bool pipeline;   /* the passes are one text (--pass-pipeline) */
  bool unverified; /* no verifier after each pass (--verify-each=0) */
  bool lax;      /* operations may be unknown (--allow-unregistered-dialect) */
  bool *is_flag; /* per word: an option that is neither known here nor the
                    value of one: a pass, if the tool says so */
  bool *is_file; /* per word: names input or output */
  /* RUNNER; borrowed from words */
  const char *entry, *result;
  const char *libraries; /* separated by commas; NULL = none */
  char level;            /* of -O; '\0' = not given */
};

struct cul_upstream {
  struct cul_upstream_stage *stages;
  size_t n;
  bool shell;    /* a shell runs them */
  bool pipefail; /* its status is that of the last stage that fails */
  bool stops;    /* no stage runs after one that fails */
  bool execs;    /* the shell's process becomes the last stage: bash, no pipe,
                    no redirection */
  char why[160]; /* the reason why the command is not understood */
};

/* Read a command (NULL terminated).  False: it is not understood, see why.
 * Release out in any case. */
bool cul_upstream_read(const char *const *argv, struct cul_upstream *out);
void cul_upstream_release(struct cul_upstream *upstream);

#endif
