/* Ending a function early: shared by return-value, return-slice and
 * return-early. */
#ifndef CUL_REDUCER_MUTATIONS_RETURN_VALUE_H
#define CUL_REDUCER_MUTATIONS_RETURN_VALUE_H

#include "../subject/mlir.h"
#include "mutation.h"

/* Sites are ranges over the operations of a block that stands in a function:
 * what counts is the last of a range, behind which the function ends.  One
 * site per operation that is no terminator (with_results: and has results).
 * Weight: its own operations. */
int cul_return_sites(struct cul_subject *subject, bool with_results,
                     struct cul_sites *out);
/* The operation that a chosen range ends with; null: it is gone. */
MlirOperation cul_return_last(struct cul_ir *ir, const struct cul_sites *sites,
                              const uint32_t *ids, size_t n);

/* The function ends behind op, with what stands for its results there. */
bool cul_return_early(struct cul_ir *ir, MlirOperation op);

/* The function ends behind op and returns op's results and nothing else.
 * Callers follow: uses of what it returned before get a stand-in.  False
 * where its type must stay and differs. */
bool cul_return_value(struct cul_ir *ir, MlirOperation op);

/* Is op in a block of a function itself, and no terminator? */
bool cul_return_is_statement(const struct cul_ir *ir, MlirOperation op);

/* May cul_return_operand be asked for a value of this type? */
bool cul_return_may(struct cul_ir *ir, MlirOperation function, MlirType type);
/* The function returns this value and nothing else, at all its ends; at those
 * where the value is not there, a stand-in.  Nothing is cut. */
bool cul_return_operand(struct cul_ir *ir, MlirOperation function,
                        MlirValue value);

#endif
