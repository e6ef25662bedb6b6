/* Erase the definition of a value; the function around gets an argument of
 * that name and type.  MLIR only: elsewhere types are not known. */
#include "../subject/text_names.h"
#include "text_mend.h"

static uint32_t weight(struct cul_text *text, uint32_t item) {
  uint32_t result = cul_text_only_result(text, item), function, open;
  struct cul_buf type = {0};
  bool fits =
      result != CUL_TEXT_NONE && cul_text_type_of(text, result, &type) &&
      cul_text_function_of(text, item, &function, &open) && function != item;
  cul_buf_release(&type);
  return fits ? cul_text_item_weight(text, item) : 0;
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  size_t applied = 0;
  for (size_t i = 0; i < n; i++)
    applied += cul_text_erase_item(text, sites->detail[ids[i]]);
  cul_text_mend_values(text);
  return applied;
}

const struct cul_mutation cul_mutation_text_value_to_argument = {
    .name = "text-value-to-argument",
    .summary = "erase a definition, the function gets an argument instead",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.items = weight, .edit_all = apply},
};
