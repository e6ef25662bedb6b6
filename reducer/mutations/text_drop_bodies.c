/* Make functions declarations: their callers stay as they are. */
#include "text_bodies.h"

const struct cul_mutation cul_mutation_text_drop_bodies = {
    .name = "text-drop-bodies",
    .summary = "make functions declarations",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_SEGMENT,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.items = cul_text_body,
                                         .edit = cul_text_drop_body},
};
