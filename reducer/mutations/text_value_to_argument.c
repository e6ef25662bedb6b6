/* Erase the definition of a value; the function around gets an argument of
 * that name and type.  MLIR only: elsewhere types are not known. */
#include <stdio.h>
#include <stdlib.h>

#include "../subject/text_names.h"
#include "text_sites.h"

static bool fits(struct cul_text *text, uint32_t item, struct cul_buf *type) {
  uint32_t result = cul_text_only_result(text, item), function, open;
  return result != CUL_TEXT_NONE && cul_text_type_of(text, result, type) &&
         cul_text_function_of(text, item, &function, &open) && function != item;
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_settled(subject);
  struct cul_buf type = {0};
  (void)err;
  for (uint32_t i = 0; i < text->n_items; i++)
    if (fits(text, i, &type))
      cul_sites_add(out, NULL, i, cul_text_item_weight(text, i));
  cul_buf_release(&type);
  return 0;
}

/* New arguments of one function, written at once. */
struct arguments {
  uint32_t open; /* the list's opening bracket; CUL_TEXT_NONE: none yet */
  struct cul_buf text;
  struct cul_buf type; /* of the one being added */
};

static void flush(struct cul_text *text, struct arguments *new) {
  if (new->open != CUL_TEXT_NONE) {
    uint32_t close = text->tokens[new->open].match;
    const char *comma = close > new->open + 1 ? ", " : "";
    char *with = cul_xasprintf("%s%s)", comma, cul_buf_str(&new->text));
    cul_text_replace(text, close, with);
    free(with);
  }
  cul_buf_clear(&new->text);
}

/* A name that stands more than once would be defined twice: a new one. */
static struct cul_bytes choose_name(struct cul_text *text,
                                    const struct cul_text_names *names,
                                    uint32_t result, char *space, size_t size) {
  int len;
  if (!names->shared[result])
    return cul_text_token(text, result);
  len = snprintf(space, size, "%%v%u", result);
  for (uint32_t u = names->first_use[result]; u < names->first_use[result + 1];
       u++)
    cul_text_replace(text, names->uses[u], space);
  return (struct cul_bytes){space, (size_t)len};
}

static void add_argument(struct cul_text *text, uint32_t item,
                         struct arguments *new) {
  uint32_t result = cul_text_only_result(text, item), function, open;
  struct cul_bytes name;
  char space[16];
  if (!cul_text_function_of(text, item, &function, &open))
    return;
  if (open != new->open)
    flush(text, new);
  new->open = open;
  name = choose_name(text, cul_text_names(text), result, space, sizeof space);
  cul_text_type_of(text, result, &new->type);
  cul_buf_addf(&new->text, "%s%.*s: %s", new->text.len ? ", " : "",
               (int)name.len, name.data, cul_buf_str(&new->type));
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  struct arguments new = {.open = CUL_TEXT_NONE};
  (void)err;
  for (size_t i = 0; i < n; i++) {
    uint32_t item = (uint32_t)sites->detail[ids[i]];
    if (!cul_text_erase_item(text, item))
      continue;
    add_argument(text, item, &new);
    ++*applied;
  }
  flush(text, &new);
  cul_buf_release(&new.text);
  cul_buf_release(&new.type);
  return 0;
}

const struct cul_mutation cul_mutation_text_value_to_argument = {
    .name = "text-value-to-argument",
    .summary = "erase a definition, the function gets an argument instead",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
