/* Definitions of nvFuser, which are Python: see language.h.  What read a value
 * that is gone reads one of its shape instead, and goes where there is none. */
#include <stdlib.h>
#include <string.h>

#include "../../subject/text/nvfuser.h"
#include "language.h"

static void declarations(const struct cul_text *text,
                         struct cul_text_declarations *all) {
  cul_text_python.declarations(text, all);
}

static bool defines(const struct cul_text *text, uint32_t token) {
  return cul_text_python.defines(text, token);
}

static bool owns(const struct cul_text *text, uint32_t line) {
  return cul_nvfuser_text.owns(text, line);
}

/* ---- values of one shape ---- */

/* Values of which each other's place may be taken. */
struct values {
  struct cul_text *text;
  const struct cul_text_names *names;
  struct cul_nvfuser_shapes shapes;
};

static struct values values_of(struct cul_text *text) {
  struct values v = {.text = text, .names = cul_text_names(text)};
  cul_text_nvfuser_shapes(text, &v.shapes);
  return v;
}

static bool are_like(const struct values *v, uint32_t a, uint32_t b) {
  const struct cul_nvfuser_shape *x = &v->shapes.of[a], *y = &v->shapes.of[b];
  return cul_text_token(v->text, a).data[0] ==
             cul_text_token(v->text, b).data[0] &&
         x->rank == y->rank &&
         (x->rank <= 0 ||
          memcmp(x->dims, y->dims, (size_t)x->rank * sizeof *x->dims) == 0);
}

/* How far back a value is looked for that is no operand. */
enum { MOST_BEFORE = 4096 };

/* Values that can stand in, distinct ones. */
struct like {
  const struct values *v;
  uint32_t def;
  bool live; /* of those that are left only */
  uint32_t *with, n, most;
};

static void try_like(struct like *l, uint32_t other) {
  if (other == CUL_TEXT_NONE || l->n == l->most ||
      !are_like(l->v, other, l->def) ||
      (l->live && !cul_text_is_live(l->v->text, other)))
    return;
  for (uint32_t k = 0; k < l->n; k++)
    if (l->with[k] == other)
      return;
  l->with[l->n++] = other;
}

/* The values that can stand in for what token def defines: operands of its
 * statement, then the last one before it.  live: of those that are left only.
 * How many. */
static uint32_t find_like(const struct values *v, uint32_t def, bool live,
                          uint32_t *with, uint32_t most) {
  const struct cul_line *line = &v->text->lines[v->text->tokens[def].line];
  struct like l = {.v = v, .def = def, .live = live, .with = with};
  uint32_t operands;
  l.most = most - 1;
  for (uint32_t i = line->first; i < line->first + line->n; i++)
    if (v->names->def[i] != i)
      try_like(&l, v->names->def[i]);
  l.most = most;
  operands = l.n;
  for (uint32_t i = line->first, seen = 0;
       i-- > 0 && l.n == operands && seen < MOST_BEFORE; seen++)
    if (v->names->def[i] == i)
      try_like(&l, i);
  return l.n;
}

/* ---- stand-ins ---- */

static uint32_t stand_ins(struct cul_text *text, uint32_t item,
                          struct cul_text_results *results) {
  struct cul_nvfuser_op op;
  struct values v;
  uint32_t ways = 0;
  bool ok = true;
  results->n = 0;
  if (!cul_text_nvfuser_op(text, text->items[item].first, &op) ||
      op.equals == CUL_TEXT_NONE)
    return 0;
  v = values_of(text);
  for (uint32_t i = text->lines[op.line].first; i < op.equals; i++) {
    struct cul_text_result *result;
    if (v.names->def[i] != i || results->n == CUL_TEXT_RESULTS)
      continue;
    result = cul_text_add_result(results, i, 0);
    result->n = find_like(&v, i, false, result->with, CUL_TEXT_STAND_INS);
    ok &= result->n || v.names->first_use[i] == v.names->first_use[i + 1];
    ways = result->n > ways ? result->n : ways;
  }
  cul_text_nvfuser_shapes_release(&v.shapes);
  return ok ? ways : 0;
}

/* ---- what is whole again ---- */

/* A token that reads what the erased statement defined reads one like it; with
 * none its own statement goes, and so on: they stand in order. */
static void mend(const struct values *v, uint32_t token) {
  struct cul_text *text = v->text;
  enum { MOST = 2 };
  uint32_t def = v->names->def[token], other[MOST];
  char *name;
  if (def == CUL_TEXT_NONE || def == token || !cul_text_is_live(text, token) ||
      cul_text_is_live(text, def) || cul_text_replaced(text, token))
    return;
  /* Operands of operands that went. */
  while (!cul_text_is_live(text, def) &&
         find_like(v, def, false, other, MOST) && other[0] < def &&
         !cul_text_is_live(text, other[0]))
    def = other[0];
  if (!find_like(v, def, true, other, MOST)) {
    cul_text_erase_line(text, text->tokens[token].line);
    return;
  }
  name = cul_bytes_copy(cul_text_token(text, other[0]));
  cul_text_replace(text, token, name);
  free(name);
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
static bool is_read(const struct values *v, uint32_t def) {
  for (uint32_t u = 0, use; cul_text_use(v->text, def, u, &use); u++)
    if (cul_text_is_live(v->text, use) && !cul_text_replaced(v->text, use))
      return true;
  return false;
}

/* Where no output is left, each tensor that nothing reads is one. */
static void add_outputs(const struct values *v) {
  struct cul_text *text = v->text;
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
      if (cul_text_starts(text, i, 'T') && !is_read(v, i))
        cul_buf_addf(&with, "\n%.*sfd.add_output(%.*s)", (int)l->indent,
                     text->bytes + l->start, (int)text->tokens[i].len,
                     cul_text_token(text, i).data);
    if (with.len > 1)
      cul_text_rewrite(text, text->tokens[op.open].match, with.data);
    cul_buf_release(&with);
  }
}

static void fix_up(struct cul_text *text) {
  struct values v;
  if (!text->edited)
    return;
  v = values_of(text);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    mend(&v, i);
  erase_doubles(text);
  add_outputs(&v);
  cul_text_nvfuser_shapes_release(&v.shapes);
}

/* ---- the row ---- */

const struct cul_text_language cul_text_nvfuser = {
    .name = "nvfuser",
    .declarations = declarations,
    .defines = defines,
    .stand_ins = stand_ins,
    .owns = owns,
    .fix_up = fix_up,
};
