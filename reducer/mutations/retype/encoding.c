/* Edits of encodings of tensors, layouts and memory spaces of memrefs, address
 * spaces of pointers by the retype engine (graph.h): in all types that are tied
 * by one at once. */
#include <string.h>

#include "retype.h"

/* ---- no encoding ---- */

static size_t no_encoding(const struct cul_retype *g, int64_t value,
                          int64_t *out) {
  (void)g;
  out[0] = 0;
  return value && !cul_retype_is_default_layout(value);
}

const struct cul_retype_edit cul_mutation_drop_encoding = {
    .part = CUL_RETYPE_LAYOUT, .targets = no_encoding, .everywhere = true};

static size_t no_space(const struct cul_retype *g, int64_t value,
                       int64_t *out) {
  (void)g;
  out[0] = 0;
  return value != 0;
}

const struct cul_retype_edit cul_mutation_drop_memory_space = {
    .part = CUL_RETYPE_SPACE, .targets = no_space, .everywhere = true};

/* By its text, which a module in generic form has, too. */
static size_t no_address_space(const struct cul_retype *g, int64_t value,
                               int64_t *out) {
  static const char pointer[] = "!llvm.ptr<";
  MlirType type = {(void *)(intptr_t)value};
  const char *text = type.ptr ? cul_ir_type_text(g->ir, type) : "";
  if (strncmp(text, pointer, strlen(pointer)) != 0)
    return 0;
  type = cul_ir_type_parse(g->ir, "!llvm.ptr");
  out[0] = (int64_t)(intptr_t)type.ptr;
  return type.ptr != NULL;
}

const struct cul_retype_edit cul_mutation_drop_address_space = {
    .part = CUL_RETYPE_ELEMENT,
    .targets = no_address_space,
    .everywhere = true};

/* ---- an entry less: what is between two commas, whatever dialect it is of; of
 * Triton's only what may be left out ---- */

/* Find the entries, the parts between commas, of an attribute of any dialect:
 * from text[*from] to text[*to]. */
static bool find_entries(const char *text, size_t *from, size_t *to) {
  const char *open = strchr(text, '<');
  size_t len = strlen(text);
  if (!open || len < 3 || text[len - 1] != '>')
    return false;
  *from = (size_t)(open - text) + 1;
  *to = len - 1;
  if (text[*from] == '{' && text[*to - 1] == '}') {
    ++*from;
    --*to;
  }
  return *from < *to;
}

/* Does Triton need the named parameter?  It needs all except those for clusters
 * and fp4Padded, and crashes without some. */
static bool is_needed(const char *text, size_t at) {
  static const char *const optional[] = {"CGALayout", "fp4Padded"};
  static const char *const dialects[] = {"#ttg.", "#triton_gpu.", "#ttng.",
                                         "#triton_nvidia_gpu."};
  bool triton = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(dialects); i++)
    triton |= strncmp(text, dialects[i], strlen(dialects[i])) == 0;
  at += strspn(text + at, " ");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(optional); i++)
    triton &= strncmp(text + at, optional[i], strlen(optional[i])) != 0;
  return triton;
}

static MlirAttribute without(const struct cul_retype *g, const char *text,
                             size_t at, size_t end, bool first) {
  struct cul_buf made = {0};
  MlirAttribute attr;
  /* remove the comma before the entry, after the first */
  cul_buf_add(&made, text, first ? at : at - 1);
  cul_buf_adds(&made, text + end + (first && text[end] == ','));
  attr = cul_ir_attr_parse(g->ir, made.data);
  cul_buf_release(&made);
  return attr;
}

/* List the encodings with one entry less; drop-encoding handles those with a
 * single entry. */
static size_t less(const struct cul_retype *g, int64_t value, int64_t *out) {
  MlirAttribute attr = {(void *)(intptr_t)value}, made;
  const char *text;
  size_t from, to, n = 0;
  if (!attr.ptr || cul_retype_is_default_layout(value))
    return 0;
  text = cul_ir_attr_text(g->ir, attr);
  if (!find_entries(text, &from, &to) || cul_ir_part_end(text, from) == to)
    return 0;
  for (size_t at = from, end; at <= to && n < CUL_RETYPE_TARGETS;
       at = end + 1) {
    end = cul_ir_part_end(text, at);
    if (is_needed(text, at))
      continue;
    made = without(g, text, at, end, at == from);
    if (made.ptr && !mlirAttributeEqual(made, attr))
      out[n++] = (int64_t)(intptr_t)made.ptr;
  }
  return n;
}

const struct cul_retype_edit cul_mutation_simplify_encoding = {
    .part = CUL_RETYPE_LAYOUT, .targets = less, .everywhere = true};
