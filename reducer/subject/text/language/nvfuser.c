/* Definitions of nvFuser, which are Python: see language.h.  What read a value
 * that is gone reads one of its shape instead, and goes where there is none. */
#include "../nvfuser.h"
#include "language.h"
#include "mlir.h"
#include "stand_ins.h"

static void declarations(const struct cul_text *text,
                         struct cul_text_declarations *all) {
  cul_text_python.declarations(text, all);
}

static bool defines(const struct cul_text *text, uint32_t token) {
  return cul_text_python.defines(text, token);
}

static bool assignment(const struct cul_text *text, uint32_t item,
                       struct cul_text_assignment *out) {
  return cul_text_python.assignment(text, item, out);
}

static bool owns(const struct cul_text *text, uint32_t line) {
  return cul_nvfuser_text.owns(text, line);
}

/* ---- values ---- */

/* A tensor, scalar or vector, and its shape. */
static bool type(struct cul_text *text, uint32_t def, uint32_t number,
                 struct cul_buf *out) {
  const struct cul_nvfuser_shape *shape =
      &cul_text_nvfuser_shapes(text)->of[def];
  size_t rank = shape->rank > 0 ? (size_t)shape->rank : 0;
  (void)number;
  cul_buf_clear(out);
  cul_buf_add(out, cul_text_token(text, def).data, 1);
  cul_buf_add(out, (const char *)&shape->rank, sizeof shape->rank);
  cul_buf_add(out, (const char *)shape->dims, rank * sizeof *shape->dims);
  return true;
}

static const struct cul_text_values values = {
    .type = type, .before = 512, .always = true, .distinct = true};

/* ---- what is whole again ---- */

/* A token that reads what the erased statement defined reads one like it; with
 * none its own statement goes, and so on: they stand in order. */
static void mend(struct cul_text *text, uint32_t token) {
  const uint32_t *defs = cul_text_names(text)->def;
  uint32_t def = defs[token], other;
  if (def == CUL_TEXT_NONE || def == token || !cul_text_is_live(text, token) ||
      cul_text_is_live(text, def) || cul_text_replaced(text, token))
    return;
  /* Operands of operands that went. */
  while (!cul_text_is_live(text, def) &&
         (other = cul_text_stand_in(text, def, false)) != CUL_TEXT_NONE &&
         defs[other] < def && !cul_text_is_live(text, defs[other]))
    def = defs[other];
  other = cul_text_stand_in(text, def, true);
  if (other == CUL_TEXT_NONE)
    cul_text_erase_line(text, text->tokens[token].line);
  else
    cul_text_read_as(text, token, other);
}

static bool is_output(const struct cul_text *text, uint32_t line,
                      uint32_t *value) {
  struct cul_nvfuser_op op;
  if (cul_text_is_dead(text, line) || !cul_text_nvfuser_op(text, line, &op) ||
      !cul_text_token_is(text, op.name, "add_output"))
    return false;
  *value = op.open + 1;
  return true;
}

/* What two statements make an output of is one. */
static void erase_doubles(struct cul_text *text) {
  for (uint32_t a = 0, one, other; a < text->n_lines; a++)
    for (uint32_t b = a + 1; is_output(text, a, &one) && b < text->n_lines; b++)
      if (is_output(text, b, &other) &&
          cul_bytes_equal(cul_text_now(text, one), cul_text_now(text, other)))
        cul_text_erase_line(text, b);
}

/* Does a statement that is left read it, as it was written? */
static bool is_read(struct cul_text *text, uint32_t def) {
  for (uint32_t u = 0, use; cul_text_use(text, def, u, &use); u++)
    if (cul_text_is_live(text, use) && !cul_text_replaced(text, use))
      return true;
  return false;
}

/* Where no output is left, each tensor that nothing reads is one. */
static void add_outputs(struct cul_text *text) {
  struct cul_nvfuser_op op;
  uint32_t value;
  for (uint32_t line = 0; line < text->n_lines; line++)
    if (is_output(text, line, &value))
      return;
  for (uint32_t line = 0; line < text->n_lines; line++) {
    const struct cul_line *l = &text->lines[line];
    struct cul_buf with = {0};
    if (cul_text_is_dead(text, line) || !cul_text_nvfuser_op(text, line, &op) ||
        op.equals == CUL_TEXT_NONE || cul_text_nvfuser_takes(text, &op))
      continue;
    cul_buf_adds(&with, ")");
    for (uint32_t i = l->first; i < op.equals; i++)
      if (cul_text_starts(text, i, 'T') && !is_read(text, i))
        cul_buf_addf(&with, "\n%.*sfd.add_output(%.*s)", (int)l->indent,
                     text->bytes + l->start, (int)text->tokens[i].len,
                     cul_text_token(text, i).data);
    if (with.len > 1)
      cul_text_rewrite(text, text->tokens[op.open].match, "%s", with.data);
    cul_buf_release(&with);
  }
}

static void fix_up(struct cul_text *text) {
  if (!text->edited)
    return;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    mend(text, i);
  erase_doubles(text);
  add_outputs(text);
}

/* ---- the row ---- */

const struct cul_text_language cul_text_nvfuser = {
    .name = "nvfuser",
    .values = &values,
    .declarations = declarations,
    .defines = defines,
    .assignment = assignment,
    .owns = owns,
    .fix_up = fix_up,
};
