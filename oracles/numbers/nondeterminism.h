/* How the outputs of equal runs differ: in order, names, numbers or text. */
#ifndef CUL_ORACLES_NUMBERS_NONDETERMINISM_H
#define CUL_ORACLES_NUMBERS_NONDETERMINISM_H

#include "../../base/buf.h"

enum cul_varied {
  CUL_VARIED_NOT,     /* they are equal */
  CUL_VARIED_ORDER,   /* the same lines in another order */
  CUL_VARIED_NAMES,   /* the same except names, which are renamed one to one */
  CUL_VARIED_NUMBERS, /* the same except numbers */
  CUL_VARIED_TEXT,    /* different in another way, or in several ways */
  CUL_VARIED_FILES,   /* other files were written */
};

/* Names are words that hold a letter or begin with one of % @ # ! ^ (%12, @f,
 * ^bb3); numbers are decimal, floating point and hexadecimal (0x...). */
enum cul_varied cul_varied_texts(struct cul_bytes a, struct cul_bytes b);

/* The i-th expression of the value of --ignore: "addresses", "times",
 * "addresses,times" or an expression; NULL after the last. */
const char *cul_varied_ignored(const char *ignore, size_t i);

#endif
