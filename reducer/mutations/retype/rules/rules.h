/* Facts that the retype engine uses about operations: which parts of the types
 * of their operands and results are tied.  Shared by the files of this folder.
 */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RULES_RULES_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RULES_RULES_H

#include <string.h>

#include "../../../opmodel/opmodel.h"
#include "../graph/graph.h"

/* The effect of a word of a rule.  While the graph is built, tie adds ties,
 * relations and pins.  After the types changed, fix updates the parts of op
 * that depend on dimensions or sizes.  g->word is the word itself. */
typedef void cul_retype_rule_fn(struct cul_retype *g, MlirOperation op);

enum {
  /* The word does not state which sizes are equal. */
  CUL_WORD_ASIDE = 1,
  /* The word states how dimensions are removed; an operation without such a
   * word keeps its dimensions. */
  CUL_WORD_RANKS = 2,
  /* The word ties only if dimensions may be removed. */
  CUL_WORD_GOING = 4,
  /* The word fixes even if no dimension was removed. */
  CUL_WORD_ALWAYS = 8
};

struct cul_retype_meaning {
  const char *text;              /* the heads of the rule files describe it */
  int is;                        /* of CUL_WORD_... */
  cul_retype_rule_fn *tie, *fix; /* NULL: nothing */
  int how;                       /* for them */
};
/* The words of each file; text NULL ends them. */
extern const struct cul_retype_meaning cul_retype_equation_words[],
    cul_retype_flow_words[], cul_retype_letters_words[],
    cul_retype_lists_words[], cul_retype_maps_words[], cul_retype_plain_words[],
    cul_retype_rules_words[], cul_retype_shape_words[],
    cul_retype_triton_words[];

/* ---- words of rules: words.c ---- */

/* The meaning of a word of a rule. */
const struct cul_retype_meaning *
cul_retype_meaning(const struct cul_op_word *word);
/* The rule of an operation; NULL: none. */
const struct cul_op_rule *cul_retype_rule_of(MlirOperation op);
/* All rules; read at the first call. */
const struct cul_op_rules *cul_retype_rules(void);
/* The word with this text in a rule, or in op's rule; NULL: none. */
const struct cul_op_word *cul_retype_word_in(const struct cul_op_rule *rule,
                                             const char *text);
const struct cul_op_word *cul_retype_word(MlirOperation op, const char *text);
/* For operations that nothing here verifies: does value give the size of a
 * result, so that the result's type must agree with it once it is known? */
bool cul_retype_is_shape(const struct cul_ir *ir, MlirValue value);
/* Does the rule of op state that types depend on this attribute? */
bool cul_retype_is_about(MlirOperation op, MlirStringRef name);
/* The n bytes at `at` as a string that lives as long as the subject. */
const char *cul_retype_kept(const struct cul_retype *g, const char *at,
                            size_t n);
/* Argument i of the word in use; NULL: none. */
const char *cul_retype_arg(const struct cul_retype *g, size_t i);
/* The same as a number; -1: it is not a number. */
intptr_t cul_retype_arg_number(const struct cul_retype *g, size_t i);

/* The first operand that argument i names: "1" or "1+" is operand 1, "$2" the
 * *n operands of segment 2.  SIZE_MAX: it names none. */
size_t cul_retype_arg_operands(const struct cul_retype *g, MlirOperation op,
                               size_t i, size_t *n);
/* The operand that argument i names; the result for "r" and for a missing
 * argument.  Null: op has none. */
MlirValue cul_retype_arg_value(const struct cul_retype *g, MlirOperation op,
                               size_t i);

/* Must the equal sizes of op, or the dimensions that can be removed, be learnt,
 * because no rule states them?  op: its handle. */
bool cul_retype_is_unruled(const void *op);
/* Is there no verifier for op?  Then parts of op that are not understood must
 * not change. */
bool cul_retype_is_unverified(MlirOperation op);
/* Does op work element by element, on shapes of any rank? */
bool cul_retype_is_elementwise(MlirOperation op);
/* Regions, branches, calls, returns: a value that is passed on keeps its type.
 */
void cul_retype_rule_flow(struct cul_retype *g, MlirOperation op);

/* triton.c: the constraints of Triton's layouts on the sizes and elements of
 * their types. */
void cul_retype_rule_layouts(struct cul_retype *g);

/* Does the word, of letters or an equation, contain letters each of which
 * represents several dimensions, or the dimensions numbered in a list? */
static inline bool cul_retype_has_runs(const char *word) {
  return strpbrk(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_:") != NULL;
}
/* Has the word the form of an equation, "0[i]~r[i]"? */
bool cul_retype_is_equation(const char *word);
/* rules.c */
cul_retype_rule_fn cul_retype_rule_same, cul_retype_rule_by_size,
    cul_retype_rule_pinned;
/* Equal element types, encodings and memory spaces stay equal. */
void cul_retype_tie_types(struct cul_retype *g, MlirOperation op);
/* maps.c */
cul_retype_rule_fn cul_retype_rule_maps, cul_retype_thin_maps;

/* ---- lists of numbers, in attributes or operands: lists.c ---- */

/* The numbers of an operand that is a constant or a list; an entry that is not
 * a constant is CUL_RETYPE_DYNAMIC.  False: the operand is neither. */
bool cul_retype_operand(MlirOperation op, intptr_t at, int64_t *out, size_t *n);
/* The numbers of a list of op, by its name in a rule.  False: op has no such
 * list. */
bool cul_retype_read(const struct cul_retype *g, MlirOperation op,
                     const char *name, int64_t *out, size_t *n);
/* The same for a list of dimensions of a value with this rank; they may count
 * from the end. */
bool cul_retype_dims(const struct cul_retype *g, MlirOperation op,
                     const char *name, size_t rank, int64_t *out, size_t *n);
/* Write these n numbers to the list, one for each entry.  An entry
 * CUL_RETYPE_GONE is removed, with the operations that only it used. */
void cul_retype_write(struct cul_retype *g, MlirOperation op, const char *name,
                      const int64_t *now, size_t n);
/* Write the numbers of all lists that have nodes in the graph. */
void cul_retype_write_lists(struct cul_retype *g);
/* The operation whose operands op's list contains: the list operation that
 * defines its first operand, or op itself. */
MlirOperation cul_retype_joined(MlirOperation op);
/* A copy of the constant `like`, with this number, before op. */
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
/* all_operands: a heap array, one element for each operand of op, all true, for
 * the caller to change.  keep_operands: keep the operands that are true, and
 * remove operations that only the others used; keep is taken over. */
bool *cul_retype_all_operands(MlirOperation op);
void cul_retype_keep_operands(struct cul_retype *g, MlirOperation op,
                              bool *keep);
/* The operand of entry `at` of a list, if the entry is dynamic; else SIZE_MAX.
 */
size_t cul_retype_dynamic_operand(MlirOperation op, const char *name,
                                  size_t at);

/* ---- others ---- */

/* Operand 0 and result 0 hold the same elements in the same order: split at
 * equal products, with no list of sizes to fix. */
void cul_retype_same_elements(struct cul_retype *g, MlirOperation op);
/* The indexing maps of a linalg operation, one per operand; null: unknown. */
MlirAttribute cul_retype_maps(MlirOperation op);

/* ---- removed dimensions: rules.c ---- */

/* These functions determine which dimensions of an operation can be removed,
 * which must be removed together, and what else is removed with them.  An
 * operation without a rule pins all its dimensions. */

/* The value with the resulting shape: the result, or the buffer that is
 * written. */
MlirValue cul_retype_outcome(MlirOperation op);
/* Pin the sizes of a value. */
void cul_retype_pin_sizes(struct cul_retype *g, MlirValue value);
/* Pin the sizes of all operands and results of op. */
void cul_retype_pin_all(struct cul_retype *g, MlirOperation op);

/* The number of remaining dimensions of a value; whether any is removed;
 * whether dimension i is. */
size_t cul_retype_left(const struct cul_retype *g, MlirValue value);
bool cul_retype_any_gone(const struct cul_retype *g, MlirValue value);
bool cul_retype_is_gone(const struct cul_retype *g, MlirValue value, int64_t i);
/* Which dimensions are removed, as out[CUL_RETYPE_MAX]. */
void cul_retype_find_gone(const struct cul_retype *g, MlirValue value,
                          bool *out);
/* The new number of a dimension after the removed ones before it. */
int64_t cul_retype_renumber(const struct cul_retype *g, MlirValue value,
                            int64_t i);

/* Erase op, and replace its result by this value. */
void cul_retype_become(struct cul_retype *g, MlirOperation op, MlirValue value);
/* cul_ir_rebuild, and record the new results in the graph. */
MlirOperation cul_retype_rebuild(struct cul_retype *g, MlirOperation op,
                                 const struct cul_ir_change *change);

/* ---- parts that depend on types: for ../retype.c ---- */

/* If h is a global, write its type and its initial value; otherwise return
 * false. */
bool cul_retype_write_global(struct cul_retype *g,
                             const struct cul_retype_holder *h);

#endif
