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

const struct cul_text_each cul_mutation_text_zero = {.list = list_values,
                                                     .edit = zero};

/* ---- operands: "a + b" becomes a or b ---- */

/* The part to keep; of the arguments of a call, the first MOST are tried, from
 * ARGUMENT on. */
enum { LEFT, RIGHT, ARGUMENT, MOST = 4 };

/* How closely an operator binds; 0: none. */
static uint32_t binds(const struct cul_text *text, uint32_t i) {
  static const char *const levels[] = {
      " or || ", " and && ", " in is < > <= >= == != ", " | ", " ^ ", " & ",
      " + - ",   " * / % @ "};
  uint32_t k = CUL_ARRAY_SIZE(levels);
  if (text->tokens[i].len > 3 || text->tokens[i].kind == CUL_TOKEN_OPEN ||
      text->tokens[i].kind == CUL_TOKEN_CLOSE)
    return 0;
  while (k && !cul_text_is_word(text, i, levels[k - 1]))
    k--;
  return k;
}

static bool ends_operand(const struct cul_text *text, uint32_t i) {
  uint8_t kind = text->tokens[i].kind;
  return kind == CUL_TOKEN_NUMBER || kind == CUL_TOKEN_STRING ||
         kind == CUL_TOKEN_CLOSE ||
         (kind == CUL_TOKEN_WORD && !cul_text_is_keyword(text, i));
}

static bool same_line(const struct cul_text *text, uint32_t a, uint32_t b) {
  return b < text->n_tokens && text->tokens[a].line == text->tokens[b].line;
}

/* The end of the operator that starts at i, perhaps of several tokens: "//",
 * "not in", "<<". */
static uint32_t end_of_operator(const struct cul_text *text, uint32_t i) {
  uint32_t end = i + 1;
  while (same_line(text, i, end) &&
         (binds(text, end) || cul_text_token_is(text, end, "not")))
    end++;
  return end;
}

/* Can the token be part of an operand, operators aside? */
static bool is_part(const struct cul_text *text, uint32_t i) {
  return ends_operand(text, i) || text->tokens[i].kind == CUL_TOKEN_OPEN ||
         cul_text_is_any(text, i, ".~");
}

/* The first token of the operator's left operand. */
static uint32_t start_of_left(const struct cul_text *text, uint32_t i) {
  uint32_t first = i, level = binds(text, i);
  while (first > 0 && same_line(text, first - 1, i)) {
    uint32_t before = first - 1, other = binds(text, before);
    if (text->tokens[before].kind == CUL_TOKEN_CLOSE)
      before = text->tokens[before].match;
    else if (text->tokens[before].kind == CUL_TOKEN_OPEN ||
             (other ? other < level : !is_part(text, before)))
      break;
    first = before;
  }
  return first;
}

static uint32_t end_of_right(const struct cul_text *text, uint32_t i) {
  uint32_t end = end_of_operator(text, i), level = binds(text, i);
  while (same_line(text, i, end)) {
    uint32_t other = binds(text, end);
    if (text->tokens[end].kind == CUL_TOKEN_CLOSE ||
        (other ? other <= level : !is_part(text, end)))
      break;
    end = cul_text_after(text, end);
  }
  return end;
}

/* Is it the "in" of "for x in y"? */
static bool is_loop(const struct cul_text *text, uint32_t i) {
  uint32_t first = start_of_left(text, i);
  return cul_text_token_is(text, i, "in") && first > 0 &&
         cul_text_is_word(text, first - 1, " for , ");
}

static void add_operator(const struct cul_text *text, uint32_t i,
                         struct cul_sites *out) {
  const struct cul_line *l = &text->lines[text->tokens[i].line];
  uint32_t end = end_of_operator(text, i);
  if (i == l->first || !binds(text, i) || !ends_operand(text, i - 1) ||
      end >= l->first + l->n || cul_text_is_char(text, end, '=') ||
      !is_part(text, end) || is_loop(text, i))
    return;
  cul_sites_add(out, NULL, cul_text_two(i, LEFT), end_of_right(text, i) - i);
  cul_sites_add(out, NULL, cul_text_two(i, RIGHT),
                end - start_of_left(text, i));
}

/* Find the first token of the callee x.y of the list that opens there:
 * x.y(...). */
static bool find_called(const struct cul_text *text, uint32_t open,
                        uint32_t *first) {
  uint32_t i = open;
  if (!cul_text_opens(text, open, '(') || !open ||
      !ends_operand(text, open - 1) || !same_line(text, open - 1, open))
    return false;
  while (i > 0 && same_line(text, i - 1, open))
    if (text->tokens[i - 1].kind == CUL_TOKEN_CLOSE)
      i = text->tokens[i - 1].match;
    else if (cul_text_is_char(text, i - 1, '.') ||
             (ends_operand(text, i - 1) &&
              (i == open || !ends_operand(text, i))))
      i--;
    else
      break;
  *first = i;
  return !(i && same_line(text, i - 1, open) &&
           cul_text_is_word(text, i - 1, " def class @ "));
}

/* Find the expression of argument k, without "name =". */
static bool find_argument(const struct cul_text *text, uint32_t open,
                          uint32_t k, uint32_t *first, uint32_t *end) {
  if (!cul_text_element(text, open, k, first, end))
    return false;
  if (*end - *first > 2 && cul_text_is_char(text, *first + 1, '='))
    *first += 2;
  return is_part(text, *first) || cul_text_is_char(text, *first, '-');
}

static void list_operands(struct cul_text *text, struct cul_sites *out) {
  uint32_t called, first, end;
  for (uint32_t i = 0; text->lang->keywords && i < text->n_tokens; i++) {
    add_operator(text, i, out);
    for (uint32_t k = 0; k < MOST && find_called(text, i, &called); k++)
      if (find_argument(text, i, k, &first, &end))
        cul_sites_add(out, NULL, cul_text_two(i, ARGUMENT + k),
                      text->tokens[i].match + 1 - called - (end - first));
  }
}

static bool keep_argument(struct cul_text *text, uint32_t open, uint32_t k) {
  uint32_t close = text->tokens[open].match, called, first, end;
  bool brackets;
  if (!find_called(text, open, &called) ||
      !find_argument(text, open, k, &first, &end))
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
  if (choice == LEFT)
    return cul_text_erase_tokens(text, i, end_of_right(text, i));
  if (choice == RIGHT)
    return cul_text_erase_tokens(text, start_of_left(text, i),
                                 end_of_operator(text, i));
  return keep_argument(text, i, choice - ARGUMENT);
}

const struct cul_text_each cul_mutation_text_operand = {.list = list_operands,
                                                        .edit = keep};
