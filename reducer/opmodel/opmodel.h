/* The requirements of operations, learnt from their verifier.
 *
 * The unit is an instance class: operations that a verifier has no reason to
 * treat differently (class.c).  A question is a copy of one of them with one
 * change; the control is the copy without a change.  If the control does not
 * verify, nothing is known about the class.  The verifiers:
 *
 *   native forms   libMLIR's verifier, in a fork of this process, on a copy
 *                  next to the operation;
 *   opaque forms   the tool's own: the copies are sent as text to the main
 *                  program, which runs the tool that prints the generic form
 *                  (reducer/forms/vendor.h).
 *
 * If a verifier crashes or does not end, the answer is "unknown".  The choice
 * of the next question depends on answers alone.  Answers are valid for the
 * class in every revision; they are kept when a candidate becomes the next
 * revision. */
#ifndef CUL_REDUCER_OPMODEL_OPMODEL_H
#define CUL_REDUCER_OPMODEL_OPMODEL_H

#include "../subject/ir/ir.h"

struct cul_model; /* everything known; belongs to the subject */
struct cul_class; /* one instance class; belongs to the model */

/* Free all that is known; NULL is fine. */
void cul_model_free(struct cul_model *model);

/* Find the classes of all operations of the module; they are available until
 * the next edit.  For native forms, also ask the open questions about
 * attributes. */
void cul_model_look(struct cul_ir *ir);
/* The same for the operations for which wanted is true, with questions about
 * the spots that change together.  Does nothing if it was called for this
 * revision before. */
void cul_model_look_for_ties(struct cul_ir *ir, cul_wanted_fn *wanted);
/* Call when the module becomes another revision. */
void cul_model_forget(struct cul_model *model);
/* The class of op; NULL: cul_model_look did not see it.  Borrowed. */
const struct cul_class *cul_model_class(const struct cul_ir *ir,
                                        MlirOperation op);
/* Is there a verifier that answers? */
bool cul_model_is_verified(const struct cul_ir *ir);

/* Did a verifier accept the control of the class and answer questions about it?
 * If so, an unknown fact is one on which the verifier crashed. */
bool cul_class_is_asked(const struct cul_class *class);

/* A part of an operation whose value other parts may have to share. */
enum cul_spot_kind {
  CUL_SPOT_SIZE,    /* a size in the type of an operand or result */
  CUL_SPOT_ELEMENT, /* the element of such a type; a scalar type itself */
  CUL_SPOT_LAYOUT,  /* its encoding, or its layout if not the default */
  CUL_SPOT_SPACE,   /* memory space of a memref */
  CUL_SPOT_NUMBER,  /* a number in an attribute */
  CUL_SPOT_ATTR,    /* an attribute */
  CUL_SPOT_OPERAND  /* an operand, with its entry in operandSegmentSizes */
};
struct cul_spot {
  enum cul_spot_kind kind;
  uint32_t value;        /* number of the operand or, behind them, the result */
  MlirIdentifier attr;   /* NUMBER, ATTR */
  uint32_t at;           /* SIZE: dimension; NUMBER: entry */
  uint32_t set;          /* spots of one set change together; UINT32_MAX:
                            unknown which others must change */
  uint64_t held;         /* ATTR: a hash of its value */
  enum cul_ruling alone; /* ATTR, OPERAND: can it be removed alone? */
  MlirIdentifier with; /* ATTR: another attribute, with which it can be removed;
                          null: none */
};
/* The meaning of a set. */
enum cul_sets_kind {
  CUL_SETS_TIES,  /* change together */
  CUL_SETS_RANKS, /* dimensions (SIZE) that are removed together; a dimension
                     in no set cannot be removed */
  CUL_SETS_PARTS, /* attributes that can be removed, alone or two together;
                     operands that can be removed alone */
  CUL_N_SETS
};
/* May spots of these kinds have one common value?  A size may be given by a
 * number in an attribute. */
static inline bool cul_spots_are_alike(enum cul_spot_kind a,
                                       enum cul_spot_kind b) {
  return a == b || (a == CUL_SPOT_SIZE && b == CUL_SPOT_NUMBER) ||
         (a == CUL_SPOT_NUMBER && b == CUL_SPOT_SIZE);
}

/* The spots of operations of the class, at most 64; NULL: unknown.  For PARTS,
 * use cul_class_drop and cul_class_drop_operand. */
const struct cul_spot *cul_class_sets(const struct cul_class *class,
                                      enum cul_sets_kind kind, size_t *n);

/* Can this attribute be removed?  *spot, unless REFUSED: the attribute, and
 * the one that must be removed with it; valid as long as the subject. */
enum cul_ruling cul_class_drop(const struct cul_class *class,
                               MlirStringRef name,
                               const struct cul_spot **spot);

/* Can this operand be removed without another change?  UNKNOWN also if the
 * operation has too many operands. */
enum cul_ruling cul_class_drop_operand(const struct cul_class *class,
                                       uint32_t operand);

/* Complete the removal of the spots in gone (a bit for each): remove their
 * entries from op's attributes, and clear keep, which has one element for each
 * operand, for the operands that must be removed. */
void cul_class_thin(struct cul_ir *ir, const struct cul_class *class,
                    uint64_t gone, MlirOperation op, bool *keep);

/* The model of the subjects of MLIR. */
extern const struct cul_subject_model cul_op_model;

#endif
