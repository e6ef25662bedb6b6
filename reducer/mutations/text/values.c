/* Mutations that erase the definition of a value: its uses read another one of
 * its type, or zero. */
#include <stdlib.h>

#include "../../subject/text/language/mlir.h"
#include "../../subject/text/language/stand_ins.h"
#include "../../subject/text/ops.h"
#include "sites.h"

/* ---- another value ---- */

/* detail: the statement, and the number of the way (cul_text_ways). */
static void list_forwards(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_ways s = {0};
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t ways = cul_text_ways(text, i, &s);
    for (uint32_t k = 0; k < ways; k++)
      cul_sites_add(out, NULL, cul_text_two(i, k),
                    cul_text_item_weight(text, i));
  }
  free(s.results);
}

/* The replacements of results: token with[at[%x] + k] for %x#k, or NONE. */
struct forward {
  uint32_t *at; /* per token; NONE: not erased */
  uint32_t *with;
  uint32_t n;
};

/* The token that a use reads, through operands that were replaced in turn, or
 * NONE. */
static uint32_t read_by(struct cul_text *text, const struct forward *forward,
                        uint32_t use) {
  for (int i = 0; i < 10000 && use != CUL_TEXT_NONE; i++) {
    uint32_t at = forward->at[cul_text_names(text)->def[use]], number;
    if (at == CUL_TEXT_NONE)
      break;
    cul_text_result_number(text, use, &number);
    use = at + number < forward->n ? forward->with[at + number] : CUL_TEXT_NONE;
  }
  return use;
}

static void add_forward(struct forward *forward, const struct cul_text_ways *s,
                        uint32_t way) {
  forward->with = cul_xreallocarray(forward->with, forward->n + s->n,
                                    sizeof *forward->with);
  for (size_t r = 0; r < s->n; r++) {
    const struct cul_text_stand_ins *result = &s->results[r];
    if (result->number == 0)
      forward->at[result->def] = forward->n;
    forward->with[forward->n++] =
        result->n ? result->with[(result->rank + way) % result->n]
                  : CUL_TEXT_NONE;
  }
}

static size_t forward_all(struct cul_text *text, const struct cul_sites *sites,
                          const uint32_t *ids, size_t n) {
  size_t applied = 0;
  struct forward forward = {
      .at = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *forward.at)};
  struct cul_text_ways s = {0};
  const uint32_t *defs = cul_text_names(text)->def;
  for (size_t i = 0; i <= text->n_tokens; i++)
    forward.at[i] = CUL_TEXT_NONE;
  for (size_t i = 0; i < n; i++) {
    uint32_t item = cul_text_high(sites->detail[ids[i]]);
    uint32_t way = (uint32_t)sites->detail[ids[i]];
    if (way < cul_text_ways(text, item, &s) &&
        cul_text_erase_item(text, item)) {
      add_forward(&forward, &s, way);
      applied++;
    }
  }
  for (uint32_t t = 0; t < text->n_tokens; t++) {
    uint32_t other = defs[t] == CUL_TEXT_NONE || defs[t] == t
                         ? t
                         : read_by(text, &forward, t);
    if (other != t && other != CUL_TEXT_NONE)
      cul_text_read_as(text, t, other);
  }
  free(s.results);
  free(forward.at);
  free(forward.with);
  return applied;
}

CUL_TEXT(text_forward, .whole = true, .list = list_forwards,
         .edit_all = forward_all);

/* ---- zero ---- */

static uint32_t weigh_zero(struct cul_text *text, uint32_t item) {
  return cul_text_is(text, "llvm") &&
                 cul_text_only_result(text, item) != CUL_TEXT_NONE
             ? cul_text_item_weight(text, item)
             : 0;
}

static bool make_zero(struct cul_text *text, uint64_t item) {
  uint32_t result = cul_text_only_result(text, (uint32_t)item), use;
  if (!cul_text_erase_item(text, (uint32_t)item))
    return false;
  for (uint32_t u = 0; cul_text_use(text, result, u, &use); u++)
    cul_text_replace(text, use, "zeroinitializer");
  return true;
}

CUL_TEXT(text_value_to_zero, .items = weigh_zero, .edit = make_zero);
