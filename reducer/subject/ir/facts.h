/* What is known of operation names: tables of upstream MLIR, and what the
 * input shows.  Private to facts.c and check.c. */
#ifndef CUL_REDUCER_SUBJECT_IR_FACTS_H
#define CUL_REDUCER_SUBJECT_IR_FACTS_H

#include "private.h"

enum { CUL_IR_N_LAWS = 7 }; /* of flow.c */

/* What the regions of such operations showed. */
struct cul_ir_region_facts {
  uint32_t min, max;      /* how many */
  uint32_t yields_differ; /* mask: seen to yield others than the results; of
                             those with results */
  uint32_t law_kept[CUL_IR_N_LAWS];   /* masks: that showed the law */
  uint32_t law_broken[CUL_IR_N_LAWS]; /* ... that did not keep it */
  uint32_t multi_block;               /* mask: seen with several blocks */
  uint32_t open_ended; /* mask: seen with a block without terminator */
  uint32_t empty;      /* mask: seen without a block */
  uint32_t symbols;    /* mask: seen with symbols in them */
};
/* Of one operation name, over all its occurrences in the input.  Bits of a
 * mask are numbers of regions, the last bit stands for all above. */
struct cul_ir_fact {
  uint32_t seen;
  uint32_t inner;       /* seen in a block without symbols */
  bool not_last;        /* seen before another operation */
  bool has_results;     /* seen with results */
  bool crossed;         /* its regions used a value from outside */
  bool graph;           /* its regions used a value before its definition */
  bool returns_differ;  /* as a return: operands unlike the results */
  bool calls_differ;    /* as a call: operands unlike the inputs */
  bool elements;        /* seen with regions on elements of its operands ... */
  bool takes_differ;    /* whose arguments are not these elements */
  bool gives_differ;    /* that yield others than the last operands' */
  bool forwards;        /* as a branch: seen handing operands over as cf.br or
                           cf.cond_br do ... */
  bool forwards_differ; /* seen handing them over otherwise */
  bool segmented;       /* seen with operandSegmentSizes */
  bool entry_longer;    /* as a function: its entry block has more arguments
                           than the type has inputs */
  bool ended;           /* blocks of it end with terminators: see ends */
  bool yields;          /* seen with results */
  struct cul_ir_region_facts regions;
  struct cul_ir_ties *ties; /* of operations with regions; or NULL */
};

/* ties.c: how the numbers of operands, results, region arguments and
 * yielded values hang together. */
void cul_ir_ties_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
                       MlirOperation op);
/* False where op breaks what the input always kept. */
bool cul_ir_ties_hold(struct cul_ir *ir, const struct cul_ir_fact *fact,
                      MlirOperation op);

/* flow.c: the types of what flows through regions. */
void cul_ir_flow_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
                       MlirOperation op);
bool cul_ir_flow_holds(struct cul_ir *ir, const struct cul_ir_fact *fact,
                       MlirOperation op);

/* branch.c */
void cul_ir_branch_learn(struct cul_ir_fact *fact, MlirOperation op);
/* Do operands [first, first + n) have the types of the successor's arguments?
 */
bool cul_ir_edge_agrees(MlirOperation op, size_t successor, size_t first,
                        size_t n);

/* A property of an operation name. */
struct cul_ir_property {
  const void *op;  /* identifier of the operation */
  const void *key; /* identifier of the property */
  uint32_t seen;
  bool refers;   /* seen as a reference to a symbol */
  bool dangling; /* ... that is not in the module */
};

/* Operations of one name end blocks of those of another. */
struct cul_ir_end {
  const void *terminator, *parent; /* identifiers */
};

struct cul_ir_facts {
  struct cul_ir_property *properties; /* opaque only */
  size_t n_properties, cap_properties;
  struct cul_ir_property *references; /* those that always found a symbol */
  size_t n_references;
  struct cul_map names; /* identifier -> struct cul_ir_fact * */
  struct cul_ir_end *ends;
  size_t n_ends, cap_ends;
  char *constants[CUL_IR_N_CLASSES];
};

#define CUL_IR_REGION_BIT(i) (UINT32_C(1) << ((i) < 31 ? (i) : 31))

/* NULL: a name that the input does not have. */
struct cul_ir_fact *cul_ir_fact_of(const struct cul_ir_facts *facts,
                                   MlirOperation op);
/* Did operations of last's name end blocks of operations of parent's name? */
bool cul_ir_facts_ends(const struct cul_ir_facts *facts, MlirOperation last,
                       MlirOperation parent);
/* A function whose entry block has more arguments than its type has inputs:
 * gpu.func has its memory attributions there. */
bool cul_ir_entry_longer(struct cul_ir *ir, MlirOperation function);
/* Do the operand types of a return, a call agree with function?  */
bool cul_ir_return_agrees(struct cul_ir *ir, MlirOperation op,
                          MlirOperation function);
/* Do the operands of region's terminators have op's result types? */
bool cul_ir_yield_agrees(struct cul_ir *ir, MlirOperation op, intptr_t region);
/* Does the region of op work on elements: has its first block an argument of
 * the element type of each operand, does it end with values of the element
 * types of the last operands? */
bool cul_ir_takes_elements(MlirOperation op);
bool cul_ir_gives_elements(MlirOperation op);
bool cul_ir_call_agrees(struct cul_ir *ir, MlirOperation op,
                        MlirOperation function);

#endif
