/* The table of languages: see language.h. */
#include "language.h"

static const struct cul_text_language plain = {.name = "plain"};

const struct cul_text_language *cul_text_language(const struct cul_text *text) {
  static const struct cul_text_language *const languages[] = {
      &cul_text_c,    &cul_text_python, &cul_text_nvfuser, &cul_text_mlir,
      &cul_text_llvm, &cul_text_spirv,  &cul_text_ptx};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(languages); i++)
    if (cul_text_is(text, languages[i]->name))
      return languages[i];
  return &plain;
}
