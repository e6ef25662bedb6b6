/* Cells: one command and one input, run with chosen values of its axes; all
 * cells are judged by the same failure.
 *
 * A cell has its own command, hence its own tool, whose identity is determined
 * and stored as for any tool, by a trace of its first run.  Signatures are
 * compared across binaries. */
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
  /* Alternatively: axes that do not appear in the command, and the installer
   * that makes the installations of cells.  Borrowed; NULL = none.  Values may
   * be appended until a cell uses them. */
  struct cul_axes *given;
  const struct cul_installer *installer;
};

/* The result of a single run of a cell. */
struct cul_cell_run {
  enum cul_answer answer;
  bool known;
};

struct cul_cell {
  uint32_t at[CUL_MAX_AXES]; /* its value of each axis */
  char **argv;
  struct cul_command command;
  const char **env; /* of its installation: one block; or NULL */
  /* The other roles, such as the reference, with its values; without a
   * reference all are empty. */
  struct cul_role roles[CUL_N_ROLES];
  struct cul_command role_commands[CUL_N_ROLES];
  char **role_argv[CUL_N_ROLES];
  const char **role_env[CUL_N_ROLES]; /* of the suspect with filled memory; or
                                         NULL */
  char *barred;                       /* why the cell is unavailable; or NULL */
  struct cul_digest tool;
  struct cul_cell_run *runs; /* by attempt */
  uint32_t n_runs;
  /* of its most informative run, the first of these */
  struct cul_verdict verdict;
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
  struct cul_cell **cells; /* in the order of their first use */
  size_t n;
  struct cul_probe probe;     /* the target's, adapted to cells */
  struct cul_one_run one_run; /* inner: NULL before learning */
  struct cul_signature sought;
  bool learnt; /* sought is set */
  bool seen;   /* not learnt, but runs are known: the job was cut before */
  char sense_why[160]; /* why the script has the sense that was found for it; or
                          "" */
  struct cul_cells_slot slots[CUL_MAX_WORKERS + 1];
  int ready; /* always readable */
  uint64_t start_us;
};

/* A run of a cell. */
struct cul_cell_point {
  uint32_t cell, attempt;
};

/* Read and check all that can be checked without a run.  Errors: EUSAGE, EENV.
 * Release cells in any case. */
CUL_MUST_CHECK int cul_cells_open(struct cul_cells *cells,
                                  const struct cul_cells_conf *conf,
                                  struct cul_err *err);
void cul_cells_release(struct cul_cells *cells);

/* The number of the cell with these values, made if it does not exist.  Errors:
 * EENV (its program does not exist), those of the installer. */
CUL_MUST_CHECK int cul_cells_at(struct cul_cells *cells, const uint32_t *at,
                                uint32_t *out, struct cul_err *err);

/* Learn the failure from the first of these runs that shows one; all are run.
 * Errors: ENOFAIL (none fails), those of the probe.  If it is cut (cul_is_cut),
 * the runs made so far are known by what they show by themselves (seen). */
CUL_MUST_CHECK int cul_cells_learn(struct cul_cells *cells,
                                   const struct cul_cell_point *points,
                                   size_t n, struct cul_err *err);
/* Judge runs by the learned failure; known runs are not repeated.  If it is cut
 * (cul_is_cut), the runs judged so far are known. */
CUL_MUST_CHECK int cul_cells_judge(struct cul_cells *cells,
                                   const struct cul_cell_point *points,
                                   size_t n, struct cul_err *err);

/* The answer of a run that was judged. */
enum cul_answer cul_cells_answer(const struct cul_cells *cells,
                                 struct cul_cell_point point);
/* The combined answer of its runs: SAME if one shows the failure, PASSES if one
 * passes and none fails, OTHER, or UNRESOLVED. */
enum cul_answer cul_cell_state(const struct cul_cell *cell);

/* Make `runs` runs of the cell with these values, except known ones; *out:
 * their combined answer. */
CUL_MUST_CHECK int cul_cells_state_at(struct cul_cells *cells,
                                      const uint32_t *at, uint32_t runs,
                                      enum cul_answer *out,
                                      struct cul_err *err);
/* Learn the failure of the bad cell and check that the good one passes.
 * Errors: ENOFAIL (bad does not fail), EUSAGE (good fails, too), EENV (one
 * cannot be judged); each message names the values. */
CUL_MUST_CHECK int cul_cells_check_ends(struct cul_cells *cells,
                                        const uint32_t *bad,
                                        const uint32_t *good, uint32_t runs,
                                        struct cul_err *err);

/* Write a bundle (bisect/report/leave.h) that shows both; either may be NULL,
 * and dir, too.  Runs of the bad cell find the variables that it needs, if it
 * needs no installation.  Errors: EENV, those of runs. */
CUL_MUST_CHECK int cul_cells_leave_bundle(struct cul_cells *cells,
                                          const char *dir,
                                          const struct cul_cell *bad,
                                          const struct cul_cell *good,
                                          const struct cul_leave_report *report,
                                          struct cul_err *err);

/* The first cell in that state; NULL: none. */
const struct cul_cell *cul_cells_first(const struct cul_cells *cells,
                                       enum cul_answer state);

/* The parts of a report that all jobs over cells have; a new reference. */
json_t *cul_cells_report(const struct cul_cells *cells, const char *job);

#endif
