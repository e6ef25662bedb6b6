/* The words of the rules in reducer/opmodel, as the retype engine reads them.
 * Their effects are in the tables of the files that implement them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* Words that have no effect of their own. */
const struct cul_retype_meaning cul_retype_plain_words[] = {
    {"apart", CUL_WORD_RANKS, NULL, NULL, 0},
    {"about", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"any-rank", CUL_WORD_RANKS | CUL_WORD_ASIDE, NULL, NULL, 0},
    {"asked", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"cast", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"contraction", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"converts", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"elementwise", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"free", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"global", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"narrows", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"view", CUL_WORD_ASIDE, NULL, NULL, 0},
    {"widens", CUL_WORD_ASIDE, NULL, NULL, 0},
    {0},
};

enum { LETTERS, EQUATIONS };

static const struct cul_retype_meaning *const tables[] = {
    [LETTERS] = cul_retype_letters_words,
    [EQUATIONS] = cul_retype_equation_words,
    cul_retype_flow_words,
    cul_retype_lists_words,
    cul_retype_maps_words,
    cul_retype_plain_words,
    cul_retype_rules_words,
    cul_retype_shape_words,
    cul_retype_triton_words,
};

/* ---- reading ---- */

static const struct cul_retype_meaning *find_row(int table, const char *word) {
  for (const struct cul_retype_meaning *row = tables[table]; row->text; row++)
    if (strcmp(row->text, word) == 0)
      return row;
  return NULL;
}

bool cul_retype_is_equation(const char *text) {
  size_t n = strcspn(text, "~=>");
  const char *right = text + n + (text[n] != '\0');
  right += text[n] == '>' && *right == '=';
  for (const char *at = text; (at = strchr(at, '[')); at++)
    if (at[1 + strcspn(at + 1, "[]")] != ']')
      return false;
  return n > 0 && memchr(text, '[', n) && *right && !strpbrk(right, "~=>");
}

/* The meaning of a word; letters ("mk,kn>mn") and equations are known by their
 * form. */
static const void *meaning_of(const char *word) {
  const struct cul_retype_meaning *row = NULL;
  if (strchr(word, '['))
    return cul_retype_is_equation(word) ? find_row(EQUATIONS, "=") : NULL;
  if (strpbrk(word, ">:,"))
    return find_row(LETTERS, cul_retype_has_runs(word) ? "runs" : "letters");
  for (int i = EQUATIONS + 1; i < (int)CUL_ARRAY_SIZE(tables) && !row; i++)
    row = find_row(i, word);
  return row;
}

const struct cul_retype_meaning *
cul_retype_meaning(const struct cul_op_word *word) {
  return word->meaning;
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

const struct cul_op_rule *cul_retype_rule_of(MlirOperation op) {
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
  return cul_retype_word_in(cul_retype_rule_of(op), text);
}

/* Does the text contain the name, not as part of a longer one?  An entry that
 * may be 0 ("?") in an inequality does not count: no type follows from it. */
static bool holds_name(const char *text, MlirStringRef name) {
  const char *end = text + strlen(text);
  for (const char *at = text;
       (at = memmem(at, (size_t)(end - at), name.data, name.length)); at++) {
    char before = at > text ? at[-1] : ' ', after = at[name.length];
    bool whole = !isalnum((unsigned char)before) && before != '_' &&
                 !isalnum((unsigned char)after) && after != '_';
    const char *behind = after == '[' ? strchr(at, ']') : NULL;
    if (whole && !(behind && behind[1] == '?' && strchr(text, '>')))
      return true;
  }
  return false;
}

bool cul_retype_is_about(MlirOperation op, MlirStringRef name) {
  const struct cul_op_rule *rule = cul_retype_rule_of(op);
  for (size_t i = 0; rule && i < rule->n_words; i++) {
    const struct cul_op_word *word = &rule->words[i];
    bool found = holds_name(word->text, name);
    for (size_t k = 0; k < word->n_args && !found; k++)
      found = holds_name(word->args[k], name);
    if (found && (!(cul_retype_meaning(word)->is & CUL_WORD_ASIDE) ||
                  strcmp(word->text, "about") == 0))
      return true;
  }
  return false;
}

const char *cul_retype_kept(const struct cul_retype *g, const char *at,
                            size_t n) {
  MlirStringRef name = mlirStringRefCreate(at, n);
  return mlirIdentifierStr(mlirIdentifierGet(g->ir->context, name)).data;
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

size_t cul_retype_arg_operands(const struct cul_retype *g, MlirOperation op,
                               size_t i, size_t *n) {
  const char *arg = cul_retype_arg(g, i), *text = arg ? arg : "";
  size_t first = SIZE_MAX;
  if (isdigit((unsigned char)*text))
    first = strtoul(text, NULL, 10);
  else if (*text != '$' ||
           !cul_ir_segment_range(op, strtoul(text + 1, NULL, 10), &first, n))
    first = SIZE_MAX;
  return first;
}

MlirValue cul_retype_arg_value(const struct cul_retype *g, MlirOperation op,
                               size_t i) {
  size_t n = 1, at = cul_retype_arg_operands(g, op, i, &n);
  if (!cul_retype_arg(g, i) || *cul_retype_arg(g, i) == 'r')
    at = (size_t)mlirOperationGetNumOperands(op);
  return n == 1 && at < cul_ir_n_values(op) ? cul_ir_value(op, at)
                                            : (MlirValue){NULL};
}
