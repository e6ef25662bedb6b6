/* Make functions declarations: their callers stay as they are. */
#include "text_bodies.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  uint32_t weight;
  (void)err;
  for (uint32_t i = 0; i < text->n_items; i++)
    if (cul_text_body(text, i, &weight))
      cul_sites_add(out, NULL, i, weight);
  return 0;
}

static bool drop(struct cul_text *text, uint64_t item) {
  return cul_text_drop_body(text, (uint32_t)item);
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_text_each(subject, sites, ids, n, applied, drop);
}

const struct cul_mutation cul_mutation_text_drop_bodies = {
    .name = "text-drop-bodies",
    .summary = "make functions declarations",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_SEGMENT,
    .sites = sites,
    .apply = apply,
};
