/* LLVM IR: erase the definition of a value, its uses read poison or
 * zeroinitializer, which are values of any type. */
#include "text_phi.h"

static const char *const constants[] = {"poison", "zeroinitializer"};

/* detail: the item, and which constant. */
static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_settled(subject);
  bool llvm = cul_text_is_llvm(text);
  (void)err;
  for (uint32_t i = 0; llvm && i < text->n_items; i++) {
    if (cul_text_only_result(text, i) == CUL_TEXT_NONE)
      continue;
    for (uint32_t k = 0; k < CUL_ARRAY_SIZE(constants); k++)
      cul_sites_add(out, NULL, cul_text_two(i, k),
                    cul_text_item_weight(text, i));
  }
  return 0;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  const struct cul_text_names *names = cul_text_names(text);
  (void)err;
  for (size_t i = 0; i < n; i++) {
    uint32_t item = (uint32_t)(sites->detail[ids[i]] >> 32);
    uint32_t result = cul_text_only_result(text, item);
    if (!cul_text_erase_item(text, item))
      continue;
    for (uint32_t u = names->first_use[result];
         u < names->first_use[result + 1]; u++)
      cul_text_replace(text, names->uses[u],
                       constants[(uint32_t)sites->detail[ids[i]]]);
    ++*applied;
  }
  return 0;
}

const struct cul_mutation cul_mutation_text_value_to_poison = {
    .name = "text-value-to-poison",
    .summary = "erase a definition of LLVM IR, its uses read a constant",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
