/* LLVM IR: erase the definition of a value, its uses read poison or
 * zeroinitializer, which are values of any type.  SPIR-V: its uses read what is
 * defined before it, of the same type; else the value is an OpUndef. */
#include <stdlib.h>

#include "../subject/text_spirv.h"
#include "text_phi.h"

static const char *const constants[] = {"poison", "zeroinitializer"};

/* May a definition of SPIR-V go for another value? */
static uint32_t spirv_type(const struct cul_text *text, uint32_t line) {
  uint32_t op = cul_text_spirv_op(text, line);
  return op == CUL_TEXT_NONE || cul_text_spirv_function(text, line) ||
                 cul_text_token_is(text, op, "OpFunctionParameter")
             ? CUL_TEXT_NONE
             : cul_text_spirv_type(text, line);
}

/* A definition of this type that stands outside of functions, or before the
 * line in its block, or is an argument of its function; a token, or NONE. */
static uint32_t find_other(const struct cul_text *text, uint32_t line,
                           uint32_t type) {
  uint32_t item = text->lines[line].item, block = text->items[item].parent;
  for (uint32_t i = line; i-- > 0;) {
    uint32_t other =
        text->lines[i].n ? cul_text_spirv_type(text, i) : CUL_TEXT_NONE;
    uint32_t around = text->items[text->lines[i].item].parent;
    if (other == CUL_TEXT_NONE || !cul_text_same(text, other, type) ||
        cul_text_spirv_function(text, i))
      continue;
    if (around == CUL_TEXT_NONE || around == block ||
        (block != CUL_TEXT_NONE && around == text->items[block].parent &&
         cul_text_token_is(text, cul_text_spirv_op(text, i),
                           "OpFunctionParameter")))
      return text->lines[i].first;
  }
  return CUL_TEXT_NONE;
}

static void add_spirv(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t line = text->items[i].first;
    uint32_t type =
        text->lines[line].n ? spirv_type(text, line) : CUL_TEXT_NONE;
    uint32_t end = text->lines[line].first + text->lines[line].n;
    if (type == CUL_TEXT_NONE)
      continue;
    if (find_other(text, line, type) != CUL_TEXT_NONE)
      cul_sites_add(out, NULL, cul_text_two(i, 0),
                    cul_text_item_weight(text, i));
    if (type + 1 < end)
      cul_sites_add(out, NULL, cul_text_two(i, 1), end - type - 1);
  }
}

static bool replace_spirv(struct cul_text *text, uint64_t detail) {
  uint32_t line = text->items[cul_text_high(detail)].first;
  uint32_t type = spirv_type(text, line), result = text->lines[line].first;
  uint32_t other =
      (uint32_t)detail ? CUL_TEXT_NONE : find_other(text, line, type);
  struct cul_bytes name;
  char *with;
  if ((uint32_t)detail)
    return !text->lines[line].dead &&
           cul_text_replace(text, type - 1, "OpUndef") &&
           cul_text_erase_tokens(text, type + 1, result + text->lines[line].n);
  if (other == CUL_TEXT_NONE || !cul_text_is_live(text, other) ||
      !cul_text_erase_line(text, line))
    return false;
  name = cul_text_token(text, other);
  with = cul_xstrndup(name.data, name.len);
  for (uint32_t u = 0, use; cul_text_use(text, result, u, &use); u++)
    if (cul_text_spirv_target(text, text->tokens[use].line) == CUL_TEXT_NONE)
      cul_text_replace(text, use, with);
  free(with);
  return true;
}

/* detail: the item, and which constant. */
static void sites(struct cul_text *text, struct cul_sites *out) {
  bool llvm = cul_text_is_llvm(text);
  if (cul_text_is_spirv(text))
    add_spirv(text, out);
  for (uint32_t i = 0; llvm && i < text->n_items; i++) {
    if (cul_text_only_result(text, i) == CUL_TEXT_NONE)
      continue;
    for (uint32_t k = 0; k < CUL_ARRAY_SIZE(constants); k++)
      cul_sites_add(out, NULL, cul_text_two(i, k),
                    cul_text_item_weight(text, i));
  }
}

static bool replace(struct cul_text *text, uint64_t detail) {
  uint32_t item = cul_text_high(detail), result;
  if (cul_text_is_spirv(text))
    return replace_spirv(text, detail);
  result = cul_text_only_result(text, item);
  if (!cul_text_erase_item(text, item))
    return false;
  for (uint32_t u = 0, use; cul_text_use(text, result, u, &use); u++)
    cul_text_replace(text, use, constants[(uint32_t)detail]);
  return true;
}

const struct cul_mutation cul_mutation_text_value_to_poison = {
    .name = "text-value-to-poison",
    .summary =
        "erase a definition of LLVM IR or SPIR-V, its uses read another value",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = replace},
};
