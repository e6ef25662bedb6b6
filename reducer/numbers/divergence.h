/* Wrong numbers: the first operation of a module whose results differ from the
 * reference's while what it takes agrees, and that operation, or the smallest
 * run of them that is wrong, as a program of its own with recorded inputs.
 *
 * The function of entry becomes a program that prints values (engines/
 * program.h).  The reference is run on one that prints all of them, twice,
 * with fresh memory filled differently: what differs then means nothing and is
 * not compared.  The suspect is run on programs that end behind an operation
 * and print what is in use at a few places; whichever place is the first where
 * something differs bounds the next one. */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_H

#include <jansson.h>
#include <stdio.h>

#include "../../probe/target/target.h"

struct cul_divergence_conf {
  struct cul_target_conf target; /* a mismatch is sought */
  const char *out;               /* directory to write; made if missing */
};

/* Find it, say so on text, and write conf->out: repro.mlir, inputs/ and want/
 * (npy), repro.sh, report.json (a reference to it in *report).  Errors: as of
 * cul_target_demand_failure; CUL_EUSAGE where the values cannot be followed:
 * *followed is false then, and what says why. */
CUL_MUST_CHECK int cul_divergence(const struct cul_divergence_conf *conf,
                                  FILE *text, json_t **report, bool *followed,
                                  struct cul_err *err);

/* What is wrong by itself, of a target that has been classified. */
struct cul_divergent_part {
  char *operation, *location; /* the first divergence */
  struct cul_buf program;     /* the part, with recorded inputs, printing what
                                 it computes; empty: there is none */
  uint32_t runs;              /* that it took */
};
void cul_divergent_part_release(struct cul_divergent_part *part);
/* Errors: EUSAGE where the values cannot be followed; EBUDGET, EINTR. */
CUL_MUST_CHECK int cul_divergent_part_find(struct cul_target *target,
                                           struct cul_divergent_part *out,
                                           struct cul_err *err);

#endif
