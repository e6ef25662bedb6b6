/* How blocks of MLIR end, learnt from the input: which operations stand at the
 * end of blocks and nowhere else, and in whose bodies each block ends with one
 * of these.  Bodies that were seen without (scf.if, affine.for) need none. */
#include <stdlib.h>
#include <string.h>

#include "text_ops.h"

/* A name of an operation, by its digest. */
struct habit {
  struct cul_digest name;
  uint32_t ends, goes_on; /* how often it is the last of its block, or not */
  uint32_t closed, open;  /* of its blocks: so many end with a terminator */
};

struct cul_text_habits {
  struct habit *table;
  size_t mask;
};

/* The habit of a name; where it is not known, a free one. */
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

/* The operation whose body the item stands in; CUL_TEXT_NONE: none known. */
static uint32_t owner(const struct cul_text *text, uint32_t item) {
  uint32_t parent = text->items[item].parent;
  while (parent != CUL_TEXT_NONE && text->items[parent].label)
    parent = text->items[parent].parent;
  return parent == CUL_TEXT_NONE ? CUL_TEXT_NONE : cul_text_op(text, parent);
}

/* The last operation of the block that starts with this item. */
static uint32_t last_of(const struct cul_text *text, const uint32_t *next,
                        uint32_t item) {
  uint32_t last = CUL_TEXT_NONE;
  for (; item != CUL_TEXT_NONE && !text->items[item].label; item = next[item])
    if (cul_text_op(text, item) != CUL_TEXT_NONE)
      last = item;
  return last;
}

/* Ends are often not printed: the store that a loop's body ends with is none.
 * So the name must sound like one, too. */
static bool sounds_like_end(struct cul_bytes name) {
  static const char *const words[] = {"return", "yield",  "term",       "br",
                                      "switch", "cond",   "exit",       "end",
                                      "resume", "output", "unreachable"};
  const char *dot = memrchr(name.data, '.', name.len);
  size_t skip = dot ? (size_t)(dot + 1 - name.data) : 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (memmem(name.data + skip, name.len - skip, words[i], strlen(words[i])))
      return true;
  return false;
}

/* What has results or a body is no terminator in any dialect at hand. */
static bool may_end(const struct cul_text *text, uint32_t item) {
  uint32_t equals, line = text->items[item].first;
  return !cul_text_has_children(text, item) &&
         !cul_text_results(text, line, &equals) &&
         sounds_like_end(cul_text_token(text, cul_text_op(text, item)));
}

static bool is_terminator(const struct habit *h) {
  return h->ends && !h->goes_on;
}

static void learn_ends(struct cul_text_habits *habits,
                       const struct cul_text *text, const uint32_t *next,
                       const bool *starts) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t last = starts[i] ? last_of(text, next, i) : CUL_TEXT_NONE;
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
                         const struct cul_text *text, const uint32_t *next,
                         const bool *starts) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t around = owner(text, i);
    uint32_t last = starts[i] ? last_of(text, next, i) : CUL_TEXT_NONE;
    if (last == CUL_TEXT_NONE || around == CUL_TEXT_NONE)
      continue;
    if (is_terminator(find(habits, text, cul_text_op(text, last))))
      add(habits, text, around)->closed++;
    else
      add(habits, text, around)->open++;
  }
}

/* Per item: it is the first of a body. */
static bool *find_starts(const struct cul_text *text) {
  bool *seen = cul_xcalloc(text->n_groups + 1, sizeof *seen);
  bool *starts = cul_xcalloc(text->n_items + 1, sizeof *starts);
  for (uint32_t i = 0; i < text->n_items; i++) {
    starts[i] = !seen[text->items[i].group];
    seen[text->items[i].group] = true;
  }
  free(seen);
  return starts;
}

struct cul_text_habits *cul_text_learn(const struct cul_text *text) {
  struct cul_text_habits *habits = cul_xcalloc(1, sizeof *habits);
  uint32_t *next = cul_text_next_siblings(text);
  bool *starts = find_starts(text);
  habits->mask = 63;
  while (habits->mask < 2 * text->n_items)
    habits->mask = 2 * habits->mask + 1;
  habits->table = cul_xcalloc(habits->mask + 1, sizeof *habits->table);
  learn_ends(habits, text, next, starts);
  learn_bodies(habits, text, next, starts);
  free(starts);
  free(next);
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
  uint32_t *next = cul_text_next_siblings(text);
  bool *starts = find_starts(text), good = true;
  for (uint32_t i = 0; good && i < text->n_items; i++) {
    uint32_t around = owner(text, i);
    uint32_t last = starts[i] ? last_of(text, next, i) : CUL_TEXT_NONE;
    const struct habit *h =
        around == CUL_TEXT_NONE ? NULL : find(habits, text, around);
    if (last == CUL_TEXT_NONE || !h || !h->closed || h->open)
      continue;
    good = cul_text_is_terminator(text, habits, last);
    *line = text->items[last].first;
  }
  free(starts);
  free(next);
  return good;
}
