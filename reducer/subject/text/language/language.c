/* The table of languages: see language.h. */
#include <string.h>

#include "language.h"

static const struct cul_text_language plain = {.name = "plain"};
static const struct cul_text_language *const languages[] = {
    &cul_text_c,    &cul_text_python, &cul_text_nvfuser, &cul_text_mlir,
    &cul_text_llvm, &cul_text_spirv,  &cul_text_ptx};

const struct cul_text_language *
cul_text_language_of(const struct cul_lang *lang) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(languages); i++)
    if (strcmp(lang->name, languages[i]->name) == 0)
      return languages[i];
  return &plain;
}

int cul_text_refuse(struct cul_bytes bytes, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(languages) && rc == 0; i++)
    if (languages[i]->refuse)
      rc = languages[i]->refuse(bytes, err);
  return rc;
}
