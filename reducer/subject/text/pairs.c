/* Kinds of tokens side by side: see pairs.h.
 *
 * Kinds: a keyword, a mark, a bracket is one of its own; so is the end of a
 * line, deeper, shallower or as deep as the next one where indentation counts;
 * all names are one, numbers, strings.  Pairs are kept by a hash: two that
 * share it cost a run, no more. */
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_BITS = 18 };

struct cul_text_pairs {
  uint8_t seen[(1 << PAIR_BITS) / 8];
};

/* Kinds that are no text. */
enum { NAME = 1, NUMBER, STRING, SAME_DEPTH, DEEPER, SHALLOWER };

/* Tokens of all candidates of one listing together. */
static const uint64_t most_work = 20 * 1000 * 1000;

void cul_text_pairs_free(struct cul_text_pairs *pairs) { free(pairs); }

/* FNV-1a. */
static uint32_t hash(uint32_t h, const void *data, size_t len) {
  const unsigned char *at = data;
  for (size_t i = 0; i < len; i++)
    h = (h ^ at[i]) * 16777619u;
  return h;
}

static const uint32_t hash_start = 2166136261u;

static uint32_t kind_of_text(struct cul_bytes text) {
  return hash(hash_start, text.data, text.len);
}

static uint32_t kind_of_word(const struct cul_lang *lang,
                             struct cul_bytes word) {
  if (word.len > 1 && strchr(lang->sigils, word.data[0]))
    return kind_of_text((struct cul_bytes){word.data, 1});
  return cul_lang_is_keyword(lang, word) ? kind_of_text(word) : NAME;
}

/* What is written in place of a token is of its kind, as numbers are, or a
 * word. */
static uint32_t kind_of(const struct cul_text *text, uint32_t token) {
  switch (text->tokens[token].kind) {
  case CUL_TOKEN_NUMBER:
    return NUMBER;
  case CUL_TOKEN_STRING:
    return STRING;
  case CUL_TOKEN_WORD:
    return kind_of_word(text->lang, cul_text_now(text, token));
  default:
    return kind_of_text(cul_text_token(text, token));
  }
}

/* A walk over what is live, pair by pair. */
struct walk {
  const struct cul_text *text;
  const uint32_t *kinds; /* of its tokens */
  uint32_t before;       /* kind of the token before; 0: none yet */
  uint32_t depth;        /* open brackets */
  uint32_t indent;       /* of the last line that counts */
  bool loose;            /* a bracket has lost its partner */
  void (*pair)(void *self, uint32_t pair);
  void *self;
};

static void step(struct walk *walk, uint32_t kind) {
  uint32_t both[2] = {walk->before, kind};
  walk->pair(walk->self, hash(hash_start, both, sizeof both));
  walk->before = kind;
}

/* The end of the line before, as the first token of this one stands. */
static void step_line(struct walk *walk, const struct cul_line *line) {
  uint32_t indent = line->indent - line->cut;
  uint32_t kind = SAME_DEPTH;
  if (walk->text->lang->directives) /* white space, like any other */
    return;
  if (walk->text->lang->indents) {
    if (walk->depth)
      return;
    kind = indent > walk->indent   ? DEEPER
           : indent < walk->indent ? SHALLOWER
                                   : SAME_DEPTH;
    walk->indent = indent;
  }
  step(walk, kind);
}

static void step_token(struct walk *walk, uint32_t i) {
  const struct cul_token *token = &walk->text->tokens[i];
  walk->loose |= token->match != CUL_TEXT_NONE &&
                 !cul_text_is_live(walk->text, token->match);
  if (token->kind == CUL_TOKEN_OPEN)
    walk->depth++;
  if (token->kind == CUL_TOKEN_CLOSE && walk->depth)
    walk->depth--;
  step(walk, token->with ? kind_of(walk->text, i) : walk->kinds[i]);
}

static void walk_line(struct walk *walk, const struct cul_line *line) {
  bool first = true;
  for (uint32_t i = line->first; i < line->first + line->n; i++) {
    if (walk->text->tokens[i].dead ||
        walk->text->tokens[i].kind == CUL_TOKEN_COMMENT)
      continue;
    if (first)
      step_line(walk, line);
    first = false;
    step_token(walk, i);
  }
}

static void walk_text(struct walk *walk) {
  walk->before = SAME_DEPTH;
  walk->depth = walk->indent = 0;
  for (size_t i = 0; i < walk->text->n_lines; i++)
    if (!walk->text->lines[i].dead)
      walk_line(walk, &walk->text->lines[i]);
  walk->depth = 0;
  step(walk, SAME_DEPTH);
}

static uint32_t *kinds_of(const struct cul_text *text) {
  uint32_t *kinds = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *kinds);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    kinds[i] = kind_of(text, i);
  return kinds;
}

static bool has_grammar(const struct cul_text *text) {
  return text->lang->keywords || *text->lang->sigils;
}

static uint32_t place_of(uint32_t pair) { return pair >> (32 - PAIR_BITS); }

static void learn(void *self, uint32_t pair) {
  struct cul_text_pairs *pairs = self;
  pairs->seen[place_of(pair) / 8] |= (uint8_t)(1 << place_of(pair) % 8);
}

void cul_text_learn_pairs(struct cul_subject *subject) {
  struct cul_text *text = cul_text_of(subject);
  struct walk walk = {.text = text, .pair = learn};
  uint32_t *kinds;
  if (!has_grammar(text))
    return;
  if (!text->pairs)
    text->pairs = cul_xcalloc(1, sizeof *text->pairs);
  walk.self = text->pairs;
  walk.kinds = kinds = kinds_of(text);
  walk_text(&walk);
  free(kinds);
}

/* The text as it was, to take edits back. */
struct cul_text_trial {
  struct cul_text *text, before;
  struct cul_token *tokens;
  struct cul_line *lines;
  uint32_t *kinds;
  struct cul_novel *out;
};

void *cul_text_try(struct cul_subject *subject, size_t n) {
  struct cul_text *text = cul_text_of(subject);
  struct cul_text_trial *trial;
  if (!text->pairs || text->edited || n * text->n_tokens > most_work)
    return NULL;
  trial = cul_xcalloc(1, sizeof *trial);
  trial->text = text;
  trial->before = *text;
  trial->kinds = kinds_of(text);
  trial->tokens =
      cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *trial->tokens);
  trial->lines =
      cul_xreallocarray(NULL, text->n_lines + 1, sizeof *trial->lines);
  memcpy(trial->tokens, text->tokens, text->n_tokens * sizeof *trial->tokens);
  memcpy(trial->lines, text->lines, text->n_lines * sizeof *trial->lines);
  return trial;
}

static void look(void *self, uint32_t pair) {
  struct cul_text_trial *trial = self;
  const struct cul_text_pairs *pairs = trial->before.pairs;
  uint32_t *what = trial->out->what;
  if ((pairs->seen[place_of(pair) / 8] >> place_of(pair) % 8) & 1)
    return;
  pair |= 2; /* neither 0 nor CUL_NOVEL_ALONE */
  if (!what[0])
    what[0] = pair;
  else if (pair != what[0])
    what[1] = pair;
}

/* What a mutation may change: tokens and lines in place, replacements, what
 * the text is written like; names are computed once and stay. */
static void take_back(struct cul_text_trial *trial) {
  struct cul_text *text = trial->text;
  struct cul_text_names *names = text->names;
  char **with = text->with;
  memcpy(text->tokens, trial->tokens, text->n_tokens * sizeof *trial->tokens);
  memcpy(text->lines, trial->lines, text->n_lines * sizeof *trial->lines);
  for (size_t i = trial->before.n_with; i < text->n_with; i++)
    free(with[i]);
  *text = trial->before;
  text->names = names;
  text->with = with;
}

void cul_text_tried(void *self, struct cul_novel *out) {
  struct cul_text_trial *trial = self;
  struct walk walk = {
      .text = trial->text, .kinds = trial->kinds, .pair = look, .self = trial};
  trial->out = out;
  walk_text(&walk);
  if (walk.loose)
    *out = (struct cul_novel){{CUL_NOVEL_ALONE}};
  take_back(trial);
}

void cul_text_end_try(void *self) {
  struct cul_text_trial *trial = self;
  free(trial->kinds);
  free(trial->tokens);
  free(trial->lines);
  free(trial);
}
