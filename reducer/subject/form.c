/* The names of forms, and the kind of subject that each makes. */
#include <string.h>

#include "subject.h"

static const struct {
  const char *name;
  uint32_t bits;
} forms[CUL_N_FORMS] = {
    [CUL_FORM_NATIVE] = {"native", CUL_SUBJECT_NATIVE},
    [CUL_FORM_GENERIC] = {"native-generic", CUL_SUBJECT_NATIVE},
    [CUL_FORM_LLVM] = {"llvm", CUL_SUBJECT_NATIVE},
    [CUL_FORM_OPAQUE] = {"opaque", CUL_SUBJECT_OPAQUE},
    [CUL_FORM_MLIR_TEXT] = {"mlir-text", CUL_SUBJECT_MLIR_TEXT},
    [CUL_FORM_TEXT] = {"text", CUL_SUBJECT_TEXT},
};

const char *cul_form_name(enum cul_form form) { return forms[form].name; }

const char *cul_form_unit(enum cul_form form, uint64_t n) {
  if (form == CUL_FORM_TEXT)
    return n == 1 ? "token" : "tokens";
  return n == 1 ? "operation" : "operations";
}

uint32_t cul_form_bits(enum cul_form form) { return forms[form].bits; }

bool cul_form_parse(const char *name, enum cul_form *out) {
  for (int i = 0; i < CUL_N_FORMS; i++)
    if (strcmp(name, forms[i].name) == 0)
      return *out = (enum cul_form)i, true;
  return false;
}
