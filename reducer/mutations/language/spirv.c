/* SPIR-V as text: see language.h. */
#include "../../subject/text/spirv.h"

#include <stdlib.h>

#include "language.h"

/* ---- values ---- */

/* What the line defines is an OpUndef of its type from now on; whether that
 * changed anything: not what has no type. */
static bool undefine_line(struct cul_text *text, uint32_t line) {
  uint32_t type = cul_text_spirv_type(text, line);
  const struct cul_line *l = &text->lines[line];
  if (type == CUL_TEXT_NONE || l->dead ||
      !cul_text_replace(text, type - 1, "OpUndef"))
    return false;
  cul_text_erase_tokens(text, type + 1, l->first + l->n);
  return true;
}

/* A definition of the type that token `type` names, which is there wherever the
 * erased line was: outside of functions, before it in its block, or an argument
 * of its function; its token, or CUL_TEXT_NONE.  The last before it: of more,
 * those of the function are likelier to be what the value was made from. */
static uint32_t find_other(const struct cul_text *text, uint32_t line,
                           uint32_t type) {
  uint32_t block;
  while (line > 0 && text->lines[line].dead)
    line--;
  block = text->items[text->lines[line].item].parent;
  for (uint32_t i = line + 1; i-- > 0;) {
    uint32_t other =
        text->lines[i].dead ? CUL_TEXT_NONE : cul_text_spirv_type(text, i);
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

/* Who used what the line defines uses what the token `other` names. */
static void forward(struct cul_text *text, uint32_t line, uint32_t other) {
  struct cul_bytes name = cul_text_token(text, other);
  char *with = cul_bytes_copy(name);
  for (uint32_t u = 0, use;
       cul_text_use(text, text->lines[line].first, u, &use); u++)
    if (cul_text_spirv_target(text, text->tokens[use].line) == CUL_TEXT_NONE)
      cul_text_rewrite(text, use, with);
  free(with);
}

/* Is what the line defines read where it stays? */
static bool is_read(struct cul_text *text, uint32_t line) {
  uint32_t def = text->lines[line].first;
  for (uint32_t u = 0, use;
       text->lines[line].n && cul_text_use(text, def, u, &use); u++)
    if (cul_text_is_live(text, use) &&
        cul_text_spirv_target(text, text->tokens[use].line) == CUL_TEXT_NONE)
      return true;
  return false;
}

/* Who reads what the erased line defined reads what is there before it; where
 * there is nothing of its type, it is undefined instead. */
static void mend(struct cul_text *text, uint32_t line) {
  uint32_t type = cul_text_spirv_type(text, line), other;
  if (type == CUL_TEXT_NONE || !text->lines[line].dead ||
      !is_read(text, line) || cul_text_spirv_function(text, line))
    return;
  other = find_other(text, line, type);
  if (other != CUL_TEXT_NONE) {
    forward(text, line, other);
    return;
  }
  text->lines[line].dead = false;
  undefine_line(text, line);
}

/* ---- bodies ---- */

/* Its parameters, the first label and the last return stay, as lines; what is
 * returned is a parameter, where one is of its type: what comes in goes on. */
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
static uint32_t branch(const struct cul_text *text, uint32_t line,
                       struct cul_text_branch *out) {
  out->word = text->lines[line].first;
  return is_jump(text, line) ? 1
         : text->lines[line].n >= 4 &&
                 cul_text_token_is(text, out->word, "OpBranchConditional")
             ? 2
             : 0;
}

/* What merges the two ways goes from the line before. */
static bool fold(struct cul_text *text, const struct cul_text_branch *branch,
                 uint32_t target) {
  uint32_t i = branch->word, line = text->tokens[i].line;
  if (is_jump(text, line))
    return cul_text_erase_line(text, line) &&
           cul_text_erase_line(text, line + 1);
  if (!cul_text_replace(text, i, "OpBranch"))
    return false;
  cul_text_erase_token(text, i + 1);
  cul_text_erase_token(text, i + 3 - target);
  if (line && cul_text_spirv_is(text, line - 1, " OpSelectionMerge "))
    cul_text_erase_line(text, line - 1);
  return true;
}

static void fix_up(struct cul_text *text) {
  for (uint32_t line = 0; line < text->n_lines; line++)
    mend(text, line);
}

const struct cul_text_language cul_text_spirv = {
    .name = "spirv",
    .fix_up = fix_up,
    .weigh_body = weigh_body,
    .drop_body = drop_body,
    .branch = branch,
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

/* A phi may name a block that went: those at the head of the block around, from
 * its last line up, and from the line behind its label down. */
static void drop_phis(struct cul_text *text,
                      const struct construct *construct) {
  for (uint32_t i = construct->merge;
       i-- > 0 && !cul_text_spirv_label(text, i);)
    if (cul_text_spirv_is(text, i, " OpPhi "))
      cul_text_erase_line(text, i);
  for (uint32_t i = construct->end + 1;
       i < text->n_lines && !cul_text_spirv_label(text, i); i++)
    if (cul_text_spirv_is(text, i, " OpPhi "))
      cul_text_erase_line(text, i);
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
  cul_text_erase_lines(text, line, construct.end);
  drop_phis(text, &construct);
  return true;
}

const struct cul_text_each cul_mutation_text_drop_constructs = {
    .list = list_constructs, .edit = drop_construct, .fixes = true};
