/* Syntax errors in Python that adjacent tokens show: see
 * python_syntax.h.
 *
 * Each token has a class, written as a letter.  The table `rules` lists the
 * classes that cannot follow a class; a token in doubt has the class 'x', which
 * may be anywhere. */
#include "python_syntax.h"

#include <ctype.h>
#include <string.h>

/* n: a name or value, q: a string, o s r: ( [ {, c: a closing bracket,
 * b: an operator between two operands, p: + or -, t: * or **, d: /,
 * i: in, u: not ~ await, l: lambda, e: = += :=, f: if, g: else,
 * k: what starts a statement, ^ and $: start and end of one. */
static const struct {
  char before;
  const char *not_behind;
} rules[] = {
    {'^', "bdie,c.:"},
    {'n', "nqrulk"},
    {'q', "nrulk"},
    {'c', "nqrulk"},
    {'b', "bdie,c.:$gfk"},
    {'i', "bdie,c.:$gfk"},
    {'p', "bdie,c.:$gfk"},
    {'u', "bdie,c.:$gfk"},
    {'e', "bdie,c.:$gfk"},
    {'t', "bdie.$gfk"},
    {'d', "bie.$gfk"},
    {'l', "bdiec.$gfk"},
    {'.', "bdie,c.:$tosrpulq"},
    {',', "b,.fgk"},
    {':', "bdie.g"},
    {'o', "bdie,.:fgk"},
    {'s', "bdie,.fgk"},
    {'r', "bdie,.:fgk"},
    {'f', "bdiec,.:$gfk"},
    {'g', "bdiec,.$fk"},
};

static bool may_follow(char before, char c) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rules); i++)
    if (rules[i].before == before)
      return !strchr(rules[i].not_behind, c);
  return true;
}

/* A walk over the tokens. */
struct walk {
  const struct cul_text *text;
  uint32_t at;    /* the next token */
  uint32_t depth; /* open brackets */
  char before;    /* the class of the token before */
  bool imports;   /* the statement is an import, with dots and stars */
  bool header;    /* it needs a ":" outside of brackets */
  bool opens;     /* it has such a ":" */
  bool ends_open; /* its last token is such a ":" */
  uint32_t indents[128];
  size_t n_indents;
};

static bool touches(const struct cul_text *text, uint32_t i) {
  return i + 1 < text->n_tokens &&
         text->tokens[i].start + text->tokens[i].len ==
             text->tokens[i + 1].start;
}

/* Copy the adjacent punctuation from token i on, such as "**=", which is one
 * token in Python; returns the number of tokens. */
static uint32_t length_of_mark(const struct cul_text *text, uint32_t i,
                               char *bytes, size_t room) {
  uint32_t n = 0;
  size_t len = 0;
  for (; i + n < text->n_tokens && text->tokens[i + n].kind == CUL_TOKEN_PUNCT;
       n++) {
    struct cul_bytes mark = cul_text_token(text, i + n);
    if (len + mark.len + 1 > room)
      break;
    memcpy(bytes + len, mark.data, mark.len);
    len += mark.len;
    if (!touches(text, i + n)) {
      n++;
      break;
    }
  }
  bytes[len] = '\0';
  return n;
}

static const struct mark {
  const char *text;
  char is;
} marks[] = {
    {"**=", 'e'}, {"//=", 'e'}, {"<<=", 'e'}, {">>=", 'e'}, {"...", 'n'},
    {"**", 't'},  {"//", 'b'},  {"<<", 'b'},  {">>", 'b'},  {"==", 'b'},
    {"!=", 'b'},  {"<=", 'b'},  {">=", 'b'},  {":=", 'e'},  {"+=", 'e'},
    {"-=", 'e'},  {"*=", 'e'},  {"/=", 'e'},  {"%=", 'e'},  {"@=", 'e'},
    {"&=", 'e'},  {"|=", 'e'},  {"^=", 'e'},  {"->", 'x'},  {"::", 'x'},
    {"++", 'p'},  {"--", 'p'},  {"&&", 'x'},  {"||", 'x'},  {"=>", 'x'},
    {"+", 'p'},   {"-", 'p'},   {"*", 't'},   {"/", 'd'},   {"%", 'b'},
    {"&", 'b'},   {"|", 'b'},   {"^", 'b'},   {"<", 'b'},   {">", 'b'},
    {"=", 'e'},   {":", ':'},   {",", ','},   {".", '.'},   {"~", 'u'},
    {"@", 'b'},   {";", ';'},
};

static char class_of_mark(struct walk *w) {
  const struct cul_text *text = w->text;
  char bytes[16];
  uint32_t n = length_of_mark(text, w->at, bytes, sizeof bytes);
  for (size_t k = 0; k < CUL_ARRAY_SIZE(marks); k++) {
    size_t len = strlen(marks[k].text), have = 0;
    uint32_t used = 0;
    if (strncmp(bytes, marks[k].text, len) != 0)
      continue;
    while (used < n && have < len)
      have += text->tokens[w->at + used++].len;
    if (have != len)
      return w->at++, 'x';
    used += marks[k].is == '.' && touches(text, w->at) && w->before != 'n' &&
            w->before != 'c' && w->before != 'q' &&
            text->tokens[w->at + 1].kind == CUL_TOKEN_NUMBER; /* .5 */
    w->at += used;
    if (used == 2 && marks[k].is == '.')
      return 'n';
    return marks[k].text[0] == '@' && len == 1 && w->before == '^'
               ? 'x'
               : marks[k].is;
  }
  return w->at++, 'x';
}

/* A number and a word without a space between, "1if x", are one token here. */
static char class_of_number(struct cul_bytes number) {
  for (size_t i = 0; i < number.len; i++)
    if (!isxdigit((unsigned char)number.data[i]) &&
        !strchr("xXoOjJ_.+-", number.data[i]))
      return 'x';
  return 'n';
}

static char class_of_keyword(struct cul_bytes word) {
  if (cul_bytes_among(word, " None True False "))
    return 'n';
  if (cul_bytes_among(word, " and or is "))
    return 'b';
  if (cul_bytes_among(word,
                      " return del assert while elif except finally try pass "
                      "break continue raise global nonlocal class "))
    return 'k';
  return cul_bytes_among(word, " in ")          ? 'i'
         : cul_bytes_among(word, " not await ") ? 'u'
         : cul_bytes_among(word, " lambda ")    ? 'l'
         : cul_bytes_among(word, " if ")        ? 'f'
         : cul_bytes_among(word, " else ")      ? 'g'
                                                : 'x';
}

static char class_of_word(struct walk *w) {
  const struct cul_text *text = w->text;
  struct cul_bytes word = cul_text_token(text, w->at);
  uint32_t i = w->at++;
  if (touches(text, i) && text->tokens[i + 1].kind == CUL_TOKEN_STRING &&
      !cul_lang_is_keyword(text->lang, word)) {
    w->at++; /* f"..." */
    return 'q';
  }
  if (w->before == '.')
    return 'n';
  if (strchr("^:", w->before))
    w->imports = cul_bytes_among(word, " import from ");
  if (w->before == '^') {
    w->header =
        cul_bytes_among(word, " def class if elif else for while try except "
                              "finally with async ");
    if (cul_bytes_among(word, " match case type print exec "))
      return 'x';
  }
  if (!cul_lang_is_keyword(text->lang, word))
    return 'n';
  if (cul_bytes_among(word, " not ") && w->at < text->n_tokens &&
      cul_text_token_is(text, w->at, "in"))
    return w->at++, 'b';
  return class_of_keyword(word);
}

static char next_class(struct walk *w) {
  const struct cul_token *token = &w->text->tokens[w->at];
  struct cul_bytes bytes = cul_text_token(w->text, w->at);
  switch (token->kind) {
  case CUL_TOKEN_WORD:
    return class_of_word(w);
  case CUL_TOKEN_NUMBER:
    return w->at++, class_of_number(bytes);
  case CUL_TOKEN_STRING:
    return w->at++, 'q';
  case CUL_TOKEN_OPEN:
    w->depth++, w->at++;
    return *bytes.data == '(' ? 'o' : *bytes.data == '[' ? 's' : 'r';
  case CUL_TOKEN_CLOSE:
    w->depth--, w->at++;
    return 'c';
  default:
    return class_of_mark(w);
  }
}

/* Read one token, or several that are one in Python; false: a syntax error. */
static bool step(struct walk *w) {
  char c = next_class(w);
  bool good;
  if (w->imports) {
    w->ends_open = false;
    return w->before = 'x', true;
  }
  if (c == ';')
    c = '$';
  /* "a, = b", but not f(a, = b). */
  good =
      may_follow(w->before, c) && !(w->before == ',' && c == 'e' && w->depth);
  w->ends_open = c == ':' && w->depth == 0;
  w->opens |= w->ends_open;
  w->before = c == '$' ? '^' : c;
  return good;
}

/* ---- statements and their depth ---- */

static bool end_statement(struct walk *w) {
  return w->before == '^' ||
         (may_follow(w->before, '$') && (!w->header || w->opens));
}

/* Enter or leave blocks for a line with this indentation.  False: it is deeper
 * and no header is before it, not deeper after a header, or that of no open
 * block. */
static bool indent(struct walk *w, uint32_t depth) {
  uint32_t now = w->n_indents ? w->indents[w->n_indents - 1] : 0;
  if (w->ends_open != (depth > now))
    return false;
  while (w->n_indents && w->indents[w->n_indents - 1] > depth)
    w->n_indents--;
  now = w->n_indents ? w->indents[w->n_indents - 1] : 0;
  if (depth > now) {
    if (!w->ends_open || w->n_indents == CUL_ARRAY_SIZE(w->indents))
      return false;
    w->indents[w->n_indents++] = depth;
  }
  return true;
}

static bool start_statement(struct walk *w, const struct cul_line *line) {
  bool good = end_statement(w) && indent(w, line->indent);
  w->before = '^';
  w->imports = w->header = w->opens = w->ends_open = false;
  return good;
}

/* ---- doubts ---- */

/* Has the string unbalanced braces, as the first of the three tokens here of
 * f"{x["y"]}"? */
static bool is_strange_string(const struct cul_text *text, uint32_t i) {
  struct cul_bytes bytes = cul_text_token(text, i);
  int open = 0;
  for (size_t k = 0; k < bytes.len; k++) {
    bool twice = k + 1 < bytes.len && bytes.data[k + 1] == bytes.data[k];
    if (open == 0 && twice && strchr("{}", bytes.data[k]))
      k++;
    else if (bytes.data[k] == '{')
      open++;
    else if (bytes.data[k] == '}')
      open--;
  }
  return open != 0;
}

static bool has_prefix(const struct cul_text *text, uint32_t i) {
  return i && text->tokens[i - 1].kind == CUL_TOKEN_WORD &&
         touches(text, i - 1);
}

static bool is_plain_indent(const struct cul_text *text,
                            const struct cul_line *line) {
  for (uint32_t i = 0; i < line->indent; i++)
    if (text->bytes[line->start + i] != ' ')
      return false;
  return true;
}

/* May the lexer and Python disagree about strings, or is there other
 * indentation than spaces? */
static bool is_doubtful(const struct cul_text *text) {
  if (text->len >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0)
    return true;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (cul_text_is_char(text, i, '\'') || cul_text_is_char(text, i, '"') ||
        cul_text_is_char(text, i, '\\') ||
        (text->tokens[i].kind == CUL_TOKEN_STRING && has_prefix(text, i) &&
         is_strange_string(text, i)))
      return true;
  for (size_t i = 0; i < text->n_lines; i++)
    if (!is_plain_indent(text, &text->lines[i]))
      return true;
  return false;
}

static bool is_lone_bracket(const struct cul_text *text, uint32_t i) {
  return text->tokens[i].kind == CUL_TOKEN_PUNCT && text->tokens[i].len == 1 &&
         strchr("()[]{}", text->bytes[text->tokens[i].start]);
}

bool cul_text_python_wrong(const struct cul_text *text, uint32_t *at) {
  struct walk w = {.text = text, .before = '^'};
  uint32_t last = CUL_TEXT_NONE;
  if (is_doubtful(text))
    return false;
  while (w.at < text->n_tokens) {
    const struct cul_token *token = &text->tokens[w.at];
    if (token->kind == CUL_TOKEN_COMMENT) {
      w.at++;
      continue;
    }
    *at = token->start;
    if (w.depth == 0 && token->line != last &&
        !start_statement(&w, &text->lines[token->line]))
      return true;
    if (is_lone_bracket(text, w.at) || !step(&w))
      return true;
    last = text->tokens[w.at - 1].line;
  }
  return !end_statement(&w) || w.ends_open;
}
