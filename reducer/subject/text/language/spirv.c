/* SPIR-V as text: see language.h. */
#include "../spirv.h"

#include <string.h>

#include "../../../../base/err.h"
#include "edges.h"
#include "language.h"

/* ---- instructions ---- */

/* The type of the value that the line defines: the token after the
 * instruction's name if it is a name, else CUL_TEXT_NONE. */
static uint32_t type_of(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t op = cul_text_spirv_op(text, line);
  return op != CUL_TEXT_NONE && op == l->first + 2 &&
                 op + 1 < l->first + l->n &&
                 cul_text_is_marked(text, op + 1, '%') &&
                 !cul_bytes_start(cul_text_token(text, op), "OpType")
             ? op + 1
             : CUL_TEXT_NONE;
}

/* The name that the line, outside of functions, only annotates.  CUL_TEXT_NONE:
 * the line has another effect. */
static uint32_t target_of(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t op = cul_text_spirv_op(text, line);
  if (op == CUL_TEXT_NONE || op != l->first ||
      text->items[l->item].parent != CUL_TEXT_NONE ||
      text->items[l->item].first != line)
    return CUL_TEXT_NONE;
  for (uint32_t i = op + 1; i < l->first + l->n; i++)
    if (cul_text_is_marked(text, i, '%'))
      return i;
  return CUL_TEXT_NONE;
}

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
    uint32_t other =
        cul_text_is_dead(text, i) ? CUL_TEXT_NONE : type_of(text, i);
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
    if (target_of(text, text->tokens[use].line) == CUL_TEXT_NONE)
      cul_text_rewrite(text, use, "%.*s", (int)name.len, name.data);
}

/* Is the result of the line used by a line that is not erased? */
static bool is_read(struct cul_text *text, uint32_t line) {
  uint32_t def = text->lines[line].first;
  for (uint32_t u = 0, use;
       text->lines[line].n && cul_text_use(text, def, u, &use); u++)
    if (cul_text_is_live(text, use) &&
        target_of(text, text->tokens[use].line) == CUL_TEXT_NONE)
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
  uint32_t type = type_of(text, line), other;
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

/* ---- the whole text ---- */

static bool is_gone(const struct cul_text *text,
                    const struct cul_text_names *names, uint32_t use) {
  uint32_t def = names->def[use];
  return def != CUL_TEXT_NONE && def != use && !text->tokens[use].with &&
         !cul_text_is_live(text, def);
}

/* Erase annotations of erased names, and erased names in the lists of entry
 * points. */
static void finish(struct cul_text *text) {
  const struct cul_text_names *names = cul_text_names(text);
  for (uint32_t line = 0; line < text->n_lines; line++) {
    const struct cul_line *l = &text->lines[line];
    uint32_t target =
        cul_text_is_dead(text, line) ? CUL_TEXT_NONE : target_of(text, line);
    if (target == CUL_TEXT_NONE)
      continue;
    if (is_gone(text, names, target))
      cul_text_erase_line(text, line);
    for (uint32_t i = target + 1; i < l->first + l->n; i++)
      if (cul_text_is_marked(text, i, '%') && is_gone(text, names, i))
        cul_text_erase_token(text, i);
  }
}

/* Is every used name defined, and does each function end?  If not, *token is
 * one of the wrong tokens. */
static bool holds(struct cul_text *text, uint32_t *token) {
  const struct cul_text_names *names = cul_text_names(text);
  int open = 0, kind;
  for (uint32_t line = 0; line < text->n_lines; line++) {
    const struct cul_line *l = &text->lines[line];
    *token = l->first;
    kind =
        cul_text_is_dead(text, line) ? 0 : cul_text_spirv_function(text, line);
    if (kind && !cul_text_is_live(text, cul_text_spirv_op(text, line)))
      kind = 0;
    open += kind;
    if (open < 0 || open > 1)
      return false;
    for (uint32_t i = l->first; i < l->first + l->n; i++)
      if (cul_text_is_marked(text, i, '%') && cul_text_is_live(text, i) &&
          !text->tokens[i].with &&
          (names->def[i] == CUL_TEXT_NONE || is_gone(text, names, i)))
        return *token = i, false;
  }
  return open == 0;
}

/* Does the text begin with the magic number of SPIR-V (2.3), in either byte
 * order? */
static bool is_binary(struct cul_bytes bytes) {
  return bytes.len >= 20 && (memcmp(bytes.data, "\x03\x02\x23\x07", 4) == 0 ||
                             memcmp(bytes.data, "\x07\x23\x02\x03", 4) == 0);
}

static int refuse(struct cul_bytes bytes, struct cul_err *err) {
  if (!is_binary(bytes))
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "reduce the output of spirv-dis, with a script that makes a "
                  "binary of it: spirv-as \"$1\" -o FILE",
                  "culprit edits the assembly of SPIR-V, not its binary");
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
    .finish = finish,
    .holds = holds,
    .fault = "undefined, or no end of a function",
    .refuse = refuse,
};
