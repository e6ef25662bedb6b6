/* How blocks of MLIR end, learnt from the input: which operations occur only at
 * the end of blocks, and which have only blocks that end with one of these.
 * Blocks of other operations (scf.if, affine.for) need no terminator. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

/* Counts of one operation name, found by its digest. */
struct habit {
  struct cul_digest name;
  uint32_t ends, goes_on; /* how often it is the last of its block, or not */
  uint32_t closed, open;  /* its blocks with and without a terminator */
};

struct cul_text_habits {
  struct habit *table;
  size_t mask;
};

/* The habit of a name, or the free slot for it. */
static struct habit *find(const struct cul_text_habits *habits,
                          const struct cul_text *text, uint32_t op) {
  struct cul_bytes name = cul_text_token(text, op);
  struct cul_digest digest = cul_digest_of(name.data, name.len);
  for (size_t at = digest.w[0];; at++) {
    struct habit *h = &habits->table[at & habits->mask];
    if (cul_digest_equal(&h->name, &digest) || cul_digest_is_zero(&h->name))
      return h;
  }
}

static struct habit *add(struct cul_text_habits *habits,
                         const struct cul_text *text, uint32_t op) {
  struct cul_bytes name = cul_text_token(text, op);
  struct habit *h = find(habits, text, op);
  h->name = cul_digest_of(name.data, name.len);
  return h;
}

/* The operation whose body contains the item; CUL_TEXT_NONE: not known. */
static uint32_t owner(const struct cul_text *text, uint32_t item) {
  uint32_t around = cul_text_owner(text, item);
  return around == CUL_TEXT_NONE ? CUL_TEXT_NONE : cul_text_op(text, around);
}

/* The last operation of the block that starts with this item; CUL_TEXT_NONE: it
 * has none, or no block starts there. */
static uint32_t last_of(const struct cul_text *text, uint32_t item) {
  uint32_t last = CUL_TEXT_NONE;
  if (!text->items[item].starts)
    return last;
  for (; item != CUL_TEXT_NONE && !text->items[item].label;
       item = cul_text_sibling(text, item))
    if (cul_text_op(text, item) != CUL_TEXT_NONE)
      last = item;
  return last;
}

/* Is this like the name of a terminator?  Terminators are often not printed;
 * then a block ends with any operation, such as a store. */
static bool sounds_like_end(struct cul_bytes name) {
  static const char *const words[] = {"return", "yield",  "term",       "br",
                                      "switch", "cond",   "exit",       "end",
                                      "resume", "output", "unreachable"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (memmem(name.data, name.len, words[i], strlen(words[i])))
      return true;
  return false;
}

/* May the item be a terminator?  None in a known dialect has results or a
 * body. */
static bool may_end(const struct cul_text *text, uint32_t item) {
  uint32_t equals, line = text->items[item].first;
  return !cul_text_has_children(text, item) &&
         !cul_text_results(text, line, &equals) &&
         sounds_like_end(cul_bytes_behind(
             cul_text_token(text, cul_text_op(text, item)), '.'));
}

static bool is_terminator(const struct habit *h) {
  return h->ends && !h->goes_on;
}

static void learn_ends(struct cul_text_habits *habits,
                       const struct cul_text *text) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t last = last_of(text, i);
    if (last != CUL_TEXT_NONE && may_end(text, last) &&
        owner(text, last) != CUL_TEXT_NONE)
      add(habits, text, cul_text_op(text, last))->ends++;
  }
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t op = cul_text_op(text, i);
    if (op != CUL_TEXT_NONE)
      add(habits, text, op)->goes_on++;
  }
  for (size_t i = 0; i <= habits->mask; i++)
    habits->table[i].goes_on -= habits->table[i].ends;
}

static void learn_bodies(struct cul_text_habits *habits,
                         const struct cul_text *text) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t around = owner(text, i);
    uint32_t last = last_of(text, i);
    if (last == CUL_TEXT_NONE || around == CUL_TEXT_NONE)
      continue;
    if (is_terminator(find(habits, text, cul_text_op(text, last))))
      add(habits, text, around)->closed++;
    else
      add(habits, text, around)->open++;
  }
}

struct cul_text_habits *cul_text_learn(const struct cul_text *text) {
  struct cul_text_habits *habits = cul_xcalloc(1, sizeof *habits);
  habits->mask = 63;
  while (habits->mask < 2 * text->n_items)
    habits->mask = 2 * habits->mask + 1;
  habits->table = cul_xcalloc(habits->mask + 1, sizeof *habits->table);
  learn_ends(habits, text);
  learn_bodies(habits, text);
  return habits;
}

void cul_text_habits_free(struct cul_text_habits *habits) {
  if (!habits)
    return;
  free(habits->table);
  free(habits);
}

bool cul_text_is_terminator(const struct cul_text *text,
                            const struct cul_text_habits *habits,
                            uint32_t item) {
  uint32_t op = cul_text_op(text, item);
  return op != CUL_TEXT_NONE && is_terminator(find(habits, text, op));
}

bool cul_text_blocks_end(const struct cul_text *text,
                         const struct cul_text_habits *habits, uint32_t *line) {
  bool good = true;
  for (uint32_t i = 0; good && i < text->n_items; i++) {
    uint32_t around = owner(text, i);
    uint32_t last = last_of(text, i);
    const struct habit *h =
        around == CUL_TEXT_NONE ? NULL : find(habits, text, around);
    if (last == CUL_TEXT_NONE || !h || !h->closed || h->open)
      continue;
    good = cul_text_is_terminator(text, habits, last);
    *line = text->items[last].first;
  }
  return good;
}
