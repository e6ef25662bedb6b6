/* What an operation requires, learnt by asking whoever verifies it.
 *
 * Asked is of an instance class: operations that a verifier has no reason to
 * treat differently (class.c).  A question is a copy of one of them with one
 * change; the control is the copy as it is, which must verify, or else nothing
 * is known of the class.  Who answers:
 *
 *   native forms   libMLIR's verifier, in a fork of this process, on a copy
 *                  beside the operation;
 *   opaque forms   the tool's own: the copies travel as text to
 *                  the main program, which runs the tool that prints the
 *                  generic form (reducer/forms/vendor.h).
 *
 * A verifier that dies of a question, or does not end, has answered "unknown".
 * What is asked next depends on answers alone.  Answers hold for the class,
 * whatever revision it is met in; they go along where a candidate becomes the
 * next revision. */
#ifndef CUL_REDUCER_OPMODEL_OPMODEL_H
#define CUL_REDUCER_OPMODEL_OPMODEL_H

#include "../subject/ir/ir.h"

struct cul_model; /* all that is known; belongs to the subject */
struct cul_class; /* one instance class; belongs to the model */

void cul_model_free(struct cul_model *model);

/* Look at the module as it is now; native forms: ask what is not known yet of
 * attributes.  Classes of its operations are to be had until the next edit. */
void cul_model_look(struct cul_ir *ir);
/* The same for what changes together, of operations that wanted is true of;
 * once for each revision. */
void cul_model_look_for_ties(struct cul_ir *ir, cul_wanted_fn *wanted);
/* The module is another revision. */
void cul_model_forget(struct cul_model *model);
/* That of op; NULL: it was not looked at.  Borrowed. */
const struct cul_class *cul_model_class(const struct cul_ir *ir,
                                        MlirOperation op);
/* Is there a verifier that answers? */
bool cul_model_is_verified(const struct cul_ir *ir);

/* Was somebody asked who takes operations of the class as they are?  Then what
 * is not known is what the verifier died of. */
bool cul_class_is_asked(const struct cul_class *class);

/* A place where a value stands that others may have to hold too. */
enum cul_spot_kind {
  CUL_SPOT_SIZE,    /* of the type of an operand or result */
  CUL_SPOT_ELEMENT, /* of such a type; of a scalar: itself */
  CUL_SPOT_LAYOUT,  /* of such a type: encoding, or layout if not the default */
  CUL_SPOT_SPACE,   /* memory space of a memref */
  CUL_SPOT_NUMBER,  /* in an attribute */
  CUL_SPOT_ATTR,    /* an attribute */
  CUL_SPOT_OPERAND  /* an operand, with its entry in operandSegmentSizes */
};
struct cul_spot {
  enum cul_spot_kind kind;
  uint32_t value;        /* of a type: operands, then results; OPERAND */
  MlirIdentifier attr;   /* NUMBER, ATTR */
  uint32_t at;           /* SIZE: dimension; NUMBER: entry */
  uint32_t set;          /* those of one set change together; UINT32_MAX: it is
                            not known what must change with it */
  uint64_t held;         /* ATTR: a hash of its value */
  enum cul_ruling alone; /* ATTR, OPERAND: may it go alone? */
  MlirIdentifier with; /* ATTR: one with which it may go; null: there is none */
};
/* Which spots are in one set. */
enum cul_sets_kind {
  CUL_SETS_TIES,  /* change together */
  CUL_SETS_RANKS, /* dimensions (SIZE) that go together; what is in no set
                     stays */
  CUL_SETS_PARTS, /* attributes that go, alone or two together; operands that
                     go alone */
  CUL_N_SETS
};
/* May spots of these kinds hold one value? */
bool cul_spots_are_alike(enum cul_spot_kind a, enum cul_spot_kind b);

/* Those of operations of the class, 64 at most; NULL: they are not known.  Of
 * PARTS: see cul_class_drop and cul_class_drop_operand. */
const struct cul_spot *cul_class_sets(const struct cul_class *class,
                                      enum cul_sets_kind kind, size_t *n);

/* May this attribute go?  *spot: which it is, and what must go with it, unless
 * REFUSED; it lives as long as the subject. */
enum cul_ruling cul_class_drop(const struct cul_class *class,
                               MlirStringRef name,
                               const struct cul_spot **spot);

/* May operand number `operand` go, and nothing else with it?  UNKNOWN also
 * where it is one of too many. */
enum cul_ruling cul_class_drop_operand(const struct cul_class *class,
                                       uint32_t operand);

/* Those of gone, bit by bit, have gone: so do entries of op's attributes; keep,
 * one for each operand, says which stay. */
void cul_class_thin(struct cul_ir *ir, const struct cul_class *class,
                    uint64_t gone, MlirOperation op, bool *keep);

/* See struct cul_subject_model. */
void cul_model_questions(struct cul_subject *subject, cul_wanted_fn *wanted,
                         struct cul_buf *out);
void cul_model_told(struct cul_subject *subject, struct cul_bytes answers);
void cul_model_explain(struct cul_subject *subject, const char *name,
                       struct cul_buf *out);
void cul_model_count(const struct cul_subject *subject, struct cul_asked *out);

#endif
