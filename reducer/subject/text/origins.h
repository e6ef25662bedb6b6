/* Where the tokens of a text stood in the one that was opened: edits move them,
 * and each revision is parsed anew. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_ORIGINS_H
#define CUL_REDUCER_SUBJECT_TEXT_ORIGINS_H

#include "text.h"

/* What is written while a text is settled: which token begins where. */
struct cul_text_trail {
  struct cul_text_step {
    uint32_t at, token;
  } *steps;
  size_t n, cap;
};
void cul_text_trail_add(struct cul_text_trail *trail, size_t at,
                        uint32_t token);

/* Of each token of text, before it is settled; heap. */
struct cul_text_places *cul_text_places_of(const struct cul_text *text);
/* The text was written as trail says, and parsed again: its places are those of
 * before, which are taken over.  Releases the trail. */
void cul_text_places_follow(struct cul_text *text,
                            struct cul_text_places *before,
                            struct cul_text_trail *trail);
void cul_text_places_free(struct cul_text_places *places);

/* The origins of struct cul_subject_kind, for MLIR. */
void cul_text_origins(struct cul_subject *subject, struct cul_buf *out);

#endif
