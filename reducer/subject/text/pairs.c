/* What is new in an edit of a text: pairs of adjacent kinds of tokens that the
 * subject never had.  Each keyword, mark and bracket is a kind;
 * all names are one kind, all numbers, and all strings.  The end of a line is a
 * kind as well: deeper, shallower or the same depth as the next line if
 * indentation matters.  Pairs are stored by a hash; a collision costs only a
 * run. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

enum { PAIR_BITS = 18 };

struct cul_text_pairs {
  uint8_t seen[(1 << PAIR_BITS) / 8];
};

/* Kinds that are not texts. */
enum { NAME = 1, NUMBER, STRING, SAME_DEPTH, DEEPER, SHALLOWER };

/* Maximal number of tokens of all candidates of one listing. */
static const uint64_t most_work = 20 * 1000 * 1000;

/* Method: FNV-1a. */
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

/* The kind of a token.  A replaced number or string keeps its kind; a word has
 * that of its present text. */
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

/* A walk over the pairs of live tokens. */
struct walk {
  const struct cul_text *text;
  const uint32_t *kinds; /* kinds of the tokens */
  uint32_t before;       /* kind of the previous token; 0: none yet */
  uint32_t depth;        /* number of open brackets */
  uint32_t indent;       /* indentation of the last relevant line */
  bool loose;            /* a bracket has no match */
  void (*pair)(void *self, uint32_t pair);
  void *self;
};

static void step(struct walk *walk, uint32_t kind) {
  uint32_t both[2] = {walk->before, kind};
  walk->pair(walk->self, hash(hash_start, both, sizeof both));
  walk->before = kind;
}

/* Add the end of the previous line, whose kind depends on the indentation of
 * this one. */
static void step_line(struct walk *walk, const struct cul_line *line) {
  uint32_t indent = line->indent - line->cut;
  uint32_t kind = SAME_DEPTH;
  if (walk->text->lang->directives) /* counts as white space */
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
    if (!cul_text_is_dead(walk->text, (uint32_t)i))
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
  struct cul_text *text = cul_text_settle(subject, true);
  struct walk walk = {.text = text, .pair = learn};
  CUL_HEAP uint32_t *kinds = NULL;
  if (text->state.rough || !has_grammar(text))
    return;
  if (!text->pairs)
    text->pairs = cul_xcalloc(1, sizeof *text->pairs);
  walk.self = text->pairs;
  walk.kinds = kinds = kinds_of(text);
  walk_text(&walk);
}

/* A copy of the text's state, to undo edits. */
struct cul_text_trial {
  struct cul_text *text, before;
  struct cul_token *tokens;
  struct cul_line *lines;
  uint8_t *marks;
  uint32_t *kinds;
  struct cul_novel *out;
};

static void *begin_trials(struct cul_subject *subject, size_t n) {
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
  trial->marks = cul_xmalloc(text->n_lines + 1);
  memcpy(trial->marks, text->marks, text->n_lines);
  return trial;
}

static void look(void *self, uint32_t pair) {
  struct cul_text_trial *trial = self;
  const struct cul_text_pairs *pairs = trial->before.pairs;
  uint32_t *what = trial->out->what;
  if ((pairs->seen[place_of(pair) / 8] >> place_of(pair) % 8) & 1)
    return;
  pair |= 2; /* avoid the values 0 and CUL_NOVEL_ALONE */
  if (!what[0])
    what[0] = pair;
  else if (pair != what[0])
    what[1] = pair;
}

/* Undo everything that a mutation may change: tokens and lines in place,
 * replacements, the style of writing.  Names are computed once and stay. */
static void take_back(struct cul_text_trial *trial) {
  struct cul_text *text = trial->text;
  struct cul_text_names *names = text->names;
  char **with = text->with;
  memcpy(text->tokens, trial->tokens, text->n_tokens * sizeof *trial->tokens);
  memcpy(text->lines, trial->lines, text->n_lines * sizeof *trial->lines);
  memcpy(text->marks, trial->marks, text->n_lines);
  for (size_t i = trial->before.n_with; i < text->n_with; i++)
    free(with[i]);
  *text = trial->before;
  text->names = names;
  text->with = with;
}

static void note_trial(void *self, struct cul_novel *out) {
  struct cul_text_trial *trial = self;
  struct walk walk = {
      .text = trial->text, .kinds = trial->kinds, .pair = look, .self = trial};
  trial->out = out;
  walk_text(&walk);
  if (walk.loose)
    *out = (struct cul_novel){{CUL_NOVEL_ALONE}};
  take_back(trial);
}

static void end_trials(void *self) {
  CUL_HEAP struct cul_text_trial *trial = self;
  free(trial->kinds);
  free(trial->tokens);
  free(trial->lines);
  free(trial->marks);
}

const struct cul_subject_trials cul_text_trials = {
    .begin = begin_trials,
    .tried = note_trial,
    .end = end_trials,
};
