/* The job behind flags.h, shared by the flags*.c files. */
#ifndef CUL_BISECT_FLAGS_FLAGS_PRIVATE_H
#define CUL_BISECT_FLAGS_FLAGS_PRIVATE_H

#include "../../pipeline/arguments.h"
#include "../matrix/axis.h"
#include "../search/sets.h"
#include "flags.h"

/* An item that can be switched off. */
struct cul_flag {
  char *name;      /* as written, or as the tool describes it */
  uint32_t item;   /* of the arguments: removed when off; or CUL_PIPE_NONE */
  char *otherwise; /* added when off: another value, or a flag that the command
                      lacks; or NULL */
  bool unjudged;   /* of a set: without it the sandbox refused a write */
};

enum cul_flags_kind {
  CUL_FLAGS_ARGUMENTS,
  CUL_FLAGS_PATTERN,
  CUL_FLAGS_SET,
  CUL_FLAGS_LIMIT,
};

struct cul_flags_job {
  const struct cul_flags_conf *conf;
  enum cul_flags_kind kind;
  const char *const *given; /* the command as the user typed it */
  struct cul_target_conf target_conf;
  struct cul_target target;
  struct cul_axes place; /* the one placeholder, as an axis of one value */
  char **whole;          /* the command with all on */
  struct cul_arguments args;
  struct cul_flag *flags;
  uint64_t *hashes;
  size_t n;
  struct cul_sets sets;
  uint64_t start_us;
  struct cul_line_answer answer; /* LIMIT */
  char *what;    /* LIMIT: the tool's description of the culprit */
  char *refused; /* the first file to which the sandbox refused a write, where
                    the failure did not show; NULL: none */
};

/* Read the points of the tool from its output. */
CUL_MUST_CHECK int cul_flags_read_matches(struct cul_flags_job *job,
                                          struct cul_bytes printed,
                                          struct cul_err *err);
/* The line of text about point n, "(n)"; NULL: none.  Heap. */
char *cul_flags_line_of(struct cul_bytes text, uint64_t n);

#endif
