/* Keep the bodies of a run of functions; all others become declarations: the
 * first cut where functions call each other. */
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

/* ids: the first and the last function to keep. */
static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  bool any = false;
  (void)err;
  for (uint32_t i = 0; i < sites->n; i++)
    if (i < ids[0] || i > ids[n - 1])
      any |= cul_text_drop_body(text, (uint32_t)sites->detail[i]);
  *applied += any ? n : 0;
  return 0;
}

const struct cul_mutation cul_mutation_text_keep_bodies = {
    .name = "text-keep-bodies",
    .summary = "keep the bodies of a run of functions, declare the others",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .sites = sites,
    .apply = apply,
};
