/* What the text mutations of C, C++ and CUDA share. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_C_H
#define CUL_REDUCER_MUTATIONS_TEXT_C_H

#include "text_sites.h"

/* For cul_text_is_word: words of types, and those before the name of one. */
#define CUL_TEXT_C_TYPES                                                       \
  " auto bool char const double float int long short signed unsigned "
#define CUL_TEXT_C_TAGS " struct class union enum "

/* The token is a word and no keyword: it may be a name. */
bool cul_text_c_name(const struct cul_text *text, uint32_t token);

#endif
