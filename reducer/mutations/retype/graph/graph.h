/* The retype engine: change a type everywhere at once.
 *
 * Values whose types must stay equal form classes: a union-find over nodes.
 * A node is one part of a type (each size, the element type, the layout or
 * encoding, the memory space) of one slot: a value, or an entry of a
 * function's signature.  Nodes of their own stand for numbers in attributes
 * (static_sizes, padding, shapes) and for loops of linalg operations.
 *
 *   build   slots for the module, then each operation's rule ties nodes and
 *           relates sizes (words.c, flow.c);
 *   set     a new value for the class of a node;
 *   solve   other sizes follow: products of reshapes, sums of paddings and
 *           convolutions, bounds of slices;
 *   apply   types, signatures, attributes, dynamic sizes (apply.c).
 *
 * Only equal parts are tied, so that a rule may tie whatever may be equal: a
 * broadcast 1 stays apart.  What no rule knows is tied by size, and the
 * verifier judges.  Types of other dialects: wrapper.h. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_GRAPH_GRAPH_H
#define CUL_REDUCER_MUTATIONS_RETYPE_GRAPH_GRAPH_H

#include "../../../opmodel/numbers.h"
#include "../../../opmodel/rules.h"
#include "../../../subject/ir/ir.h"
#include "../../../subject/ir/map.h"

/* How a type stands in a text. */
enum cul_retype_syntax {
  CUL_RETYPE_BUILTIN, /* tensor<4x8xf32>, f32 */
  CUL_RETYPE_SIZES,   /* 4x8xf32 */
  CUL_RETYPE_LIST     /* [4,8],f32 */
};
/* text[from, to) is the type; NULL: all of it is. */
struct cul_retype_hole {
  const char *text; /* borrowed from the subject */
  size_t from, to;
  enum cul_retype_syntax syntax;
};

struct cul_retype_wrapper {
  MlirType shaped;  /* with sizes, without the wrapper; or null */
  MlirType element; /* bare */
  struct cul_retype_hole around, around_element;
};
/* Where the part of the text that begins at `at` ends: a ',' or a bracket
 * outside of all those opened in it. */
size_t cul_retype_part_end(const char *text, size_t at);
/* Does the text around it count dimensions too, in lists or attributes? */
bool cul_retype_hole_has_lists(const struct cul_retype_hole *hole);

#define CUL_RETYPE_NONE UINT32_MAX
#define CUL_RETYPE_DYNAMIC CUL_NUMBER_DYNAMIC
/* Of ranks and lists that are understood. */
enum { CUL_RETYPE_MAX = CUL_NUMBERS_MAX };
/* A scalable size is a negative one: -4 for [4], so many times vscale. */
bool cul_retype_is_scalable(int64_t size);
/* A size to set: the dimension is no more.  Only where the graph was built with
 * ranks.  As a factor it counts 1. */
#define CUL_RETYPE_GONE (INT64_MIN + 1)

enum cul_retype_part {
  CUL_RETYPE_ELEMENT, /* a MlirType; of a scalar: itself */
  CUL_RETYPE_LAYOUT,  /* a MlirAttribute or null: encoding, layout */
  CUL_RETYPE_SPACE,   /* a MlirAttribute or null: memory space */
  CUL_RETYPE_SIZE     /* this and all behind it: sizes */
};

/* Where a type stands. */
struct cul_retype_slot {
  MlirValue value; /* null: an entry of a signature, or a type attribute */
  MlirType type;
  MlirType shaped;      /* type, or what its wrapper is around */
  uint32_t wrapper;     /* of type; CUL_RETYPE_NONE */
  uint32_t first, rank; /* nodes [first, first + CUL_RETYPE_SIZE + rank) */
};

enum cul_retype_kind {
  CUL_RETYPE_EQUAL,    /* lhs = constant + sum of coef * term */
  CUL_RETYPE_AT_LEAST, /* lhs >= constant + sum of coef * term */
  CUL_RETYPE_PRODUCT,  /* lhs = product of terms */
  CUL_RETYPE_GROUP,    /* the same; lhs goes as a dimension with all terms */
  CUL_RETYPE_CAST,     /* lhs = term, once neither is dynamic */
  CUL_RETYPE_TOGETHER, /* lhs and term go as dimensions together */
  CUL_RETYPE_BARE,     /* without layout lhs and term are so together */
  CUL_RETYPE_WISH      /* CUL_RETYPE_AT_LEAST, but nothing breaks without */
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

/* An attribute that is a list of numbers, each a node or CUL_RETYPE_NONE. */
struct cul_retype_binding {
  MlirOperation op;
  const char *name;
  size_t first, n; /* bound nodes */
};
/* The signature of a function; a global has one input: its type. */
struct cul_retype_holder {
  MlirOperation op;
  uint32_t first, n_inputs, n_results; /* slots */
};

/* A root was set: what it was before. */
struct cul_retype_step {
  uint32_t root;
  int64_t before;
  bool set;
};

/* All slots. */
struct cul_retype_slots {
  struct cul_retype_slot *items;
  size_t n, cap;
  struct cul_map of; /* value -> index */
};
/* Types that hold a shaped one. */
struct cul_retype_wrappers {
  struct cul_retype_wrapper *items;
  size_t n, cap;
  struct cul_map of; /* type -> index, or CUL_RETYPE_NONE */
};
/* Parts of types and numbers: a union-find; arrays by node. */
struct cul_retype_nodes {
  uint32_t *parent;
  int64_t *value, *now; /* of roots; they differ once set */
  bool *set;            /* something depends on now: see the trail */
  bool *chosen;         /* set, and not because another was */
  bool *pinned, *may_be_0;
  bool *counts; /* an element that counts or is counted with: never of a bit */
  size_t n, cap;
};
/* What holds between nodes. */
struct cul_retype_relations {
  struct cul_retype_relation *items;
  size_t n, cap;
  struct cul_retype_term *terms;
  size_t n_terms, cap_terms;
  /* Those of a root: [touched_from[root], touched_from[root + 1]) */
  uint32_t *touched, *touched_from;
};
/* Attributes that are lists of numbers. */
struct cul_retype_bindings {
  struct cul_retype_binding *items;
  size_t n, cap;
  uint32_t *bound; /* nodes */
  size_t n_bound, cap_bound;
};
/* Signatures. */
struct cul_retype_holders {
  struct cul_retype_holder *items;
  size_t n, cap;
};
/* What was set. */
struct cul_retype_trail {
  struct cul_retype_step *items; /* in the order of setting */
  size_t n, cap;
};

struct cul_retype {
  struct cul_ir *ir;
  const struct cul_op_word *word; /* that is being followed */
  bool lacks;                     /* what the words behind it ask for */
  bool ranks;                     /* dimensions may go */
  bool triton; /* a tensor that has lost all its dimensions is a scalar */
  bool torch;  /* integers of more than a bit have signs */
  struct cul_retype_slots slots;
  struct cul_retype_wrappers wrappers;
  struct cul_map lists; /* operation -> binding: see cul_retype_list */
  struct cul_retype_nodes nodes;
  struct cul_retype_relations relations;
  struct cul_retype_bindings bindings;
  struct cul_retype_holders holders;
  struct cul_retype_trail trail;
};

void cul_retype_release(struct cul_retype *g);
/* The class of a node, named by one of its nodes. */
uint32_t cul_retype_find(const struct cul_retype *g, uint32_t node);
/* Must this class stay as it is?  After build. */
bool cul_retype_is_pinned(const struct cul_retype *g, uint32_t node);
/* Node `part` of a value; CUL_RETYPE_NONE where it has none. */
uint32_t cul_retype_node(const struct cul_retype *g, MlirValue value,
                         uint32_t part);
/* As when n_trail was mark. */
void cul_retype_undo(struct cul_retype *g, size_t mark);
/* Set, solve; undone where that fails. */
bool cul_retype_try(struct cul_retype *g, uint32_t node, int64_t value);

/* A layout (as a number) that says nothing: identity. */
bool cul_retype_is_default_layout(int64_t layout);

int64_t cul_retype_now(const struct cul_retype *g, uint32_t node);
/* Does something depend on another value than it had? */
bool cul_retype_is_set(const struct cul_retype *g, uint32_t node);
/* The same of any part of a type. */
bool cul_retype_is_touched(const struct cul_retype *g,
                           const struct cul_retype_slot *slot);
/* The type that slot has, or is to have. */
MlirType cul_retype_type_now(const struct cul_retype *g, uint32_t slot);
/* The same without its wrapper; null for a scalar in one, as it was. */
MlirType cul_retype_shaped_now(const struct cul_retype *g, uint32_t slot);

/* Both stay equal from now on; nothing happens unless they are equal.  A size
 * and a dynamic one are equal once both are static. */
void cul_retype_tie(struct cul_retype *g, uint32_t a, uint32_t b);
/* All parts of two types, size by size where the ranks agree. */
void cul_retype_tie_slots(struct cul_retype *g, uint32_t a, uint32_t b);
void cul_retype_tie_values(struct cul_retype *g, MlirValue a, MlirValue b);
/* Element type, layout, space. */
void cul_retype_tie_type(struct cul_retype *g, MlirValue a, MlirValue b);
/* These two dimensions go together. */
void cul_retype_join_nodes(struct cul_retype *g, uint32_t a, uint32_t b);
/* The same of two sizes that are one dimension: where dimensions go, they go
 * together, equal or not. */
void cul_retype_pair(struct cul_retype *g, uint32_t a, uint32_t b);
/* Size by size, where the ranks agree. */
void cul_retype_pair_values(struct cul_retype *g, MlirValue a, MlirValue b);
/* Index of a value's slot, CUL_RETYPE_NONE for null. */
uint32_t cul_retype_slot(const struct cul_retype *g, MlirValue value);
/* Node of size i of a value; CUL_RETYPE_NONE outside its rank. */
uint32_t cul_retype_size(const struct cul_retype *g, MlirValue value,
                         int64_t i);
size_t cul_retype_rank(const struct cul_retype *g, MlirValue value);
/* Has it a shape, be it one without dimensions? */
bool cul_retype_is_shaped(const struct cul_retype *g, MlirValue value);
/* A slot that is no value. */
uint32_t cul_retype_add_slot(struct cul_retype *g, MlirValue value,
                             MlirType type);
/* A node of its own for a number: an offset, a padding may become 0. */
uint32_t cul_retype_add_number(struct cul_retype *g, int64_t value,
                               bool may_be_0);
void cul_retype_pin(struct cul_retype *g, uint32_t node);
void cul_retype_pin_slot(struct cul_retype *g, uint32_t slot);
void cul_retype_pin_value(struct cul_retype *g, MlirValue value);
/* An element type that must not become i1. */
void cul_retype_counts(struct cul_retype *g, uint32_t node);
/* Begin a relation; terms follow. */
void cul_retype_relate(struct cul_retype *g, enum cul_retype_kind kind,
                       uint32_t lhs, int64_t constant);
void cul_retype_term(struct cul_retype *g, uint32_t node, int64_t coef);
/* Tie the numbers of an attribute to nodes[n]. */
void cul_retype_bind(struct cul_retype *g, MlirOperation op, const char *name,
                     const uint32_t *nodes, size_t n);
/* The numbers of an attribute as nodes, the first of n, bound once however
 * often this is asked; CUL_RETYPE_NONE: it is no list of numbers.  name is
 * borrowed for as long as the graph is. */
uint32_t cul_retype_list(struct cul_retype *g, MlirOperation op,
                         const char *name, bool may_be_0, size_t *n);

/* Once all relations are there: which of them each class has a part in. */
void cul_retype_index(struct cul_retype *g);

#endif
