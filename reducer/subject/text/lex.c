/* Divide a text into tokens and lines: see text.h.  Reads every byte once. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

struct rough;

/* The state of the lexer. */
struct lexer {
  struct cul_text *text;
  struct rough *rough; /* find parts instead of lines; or NULL */
  const char *bytes;
  uint32_t len, at;
  uint32_t no_quotes; /* before this offset, a quote begins no string */
  const struct cul_lang *lang;
  const bool *words; /* characters of words */
};

/* The character n bytes ahead; 0 after the end. */
static unsigned char peek(const struct lexer *lx, uint32_t n) {
  return lx->len - lx->at > n ? (unsigned char)lx->bytes[lx->at + n] : 0;
}

static bool is_word(const struct lexer *lx, unsigned char c) {
  return lx->words[c];
}

static void learn_words(struct cul_text *text) {
  for (int c = 1; c < 256; c++)
    text->words[c] = isalnum(c) || c == '_' || c >= 0x80 ||
                     strchr(text->lang->word_chars, c);
}

static bool starts_with(const struct lexer *lx, const char *what) {
  size_t n;
  if (lx->at >= lx->len || lx->bytes[lx->at] != *what)
    return false; /* the common case: called for each mark at each token */
  n = strlen(what);
  return lx->len - lx->at >= n && memcmp(lx->bytes + lx->at, what, n) == 0;
}

static uint32_t to_line_end(const struct lexer *lx) {
  const char *feed = memchr(lx->bytes + lx->at, '\n', lx->len - lx->at);
  return feed ? (uint32_t)(feed - lx->bytes) - lx->at : lx->len - lx->at;
}

/* The length up to and including the terminator, or to the end of the text. */
static uint32_t to_terminator(const struct lexer *lx, uint32_t skip,
                              const char *terminator) {
  const char *found = memmem(lx->bytes + lx->at + skip, lx->len - lx->at - skip,
                             terminator, strlen(terminator));
  if (!found)
    return lx->len - lx->at;
  return (uint32_t)(found - lx->bytes) - lx->at + (uint32_t)strlen(terminator);
}

/* The length of the text up to the end of the string whose quote is at `skip`;
 * 0: the line ends first. */
static uint32_t quoted(struct lexer *lx, uint32_t skip) {
  unsigned char quote = peek(lx, skip);
  uint32_t n = skip + 1;
  if (lx->at < lx->no_quotes)
    return 0;
  for (; lx->len - lx->at > n && peek(lx, n) != '\n'; n++) {
    if (peek(lx, n) == quote)
      return n + 1;
    if (peek(lx, n) == '\\' && peek(lx, n + 1) != '\n')
      n++;
  }
  /* Do not search the rest of the line again: the time stays linear. */
  lx->no_quotes = lx->at + n;
  return 0;
}

static uint32_t lex_comment(const struct lexer *lx) {
  if (lx->lang->comment && starts_with(lx, lx->lang->comment))
    return to_line_end(lx);
  if (lx->lang->block_comments && starts_with(lx, "/*"))
    return to_terminator(lx, 2, "*/");
  return 0;
}

/* R"x( ... )x" */
static uint32_t lex_raw_string(const struct lexer *lx) {
  char end[20] = ")";
  uint32_t n = 2;
  if (!lx->lang->raw_strings || !starts_with(lx, "R\""))
    return 0;
  while (n - 1 < sizeof end - 3 && peek(lx, n) && !isspace(peek(lx, n)) &&
         peek(lx, n) != '(' && peek(lx, n) != '"') {
    end[n - 1] = (char)peek(lx, n);
    n++;
  }
  if (peek(lx, n) != '(')
    return 0;
  end[n - 1] = '"';
  return to_terminator(lx, n, end);
}

static uint32_t lex_string(struct lexer *lx) {
  unsigned char c = peek(lx, 0);
  uint32_t raw = lex_raw_string(lx);
  if (raw)
    return raw;
  if (lx->lang->triple_quotes && starts_with(lx, "\"\"\""))
    return to_terminator(lx, 3, "\"\"\"");
  if (lx->lang->triple_quotes && starts_with(lx, "'''"))
    return to_terminator(lx, 3, "'''");
  if (c == '"' || (c == '\'' && lx->lang->char_literals))
    return quoted(lx, 0);
  return 0;
}

/* 0x1F; but not in 4x0x8xf32. */
static bool is_hexadecimal(const struct lexer *lx) {
  return peek(lx, 0) == '0' && peek(lx, 1) == 'x' && isxdigit(peek(lx, 2)) &&
         !(lx->at && lx->bytes[lx->at - 1] == 'x');
}

static uint32_t lex_number(const struct lexer *lx) {
  uint32_t n = 0;
  if (!isdigit(peek(lx, 0)))
    return 0;
  while (isdigit(peek(lx, n)))
    n++;
  if (lx->lang->dimensions && peek(lx, n) == 'x' && !is_hexadecimal(lx))
    return n;
  for (;; n++) {
    unsigned char c = peek(lx, n), before = peek(lx, n ? n - 1 : 0);
    bool exponent = (c == '-' || c == '+') && (before == 'e' || before == 'E');
    bool group = c == '\'' && lx->lang->raw_strings && isalnum(peek(lx, n + 1));
    if (!isalnum(c) && c != '.' && c != '_' && !exponent && !group)
      return n;
    if (exponent && peek(lx, 1) == 'x')
      return n;
  }
}

/* Is this the x of 4x8xf32, after a number, a '?', a ']' or a '*'? */
static bool is_dimension_x(const struct lexer *lx) {
  unsigned char before = lx->at ? (unsigned char)lx->bytes[lx->at - 1] : 0;
  return lx->lang->dimensions && peek(lx, 0) == 'x' &&
         (isdigit(before) || strchr("?]*", before ? before : ' '));
}

static uint32_t lex_word(struct lexer *lx) {
  unsigned char c = peek(lx, 0);
  uint32_t n = 0;
  if (c && strchr(lx->lang->sigils, c)) {
    uint32_t name = peek(lx, 1) == '"' ? quoted(lx, 1) : 0;
    if (name)
      return name;
    if (!is_word(lx, peek(lx, 1)))
      return 0;
    n = 1;
  } else if (!is_word(lx, c)) {
    return 0;
  }
  while (is_word(lx, peek(lx, n)))
    n++;
  return n;
}

static uint32_t lex_punct(const struct lexer *lx) {
  static const char *const pairs[] = {
      "->", "=>", "==", "!=", "<=", ">=", "&&", "||",
      "::", "+=", "-=", "*=", "/=", "++", "--"};
  for (size_t i = 0;
       strchr(">=&|:+-", peek(lx, 1)) && i < CUL_ARRAY_SIZE(pairs); i++)
    if (starts_with(lx, pairs[i]))
      return 2;
  return 1;
}

/* The length of a backslash that joins this line and the next; 0: none. */
static uint32_t lex_continuation(const struct lexer *lx) {
  uint32_t n = 1;
  if (!lx->lang->continued || peek(lx, 0) != '\\')
    return 0;
  n += peek(lx, n) == '\r';
  return peek(lx, n) == '\n' ? n + 1 : 0;
}

static struct cul_token *add_token(struct lexer *lx, enum cul_token_kind kind,
                                   uint32_t len) {
  struct cul_text *text = lx->text;
  struct cul_token *token;
  text->tokens = cul_xgrow(text->tokens, text->n_tokens, &text->cap_tokens,
                           sizeof *text->tokens);
  token = &text->tokens[text->n_tokens++];
  *token = (struct cul_token){.start = lx->at,
                              .len = len,
                              .line = (uint32_t)text->n_lines,
                              .match = CUL_TEXT_NONE,
                              .kind = (uint8_t)kind};
  lx->at += len;
  return token;
}

static void lex_token(struct lexer *lx) {
  uint32_t n;
  if ((n = lex_comment(lx)))
    add_token(lx, CUL_TOKEN_COMMENT, n);
  else if ((n = lex_string(lx)))
    add_token(lx, CUL_TOKEN_STRING, n);
  else if ((n = lex_number(lx)))
    add_token(lx, CUL_TOKEN_NUMBER, n);
  else if (is_dimension_x(lx))
    add_token(lx, CUL_TOKEN_PUNCT, 1);
  else if ((n = lex_word(lx)))
    add_token(lx, CUL_TOKEN_WORD, n);
  else
    add_token(lx, CUL_TOKEN_PUNCT, lex_punct(lx));
}

/* ---- parts of a rough text ---- */

/* A part has about 1/PARTS of the bytes of the text.  It begins where few
 * brackets are open, so that functions stay whole, unless this makes one part
 * too large; then parts begin where more are open.  All depths are tried at the
 * same time, because the text is lexed only once. */
enum {
  PARTS = 1024,
  MOST_PARTS = 1 << 15, /* at one depth; a depth with more is given up */
  DEPTHS = 4,           /* open brackets where a part begins: at most 0, 1, 2,
                           any number */
  LARGEST = 8,          /* a unit is too large above 1/LARGEST of the text */
};

/* Lines between two places where a part may begin. */
struct unit {
  uint32_t start, first; /* byte, token */
  uint32_t depth, min;   /* open brackets: where it starts, the fewest */
};

struct depth {
  struct cul_line *parts;
  size_t n, cap;
  struct unit unit; /* the unit that is being read */
  uint32_t at;      /* open brackets where the last part begins */
  uint32_t largest; /* bytes of the largest unit */
  bool is_given_up;
};

struct rough {
  struct depth depths[DEPTHS];
  uint32_t open, min;  /* brackets: now, the fewest since the line started */
  uint32_t n_tokens;   /* in lines that were read */
  uint32_t part, most; /* bytes of a part, of a unit */
};

static bool is_plain(const struct cul_line *part) { return part->item == 0; }

/* End the unit at byte `end`, before this token, with `open` brackets open. The
 * unit becomes a part, or the end of the last part. */
static void end_unit(const struct rough *rough, struct depth *d, uint32_t end,
                     uint32_t token, uint32_t open) {
  const struct unit *unit = &d->unit;
  struct cul_line *last = d->n ? &d->parts[d->n - 1] : NULL;
  bool plain = unit->depth == open && unit->min == unit->depth;
  if (end == unit->start || d->is_given_up)
    return;
  if (end - unit->start > d->largest)
    d->largest = end - unit->start;
  if (!last || is_plain(last) != plain || (plain && d->at != open) ||
      last->end - last->start >= rough->part) {
    d->is_given_up = d->n == MOST_PARTS;
    if (d->is_given_up)
      return;
    last = &CUL_XADD(d->parts, d->n, d->cap);
    *last = (struct cul_line){.start = unit->start,
                              .first = unit->first,
                              .item = plain ? 0 : CUL_TEXT_NONE};
    d->at = unit->depth;
  }
  last->end = end;
  last->n = token - last->first;
}

/* Begin a unit at a line that starts there, at each depth that allows it. */
static void begin_units(struct rough *rough, uint32_t start) {
  for (uint32_t i = 0; i < DEPTHS; i++) {
    struct depth *d = &rough->depths[i];
    uint32_t open = i + 1 < DEPTHS ? rough->open : 0;
    if (open > i)
      continue;
    end_unit(rough, d, start, rough->n_tokens, open);
    d->unit = (struct unit){start, rough->n_tokens, open, open};
  }
}

static void count_bracket(struct rough *rough, const struct cul_text *text,
                          const struct cul_token *token) {
  char c = text->bytes[token->start];
  if (token->kind != CUL_TOKEN_PUNCT || token->len != 1)
    return;
  if (c == '(' || c == '[' || c == '{')
    rough->open++;
  else if ((c == ')' || c == ']' || c == '}') && rough->open)
    rough->open--;
  if (rough->open < rough->min)
    rough->min = rough->open;
}

/* Does the line belong to the one before it?  A { on its own line belongs to
 * its header, a blank line to the line before. */
static bool goes_on(const struct cul_text *text) {
  return text->n_tokens == 0 || (text->tokens[0].kind == CUL_TOKEN_PUNCT &&
                                 text->bytes[text->tokens[0].start] == '{');
}

/* Count the tokens and brackets of the line that starts there, and drop the
 * tokens. */
static void add_to_parts(struct rough *rough, struct cul_text *text,
                         uint32_t start) {
  if (!goes_on(text))
    begin_units(rough, start);
  rough->min = rough->open;
  for (size_t i = 0; i < text->n_tokens; i++)
    count_bracket(rough, text, &text->tokens[i]);
  for (uint32_t i = 0; i + 1 < DEPTHS; i++)
    if (rough->min < rough->depths[i].unit.min)
      rough->depths[i].unit.min = rough->min;
  rough->n_tokens += (uint32_t)text->n_tokens;
  text->n_tokens = 0;
}

/* Take the parts of the first depth at which none is too large. */
static void take_parts(struct rough *rough, struct cul_text *text) {
  struct depth *best = NULL;
  for (uint32_t i = 0; i < DEPTHS; i++) {
    struct depth *d = &rough->depths[i];
    end_unit(rough, d, (uint32_t)text->len, rough->n_tokens,
             i + 1 < DEPTHS ? rough->open : 0);
    if (!best && !d->is_given_up &&
        (d->largest <= rough->most || i + 1 == DEPTHS))
      best = d;
    else
      free(d->parts);
  }
  free(text->tokens);
  text->tokens = NULL;
  text->cap_tokens = 0;
  text->n_tokens = rough->n_tokens;
  text->lines = best->parts;
  text->n_lines = best->n;
  text->cap_lines = best->cap;
}

static struct rough begin_parts(const struct cul_text *text) {
  uint32_t len = (uint32_t)text->len;
  return (struct rough){.part = len / PARTS, .most = len / LARGEST};
}

/* ---- lines ---- */

static void add_line(const struct lexer *lx, uint32_t start, uint32_t end,
                     uint32_t first) {
  struct cul_text *text = lx->text;
  struct cul_line *line;
  if (lx->rough) {
    add_to_parts(lx->rough, text, start);
    return;
  }
  text->lines = cul_xgrow(text->lines, text->n_lines, &text->cap_lines,
                          sizeof *text->lines);
  line = &text->lines[text->n_lines++];
  *line = (struct cul_line){.start = start,
                            .end = end,
                            .first = first,
                            .n = (uint32_t)text->n_tokens - first,
                            .item = CUL_TEXT_NONE};
  line->indent = line->n ? text->tokens[first].start - start : 0;
}

void cul_text_lex(struct cul_text *text, size_t from) {
  struct rough rough = begin_parts(text);
  struct lexer lx = {.text = text,
                     .rough = text->state.rough ? &rough : NULL,
                     .bytes = text->bytes,
                     .len = (uint32_t)text->len,
                     .at = (uint32_t)from,
                     .lang = text->lang,
                     .words = text->words};
  uint32_t start = lx.at, first = (uint32_t)text->n_tokens;
  if (from == 0)
    learn_words(text);
  while (lx.at < lx.len) {
    unsigned char c = peek(&lx, 0);
    uint32_t joined = lex_continuation(&lx);
    if (joined) {
      lx.at += joined;
    } else if (c == '\n') {
      lx.at++;
      add_line(&lx, start, lx.at, first);
      start = lx.at;
      first = (uint32_t)text->n_tokens;
    } else if (isspace(c)) {
      lx.at++;
    } else {
      lex_token(&lx);
    }
  }
  if (start < lx.len)
    add_line(&lx, start, lx.len, first);
  if (lx.rough)
    take_parts(lx.rough, text);
}
