/* Finds many words in one pass over a text: every line that may match a rule is
 * found once, whatever the number of rules. Method: Aho and Corasick 1975, over
 * the bytes that occur in the words (all others share one column).  The row of
 * transitions of a state is filled when a text first leads there: texts lead to
 * few of the states, and the table of all is megabytes. */
#include <stdlib.h>
#include <string.h>

#include "../../base/status.h"
#include "rules.h"

struct cul_literals {
  uint8_t column[256]; /* of each byte; 0: in no word */
  size_t n_columns, n_states;
  /* [n_states][n_columns]: where the next state's row begins, with flags */
  uint32_t *next;
  struct state *states;
  uint32_t *same; /* [n_words]: next word of equal text + 1 */
  bool gives_up;
};

/* A node of the tree of words. */
struct state {
  uint32_t child, sibling; /* 0: none */
  uint32_t word;           /* that ends here + 1; 0: none */
  /* Known when the row of the parent is filled: the longest state that is a
   * suffix of this one, and the nearest one where a word ends. */
  uint32_t fail, suffix;
  uint8_t column; /* of the byte that leads here */
  bool filled;
};

/* Flags of a transition.  Without any, the scan neither multiplies nor looks at
 * the state. */
#define ENDS 0x80000000u  /* a word ends in that state */
#define EMPTY 0x40000000u /* the row of that state may not be filled yet */
#define FLAGS (ENDS | EMPTY)

static uint32_t child_of(struct cul_literals *l, uint32_t parent,
                         uint8_t column) {
  uint32_t *slot = &l->states[parent].child;
  while (*slot && l->states[*slot].column != column)
    slot = &l->states[*slot].sibling;
  if (!*slot) {
    *slot = (uint32_t)l->n_states++;
    l->states[*slot].column = column;
  }
  return *slot;
}

static uint32_t add_word(struct cul_literals *l, const char *word) {
  uint32_t state = 0;
  for (; *word; word++)
    state = child_of(l, state, l->column[(uint8_t)*word]);
  return state;
}

static uint32_t state_of(const struct cul_literals *l, uint32_t transition) {
  return (transition & ~FLAGS) / (uint32_t)l->n_columns;
}

/* Fill the row of the state: that of its failure state, and its children.
 * Shorter states first; a word's length bounds their number. */
static void fill(const struct cul_literals *l, uint32_t at) {
  struct state *state = &l->states[at];
  uint32_t *row = &l->next[at * l->n_columns];
  if (state->filled)
    return;
  if (at) {
    fill(l, state->fail);
    memcpy(row, &l->next[state->fail * l->n_columns],
           l->n_columns * sizeof *row);
  }
  for (uint32_t c = state->child; c; c = l->states[c].sibling) {
    struct state *child = &l->states[c];
    uint32_t back = at ? state_of(l, row[child->column]) : 0;
    bool ends;
    child->fail = back;
    child->suffix = l->states[back].word ? back : l->states[back].suffix;
    ends = child->word || child->suffix;
    row[child->column] = c * (uint32_t)l->n_columns | EMPTY | (ends ? ENDS : 0);
  }
  state->filled = true;
}

struct cul_literals *cul_literals_new(const char *const *words, size_t n) {
  struct cul_literals *l = cul_xcalloc(1, sizeof *l);
  size_t total = 1;
  for (size_t i = 0; i < n; i++) {
    total += strlen(words[i]);
    for (const char *c = words[i]; *c; c++)
      if (!l->column[(uint8_t)*c])
        l->column[(uint8_t)*c] = (uint8_t)++l->n_columns;
  }
  l->n_columns++;
  l->n_states = 1;
  l->states = cul_xcalloc(total, sizeof *l->states);
  l->same = cul_xcalloc(n, sizeof *l->same);
  for (size_t i = 0; i < n; i++) {
    struct state *state = &l->states[add_word(l, words[i])];
    l->same[i] = state->word;
    state->word = (uint32_t)i + 1;
  }
  /* not touched before a row is filled */
  l->next = cul_xcalloc(l->n_states * l->n_columns, sizeof *l->next);
  fill(l, 0);
  return l;
}

void cul_literals_free(struct cul_literals *l) {
  if (!l)
    return;
  free(l->next);
  free(l->states);
  free(l->same);
  free(l);
}

static void report(const struct cul_literals *l, uint32_t state, size_t end,
                   cul_literal_hit *hit, void *arg) {
  for (; state; state = l->states[state].suffix)
    for (uint32_t w = l->states[state].word; w; w = l->same[w - 1])
      hit(arg, w - 1, end);
}

void cul_literals_give_up(struct cul_literals *l, bool gives_up) {
  l->gives_up = gives_up;
}

void cul_literals_scan(const struct cul_literals *l, struct cul_bytes text,
                       cul_literal_hit *hit, void *arg) {
  enum { BLOCK = 1 << 15 };
  uint32_t *next = l->next;
  uint32_t row = 0;
  for (size_t i = 0; i < text.len;) {
    size_t end = text.len - i < BLOCK ? text.len : i + BLOCK;
    if (l->gives_up && cul_status_interrupted())
      return;
    for (; i < end; i++) {
      uint32_t *from = &next[(row & ~FLAGS) + l->column[(uint8_t)text.data[i]]];
      row = *from;
      if (!(row & FLAGS))
        continue;
      if (row & EMPTY) {
        fill(l, state_of(l, row));
        *from &= ~EMPTY;
      }
      if (row & ENDS)
        report(l, state_of(l, row), i + 1, hit, arg);
    }
  }
}
