/* Shared by the files of opmodel/ and nobody else. */
#ifndef CUL_REDUCER_OPMODEL_MODEL_H
#define CUL_REDUCER_OPMODEL_MODEL_H

#include "../subject/ir/map.h"
#include "opmodel.h"

/* In which surroundings a copy verifies. */
enum cul_frame {
  CUL_FRAME_ALONE,  /* in a module, beside what its operands come from; native:
                       where it stands */
  CUL_FRAME_PARENT, /* in a copy of the operation around it, whose block holds
                       else only its end */
  CUL_N_FRAMES
};

enum { CUL_NO_ATTR = UINT8_MAX, CUL_MOST_ATTRS = 48 };

/* What the verifier says in one frame: may the attribute go? */
struct cul_drop_answer {
  enum cul_ruling alone;
  struct cul_drop drop; /* with: one with which it may go */
};

/* One attribute of a class. */
struct cul_class_attr {
  MlirIdentifier name;
  uint64_t value; /* hash of what of its value is looked at */
  bool fixed;     /* its meaning is structure: never asked */
  struct cul_drop_answer in[CUL_N_FRAMES];
};

enum cul_class_step {
  CUL_STEP_CONTROL, /* nothing asked yet */
  CUL_STEP_ASKED,
  CUL_STEP_DONE
};

struct cul_class {
  struct cul_digest key;
  char *text; /* what the key is the digest of */
  MlirIdentifier op;
  MlirOperation seen; /* one of it, as of look number `look` */
  uint32_t look;
  enum cul_class_step step;
  bool paired; /* two attributes at a time were asked about, too */
  enum cul_ruling control[CUL_N_FRAMES];
  enum cul_frame frame; /* the first whose control was accepted */
  struct cul_class_attr *attrs;
  size_t n_attrs;
  struct cul_sets *sets[CUL_N_SETS]; /* sets.h; NULL: none, or not planned */
  uint32_t n_planned;                /* of these */
};

/* Does the class verify without these attributes, or as of a trial of sets.h?
 * Nothing of these: as it is. */
struct cul_ask {
  uint32_t class;
  enum cul_frame frame;
  uint8_t a, b;            /* attributes; CUL_NO_ATTR */
  enum cul_sets_kind sets; /* of the trial; CUL_N_SETS: none */
  uint32_t trial, variant;
};

struct cul_model {
  struct cul_class **classes; /* in the order they were met */
  size_t n, cap;
  struct cul_map of;    /* operation -> its class, as of the last look */
  uint32_t look;        /* number of the last */
  bool looked_for_ties; /* in this revision */
  struct cul_ask *asks; /* put, not answered */
  size_t n_asks, cap_asks;
  bool vendor; /* opaque: somebody answered */
  struct cul_asked counts;
};

/* class.c.  The class of op, found or new. */
struct cul_class *cul_class_of(struct cul_ir *ir, struct cul_model *model,
                               MlirOperation op);
void cul_class_free(struct cul_class *class);

/* apart.c.  Call fn(arg, i, out) for i below n in a fork, which may die; told
 * is called here with what fn appended to out, in order; of what it died of or
 * did not end with, NULL. */
typedef void cul_apart_fn(void *arg, size_t i, struct cul_buf *out);
typedef void cul_apart_told_fn(void *arg, size_t i,
                               const struct cul_bytes *bytes);
void cul_apart(size_t n, cul_apart_fn *fn, cul_apart_told_fn *told, void *arg);

#endif
