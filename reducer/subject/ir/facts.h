/* Facts about operation names, learnt from the input of an opaque form, and the
 * laws that candidates are checked by.  Private to subject/.
 *
 * traits.c tells what an operation is; facts.c learns; region_laws.c and
 * passing_laws.c each learn what always holds in the input, and find where a
 * candidate breaks it; check.c checks a candidate by all of these. */
#ifndef CUL_REDUCER_SUBJECT_IR_FACTS_H
#define CUL_REDUCER_SUBJECT_IR_FACTS_H

#include "private.h"

/* Classes of types that constants are known of. */
enum cul_ir_class { CUL_IR_SCALAR, CUL_IR_VECTOR, CUL_IR_TENSOR };
#define CUL_IR_N_CLASSES 3

enum { CUL_IR_N_LAWS = 7 }; /* laws of types in regions: region_laws.c */

/* A bit of a mask of regions: the last one stands for all later regions. */
#define CUL_IR_REGION_BIT(i) (UINT32_C(1) << ((i) < 31 ? (i) : 31))

/* Facts about the regions of operations of one name. */
struct cul_ir_region_facts {
  uint32_t min, max; /* number of regions */
  /* mask: seen yielding other types than the results have; set only for
   * operations with results */
  uint32_t yields_differ;
  uint32_t law_kept[CUL_IR_N_LAWS];   /* masks: regions that showed the law */
  uint32_t law_broken[CUL_IR_N_LAWS]; /* masks: regions that broke it */
  uint32_t multi_block;               /* mask: seen with several blocks */
  uint32_t open_ended; /* mask: seen with a block without terminator */
  uint32_t empty;      /* mask: seen without a block */
  uint32_t symbols;    /* mask: seen with symbols inside */
};
/* Facts about one operation name, from all its occurrences in the input.  Bit i
 * of a mask is region i (CUL_IR_REGION_BIT). */
struct cul_ir_fact {
  uint32_t seen;
  uint32_t inner;   /* seen in a block without symbols */
  bool not_last;    /* seen before another operation */
  bool has_results; /* seen with results */
  bool crossed;     /* its regions used a value from outside */
  bool graph;       /* its regions used a value before its definition */
  /* as a return: operands of other types than the results */
  bool returns_differ;
  bool calls_differ; /* as a call: operands of other types than the inputs */
  /* seen with regions, so that the next two members are known */
  bool elements;
  bool takes_differ; /* seen: arguments that are no elements of operands */
  /* seen yielding values that are no elements of the last operands */
  bool gives_differ;
  /* as a branch: seen passing operands as cf.br or cf.cond_br do ... */
  bool forwards;
  bool forwards_differ; /* seen passing them otherwise */
  bool segmented;       /* seen with operandSegmentSizes */
  /* as a function: its entry block has more arguments than its type has
   * inputs */
  bool entry_longer;
  bool ended;  /* its blocks end with terminators: see ends */
  bool yields; /* seen with regions and results */
  struct cul_ir_region_facts regions;
  struct cul_ir_ties *ties; /* of operations with regions; else NULL */
};

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
  /* the name of an operation that is a constant with a value attribute, by the
   * class of its type; NULL: none; heap */
  char *constants[CUL_IR_N_CLASSES];
};

/* Learn facts about operation names when the subject is opened; heap. */
struct cul_ir_facts *cul_ir_facts_learn(struct cul_ir *ir);
/* NULL is fine. */
void cul_ir_facts_free(struct cul_ir_facts *facts);
/* The facts about op's name; NULL: the input does not have the name. */
static inline struct cul_ir_fact *
cul_ir_fact_of(const struct cul_ir_facts *facts, MlirOperation op) {
  return facts ? cul_map_get_ptr(&facts->names, mlirOperationGetName(op).ptr)
               : NULL;
}

/* ---- traits: traits.c ---- */

/* Is op a return of SPIR-V?  The input may contain only one of the two, and an
 * edit may replace one by the other. */
static inline bool cul_ir_is_spirv_return(MlirOperation op) {
  return cul_ir_is(op, "spirv.Return") || cul_ir_is(op, "spirv.ReturnValue");
}
/* Does op's name show that it ends blocks, wherever op is now? */
bool cul_ir_is_named_terminator(const struct cul_ir_facts *facts,
                                MlirOperation op);
/* The operands that op passes to a successor, [*first, *first + *n), guessed
 * from the form of op alone; false: its form is that of no branch. */
bool cul_ir_likely_operands(MlirOperation op, size_t successor, size_t *first,
                            size_t *n);
/* Did operations of last's name end blocks of operations of parent's name? */
bool cul_ir_facts_end(const struct cul_ir_facts *facts, MlirOperation last,
                      MlirOperation parent);
/* Does the block contain symbols?  Decided by its first operation, because
 * blocks of symbols contain little else. */
static inline bool cul_ir_holds_symbols(MlirBlock block) {
  MlirOperation first = mlirBlockGetFirstOperation(block);
  MlirStringRef name;
  return first.ptr && cul_ir_symbol_name(first, &name);
}

/* ---- laws ---- */

/* learn: what op, an operation of the input, shows for its name; fact: that of
 * the name.  fault: the first law of its name that op breaks, in words, static;
 * NULL: none. */

/* Numbers and types of values that enter and leave regions: region_laws.c. */
void cul_ir_region_laws_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
                              MlirOperation op);
const char *cul_ir_region_laws_fault(struct cul_ir *ir, MlirOperation op);
/* Types of operands that branches, calls and returns pass: passing_laws.c.
 * edges: those of branches. */
void cul_ir_passing_laws_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
                               MlirOperation op);
const char *cul_ir_edges_fault(const struct cul_ir *ir, MlirOperation op);
const char *cul_ir_passing_laws_fault(struct cul_ir *ir, MlirOperation op);

/* ---- check: check.c ---- */

/* Check one subtree of an opaque module; false: invalid, and why gets the first
 * reason. */
bool cul_ir_check_tree(struct cul_ir *ir, MlirOperation root, char *why,
                       size_t n);

#endif
