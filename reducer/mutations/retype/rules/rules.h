/* What the retype engine knows of operations: which parts of the types of
 * their operands and results are tied.  Parts of words.c. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RULES_RULES_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RULES_RULES_H

#include "../../../opmodel/opmodel.h"
#include "../graph/graph.h"

/* What a word means: while the graph is built, what it ties, relates and pins
 * (rule); after the types changed, what goes with dimensions (thin) or follows
 * sizes (fix).  For the word itself see g->word. */
typedef void cul_retype_rule_fn(struct cul_retype *g, MlirOperation op);

enum {
  /* It says nothing of which sizes are equal. */
  CUL_WORD_ASIDE = 1,
  /* It says what becomes of dimensions: those of an operation without such a
   * word stay. */
  CUL_WORD_RANKS = 2,
  /* It ties only where dimensions may go. */
  CUL_WORD_GOING = 4,
  /* It fixes also where none has gone. */
  CUL_WORD_ALWAYS = 8
};

struct cul_retype_meaning {
  const char *text;              /* described at the heads of the rule files */
  int is;                        /* of CUL_WORD_... */
  cul_retype_rule_fn *tie, *fix; /* NULL: nothing */
  int how;                       /* for them */
};
/* The words of each file; text NULL ends them. */
extern const struct cul_retype_meaning cul_retype_equation_words[],
    cul_retype_fix_up_words[], cul_retype_flow_words[],
    cul_retype_letters_words[], cul_retype_lists_words[],
    cul_retype_maps_words[], cul_retype_plain_words[], cul_retype_rank_words[],
    cul_retype_rules_words[], cul_retype_shape_words[],
    cul_retype_triton_words[];

/* ---- words of rules: words.c ---- */

/* What a word of a rule means. */
const struct cul_retype_meaning *
cul_retype_meaning(const struct cul_op_word *word);
/* The rule of an operation; NULL: there is none. */
const struct cul_op_rule *cul_retype_rule_of(MlirOperation op);
/* All rules there are; read at the first call. */
const struct cul_op_rules *cul_retype_rules(void);
/* This word of a rule, or of op's; NULL: it has none. */
const struct cul_op_word *cul_retype_word_in(const struct cul_op_rule *rule,
                                             const char *text);
const struct cul_op_word *cul_retype_word(MlirOperation op, const char *text);
/* For operations that nothing here verifies: does value give the size of a
 * result, so that the result's type must agree with it once it is known? */
bool cul_retype_is_shape(const struct cul_ir *ir, MlirValue value);
/* Does the rule of op say that types follow from this attribute? */
bool cul_retype_is_about(MlirOperation op, MlirStringRef name);
/* Argument i of the word that is being followed; NULL: it has none. */
const char *cul_retype_arg(const struct cul_retype *g, size_t i);
/* The same as a number; -1: it is none. */
intptr_t cul_retype_arg_number(const struct cul_retype *g, size_t i);

/* Where the operands begin that argument i names: "1" or "1+": operand 1,
 * "$2": the *n operands of segment 2.  SIZE_MAX: it names none. */
size_t cul_retype_arg_operands(const struct cul_retype *g, MlirOperation op,
                               size_t i, size_t *n);
/* That operand; "r", and without an argument, the result.  Null: op has none.
 */
MlirValue cul_retype_arg_value(const struct cul_retype *g, MlirOperation op,
                               size_t i);

/* Tie what op's rule says; without one, what has equal sizes. */
void cul_retype_rule(struct cul_retype *g, MlirOperation op);
/* Does no rule say which sizes of op are equal, or which dimensions go, so that
 * it must be learnt?  op: its handle. */
bool cul_retype_is_unruled(const void *op);
/* Does nothing verify op?  What is not understood of it must stay. */
bool cul_retype_is_unverified(MlirOperation op);
/* Does op work element by element, on shapes of any rank? */
bool cul_retype_is_elementwise(MlirOperation op);
/* Regions, branches, calls, returns: what flows keeps its type. */
void cul_retype_rule_flow(struct cul_retype *g, MlirOperation op);

/* What Triton's layouts ask of the sizes and elements that they are for:
 * triton.c. */
void cul_retype_rule_layouts(struct cul_retype *g);

/* Does the word, of letters or an equation, hold letters that stand for several
 * dimensions each, or for those that a list numbers? */
bool cul_retype_has_runs(const char *word);
bool cul_retype_is_equation(const char *word);
/* rules.c */
cul_retype_rule_fn cul_retype_rule_same, cul_retype_rule_by_size,
    cul_retype_rule_pinned;
/* Element types, encodings, spaces: equal ones stay equal. */
void cul_retype_tie_types(struct cul_retype *g, MlirOperation op);
/* maps.c */
cul_retype_rule_fn cul_retype_rule_maps, cul_retype_thin_maps;
/* triton.c */
cul_retype_rule_fn cul_retype_rule_bare;

/* ---- lists of numbers, wherever they stand: lists.c ---- */

/* The numbers that an operand is, a constant or a list; an entry that is no
 * constant is CUL_RETYPE_DYNAMIC.  False: it is no such thing. */
bool cul_retype_operand(MlirOperation op, intptr_t at, int64_t *out, size_t *n);
/* The numbers of a list of op, by its name in a rule.  False: there is none. */
bool cul_retype_read(const struct cul_retype *g, MlirOperation op,
                     const char *name, int64_t *out, size_t *n);
/* The same of dimensions, out of rank, that may count from the end. */
bool cul_retype_dims(const struct cul_retype *g, MlirOperation op,
                     const char *name, size_t rank, int64_t *out, size_t *n);
/* Give that list these n numbers, as many as it has: CUL_RETYPE_GONE leaves it,
 * and what only an entry needed goes with it. */
void cul_retype_write(struct cul_retype *g, MlirOperation op, const char *name,
                      const int64_t *now, size_t n);
/* Write the numbers of all lists that are nodes. */
void cul_retype_write_lists(struct cul_retype *g);
/* Whose operands op joins: the list's that its first operand is, or its own. */
MlirOperation cul_retype_joined(MlirOperation op);
/* A copy of the constant `like` in front of op, of this number. */
MlirValue cul_retype_constant(struct cul_retype *g, MlirOperation like,
                              int64_t number, MlirOperation op);

/* From a list of dimension numbers of `of`, drop the removed dimensions and
 * renumber the others. */
void cul_retype_thin_dims(struct cul_retype *g, MlirOperation op,
                          const char *name, MlirValue of);
/* Thin a list that has the same number of entries for each dimension of `of`.
 */
void cul_retype_thin_entries(struct cul_retype *g, MlirOperation op,
                             const char *name, MlirValue of);
/* Thin the operands from `first` on, one for each dimension of `of`. */
void cul_retype_thin_operands(struct cul_retype *g, MlirOperation op,
                              intptr_t first, MlirValue of);
/* Keep these operands; remove what was needed only by the others.  keep: what
 * the other function gave, for the caller to change; it is taken over. */
bool *cul_retype_all_operands(MlirOperation op);
void cul_retype_keep_operands(struct cul_retype *g, MlirOperation op,
                              bool *keep);
/* The operand for entry `at` of a list, which is dynamic; SIZE_MAX: it is not,
 * or there is none. */
size_t cul_retype_dynamic_operand(MlirOperation op, const char *name,
                                  size_t at);

/* ---- others ---- */

/* Operand 0 and result 0 hold the same elements in the same order: split at
 * equal products, with no list of sizes to fix. */
void cul_retype_same_elements(struct cul_retype *g, MlirOperation op);
/* The indexing maps of a linalg operation, one per operand; null: not known. */
MlirAttribute cul_retype_maps(MlirOperation op);

/* ---- dimensions that go: rank.c, gone.c ---- */

/* Which operations can lose one, which must be removed together, and what is
 * removed with them.  An operation without a rule pins all its dimensions. */

/* Pin the dimensions of values with a layout or an encoding, which is made for
 * one rank, unless the layout is derived. */
void cul_retype_pin_layouts(struct cul_retype *g);
/* Join the dimensions of values that share a Triton layout.  Removing one of
 * two dimensions leaves a slice of the layout, so all values must lose the same
 * one. */
void cul_retype_join_slices(struct cul_retype *g);

/* The value with the resulting shape: the result, or the buffer that is
 * written. */
MlirValue cul_retype_outcome(MlirOperation op);
/* Pin the sizes of a value. */
void cul_retype_pin_sizes(struct cul_retype *g, MlirValue value);
/* Pin the sizes of all operands and results of op. */
void cul_retype_pin_all(struct cul_retype *g, MlirOperation op);

/* How many dimensions of a value are left?  Is any removed?  Is dimension i? */
size_t cul_retype_left(const struct cul_retype *g, MlirValue value);
bool cul_retype_any_gone(const struct cul_retype *g, MlirValue value);
bool cul_retype_is_gone(const struct cul_retype *g, MlirValue value, int64_t i);
/* Which dimensions are removed, as out[CUL_RETYPE_MAX]. */
void cul_retype_find_gone(const struct cul_retype *g, MlirValue value,
                          bool *out);
/* The number of a dimension after removed ones before it are no longer counted.
 */
int64_t cul_retype_renumber(const struct cul_retype *g, MlirValue value,
                            int64_t i);

/* op goes; its result is this value. */
void cul_retype_become(struct cul_retype *g, MlirOperation op, MlirValue value);
/* cul_ir_rebuild, and record the new results in the graph. */
MlirOperation cul_retype_rebuild(struct cul_retype *g, MlirOperation op,
                                 const struct cul_ir_change *change);

/* ---- what depends on types but is no type: fix_up.c, for ../retype.c ---- */

/* If op is a view: derive the layout of its class from its source, new offsets
 * and new strides.  Call after the numbers changed and before the types change.
 */
void cul_retype_derive_layout(struct cul_retype *g, MlirOperation op);
/* The same for layouts that are slices of others. */
void cul_retype_derive_slices(struct cul_retype *g);
/* Attributes of op with the old type of one of its values get the new type:
 * literals and type attributes.  Call before the types change. */
void cul_retype_fix_up_attributes(struct cul_retype *g, MlirOperation op);
/* If h is a global, write its type and its initial value; false if it is none.
 */
bool cul_retype_write_global(struct cul_retype *g,
                             const struct cul_retype_holder *h);
/* After all types changed: update what depends on removed dimensions, lists of
 * dynamic sizes, and shapes as values (words.c). */
void cul_retype_fix_up(struct cul_retype *g, MlirOperation op);
/* Last: remove a cast or reshape whose two types have become the same. */
void cul_retype_fix_up_cast(struct cul_retype *g, MlirOperation op);
/* The literal with another type; null: it cannot have that type. */
MlirAttribute cul_retype_literal(struct cul_ir *ir, MlirAttribute old,
                                 MlirType type);

#endif
