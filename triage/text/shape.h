/* The shapes of a line's start: see prefix.h. */
#ifndef CUL_TRIAGE_TEXT_SHAPE_H
#define CUL_TRIAGE_TEXT_SHAPE_H

#include "../../base/buf.h"

enum { CUL_MOST_CUTS = 14 };

/* How sure it is that a shape is a prefix and no message. */
enum cul_shape_class {
  CUL_SHAPE_WEAK,
  CUL_SHAPE_TAG,  /* ends what stands in brackets or before a bar */
  CUL_SHAPE_TIME, /* holds a time of day */
};

/* One place where a prefix may end. */
struct cul_cut {
  uint64_t shape; /* of all before it, without the blanks at its end */
  uint64_t key;   /* the same without times but with numbers: who wrote it */
  size_t at, end; /* offsets, before and behind these blanks */
  enum cul_shape_class class;
};

/* The cuts of a line, in order; returns their number. */
size_t cul_shape_cuts(struct cul_bytes line, struct cul_cut out[CUL_MOST_CUTS]);

/* The length of a time at the start of line, with its date and zone; 0 if there
 * is none. */
size_t cul_shape_time(struct cul_bytes line);

#endif
