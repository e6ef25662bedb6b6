/* The retype engine: changes a type everywhere at once.
 *
 * Values whose types must stay equal form classes: a union-find over nodes.  A
 * node is one part of a type (each size, the element type, the layout or
 * encoding, the memory space) of one slot: a value, or an entry of a function's
 * signature.  Numbers in attributes (static_sizes, padding, shapes) and loops
 * of linalg operations have nodes of their own.
 *
 *   build   make slots for the module; then each operation's rule ties nodes
 *           and relates sizes (../retype.c);
 *   set     give the class of a node a new value;
 *   solve   derive other sizes: products of reshapes, sums of paddings and
 *           convolutions, bounds of slices;
 *   apply   write types, signatures, attributes, dynamic sizes (../retype.c).
 *
 * Only equal parts are tied, so a rule may tie whatever may be equal: a
 * broadcast 1 stays separate.  Types that no rule covers are tied by size, and
 * the verifier judges the result.  Types of other dialects: see foreign.h. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_GRAPH_GRAPH_H
#define CUL_REDUCER_MUTATIONS_RETYPE_GRAPH_GRAPH_H

#include "../../../opmodel/rules.h"
#include "../../../subject/ir/foreign.h"
#include "../../../subject/ir/ir.h"
#include "../../../subject/ir/map.h"
#include "../../../subject/ir/numbers.h"
#include "../../../subject/ir/walk.h"

#define CUL_RETYPE_NONE UINT32_MAX
#define CUL_RETYPE_DYNAMIC CUL_NUMBER_DYNAMIC
/* Limit on the ranks and lists that are handled. */
enum { CUL_RETYPE_MAX = CUL_NUMBERS_MAX };
/* A scalable size is negative: -4 for [4], a multiple of vscale. */
bool cul_retype_is_scalable(int64_t size);
/* The size of a removed dimension, which counts as 1 in products.  Only valid
 * if the graph was built with ranks. */
#define CUL_RETYPE_GONE CUL_NUMBER_GONE

enum cul_retype_part {
  CUL_RETYPE_ELEMENT, /* a MlirType; of a scalar: itself */
  CUL_RETYPE_LAYOUT,  /* a MlirAttribute or null: encoding, layout */
  CUL_RETYPE_SPACE,   /* a MlirAttribute or null: memory space */
  CUL_RETYPE_SIZE     /* the first size; the others follow */
};

/* A place that has a type. */
struct cul_retype_slot {
  MlirValue value; /* null: an entry of a signature, or a type attribute */
  MlirType type;
  MlirType shaped;      /* type, or the type inside its wrapper */
  uint32_t wrapper;     /* of type, or CUL_RETYPE_NONE */
  uint32_t first, rank; /* nodes [first, first + CUL_RETYPE_SIZE + rank) */
};

enum cul_retype_kind {
  CUL_RETYPE_EQUAL,    /* lhs = constant + sum of coef * term */
  CUL_RETYPE_AT_LEAST, /* lhs >= constant + sum of coef * term */
  CUL_RETYPE_PRODUCT,  /* lhs = product of terms */
  CUL_RETYPE_GROUP,    /* the same; lhs and all terms are removed together */
  CUL_RETYPE_CAST,     /* lhs = term, once neither is dynamic */
  CUL_RETYPE_TOGETHER, /* lhs and term are removed together */
  CUL_RETYPE_BARE,     /* lhs and term lose their layouts together */
  CUL_RETYPE_WISH      /* CUL_RETYPE_AT_LEAST if possible */
};
struct cul_retype_term {
  uint32_t node;
  int64_t coef;
};
struct cul_retype_relation {
  enum cul_retype_kind kind;
  uint32_t lhs;
  int64_t constant;
  size_t first, n; /* terms */
};

/* An attribute that is a list of numbers: nodes [first, first + n). */
struct cul_retype_binding {
  MlirOperation op;
  const char *name;
  uint32_t first;
  size_t n;
};
/* The signature of a function; a global has one input: its type. */
struct cul_retype_holder {
  MlirOperation op;
  uint32_t first, n_inputs, n_results; /* slots */
};

/* The state of a root before a step that set it. */
struct cul_retype_step {
  uint32_t root;
  int64_t before;
  bool set;
};

/* A part of a type, or a number, in a union-find. */
struct cul_retype_node {
  uint32_t parent;
  uint32_t link;      /* of roots: as cul_retype_link's next */
  int64_t value, now; /* of roots; they differ once set */
  bool set;           /* something depends on now: see the trail */
  bool chosen;        /* set directly, not as a consequence */
  bool pinned, may_be_0;
  bool counts; /* an element that counts or is counted with: must not become
                  i1 */
};
/* A relation in which a class takes part; next: number + 1 of the class's next
 * link, or 0. */
struct cul_retype_link {
  uint32_t relation, next;
};
/* The relations between nodes. */
struct cul_retype_relations {
  struct cul_retype_relation *items;
  size_t n, cap;
  struct cul_retype_term *terms;
  size_t n_terms, cap_terms;
  struct cul_retype_link *links;
  size_t n_links, cap_links;
};
struct cul_retype_slots {
  struct cul_retype_slot *items;
  size_t n, cap;
  struct cul_map of; /* value -> index */
};
struct cul_retype_wrappers {
  struct cul_ir_wrapper *items;
  size_t n, cap;
  struct cul_map of; /* type -> index, or CUL_RETYPE_NONE */
};

struct cul_retype {
  struct cul_ir *ir;
  const struct cul_op_word *word; /* the word being processed */
  bool lacks;                     /* word "given" has no constant */
  bool ranks;                     /* dimensions may be removed */
  bool triton; /* a tensor that has lost all its dimensions is a scalar */
  bool torch;  /* integers of more than a bit have signs */
  struct cul_retype_slots slots;
  struct cul_retype_wrappers wrappers; /* of types */
  struct cul_map lists; /* operation -> binding: see cul_retype_list */
  struct cul_retype_node *node;
  size_t n_nodes, cap_nodes;
  struct cul_retype_relations relations;
  struct {
    struct cul_retype_binding *items;
    size_t n, cap;
  } bindings;
  struct { /* signatures */
    struct cul_retype_holder *items;
    size_t n, cap;
  } holders;
  struct { /* the steps that set roots, in this order */
    struct cul_retype_step *items;
    size_t n, cap;
  } trail;
};

/* Free what it owns; {0} is fine. */
void cul_retype_release(struct cul_retype *g);
/* The class of a node, named by one of its nodes. */
uint32_t cul_retype_find(const struct cul_retype *g, uint32_t node);
/* Must this class keep its value?  Valid after build. */
bool cul_retype_is_pinned(const struct cul_retype *g, uint32_t node);
/* Node `part` of a value; CUL_RETYPE_NONE if the value has none. */
uint32_t cul_retype_node(const struct cul_retype *g, MlirValue value,
                         uint32_t part);
/* That of its element type. */
uint32_t cul_retype_element(const struct cul_retype *g, MlirValue value);
/* Restore the state in which the trail had `mark` steps. */
void cul_retype_undo(struct cul_retype *g, size_t mark);
/* Set a node and solve; if that fails, undo it and return false. */
bool cul_retype_try(struct cul_retype *g, uint32_t node, int64_t value);

/* Is the layout (as a number) the identity? */
static inline bool cul_retype_is_default_layout(int64_t layout) {
  return cul_ir_is_default_layout((MlirAttribute){(void *)(intptr_t)layout});
}

/* The value that the node's class has now. */
int64_t cul_retype_now(const struct cul_retype *g, uint32_t node);
/* Does anything depend on a value other than the original one? */
static inline bool cul_retype_is_set(const struct cul_retype *g,
                                     uint32_t node) {
  return node != CUL_RETYPE_NONE && g->node[cul_retype_find(g, node)].set;
}
/* The same for any part of a type. */
static inline bool cul_retype_is_touched(const struct cul_retype *g,
                                         const struct cul_retype_slot *slot) {
  for (uint32_t i = 0; i < CUL_RETYPE_SIZE + slot->rank; i++)
    if (cul_retype_is_set(g, slot->first + i))
      return true;
  return false;
}
/* The type that slot has now or will have. */
MlirType cul_retype_type_now(const struct cul_retype *g, uint32_t slot);
/* The same without its wrapper; null for a scalar in a wrapper, like
 * `shaped`. */
MlirType cul_retype_shaped_now(const struct cul_retype *g, uint32_t slot);

/* Keep both nodes equal from now on; does nothing unless they are equal.  A
 * static and a dynamic size become equal once both are static. */
void cul_retype_tie(struct cul_retype *g, uint32_t a, uint32_t b);
/* Tie all parts of two types, and sizes one by one if the ranks agree. */
void cul_retype_tie_slots(struct cul_retype *g, uint32_t a, uint32_t b);
/* The same for the types of two values. */
void cul_retype_tie_values(struct cul_retype *g, MlirValue a, MlirValue b);
/* Tie element type, layout and memory space. */
void cul_retype_tie_type(struct cul_retype *g, MlirValue a, MlirValue b);
/* Remove these two dimensions only together. */
void cul_retype_join_nodes(struct cul_retype *g, uint32_t a, uint32_t b);
/* Tie two sizes of one dimension if they are equal, and remove both or none. */
void cul_retype_pair(struct cul_retype *g, uint32_t a, uint32_t b);
/* Index of a value's slot, CUL_RETYPE_NONE for null. */
uint32_t cul_retype_slot(const struct cul_retype *g, MlirValue value);
/* Node of size i of a value; CUL_RETYPE_NONE if i is not below its rank. */
uint32_t cul_retype_size(const struct cul_retype *g, MlirValue value,
                         int64_t i);
/* The rank of its type; 0: it has no slot. */
size_t cul_retype_rank(const struct cul_retype *g, MlirValue value);
/* Does the value have a shape, even one without dimensions? */
bool cul_retype_is_shaped(const struct cul_retype *g, MlirValue value);
/* Add a slot; value is null for a type that is not that of a value. */
uint32_t cul_retype_add_slot(struct cul_retype *g, MlirValue value,
                             MlirType type);
/* Add a separate node for a number.  may_be_0: for an offset or a padding. */
uint32_t cul_retype_add_number(struct cul_retype *g, int64_t value,
                               bool may_be_0);
/* Keep a node, or all parts of a slot, as they are. */
void cul_retype_pin(struct cul_retype *g, uint32_t node);
void cul_retype_pin_slot(struct cul_retype *g, uint32_t slot);
/* Pin its sizes only. */
void cul_retype_pin_dims(struct cul_retype *g,
                         const struct cul_retype_slot *slot);
/* Pin all parts of a value's type. */
void cul_retype_pin_value(struct cul_retype *g, MlirValue value);
/* Mark an element type that must not become i1. */
void cul_retype_counts(struct cul_retype *g, uint32_t node);
/* Begin a relation; its terms are added next. */
void cul_retype_relate(struct cul_retype *g, enum cul_retype_kind kind,
                       uint32_t lhs, int64_t constant);
/* Add a term to the last relation: coef times the node. */
void cul_retype_term(struct cul_retype *g, uint32_t node, int64_t coef);
/* A relation of lhs and one term, without a factor and a constant. */
void cul_retype_relate_two(struct cul_retype *g, enum cul_retype_kind kind,
                           uint32_t lhs, uint32_t term);
/* Bind the numbers of an attribute to n nodes from first on. */
void cul_retype_bind(struct cul_retype *g, MlirOperation op, const char *name,
                     uint32_t first, size_t n);
/* The numbers of an attribute as nodes: returns the first of *n, or
 * CUL_RETYPE_NONE if the attribute is no list of numbers.  Repeated calls bind
 * them only once.  name is borrowed as long as the graph lives. */
uint32_t cul_retype_list(struct cul_retype *g, MlirOperation op,
                         const char *name, bool may_be_0, size_t *n);

/* Index the relations by class.  Call once all relations are added. */
void cul_retype_index(struct cul_retype *g);

#endif
