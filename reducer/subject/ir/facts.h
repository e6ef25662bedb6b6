/* Facts about operation names: tables for upstream MLIR, and what the input
 * shows.  Private to subject/. */
#ifndef CUL_REDUCER_SUBJECT_IR_FACTS_H
#define CUL_REDUCER_SUBJECT_IR_FACTS_H

#include "private.h"

enum { CUL_IR_N_LAWS = 7 }; /* laws of types in regions: facts.c */

/* A property of an operation name. */
struct cul_ir_property {
  const void *op;  /* identifier of the operation */
  const void *key; /* identifier of the property */
  uint32_t seen;
  bool refers;   /* seen as a reference to a symbol */
  bool dangling; /* seen as a reference to a symbol that is not in the module */
};

/* Blocks in operations named `parent` may end with an operation named
 * `terminator`. */
struct cul_ir_end {
  const void *terminator, *parent; /* identifiers */
};

struct cul_ir_facts {
  struct cul_ir_property *properties; /* opaque only */
  size_t n_properties, cap_properties;
  struct cul_ir_property *references; /* references that always resolved */
  size_t n_references;
  struct cul_map names; /* identifier -> struct cul_ir_fact * */
  struct cul_ir_end *ends;
  size_t n_ends, cap_ends;
  char *constants[CUL_IR_N_CLASSES];
};

#define CUL_IR_REGION_BIT(i) (UINT32_C(1) << ((i) < 31 ? (i) : 31))

#endif
