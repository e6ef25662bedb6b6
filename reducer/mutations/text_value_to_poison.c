/* LLVM IR: erase the definition of a value, its uses read poison or
 * zeroinitializer, which are values of any type.  SPIR-V: its uses read what is
 * defined before it, of the same type; or the value is an OpUndef. */
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

/* Its uses read another value: the coarse cut, for what it was made from is
 * unused then. */
static uint32_t has_other(struct cul_text *text, uint32_t item) {
  uint32_t line = text->items[item].first;
  uint32_t type = cul_text_is_spirv(text) && text->lines[line].n
                      ? spirv_type(text, line)
                      : CUL_TEXT_NONE;
  return type != CUL_TEXT_NONE &&
                 cul_text_spirv_other(text, line, type) != CUL_TEXT_NONE
             ? cul_text_item_weight(text, item)
             : 0;
}

static bool to_other(struct cul_text *text, uint64_t item) {
  uint32_t line = text->items[item].first;
  uint32_t other = cul_text_spirv_other(text, line, spirv_type(text, line));
  if (other == CUL_TEXT_NONE || !cul_text_erase_line(text, line))
    return false;
  cul_text_spirv_forward(text, line, other);
  return true;
}

const struct cul_mutation cul_mutation_text_value_to_dominating = {
    .name = "text-value-to-dominating",
    .summary = "erase a definition of SPIR-V, its uses read another value",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.items = has_other, .edit = to_other},
};

/* ---- LLVM IR, and what is undefined in SPIR-V ---- */

static void add_spirv(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t line = text->items[i].first;
    uint32_t type =
        text->lines[line].n ? spirv_type(text, line) : CUL_TEXT_NONE;
    uint32_t end = text->lines[line].first + text->lines[line].n;
    if (type != CUL_TEXT_NONE && type + 1 < end)
      cul_sites_add(out, NULL, cul_text_two(i, 0), end - type - 1);
  }
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
    return cul_text_spirv_undefine(text, text->items[item].first);
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
        "the value that LLVM IR or SPIR-V defines is poison, zero, undefined",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = replace},
};
