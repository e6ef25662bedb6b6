/* Reading and pairing two texts: see difference_lines.h. */
#include "difference_lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Longest common subsequences are quadratic. */
static const uint32_t most_lines = 400, most_tokens = 400;

/* ---- reading ---- */

static bool in_word(char c) {
  return isalnum((unsigned char)c) || strchr("_$.", c);
}

static size_t word_length(const char *at, const char *end) {
  const char *p = at;
  while (p < end && *p && in_word(*p))
    p++;
  return (size_t)(p - at);
}

/* From the opening angle bracket to its partner; 0: there is none. */
static size_t angle_length(const char *at, const char *end) {
  int depth = 0;
  for (const char *p = at; p < end; p++) {
    depth += *p == '<';
    if (*p == '>' && p[-1] != '-' && --depth == 0)
      return (size_t)(p + 1 - at);
  }
  return 0;
}

static size_t string_length(const char *at, const char *end) {
  const char *p = at + 1;
  while (p < end && *p != '"')
    p += *p == '\\' && p + 1 < end ? 2 : 1;
  return (size_t)((p < end ? p + 1 : end) - at);
}

static size_t value_length(const char *at, const char *end) {
  size_t n = 1 + word_length(at + 1, end);
  if (at + n < end && at[n] == '#')
    n += 1 + word_length(at + n + 1, end);
  return n;
}

static size_t number_length(const char *at, const char *end) {
  const char *p = at;
  while (p < end && *p &&
         (in_word(*p) ||
          (strchr("+-", *p) && p > at && tolower((unsigned char)p[-1]) == 'e')))
    p++;
  return (size_t)(p - at);
}

/* i32, ui8, bf16, f8E4M3FN, index. */
static bool is_scalar_type(struct cul_bytes word) {
  static const char *const heads[] = {"i", "si", "ui", "f", "bf", "tf"};
  if (cul_bytes_is(word, "index"))
    return true;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(heads); i++) {
    size_t n = strlen(heads[i]);
    if (word.len > n && !memcmp(word.data, heads[i], n) &&
        isdigit((unsigned char)word.data[n]))
      return !memchr(word.data, '.', word.len);
  }
  return false;
}

static size_t named_length(const char *at, const char *end,
                           enum cul_diff_kind *kind) {
  size_t n = 1 + word_length(at + 1, end), angle = 0;
  if (at + n < end && at[n] == '<' && n > (*at == '!'))
    angle = angle_length(at + n, end);
  *kind = angle || *at == '!' || is_scalar_type((struct cul_bytes){at, n})
              ? CUL_DIFF_TYPE
              : CUL_DIFF_WORD;
  return n + angle;
}

/* The length of the token at `at`, which is no white space. */
static size_t token_length(const char *at, const char *end,
                           enum cul_diff_kind *kind) {
  if (*at == '"') {
    *kind = CUL_DIFF_WORD;
    return string_length(at, end);
  }
  if (*at == '%' && end - at > 1 && in_word(at[1])) {
    *kind = CUL_DIFF_VALUE;
    return value_length(at, end);
  }
  if (isdigit((unsigned char)*at)) {
    *kind = CUL_DIFF_NUMBER;
    return number_length(at, end);
  }
  if (isalpha((unsigned char)*at) || strchr("_!#@", *at))
    return named_length(at, end, kind);
  *kind = CUL_DIFF_MARK;
  return end - at > 1 && at[0] == '-' && at[1] == '>' ? 2 : 1;
}

static bool is_mark(const struct cul_diff_token *token, char mark) {
  return token->kind == CUL_DIFF_MARK && token->text.data[0] == mark;
}

/* "%a = ", "%a, %b = " in front, "%arg0: type", "iter_args(%i = %0)". */
static void find_definitions(struct cul_diff_side *side,
                             struct cul_diff_line *line) {
  struct cul_diff_token *tokens = side->tokens + line->first;
  uint32_t head = 0;
  for (uint32_t i = 0; i + 1 < line->n; i++)
    tokens[i].defines =
        tokens[i].kind == CUL_DIFF_VALUE &&
        (is_mark(&tokens[i + 1], '=') ||
         (is_mark(&tokens[i + 1], ':') && !tokens[i + 1].spaced));
  while (head + 1 < line->n && tokens[head].kind == CUL_DIFF_VALUE &&
         is_mark(&tokens[head + 1], ','))
    head += 2;
  if (head + 1 < line->n && tokens[head].defines)
    for (uint32_t i = 0; i < head; i += 2)
      tokens[i].defines = true;
  while (head < line->n && !is_mark(&tokens[head], '='))
    head++;
  line->op = line->first;
  if (tokens[0].defines && head + 1 < line->n)
    line->op += head + 1;
}

static void read_line(struct cul_bytes text, struct cul_diff_side *side) {
  struct cul_diff_line *line = &side->lines[side->n_lines];
  const char *at = text.data, *end = at + text.len;
  bool spaced = false;
  *line = (struct cul_diff_line){
      .text = text, .first = side->n_tokens, .match = CUL_DIFF_NONE};
  while (at < end) {
    struct cul_diff_token token = {.line = side->n_lines,
                                   .match = CUL_DIFF_NONE};
    if (isspace((unsigned char)*at)) {
      spaced = true, at++;
      continue;
    }
    token.text = (struct cul_bytes){at, token_length(at, end, &token.kind)};
    token.spaced = spaced;
    side->tokens[side->n_tokens++] = token;
    spaced = false;
    at += token.text.len;
  }
  line->n = side->n_tokens - line->first;
  if (line->n == 0)
    return;
  find_definitions(side, line);
  side->n_lines++;
}

static struct cul_bytes stripped(const char *at, const char *end) {
  while (at < end && isspace((unsigned char)*at))
    at++;
  while (end > at && isspace((unsigned char)end[-1]))
    end--;
  return (struct cul_bytes){at, (size_t)(end - at)};
}

void cul_diff_read(struct cul_bytes text, struct cul_diff_side *out) {
  size_t lines = 1;
  const char *at = text.data, *end = at + text.len;
  for (const char *p = at; p < end; p++)
    lines += *p == '\n';
  *out = (struct cul_diff_side){0};
  out->tokens = cul_xcalloc(text.len + 1, sizeof *out->tokens);
  out->lines = cul_xcalloc(lines, sizeof *out->lines);
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    read_line(stripped(at, stop), out);
    at = stop + (stop < end);
  }
}

void cul_diff_release(struct cul_diff_side *side) {
  free(side->tokens);
  free(side->lines);
}

/* ---- pairing: the heaviest common subsequence ---- */

/* How well do two tokens stand for each other?  0: not at all. */
static uint32_t token_score(const struct cul_diff_token *a,
                            const struct cul_diff_token *b) {
  if (a->kind != b->kind || a->defines != b->defines)
    return 0;
  if (a->kind == CUL_DIFF_VALUE)
    return cul_bytes_equal(a->text, b->text) ? 4 : 3;
  if (cul_bytes_equal(a->text, b->text))
    return a->kind == CUL_DIFF_MARK ? 2 : 4;
  return a->kind == CUL_DIFF_TYPE || a->kind == CUL_DIFF_NUMBER;
}

/* Tokens at equal places that agree, values being all alike. */
static uint32_t line_score(const struct cul_diff_side *a, uint32_t i,
                           const struct cul_diff_side *b, uint32_t j) {
  const struct cul_diff_line *x = &a->lines[i], *y = &b->lines[j];
  uint32_t n = x->n < y->n ? x->n : y->n, score = 1;
  if (!cul_bytes_equal(a->tokens[x->op].text, b->tokens[y->op].text))
    return 0;
  for (uint32_t k = 0; k < n; k++)
    score += token_score(&a->tokens[x->first + k], &b->tokens[y->first + k]);
  return score + (cul_bytes_equal(x->text, y->text) ? 4 : 0);
}

/* The range of one side that is paired with a range of the other. */
struct pairing {
  struct cul_diff_side *a, *b;
  uint32_t from_a, n_a, from_b, n_b;
  uint32_t (*score)(const struct pairing *, uint32_t i, uint32_t j);
  void (*pair)(const struct pairing *, uint32_t i, uint32_t j);
};

static uint32_t score_lines(const struct pairing *p, uint32_t i, uint32_t j) {
  return line_score(p->a, p->from_a + i, p->b, p->from_b + j);
}

static void pair_lines(const struct pairing *p, uint32_t i, uint32_t j) {
  p->a->lines[p->from_a + i].match = p->from_b + j;
  p->b->lines[p->from_b + j].match = p->from_a + i;
}

static uint32_t score_tokens(const struct pairing *p, uint32_t i, uint32_t j) {
  return token_score(&p->a->tokens[p->from_a + i],
                     &p->b->tokens[p->from_b + j]);
}

static void pair_tokens(const struct pairing *p, uint32_t i, uint32_t j) {
  p->a->tokens[p->from_a + i].match = p->from_b + j;
  p->b->tokens[p->from_b + j].match = p->from_a + i;
}

static uint32_t largest(uint32_t x, uint32_t y) { return x > y ? x : y; }

/* best[i][j]: the weight of the best pairing of what follows i and j. */
static void pair_up(const struct pairing *p) {
  size_t wide = (size_t)p->n_b + 1;
  uint32_t *best = cul_xcalloc(((size_t)p->n_a + 1) * wide, sizeof *best);
  uint32_t i = 0, j = 0;
  for (uint32_t x = p->n_a; x-- > 0;)
    for (uint32_t y = p->n_b; y-- > 0;) {
      uint32_t score = p->score(p, x, y), *at = &best[x * wide + y];
      *at = largest(at[1], at[wide]);
      if (score)
        *at = largest(*at, score + at[wide + 1]);
    }
  while (i < p->n_a && j < p->n_b) {
    const uint32_t *at = &best[i * wide + j];
    uint32_t score = p->score(p, i, j);
    if (score && *at == score + at[wide + 1])
      p->pair(p, i++, j++);
    else if (*at == at[wide])
      i++;
    else
      j++;
  }
  free(best);
}

static bool same_line(const struct cul_diff_side *a, uint32_t i,
                      const struct cul_diff_side *b, uint32_t j) {
  return cul_bytes_equal(a->lines[i].text, b->lines[j].text);
}

static void match_tokens(struct cul_diff_side *a, struct cul_diff_side *b) {
  for (uint32_t i = 0; i < a->n_lines; i++) {
    const struct cul_diff_line *x = &a->lines[i], *y;
    if (x->match == CUL_DIFF_NONE)
      continue;
    y = &b->lines[x->match];
    struct pairing tokens = {.a = a,
                             .b = b,
                             .from_a = x->first,
                             .from_b = y->first,
                             .score = score_tokens,
                             .pair = pair_tokens};
    tokens.n_a = x->n < most_tokens ? x->n : most_tokens;
    tokens.n_b = y->n < most_tokens ? y->n : most_tokens;
    pair_up(&tokens);
  }
}

bool cul_diff_match(struct cul_diff_side *a, struct cul_diff_side *b) {
  struct pairing lines = {
      .a = a, .b = b, .score = score_lines, .pair = pair_lines};
  uint32_t n = a->n_lines < b->n_lines ? a->n_lines : b->n_lines, head = 0,
           tail = 0;
  while (head < n && same_line(a, head, b, head))
    pair_lines(&lines, head, head), head++;
  while (tail < n - head &&
         same_line(a, a->n_lines - 1 - tail, b, b->n_lines - 1 - tail)) {
    pair_lines(&lines, a->n_lines - 1 - tail, b->n_lines - 1 - tail);
    tail++;
  }
  lines.from_a = lines.from_b = head;
  lines.n_a = a->n_lines - head - tail;
  lines.n_b = b->n_lines - head - tail;
  if (lines.n_a > most_lines || lines.n_b > most_lines)
    return false;
  pair_up(&lines);
  match_tokens(a, b);
  return true;
}
