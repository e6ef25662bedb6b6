/* SPIR-V as text: see language.h. */
#include "../spirv.h"

#include "edges.h"
#include "language.h"

/* ---- values ---- */

/* A value of the type that token `type` names which is available at the erased
 * line: defined outside functions, or before the line in its block, or a
 * parameter of its function.  Returns its token or CUL_TEXT_NONE.  The last one
 * is chosen, because values of the function are more likely to be operands from
 * which the erased value was computed. */
static uint32_t find_other(const struct cul_text *text, uint32_t line,
                           uint32_t type) {
  uint32_t block;
  while (line > 0 && cul_text_is_dead(text, line))
    line--;
  block = text->items[text->lines[line].item].parent;
  for (uint32_t i = line + 1; i-- > 0;) {
    uint32_t other = cul_text_is_dead(text, i) ? CUL_TEXT_NONE
                                               : cul_text_spirv_type(text, i);
    uint32_t around = text->items[text->lines[i].item].parent;
    if (other == CUL_TEXT_NONE || !cul_text_same(text, other, type) ||
        cul_text_spirv_function(text, i))
      continue;
    if (around == CUL_TEXT_NONE || around == block ||
        (block != CUL_TEXT_NONE && around == text->items[block].parent &&
         cul_text_spirv_is(text, i, " OpFunctionParameter ")))
      return text->lines[i].first;
  }
  return CUL_TEXT_NONE;
}

/* Replace the uses of the result of the line by the name at token `other`. */
static void forward(struct cul_text *text, uint32_t line, uint32_t other) {
  struct cul_bytes name = cul_text_token(text, other);
  for (uint32_t u = 0, use;
       cul_text_use(text, text->lines[line].first, u, &use); u++)
    if (cul_text_spirv_target(text, text->tokens[use].line) == CUL_TEXT_NONE)
      cul_text_rewrite(text, use, "%.*s", (int)name.len, name.data);
}

/* Is the result of the line used by a line that is not erased? */
static bool is_read(struct cul_text *text, uint32_t line) {
  uint32_t def = text->lines[line].first;
  for (uint32_t u = 0, use;
       text->lines[line].n && cul_text_use(text, def, u, &use); u++)
    if (cul_text_is_live(text, use) &&
        cul_text_spirv_target(text, text->tokens[use].line) == CUL_TEXT_NONE)
      return true;
  return false;
}

/* Define the result as "%name = OpUndef %type" before the functions, where all
 * of them can use it.  Returns a token of the name, or CUL_TEXT_NONE. */
static uint32_t undefine(struct cul_text *text, uint32_t line, uint32_t type) {
  uint32_t name = text->lines[line].first, at = 0;
  struct cul_bytes now, what = cul_text_token(text, type);
  while (at < text->n_lines &&
         (cul_text_is_dead(text, at) || cul_text_spirv_function(text, at) <= 0))
    at++;
  if (at == text->n_lines)
    return CUL_TEXT_NONE;
  now = cul_text_now(text, text->lines[at].first);
  cul_text_rewrite(text, text->lines[at].first, "%.*s = OpUndef %.*s\n%.*s",
                   (int)text->tokens[name].len, cul_text_token(text, name).data,
                   (int)what.len, what.data, (int)now.len, now.data);
  return name;
}

/* Replace the uses of the result of an erased line by another value of its
 * type, or make the result undefined if there is none. */
static void fix_uses(struct cul_text *text, uint32_t line) {
  uint32_t type = cul_text_spirv_type(text, line), other;
  if (type == CUL_TEXT_NONE || !cul_text_is_dead(text, line) ||
      !is_read(text, line) || cul_text_spirv_function(text, line))
    return;
  other = find_other(text, line, type);
  if (other == CUL_TEXT_NONE)
    other = undefine(text, line, type);
  if (other != CUL_TEXT_NONE)
    forward(text, line, other);
}

/* ---- bodies ---- */

/* A function without body keeps its parameters, its first label and its last
 * return (these lines).  The returned value becomes a parameter of that type,
 * if there is one (find_other). */
struct rest {
  uint32_t label, back;
};

static bool find_rest(const struct cul_text *text, uint32_t item,
                      struct rest *out) {
  const struct cul_text_item *it = &text->items[item];
  *out = (struct rest){CUL_TEXT_NONE, CUL_TEXT_NONE};
  if (cul_text_spirv_function(text, it->first) <= 0)
    return false;
  for (uint32_t line = it->first; line < it->end; line++)
    if (cul_text_spirv_label(text, line) && out->label == CUL_TEXT_NONE)
      out->label = line;
    else if (cul_text_spirv_is(text, line, " OpReturn OpReturnValue "))
      out->back = line;
  return out->label != CUL_TEXT_NONE && out->back != CUL_TEXT_NONE;
}

static bool stays(const struct cul_text *text, const struct rest *rest,
                  uint32_t line) {
  return line == rest->label || line == rest->back ||
         cul_text_spirv_is(text, line,
                           " OpFunction OpFunctionParameter OpFunctionEnd ");
}

static uint32_t body(struct cul_text *text, uint32_t item, bool drop) {
  const struct cul_text_item *it = &text->items[item];
  struct rest rest;
  uint32_t n = 0;
  bool any = !drop;
  if (!find_rest(text, item, &rest))
    return 0;
  for (uint32_t line = it->first; line < it->end; line++)
    if (!stays(text, &rest, line)) {
      n += text->lines[line].n;
      any |= drop && cul_text_erase_line(text, line);
    }
  return any ? n : 0;
}

/* ---- the language ---- */

static void fix_up(struct cul_text *text) {
  cul_text_fix_up_edges(text);
  for (uint32_t line = 0; line < text->n_lines; line++)
    fix_uses(text, line);
}

static const struct cul_text_edges edges = {
    .branches = {"OpBranch", "OpBranchConditional", "OpSwitch"},
    .condition = "Conditional",
    .unreachable = "OpUnreachable",
    .merges = " OpSelectionMerge OpLoopMerge ",
    .phis = " OpPhi "};

const struct cul_text_language cul_text_spirv = {
    .name = "spirv",
    .edges = &edges,
    .body = body,
    .fix_up = fix_up,
};
