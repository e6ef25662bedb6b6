/* Replace an operation by the body of one of its regions (mlir-text): its
 * results are what the region's terminator hands out, the region's arguments
 * become arguments of the function.  A symbol table is replaced by all that it
 * holds. */
#include <stdlib.h>

#include "../language/fix_up.h"

/* A body of one block: its items, and its end. */
struct region {
  uint32_t group;
  uint32_t last; /* the last operation */
  uint32_t ops;
  bool blocks; /* it has labels */
};

/* The bodies of an item, at most two; how many there are. */
enum { MOST = 2 };
static uint32_t find_regions(const struct cul_text *text, uint32_t item,
                             struct region *regions) {
  uint32_t n = 0;
  for (uint32_t i = item + 1; cul_text_holds(text, item, i); i++) {
    const struct cul_text_item *it = &text->items[i];
    uint32_t r = 0;
    if (it->parent != item || it->list)
      continue;
    while (r < n && r < MOST && regions[r].group != it->group)
      r++;
    if (r == MOST)
      continue;
    if (r == n)
      regions[n++] = (struct region){it->group, CUL_TEXT_NONE, 0, false};
    regions[r].blocks |= it->label;
    if (cul_text_op(text, i) == CUL_TEXT_NONE)
      continue;
    regions[r].last = i;
    regions[r].ops++;
  }
  return n;
}

/* detail: the item, and which of its bodies. */
static void sites(struct cul_text *text, struct cul_sites *out) {
  struct region regions[MOST];
  struct cul_text_function function;
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t n = cul_text_op(text, i) != CUL_TEXT_NONE &&
                         !cul_text_function(text, i, &function)
                     ? find_regions(text, i, regions)
                     : 0;
    for (uint32_t k = 0; k < n; k++)
      if (!regions[k].blocks && regions[k].ops)
        cul_sites_add(out, NULL, cul_text_two(i, k),
                      cul_text_item_ops(text, i));
  }
}

/* The name, with its #1, of operand k of the terminator; heap or NULL. */
static char *operand(const struct cul_text *text, uint32_t item, uint32_t k) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  for (uint32_t i = l->first; i < l->first + l->n; i++) {
    struct cul_bytes name = cul_text_token(text, i);
    uint32_t number;
    if (cul_text_is_char(text, i, ':'))
      return NULL;
    if (name.data[0] != '%' || k-- > 0)
      continue;
    if (cul_text_replaced(text, i))
      return cul_xstrdup(cul_text_replaced(text, i));
    if (cul_text_result_number(text, i, &number))
      return cul_xasprintf("%.*s#%u", (int)name.len, name.data, number);
    return cul_bytes_copy(name);
  }
  return NULL;
}

static void forward_results(struct cul_text *text, uint32_t item,
                            uint32_t terminator) {
  uint32_t line = text->items[item].first, equals;
  uint32_t def = text->lines[line].first, n;
  if (!cul_text_results(text, line, &equals))
    return;
  n = cul_text_results_of(text, def);
  for (uint32_t k = 0; k < n; k++) {
    char *name = operand(text, terminator, k);
    if (name)
      cul_text_replace_uses(text, def, k, name);
    free(name);
  }
}

/* A region beside may use the same names: what moves out gets new ones. */
static void rename_shared(struct cul_text *text, uint32_t item,
                          uint32_t *fresh) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t end = cul_text_item_end(text, item), use;
  for (uint32_t i = cul_text_item_first(text, item); i < end; i++) {
    char *name;
    if (text->items[cul_text_item_at(text, i)].parent != item ||
        names->def[i] != i || !names->shared[i] ||
        !cul_text_starts(text, i, '%') || !cul_text_is_live(text, i) ||
        cul_text_replaced(text, i))
      continue;
    name = cul_text_fresh_name(text, fresh);
    cul_text_replace(text, i, name);
    for (uint32_t u = 0; cul_text_use(text, i, u, &use); u++)
      cul_text_replace(text, use, name);
    free(name);
  }
}

static bool inline_region(struct cul_text *text, uint32_t item,
                          const struct region *region, uint32_t *fresh) {
  if (!cul_text_open_up(text, item, region->group))
    return false;
  rename_shared(text, item, fresh);
  if (cul_text_is_terminator(text, text->habits, region->last)) {
    forward_results(text, item, region->last);
    cul_text_erase_item(text, region->last);
  }
  return true;
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  struct region regions[MOST];
  uint32_t fresh = 0;
  size_t applied = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t item = cul_text_high(sites->detail[ids[i]]);
    find_regions(text, item, regions);
    applied += inline_region(text, item,
                             &regions[(uint32_t)sites->detail[ids[i]]], &fresh);
  }
  return applied;
}

const struct cul_text_each cul_mutation_text_inline_region = {
    .list = sites, .edit_all = apply, .fixes = true};
