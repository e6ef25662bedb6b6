/* Cutting the body of a function: shared by return-slice, return-early,
 * return-operand and start-late. */
#ifndef CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H
#define CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H

#include "../../subject/ir/ir.h"
#include "../mutation.h"

/* Sites are chains: the operations of a block that stands in a function, each
 * below the one before it, from the first to the last (backwards: from the
 * last to the first).  A cut there takes that operation and what is below it.
 * with_results: only those that have some.  Terminators too, but for backwards
 * chains, and without with_results only branches.  Weight: all inside it. */
void cul_return_sites(struct cul_ir *ir, bool with_results, bool backwards,
                      struct cul_sites *out);

/* A copy of the function's first return, not inserted; null when the function
 * never returns. */
MlirOperation cul_return_copy(struct cul_ir *ir, MlirOperation function);
/* from and everything behind it in its block goes; the block ends with end. */
void cul_return_cut(struct cul_ir *ir, MlirOperation from, MlirOperation end);

/* The function ends in front of op and returns what its type says: see
 * return_early.c, where it stands. */
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
