/* Wrong numbers: find the first divergence, which is the first operation of a
 * module whose results differ from the reference's while its operands agree;
 * and cut out this operation, or the shortest run of operations that ends with
 * it and is wrong by itself, as a program with recorded inputs.
 *
 * The module's entry function becomes a program that prints values
 * (engines/program/program.h).  The reference runs a program that prints all
 * values, and once more with fresh memory filled differently: elements that
 * differ between these two runs are undefined and not compared.  The suspect
 * runs programs that end after an operation and print the values in use at a
 * few places; the first place with a difference bounds the next program. */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_H

#include "../../probe/target/target.h"
#include <jansson.h>
#include <stdio.h>

struct cul_divergence_conf {
  struct cul_target_conf target; /* the sought failure is a mismatch */
  const char *out;               /* directory to write; made if missing */
};

/* Find the first divergence, print it to text, and write conf->out: repro.mlir,
 * inputs/, want/ and got/ (.npy, printed.txt), repro.sh, report.json.  *report:
 * a reference to the report.  Errors: those of classification and
 * cul_target_demand_failure; with *followed false, EUSAGE: the values cannot be
 * followed, and err has the reason. */
CUL_MUST_CHECK int cul_divergence(const struct cul_divergence_conf *conf,
                                  FILE *text, json_t **report, bool *followed,
                                  struct cul_err *err);

/* The part of a module that is wrong by itself. */
struct cul_divergent_part {
  char *operation, *location; /* of the first divergence; heap */
  /* the part with recorded inputs; prints its results; empty: no part is wrong
   * by itself */
  struct cul_buf program;
  uint32_t runs; /* runs of the search */
};
/* Free what it owns; {0} is fine. */
void cul_divergent_part_release(struct cul_divergent_part *part);
/* Find this part of a target that was classified.  out: release it, also after
 * an error.  Errors: EUSAGE (the values cannot be followed), EBUDGET, EINTR,
 * EENV. */
CUL_MUST_CHECK int cul_divergent_part_find(struct cul_target *target,
                                           struct cul_divergent_part *out,
                                           struct cul_err *err);

#endif
