/* The difference in words: see difference.h. */
#include "difference.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "../../base/page/markup.h"

enum cul_diff_kind {
  CUL_DIFF_MARK,   /* punctuation */
  CUL_DIFF_WORD,   /* also names of operations, symbols, quoted strings */
  CUL_DIFF_NUMBER, /* 5, 1.0e+00, 0xFF */
  CUL_DIFF_VALUE,  /* %0, %arg1, %2#1 */
  CUL_DIFF_TYPE,   /* a word with balanced angle brackets: tensor<4x5xf32> */
};

#define CUL_DIFF_NONE UINT32_MAX

struct cul_diff_token {
  enum cul_diff_kind kind;
  struct cul_bytes text;
  uint32_t line;
  uint32_t match; /* the token of the other side, or CUL_DIFF_NONE */
  bool spaced;    /* follows white space */
  bool defines;   /* the value is defined here */
};

struct cul_diff_line {
  struct cul_bytes text; /* without white space around it */
  uint32_t first, n;     /* tokens */
  uint32_t op;           /* index of the token that names the operation */
  uint32_t match;        /* line of the other side, or CUL_DIFF_NONE */
};

struct cul_diff_side {
  struct cul_diff_token *tokens;
  struct cul_diff_line *lines;
  uint32_t n_tokens, n_lines;
};

/* ---- lines ---- */

/* Two texts as lines of tokens, and the pairs of tokens. */

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

/* The length up to the partner of the opening angle bracket; 0: it has none. */
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

/* The length of the token at `at`, which is not white space. */
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

/* Mark the values that a line defines: "%a = " and "%a, %b = " at its start,
 * "%arg0: type", "iter_args(%i = %0)".  Find its operation. */
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

/* Lines without any token are left out.  Borrows text. */
static void diff_read(struct cul_bytes text, struct cul_diff_side *out) {
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

static void diff_release(struct cul_diff_side *side) {
  free(side->tokens);
  free(side->lines);
}

/* ---- pairing: the heaviest common subsequence ---- */

/* The weight of a pair of tokens; 0: they cannot be a pair. */
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

/* The weight of a pair of lines: the sum for the tokens at the same index, more
 * if the lines are equal; 0: the operations differ. */
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

/* A range of one side to be paired with a range of the other. */
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

/* best[i][j]: the weight of the best pairing of the elements from i and from j
 * on. */
static void pair_up(const struct pairing *p) {
  size_t wide = (size_t)p->n_b + 1;
  CUL_HEAP uint32_t *best =
      cul_xcalloc(((size_t)p->n_a + 1) * wide, sizeof *best);
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

/* Fill in match on both sides.  False: too many lines differ. */
static bool diff_match(struct cul_diff_side *a, struct cul_diff_side *b) {
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

/* ---- type ---- */

/* The difference between two types in words. */

/* tensor<4x?xf32, #e>: head "tensor<", dims "4" and "?", rest "f32, #e>". */
struct shape {
  struct cul_bytes head, rest;
  struct cul_bytes dims[16];
  size_t n;
};

static size_t dim_length(const char *at, const char *end) {
  const char *p = at;
  while (p < end && (isdigit((unsigned char)*p) || strchr("?*[]", *p)))
    p++;
  return p > at && p < end && *p == 'x' ? (size_t)(p - at) : 0;
}

static bool read_shape(struct cul_bytes type, struct shape *out) {
  const char *end = type.data + type.len, *at;
  const char *angle = memchr(type.data, '<', type.len);
  size_t n;
  *out = (struct shape){0};
  if (!angle)
    return false;
  at = angle + 1;
  out->head = (struct cul_bytes){type.data, (size_t)(at - type.data)};
  while (out->n < CUL_ARRAY_SIZE(out->dims) && (n = dim_length(at, end))) {
    out->dims[out->n++] = (struct cul_bytes){at, n};
    at += n + 1;
  }
  out->rest = (struct cul_bytes){at, (size_t)(end - at)};
  return out->n > 0;
}

/* The index of the only dimension that differs; a->n: none or several
 * differ. */
static size_t odd_dimension(const struct shape *a, const struct shape *b) {
  size_t odd = a->n;
  for (size_t i = 0; i < a->n; i++)
    if (!cul_bytes_equal(a->dims[i], b->dims[i])) {
      if (odd < a->n)
        return a->n;
      odd = i;
    }
  return odd;
}

/* The index of the dimension without which a is b; a->n: there is none. */
static size_t lost_dimension(const struct shape *a, const struct shape *b) {
  size_t lost = 0, i;
  if (a->n != b->n + 1 || !cul_bytes_equal(a->rest, b->rest))
    return a->n;
  while (lost < b->n && cul_bytes_equal(a->dims[lost], b->dims[lost]))
    lost++;
  for (i = lost; i < b->n; i++)
    if (!cul_bytes_equal(a->dims[i + 1], b->dims[i]))
      return a->n;
  return lost;
}

/* "f32" of "f32>" and of "f32, #e>". */
static struct cul_bytes element(const struct shape *shape) {
  size_t n = 0;
  int depth = 0;
  while (n < shape->rest.len) {
    char c = shape->rest.data[n];
    depth += (c == '<') - (c == '>');
    if (depth < 0 || (depth == 0 && c == ','))
      break;
    n++;
  }
  return (struct cul_bytes){shape->rest.data, n};
}

static void add_pair(struct cul_bytes is, struct cul_bytes instead,
                     struct cul_buf *out) {
  cul_buf_addf(out, "%.*s instead of %.*s", (int)is.len, is.data,
               (int)instead.len, instead.data);
}

static void add_whole(struct cul_bytes fails, struct cul_bytes passes,
                      const char *owner, bool value, struct cul_buf *out) {
  cul_buf_addf(out, "%s %s ", owner, value ? "is a" : "has");
  cul_buf_addf(out, "`%.*s` instead of `%.*s`", (int)passes.len, passes.data,
               (int)fails.len, fails.data);
}

/* Append "dimension 1 of OWNER is 4 instead of 5", "the element type of OWNER
 * is f16 instead of f32", or both types in full.  value: OWNER is a value, else
 * an operation. */
static void difference_of_types(struct cul_bytes fails, struct cul_bytes passes,
                                const char *owner, bool value,
                                struct cul_buf *out) {
  struct shape a, b;
  struct cul_bytes had, has;
  size_t odd;
  bool shapes = read_shape(fails, &a) && read_shape(passes, &b) &&
                cul_bytes_equal(a.head, b.head);
  size_t lost = shapes ? lost_dimension(&a, &b) : a.n;
  if (lost < a.n) {
    cul_buf_addf(out, "dimension %zu of %s, %.*s, is dropped", lost, owner,
                 (int)a.dims[lost].len, a.dims[lost].data);
    return;
  }
  if (!shapes || a.n != b.n) {
    add_whole(fails, passes, owner, value, out);
    return;
  }
  odd = odd_dimension(&a, &b);
  had = element(&a), has = element(&b);
  if (odd < a.n && cul_bytes_equal(a.rest, b.rest)) {
    cul_buf_addf(out, "dimension %zu of %s is ", odd, owner);
    add_pair(b.dims[odd], a.dims[odd], out);
  } else if (odd == a.n && !cul_bytes_equal(had, has) &&
             a.rest.len - had.len == b.rest.len - has.len) {
    cul_buf_addf(out, "the element type of %s is ", owner);
    add_pair(has, had, out);
  } else {
    add_whole(fails, passes, owner, value, out);
  }
}

/* ---- difference ---- */

static const size_t most_clauses = 2, longest_excerpt = 72;

/* A value of the passing text and its partner in the failing one; valid from
 * `at` on, the token that defines it. */
struct name {
  struct cul_bytes theirs, ours;
  uint32_t at;
};

struct telling {
  struct cul_diff_side fails, passes;
  struct name *names; /* in order of definition */
  size_t n_names;
  size_t clauses;
  size_t clause; /* where the last one begins in out */
  bool more;     /* some difference is left out */
  struct cul_buf *out;
};

/* ---- values ---- */

/* The name without "#1", which stands for all results of the operation. */
static struct cul_bytes base_of(struct cul_bytes value) {
  const char *hash = memchr(value.data, '#', value.len);
  if (hash)
    value.len = (size_t)(hash - value.data);
  return value;
}

static struct cul_bytes result_of(struct cul_bytes value) {
  size_t n = base_of(value).len;
  return (struct cul_bytes){value.data + n, value.len - n};
}

/* The name in the failing text of a value of the passing one that is used at
 * token `at` of the former; data NULL: it has none.  Functions reuse names: the
 * last definition before the use counts; else, as blocks may come in any order,
 * the first one after it. */
static struct cul_bytes our_name(const struct telling *t,
                                 struct cul_bytes theirs, uint32_t at) {
  struct cul_bytes base = base_of(theirs), found = {NULL, 0};
  for (size_t i = 0; i < t->n_names; i++) {
    if (t->names[i].at > at && found.data)
      break;
    if (cul_bytes_equal(t->names[i].theirs, base))
      found = t->names[i].ours;
  }
  return found;
}

static bool same_value(const struct telling *t, uint32_t at) {
  const struct cul_diff_token *token = &t->fails.tokens[at];
  struct cul_bytes ours = token->text;
  struct cul_bytes theirs = t->passes.tokens[token->match].text;
  struct cul_bytes name = our_name(t, theirs, at);
  if (!name.data) /* the lines that define it are not paired */
    return cul_bytes_equal(ours, theirs);
  return cul_bytes_equal(name, base_of(ours)) &&
         cul_bytes_equal(result_of(ours), result_of(theirs));
}

/* ---- words ---- */

/* Start a clause; false: there are enough. */
static bool begin(struct telling *t) {
  if (t->clauses == most_clauses) {
    t->more = true;
    return false;
  }
  if (t->clauses++)
    cul_buf_adds(t->out, " and ");
  t->clause = t->out->len;
  return true;
}

/* Does the clause say the same as the last one: one change that shows in two
 * places? */
static bool is_told(const struct telling *t, const struct cul_buf *clause) {
  return t->clauses && t->out->len - t->clause == clause->len &&
         memcmp(t->out->data + t->clause, clause->data, clause->len) == 0;
}

static void add_excerpt(struct cul_bytes text, struct cul_buf *out) {
  bool cut = text.len > longest_excerpt;
  CUL_HEAP char *words =
      cul_xasprintf("%.*s%s", (int)(cut ? longest_excerpt : text.len),
                    text.data, cut ? "..." : "");
  cul_markdown_code(words, out);
}

static void add_bytes(struct cul_bytes text, struct cul_buf *out) {
  cul_buf_add(out, text.data, text.len);
}

/* The operation of a line: `memref.load`. */
static void add_op(const struct cul_diff_side *side, uint32_t line,
                   struct cul_buf *out) {
  struct cul_bytes op = side->tokens[side->lines[line].op].text;
  CUL_HEAP char *name = NULL;
  if (op.len > 2 && op.data[0] == '"')
    op = (struct cul_bytes){op.data + 1, op.len - 2};
  name = cul_xstrndup(op.data, op.len);
  cul_markdown_code(name, out);
}

/* ---- whole lines ---- */

/* Is there more than punctuation on the line?  Other lines are not
 * described. */
static bool says_something(const struct cul_diff_side *side, uint32_t line) {
  const struct cul_diff_line *at = &side->lines[line];
  for (uint32_t i = at->first; i < at->first + at->n; i++)
    if (side->tokens[i].kind != CUL_DIFF_MARK)
      return true;
  return false;
}

static uint32_t next_unmatched(const struct cul_diff_side *side,
                               uint32_t line) {
  while (line < side->n_lines && (side->lines[line].match != CUL_DIFF_NONE ||
                                  !says_something(side, line)))
    line++;
  return line;
}

static uint32_t count_unmatched(const struct cul_diff_side *side) {
  uint32_t n = 0, at = next_unmatched(side, 0);
  for (; at < side->n_lines; at = next_unmatched(side, at + 1))
    n++;
  return n;
}

static void tell_lines(struct telling *t, const struct cul_diff_side *side,
                       const char *verb) {
  uint32_t n = count_unmatched(side);
  if (n == 0 || !begin(t))
    return;
  add_excerpt(side->lines[next_unmatched(side, 0)].text, t->out);
  if (n == 2)
    cul_buf_adds(t->out, " and one more line");
  else if (n > 2)
    cul_buf_addf(t->out, " and %u more lines", n - 1);
  cul_buf_addf(t->out, n > 1 ? " are %s" : " is %s", verb);
}

/* Describe the difference if exactly one line is replaced by another. */
static bool tell_replaced(struct telling *t) {
  uint32_t a = next_unmatched(&t->fails, 0);
  uint32_t b = next_unmatched(&t->passes, 0);
  if (count_unmatched(&t->fails) != 1 || count_unmatched(&t->passes) != 1 ||
      !begin(t))
    return false;
  add_excerpt(t->fails.lines[a].text, t->out);
  cul_buf_adds(t->out, " is replaced by ");
  add_excerpt(t->passes.lines[b].text, t->out);
  return true;
}

/* ---- tokens of paired lines ---- */

/* The value with the type at token `at`: "%arg0: type", "%0 = op ... type";
 * data NULL: no value. */
static struct cul_bytes type_owner(const struct cul_diff_side *side,
                                   uint32_t at) {
  const struct cul_diff_line *line = &side->lines[side->tokens[at].line];
  uint32_t last = line->first + line->n;
  if (at >= line->first + 2 && side->tokens[at - 2].defines &&
      is_mark(&side->tokens[at - 1], ':'))
    return side->tokens[at - 2].text;
  while (last-- > at)
    if (side->tokens[last].kind == CUL_DIFF_TYPE)
      break;
  if (last == at && line->op == line->first + 2)
    return side->tokens[line->first].text;
  return (struct cul_bytes){NULL, 0};
}

static void tell_type(struct telling *t, uint32_t at) {
  struct cul_diff_token *ours = &t->fails.tokens[at];
  struct cul_bytes value = type_owner(&t->fails, at);
  CUL_OWNED(cul_buf) owner = {0};
  if (!begin(t))
    return;
  if (value.data)
    add_bytes(value, &owner);
  else
    add_op(&t->fails, ours->line, &owner);
  difference_of_types(ours->text, t->passes.tokens[ours->match].text,
                      cul_buf_str(&owner), value.data != NULL, t->out);
}

/* Append a value of the passing text under its name in the failing one. */
static void add_value(const struct telling *t, struct cul_bytes theirs,
                      uint32_t at, struct cul_buf *out) {
  struct cul_bytes name = our_name(t, theirs, at);
  if (!name.data) {
    cul_buf_adds(out, "a new value");
    return;
  }
  add_bytes(name, out);
  add_bytes(result_of(theirs), out);
}

/* "`axis` of `tosa.concat` is 0 instead of 1", "`arith.constant` has ...". */
static void add_token(const struct telling *t, uint32_t at,
                      struct cul_buf *out) {
  const struct cul_diff_token *ours = &t->fails.tokens[at];
  const struct cul_diff_line *line = &t->fails.lines[ours->line];
  struct cul_bytes theirs = t->passes.tokens[ours->match].text;
  if (at >= line->first + 2 && is_mark(ours - 1, '=') && at - 2 > line->op) {
    add_excerpt(ours[-2].text, out);
    cul_buf_adds(out, " of ");
    add_op(&t->fails, ours->line, out);
    cul_buf_adds(out, " is ");
  } else {
    add_op(&t->fails, ours->line, out);
    cul_buf_adds(out, ours->kind == CUL_DIFF_VALUE ? " uses " : " has ");
  }
  if (ours->kind == CUL_DIFF_VALUE)
    add_value(t, theirs, at, out);
  else
    add_bytes(theirs, out);
  cul_buf_adds(out, " instead of ");
  add_bytes(ours->text, out);
}

static void tell_token(struct telling *t, uint32_t at) {
  CUL_OWNED(cul_buf) clause = {0};
  add_token(t, at, &clause);
  if (!is_told(t, &clause) && begin(t))
    cul_buf_add(t->out, clause.data, clause.len);
}

/* A run of tokens that only one side has. */
struct stretch {
  uint32_t from, to;
};

static struct stretch stretch_at(const struct cul_diff_side *side,
                                 uint32_t line, uint32_t from) {
  uint32_t end = side->lines[line].first + side->lines[line].n, to = from;
  while (to < end && side->tokens[to].match == CUL_DIFF_NONE)
    to++;
  return (struct stretch){from, to};
}

/* The run of the other side at the same position. */
static struct stretch across(const struct cul_diff_side *side,
                             const struct cul_diff_side *other, uint32_t line,
                             uint32_t from) {
  const struct cul_diff_line *at = &side->lines[line];
  uint32_t start = from == at->first ? other->lines[at->match].first
                                     : side->tokens[from - 1].match + 1;
  return stretch_at(other, at->match, start);
}

static void add_stretch(const struct cul_diff_side *side, struct stretch range,
                        struct cul_buf *out) {
  const struct cul_diff_token *first = &side->tokens[range.from];
  const struct cul_diff_token *last = &side->tokens[range.to - 1];
  size_t n = (size_t)(last->text.data + last->text.len - first->text.data);
  add_excerpt((struct cul_bytes){first->text.data, n}, out);
}

static void tell_stretch(struct telling *t, uint32_t line, struct stretch ours,
                         struct stretch theirs) {
  if (!begin(t))
    return;
  add_op(&t->fails, line, t->out);
  if (theirs.from == theirs.to) {
    cul_buf_adds(t->out, " lacks ");
    add_stretch(&t->fails, ours, t->out);
    return;
  }
  cul_buf_adds(t->out, " has ");
  add_stretch(&t->passes, theirs, t->out);
  if (ours.from < ours.to) {
    cul_buf_adds(t->out, " instead of ");
    add_stretch(&t->fails, ours, t->out);
  }
}

/* Compare the runs before each token that both sides have, and at the end of
 * the line. */
static void tell_stretches(struct telling *t, uint32_t line) {
  const struct cul_diff_line *at = &t->fails.lines[line];
  uint32_t from = at->first, end = from + at->n;
  while (at->match != CUL_DIFF_NONE && from <= end) {
    struct stretch ours = stretch_at(&t->fails, line, from);
    struct stretch theirs = across(&t->fails, &t->passes, line, from);
    if (ours.from < ours.to || theirs.from < theirs.to)
      tell_stretch(t, line, ours, theirs);
    from = ours.to + 1;
  }
}

/* ---- the whole ---- */

static void learn_names(struct telling *t) {
  t->names = cul_xcalloc(t->fails.n_tokens + 1, sizeof *t->names);
  for (uint32_t i = 0; i < t->fails.n_tokens; i++) {
    const struct cul_diff_token *ours = &t->fails.tokens[i];
    if (ours->defines && ours->match != CUL_DIFF_NONE)
      t->names[t->n_names++] =
          (struct name){t->passes.tokens[ours->match].text, ours->text, i};
  }
}

static bool differs(const struct telling *t, uint32_t at) {
  const struct cul_diff_token *ours = &t->fails.tokens[at];
  struct cul_bytes theirs;
  if (ours->match == CUL_DIFF_NONE || ours->defines)
    return false;
  theirs = t->passes.tokens[ours->match].text;
  return ours->kind == CUL_DIFF_VALUE ? !same_value(t, at)
                                      : !cul_bytes_equal(ours->text, theirs);
}

/* A changed type shows in many places; it is described once, where it is the
 * type of a value if there is such a place. */
static void tell_types(struct telling *t) {
  uint32_t chosen = CUL_DIFF_NONE;
  for (uint32_t i = 0; i < t->fails.n_tokens; i++) {
    if (t->fails.tokens[i].kind != CUL_DIFF_TYPE || !differs(t, i))
      continue;
    if (chosen == CUL_DIFF_NONE ||
        (!type_owner(&t->fails, chosen).data && type_owner(&t->fails, i).data))
      chosen = i;
  }
  if (chosen != CUL_DIFF_NONE)
    tell_type(t, chosen);
}

static void tell_tokens(struct telling *t, enum cul_diff_kind kind) {
  for (uint32_t i = 0; i < t->fails.n_tokens; i++)
    if (t->fails.tokens[i].kind == kind && differs(t, i))
      tell_token(t, i);
}

static void tell(struct telling *t) {
  learn_names(t);
  if (!tell_replaced(t)) {
    tell_lines(t, &t->fails, "gone");
    tell_lines(t, &t->passes, "added");
  }
  tell_types(t);
  tell_tokens(t, CUL_DIFF_WORD);
  tell_tokens(t, CUL_DIFF_VALUE);
  tell_tokens(t, CUL_DIFF_NUMBER);
  tell_tokens(t, CUL_DIFF_MARK);
  for (uint32_t i = 0; i < t->fails.n_lines; i++)
    tell_stretches(t, i);
  if (t->more)
    cul_buf_adds(t->out, ", among other differences");
}

void cul_difference_describe(struct cul_bytes fails, struct cul_bytes passes,
                             struct cul_buf *out) {
  struct telling t = {.out = out};
  diff_read(fails, &t.fails);
  diff_read(passes, &t.passes);
  if (diff_match(&t.fails, &t.passes))
    tell(&t);
  free(t.names);
  diff_release(&t.fails);
  diff_release(&t.passes);
}
