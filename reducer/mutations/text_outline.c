/* Keep a run of operations of one block; what they need becomes arguments of a
 * func.func around them, which returns the last one's result where there is
 * one.  All else goes, the function, loops and modules around too. */
#include <stdlib.h>

#include "text_outline.h"

static uint32_t weight(struct cul_text *text, uint32_t item) {
  struct cul_text_function function;
  return cul_text_may_outline(text, item, &function)
             ? cul_text_item_ops(text, item)
             : 0;
}

static bool is_kept(const struct cul_text *text, uint32_t line, uint32_t first,
                    uint32_t end, uint32_t header) {
  uint32_t at = text->lines[line].first;
  return (line >= first && line < end) || line == header ||
         (text->lines[line].n && cul_text_is_alias(text, at));
}

/* The last operation's result, "%x", and its type; false: there is none. */
static bool find_result(struct cul_text *text, uint32_t item,
                        struct cul_buf *type) {
  uint32_t result = cul_text_only_result(text, item);
  return result != CUL_TEXT_NONE && cul_text_type_of(text, result, type);
}

/* Turn line `header`, which stands before the run, into that of the function;
 * `close`, behind, into its end. */
static void write_around(struct cul_text *text, uint32_t header, uint32_t last,
                         const char *arguments) {
  const struct cul_line *h = &text->lines[header];
  const struct cul_line *l = &text->lines[text->items[last].end - 1];
  struct cul_buf type = {0};
  struct cul_bytes name = {"", 0}, end;
  bool result = find_result(text, last, &type);
  char *with = cul_xasprintf("func.func @f(%s)%s%s {", arguments,
                             result ? " -> " : "", cul_buf_str(&type));
  uint32_t token = l->first + l->n - 1;
  cul_text_rewrite(text, h->first, with);
  cul_text_erase_tokens(text, h->first + 1, h->first + h->n);
  free(with);
  if (result)
    name = cul_text_token(text, text->lines[text->items[last].first].first);
  end = cul_text_token(text, token);
  with = cul_xasprintf("%.*s\nreturn %.*s%s%s\n}", (int)end.len, end.data,
                       (int)name.len, name.data, result ? " : " : "",
                       cul_buf_str(&type));
  cul_text_rewrite(text, token, with);
  free(with);
  cul_buf_release(&type);
}

static bool keep(struct cul_text *text, const struct cul_sites *sites,
                 uint32_t from, uint32_t to) {
  uint32_t first = (uint32_t)sites->detail[from];
  uint32_t last = (uint32_t)sites->detail[to], header;
  struct cul_text_function around;
  struct cul_buf arguments = {0};
  if (!cul_text_function_around(text, first, &around))
    return false;
  header = text->items[around.item].first;
  for (uint32_t line = 0; line < text->n_lines; line++)
    if (!is_kept(text, line, text->items[first].first, text->items[last].end,
                 header))
      cul_text_erase_line(text, line);
  cul_text_live_ins(text, cul_text_first_token(text, text->items[first].first),
                    cul_text_first_token(text, text->items[last].end), NULL,
                    &arguments);
  write_around(text, header, last, cul_buf_str(&arguments));
  cul_buf_release(&arguments);
  return true;
}

const struct cul_mutation cul_mutation_text_outline = {
    .name = "text-outline",
    .summary = "keep a run of operations as a function of its own",
    .kinds = CUL_SUBJECT_MLIR_TEXT,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.tree = weight, .keep = keep},
};
