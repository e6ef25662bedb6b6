/* What the words of the rules in reducer/opmodel mean to the retype engine, and
 * how the rule of an operation is followed. */
#include <stdlib.h>
#include <string.h>

#include "rank.h"

enum {
  /* It says nothing of which sizes are equal. */
  ASIDE = 1,
  /* It says what becomes of dimensions: those of an operation without such a
   * word stay. */
  RANKS = 2,
  /* It ties only where dimensions may go. */
  GOING = 4,
  /* It fixes also where none has gone. */
  ALWAYS = 8
};

enum { LETTERS, RUNS, EQUATION }; /* meanings */

static const struct meaning {
  const char *text; /* described at the heads of the rule files */
  int is;
  cul_retype_rule_fn *tie, *fix; /* NULL: nothing */
} meanings[] = {
    /* letters and equations: see meaning_of */
    {"", 0, cul_retype_rule_letters, NULL},
    {"", RANKS, cul_retype_rule_letters, cul_retype_thin_letters},
    {"", 0, cul_retype_rule_equation, NULL},

    {"same", RANKS, cul_retype_rule_same, NULL},
    {"by-size", 0, cul_retype_rule_by_size, NULL},
    {"each", RANKS, cul_retype_rule_each, NULL},
    {"like", 0, cul_retype_rule_like, NULL},
    {"apart", RANKS, NULL, NULL},
    {"access", RANKS, cul_retype_rule_access, cul_retype_thin_access},
    {"transposed", ASIDE, NULL, cul_retype_thin_transposed},
    {"combined", RANKS | ASIDE | GOING, cul_retype_rule_combined,
     cul_retype_thin_combined},
    {"expand", RANKS | ASIDE, NULL, cul_retype_thin_expand},
    {"concat", RANKS, cul_retype_rule_concat, cul_retype_thin_numbered},
    {"axis", ASIDE | GOING, cul_retype_rule_axis, cul_retype_thin_numbered},
    {"numbered", ASIDE, NULL, cul_retype_thin_numbered},
    {"entries", RANKS | ASIDE | GOING, cul_retype_rule_alike,
     cul_retype_thin_listed},
    {"trailing", 0, cul_retype_rule_trailing, NULL},
    {"spread", RANKS, cul_retype_rule_spread, NULL},
    {"groups", RANKS, cul_retype_rule_groups, cul_retype_thin_groups},
    {"elements", RANKS, cul_retype_rule_elements, NULL},
    {"open-elements", RANKS, cul_retype_rule_open_elements, NULL},
    {"slice", RANKS, cul_retype_rule_slice, cul_retype_thin_slice},
    {"pad", RANKS, cul_retype_rule_pad, cul_retype_thin_pad},
    {"linalg", 0, cul_retype_rule_linalg, NULL},
    {"maps", RANKS | ASIDE | GOING, cul_retype_rule_maps, cul_retype_thin_maps},
    {"elementwise", ASIDE, NULL, NULL},
    {"contraction", ASIDE, NULL, NULL},
    {"transfer", RANKS, cul_retype_rule_transfer, cul_retype_thin_transfer},
    {"dim", RANKS | GOING, cul_retype_rule_dim, cul_retype_thin_dim},

    {"free", ASIDE, NULL, NULL},
    {"view", ASIDE, NULL, NULL},
    {"pinned", 0, cul_retype_rule_pinned, NULL},
    {"pin", 0, cul_retype_rule_pin, NULL},
    {"inside", 0, cul_retype_rule_inside, NULL},
    {"sized", 0, cul_retype_rule_sized, NULL},
    {"ranked", ASIDE | GOING, cul_retype_pin_all, NULL},
    {"widths", 0, cul_retype_rule_widths, NULL},
    {"element", 0, cul_retype_rule_element, NULL},
    {"integers", 0, cul_retype_rule_integers, NULL},
    {"layouts", 0, cul_retype_rule_layouts_stay, NULL},
    {"counts", ASIDE, cul_retype_rule_counts, NULL},
    {"lengths", ASIDE, cul_retype_rule_lengths, NULL},
    {"asked", ASIDE, NULL, NULL},
    {"any-rank", RANKS | ASIDE, NULL, NULL},
    {"ranks-alike", RANKS | ASIDE | GOING, cul_retype_rule_alike, NULL},
    {"sizes", ASIDE | ALWAYS, NULL, cul_retype_fix_up_sizes},
    {"segment-sizes", ASIDE | ALWAYS, NULL, cul_retype_fix_up_segment_sizes},
    {"cast", ASIDE, NULL, NULL},
    {"widens", ASIDE, NULL, NULL},
    {"narrows", ASIDE, NULL, NULL},
    {"converts", ASIDE, NULL, NULL},
    {"static", ASIDE | ALWAYS, NULL, cul_retype_fix_up_static},
    {"global", ASIDE, NULL, NULL},
    {"global-access", 0, cul_retype_rule_global_access, NULL},

    /* stablehlo.rules */
    {"convolution", RANKS, cul_retype_rule_convolution,
     cul_retype_thin_convolution},
    {"orders", RANKS | ASIDE, NULL, cul_retype_thin_orders},

    /* triton.rules */
    {"range", RANKS | ASIDE | GOING, cul_retype_rule_range,
     cul_retype_thin_range},
    {"bits", RANKS, cul_retype_rule_bits, NULL},
    {"address", RANKS, cul_retype_rule_address, NULL},
    {"layout", RANKS, cul_retype_rule_layout, NULL},
    {"dot", RANKS | ASIDE, NULL, cul_retype_thin_dot},
    {"memory", 0, cul_retype_rule_memory, NULL},
    {"laid-out", ASIDE | GOING, cul_retype_rule_laid_out, NULL},
    {"reshape", RANKS, cul_retype_rule_reshape, NULL},
    {"least", ASIDE, NULL, cul_retype_thin_least},

    /* iree.rules, torch.rules */
    {"flow", RANKS | ASIDE | GOING, cul_retype_rule_flow_tensor,
     cul_retype_thin_flow_tensor},
    {"given", ASIDE, cul_retype_rule_given, NULL},
    {"shape", RANKS | ALWAYS, cul_retype_rule_shape, cul_retype_fix_up_shape},
    {"shared", 0, cul_retype_rule_shared, NULL},
    {"repeats", RANKS, cul_retype_rule_repeats, NULL},
    {"typed", ASIDE, cul_retype_rule_typed, NULL},
};

/* ---- reading ---- */

static int meaning_of(const char *word) {
  if (strchr(word, '['))
    return cul_retype_is_equation(word) ? EQUATION : -1;
  if (strpbrk(word, ">:,"))
    return cul_retype_has_runs(word) ? RUNS : LETTERS;
  for (size_t i = EQUATION + 1; i < CUL_ARRAY_SIZE(meanings); i++)
    if (strcmp(meanings[i].text, word) == 0)
      return (int)i;
  return -1;
}

const struct cul_op_rules *cul_retype_rules(void) {
  static struct cul_op_rules rules;
  struct cul_err err = {0};
  int rc = 0;
  if (rules.n > 0)
    return &rules;
  for (size_t i = 0; i < cul_n_op_rule_files && rc == 0; i++) {
    const struct cul_embedded *file = &cul_op_rule_files[i];
    struct cul_bytes text = {(const char *)file->data, file->len};
    rc = cul_op_rules_add(&rules, file->name, text, meaning_of, &err);
  }
  if (rc == 0)
    rc = cul_op_rules_sort(&rules, &err);
  if (rc < 0)
    cul_bug("%s", err.what);
  return &rules;
}

static const struct cul_op_rule *rule_of(MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  return cul_op_rules_find(cul_retype_rules(),
                           (struct cul_bytes){name.data, name.length});
}

const struct cul_op_word *cul_retype_word_in(const struct cul_op_rule *rule,
                                             const char *text) {
  for (size_t i = 0; rule && i < rule->n_words; i++)
    if (strcmp(rule->words[i].text, text) == 0)
      return &rule->words[i];
  return NULL;
}

const struct cul_op_word *cul_retype_word(MlirOperation op, const char *text) {
  return cul_retype_word_in(rule_of(op), text);
}

const char *cul_retype_arg(const struct cul_retype *g, size_t i) {
  return i < g->word->n_args ? g->word->args[i] : NULL;
}

intptr_t cul_retype_arg_number(const struct cul_retype *g, size_t i) {
  const char *text = cul_retype_arg(g, i);
  char *end;
  long number = text ? strtol(text, &end, 10) : -1;
  return text && end > text && !*end ? number : -1;
}

/* ---- following ---- */

static const struct meaning *meaning(const struct cul_op_rule *rule, size_t i) {
  return &meanings[rule->words[i].meaning];
}

static bool is_ruled(const struct cul_op_rule *rule) {
  for (size_t i = 0; rule && i < rule->n_words; i++)
    if (!(meaning(rule, i)->is & ASIDE))
      return true;
  return false;
}

static bool knows_ranks(const struct cul_op_rule *rule) {
  for (size_t i = 0; rule && i < rule->n_words; i++)
    if (meaning(rule, i)->is & RANKS)
      return true;
  return false;
}

bool cul_retype_is_unruled(const void *ptr) {
  MlirOperation op = {(void *)(uintptr_t)ptr};
  const struct cul_op_rule *rule = rule_of(op);
  return !is_ruled(rule) || (!knows_ranks(rule) && !cul_retype_maps(op).ptr &&
                             !cul_retype_word_in(rule, "ranked"));
}

bool cul_retype_is_elementwise(MlirOperation op) {
  const struct cul_op_rule *rule = rule_of(op);
  return cul_retype_word_in(rule, "elementwise") ||
         (cul_retype_word_in(rule, "same") &&
          !cul_retype_word_in(rule, "ranked"));
}

static void tie_words(struct cul_retype *g, MlirOperation op,
                      const struct cul_op_rule *rule) {
  g->lacks = false;
  for (size_t i = 0; rule && i < rule->n_words; i++) {
    const struct meaning *word = meaning(rule, i);
    g->word = &rule->words[i];
    if (word->tie && (g->ranks || !(word->is & GOING)))
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
  else if (!cul_ir_is_function(op) && (cul_retype_word_in(rule, "ranked") ||
                                       !cul_retype_rule_learnt_dims(g, op)))
    cul_retype_pin_all(g, op);
}

void cul_retype_rule(struct cul_retype *g, MlirOperation op) {
  const struct cul_op_rule *rule = rule_of(op);
  bool ruled = is_ruled(rule);
  bool learnt = !ruled && cul_retype_rule_learnt(g, op);
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
  rule = rule_of(op);
  gone = any_gone(g, op);
  if (gone && has_only_maps(rule, op))
    cul_retype_thin_maps(g, op);
  else if (gone && !knows_ranks(rule))
    cul_retype_thin_learnt(g, op);
  for (size_t i = 0; rule && i < rule->n_words && cul_ir_alive(g->ir, op);
       i++) {
    const struct meaning *word = meaning(rule, i);
    g->word = &rule->words[i];
    if (word->fix && (gone || word->is & ALWAYS))
      word->fix(g, op);
  }
}
