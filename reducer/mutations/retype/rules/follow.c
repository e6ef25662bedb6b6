/* How the rule of an operation is followed: what its words tie while the graph
 * is built, and what they fix after types changed. */
#include "rules.h"

/* Has it a word that is said to be this, or is not? */
static bool has(const struct cul_op_rule *rule, int flag, bool is) {
  for (size_t i = 0; rule && i < rule->n_words; i++)
    if (((cul_retype_meaning(&rule->words[i])->is & flag) != 0) == is)
      return true;
  return false;
}

static bool is_ruled(const struct cul_op_rule *rule) {
  return has(rule, CUL_WORD_ASIDE, false);
}

static bool knows_ranks(const struct cul_op_rule *rule) {
  return has(rule, CUL_WORD_RANKS, true);
}

bool cul_retype_is_unruled(const void *ptr) {
  MlirOperation op = {(void *)(uintptr_t)ptr};
  const struct cul_op_rule *rule = cul_retype_rule_of(op);
  return !is_ruled(rule) || (!knows_ranks(rule) && !cul_retype_maps(op).ptr &&
                             !cul_retype_word_in(rule, "ranked"));
}

bool cul_retype_is_elementwise(MlirOperation op) {
  const struct cul_op_rule *rule = cul_retype_rule_of(op);
  return cul_retype_word_in(rule, "elementwise") ||
         (cul_retype_word_in(rule, "same") &&
          !cul_retype_word_in(rule, "ranked"));
}

static void tie_words(struct cul_retype *g, MlirOperation op,
                      const struct cul_op_rule *rule) {
  g->lacks = false;
  for (size_t i = 0; rule && i < rule->n_words; i++) {
    const struct cul_retype_meaning *word = cul_retype_meaning(&rule->words[i]);
    g->word = &rule->words[i];
    if (word->tie && (g->ranks || !(word->is & CUL_WORD_GOING)))
      word->tie(g, op);
  }
}

/* Whose rule says nothing of ranks may have indexing maps. */
static bool has_only_maps(const struct cul_op_rule *rule, MlirOperation op) {
  return !knows_ranks(rule) && cul_retype_maps(op).ptr;
}

/* Which dimensions go is said by a word, by maps, or learnt; else all stay. */
static void tie_dims(struct cul_retype *g, MlirOperation op,
                     const struct cul_op_rule *rule) {
  if (knows_ranks(rule))
    return;
  if (has_only_maps(rule, op))
    cul_retype_rule_maps(g, op);
  else if (!cul_ir_is_function(op) &&
           (cul_retype_word_in(rule, "ranked") ||
            !cul_retype_rule_learnt(g, op, CUL_SETS_RANKS)))
    cul_retype_pin_all(g, op);
}

void cul_retype_rule(struct cul_retype *g, MlirOperation op) {
  const struct cul_op_rule *rule = cul_retype_rule_of(op);
  bool ruled = is_ruled(rule);
  bool learnt = !ruled && cul_retype_rule_learnt(g, op, CUL_SETS_TIES);
  if (!learnt && !cul_retype_word_in(rule, "free"))
    cul_retype_tie_types(g, op);
  tie_words(g, op, rule);
  if (cul_ir_is_of(op, "tt."))
    cul_retype_rule_bare(g, op);
  if (!ruled && !learnt && !cul_ir_is_function(op) &&
      !cul_ir_is_terminator(g->ir, op))
    cul_retype_rule_by_size(g, op);
  if (g->ranks)
    tie_dims(g, op, rule);
}

/* ---- fixing ---- */

static bool any_gone(const struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    if (cul_retype_any_gone(g, cul_ir_value(op, i)))
      return true;
  return false;
}

void cul_retype_fix_up(struct cul_retype *g, MlirOperation op) {
  const struct cul_op_rule *rule;
  bool gone;
  if (!cul_ir_alive(g->ir, op))
    return;
  rule = cul_retype_rule_of(op);
  gone = any_gone(g, op);
  if (gone && has_only_maps(rule, op))
    cul_retype_thin_maps(g, op);
  else if (gone && !knows_ranks(rule))
    cul_retype_thin_learnt(g, op);
  for (size_t i = 0; rule && i < rule->n_words && cul_ir_alive(g->ir, op);
       i++) {
    const struct cul_retype_meaning *word = cul_retype_meaning(&rule->words[i]);
    g->word = &rule->words[i];
    if (word->fix && (gone || word->is & CUL_WORD_ALWAYS))
      word->fix(g, op);
  }
}
