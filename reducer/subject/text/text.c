/* The text subject: open, edit, write.  See text.h. */
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"
#include "origins.h"
#include "pairs.h"

/* Fill an empty text from bytes, which it takes. */
static void fill(struct cul_text *text, char *bytes, size_t len,
                 const struct cul_lang *lang) {
  *text = (struct cul_text){.head = text->head,
                            .lang = lang,
                            .bytes = bytes,
                            .len = len,
                            .check = text->check,
                            .habits = text->habits,
                            .pairs = text->pairs};
  cul_text_lex(text);
  cul_text_match(text);
  cul_text_nest(text);
}

static void release(struct cul_text *text) {
  cul_text_names_free(text->names);
  for (size_t i = 0; i < text->n_with; i++)
    free(text->with[i]);
  free(text->with);
  free(text->tokens);
  free(text->lines);
  free(text->items);
  free(text->bytes);
  cul_text_places_free(text->places);
}

struct cul_text *cul_text_parse(struct cul_bytes bytes,
                                const struct cul_lang *lang) {
  struct cul_text *text = cul_xcalloc(1, sizeof *text);
  char *copy = cul_xmalloc(bytes.len + 1);
  if (bytes.len)
    memcpy(copy, bytes.data, bytes.len);
  copy[bytes.len] = '\0';
  fill(text, copy, bytes.len, lang);
  return text;
}

bool cul_text_is(const struct cul_text *text, const char *language) {
  return strcmp(text->lang->name, language) == 0;
}

int cul_text_new(const char *bytes, size_t len, uint8_t language,
                 struct cul_text **out, struct cul_err *err) {
  const struct cul_lang *lang = cul_lang_numbered(language);
  if (len >= CUL_TEXT_NONE)
    return cul_fail(err, CUL_EUSAGE, "reduce a part of it",
                    "a text of %zu bytes is too long", len);
  *out = cul_text_parse((struct cul_bytes){bytes, len},
                        lang ? lang : cul_lang_guess(bytes, len));
  return 0;
}

void cul_text_free(struct cul_subject *subject) {
  cul_text_habits_free(cul_text_of(subject)->habits);
  cul_text_pairs_free(cul_text_of(subject)->pairs);
  release(cul_text_of(subject));
  free(subject);
}

/* Would tokens that end with a and start with b read as one, or as others? */
static bool would_glue(const struct cul_text *text, unsigned char a,
                       unsigned char b) {
  bool after_word = isalnum(a) || a == '_' || a >= 0x80;
  bool word = isalnum(b) || b == '_' || b >= 0x80;
  if (text->lang->dimensions && b == 'x' && a && strchr("?]*", a))
    return true;
  if (a && strchr(text->lang->sigils, a))
    return word || b == '"' || (b && strchr(text->lang->word_chars, b));
  return after_word && word;
}

/* What stands before a token, back to the one before it. */
static struct cul_bytes gap_before(const struct cul_text *text, uint32_t i) {
  const struct cul_token *t = &text->tokens[i];
  uint32_t from = t[-1].start + t[-1].len;
  return (struct cul_bytes){text->bytes + from, t->start - from};
}

/* Were these tokens side by side before, though they look like one: 4x8?  The
 * x is a word's start, no more, once what it followed is gone. */
static bool were_joined(const struct cul_text *text, uint32_t i) {
  uint32_t at = text->tokens[i].start;
  if (i >= 2 && text->tokens[i - 2].dead && cul_text_token_is(text, i - 1, "x"))
    return false;
  return would_glue(text, (unsigned char)text->bytes[at - 1],
                    (unsigned char)text->bytes[at]);
}

/* Punctuation that stands close to what is before it. */
static bool leans_back(const struct cul_text *text, uint32_t i) {
  return cul_text_is_any(text, i, ",;") ||
         text->tokens[i].kind == CUL_TOKEN_CLOSE;
}

/* The gap before token i.  hole: the first of the erased tokens right before
 * it, or i: the gap there stays, not the one behind the hole. */
static void write_gap(const struct cul_text *text, uint32_t hole, uint32_t i,
                      struct cul_buf *out) {
  struct cul_bytes gap = gap_before(text, leans_back(text, i) ? i : hole);
  if (gap.len && text->one_space)
    cul_buf_addc(out, ' ');
  else
    cul_buf_add(out, gap.data, gap.len);
  if (gap.len == 0 && !(hole == i && were_joined(text, i)) &&
      would_glue(text, (unsigned char)out->data[out->len - 1],
                 (unsigned char)*cul_text_now(text, i).data))
    cul_buf_addc(out, ' ');
}

/* The line feed and trailing space; all of a line without tokens. */
static void write_rest(const struct cul_text *text, const struct cul_line *line,
                       struct cul_buf *out) {
  uint32_t from = line->start, end = line->end;
  if (line->n) {
    const struct cul_token *last = &text->tokens[line->first + line->n - 1];
    from = last->start + last->len;
  }
  if (!text->no_blanks)
    cul_buf_add(out, text->bytes + from, end - from);
  else if (line->n && end > from && text->bytes[end - 1] == '\n')
    cul_buf_addc(out, '\n');
}

static bool has_live_token(const struct cul_text *text,
                           const struct cul_line *line) {
  for (uint32_t i = line->first; i < line->first + line->n; i++)
    if (!text->tokens[i].dead)
      return true;
  return false;
}

/* What stands before token i, the first of a line that is left. */
static void write_start(const struct cul_text *text,
                        const struct cul_line *line, uint32_t i,
                        struct cul_buf *out) {
  if (!line->joined || !out->len) {
    if (!text->no_indent)
      cul_buf_add(out, text->bytes + line->start, line->indent - line->cut);
    return;
  }
  while (out->len > 1 && isspace((unsigned char)out->data[out->len - 1]))
    out->len--;
  if (!leans_back(text, i) && !strchr("([{", out->data[out->len - 1]))
    cul_buf_addc(out, ' ');
}

/* trail: filled; or NULL. */
static void write_line(const struct cul_text *text, const struct cul_line *line,
                       struct cul_text_trail *trail, struct cul_buf *out) {
  uint32_t hole = CUL_TEXT_NONE; /* the first erased token of a run */
  struct cul_bytes bytes;
  bool first = true;
  if (line->dead || (line->n && !has_live_token(text, line)))
    return;
  for (uint32_t i = line->first; i < line->first + line->n; i++) {
    if (text->tokens[i].dead) {
      hole = hole == CUL_TEXT_NONE ? i : hole;
      continue;
    }
    if (first)
      write_start(text, line, i, out);
    else
      write_gap(text, hole == CUL_TEXT_NONE ? i : hole, i, out);
    if (trail)
      cul_text_trail_add(trail, out->len, i);
    bytes = cul_text_now(text, i);
    cul_buf_add(out, bytes.data, bytes.len);
    hole = CUL_TEXT_NONE;
    first = false;
  }
  write_rest(text, line, out);
}

void cul_text_write(struct cul_subject *subject, struct cul_buf *out) {
  const struct cul_text *text = cul_text_of(subject);
  if (!text->edited) {
    cul_buf_add(out, text->bytes, text->len);
    return;
  }
  for (size_t i = 0; i < text->n_lines; i++)
    write_line(text, &text->lines[i], NULL, out);
}

static bool is_touched(const struct cul_text *text,
                       const struct cul_line *line) {
  for (uint32_t i = line->first; i < line->first + line->n; i++)
    if (text->tokens[i].dead || text->tokens[i].with)
      return true;
  return false;
}

/* Tokens of bytes, which it empties. */
static size_t count_tokens(const struct cul_text *text, struct cul_buf *bytes) {
  struct cul_text part = {.lang = text->lang};
  size_t n;
  part.len = bytes->len;
  part.bytes = cul_buf_take(bytes);
  cul_text_lex(&part);
  n = part.n_tokens;
  release(&part);
  return n;
}

/* Where no token spans lines, only lines with edits are looked at. */
void cul_text_measure(struct cul_subject *subject, struct cul_size *out) {
  const struct cul_text *text = cul_text_of(subject);
  struct cul_buf bytes = {0};
  if (text->edited &&
      (text->lang->block_comments || text->lang->triple_quotes)) {
    cul_text_write(subject, &bytes);
    out->ops = count_tokens(text, &bytes);
    return;
  }
  for (size_t i = 0; i < text->n_lines; i++) {
    const struct cul_line *line = &text->lines[i];
    bool touched = !line->dead && is_touched(text, line);
    if (touched)
      write_line(text, line, NULL, &bytes);
    if (!line->dead)
      out->ops += touched ? count_tokens(text, &bytes) : line->n;
  }
}

struct cul_text *cul_text_settled(struct cul_subject *subject) {
  struct cul_text *text = cul_text_of(subject);
  bool followed = text->head.kind && text->head.kind->origins;
  struct cul_text_places *places = NULL;
  struct cul_text_trail trail = {0};
  struct cul_buf bytes = {0};
  size_t len;
  if (!text->edited)
    return text;
  if (followed)
    places = cul_text_places_of(text);
  for (size_t i = 0; i < text->n_lines; i++)
    write_line(text, &text->lines[i], followed ? &trail : NULL, &bytes);
  release(text);
  len = bytes.len;
  /* The language stays: little may be left to guess it from. */
  fill(text, cul_buf_take(&bytes), len, text->lang);
  if (followed)
    cul_text_places_follow(text, places, &trail);
  return text;
}

void cul_text_become(struct cul_text *text, struct cul_buf *bytes) {
  size_t len = bytes->len;
  cul_buf_addc(bytes, '\0');
  release(text);
  fill(text, cul_buf_take(bytes), len, text->lang);
  text->edited = true;
}

bool cul_text_erase_line(struct cul_text *text, uint32_t line) {
  if (text->lines[line].dead)
    return false;
  return text->edited = text->lines[line].dead = true;
}

bool cul_text_erase_lines(struct cul_text *text, uint32_t first, uint32_t end) {
  bool any = false;
  for (uint32_t i = first; i < end; i++)
    any |= cul_text_erase_line(text, i);
  return any;
}

bool cul_text_erase_token(struct cul_text *text, uint32_t token) {
  struct cul_token *t = &text->tokens[token];
  if (t->dead || text->lines[t->line].dead)
    return false;
  return text->edited = t->dead = true;
}

bool cul_text_erase_tokens(struct cul_text *text, uint32_t first,
                           uint32_t end) {
  bool any = false;
  for (uint32_t i = first; i < end; i++)
    any |= cul_text_erase_token(text, i);
  return any;
}

void cul_text_outdent(struct cul_text *text, uint32_t first, uint32_t end,
                      uint32_t bytes) {
  for (struct cul_line *l = text->lines + first; l < text->lines + end; l++) {
    uint32_t left = l->indent - l->cut;
    l->cut += bytes < left ? bytes : left;
  }
  text->edited = true;
}

bool cul_text_replace(struct cul_text *text, uint32_t token, const char *with) {
  struct cul_token *t = &text->tokens[token];
  if (t->dead || t->with || text->lines[t->line].dead)
    return false;
  text->with =
      cul_xreallocarray(text->with, text->n_with + 1, sizeof *text->with);
  text->with[text->n_with++] = cul_xstrdup(with);
  t->with = (uint32_t)text->n_with;
  return text->edited = true;
}

void cul_text_rewrite(struct cul_text *text, uint32_t token, const char *with) {
  struct cul_token *t = &text->tokens[token];
  if (!t->with) {
    cul_text_replace(text, token, with);
    return;
  }
  free(text->with[t->with - 1]);
  text->with[t->with - 1] = cul_xstrdup(with);
}

const char *cul_text_replaced(const struct cul_text *text, uint32_t token) {
  uint32_t with = text->tokens[token].with;
  return with ? text->with[with - 1] : NULL;
}

struct cul_bytes cul_text_now(const struct cul_text *text, uint32_t token) {
  const char *with = cul_text_replaced(text, token);
  return with ? (struct cul_bytes){with, strlen(with)}
              : cul_text_token(text, token);
}

bool cul_text_is_live(const struct cul_text *text, uint32_t token) {
  return !text->tokens[token].dead &&
         !text->lines[text->tokens[token].line].dead;
}

struct cul_bytes cul_text_token(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  return (struct cul_bytes){text->bytes + t->start, t->len};
}

bool cul_text_token_is(const struct cul_text *text, uint32_t token,
                       const char *word) {
  struct cul_bytes bytes;
  if (token >= text->n_tokens)
    return false;
  bytes = cul_text_token(text, token);
  return strlen(word) == bytes.len && memcmp(bytes.data, word, bytes.len) == 0;
}

bool cul_text_starts(const struct cul_text *text, uint32_t token, char c) {
  return text->bytes[text->tokens[token].start] == c;
}

bool cul_text_is_marked(const struct cul_text *text, uint32_t token, char c) {
  return text->tokens[token].kind == CUL_TOKEN_WORD &&
         cul_text_starts(text, token, c);
}

bool cul_text_same(const struct cul_text *text, uint32_t a, uint32_t b) {
  struct cul_bytes x = cul_text_token(text, a), y = cul_text_token(text, b);
  return x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
}

bool cul_text_is_char(const struct cul_text *text, uint32_t token, char c) {
  const struct cul_token *t = text->tokens + token;
  return token < text->n_tokens && t->len == 1 && text->bytes[t->start] == c &&
         t->kind != CUL_TOKEN_WORD && t->kind != CUL_TOKEN_NUMBER;
}

bool cul_text_is_any(const struct cul_text *text, uint32_t token,
                     const char *chars) {
  for (; *chars; chars++)
    if (cul_text_is_char(text, token, *chars))
      return true;
  return false;
}

bool cul_text_is_word(const struct cul_text *text, uint32_t token,
                      const char *words) {
  return token < text->n_tokens &&
         cul_bytes_among(cul_text_token(text, token), words);
}

bool cul_text_opens(const struct cul_text *text, uint32_t token, char c) {
  return cul_text_is_char(text, token, c) &&
         text->tokens[token].kind == CUL_TOKEN_OPEN;
}

struct cul_bytes cul_text_directive(const struct cul_text *text,
                                    uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  if (!text->lang->directives || l->n < 2 ||
      !cul_text_is_char(text, l->first, '#'))
    return (struct cul_bytes){"", 0};
  return cul_text_token(text, l->first + 1);
}

bool cul_text_conditional(const struct cul_text *text, uint32_t line,
                          int *kind) {
  struct cul_bytes word = cul_text_directive(text, line);
  *kind = cul_bytes_among(word, " if ifdef ifndef ")     ? 1
          : cul_bytes_among(word, " else elif elifdef ") ? 0
                                                         : -1;
  return *kind >= 0 || cul_bytes_is(word, "endif");
}

uint32_t cul_text_first_token(const struct cul_text *text, uint32_t line) {
  return line < text->n_lines ? text->lines[line].first
                              : (uint32_t)text->n_tokens;
}

uint32_t cul_text_line_end(const struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  return l->first + l->n;
}

uint32_t cul_text_count(const struct cul_text *text, uint32_t first,
                        uint32_t end) {
  return cul_text_first_token(text, end) - cul_text_first_token(text, first);
}
