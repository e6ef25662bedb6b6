/* Drop an argument that a function does not use (mlir-text), with the operand
 * of every call and its type: in pretty and in generic form.  Where a symbol
 * stands otherwise, nothing changes there. */
#include "../subject/text_names.h"
#include "text_mend.h"

/* The argument is one, and nothing in the body reads it. */
static bool is_unused(struct cul_text *text, uint32_t argument) {
  const struct cul_text_names *names = cul_text_names(text);
  return names->def[argument] != argument ||
         names->first_use[argument] == names->first_use[argument + 1];
}

/* detail: the item, and which argument. */
static void sites(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_function function;
  uint32_t first, end;
  for (uint32_t i = 0; i < text->n_items; i++) {
    if (!cul_text_function(text, i, &function) ||
        function.arguments == CUL_TEXT_NONE || function.symbol == CUL_TEXT_NONE)
      continue;
    for (uint32_t k = 0;
         cul_text_element(text, function.arguments, k, &first, &end); k++)
      if (is_unused(text, first))
        cul_sites_add(out, NULL, cul_text_two(i, k), end - first);
  }
}

static bool drop_element(struct cul_text *text, uint32_t open, uint32_t k) {
  uint32_t first, end;
  return cul_text_is_char(text, open, '(') &&
         text->tokens[open].match != CUL_TEXT_NONE &&
         cul_text_element(text, open, k, &first, &end) &&
         cul_text_erase_element(text, cul_text_two(first, end));
}

/* The list of types behind the last colon of a line: ": (T, U) -> V". */
static uint32_t types_of(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t end = l->first + l->n, found = CUL_TEXT_NONE;
  for (uint32_t i = l->first; i + 1 < end; i = cul_text_after(text, i))
    if (cul_text_is_char(text, i, ':') && cul_text_is_char(text, i + 1, '('))
      found = i + 1;
  return found;
}

/* "@f(%a, %b) : (T, U) -> V", "\"d.call\"(%a, %b) <{callee = @f}> : ...". */
static void drop_operand(struct cul_text *text, uint32_t use, uint32_t k) {
  uint32_t line = text->tokens[use].line, open = use + 1;
  uint32_t op = cul_text_op(text, text->lines[line].item);
  uint32_t types = types_of(text, line);
  if (op == CUL_TEXT_NONE || types == CUL_TEXT_NONE ||
      text->tokens[op].line != line)
    return;
  if (text->tokens[op].kind == CUL_TOKEN_STRING)
    open = op + 1;
  if (drop_element(text, open, k))
    drop_element(text, types, k);
}

static bool drop(struct cul_text *text, uint64_t detail) {
  const struct cul_text_names *names = cul_text_names(text);
  struct cul_text_function f;
  uint32_t k = (uint32_t)detail;
  if (!cul_text_function(text, cul_text_high(detail), &f) ||
      !drop_element(text, f.arguments, k))
    return false;
  if (f.type != CUL_TEXT_NONE)
    drop_element(text, f.type, k);
  for (uint32_t u = names->first_use[f.symbol];
       u < names->first_use[f.symbol + 1]; u++)
    drop_operand(text, names->uses[u], k);
  return true;
}

const struct cul_mutation cul_mutation_text_drop_argument = {
    .name = "text-drop-argument",
    .summary = "drop an unused argument of a function and of its calls",
    .kinds = CUL_SUBJECT_MLIR_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = drop},
};
