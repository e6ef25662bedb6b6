/* What is known of operation names: tables of upstream MLIR, and what the
 * input shows.  Private to mlir_facts.c and mlir_check.c. */
#ifndef CUL_REDUCER_SUBJECT_MLIR_FACTS_H
#define CUL_REDUCER_SUBJECT_MLIR_FACTS_H

#include "mlir_private.h"

/* Of one operation name, over all its occurrences in the input.  Bits of a
 * mask are numbers of regions, the last bit stands for all above. */
struct cul_ir_fact {
  uint32_t seen;
  uint32_t inner;      /* seen in a block without symbols */
  bool not_last;       /* seen before another operation */
  bool has_results;    /* seen with results */
  bool crossed;        /* its regions used a value from outside */
  bool graph;          /* its regions used a value before its definition */
  bool returns_differ; /* as a return: operands unlike the results */
  bool calls_differ;   /* as a call: operands unlike the inputs */
  uint32_t regions_min, regions_max;
  uint32_t multi_block; /* mask: regions seen with several blocks */
  uint32_t open_ended;  /* mask: regions seen with a block without
                           terminator */
};

/* A property of an operation name. */
struct cul_ir_property {
  const void *op;  /* identifier of the operation */
  const void *key; /* identifier of the property */
  uint32_t seen;
};

struct cul_ir_facts {
  struct cul_ir_property *properties; /* opaque only */
  size_t n_properties, cap_properties;
  struct cul_map names; /* identifier -> struct cul_ir_fact * */
  char *constants[CUL_IR_N_CLASSES];
};

#define CUL_IR_REGION_BIT(i) (UINT32_C(1) << ((i) < 31 ? (i) : 31))

/* NULL: a name that the input does not have. */
struct cul_ir_fact *cul_ir_fact_of(const struct cul_ir_facts *facts,
                                   MlirOperation op);
/* Do the operand types of a return, a call agree with function?  */
bool cul_ir_return_agrees(struct cul_ir *ir, MlirOperation op,
                          MlirOperation function);
bool cul_ir_call_agrees(struct cul_ir *ir, MlirOperation op,
                        MlirOperation function);

#endif
