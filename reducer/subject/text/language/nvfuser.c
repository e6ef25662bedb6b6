/* Definitions of nvFuser, which are Python: see language.h.  A use of an erased
 * value is replaced by a value of the same shape; the statement is erased if
 * there is none. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../base/err.h"
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
    CUL_OWNED(cul_buf) with = {0};
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

/* ---- a text that lost its line feeds ---- */

static struct cul_bytes behind(struct cul_bytes text, const char *mark) {
  size_t n = strlen(mark);
  const char *at = memmem(text.data, text.len, mark, n);
  return at ? (struct cul_bytes){at + n,
                                 text.len - (size_t)(at + n - text.data)}
            : (struct cul_bytes){text.data + text.len, 0};
}

/* Are there two statements, with neither ";" nor a comment between them? */
static bool is_joined(struct cul_bytes line) {
  struct cul_bytes first = behind(line, "= fd."), next = behind(first, "= fd.");
  size_t between = first.len - next.len;
  return next.len && !memchr(first.data, ';', between) &&
         !memchr(first.data, '#', between);
}

static int refuse(struct cul_bytes bytes, struct cul_err *err) {
  bytes = behind(bytes, "def nvfuser_fusion");
  while (bytes.len) {
    const char *feed = memchr(bytes.data, '\n', bytes.len);
    size_t len = feed ? (size_t)(feed - bytes.data) + 1 : bytes.len;
    if (is_joined((struct cul_bytes){bytes.data, len}))
      return cul_fail(err, CUL_EUSAGE,
                      "take it from the raw log, or insert line breaks before "
                      "each \"T1 = fd.\" and \"fd.add_output\"",
                      "nvFuser's definition has lost its line breaks: several "
                      "statements are on one line");
    bytes.data += len;
    bytes.len -= len;
  }
  return 0;
}

/* ---- lines that nvFuser prints ---- */

static bool is_definition(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  if (!cul_text_token_is(text, l->first, "def"))
    return false;
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (cul_text_token_is(text, i, "FusionDefinition"))
      return true;
  return false;
}

/* Does the line belong to a definition, or to the lines that nvFuser prints
 * around it: an import, the call, the inputs?  True also for a blank line. */
static bool owns(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t first = l->first, item = l->item;
  struct cul_nvfuser_op op;
  if (!l->n || text->tokens[first].kind == CUL_TOKEN_COMMENT ||
      is_definition(text, line) || cul_text_nvfuser_op(text, line, &op))
    return true;
  while (item != CUL_TEXT_NONE && text->items[item].parent != CUL_TEXT_NONE)
    item = text->items[item].parent;
  first = item == CUL_TEXT_NONE ? first : cul_text_item_first(text, item);
  return cul_text_is_word(text, first, " import from ") ||
         cul_text_is_word(text, first, " inputs ") ||
         (cul_text_token_is(text, first, "with") &&
          cul_text_token_is(text, first + 1, "FusionDefinition")) ||
         (cul_text_token_is(text, first, "fd") &&
          cul_text_token_is(text, first + 2, "execute"));
}

/* ---- the sum of numbers ---- */

/* Larger numbers count as this one. */
enum { MOST_NUMBER = 1 << 30 };

static uint64_t sum_of(struct cul_bytes now) {
  uint64_t sum = 0, n;
  for (size_t i = 0, len; i < now.len; i += len + !len) {
    bool digits = isdigit((unsigned char)now.data[i]);
    for (len = 0;
         i + len < now.len && isalnum((unsigned char)now.data[i + len]);)
      len++;
    if (digits && cul_bytes_whole((struct cul_bytes){now.data + i, len}, &n))
      sum += n < MOST_NUMBER ? n : MOST_NUMBER;
  }
  return sum;
}

static uint64_t numbers(const struct cul_text *text) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (cul_text_is_live(text, i))
      sum += sum_of(cul_text_now(text, i));
  return sum;
}

/* ---- unused values ---- */

/* For each token that defines a value: how many tokens read the value after
 * edits. */
struct readers {
  struct cul_text *text;
  const struct cul_text_names *names;
  uint32_t *n;
};

/* Add step to the counts of the values that a replaced token names. */
static void count_words(struct readers *r, struct cul_bytes now, uint32_t at,
                        int step) {
  for (size_t i = 0, len; i < now.len; i += len + !len) {
    for (len = 0;
         i + len < now.len && isalnum((unsigned char)now.data[i + len]);)
      len++;
    if (!cul_text_is_value((struct cul_bytes){now.data + i, len}))
      continue;
    for (uint32_t d = at; d-- > 0;)
      if (r->names->def[d] == d &&
          cul_bytes_equal(cul_text_token(r->text, d),
                          (struct cul_bytes){now.data + i, len})) {
        r->n[d] += (uint32_t)step;
        break;
      }
  }
}

static void count_token(struct readers *r, uint32_t token, int step) {
  uint32_t def = r->names->def[token];
  if (cul_text_replaced(r->text, token))
    count_words(r, cul_text_now(r->text, token), token, step);
  else if (def != CUL_TEXT_NONE && def != token)
    r->n[def] += (uint32_t)step;
}

static void erase_statement(struct readers *r, uint32_t line) {
  const struct cul_line *l = &r->text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (cul_text_is_live(r->text, i))
      count_token(r, i, -1);
  cul_text_erase_line(r->text, line);
}

/* Was a result of the statement read, and is none read any more? */
static bool is_unread(const struct readers *r,
                      const struct cul_nvfuser_op *op) {
  const struct cul_text_names *names = r->names;
  bool was_read = false;
  if (op->equals == CUL_TEXT_NONE)
    return false;
  for (uint32_t i = r->text->lines[op->line].first; i < op->equals; i++) {
    if (names->def[i] != i)
      continue;
    was_read |= names->first_use[i] < names->first_use[i + 1];
    if (r->n[i])
      return false;
  }
  return was_read;
}

static void erase_dead(struct cul_text *text) {
  struct readers r = {.text = text, .names = cul_text_names(text)};
  r.n = cul_xcalloc(text->n_tokens + 1, sizeof *r.n);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (cul_text_is_live(text, i))
      count_token(&r, i, 1);
  for (uint32_t line = (uint32_t)text->n_lines; line-- > 0;) {
    struct cul_nvfuser_op op;
    if (!cul_text_is_dead(text, line) && cul_text_nvfuser_op(text, line, &op) &&
        is_unread(&r, &op))
      erase_statement(&r, line);
  }
  free(r.n);
}

/* Erase an entry of the inputs, and its lines if nothing else is on them. */
static void erase_entry(struct cul_text *text, uint32_t first, uint32_t end) {
  uint32_t line = text->tokens[first].line;
  if (text->lines[line].first == first &&
      end + 1 >= cul_text_line_end(text, end - 1))
    cul_text_erase_lines(text, line, text->tokens[end - 1].line + 1);
  else
    cul_text_erase_tokens(text, first, end + cul_text_is_char(text, end, ','));
}

/* Erase unused values; erasing an input also erases its entry of the list. */
static void finish(struct cul_text *text) {
  uint32_t open, k = 0, first, end;
  erase_dead(text);
  open = cul_text_nvfuser_inputs(text);
  for (uint32_t line = 0; open != CUL_TEXT_NONE && line < text->n_lines;
       line++) {
    struct cul_nvfuser_op op;
    if (!cul_text_nvfuser_op(text, line, &op) ||
        !cul_text_nvfuser_takes(text, &op))
      continue;
    if (cul_text_is_dead(text, line) &&
        cul_text_element(text, open, k, &first, &end))
      erase_entry(text, first, end);
    k++;
  }
}

/* ---- the check ---- */

/* Do the sizes and strides of the entry fit the shape in the input's
 * definition? A shape or entry in another form fits. */
static bool entry_fits(const struct cul_text *text, uint32_t first,
                       uint32_t end, const struct cul_nvfuser_op *op) {
  struct cul_nvfuser_entry entry;
  uint32_t shape, shape_end, n, a, b, c;
  if (!cul_text_nvfuser_argument(text, op, "shape", CUL_TEXT_NONE, &shape,
                                 &shape_end) ||
      !cul_text_opens(text, shape, '[') ||
      !cul_text_nvfuser_entry(text, first, end, &entry))
    return true;
  n = cul_text_elements(text, shape);
  if (cul_text_elements(text, entry.size) != n ||
      (entry.stride != CUL_TEXT_NONE &&
       cul_text_elements(text, entry.stride) != n))
    return false;
  for (uint32_t k = 0; k < n; k++)
    if (cul_text_element(text, shape, k, &a, &c) &&
        cul_text_element(text, entry.size, k, &b, &c) &&
        !cul_text_is_char(text, a, '-') && !cul_text_token_is(text, a, "-1") &&
        !cul_text_same(text, a, b))
      return false;
  return true;
}

/* Is this a name of the script that neither this line nor one before it imports
 * or defines? */
static bool is_missing(const struct cul_text *text, uint32_t token) {
  if (cul_text_is_char(text, token - 1, '.') ||
      !(cul_text_is_word(text, token,
                         " torch FusionDefinition DataType inputs fd ") ||
        cul_bytes_start(cul_text_token(text, token), "nvfuser_fusion")))
    return false;
  for (uint32_t line = 0; line <= text->tokens[token].line; line++) {
    const struct cul_line *l = &text->lines[line];
    bool imports = cul_text_is_word(text, l->first, " import from ");
    for (uint32_t i = l->first; i < l->first + l->n; i++)
      if (cul_text_same(text, i, token) &&
          (imports || cul_text_is_word(text, i - 1, " def as ") ||
           cul_text_is_char(text, i + 1, ':') ||
           (i == l->first && cul_text_is_char(text, i + 1, '='))))
        return false;
  }
  return true;
}

/* Is the function called, if the token is its name in the definition? */
static bool is_called(const struct cul_text *text, uint32_t token) {
  if (!cul_text_token_is(text, token - 1, "def"))
    return true;
  for (uint32_t i = token + 1; i < text->n_tokens; i++)
    if (cul_text_same(text, i, token))
      return true;
  return false;
}

/* Are there as many entries as inputs, do they fit, and is there an output? */
static bool inputs_fit(const struct cul_text *text, uint32_t *token) {
  uint32_t open = cul_text_nvfuser_inputs(text), k = 0, first, end;
  bool output = false, any = false;
  for (uint32_t line = 0; line < text->n_lines; line++) {
    struct cul_nvfuser_op op;
    if (!cul_text_nvfuser_op(text, line, &op))
      continue;
    any = true;
    *token = op.name;
    output |= cul_text_token_is(text, op.name, "add_output");
    if (open == CUL_TEXT_NONE || !cul_text_nvfuser_takes(text, &op))
      continue;
    if (!cul_text_element(text, open, k++, &first, &end) ||
        !entry_fits(text, first, end, &op))
      return false;
  }
  return (output || !any) &&
         (open == CUL_TEXT_NONE || cul_text_elements(text, open) == k);
}

/* Is each value defined, does each input have its entry, do operands fit, and
 * is there an output?  If not, *token is one of the wrong tokens. */
static bool holds(struct cul_text *text, uint32_t *token) {
  const struct cul_text_names *names = cul_text_names(text);
  *token = CUL_TEXT_NONE;
  if (!cul_text_python.holds(text, token))
    return false;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t line = text->tokens[i].line;
    struct cul_nvfuser_op op;
    if (is_missing(text, i) || !is_called(text, i) ||
        (cul_text_is_value(cul_text_token(text, i)) &&
         names->def[i] == CUL_TEXT_NONE &&
         cul_text_nvfuser_op(text, line, &op)))
      return *token = i, false;
  }
  if (!inputs_fit(text, token))
    return false;
  *token = cul_text_nvfuser_shapes(text)->wrong;
  return *token == CUL_TEXT_NONE;
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
    .finish = finish,
    .holds = holds,
    .fault = "undefined, or operands or inputs do not fit, or no Python",
    .refuse = refuse,
    .numbers = numbers,
};
