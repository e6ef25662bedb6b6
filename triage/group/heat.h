/* Shows where the numbers of a mismatch differ, from the text of its log. */
#ifndef CUL_TRIAGE_GROUP_HEAT_H
#define CUL_TRIAGE_GROUP_HEAT_H

#include "../../base/buf.h"

/* The part of a log that prints both sides, in one of these forms: "expected:"
 * and "actual:" of IREE's tools, the two arrays of numpy, "[5] actual=1,
 * expected=2" under "shape=(2, 8)".  Empty if there is none, or if it is longer
 * than 64 KiB; borrowed. */
struct cul_bytes cul_heat_find(struct cul_bytes text);
/* Append that part as an image (SVG), and in words.  False if it cannot be
 * read, or if the two shapes differ. */
bool cul_heat_draw(struct cul_bytes part, struct cul_buf *svg,
                   struct cul_buf *words);

#endif
