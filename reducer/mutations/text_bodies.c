/* Functions become declarations, in languages where a declaration is known to
 * have a form (MLIR, LLVM IR) or an empty body will do (C; in SPIR-V one that
 * returns what is undefined): some, their callers stay as they are; or all but
 * a run, the first cut where functions call each other. */

#include <string.h>

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
  uint32_t open, brace = CUL_TEXT_NONE;
  const struct cul_line *l;
  if (cul_text_is_c(text))
    return body_of_c(text, item);
  open = cul_text_header(text, text->items[item].first);
  if (open == CUL_TEXT_NONE)
    return CUL_TEXT_NONE;
  l = &text->lines[text->tokens[text->tokens[open].match].line];
  for (uint32_t i = text->tokens[open].match; i < l->first + l->n; i++)
    if (cul_text_is_char(text, i, '{'))
      brace = i;
  if (brace == CUL_TEXT_NONE || text->tokens[brace].match == CUL_TEXT_NONE ||
      text->tokens[text->tokens[brace].match].line < l - text->lines + 1u)
    return CUL_TEXT_NONE;
  return brace;
}

/* ---- SPIR-V ---- */

/* What stays of a function: its parameters, the first label, the last return,
 * and the one that defines what that returns, as lines; the token of what is to
 * be returned instead: a parameter, so that what comes in goes on.  NONE: there
 * is none. */
struct rest {
  uint32_t label, back, value, other;
};

static bool is_op(const struct cul_text *text, uint32_t line,
                  const char *words) {
  uint32_t op =
      text->lines[line].n ? cul_text_spirv_op(text, line) : CUL_TEXT_NONE;
  return op != CUL_TEXT_NONE && cul_text_is_word(text, op, words);
}

/* The returned value is a function's own where it stands behind the label. */
static void find_value(struct cul_text *text, uint32_t end, struct rest *out) {
  uint32_t use = cul_text_spirv_op(text, out->back) + 1;
  uint32_t def = cul_text_names(text)->def[use], line;
  if (def == CUL_TEXT_NONE)
    return;
  line = text->tokens[def].line;
  if (line <= out->label || line >= end ||
      cul_text_spirv_type(text, line) == CUL_TEXT_NONE)
    return;
  out->value = line;
  out->other =
      cul_text_spirv_other(text, out->label, cul_text_spirv_type(text, line));
}

static bool find_rest(struct cul_text *text, uint32_t item, struct rest *out) {
  const struct cul_text_item *it = &text->items[item];
  *out =
      (struct rest){CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE};
  if (cul_text_spirv_function(text, it->first) <= 0)
    return false;
  for (uint32_t line = it->first; line < it->end; line++) {
    if (out->label == CUL_TEXT_NONE && is_op(text, line, " OpLabel "))
      out->label = line;
    if (is_op(text, line, " OpReturn OpReturnValue "))
      out->back = line;
  }
  if (out->label == CUL_TEXT_NONE || out->back == CUL_TEXT_NONE)
    return false;
  if (is_op(text, out->back, " OpReturnValue "))
    find_value(text, it->end, out);
  return true;
}

static bool stays(const struct cul_text *text, const struct rest *rest,
                  uint32_t line) {
  return line == rest->label || line == rest->back ||
         (line == rest->value && rest->other == CUL_TEXT_NONE) ||
         is_op(text, line, " OpFunction OpFunctionParameter OpFunctionEnd ");
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
  if (cul_text_is_spirv(text))
    return weigh_spirv(text, item);
  brace = body_of(text, item);
  return brace == CUL_TEXT_NONE ? 0 : text->tokens[brace].match + 1 - brace;
}

/* "define internal" is "declare": a declaration has no such linkage. */
static void declare_llvm(struct cul_text *text, uint32_t first, uint32_t end) {
  static const char *const linkage[] = {"internal", "private",
                                        "linkonce", "linkonce_odr",
                                        "weak",     "weak_odr",
                                        "common",   "appending",
                                        "comdat",   "available_externally"};
  for (uint32_t i = first; i < end; i++) {
    if (cul_text_token_is(text, i, "define"))
      cul_text_replace(text, i, "declare");
    for (size_t k = 0; k < CUL_ARRAY_SIZE(linkage); k++)
      if (cul_text_token_is(text, i, linkage[k]))
        cul_text_erase_token(text, i);
  }
}

/* "func.func @f" is "func.func private @f". */
static void declare_mlir(struct cul_text *text, uint32_t first,
                         uint32_t symbol) {
  struct cul_bytes op = cul_text_token(text, first);
  bool visible = !cul_bytes_start(op, "llvm");
  char with[256];
  for (uint32_t i = first; i < symbol; i++) {
    if (cul_text_token_is(text, i, "public"))
      cul_text_erase_token(text, i);
    visible &= !cul_text_is_word(text, i, " private nested ");
  }
  op = cul_text_token(text, symbol);
  if (visible && op.len < 200) {
    memcpy(with, "private ", 8);
    memcpy(with + 8, op.data, op.len);
    with[8 + op.len] = '\0';
    cul_text_replace(text, symbol, with);
  }
}

static bool drop(struct cul_text *text, uint64_t at) {
  uint32_t item = (uint32_t)at, brace, first;
  if (cul_text_is_spirv(text))
    return drop_spirv(text, item);
  brace = body_of(text, item);
  if (brace != CUL_TEXT_NONE && cul_text_is_c(text))
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
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.items = weight, .edit = drop},
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
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.items = weight, .keep = keep},
};
