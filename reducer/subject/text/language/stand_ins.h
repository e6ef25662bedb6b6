/* Values that can be read instead of others of their type: operands of the
 * statement that defines these, then what was defined last before it. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_STAND_INS_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_STAND_INS_H

#include "../text.h"

/* A token that can be read instead of what token def defines, live: of those
 * that are left only; or CUL_TEXT_NONE. */
uint32_t cul_text_stand_in(struct cul_text *text, uint32_t def, bool live);

/* One result of a statement, and tokens that can be read instead: so many are
 * tried. */
enum { CUL_TEXT_STAND_INS = 4 };
struct cul_text_stand_ins {
  uint32_t def, number; /* the name's token, and %x#number of that */
  uint32_t rank;        /* among those of its type */
  uint32_t with[CUL_TEXT_STAND_INS], n;
};
struct cul_text_ways {
  struct cul_text_stand_ins *results; /* of one statement; heap */
  size_t n, cap;
};

/* In how many ways what reads the results of the item can read what was there
 * before; 0: one that is read has no other of its type.  out: overwritten. */
uint32_t cul_text_ways(struct cul_text *text, uint32_t item,
                       struct cul_text_ways *out);

#endif
