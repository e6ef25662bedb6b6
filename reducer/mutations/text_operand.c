/* Replace an expression by one of its operands: "a + b" by a or b, "f(x, y)"
 * by x or y.  Languages whose keywords are known (Python, C). */
#include <string.h>

#include "../subject/text_ops.h"
#include "text_terms.h"

/* Arguments of one call that are tried. */
enum { MOST = 4 };

/* What stays; MOST arguments from ARGUMENT on. */
enum { LEFT, RIGHT, ARGUMENT };

/* ---- operators ---- */

/* How closely an operator binds; 0: none. */
static int binds(const struct cul_text *text, uint32_t i) {
  static const struct {
    const char *operators;
    int binds;
  } levels[] = {{" or || ", 1}, {" and && ", 2}, {" in is < > <= >= == != ", 3},
                {" | ", 4},     {" ^ ", 5},      {" & ", 6},
                {" + - ", 8},   {" * / % @ ", 9}};
  struct cul_bytes token = cul_text_token(text, i);
  char spaced[8] = " ";
  if (token.len > 3 || text->tokens[i].kind == CUL_TOKEN_OPEN ||
      text->tokens[i].kind == CUL_TOKEN_CLOSE)
    return 0;
  memcpy(spaced + 1, token.data, token.len);
  memcpy(spaced + 1 + token.len, " ", 2);
  for (size_t k = 0; k < CUL_ARRAY_SIZE(levels); k++)
    if (strstr(levels[k].operators, spaced))
      return levels[k].binds;
  return 0;
}

static bool ends_operand(const struct cul_text *text, uint32_t i) {
  uint8_t kind = text->tokens[i].kind;
  return kind == CUL_TOKEN_NUMBER || kind == CUL_TOKEN_STRING ||
         kind == CUL_TOKEN_CLOSE ||
         (kind == CUL_TOKEN_WORD && !cul_text_is_keyword(text, i));
}

static bool same_line(const struct cul_text *text, uint32_t a, uint32_t b) {
  return text->tokens[a].line == text->tokens[b].line;
}

/* Behind the operator that starts at i: "//", "not in", "<<". */
static uint32_t end_of_operator(const struct cul_text *text, uint32_t i) {
  uint32_t end = i + 1;
  while (end < text->n_tokens && same_line(text, i, end) &&
         (binds(text, end) || cul_text_token_is(text, end, "not")))
    end++;
  return end;
}

/* What an operand is made of, operators aside. */
static bool is_part(const struct cul_text *text, uint32_t i) {
  return ends_operand(text, i) || text->tokens[i].kind == CUL_TOKEN_OPEN ||
         cul_text_is_any(text, i, ".~");
}

/* Where the left operand of the operator starts. */
static uint32_t start_of_left(const struct cul_text *text, uint32_t i) {
  uint32_t first = i;
  int level = binds(text, i);
  while (first > 0 && same_line(text, first - 1, i)) {
    uint32_t before = first - 1;
    int other = binds(text, before);
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
  uint32_t end = end_of_operator(text, i);
  int level = binds(text, i);
  while (end < text->n_tokens && same_line(text, end, i)) {
    int other = binds(text, end);
    if (text->tokens[end].kind == CUL_TOKEN_CLOSE ||
        (other ? other <= level : !is_part(text, end)))
      break;
    end = cul_text_after(text, end);
  }
  return end;
}

/* The "in" of "for x in y". */
static bool is_loop(const struct cul_text *text, uint32_t i) {
  uint32_t first = start_of_left(text, i);
  return cul_text_token_is(text, i, "in") && first > 0 &&
         (cul_text_token_is(text, first - 1, "for") ||
          cul_text_is_char(text, first - 1, ','));
}

static bool is_operator(const struct cul_text *text, uint32_t i) {
  const struct cul_line *l = &text->lines[text->tokens[i].line];
  uint32_t end = end_of_operator(text, i);
  return i > l->first && binds(text, i) && ends_operand(text, i - 1) &&
         end < l->first + l->n && !cul_text_is_char(text, end, '=') &&
         is_part(text, end) && !is_loop(text, i);
}

static void add_operator(const struct cul_text *text, uint32_t i,
                         struct cul_sites *out) {
  if (!is_operator(text, i))
    return;
  cul_sites_add(out, NULL, cul_text_two(i, LEFT), end_of_right(text, i) - i);
  cul_sites_add(out, NULL, cul_text_two(i, RIGHT),
                end_of_operator(text, i) - start_of_left(text, i));
}

/* ---- calls ---- */

/* The first token of what is called by the list that opens there: x.y(...). */
static bool find_called(const struct cul_text *text, uint32_t open,
                        uint32_t *first) {
  uint32_t i = open;
  if (text->tokens[open].kind != CUL_TOKEN_OPEN ||
      !cul_text_is_char(text, open, '(') || !open ||
      !ends_operand(text, open - 1) || !same_line(text, open - 1, open))
    return false;
  while (i > 0 && same_line(text, i - 1, open)) {
    if (text->tokens[i - 1].kind == CUL_TOKEN_CLOSE)
      i = text->tokens[i - 1].match;
    else if (cul_text_is_char(text, i - 1, '.') ||
             (ends_operand(text, i - 1) &&
              (i == open || !ends_operand(text, i))))
      i--;
    else
      break;
  }
  *first = i;
  return !(i && same_line(text, i - 1, open) &&
           (cul_text_is_word(text, i - 1, " def class ") ||
            cul_text_is_char(text, i - 1, '@')));
}

/* The expression of argument k, without "name =". */
static bool find_argument(const struct cul_text *text, uint32_t open,
                          uint32_t k, uint32_t *first, uint32_t *end) {
  if (!cul_text_element(text, open, k, first, end))
    return false;
  if (*end - *first > 2 && cul_text_is_char(text, *first + 1, '='))
    *first += 2;
  return is_part(text, *first) || cul_text_is_char(text, *first, '-');
}

static void add_call(const struct cul_text *text, uint32_t open,
                     struct cul_sites *out) {
  uint32_t called, first, end;
  if (!find_called(text, open, &called))
    return;
  for (uint32_t k = 0;
       k < MOST && cul_text_element(text, open, k, &first, &end); k++)
    if (find_argument(text, open, k, &first, &end))
      cul_sites_add(out, NULL, cul_text_two(open, ARGUMENT + k),
                    text->tokens[open].match + 1 - called - (end - first));
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

/* ---- both ---- */

static void sites(struct cul_text *text, struct cul_sites *out) {
  if (!text->lang->keywords)
    return;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    add_operator(text, i, out);
    add_call(text, i, out);
  }
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

const struct cul_mutation cul_mutation_text_operand = {
    .name = "text-operand",
    .summary = "replace an expression by one of its operands",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.list = sites, .edit = keep),
};
