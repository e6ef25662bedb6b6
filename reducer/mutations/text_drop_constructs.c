/* SPIR-V: erase the body of a selection or a loop; its header branches to the
 * merge block.  Later uses of its values use others. */
#include <stdlib.h>

#include "../subject/text_spirv.h"
#include "text_sites.h"

/* The lines of a construct. */
struct construct {
  uint32_t merge; /* "OpSelectionMerge %b None", "OpLoopMerge %b %c None" */
  uint32_t end;   /* "%b = OpLabel" */
};

static bool find(struct cul_text *text, uint32_t line, struct construct *out) {
  uint32_t op =
      text->lines[line].n ? cul_text_spirv_op(text, line) : CUL_TEXT_NONE;
  uint32_t def;
  if (op == CUL_TEXT_NONE ||
      !cul_text_is_word(text, op, " OpSelectionMerge OpLoopMerge "))
    return false;
  def = cul_text_names(text)->def[op + 1];
  if (def == CUL_TEXT_NONE || text->tokens[def].line <= line)
    return false;
  *out = (struct construct){line, text->tokens[def].line};
  return cul_text_spirv_label(text, out->end);
}

/* Its merge and its blocks. */
static void list(struct cul_text *text, struct cul_sites *out) {
  struct construct construct;
  for (uint32_t i = 0; i < text->n_lines; i++)
    if (find(text, i, &construct))
      cul_sites_add(out, NULL, i, cul_text_count(text, i, construct.end));
}

/* Is what the line defines used where it stays? */
static bool is_used_outside(struct cul_text *text,
                            const struct construct *construct, uint32_t line) {
  uint32_t def = text->lines[line].first;
  for (uint32_t u = 0, use;
       text->lines[line].n && cul_text_use(text, def, u, &use); u++)
    if (cul_text_is_live(text, use) &&
        (text->tokens[use].line < construct->merge ||
         text->tokens[use].line >= construct->end) &&
        cul_text_spirv_target(text, text->tokens[use].line) == CUL_TEXT_NONE)
      return true;
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

/* A phi may name a block that went. */
static void replace_phi(struct cul_text *text,
                        const struct construct *construct, uint32_t line) {
  uint32_t op =
      text->lines[line].n ? cul_text_spirv_op(text, line) : CUL_TEXT_NONE;
  if (op != CUL_TEXT_NONE && cul_text_token_is(text, op, "OpPhi"))
    replace(text, construct, line);
}

/* Those at the head of the block around, from its last line up, and from the
 * line behind its label down. */
static void replace_phis(struct cul_text *text,
                         const struct construct *construct) {
  for (uint32_t i = construct->merge;
       i-- > 0 && !cul_text_spirv_label(text, i);)
    replace_phi(text, construct, i);
  for (uint32_t i = construct->end + 1;
       i < text->n_lines && !cul_text_spirv_label(text, i); i++)
    replace_phi(text, construct, i);
}

static bool drop(struct cul_text *text, uint64_t detail) {
  uint32_t line = (uint32_t)detail, label;
  struct construct construct;
  struct cul_bytes name;
  char *jump;
  if (text->lines[line].dead || !find(text, line, &construct) ||
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
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = list, .edit = drop},
};
