/* Text to tokens and lines: see text.h.  Every byte is looked at once. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Where the lexer stands. */
struct lexer {
  struct cul_text *text;
  const char *bytes;
  uint32_t len, at;
  uint32_t no_quotes; /* up to here a quote is a character like any other */
  const struct cul_lang *lang;
  const bool *words; /* characters of words */
};

/* The character n bytes ahead; 0 behind the end. */
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
    return false; /* the rule: this is asked for each mark at each token */
  n = strlen(what);
  return lx->len - lx->at >= n && memcmp(lx->bytes + lx->at, what, n) == 0;
}

static uint32_t to_line_end(const struct lexer *lx) {
  const char *feed = memchr(lx->bytes + lx->at, '\n', lx->len - lx->at);
  return feed ? (uint32_t)(feed - lx->bytes) - lx->at : lx->len - lx->at;
}

/* Length up to and with the terminator, or to the end of the text. */
static uint32_t to_terminator(const struct lexer *lx, uint32_t skip,
                              const char *terminator) {
  const char *found = memmem(lx->bytes + lx->at + skip, lx->len - lx->at - skip,
                             terminator, strlen(terminator));
  if (!found)
    return lx->len - lx->at;
  return (uint32_t)(found - lx->bytes) - lx->at + (uint32_t)strlen(terminator);
}

/* A quoted run from a quote at `skip`; 0 where the line ends first. */
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
  /* The rest of the line is not searched again: linear time. */
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

/* The x of 4x8xf32: behind a number or a ? and before a dimension or type. */
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

/* A backslash that joins this line and the next. */
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

static void add_line(struct cul_text *text, uint32_t start, uint32_t end,
                     uint32_t first) {
  struct cul_line *line;
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
  struct lexer lx = {.text = text,
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
      add_line(text, start, ++lx.at, first);
      start = lx.at;
      first = (uint32_t)text->n_tokens;
    } else if (isspace(c)) {
      lx.at++;
    } else {
      lex_token(&lx);
    }
  }
  if (start < lx.len)
    add_line(text, start, lx.len, first);
}
