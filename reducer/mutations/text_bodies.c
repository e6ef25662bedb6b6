/* Functions become declarations, in languages where a declaration is known to
 * have a form (MLIR, LLVM IR) or an empty body will do (C; in SPIR-V one that
 * returns what is undefined): some, their callers stay as they are; or all but
 * a run, the first cut where functions call each other. */

#include <stdlib.h>

#include "../subject/text_names.h"
#include "../subject/text_spirv.h"
#include "text_c.h"
#include "text_sites.h"

/* C: the "{" of "name(...) const {", and of a constructor; no loop's. */
static bool opens_function(const struct cul_text *text, uint32_t brace) {
  uint32_t i = brace;
  while (cul_text_is_word(text, i - 1, " const noexcept override final "))
    i--;
  if (!i || !cul_text_is_char(text, i - 1, ')') ||
      text->tokens[i - 1].kind != CUL_TOKEN_CLOSE ||
      cul_text_directive(text, text->tokens[brace].line).len)
    return false;
  i = text->tokens[i - 1].match;
  return i &&
         (cul_text_is_any(text, i - 1, ")>") || cul_text_c_name(text, i - 1) ||
          (i > 1 && cul_text_token_is(text, i - 2, "operator")));
}

/* Of the first function on the item's own lines. */
static uint32_t body_of_c(const struct cul_text *text, uint32_t item) {
  const struct cul_text_item *it = &text->items[item];
  for (uint32_t line = it->first; line < it->end;) {
    const struct cul_line *l = &text->lines[line];
    for (uint32_t i = l->first; l->item == item && i < l->first + l->n; i++)
      if (cul_text_opens(text, i, '{') && opens_function(text, i))
        return text->tokens[i].match > i + 1 ? i : CUL_TEXT_NONE;
    line = l->item == item ? line + 1 : text->items[l->item].end;
  }
  return CUL_TEXT_NONE;
}

/* The brace that opens the body, or CUL_TEXT_NONE. */
static uint32_t body_of(const struct cul_text *text, uint32_t item) {
  uint32_t open, close, brace = CUL_TEXT_NONE;
  if (cul_text_is(text, "c"))
    return body_of_c(text, item);
  open = cul_text_header(text, text->items[item].first);
  if (open == CUL_TEXT_NONE)
    return CUL_TEXT_NONE;
  close = text->tokens[open].match;
  for (uint32_t i = close; i < cul_text_line_end(text, close); i++)
    if (cul_text_is_char(text, i, '{'))
      brace = i;
  return brace != CUL_TEXT_NONE && text->tokens[brace].match != CUL_TEXT_NONE &&
                 text->tokens[text->tokens[brace].match].line >
                     text->tokens[close].line
             ? brace
             : CUL_TEXT_NONE;
}

/* ---- SPIR-V ---- */

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

static uint32_t weigh_spirv(struct cul_text *text, uint32_t item) {
  const struct cul_text_item *it = &text->items[item];
  struct rest rest;
  uint32_t n = 0;
  if (find_rest(text, item, &rest))
    for (uint32_t line = it->first; line < it->end; line++)
      n += stays(text, &rest, line) ? 0 : text->lines[line].n;
  return n;
}

static bool drop_spirv(struct cul_text *text, uint32_t item) {
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

/* ---- */

/* Tokens of the body. */
static uint32_t weight(struct cul_text *text, uint32_t item) {
  uint32_t brace;
  if (cul_text_is(text, "spirv"))
    return weigh_spirv(text, item);
  brace = body_of(text, item);
  return brace == CUL_TEXT_NONE ? 0 : text->tokens[brace].match + 1 - brace;
}

/* "define internal" is "declare": a declaration has no such linkage. */
static void declare_llvm(struct cul_text *text, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++)
    if (cul_text_token_is(text, i, "define"))
      cul_text_replace(text, i, "declare");
    else if (cul_text_is_word(text, i,
                              " internal private linkonce linkonce_odr weak "
                              "weak_odr common appending comdat "
                              "available_externally "))
      cul_text_erase_token(text, i);
}

/* "func.func @f" is "func.func private @f". */
static void declare_mlir(struct cul_text *text, uint32_t first,
                         uint32_t symbol) {
  struct cul_bytes name = cul_text_token(text, symbol);
  bool visible = !cul_bytes_start(cul_text_token(text, first), "llvm");
  char *with = cul_xasprintf("private %.*s", (int)name.len, name.data);
  for (uint32_t i = first; i < symbol; i++) {
    if (cul_text_token_is(text, i, "public"))
      cul_text_erase_token(text, i);
    visible &= !cul_text_is_word(text, i, " private nested ");
  }
  if (visible)
    cul_text_replace(text, symbol, with);
  free(with);
}

static bool drop(struct cul_text *text, uint64_t at) {
  uint32_t item = (uint32_t)at, brace, first;
  if (cul_text_is(text, "spirv"))
    return drop_spirv(text, item);
  brace = body_of(text, item);
  if (brace != CUL_TEXT_NONE && cul_text_is(text, "c"))
    return cul_text_erase_tokens(text, brace + 1, text->tokens[brace].match);
  if (brace == CUL_TEXT_NONE ||
      !cul_text_erase_tokens(text, brace, text->tokens[brace].match + 1))
    return false;
  first = cul_text_item_first(text, item);
  if (text->lang->dimensions)
    declare_mlir(text, first,
                 cul_text_header(text, text->items[item].first) - 1);
  else
    declare_llvm(text, first, brace);
  return true;
}

const struct cul_mutation cul_mutation_text_drop_bodies = {
    .name = "text-drop-bodies",
    .summary = "make functions declarations, or empty ones",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_SEGMENT,
    CUL_TEXT_EACH(.items = weight, .edit = drop),
};

static bool keep(struct cul_text *text, const struct cul_sites *sites,
                 uint32_t first, uint32_t last) {
  bool any = false;
  for (uint32_t i = 0; i < sites->n; i++)
    if (i < first || i > last)
      any |= drop(text, sites->detail[i]);
  return any;
}

const struct cul_mutation cul_mutation_text_keep_bodies = {
    .name = "text-keep-bodies",
    .summary = "keep the bodies of a run of functions, declare the others",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    CUL_TEXT_EACH(.items = weight, .keep = keep),
};
