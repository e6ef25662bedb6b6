/* Edits by the retype engine (graph.h), in all types that are tied by one at
 * once: of sizes, of element types, of encodings and layouts, of memory and
 * address spaces. */
#include <string.h>

#include "retype.h"
#include "rules/rules.h"

/* ---- sizes to 1, 2 or half ---- */

/* The smallest size first. */
static size_t smaller(const struct cul_retype *g, int64_t size, int64_t *out) {
  int64_t one = cul_retype_is_scalable(size) ? -1 : 1;
  size_t n = 0;
  (void)g;
  size *= one;
  if (size > 1)
    out[n++] = one;
  if (size > 2)
    out[n++] = 2 * one;
  if (size / 2 > 2)
    out[n++] = size / 2 * one;
  return n;
}

CUL_RETYPE(shrink_dimension, .part = CUL_RETYPE_SIZE, .targets = smaller);

/* ---- sizes to a static one ---- */

/* Operands that gave the size are dropped. */
static size_t fixed(const struct cul_retype *g, int64_t size, int64_t *out) {
  (void)g;
  if (cul_retype_is_scalable(size)) {
    out[0] = -size;
    return 1;
  }
  if (size != CUL_RETYPE_DYNAMIC)
    return 0;
  out[0] = 1;
  out[1] = 2;
  out[2] = 4;
  return 3;
}

CUL_RETYPE(static_dimension, .part = CUL_RETYPE_SIZE, .targets = fixed);

/* ---- dimensions removed ---- */

/* Loops of linalg operations, subscripts, and entries of slices and reshapes
 * are removed with the dimension.  An operation for one rank
 * (linalg.batch_matmul) becomes another one. */
static size_t gone(const struct cul_retype *g, int64_t size, int64_t *out) {
  (void)g;
  (void)size;
  out[0] = CUL_RETYPE_GONE;
  return 1;
}

CUL_RETYPE(drop_dimension, .part = CUL_RETYPE_SIZE, .targets = gone,
           .ranks = true);

/* ---- element types ---- */

/* shrink-element-type: make an element or scalar type narrower, or f32;
 * literals follow. */
static int64_t number(MlirType type) { return (int64_t)(intptr_t)type.ptr; }

static MlirType integer(const struct cul_retype *g, MlirType like,
                        unsigned width) {
  MlirContext context = g->ir->context;
  if (g->torch && width > 1 && mlirIntegerTypeIsSigned(like))
    return mlirIntegerTypeSignedGet(context, width);
  if (g->torch && width > 1 && mlirIntegerTypeIsUnsigned(like))
    return mlirIntegerTypeUnsignedGet(context, width);
  return mlirIntegerTypeGet(context, width);
}

static size_t integers(const struct cul_retype *g, MlirType type,
                       int64_t *out) {
  static const unsigned widths[] = {1, 8, 16, 32};
  unsigned width = mlirIntegerTypeGetWidth(type);
  size_t n = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(widths) && widths[i] < width; i++)
    out[n++] = number(integer(g, type, widths[i]));
  /* signed and unsigned types are longer to write */
  if (!mlirIntegerTypeIsSignless(type) && !g->torch)
    out[n++] = number(mlirIntegerTypeGet(g->ir->context, width));
  return n;
}

static size_t floats(const struct cul_retype *g, MlirType type, int64_t *out) {
  MlirType single = mlirF32TypeGet(g->ir->context);
  size_t n = 0;
  if (!mlirTypeEqual(type, single) && !mlirTypeIsAF16(type))
    out[n++] = number(single);
  if (mlirFloatTypeGetWidth(type) > 16)
    out[n++] = number(mlirF16TypeGet(g->ir->context));
  return n;
}

static size_t targets(const struct cul_retype *g, int64_t value, int64_t *out) {
  MlirType type = {(void *)(intptr_t)value};
  if (mlirTypeIsAInteger(type))
    return integers(g, type, out);
  if (mlirTypeIsAFloat(type))
    return floats(g, type, out);
  if (mlirTypeIsAComplex(type)) {
    out[0] = number(mlirComplexTypeGetElementType(type));
    return 1;
  }
  return 0;
}

CUL_RETYPE(shrink_element_type, .part = CUL_RETYPE_ELEMENT, .targets = targets);

/* ---- no encoding, no space ---- */

static size_t no_attribute(const struct cul_retype *g, int64_t value,
                           int64_t *out) {
  (void)g;
  out[0] = 0;
  return !cul_retype_is_default_layout(value);
}

CUL_RETYPE(drop_encoding, .part = CUL_RETYPE_LAYOUT, .targets = no_attribute,
           .everywhere = true);

CUL_RETYPE(drop_memory_space, .part = CUL_RETYPE_SPACE, .targets = no_attribute,
           .everywhere = true);

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

CUL_RETYPE(drop_address_space, .part = CUL_RETYPE_ELEMENT,
           .targets = no_address_space, .everywhere = true);

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
  CUL_OWNED(cul_buf) made = {0};
  /* remove the comma before the entry, after the first */
  cul_buf_add(&made, text, first ? at : at - 1);
  cul_buf_adds(&made, text + end + (first && text[end] == ','));
  return cul_ir_attr_parse(g->ir, made.data);
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

CUL_RETYPE(simplify_encoding, .part = CUL_RETYPE_LAYOUT, .targets = less,
           .everywhere = true);
