/* Finds many words in one pass over a text: every line that may match a rule is
 * found once, whatever the number of rules. Method: Aho and Corasick 1975, as a
 * full table of transitions over the bytes that occur in the words (all others
 * share one column). */
#include <stdlib.h>
#include <string.h>

#include "../../base/status.h"
#include "rules.h"

struct cul_literals {
  uint8_t column[256]; /* of each byte; 0: in no word */
  size_t n_columns, n_states;
  /* [n_states][n_columns]; when closed, where the next state's row begins, and
   * whether a word ends there */
  uint32_t *next;
  uint32_t *word;   /* [n_states]: word that ends here + 1; 0: none */
  uint32_t *suffix; /* [n_states]: nearest shorter state where a word ends */
  uint32_t *same;   /* [n_words]: next word of equal text + 1 */
  bool gives_up;
};

static size_t add_word(struct cul_literals *l, const char *word) {
  size_t state = 0;
  for (; *word; word++) {
    uint32_t *slot = &l->next[state * l->n_columns + l->column[(uint8_t)*word]];
    if (!*slot)
      *slot = (uint32_t)l->n_states++;
    state = *slot;
  }
  return state;
}

#define ENDS 0x80000000u /* a word ends in that state */

/* Replace the numbers of states in transitions by the places of their rows, so
 * that the scan neither multiplies nor looks up a state in which no word ends.
 */
static void place_rows(struct cul_literals *l) {
  for (size_t i = 0; i < l->n_states * l->n_columns; i++) {
    uint32_t state = l->next[i];
    bool ends = (l->word[state] | l->suffix[state]) != 0;
    l->next[i] = state * (uint32_t)l->n_columns | (ends ? ENDS : 0);
  }
}

/* Fill missing transitions with those of the failure state, breadth first. */
static void close_table(struct cul_literals *l) {
  uint32_t *fail = cul_xcalloc(l->n_states, sizeof *fail);
  uint32_t *queue = cul_xcalloc(l->n_states, sizeof *queue);
  size_t head = 0, tail = 0;
  queue[tail++] = 0;
  while (head < tail) {
    uint32_t state = queue[head++];
    for (size_t c = 0; c < l->n_columns; c++) {
      uint32_t *slot = &l->next[state * l->n_columns + c];
      uint32_t back = state ? l->next[fail[state] * l->n_columns + c] : 0;
      if (!*slot) {
        *slot = back;
        continue;
      }
      fail[*slot] = back;
      l->suffix[*slot] = l->word[back] ? back : l->suffix[back];
      queue[tail++] = *slot;
    }
  }
  free(fail);
  free(queue);
  place_rows(l);
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
  l->next = cul_xcalloc(total * l->n_columns, sizeof *l->next);
  l->word = cul_xcalloc(total, sizeof *l->word);
  l->suffix = cul_xcalloc(total, sizeof *l->suffix);
  l->same = cul_xcalloc(n, sizeof *l->same);
  for (size_t i = 0; i < n; i++) {
    size_t state = add_word(l, words[i]);
    l->same[i] = l->word[state];
    l->word[state] = (uint32_t)i + 1;
  }
  close_table(l);
  return l;
}

void cul_literals_free(struct cul_literals *l) {
  if (!l)
    return;
  free(l->next);
  free(l->word);
  free(l->suffix);
  free(l->same);
  free(l);
}

static void report(const struct cul_literals *l, uint32_t state, size_t end,
                   cul_literal_hit *hit, void *arg) {
  for (; state; state = l->suffix[state])
    for (uint32_t w = l->word[state]; w; w = l->same[w - 1])
      hit(arg, w - 1, end);
}

void cul_literals_give_up(struct cul_literals *l, bool gives_up) {
  l->gives_up = gives_up;
}

void cul_literals_scan(const struct cul_literals *l, struct cul_bytes text,
                       cul_literal_hit *hit, void *arg) {
  enum { BLOCK = 1 << 15 };
  const uint32_t *next = l->next;
  uint32_t row = 0;
  for (size_t i = 0; i < text.len;) {
    size_t end = text.len - i < BLOCK ? text.len : i + BLOCK;
    if (l->gives_up && cul_status_interrupted())
      return;
    for (; i < end; i++) {
      row = next[(row & ~ENDS) + l->column[(uint8_t)text.data[i]]];
      if (row & ENDS)
        report(l, (row & ~ENDS) / (uint32_t)l->n_columns, i + 1, hit, arg);
    }
  }
}
