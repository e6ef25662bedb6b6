/* The variables of the user's environment that the failure needs, which a
 * bundle must have: elsewhere they are not set. */
#ifndef CUL_PROBE_TARGET_VARIABLES_H
#define CUL_PROBE_TARGET_VARIABLES_H

#include "target.h"

/* The variables that a failure needs, as NAME=VALUE.  The strings, the
 * environment's, are borrowed. */
struct cul_variables {
  const char **items; /* heap; one list after the other; NULL: not sought */
  size_t n_given;     /* set by the user */
  size_t n_set;       /* needed */
  size_t n_withheld;  /* needed; their values may be secrets */
  size_t n_unknown;   /* perhaps needed */
  struct cul_environment_conf conf; /* the user's, with the first two as set */
};

/* The runs that show the failure. */
struct cul_variables_runs {
  const struct cul_command *command; /* borrowed */
  struct cul_bytes text;             /* the input, where judge is NULL */
  /* Judge a run of these words in place of the command's; NULL: as a run of the
   * target, and of its other roles. */
  int (*judge)(void *self, char *const *argv, struct cul_judged *out,
               struct cul_err *err);
  void *self;
};

/* Find them by runs without some of the variables: one run if none is needed.
 * out: {0}; it stays so where other processes than those of a command on this
 * machine show the failure.  Errors: those of runs. */
CUL_MUST_CHECK int cul_variables_find(struct cul_target *target,
                                      const struct cul_variables_runs *runs,
                                      struct cul_variables *out,
                                      struct cul_err *err);
/* Append lines of a shell that set them, and exit 2 where one without a value
 * in the bundle is not set. */
void cul_variables_lines(const struct cul_target *target,
                         const struct cul_variables *found,
                         struct cul_buf *out);
void cul_variables_release(struct cul_variables *found);
#endif
