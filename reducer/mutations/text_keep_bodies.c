/* Keep the bodies of a run of functions; all others become declarations: the
 * first cut where functions call each other. */
#include "text_bodies.h"

static bool keep(struct cul_text *text, const struct cul_sites *sites,
                 uint32_t first, uint32_t last) {
  bool any = false;
  for (uint32_t i = 0; i < sites->n; i++)
    if (i < first || i > last)
      any |= cul_text_drop_body(text, sites->detail[i]);
  return any;
}

const struct cul_mutation cul_mutation_text_keep_bodies = {
    .name = "text-keep-bodies",
    .summary = "keep the bodies of a run of functions, declare the others",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.items = cul_text_body, .keep = keep},
};
