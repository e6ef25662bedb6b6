/* Cells: one command and one input, run with each of some values of its axes,
 * every one judged by the same failure.
 *
 * A cell has its own command, hence its own tool, whose identity is found like
 * that of any tool: by a trace of its first run, which is remembered.
 * Signatures are compared across binaries. */
#ifndef CUL_BISECT_MATRIX_CELLS_H
#define CUL_BISECT_MATRIX_CELLS_H

#include "../../probe/target/target.h"
#include "../report/leave.h"
#include "../search/one_run.h"
#include "axis.h"
#include "installer.h"
#include <jansson.h>

struct cul_cells_conf {
  struct cul_target_conf target;
  const char *const *axes; /* as in cul_axes_read */
  size_t n_axes;
  /* Instead of these two: axes, which stand nowhere in the command, and who
   * makes what it runs in.  Borrowed; NULL = none.  Values may be added behind
   * those that are there, until a cell has them. */
  struct cul_axes *given;
  const struct cul_installer *installer;
};

/* What a single run of a cell was. */
struct cul_cell_run {
  enum cul_answer answer;
  bool known;
};

struct cul_cell {
  uint32_t at[CUL_MAX_AXES]; /* its value of each axis */
  char **argv;
  struct cul_command command;
  const char **env; /* of an installation: one block; or NULL */
  char *barred;     /* why it cannot be had, where it cannot; or NULL */
  struct cul_digest tool;
  struct cul_cell_run *runs; /* by attempt */
  uint32_t n_runs;
  struct cul_verdict verdict; /* of the first run that says most */
};

/* The runs of a cell, counted. */
struct cul_cell_tally {
  uint32_t fails, passes, others, unknown;
};

struct cul_cells_slot {
  struct cul_placed placed;
  bool used;
};

struct cul_cells {
  const struct cul_cells_conf *conf;
  struct cul_target_conf target_conf;
  struct cul_target target;
  struct cul_axes own;
  struct cul_axes *axes;   /* own, or those given */
  struct cul_cell **cells; /* in the order in which they were asked for */
  size_t n;
  struct cul_probe probe;     /* the target's, with what follows */
  struct cul_one_run one_run; /* inner: NULL before it is learnt */
  struct cul_signature sought;
  bool learnt; /* what is sought */
  struct cul_cells_slot slots[CUL_MAX_WORKERS + 1];
  int ready; /* always readable */
  uint64_t start_us;
};

/* A run of a cell. */
struct cul_cell_point {
  uint32_t cell, attempt;
};

/* Read and check what can be checked without a run.  Errors: EUSAGE, EENV.
 * cells is to be released in any case. */
CUL_MUST_CHECK int cul_cells_open(struct cul_cells *cells,
                                  const struct cul_cells_conf *conf,
                                  struct cul_err *err);
void cul_cells_release(struct cul_cells *cells);

/* The number of the cell with these values; a new one is made where there is
 * none.  Errors: EENV (its program is not there), those of the installer. */
CUL_MUST_CHECK int cul_cells_at(struct cul_cells *cells, const uint32_t *at,
                                uint32_t *out, struct cul_err *err);

/* Learn the failure of the first of these runs that shows one by itself; they
 * are all run.  Errors: ENOFAIL (none does), those of the probe. */
CUL_MUST_CHECK int cul_cells_learn(struct cul_cells *cells,
                                   const struct cul_cell_point *points,
                                   size_t n, struct cul_err *err);
/* Judge runs by what was learnt; those that are known are not run again.  Where
 * it is cut (cul_is_cut), those that were judged by then are known. */
CUL_MUST_CHECK int cul_cells_judge(struct cul_cells *cells,
                                   const struct cul_cell_point *points,
                                   size_t n, struct cul_err *err);

/* The answer of a run that was judged. */
enum cul_answer cul_cells_answer(const struct cul_cells *cells,
                                 struct cul_cell_point point);
/* What all its runs say: SAME where one failed so, PASSES where one passed and
 * none failed, OTHER, or UNRESOLVED. */
enum cul_answer cul_cell_state(const struct cul_cell *cell);

/* Make so many runs of the cell with these values, but those that are known,
 * and say what all of them tell. */
CUL_MUST_CHECK int cul_cells_state_at(struct cul_cells *cells,
                                      const uint32_t *at, uint32_t runs,
                                      enum cul_answer *out,
                                      struct cul_err *err);
/* Learn the failure of the cell that is to fail, and see that the other one
 * passes.  Errors: ENOFAIL (the first does not fail), EUSAGE (the second fails,
 * too), EENV (one cannot be judged); each names its values. */
CUL_MUST_CHECK int cul_cells_check_ends(struct cul_cells *cells,
                                        const uint32_t *bad,
                                        const uint32_t *good, uint32_t runs,
                                        struct cul_err *err);

/* Leave a bundle (bisect/report/leave.h) that shows both; each may be NULL, and
 * dir, too.  Errors: EENV. */
CUL_MUST_CHECK int cul_cells_leave_bundle(const struct cul_cells *cells,
                                          const char *dir,
                                          const struct cul_cell *bad,
                                          const struct cul_cell *good,
                                          const struct cul_leave_report *report,
                                          struct cul_err *err);

/* The first cell that is so; NULL: none is. */
const struct cul_cell *cul_cells_first(const struct cul_cells *cells,
                                       enum cul_answer state);

/* The parts of a report that all jobs over cells have; a new reference. */
json_t *cul_cells_report(const struct cul_cells *cells, const char *job);

#endif
