/* Statements and runs of tokens as sites: see text_sites.h. */
#include "text_sites.h"

#include <stdlib.h>

uint32_t cul_text_item_weight(const struct cul_text *text, uint32_t item) {
  return cul_text_count(text, text->items[item].first, text->items[item].end);
}

bool cul_text_erase_item(struct cul_text *text, uint32_t item) {
  return cul_text_erase_lines(text, text->items[item].first,
                              text->items[item].end);
}

uint32_t cul_text_add_range(uint32_t first, uint32_t end,
                            struct cul_sites *out) {
  return cul_sites_add(out, NULL, (uint64_t)first << 32 | end, end - first);
}

int cul_text_each(struct cul_subject *subject, const struct cul_sites *sites,
                  const uint32_t *ids, size_t n, size_t *applied,
                  cul_text_each_fn *fn) {
  struct cul_text *text = cul_text_of(subject);
  for (size_t i = 0; i < n; i++)
    *applied += fn(text, sites->detail[ids[i]]);
  return 0;
}

/* The first token at `at` or behind it that no range has erased yet; what was
 * passed on the way leads there from now on. */
static uint32_t skip_erased(uint32_t *next, uint32_t at) {
  uint32_t to = at;
  while (next[to] != to)
    to = next[to];
  while (next[at] != to) {
    uint32_t behind = next[at];
    next[at] = to;
    at = behind;
  }
  return to;
}

/* Ranges lie in each other, 100,000 deep: each token is erased once. */
int cul_text_apply_ranges(struct cul_subject *subject,
                          const struct cul_sites *sites, const uint32_t *ids,
                          size_t n, size_t *applied, struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  uint32_t *next = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *next);
  (void)err;
  for (uint32_t i = 0; i <= text->n_tokens; i++)
    next[i] = i;
  for (size_t i = 0; i < n; i++) {
    uint64_t range = sites->detail[ids[i]];
    uint32_t at = skip_erased(next, cul_text_high(range));
    bool any = false;
    for (; at < (uint32_t)range; at = skip_erased(next, at)) {
      any |= cul_text_erase_token(text, at);
      next[at] = at + 1;
    }
    *applied += any;
  }
  free(next);
  return 0;
}

bool cul_text_erase_element(struct cul_text *text, uint64_t detail) {
  uint32_t first = cul_text_high(detail), end = (uint32_t)detail;
  bool any = cul_text_erase_tokens(text, first, end);
  if (cul_text_is_char(text, first, ',') || !any)
    return any;
  if (end < text->n_tokens && cul_text_is_char(text, end, ',') &&
      cul_text_erase_token(text, end))
    return true;
  while (first > 0 && text->tokens[first - 1].dead)
    first--;
  if (first > 0 && cul_text_is_char(text, first - 1, ','))
    cul_text_erase_token(text, first - 1);
  return true;
}

bool cul_text_whole(struct cul_bytes number, uint64_t *value) {
  *value = 0;
  if (number.len > 18)
    return false;
  for (size_t i = 0; i < number.len; i++) {
    if (number.data[i] < '0' || number.data[i] > '9')
      return false;
    *value = 10 * *value + (uint64_t)(number.data[i] - '0');
  }
  return true;
}

bool cul_text_is_dimension(const struct cul_text *text, uint32_t token) {
  return text->lang->dimensions && token + 1 < text->n_tokens &&
         cul_text_token_is(text, token + 1, "x");
}

/* The statements of one body. */
struct body {
  uint32_t n, weight;
  uint32_t number; /* its group among the listed ones, + 1 */
};

static struct body *weigh_bodies(const struct cul_text *text) {
  struct body *bodies = cul_xcalloc(text->n_groups + 1, sizeof *bodies);
  for (uint32_t i = 0; i < text->n_items; i++) {
    bodies[text->items[i].group].n++;
    bodies[text->items[i].group].weight += cul_text_item_weight(text, i);
  }
  return bodies;
}

void cul_text_add_bodies(const struct cul_text *text, uint32_t part,
                         uint32_t fewest, struct cul_sites *out) {
  struct body *bodies = weigh_bodies(text);
  uint32_t *site_of = cul_xreallocarray(NULL, text->n_items + 1, 4);
  uint32_t n_groups = 0;
  for (uint32_t i = 0; i < text->n_items; i++) {
    const struct cul_text_item *item = &text->items[i];
    struct body *body = &bodies[item->group];
    uint32_t around =
        item->parent == CUL_TEXT_NONE ? CUL_SITE_NONE : site_of[item->parent];
    site_of[i] = around;
    if (body->n < fewest || body->weight < text->n_tokens / part)
      continue;
    if (!body->number)
      body->number = ++n_groups;
    site_of[i] = cul_sites_add(out, NULL, i, cul_text_item_weight(text, i));
    out->items[site_of[i]].parent = around;
    out->items[site_of[i]].group = body->number - 1;
  }
  free(site_of);
  free(bodies);
}
