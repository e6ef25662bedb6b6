/* Erase the definition of a value, or of several; uses get an operand of the
 * same type instead, or what was defined before. */
#include <stdlib.h>

#include "../language/fix_up.h"
#include "../language/language.h"

static void release(struct cul_text_results *results) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(results->items); i++)
    cul_buf_release(&results->items[i].type);
  free(results);
}

/* detail: the statement, and which of the ways. */
static void sites(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_results *results = cul_xcalloc(1, sizeof *results);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t ways = cul_text_stand_ins(text, i, results);
    for (uint32_t k = 0; k < ways; k++)
      cul_sites_add(out, NULL, cul_text_two(i, k),
                    cul_text_item_weight(text, i));
  }
  release(results);
}

/* What is read instead, result by result: of %x#k token with[at[%x] + k], or
 * NONE. */
struct forward {
  uint32_t *at; /* per token; NONE: not erased */
  uint32_t *with;
  uint32_t n;
};

/* What a token reads, operands of operands that went looked through: a token,
 * or NONE. */
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

static void add_forward(struct forward *forward,
                        const struct cul_text_results *results, uint32_t way) {
  forward->with = cul_xreallocarray(forward->with, forward->n + results->n,
                                    sizeof *forward->with);
  for (uint32_t r = 0; r < results->n; r++) {
    const struct cul_text_result *result = &results->items[r];
    if (result->number == 0)
      forward->at[result->def] = forward->n;
    forward->with[forward->n++] =
        result->n ? result->with[(result->rank + way) % result->n]
                  : CUL_TEXT_NONE;
  }
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  size_t applied = 0;
  const struct cul_text_names *names = cul_text_names(text);
  struct forward forward = {
      .at = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *forward.at)};
  struct cul_text_results *results = cul_xcalloc(1, sizeof *results);
  for (size_t i = 0; i <= text->n_tokens; i++)
    forward.at[i] = CUL_TEXT_NONE;
  for (size_t i = 0; i < n; i++) {
    uint32_t item = cul_text_high(sites->detail[ids[i]]);
    uint32_t way = (uint32_t)sites->detail[ids[i]];
    if (way < cul_text_stand_ins(text, item, results) &&
        cul_text_erase_item(text, item)) {
      add_forward(&forward, results, way);
      applied++;
    }
  }
  for (uint32_t t = 0; t < text->n_tokens; t++) {
    uint32_t other = names->def[t] == CUL_TEXT_NONE || names->def[t] == t
                         ? t
                         : read_by(text, &forward, t);
    if (other != t && other != CUL_TEXT_NONE)
      cul_text_read_as(text, t, other);
  }
  release(results);
  free(forward.at);
  free(forward.with);
  return applied;
}

const struct cul_text_each cul_mutation_text_forward = {
    .whole = true, .list = sites, .edit_all = apply};
