/* Mutations of definitions, in languages that mark names: erase one with all
 * its uses, or if it has none, or replace its uses. */
#include <stdlib.h>

#include "../../subject/text/spirv.h"
#include "sites.h"

/* ---- with all that use it ---- */

/* text-erase-closure: erase a definition and, transitively, its uses, so that a
 * strict parser still reads the text.  A use in the header of a block takes the
 * whole block; a symbol takes all its callers.  Not in SPIR-V, where a type
 * takes everything, and a value is better replaced. */
struct closure {
  struct cul_text *text;
  bool *taken;
  uint32_t *queue; /* the items to erase */
  size_t n;
};

/* Does the token define a name that has uses? */
static bool defines(const struct cul_text *text,
                    const struct cul_text_names *names, uint32_t token) {
  return names->def[token] == token &&
         names->first_use[token] < names->first_use[token + 1] &&
         !cul_text_is_alias(text, token);
}

static void take(struct closure *c, uint32_t item) {
  if (!c->taken[item])
    c->queue[c->n++] = item;
  c->taken[item] = true;
}

static void close_over(struct closure *c, size_t from) {
  const struct cul_text_names *names = cul_text_names(c->text);
  for (; from < c->n; from++) {
    uint32_t end = cul_text_item_end(c->text, c->queue[from]);
    uint32_t i = cul_text_item_first(c->text, c->queue[from]), use;
    for (; i < end; i++)
      for (uint32_t u = 0;
           defines(c->text, names, i) && cul_text_use(c->text, i, u, &use); u++)
        take(c, cul_text_item_at(c->text, use));
  }
}

static uint32_t defining(struct cul_text *text, uint32_t item) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t t = cul_text_item_first(text, item);
  uint32_t end = cul_text_is(text, "spirv") ? t : cul_text_line_end(text, t);
  while (t < end && !defines(text, names, t))
    t++;
  return t < end ? cul_text_item_weight(text, item) : 0;
}

static size_t erase_closures(struct cul_text *text,
                             const struct cul_sites *sites, const uint32_t *ids,
                             size_t n) {
  CUL_HEAP bool *taken = cul_xcalloc(text->n_items + 1, sizeof *taken);
  CUL_HEAP uint32_t *queue = cul_xcalloc(text->n_items + 1, sizeof *queue);
  struct closure c = {.text = text, .taken = taken, .queue = queue};
  size_t applied = 0;
  for (size_t i = 0; i < n; i++) {
    size_t from = c.n;
    take(&c, (uint32_t)sites->detail[ids[i]]);
    close_over(&c, from);
    applied += c.n > from;
  }
  for (size_t i = 0; i < c.n; i++)
    cul_text_erase_item(text, c.queue[i]);
  return applied;
}

CUL_TEXT(text_erase_closure, .whole = true, .items = defining,
         .edit_all = erase_closures);

/* ---- few of many functions that name each other ---- */

/* text-cut-symbols: erase functions with the statements that refer to them; an
 * argument replaces what these computed, or, in a function that is called,
 * another of its values.  Later mutations find fewer functions. */
enum { FEWEST = 8 };

static void list_symbols(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_function function;
  for (uint32_t i = 0; i < text->n_items; i++)
    if (cul_text_function(text, i, &function) &&
        function.symbol != CUL_TEXT_NONE)
      cul_sites_add(out, NULL, cul_text_two(i, function.symbol),
                    cul_text_item_weight(text, i));
  if (out->n < FEWEST)
    cul_sites_clear(out);
}

/* Erase the innermost item around the use, if it is a statement that may go. */
static void erase_user(struct cul_text *text, uint32_t use) {
  uint32_t item = cul_text_item_at(text, use);
  struct cul_text_function function;
  if (cul_text_is_live(text, use) && cul_text_op(text, item) < use &&
      !cul_text_is_terminator(text, text->habits, item) &&
      !cul_text_function(text, item, &function))
    cul_text_erase_item(text, item);
}

static bool cut(struct cul_text *text, uint64_t detail) {
  bool any = cul_text_erase_item(text, cul_text_high(detail));
  for (uint32_t u = 0, use; cul_text_use(text, (uint32_t)detail, u, &use); u++)
    erase_user(text, use);
  return any;
}

CUL_TEXT(text_cut_symbols, .list = list_symbols, .edit = cut, .fixes = true);
