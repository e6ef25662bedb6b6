/* Replacements for values by others of their type: operands of the statement
 * that defines the value, then the last definitions before that. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_STAND_INS_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_STAND_INS_H

#include "../text.h"

/* A token that can replace the value that token def defines, or CUL_TEXT_NONE.
 * live: only tokens that are not erased. */
uint32_t cul_text_stand_in(struct cul_text *text, uint32_t def, bool live);

/* One result of a statement, and tokens that can replace it; at most this many
 * are tried. */
enum { CUL_TEXT_STAND_INS = 4 };
struct cul_text_stand_ins {
  uint32_t def, number; /* the token of the name, and the number of %x#number */
  uint32_t rank;        /* among those of its type */
  uint32_t with[CUL_TEXT_STAND_INS], n;
};
struct cul_text_ways {
  struct cul_text_stand_ins *results; /* of one statement; heap */
  size_t n, cap;
};

/* The number of ways in which earlier values can replace the results of the
 * item; 0: a result that is used has no replacement of its type.  out:
 * overwritten. */
uint32_t cul_text_ways(struct cul_text *text, uint32_t item,
                       struct cul_text_ways *out);

#endif
