/* SPIR-V as text: see text_language.h. */
#include "../subject/text_spirv.h"

#include <stdlib.h>

#include "text_language.h"

/* ---- bodies ---- */

/* What stays of a function: its parameters, the first label, the last return,
 * and the one that defines what that returns, as lines; the token of what is to
 * be returned instead: a parameter, so that what comes in goes on.  NONE: there
 * is none. */
struct rest {
  uint32_t label, back, value, other;
};

/* The returned value is a function's own where it stands behind the label. */
static void find_value(struct cul_text *text, uint32_t end, struct rest *out) {
  uint32_t use = cul_text_spirv_op(text, out->back) + 1;
  uint32_t def = cul_text_names(text)->def[use], line, type;
  if (def == CUL_TEXT_NONE)
    return;
  line = text->tokens[def].line;
  type = cul_text_spirv_type(text, line);
  if (line <= out->label || line >= end || type == CUL_TEXT_NONE)
    return;
  out->value = line;
  out->other = cul_text_spirv_other(text, out->label, type);
}

static bool find_rest(struct cul_text *text, uint32_t item, struct rest *out) {
  const struct cul_text_item *it = &text->items[item];
  *out =
      (struct rest){CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE};
  if (cul_text_spirv_function(text, it->first) <= 0)
    return false;
  for (uint32_t line = it->first; line < it->end; line++)
    if (cul_text_spirv_label(text, line) && out->label == CUL_TEXT_NONE)
      out->label = line;
    else if (cul_text_spirv_is(text, line, " OpReturn OpReturnValue "))
      out->back = line;
  if (out->label == CUL_TEXT_NONE || out->back == CUL_TEXT_NONE)
    return false;
  if (cul_text_spirv_is(text, out->back, " OpReturnValue "))
    find_value(text, it->end, out);
  return true;
}

static bool stays(const struct cul_text *text, const struct rest *rest,
                  uint32_t line) {
  return line == rest->label || line == rest->back ||
         (line == rest->value && rest->other == CUL_TEXT_NONE) ||
         cul_text_spirv_is(text, line,
                           " OpFunction OpFunctionParameter OpFunctionEnd ");
}

static uint32_t weigh_body(struct cul_text *text, uint32_t item) {
  const struct cul_text_item *it = &text->items[item];
  struct rest rest;
  uint32_t n = 0;
  if (find_rest(text, item, &rest))
    for (uint32_t line = it->first; line < it->end; line++)
      n += stays(text, &rest, line) ? 0 : text->lines[line].n;
  return n;
}

static bool drop_body(struct cul_text *text, uint32_t item) {
  const struct cul_text_item *it = &text->items[item];
  struct rest rest;
  bool any = false;
  if (!find_rest(text, item, &rest))
    return false;
  for (uint32_t line = it->first; line < it->end; line++)
    any |= !stays(text, &rest, line) && cul_text_erase_line(text, line);
  if (any && rest.other != CUL_TEXT_NONE)
    cul_text_spirv_forward(text, rest.value, rest.other);
  else if (any && rest.value != CUL_TEXT_NONE)
    cul_text_spirv_undefine(text, rest.value);
  return any;
}

/* ---- branches ---- */

/* "OpBranch %b" right before "%b = OpLabel": both go. */
static bool is_jump(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  return l->n >= 2 && cul_text_token_is(text, l->first, "OpBranch") &&
         line + 1 < text->n_lines && cul_text_spirv_label(text, line + 1) &&
         cul_text_same(text, l->first + 1, l[1].first);
}

/* "OpBranchConditional %c %a %b". */
static uint32_t branches(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  bool two =
      l->n >= 4 && cul_text_token_is(text, l->first, "OpBranchConditional");
  return two ? 2 : is_jump(text, line) ? 1 : 0;
}

/* What merges the two ways goes from the line before. */
static bool fold(struct cul_text *text, uint32_t line, uint32_t target) {
  uint32_t i = text->lines[line].first;
  if (is_jump(text, line))
    return cul_text_erase_line(text, line) &&
           cul_text_erase_line(text, line + 1);
  if (text->lines[line].dead || !cul_text_replace(text, i, "OpBranch"))
    return false;
  cul_text_erase_token(text, i + 1);
  cul_text_erase_token(text, i + 3 - target);
  if (line && cul_text_spirv_is(text, line - 1, " OpSelectionMerge "))
    cul_text_erase_line(text, line - 1);
  return true;
}

const struct cul_text_language cul_text_spirv = {
    .name = "spirv",
    .weigh_body = weigh_body,
    .drop_body = drop_body,
    .branches = branches,
    .fold = fold,
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
