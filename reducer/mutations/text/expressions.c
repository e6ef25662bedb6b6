/* Mutations of expressions of C and Python: make one 0, or one of its
 * operands. */
#include "../../subject/text/language/terms.h"
#include "../../subject/text/ops.h"
#include "sites.h"

/* ---- 0 ---- */

/* Add a site for tokens [first, end), without "name=" of Python, unless they
 * are as simple as 0. */
static void add_value(const struct cul_text *text, uint32_t first, uint32_t end,
                      struct cul_sites *out) {
  if (text->lang->indents && end > first + 2 &&
      cul_text_is_char(text, first + 1, '='))
    first += 2;
  if (end > first + 1 || (end > first && cul_text_is_unkeyed(text, first)))
    cul_text_add_range(first, end, out);
}

/* Add the elements of a list in brackets, except in "def f(x)" and "class
 * c(x)", which are only names. */
static void add_listed(const struct cul_text *text, uint32_t open,
                       struct cul_sites *out) {
  uint32_t first, end;
  if (cul_text_opens(text, open, '(')
          ? !(open > 1 && cul_text_is_word(text, open - 2, " def class "))
          : cul_text_opens(text, open, '[') && !text->lang->indents)
    for (uint32_t k = 0; cul_text_element(text, open, k, &first, &end); k++)
      add_value(text, first, end, out);
}

/* Add the expression after return or, in C, after '='. */
static void add_behind(const struct cul_text *text, uint32_t i,
                       struct cul_sites *out) {
  bool line = text->lang->indents;
  uint32_t end = i + 1;
  uint32_t stop = line ? cul_text_line_end(text, i) : (uint32_t)text->n_tokens;
  if (!cul_text_token_is(text, i, "return") &&
      (line || !cul_text_is_char(text, i, '=')))
    return;
  while (end < stop && (line || (!cul_text_is_any(text, end, ",;") &&
                                 text->tokens[end].kind != CUL_TOKEN_CLOSE)))
    end = cul_text_after(text, end);
  add_value(text, i + 1, end, out);
}

static void list_values(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; text->lang->keywords && i < text->n_tokens; i++) {
    add_behind(text, i, out);
    add_listed(text, i, out);
  }
}

static bool zero(struct cul_text *text, uint64_t detail) {
  uint32_t first = cul_text_high(detail);
  if (!cul_text_replace(text, first, "0"))
    return false;
  cul_text_erase_tokens(text, first + 1, (uint32_t)detail);
  return true;
}

CUL_TEXT(text_zero, .list = list_values, .edit = zero);

/* ---- operands: "a + b" becomes a or b ---- */

/* The part to keep; of the arguments of a call, the first MOST are tried, from
 * ARGUMENT on. */
enum { LEFT, RIGHT, ARGUMENT, MOST = 4 };

static void add_operator(const struct cul_text *text, uint32_t i,
                         struct cul_sites *out) {
  struct cul_text_operator o;
  if (!cul_text_operator(text, i, &o))
    return;
  cul_sites_add(out, NULL, cul_text_two(i, LEFT), o.end - i);
  cul_sites_add(out, NULL, cul_text_two(i, RIGHT), o.right - o.first);
}

static void list_operands(struct cul_text *text, struct cul_sites *out) {
  uint32_t called, first, end;
  for (uint32_t i = 0; text->lang->keywords && i < text->n_tokens; i++) {
    add_operator(text, i, out);
    for (uint32_t k = 0; k < MOST && cul_text_callee(text, i, &called); k++)
      if (cul_text_argument(text, i, k, &first, &end))
        cul_sites_add(out, NULL, cul_text_two(i, ARGUMENT + k),
                      text->tokens[i].match + 1 - called - (end - first));
  }
}

static bool keep_argument(struct cul_text *text, uint32_t open, uint32_t k) {
  uint32_t close = text->tokens[open].match, called, first, end;
  bool brackets;
  if (!cul_text_callee(text, open, &called) ||
      !cul_text_argument(text, open, k, &first, &end))
    return false;
  brackets = !cul_text_is_term(text, first, end) &&
             !cul_text_stands_alone(text, called, close + 1);
  cul_text_erase_tokens(text, open + 1, first);
  cul_text_erase_tokens(text, end, close);
  if (!brackets)
    cul_text_erase_token(text, open), cul_text_erase_token(text, close);
  return cul_text_erase_tokens(text, called, open);
}

static bool keep(struct cul_text *text, uint64_t detail) {
  uint32_t i = cul_text_high(detail), choice = (uint32_t)detail;
  struct cul_text_operator o;
  if (choice >= ARGUMENT)
    return keep_argument(text, i, choice - ARGUMENT);
  if (!cul_text_operator(text, i, &o))
    return false;
  return choice == LEFT ? cul_text_erase_tokens(text, i, o.end)
                        : cul_text_erase_tokens(text, o.first, o.right);
}

CUL_TEXT(text_operand, .list = list_operands, .edit = keep);
