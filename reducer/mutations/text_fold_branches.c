/* Make a conditional branch of LLVM IR, MLIR or SPIR-V go one way, always. */
#include <stdlib.h>
#include <string.h>

#include "../subject/text_spirv.h"
#include "text_phi.h"

/* The parts of "br i1 %c, label %a, label %b" and of
 * "cf.cond_br %c, ^a(%x : t), ^b": tokens. */
struct branch {
  uint32_t word;      /* br, cf.cond_br */
  uint32_t commas[2]; /* before either target */
  uint32_t end;       /* behind the second target */
};

static bool is_conditional(const struct cul_text *text, uint32_t word) {
  struct cul_bytes name = cul_text_token(text, word);
  if (strcmp(text->lang->name, "llvm") == 0)
    return cul_text_token_is(text, word, "br") &&
           cul_text_token_is(text, word + 1, "i1");
  return text->lang->dimensions && cul_bytes_end(name, "cond_br");
}

static bool find(const struct cul_text *text, uint32_t line,
                 struct branch *out) {
  const struct cul_line *l = &text->lines[line];
  uint32_t end = l->first + l->n, n = 0, i = l->first;
  if (l->n < 6 || !is_conditional(text, i))
    return false;
  out->word = i;
  while (i < end && text->tokens[i].kind != CUL_TOKEN_COMMENT) {
    uint32_t match = text->tokens[i].match;
    if (cul_text_is_char(text, i, ',')) {
      if (n < 2)
        out->commas[n] = i;
      else
        break;
      n++;
    }
    i = (match != CUL_TEXT_NONE && match > i ? match : i) + 1;
  }
  out->end = i < end ? i : end;
  return n == 2;
}

/* "OpBranchConditional %c %a %b". */
static bool is_spirv(const struct cul_text *text, uint32_t line) {
  return cul_text_is_spirv(text) && text->lines[line].n >= 4 &&
         cul_text_token_is(text, text->lines[line].first,
                           "OpBranchConditional");
}

/* "OpBranch %b" right before "%b = OpLabel". */
static bool is_jump(const struct cul_text *text, uint32_t line) {
  uint32_t i = text->lines[line].first;
  return cul_text_is_spirv(text) && text->lines[line].n >= 2 &&
         line + 1 < text->n_lines && text->lines[line + 1].n &&
         cul_text_token_is(text, i, "OpBranch") &&
         cul_text_spirv_label(text, line + 1) &&
         cul_text_same(text, i + 1, text->lines[line + 1].first);
}

static bool join(struct cul_text *text, uint32_t line) {
  return cul_text_erase_line(text, line) && cul_text_erase_line(text, line + 1);
}

/* What merges the two ways goes from the line before. */
static bool fold_spirv(struct cul_text *text, uint32_t line, uint32_t target) {
  uint32_t i = text->lines[line].first;
  if (text->lines[line].dead || !cul_text_replace(text, i, "OpBranch"))
    return false;
  cul_text_erase_token(text, i + 1);
  cul_text_erase_token(text, i + 3 - target);
  if (line && text->lines[line - 1].n &&
      cul_text_token_is(text, text->lines[line - 1].first, "OpSelectionMerge"))
    cul_text_erase_line(text, line - 1);
  return true;
}

/* detail: the line, and the target that stays. */
static void sites(struct cul_text *text, struct cul_sites *out) {
  struct branch branch;
  for (uint32_t i = 0; i < text->n_lines; i++) {
    if (is_jump(text, i))
      cul_sites_add(out, NULL, cul_text_two(i, 0), text->lines[i].n);
    for (uint32_t k = 0; (is_spirv(text, i) || find(text, i, &branch)) && k < 2;
         k++)
      cul_sites_add(out, NULL, cul_text_two(i, k), text->lines[i].n / 2);
  }
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
static void forget_edge(struct cul_text *text, uint32_t line,
                        const struct branch *b, uint32_t target) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t to[2] = {names->def[b->commas[1] - 1], names->def[b->end - 1]};
  if (to[target] != CUL_TEXT_NONE && to[0] != to[1])
    cul_text_erase_edge(
        text, cul_text_block_label(text, text->lines[line].item), to[target]);
}

static bool fold(struct cul_text *text, uint64_t detail) {
  uint32_t line = cul_text_high(detail), target = (uint32_t)detail;
  struct branch b;
  if (is_jump(text, line))
    return join(text, line);
  if (is_spirv(text, line))
    return fold_spirv(text, line, target);
  if (!find(text, line, &b) || text->lines[line].dead)
    return false;
  if (text->lang->dimensions && !rename_branch(text, b.word))
    return false;
  if (cul_text_is_llvm(text))
    forget_edge(text, line, &b, 1 - target);
  cul_text_erase_tokens(text, b.word + 1, b.commas[target] + 1);
  cul_text_erase_tokens(text, b.commas[1], target == 0 ? b.end : b.commas[1]);
  return true;
}

const struct cul_mutation cul_mutation_text_fold_branches = {
    .name = "text-fold-branches",
    .summary = "make a conditional branch go one way",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = fold},
};
