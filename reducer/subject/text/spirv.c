/* SPIR-V assembly: see spirv.h. */
#include "spirv.h"

uint32_t cul_text_spirv_op(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t i = l->first, end = l->first + l->n;
  if (i + 2 < end && cul_text_is_marked(text, i, '%') &&
      cul_text_is_char(text, i + 1, '='))
    i += 2;
  return i < end && text->tokens[i].kind == CUL_TOKEN_WORD &&
                 !cul_text_is_marked(text, i, '%')
             ? i
             : CUL_TEXT_NONE;
}

bool cul_text_spirv_is(const struct cul_text *text, uint32_t line,
                       const char *words) {
  uint32_t op = cul_text_is(text, "spirv") ? cul_text_spirv_op(text, line)
                                           : CUL_TEXT_NONE;
  return op != CUL_TEXT_NONE && cul_text_is_word(text, op, words);
}

int cul_text_spirv_function(const struct cul_text *text, uint32_t line) {
  return cul_text_spirv_is(text, line, " OpFunction ") -
         cul_text_spirv_is(text, line, " OpFunctionEnd ");
}

bool cul_text_spirv_label(const struct cul_text *text, uint32_t line) {
  return cul_text_spirv_is(text, line, " OpLabel ");
}
