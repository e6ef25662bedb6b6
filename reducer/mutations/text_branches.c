/* Blocks of LLVM IR and SPIR-V, and branches of these and of MLIR: a branch
 * goes one way, a block goes with the edges to it. */
#include <stdlib.h>

#include "../subject/text_spirv.h"
#include "text_sites.h"

/* ---- edges of LLVM IR ---- */

/* Is the token in "[ value, %block ]" of a phi?  Then the entry goes, with one
 * of its commas. */
static bool erase_phi_entry(struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  uint32_t open = token, close;
  if (l->n <= 3 || !(cul_text_token_is(text, l->first + 2, "phi") ||
                     cul_text_token_is(text, l->first, "phi")))
    return false;
  while (open > l->first && !cul_text_is_char(text, open, '['))
    open--;
  close = text->tokens[open].match;
  return open > l->first && close < l->first + l->n &&
         cul_text_erase_element(text, cul_text_two(open, close + 1));
}

/* There is no edge any more from the block around the item to that of label
 * `to`, whose phis lose their entries for it. */
static void erase_edge(struct cul_text *text, uint32_t item, uint32_t to) {
  const struct cul_text_names *names = cul_text_names(text);
  const struct cul_text_item *it = &text->items[cul_text_item_at(text, to)];
  uint32_t from = CUL_TEXT_NONE; /* an entry block without a label */
  for (; item != CUL_TEXT_NONE; item = text->items[item].parent)
    if (text->items[item].label) {
      from = cul_text_item_first(text, item);
      break;
    }
  for (uint32_t line = it->first; line < it->end; line++) {
    const struct cul_line *l = &text->lines[line];
    for (uint32_t i = l->first + 2; i < l->first + l->n; i++)
      if (names->def[i] == from && cul_text_is_char(text, i - 1, ',') &&
          cul_text_starts(text, i, '%') && erase_phi_entry(text, i))
        break;
  }
}

/* ---- a conditional branch goes one way ---- */

/* "br i1 %c, label %a, label %b", "cf.cond_br %c, ^a(%x : t), ^b"; of SPIR-V
 * "OpBranchConditional %c %a %b", and "OpBranch %b" right before "%b =
 * OpLabel", which both go. */
struct branch {
  uint32_t word;      /* br, cf.cond_br */
  uint32_t commas[2]; /* before either target */
  uint32_t end;       /* behind the second target */
  enum { NONE, BRANCH, SPIRV, JUMP } kind;
};

static bool is_conditional(const struct cul_text *text, uint32_t word) {
  if (cul_text_is(text, "llvm"))
    return cul_text_token_is(text, word, "br") &&
           cul_text_token_is(text, word + 1, "i1");
  return text->lang->dimensions &&
         cul_bytes_end(cul_text_token(text, word), "cond_br");
}

static struct branch find_spirv(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  struct branch b = {.word = l->first, .end = l->first + l->n};
  if (l->n >= 4 && cul_text_token_is(text, b.word, "OpBranchConditional"))
    b.kind = SPIRV;
  if (l->n >= 2 && cul_text_token_is(text, b.word, "OpBranch") &&
      line + 1 < text->n_lines && cul_text_spirv_label(text, line + 1) &&
      cul_text_same(text, b.word + 1, l[1].first))
    b.kind = JUMP;
  return b;
}

static struct branch find(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  struct branch b = {.word = l->first, .end = l->first + l->n};
  uint32_t n = 0, i = l->first;
  if (cul_text_is(text, "spirv"))
    return find_spirv(text, line);
  if (l->n < 6 || !is_conditional(text, i))
    return b;
  for (; i < b.end; i = cul_text_after(text, i))
    if (text->tokens[i].kind == CUL_TOKEN_COMMENT ||
        (n == 2 && cul_text_is_char(text, i, ',')))
      b.end = i;
    else if (cul_text_is_char(text, i, ','))
      b.commas[n++] = i;
  b.kind = n == 2 ? BRANCH : NONE;
  return b;
}

/* detail: the line, and the target that stays. */
static void list_branches(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_lines; i++) {
    enum { ONE = 1, BOTH };
    int kind = find(text, i).kind;
    uint32_t ways = kind == NONE ? 0 : kind == JUMP ? ONE : BOTH;
    for (uint32_t k = 0; k < ways; k++)
      cul_sites_add(out, NULL, cul_text_two(i, k), text->lines[i].n / ways);
  }
}

/* What merges the two ways goes from the line before. */
static bool fold_spirv(struct cul_text *text, const struct branch *b,
                       uint32_t target) {
  uint32_t line = text->tokens[b->word].line;
  if (text->lines[line].dead || !cul_text_replace(text, b->word, "OpBranch"))
    return false;
  cul_text_erase_token(text, b->word + 1);
  cul_text_erase_token(text, b->word + 3 - target);
  if (line && text->lines[line - 1].n &&
      cul_text_token_is(text, text->lines[line - 1].first, "OpSelectionMerge"))
    cul_text_erase_line(text, line - 1);
  return true;
}

/* cf.cond_br is cf.br now, llvm.cond_br llvm.br. */
static bool rename_branch(struct cul_text *text, uint32_t word) {
  struct cul_bytes name = cul_text_token(text, word);
  char *with = cul_xasprintf("%.*sbr", (int)name.len - 7, name.data);
  bool done = cul_text_replace(text, word, with);
  free(with);
  return done;
}

/* The phis of the target that is no longer branched to; where both targets
 * are the same block it still is. */
static void forget_edge(struct cul_text *text, const struct branch *b,
                        uint32_t target) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t to[2] = {names->def[b->commas[1] - 1], names->def[b->end - 1]};
  if (to[target] != CUL_TEXT_NONE && to[0] != to[1])
    erase_edge(text, cul_text_item_at(text, b->word), to[target]);
}

static bool fold(struct cul_text *text, uint64_t detail) {
  uint32_t line = cul_text_high(detail), target = (uint32_t)detail;
  struct branch b = find(text, line);
  if (b.kind == JUMP)
    return cul_text_erase_line(text, line) &&
           cul_text_erase_line(text, line + 1);
  if (b.kind == SPIRV)
    return fold_spirv(text, &b, target);
  if (b.kind == NONE || text->lines[line].dead ||
      (text->lang->dimensions && !rename_branch(text, b.word)))
    return false;
  if (cul_text_is(text, "llvm"))
    forget_edge(text, &b, 1 - target);
  cul_text_erase_tokens(text, b.word + 1, b.commas[target] + 1);
  cul_text_erase_tokens(text, b.commas[1], target == 0 ? b.end : b.commas[1]);
  return true;
}

const struct cul_mutation cul_mutation_text_fold_branches = {
    .name = "text-fold-branches",
    .summary = "make a conditional branch go one way",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.list = list_branches, .edit = fold),
};

/* ---- a block of LLVM IR goes ---- */

/* Branches go to the other target, or nowhere; phis lose their entries for it;
 * what it defined is poison elsewhere. */
static uint32_t block(struct cul_text *text, uint32_t item) {
  return cul_text_is(text, "llvm") && text->items[item].label
             ? cul_text_item_weight(text, item)
             : 0;
}

/* A use of the label that is gone.  Of a conditional branch the target that is
 * another one stays. */
static void redirect(struct cul_text *text, uint32_t use, uint32_t gone) {
  const struct cul_text_names *names = cul_text_names(text);
  const struct cul_line *l = &text->lines[text->tokens[use].line];
  uint32_t other = l->first, end = l->first + l->n;
  while (other < end && !(cul_text_token_is(text, other, "label") &&
                          other + 1 < end && names->def[other + 1] != gone))
    other++;
  if (erase_phi_entry(text, use) || l->dead ||
      !cul_text_token_is(text, l->first, "br"))
    return;
  if (other == end)
    cul_text_rewrite(text, l->first, "unreachable");
  for (uint32_t i = l->first + 1; i < end; i++)
    if (i != other && i != other + 1)
      cul_text_erase_token(text, i);
}

static bool drop_block(struct cul_text *text, uint64_t item) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t label = cul_text_item_first(text, (uint32_t)item);
  uint32_t end = cul_text_item_end(text, (uint32_t)item);
  if (!cul_text_erase_item(text, item))
    return false;
  for (uint32_t d = label; d < end; d++)
    for (uint32_t u = 0, use;
         names->def[d] == d && cul_text_use(text, d, u, &use); u++)
      if (d != label)
        cul_text_replace(text, use, "poison");
      else if (cul_text_is_live(text, use))
        redirect(text, use, label);
  return true;
}

const struct cul_mutation cul_mutation_text_drop_blocks = {
    .name = "text-drop-blocks",
    .summary = "erase a block of LLVM IR with the edges to it",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.items = block, .edit = drop_block),
};

/* ---- the body of a selection or a loop of SPIR-V goes ---- */

/* Its header branches to the merge block.  Later uses of its values use
 * others.  Lines [merge, end): */
struct construct {
  uint32_t merge; /* "OpSelectionMerge %b None", "OpLoopMerge %b %c None" */
  uint32_t end;   /* "%b = OpLabel" */
};

static bool find_construct(struct cul_text *text, uint32_t line,
                           struct construct *out) {
  uint32_t op = cul_text_spirv_op(text, line), def;
  if (!cul_text_spirv_is(text, line, " OpSelectionMerge OpLoopMerge "))
    return false;
  def = cul_text_names(text)->def[op + 1];
  if (def == CUL_TEXT_NONE || text->tokens[def].line <= line)
    return false;
  *out = (struct construct){line, text->tokens[def].line};
  return cul_text_spirv_label(text, out->end);
}

static void list_constructs(struct cul_text *text, struct cul_sites *out) {
  struct construct construct;
  for (uint32_t i = 0; i < text->n_lines; i++)
    if (find_construct(text, i, &construct))
      cul_sites_add(out, NULL, i, cul_text_count(text, i, construct.end));
}

/* Is what the line defines used where it stays? */
static bool is_used_outside(struct cul_text *text,
                            const struct construct *construct, uint32_t line) {
  uint32_t def = text->lines[line].first;
  for (uint32_t u = 0, use;
       text->lines[line].n && cul_text_use(text, def, u, &use); u++) {
    uint32_t at = text->tokens[use].line;
    if (cul_text_is_live(text, use) &&
        (at < construct->merge || at >= construct->end) &&
        cul_text_spirv_target(text, at) == CUL_TEXT_NONE)
      return true;
  }
  return false;
}

/* Who used the line's value uses one of its type from before the construct; or
 * it is undefined. */
static void replace(struct cul_text *text, const struct construct *construct,
                    uint32_t line) {
  uint32_t type = cul_text_spirv_type(text, line), other;
  if (type == CUL_TEXT_NONE)
    return;
  other = cul_text_spirv_other(
      text, line < construct->merge ? line : construct->merge, type);
  if (other == CUL_TEXT_NONE)
    cul_text_spirv_undefine(text, line);
  else if (cul_text_erase_line(text, line))
    cul_text_spirv_forward(text, line, other);
}

/* A phi may name a block that went: those at the head of the block around, from
 * its last line up, and from the line behind its label down. */
static void replace_phis(struct cul_text *text,
                         const struct construct *construct) {
  for (uint32_t i = construct->merge;
       i-- > 0 && !cul_text_spirv_label(text, i);)
    if (cul_text_spirv_is(text, i, " OpPhi "))
      replace(text, construct, i);
  for (uint32_t i = construct->end + 1;
       i < text->n_lines && !cul_text_spirv_label(text, i); i++)
    if (cul_text_spirv_is(text, i, " OpPhi "))
      replace(text, construct, i);
}

static bool drop_construct(struct cul_text *text, uint64_t detail) {
  uint32_t line = (uint32_t)detail, label;
  struct construct construct;
  struct cul_bytes name;
  char *jump;
  if (text->lines[line].dead || !find_construct(text, line, &construct) ||
      text->lines[construct.end].dead)
    return false;
  label = text->lines[construct.end].first;
  name = cul_text_token(text, label);
  jump = cul_xasprintf("OpBranch %.*s\n%.*s", (int)name.len, name.data,
                       (int)name.len, name.data);
  cul_text_replace(text, label, jump);
  free(jump);
  replace_phis(text, &construct);
  for (uint32_t i = line; i < construct.end; i++)
    if (is_used_outside(text, &construct, i))
      replace(text, &construct, i);
    else
      cul_text_erase_line(text, i);
  return true;
}

const struct cul_mutation cul_mutation_text_drop_constructs = {
    .name = "text-drop-constructs",
    .summary = "erase the body of a selection or a loop of SPIR-V",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.list = list_constructs, .edit = drop_construct),
};
