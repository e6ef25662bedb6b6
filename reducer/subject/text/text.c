/* The text subject: open, edit, write.  See text.h. */
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang.h"
#include "ops.h"

/* The new positions of tokens, recorded while a text is settled. */
struct cul_text_trail {
  struct cul_text_step {
    uint32_t at, token;
  } *steps;
  size_t n, cap;
};

/* ---- origins ---- */

/* The positions of tokens in the text that was opened.  Edits move tokens, and
 * each revision is parsed again. */

/* Both from 1; 0: an edit made the token. */
struct place {
  uint32_t line, column;
};

struct cul_text_places {
  struct place *of; /* index: token */
};

static void text_trail_add(struct cul_text_trail *trail, size_t at,
                           uint32_t token) {
  CUL_XADD(trail->steps, trail->n, trail->cap) =
      (struct cul_text_step){(uint32_t)at, token};
}

static struct cul_text_places *new_places(size_t n) {
  struct cul_text_places *places = cul_xcalloc(1, sizeof *places);
  places->of = cul_xcalloc(n + 1, sizeof *places->of);
  return places;
}

static void text_places_free(struct cul_text_places *places) {
  if (!places)
    return;
  free(places->of);
  free(places);
}

/* The places of all tokens of text, before it is settled; heap. */
static struct cul_text_places *text_places_of(const struct cul_text *text) {
  struct cul_text_places *places = new_places(text->n_tokens);
  uint32_t line = 1, start = 0, at = 0;
  if (text->places) {
    memcpy(places->of, text->places->of, text->n_tokens * sizeof *places->of);
    return places;
  }
  for (size_t i = 0; i < text->n_tokens; i++) {
    for (; at < text->tokens[i].start; at++)
      if (text->bytes[at] == '\n') {
        line++;
        start = at + 1;
      }
    places->of[i] = (struct place){line, at - start + 1};
  }
  return places;
}

/* Map the places of `before`, which are taken over, to the tokens of text,
 * which was written with this trail and parsed again.  Releases the trail. */
static void text_places_follow(struct cul_text *text,
                               struct cul_text_places *before,
                               struct cul_text_trail *trail) {
  size_t step = 0;
  text->places = new_places(text->n_tokens);
  for (size_t i = 0; i < text->n_tokens; i++) {
    while (step < trail->n && trail->steps[step].at < text->tokens[i].start)
      step++;
    if (step < trail->n && trail->steps[step].at == text->tokens[i].start)
      text->places->of[i] = before->of[trail->steps[step].token];
  }
  text_places_free(before);
  free(trail->steps);
  *trail = (struct cul_text_trail){0};
}

/* Append "NAME:LINE:COLUMN", with the name of the opened text. */
static void add_origin(struct cul_bytes name, struct place place,
                       struct cul_buf *out) {
  bool quoted = name.len > 1 && name.data[0] == '"';
  cul_buf_add(out, name.data + quoted, name.len - 2 * quoted);
  cul_buf_addc(out, '\t');
  if (place.line)
    cul_buf_addf(out, "\"-\":%u:%u", place.line, place.column);
  cul_buf_addc(out, '\n');
}

void cul_text_origins(struct cul_subject *subject, struct cul_buf *out) {
  const struct cul_text *text = cul_text_settled(subject);
  struct cul_text_places *places = text_places_of(text);
  uint32_t module = cul_text_whole_module(text);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t op = cul_text_op(text, i);
    if (op != CUL_TEXT_NONE && i != module)
      add_origin(cul_text_token(text, op), places->of[op], out);
  }
  text_places_free(places);
}

/* ---- text ---- */

/* Initialise a text without tokens; takes over bytes. */
static void empty(struct cul_text *text, char *bytes, size_t len,
                  const struct cul_lang *lang) {
  *text = (struct cul_text){.head = text->head,
                            .lang = lang,
                            .bytes = bytes,
                            .len = len,
                            .state = {.check = text->state.check},
                            .habits = text->habits,
                            .pairs = text->pairs};
}

/* Find the brackets and items of the tokens. */
static void arrange(struct cul_text *text) {
  text->marks = cul_xcalloc(text->n_lines + 1, sizeof *text->marks);
  if (text->state.rough)
    return;
  cul_text_match(text);
  cul_text_nest(text);
}

/* Move the tokens and lines of another text with the same bytes. */
static void take_lexed(struct cul_text *text, const struct cul_text *from) {
  text->tokens = from->tokens;
  text->n_tokens = from->n_tokens;
  text->cap_tokens = from->cap_tokens;
  text->lines = from->lines;
  text->n_lines = from->n_lines;
  text->cap_lines = from->cap_lines;
  memcpy(text->words, from->words, sizeof text->words);
}

/* Lex bytes into a text; takes them over. */
static void fill(struct cul_text *text, char *bytes, size_t len,
                 const struct cul_lang *lang) {
  empty(text, bytes, len, lang);
  cul_text_lex(text, 0);
  arrange(text);
}

static void names_free(struct cul_text_names *names) {
  if (!names)
    return;
  free(names->def);
  free(names->first_use);
  free(names->uses);
  free(names->shared);
  free(names->shapes);
  free(names);
}

static void release(struct cul_text *text) {
  names_free(text->names);
  for (size_t i = 0; i < text->n_with; i++)
    free(text->with[i]);
  free(text->with);
  free(text->tokens);
  free(text->lines);
  free(text->marks);
  free(text->items);
  if (!text->state.borrowed)
    free(text->bytes);
  text_places_free(text->places);
}

static char *copy_of(struct cul_bytes bytes) {
  char *copy = cul_xmalloc(bytes.len + 1);
  if (bytes.len)
    memcpy(copy, bytes.data, bytes.len);
  copy[bytes.len] = '\0';
  return copy;
}

struct cul_text *cul_text_parse(struct cul_bytes bytes,
                                const struct cul_lang *lang) {
  struct cul_text *text = cul_xcalloc(1, sizeof *text);
  fill(text, copy_of(bytes), bytes.len, lang);
  return text;
}

int cul_text_new(struct cul_bytes bytes, struct cul_reading how, bool parts,
                 struct cul_text **out, struct cul_err *err) {
  const struct cul_lang *lang = cul_lang_numbered(how.language);
  struct cul_text *text;
  if (bytes.len >= CUL_TEXT_NONE)
    return cul_fail(err, CUL_EUSAGE, "reduce a part of it",
                    "a text of %zu bytes is too long", bytes.len);
  if (!lang)
    lang = cul_lang_guess(bytes.data, bytes.len);
  if (!parts || bytes.len < CUL_TEXT_ROUGH) {
    *out = cul_text_parse(bytes, lang);
    return 0;
  }
  *out = text = cul_xcalloc(1, sizeof *text);
  empty(text, how.lives ? (char *)bytes.data : copy_of(bytes), bytes.len, lang);
  text->state.borrowed = how.lives;
  text->state.rough = true;
  cul_text_lex(text, 0);
  arrange(text);
  return 0;
}

void cul_text_free(struct cul_subject *subject) {
  cul_text_habits_free(cul_text_of(subject)->habits);
  free(cul_text_of(subject)->pairs);
  release(cul_text_of(subject));
  free(subject);
}

/* Would a token that ends with a and a token that starts with b be lexed
 * differently if they were adjacent? */
static bool would_glue(const struct cul_text *text, unsigned char a,
                       unsigned char b) {
  bool after_word = isalnum(a) || a == '_' || a >= 0x80;
  bool word = isalnum(b) || b == '_' || b >= 0x80;
  if (text->lang->dimensions && b == 'x' && a && strchr("?]*", a))
    return true;
  word |= b && strchr(text->lang->word_chars, b);
  if (a && strchr(text->lang->sigils, a))
    return word || b == '"';
  return after_word && word;
}

/* The text between a token and the one before it. */
static struct cul_bytes gap_before(const struct cul_text *text, uint32_t i) {
  const struct cul_token *t = &text->tokens[i];
  uint32_t from = t[-1].start + t[-1].len;
  return (struct cul_bytes){text->bytes + from, t->start - from};
}

/* Were these tokens adjacent in the original, although they would be lexed as
 * one, as in 4x8?  Not if the token before the x was erased, because x would
 * then begin a word. */
static bool were_joined(const struct cul_text *text, uint32_t i) {
  uint32_t at = text->tokens[i].start;
  if (i >= 2 && text->tokens[i - 2].dead && cul_text_token_is(text, i - 1, "x"))
    return false;
  return would_glue(text, (unsigned char)text->bytes[at - 1],
                    (unsigned char)text->bytes[at]);
}

/* Is it punctuation that directly follows the token before it? */
static bool leans_back(const struct cul_text *text, uint32_t i) {
  return cul_text_is_any(text, i, ",;") ||
         text->tokens[i].kind == CUL_TOKEN_CLOSE;
}

/* Write the gap before token i.  hole: the first of the erased tokens directly
 * before it, or i.  The gap before the hole is kept, not the one after it. */
static void write_gap(const struct cul_text *text, uint32_t hole, uint32_t i,
                      struct cul_buf *out) {
  struct cul_bytes gap = gap_before(text, leans_back(text, i) ? i : hole);
  if (gap.len && text->spaces.one_space)
    cul_buf_addc(out, ' ');
  else
    cul_buf_add(out, gap.data, gap.len);
  if (gap.len == 0 && !(hole == i && were_joined(text, i)) &&
      would_glue(text, (unsigned char)out->data[out->len - 1],
                 (unsigned char)*cul_text_now(text, i).data))
    cul_buf_addc(out, ' ');
}

/* Write the line feed and trailing space; for a line without tokens, the whole
 * line. */
static void write_rest(const struct cul_text *text, const struct cul_line *line,
                       struct cul_buf *out) {
  uint32_t from = line->start, end = line->end;
  if (line->n) {
    const struct cul_token *last = &text->tokens[line->first + line->n - 1];
    from = last->start + last->len;
  }
  if (!text->spaces.no_blanks)
    cul_buf_add(out, text->bytes + from, end - from);
  else if (line->n && end > from && text->bytes[end - 1] == '\n')
    cul_buf_addc(out, '\n');
}

static uint8_t mark_of(const struct cul_text *text,
                       const struct cul_line *line) {
  return text->marks[line - text->lines];
}

/* Are unmarked lines written unchanged? */
static bool is_written_as_is(const struct cul_text *text) {
  return !text->spaces.one_space && !text->spaces.no_blanks &&
         !text->spaces.no_indent;
}

static bool has_live_token(const struct cul_text *text,
                           const struct cul_line *line) {
  for (uint32_t i = line->first; i < line->first + line->n; i++)
    if (!text->tokens[i].dead)
      return true;
  return false;
}

/* Write the text before token i, the first of its line that is not erased. */
static void write_start(const struct cul_text *text,
                        const struct cul_line *line, uint32_t i,
                        struct cul_buf *out) {
  if (!(mark_of(text, line) & CUL_LINE_JOINED) || !out->len) {
    if (!text->spaces.no_indent)
      cul_buf_add(out, text->bytes + line->start, line->indent - line->cut);
    return;
  }
  while (out->len > 1 && isspace((unsigned char)out->data[out->len - 1]))
    out->len--;
  if (!leans_back(text, i) && !strchr("([{", out->data[out->len - 1]))
    cul_buf_addc(out, ' ');
}

/* Write a line.  trail: filled; or NULL. */
static void write_line(const struct cul_text *text, const struct cul_line *line,
                       struct cul_text_trail *trail, struct cul_buf *out) {
  uint32_t hole = CUL_TEXT_NONE; /* the first of consecutive erased tokens */
  struct cul_bytes bytes;
  bool first = true;
  uint8_t mark = mark_of(text, line);
  if (mark & CUL_LINE_DEAD ||
      (mark & CUL_LINE_TOUCHED && !has_live_token(text, line)))
    return;
  if (!trail && !mark && is_written_as_is(text)) {
    cul_buf_add(out, text->bytes + line->start, line->end - line->start);
    return;
  }
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
      text_trail_add(trail, out->len, i);
    bytes = cul_text_now(text, i);
    cul_buf_add(out, bytes.data, bytes.len);
    hole = CUL_TEXT_NONE;
    first = false;
  }
  write_rest(text, line, out);
}

/* The end of the unchanged lines that begin at i. */
static size_t plain_end(const struct cul_text *text, size_t i) {
  if (!is_written_as_is(text))
    return i;
  while (i < text->n_lines && !text->marks[i])
    i++;
  return i;
}

/* The bytes of lines [first, end). */
static struct cul_bytes bytes_of_lines(const struct cul_text *text,
                                       size_t first, size_t end) {
  uint32_t from = text->lines[first].start;
  return (struct cul_bytes){text->bytes + from,
                            text->lines[end - 1].end - from};
}

void cul_text_pieces(struct cul_subject *subject, struct cul_pieces *out) {
  const struct cul_text *text = cul_text_of(subject);
  if (!text->edited)
    cul_pieces_add(out, text->bytes, text->len);
  for (size_t i = 0; text->edited && i < text->n_lines;) {
    size_t end = plain_end(text, i);
    if (end > i) {
      struct cul_bytes plain = bytes_of_lines(text, i, end);
      cul_pieces_add(out, plain.data, plain.len);
      i = end;
      continue;
    }
    if ((text->marks[i] & (CUL_LINE_JOINED | CUL_LINE_DEAD)) == CUL_LINE_JOINED)
      cul_pieces_flatten(out); /* it changes the text before it */
    write_line(text, &text->lines[i++], NULL, &out->own);
  }
}

/* Can a token continue on the next line? */
static bool has_long_tokens(const struct cul_lang *lang) {
  return lang->block_comments || lang->triple_quotes || lang->raw_strings;
}

/* Lex the written lines of part, from offset `from` on.  False: the last token
 * may continue after them. */
static bool lex_part(struct cul_text *part, size_t from) {
  const struct cul_token *last;
  cul_text_lex(part, from);
  if (part->n_tokens == 0 || !has_long_tokens(part->lang))
    return true;
  last = &part->tokens[part->n_tokens - 1];
  return last->start + last->len < part->len ||
         (last->kind != CUL_TOKEN_STRING && last->kind != CUL_TOKEN_COMMENT);
}

/* Can the written line be lexed on its own?  Not if it is joined to another
 * line, or if it was changed and tokens can span lines. */
static bool stands_alone(const struct cul_text *text,
                         const struct cul_line *line) {
  return !(mark_of(text, line) & CUL_LINE_JOINED) && is_written_as_is(text);
}

/* The number of tokens of bytes, which is emptied.  *open: the last one may
 * continue. */
static size_t count_tokens(const struct cul_text *text, struct cul_buf *bytes,
                           bool *open) {
  struct cul_text part = {.lang = text->lang};
  size_t n;
  part.len = bytes->len;
  part.bytes = cul_buf_take(bytes);
  *open |= !lex_part(&part, 0);
  n = part.n_tokens;
  release(&part);
  return n;
}

/* Count the tokens.  Only lines with edits are lexed, unless one of them may
 * affect others. */
void cul_text_measure(struct cul_subject *subject, struct cul_size *out) {
  const struct cul_text *text = cul_text_of(subject);
  bool strict = has_long_tokens(text->lang), whole = false;
  struct cul_buf bytes = {0};
  out->ops = 0;
  if (!text->edited) {
    out->ops = text->n_tokens;
    return;
  }
  for (size_t i = 0, end; i < text->n_lines && !whole; i++) {
    const struct cul_line *line = &text->lines[i];
    bool touched = text->marks[i] & CUL_LINE_TOUCHED;
    if (cul_text_is_dead(text, (uint32_t)i))
      continue;
    end = plain_end(text, i);
    if (end > i) {
      out->ops += cul_text_count(text, (uint32_t)i, (uint32_t)end);
      i = end - 1;
      continue;
    }
    whole = strict && !stands_alone(text, line);
    if (touched)
      write_line(text, line, NULL, &bytes);
    out->ops += touched ? count_tokens(text, &bytes, &whole) : line->n;
  }
  if (whole) {
    CUL_OWNED(cul_pieces) all = {.own = bytes};
    cul_text_pieces(subject, &all);
    cul_pieces_flatten(&all);
    out->ops = count_tokens(text, &all.own, &whole);
  }
}

/* ---- settling ---- */

/* Append the unchanged lines [first, end) with moved tokens.  The matches of
 * brackets are reset. */
static void renew_plain(const struct cul_text *text, size_t first, size_t end,
                        struct cul_text *out, struct cul_buf *bytes) {
  struct cul_bytes plain = bytes_of_lines(text, first, end);
  uint32_t from = text->lines[first].first, at = text->lines[first].start;
  uint32_t to = cul_text_first_token(text, (uint32_t)end);
  uint32_t by = (uint32_t)bytes->len - at;
  uint32_t tokens = (uint32_t)out->n_tokens - from;
  uint32_t lines = (uint32_t)(out->n_lines - first);
  for (uint32_t i = from; i < to; i++) {
    struct cul_token *token =
        &CUL_XADD(out->tokens, out->n_tokens, out->cap_tokens);
    *token = text->tokens[i];
    token->start += by;
    token->line += lines;
    token->match = CUL_TEXT_NONE;
    if (token->kind == CUL_TOKEN_OPEN || token->kind == CUL_TOKEN_CLOSE)
      token->kind = CUL_TOKEN_PUNCT;
  }
  for (size_t i = first; i < end; i++) {
    const struct cul_line *old = &text->lines[i];
    CUL_XADD(out->lines, out->n_lines, out->cap_lines) =
        (struct cul_line){.start = old->start + by,
                          .end = old->end + by,
                          .first = old->first + tokens,
                          .n = old->n,
                          .item = CUL_TEXT_NONE,
                          .indent = old->indent};
  }
  cul_buf_add(bytes, plain.data, plain.len);
}

/* Does a backslash join the line with the next? */
static bool is_continued(const struct cul_lang *lang, struct cul_bytes line) {
  return lang->continued &&
         (cul_bytes_end(line, "\\\n") || cul_bytes_end(line, "\\\r\n"));
}

/* Append the edited line.  False: it cannot be lexed on its own. */
static bool renew_edited(const struct cul_text *text,
                         const struct cul_line *line, struct cul_text *out,
                         struct cul_buf *bytes) {
  size_t from = bytes->len;
  if (!stands_alone(text, line))
    return false;
  write_line(text, line, NULL, bytes);
  out->bytes = bytes->data;
  out->len = bytes->len;
  return !is_continued(text->lang, cul_buf_bytes(bytes)) &&
         (bytes->len == from || lex_part(out, from));
}

/* Allocate room for the remaining text and little more. */
static void make_room(const struct cul_text *text, struct cul_text *out,
                      struct cul_buf *bytes) {
  size_t len = 0;
  for (const struct cul_line *l = text->lines; l < text->lines + text->n_lines;
       l++) {
    if (mark_of(text, l) & CUL_LINE_DEAD)
      continue;
    len += l->end - l->start;
    out->cap_tokens += l->n;
    out->cap_lines++;
  }
  out->tokens = cul_xreallocarray(NULL, ++out->cap_tokens, sizeof *out->tokens);
  out->lines = cul_xreallocarray(NULL, ++out->cap_lines, sizeof *out->lines);
  cul_buf_reserve(bytes, len);
}

/* Compute the tokens, lines and bytes of the written text from those of text,
 * without a parse.  False: that is impossible; out and bytes are then empty. */
static bool renew(const struct cul_text *text, struct cul_text *out,
                  struct cul_buf *bytes) {
  bool done = true;
  make_room(text, out, bytes);
  memcpy(out->words, text->words, sizeof out->words);
  for (size_t i = 0; i < text->n_lines && done;) {
    size_t end = plain_end(text, i);
    if (end > i)
      renew_plain(text, i, end, out, bytes);
    else
      done = cul_text_is_dead(text, (uint32_t)i) ||
             renew_edited(text, &text->lines[i], out, bytes);
    i = end > i ? end : i + 1;
  }
  if (done)
    return true;
  free(out->tokens);
  free(out->lines);
  *out = (struct cul_text){.lang = text->lang};
  cul_buf_clear(bytes);
  return false;
}

/* Settle a rough text: remove its dead parts.  parts: as in cul_text_settle. */
static void settle_rough(struct cul_text *text, bool parts) {
  struct cul_pieces left = {0};
  if (text->edited) {
    cul_text_pieces((struct cul_subject *)text, &left);
    cul_pieces_flatten(&left);
    release(text);
    empty(text, NULL, left.own.len, text->lang);
    text->bytes = cul_buf_take(&left.own);
    cul_pieces_release(&left);
  } else if (parts) {
    return;
  }
  free(text->lines);
  free(text->marks);
  text->lines = NULL;
  text->n_lines = text->cap_lines = text->n_tokens = 0;
  text->state.rough = parts && text->len >= CUL_TEXT_ROUGH_LEAST;
  cul_text_lex(text, 0);
  arrange(text);
}

struct cul_text *cul_text_settle(struct cul_subject *subject, bool parts) {
  struct cul_text *text = cul_text_of(subject);
  bool followed = text->head.kind && text->head.kind->origins, renewed;
  struct cul_text next = {.lang = text->lang};
  struct cul_text_places *places = NULL;
  struct cul_text_trail trail = {0};
  struct cul_buf bytes = {0};
  size_t len;
  if (text->state.rough)
    settle_rough(text, parts);
  if (!text->edited)
    return text;
  if (followed)
    places = text_places_of(text);
  renewed = !followed && renew(text, &next, &bytes);
  for (size_t i = 0; i < text->n_lines && !renewed; i++)
    write_line(text, &text->lines[i], followed ? &trail : NULL, &bytes);
  release(text);
  len = bytes.len;
  /* The language stays, because too little may be left to guess it. */
  empty(text, cul_buf_take(&bytes), len, text->lang);
  if (renewed)
    take_lexed(text, &next);
  else
    cul_text_lex(text, 0);
  arrange(text);
  if (followed)
    text_places_follow(text, places, &trail);
  return text;
}

void cul_text_become(struct cul_text *text, struct cul_buf *bytes) {
  size_t len = bytes->len;
  cul_buf_addc(bytes, '\0');
  release(text);
  fill(text, cul_buf_take(bytes), len, text->lang);
  text->edited = true;
}
