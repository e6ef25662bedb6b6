/* Private to the files of opmodel/. */
#ifndef CUL_REDUCER_OPMODEL_MODEL_H
#define CUL_REDUCER_OPMODEL_MODEL_H

#include "../subject/ir/map.h"
#include "../subject/ir/walk.h"
#include "opmodel.h"

/* The surroundings in which a copy verifies. */
enum cul_frame {
  CUL_FRAME_ALONE,  /* in a module, after the operations that define its
                       operands; native: in its own place */
  CUL_FRAME_PARENT, /* in a copy of the enclosing operation, whose block
                       contains otherwise only the terminator */
  CUL_N_FRAMES
};

struct cul_class {
  struct cul_digest key;
  char *text; /* the text whose digest is the key */
  MlirIdentifier op;
  MlirOperation seen; /* one operation of the class, found by look `look` */
  uint32_t look;
  enum cul_ruling control[CUL_N_FRAMES];
  struct cul_sets *sets[CUL_N_SETS]; /* sets.h; NULL: none, or not planned */
  uint32_t n_planned;                /* of TIES and RANKS */
  uint32_t n_rounds;                 /* of questions about PARTS */
};

enum { CUL_CONTROL = UINT32_MAX };
/* A question: does the class verify with the change of a trial of sets.h?
 * CUL_CONTROL: without a change. */
struct cul_ask {
  uint32_t class;
  enum cul_frame frame;
  enum cul_sets_kind sets; /* of the trial */
  uint32_t trial, variant;
};

struct cul_model {
  struct cul_class **classes; /* in order of first appearance */
  size_t n, cap;
  struct cul_map of;    /* operation -> its class, found by the last look */
  uint32_t look;        /* number of the last look */
  bool looked_for_ties; /* cul_model_look_for_ties read this revision */
  struct cul_ask *asks; /* asked, not yet answered */
  size_t n_asks, cap_asks;
  bool vendor; /* opaque forms: the tool's verifier has answered */
  struct cul_asked counts;
};

/* class.c.  The class of op, existing or new. */
struct cul_class *cul_class_of(struct cul_ir *ir, struct cul_model *model,
                               MlirOperation op);
/* Free the class with its sets. */
void cul_class_free(struct cul_class *class);
/* A hash of the part of an attribute's value on which a verifier may depend. */
uint64_t cul_class_value(struct cul_ir *ir, MlirAttribute attr);

/* explain.c.  See struct cul_subject_model. */
void cul_model_explain(struct cul_subject *subject, const char *name,
                       struct cul_buf *out);

#endif
