/* SPIR-V assembly: see spirv.h. */
#include "spirv.h"

#include <stdlib.h>
#include <string.h>

#include "../../../base/err.h"

/* Does the text begin with the magic number of SPIR-V (2.3), in either byte
 * order? */
static bool is_binary(struct cul_bytes bytes) {
  return bytes.len >= 20 && (memcmp(bytes.data, "\x03\x02\x23\x07", 4) == 0 ||
                             memcmp(bytes.data, "\x07\x23\x02\x03", 4) == 0);
}

int cul_text_spirv_refuse(struct cul_bytes bytes, struct cul_err *err) {
  if (!is_binary(bytes))
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "reduce the output of spirv-dis, with a script that makes a "
                  "binary of it: spirv-as \"$1\" -o FILE",
                  "culprit edits the assembly of SPIR-V, not its binary");
}

/* The token that names the instruction on the line, or CUL_TEXT_NONE. */
static uint32_t op_of(const struct cul_text *text, uint32_t line) {
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
  uint32_t op = cul_text_is(text, "spirv") ? op_of(text, line) : CUL_TEXT_NONE;
  return op != CUL_TEXT_NONE && cul_text_is_word(text, op, words);
}

int cul_text_spirv_function(const struct cul_text *text, uint32_t line) {
  return cul_text_spirv_is(text, line, " OpFunction ") -
         cul_text_spirv_is(text, line, " OpFunctionEnd ");
}

bool cul_text_spirv_label(const struct cul_text *text, uint32_t line) {
  return cul_text_spirv_is(text, line, " OpLabel ");
}

uint32_t cul_text_spirv_type(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t op = op_of(text, line);
  return op != CUL_TEXT_NONE && op == l->first + 2 &&
                 op + 1 < l->first + l->n &&
                 cul_text_is_marked(text, op + 1, '%') &&
                 !cul_bytes_start(cul_text_token(text, op), "OpType")
             ? op + 1
             : CUL_TEXT_NONE;
}

uint32_t cul_text_spirv_target(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t op = op_of(text, line);
  if (op == CUL_TEXT_NONE || op != l->first ||
      text->items[l->item].parent != CUL_TEXT_NONE ||
      text->items[l->item].first != line)
    return CUL_TEXT_NONE;
  for (uint32_t i = op + 1; i < l->first + l->n; i++)
    if (cul_text_is_marked(text, i, '%'))
      return i;
  return CUL_TEXT_NONE;
}

static bool is_gone(const struct cul_text *text,
                    const struct cul_text_names *names, uint32_t use) {
  uint32_t def = names->def[use];
  return def != CUL_TEXT_NONE && def != use && !text->tokens[use].with &&
         !cul_text_is_live(text, def);
}

void cul_text_spirv_fix_up(struct cul_text *text) {
  const struct cul_text_names *names;
  if (!cul_text_is(text, "spirv") || !text->edited)
    return;
  names = cul_text_names(text);
  for (uint32_t line = 0; line < text->n_lines; line++) {
    const struct cul_line *l = &text->lines[line];
    uint32_t target = cul_text_is_dead(text, line)
                          ? CUL_TEXT_NONE
                          : cul_text_spirv_target(text, line);
    if (target == CUL_TEXT_NONE)
      continue;
    if (is_gone(text, names, target))
      cul_text_erase_line(text, line);
    for (uint32_t i = target + 1; i < l->first + l->n; i++)
      if (cul_text_is_marked(text, i, '%') && is_gone(text, names, i))
        cul_text_erase_token(text, i);
  }
}

bool cul_text_spirv_holds(struct cul_text *text, uint32_t *token) {
  const struct cul_text_names *names = cul_text_names(text);
  int open = 0, kind;
  for (uint32_t line = 0; line < text->n_lines; line++) {
    const struct cul_line *l = &text->lines[line];
    *token = l->first;
    kind =
        cul_text_is_dead(text, line) ? 0 : cul_text_spirv_function(text, line);
    if (kind && !cul_text_is_live(text, op_of(text, line)))
      kind = 0;
    open += kind;
    if (open < 0 || open > 1)
      return false;
    for (uint32_t i = l->first; i < l->first + l->n; i++)
      if (cul_text_is_marked(text, i, '%') && cul_text_is_live(text, i) &&
          !text->tokens[i].with &&
          (names->def[i] == CUL_TEXT_NONE || is_gone(text, names, i)))
        return *token = i, false;
  }
  return open == 0;
}
