/* Definitions of nvFuser, which are Python: see language.h.  A use of an erased
 * value is replaced by a value of the same shape; the statement is erased if
 * there is none. */
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

/* The type consists of the class (the first letter of the name: tensor, scalar
 * or vector) and the shape. */
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

/* ---- repairs ---- */

/* If the token uses an erased value, replace it by a value of that type, or
 * erase the statement.  The statements are in order, so erasing one is seen by
 * all later uses. */
static void fix_use(struct cul_text *text, uint32_t token) {
  const uint32_t *defs = cul_text_names(text)->def;
  uint32_t def = defs[token], other;
  if (def == CUL_TEXT_NONE || def == token || !cul_text_is_live(text, token) ||
      cul_text_is_live(text, def) || cul_text_replaced(text, token))
    return;
  /* Follow erased operands to their own operands. */
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

/* Erase statements that add an output for a second time. */
static void erase_doubles(struct cul_text *text) {
  for (uint32_t a = 0, one, other; a < text->n_lines; a++)
    for (uint32_t b = a + 1; is_output(text, a, &one) && b < text->n_lines; b++)
      if (is_output(text, b, &other) &&
          cul_bytes_equal(cul_text_now(text, one), cul_text_now(text, other)))
        cul_text_erase_line(text, b);
}

/* Does a statement that is left use the value, without a replacement? */
static bool is_read(struct cul_text *text, uint32_t def) {
  for (uint32_t u = 0, use; cul_text_use(text, def, u, &use); u++)
    if (cul_text_is_live(text, use) && !cul_text_replaced(text, use))
      return true;
  return false;
}

/* If no output is left, make each unused tensor an output. */
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
    fix_use(text, i);
  erase_doubles(text);
  add_outputs(text);
}

/* ---- the language ---- */

const struct cul_text_language cul_text_nvfuser = {
    .name = "nvfuser",
    .values = &values,
    .declarations = declarations,
    .defines = defines,
    .assignment = assignment,
    .owns = owns,
    .fix_up = fix_up,
};
