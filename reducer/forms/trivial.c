/* The smallest legal subjects of a form: see trivial.h. */
#include "trivial.h"

#include <string.h>

/* In the order in which they are tried.  needs: the text is used only if the
 * input contains this, because the tool may not know other dialects. */
struct trivial {
  enum cul_form form;
  const char *needs, *text;
};

static const struct trivial trivials[] = {
    {CUL_FORM_NATIVE, NULL, "module {\n}\n"},
    {CUL_FORM_NATIVE, "func.func",
     "module {\n  func.func @f() {\n    return\n  }\n}\n"},
    {CUL_FORM_NATIVE, "gpu.func",
     "module {\n  gpu.module @m {\n    gpu.func @f() kernel {\n"
     "      gpu.return\n    }\n  }\n}\n"},
    {CUL_FORM_GENERIC, NULL, "\"builtin.module\"() ({\n}) : () -> ()\n"},
    {CUL_FORM_LLVM, NULL, "\n"},
    {CUL_FORM_OPAQUE, NULL, "\"builtin.module\"() ({\n}) : () -> ()\n"},
    {CUL_FORM_OPAQUE, "func.func",
     "\"builtin.module\"() ({\n  \"func.func\"() <{function_type = () -> (), "
     "sym_name = \"f\"}> ({\n    \"func.return\"() : () -> ()\n  }) : () -> "
     "()\n}) : () -> ()\n"},
    {CUL_FORM_MLIR_TEXT, NULL, "module {\n}\n"},
    {CUL_FORM_MLIR_TEXT, "func.func",
     "module {\n  func.func @f() {\n    return\n  }\n}\n"},
    {CUL_FORM_MLIR_TEXT, "tt.func",
     "module {\n  tt.func @f() {\n    tt.return\n  }\n}\n"},
    {CUL_FORM_TEXT, NULL, "\n"},
};

size_t cul_trivial_texts(const struct cul_target *target, enum cul_form form,
                         struct cul_buf texts[CUL_MAX_TRIVIAL]) {
  size_t n = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(trivials); i++) {
    const struct trivial *t = &trivials[i];
    if (t->form != form || (t->needs && !memmem(target->subject.text.bytes.data,
                                                target->subject.text.bytes.len,
                                                t->needs, strlen(t->needs))))
      continue;
    if (n == CUL_MAX_TRIVIAL)
      cul_bug("more trivial subjects than %d", CUL_MAX_TRIVIAL);
    cul_buf_adds(&texts[n], t->text);
    cul_target_add_section(target, &texts[n++]);
  }
  return n;
}
