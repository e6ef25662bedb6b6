/* Erase the definition of a value; its uses get an operand of the same type
 * instead.  MLIR and PTX: elsewhere types are not known. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../subject/text_names.h"
#include "text_sites.h"

/* Operands of one definition that are tried. */
enum { MOST = 4 };

/* Types, as text. */
struct types {
  struct cul_buf result, operand;
};

static bool same(const struct types *types) {
  return cul_bytes_equal(cul_buf_bytes(&types->result),
                         cul_buf_bytes(&types->operand));
}

/* detail: the result's token and the operand's. */
static void add_operands(struct cul_text *text,
                         const struct cul_text_names *names, uint32_t item,
                         struct types *types, struct cul_sites *out) {
  uint32_t result = cul_text_only_result(text, item), found = 0;
  const struct cul_line *l = &text->lines[text->items[item].first];
  if (result == CUL_TEXT_NONE ||
      !cul_text_type_of(text, result, &types->result))
    return;
  for (uint32_t i = result + 2; i < l->first + l->n && found < MOST; i++) {
    uint32_t def = names->def[i];
    if (def == CUL_TEXT_NONE || def == i ||
        !cul_text_type_of(text, def, &types->operand) || !same(types))
      continue;
    cul_sites_add(out, NULL, cul_text_two(result, i),
                  cul_text_item_weight(text, item));
    found++;
  }
}

/* %r1 and %r22 are of one class, and of one type. */
static bool same_class(const struct cul_text *text, uint32_t a, uint32_t b) {
  struct cul_bytes x = cul_text_token(text, a), y = cul_text_token(text, b);
  while (x.len && isdigit((unsigned char)x.data[x.len - 1]))
    x.len--;
  while (y.len && isdigit((unsigned char)y.data[y.len - 1]))
    y.len--;
  return cul_bytes_equal(x, y);
}

/* Is the use of a register a write, "op %r", "@!%p op {%r, %s}", or a guard? */
static bool is_written(const struct cul_text *text, uint32_t use) {
  uint32_t i = text->lines[text->tokens[use].line].first;
  if (cul_text_is_char(text, i, '@'))
    i += cul_text_is_char(text, i + 1, '!') ? 3 : 2;
  i++; /* the name */
  return use <= i ||
         (cul_text_is_char(text, i, '{') && use < text->tokens[i].match);
}

/* An instruction of PTX that alone writes its one register: "op %r, ...". */
static void add_registers(struct cul_text *text,
                          const struct cul_text_names *names, uint32_t item,
                          struct cul_sites *out) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  uint32_t result = l->first + 1, found = 0;
  if (l->n < 4 || !cul_text_is_register(text, result) ||
      names->def[result] != result || names->shared[result] ||
      !cul_text_is_char(text, result + 1, ','))
    return;
  for (uint32_t u = names->first_use[result]; u < names->first_use[result + 1];
       u++)
    if (is_written(text, names->uses[u]))
      return;
  for (uint32_t i = result + 2; i < l->first + l->n && found < MOST; i++) {
    uint32_t def = names->def[i];
    if (def == CUL_TEXT_NONE || def == result || def == i ||
        !same_class(text, i, result))
      continue;
    cul_sites_add(out, NULL, cul_text_two(result, i),
                  cul_text_item_weight(text, item));
    found++;
  }
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_settled(subject);
  const struct cul_text_names *names = cul_text_names(text);
  struct types types = {0};
  (void)err;
  for (uint32_t i = 0; i < text->n_items; i++) {
    add_operands(text, names, i, &types, out);
    add_registers(text, names, i, out);
  }
  cul_buf_release(&types.result);
  cul_buf_release(&types.operand);
  return 0;
}

/* What stands for the definition now: operands of operands that went, too. */
static uint32_t final_operand(const struct cul_text_names *names,
                              const uint32_t *forward, uint32_t def) {
  uint32_t operand = forward[def];
  for (int i = 0; i < 10000 && forward[names->def[operand]] != CUL_TEXT_NONE;
       i++)
    operand = forward[names->def[operand]];
  return operand;
}

static void replace_uses(struct cul_text *text,
                         const struct cul_text_names *names, uint32_t def,
                         uint32_t operand) {
  struct cul_bytes name = cul_text_token(text, operand);
  char *with = cul_xstrndup(name.data, name.len);
  for (uint32_t u = names->first_use[def]; u < names->first_use[def + 1]; u++)
    cul_text_replace(text, names->uses[u], with);
  free(with);
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t *forward =
      cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *forward);
  (void)err;
  for (size_t i = 0; i <= text->n_tokens; i++)
    forward[i] = CUL_TEXT_NONE;
  for (size_t i = 0; i < n; i++) {
    uint32_t result = (uint32_t)(sites->detail[ids[i]] >> 32);
    if (forward[result] != CUL_TEXT_NONE)
      continue;
    forward[result] = (uint32_t)sites->detail[ids[i]];
    cul_text_erase_item(text, text->lines[text->tokens[result].line].item);
    ++*applied;
  }
  for (uint32_t t = 0; t < text->n_tokens; t++)
    if (forward[t] != CUL_TEXT_NONE)
      replace_uses(text, names, t, final_operand(names, forward, t));
  free(forward);
  return 0;
}

const struct cul_mutation cul_mutation_text_forward = {
    .name = "text-forward",
    .summary = "erase a definition, its uses get one of its operands",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
