/* Types and attributes of other dialects, in text: see foreign.h. */
#include "foreign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../pipeline/quoted.h"
#include "map.h"
#include "numbers.h"
#include "walk.h"

/* ---- words and brackets ---- */

size_t cul_ir_part_end(const char *text, size_t at) {
  int depth = 0;
  for (; text[at]; at++) {
    char c = text[at];
    if (c == '"') {
      at = (size_t)(cul_string_end(text + at) - text) - 1;
      continue;
    }
    if (c == '>' && at > 0 && text[at - 1] == '-')
      continue;
    if (depth == 0 && strchr(",>)]}", c))
      break;
    depth += strchr("<([{", c) != NULL;
    depth -= strchr(">)]}", c) != NULL;
  }
  return at;
}

static MlirType parse_part(struct cul_ir *ir, const char *text, size_t from,
                           size_t to) {
  CUL_HEAP char *copy = cul_xstrndup(text + from, to - from);
  return cul_ir_type_parse(ir, copy);
}

/* ---- reading ---- */

/* Read "4x8xf32" as a tensor type; "[4,8],f32" is converted to this form
 * first. */
static MlirType read_sizes(struct cul_ir *ir, struct cul_ir_hole *hole) {
  static const char frame[] = "tensor<";
  CUL_OWNED(cul_buf) text = {0};
  const char *at = hole->text + hole->from;
  bool list = *at == '[';
  MlirType type;
  cul_buf_adds(&text, frame);
  for (at += list; list && *at && *at != ']'; at++)
    cul_buf_addc(&text, *at == ',' ? 'x' : *at);
  if (list && strncmp(at, "],", 2) == 0)
    at += strlen("],");
  if (list && text.len > strlen(frame))
    cul_buf_addc(&text, 'x');
  hole->syntax = list ? CUL_IR_SYNTAX_LIST : CUL_IR_SYNTAX_SIZES;
  hole->to = cul_ir_part_end(hole->text, (size_t)(at - hole->text));
  cul_buf_add(&text, at, hole->to - (size_t)(at - hole->text));
  cul_buf_addc(&text, '>');
  type = cul_ir_type_parse(ir, cul_buf_str(&text));
  if (type.ptr && (!mlirTypeIsARankedTensor(type) ||
                   (!list && mlirShapedTypeGetRank(type) == 0)))
    type.ptr = NULL;
  return type;
}

static MlirType read_builtin(struct cul_ir *ir, struct cul_ir_hole *hole) {
  hole->syntax = CUL_IR_SYNTAX_BUILTIN;
  hole->to = cul_ir_part_end(hole->text, hole->from);
  return parse_part(ir, hole->text, hole->from, hole->to);
}

/* The offset of the only tensor, memref or vector type in the text; 0: none or
 * several. */
static size_t find_builtin(const char *text) {
  static const char *const names[] = {"tensor<", "memref<", "vector<"};
  size_t found = 0, n = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    for (const char *at = text; (at = strstr(at, names[i])); at++) {
      bool fresh = at > text && strchr("<:, =", at[-1]);
      found = fresh ? (size_t)(at - text) : found;
      n += fresh;
    }
  return n == 1 ? found : 0;
}

static bool is_scalar(MlirType type) {
  return type.ptr && (mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) ||
                      mlirTypeIsAIndex(type) || mlirTypeIsAComplex(type));
}

/* The builtin type in the text of another dialect's type; null: none. */
static MlirType read_hole(struct cul_ir *ir, const char *text,
                          struct cul_ir_hole *hole) {
  const char *open = text[0] == '!' ? strchr(text, '<') : NULL;
  size_t builtin = open ? find_builtin(text) : 0;
  MlirType type = {NULL};
  *hole = (struct cul_ir_hole){.text = text};
  if (!open)
    return type;
  hole->from = builtin ? builtin : (size_t)(open + 1 - text);
  type = read_builtin(ir, hole);
  if (type.ptr && (is_scalar(type) || (mlirTypeIsAShaped(type) && builtin)))
    return type;
  /* this context does not know vector<4x!llvm.ptr> */
  if (builtin)
    hole->from = builtin + strlen("tensor<");
  return read_sizes(ir, hole);
}

bool cul_ir_wrapper_of(struct cul_ir *ir, MlirType type,
                       struct cul_ir_wrapper *out) {
  MlirType found, bare;
  *out = (struct cul_ir_wrapper){.shaped = type};
  if (!mlirTypeIsAShaped(type)) {
    found = read_hole(ir, cul_ir_type_text(ir, type), &out->around);
    if (!found.ptr)
      return false;
    out->shaped = found;
  }
  if (!mlirTypeIsAShaped(out->shaped)) {
    out->element = out->shaped;
    out->around_element = out->around;
    out->around.text = NULL;
    out->shaped.ptr = NULL;
    return true;
  }
  out->element = mlirShapedTypeGetElementType(out->shaped);
  bare =
      read_hole(ir, cul_ir_type_text(ir, out->element), &out->around_element);
  if (is_scalar(bare))
    out->element = bare;
  else
    out->around_element.text = NULL;
  return out->around.text || out->around_element.text;
}

/* ---- writing ---- */

/* Append the content of "tensor<4x8xf32>", as a list if the original was
 * one. */
static void add_type(struct cul_ir *ir, struct cul_buf *out,
                     enum cul_ir_syntax syntax, MlirType type) {
  const char *text = cul_ir_type_text(ir, type);
  if (syntax == CUL_IR_SYNTAX_BUILTIN) {
    cul_buf_adds(out, text);
    return;
  }
  text += strlen("tensor<");
  if (syntax == CUL_IR_SYNTAX_LIST) {
    cul_buf_addc(out, '[');
    for (intptr_t left = mlirShapedTypeGetRank(type); left > 0; text++)
      if (*text != 'x')
        cul_buf_addc(out, *text);
      else if (--left > 0)
        cul_buf_addc(out, ',');
    cul_buf_adds(out, "],");
  }
  cul_buf_add(out, text, strlen(text) - 1);
}

MlirType cul_ir_wrapper_fill(struct cul_ir *ir, const struct cul_ir_hole *hole,
                             MlirType type) {
  CUL_OWNED(cul_buf) text = {0};
  if (!hole->text || !type.ptr)
    return type;
  cul_buf_add(&text, hole->text, hole->from);
  add_type(ir, &text, hole->syntax, type);
  cul_buf_adds(&text, hole->text + hole->to);
  return cul_ir_type_parse(ir, cul_buf_str(&text));
}

/* ---- fields of structs of LLVM ---- */

static const char of_llvm[] = "!llvm.";
static const char with_fields[] = "struct<";

bool cul_ir_fields_of(struct cul_ir *ir, MlirType type,
                      struct cul_ir_fields *out) {
  const char *text = cul_ir_type_text(ir, type);
  size_t at;
  if (strncmp(text, of_llvm, strlen(of_llvm)) != 0)
    return false;
  *out = (struct cul_ir_fields){.text = text + strlen(of_llvm)};
  if (strncmp(out->text, with_fields, strlen(with_fields)) != 0)
    return false;
  at = strlen(with_fields) + strcspn(out->text + strlen(with_fields), "(\",>");
  if (out->text[at] != '(' || out->text[at + 1] == ')')
    return false;
  out->from = at + 1;
  for (at = out->from; out->n < CUL_IR_MOST_FIELDS; at++) {
    at = cul_ir_part_end(out->text, at);
    out->n++;
    if (out->text[at] != ',')
      return out->text[at] == ')';
  }
  return false;
}

char *cul_ir_fields_without(const struct cul_ir_fields *fields,
                            const bool *gone) {
  struct cul_buf made = {0};
  size_t at = fields->from, end = at, kept = 0;
  cul_buf_add(&made, fields->text, fields->from);
  for (size_t k = 0; k < fields->n; k++, at = end + 1) {
    end = cul_ir_part_end(fields->text, at);
    at += strspn(fields->text + at, " ");
    if (gone[k])
      continue;
    cul_buf_adds(&made, kept++ ? ", " : "");
    cul_buf_add(&made, fields->text + at, end - at);
  }
  cul_buf_adds(&made, fields->text + end);
  return made.data;
}

/* ---- texts in types ---- */

static void once(struct cul_ir *ir, MlirType type, struct cul_map *seen,
                 cul_ir_type_fn *fn, void *arg) {
  if (cul_map_get(seen, type.ptr))
    return;
  cul_map_put(seen, type.ptr, 1);
  fn(ir, type, arg);
}

void cul_ir_each_type(struct cul_ir *ir, cul_ir_type_fn *fn, void *arg) {
  struct cul_map seen = {0};
  CUL_IR_EACH_INNER(walk, ir->root) {
    CUL_IR_EACH_RESULT(result, walk.op)
    once(ir, mlirValueGetType(result), &seen, fn, arg);
    CUL_IR_EACH_BLOCK_OF(block, walk.op) {
      CUL_IR_EACH_ARGUMENT(argument, block)
      once(ir, mlirValueGetType(argument), &seen, fn, arg);
    }
    CUL_IR_EACH_ATTR(named, ir, walk.op) {
      if (mlirAttributeIsAType(named.attr->attr))
        once(ir, mlirTypeAttrGetValue(named.attr->attr), &seen, fn, arg);
    }
  }
  cul_map_release(&seen);
}

/* The text with `old` replaced, heap; NULL if it does not contain it. */
static char *replaced(const char *text, const char *old, const char *with) {
  struct cul_buf made = {0};
  const char *at;
  while ((at = strstr(text, old))) {
    cul_buf_add(&made, text, (size_t)(at - text));
    cul_buf_adds(&made, with);
    text = at + strlen(old);
  }
  if (made.data)
    cul_buf_adds(&made, text);
  return made.data;
}

static bool retext_value(struct cul_ir *ir, MlirValue value, const char *old,
                         const char *made) {
  CUL_HEAP char *text =
      replaced(cul_ir_type_text(ir, mlirValueGetType(value)), old, made);
  MlirType type = text ? cul_ir_type_parse(ir, text) : (MlirType){NULL};
  if (type.ptr)
    cul_edit_set_type(value, type);
  return type.ptr;
}

bool cul_ir_retext(struct cul_ir *ir, MlirOperation op, const char *old,
                   const char *made, const char *except) {
  bool any = false;
  CUL_IR_EACH_RESULT(result, op) any |= retext_value(ir, result, old, made);
  CUL_IR_EACH_BLOCK_OF(block, op) {
    CUL_IR_EACH_ARGUMENT(argument, block)
    any |= retext_value(ir, argument, old, made);
  }
  CUL_IR_EACH_ATTR(walk, ir, op) {
    CUL_HEAP char *text =
        replaced(cul_ir_attr_text(ir, walk.attr->attr), old, made);
    MlirAttribute attr =
        text ? cul_ir_attr_parse(ir, text) : (MlirAttribute){NULL};
    if (attr.ptr && !cul_ir_str_is(walk.attr->name, except))
      any |= cul_ir_set(ir, op, walk.attr->name.data, attr);
  }
  return any;
}

/* ---- lists of numbers in attributes ---- */

/* The numbers after a word; the text after them begins at end. */
struct listing {
  const char *word, *first, *end;
  bool several;
  int64_t numbers[CUL_NUMBERS_MAX];
  size_t n;
};

static bool find_listing(const char *text, const char *word,
                         struct listing *out) {
  size_t len = strlen(word);
  const char *at = text;
  *out = (struct listing){.n = 0};
  while ((at = strstr(at, word)) &&
         ((at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) ||
          !strchr(" =", at[len])))
    at += len;
  if (!at)
    return false;
  out->word = at;
  at += len + strspn(at + len, " =");
  out->several = *at == '[';
  at += out->several;
  out->first = out->end = at;
  while (out->n < CUL_NUMBERS_MAX && (out->n == 0 || out->several)) {
    char *end;
    int64_t number = strtoll(at, &end, 10);
    if (end == at)
      break;
    out->numbers[out->n++] = number;
    out->end = end;
    at = end + strspn(end, ", ");
  }
  return true;
}

/* Write the text with the numbers that are left; a list without any is
 * dropped. */
static void write_listing(const char *text, const char *word,
                          const int64_t *now, size_t n, struct cul_buf *out) {
  struct listing l;
  size_t kept = 0;
  if (!find_listing(text, word, &l) || l.n == 0)
    return;
  cul_buf_add(out, text, (size_t)(l.first - text));
  for (size_t i = 0; i < n; i++)
    if (now[i] != CUL_NUMBER_GONE || !l.several)
      cul_buf_addf(
          out, "%s%lld", kept++ ? ", " : "",
          (long long)(now[i] == CUL_NUMBER_GONE ? l.numbers[i] : now[i]));
  if (kept == 0) {
    l.end += 1 + strspn(l.end + 1, ", ");
    out->len = (size_t)(l.word - text);
    if (*l.end == '>' && out->len > 2 && l.word[-2] == ',')
      out->len -= 2;
  }
  cul_buf_adds(out, l.end);
}

/* The inside of bracket number k, or NULL. */
static const char *bracket(const char *text, int k) {
  while ((text = strchr(text, '[')) && k-- > 0)
    text++;
  return text ? text + 1 : NULL;
}

static const char *next_place(const char *at) {
  at += strcspn(at, ",]");
  return at + strspn(at, ", ");
}

/* Read the dimensions for list, "#0b" or "#0". */
static size_t read_places(const char *text, const char *list, int64_t *out) {
  const char *at = bracket(text, list[1] - '0');
  size_t n = 0;
  memset(out, -1, CUL_NUMBERS_MAX * sizeof *out);
  for (int64_t dim = 0; at && *at && *at != ']'; dim++, at = next_place(at)) {
    long side = isdigit((unsigned char)*at) ? strtol(at, NULL, 10) : -1;
    if (list[2] ? *at != list[2] : side < 0 || side >= CUL_NUMBERS_MAX)
      continue;
    out[list[2] ? 0 : side] = dim;
    n++;
  }
  return n;
}

/* Write the bracket without removed numbers; the others are renumbered, letters
 * stay. */
static void write_places(const char *text, const char *list, const int64_t *now,
                         size_t n, struct cul_buf *out) {
  const char *first = bracket(text, list[1] - '0'), *at = first;
  bool any = false;
  if (!at || list[2])
    return;
  cul_buf_add(out, text, (size_t)(at - text));
  for (; *at && *at != ']'; at = next_place(at)) {
    bool is_side = isdigit((unsigned char)*at);
    size_t side = is_side ? strtoul(at, NULL, 10) : 0, left = 0;
    if (is_side && (side >= n || now[side] == CUL_NUMBER_GONE))
      continue;
    cul_buf_adds(out, any ? ", " : "");
    any = true;
    for (size_t k = 0; k < side; k++)
      left += now[k] != CUL_NUMBER_GONE;
    if (is_side)
      cul_buf_addf(out, "%zu", left);
    else
      cul_buf_add(out, at, strcspn(at, ",]"));
  }
  cul_buf_adds(out, at);
}

size_t cul_ir_text_numbers(const char *text, const char *list, int64_t *out) {
  struct listing l;
  if (*list == '#')
    return read_places(text, list, out);
  (void)find_listing(text, list, &l);
  memcpy(out, l.numbers, l.n * sizeof *out);
  return l.n;
}

void cul_ir_text_write_numbers(const char *text, const char *list,
                               const int64_t *now, size_t n,
                               struct cul_buf *out) {
  if (*list == '#')
    write_places(text, list, now, n, out);
  else
    write_listing(text, list, now, n, out);
}

/* ---- slices of layouts ---- */

/* A layout, and the dimensions that slices have cut from it, in this order. */
struct slices {
  struct cul_bytes dialect, base; /* "#ttg." */
  size_t cut[CUL_NUMBERS_MAX], n;
};

/* The number of the i-th dimension that is not cut. */
static size_t nth_left(const struct slices *s, size_t i) {
  size_t dim = 0;
  for (;; dim++) {
    bool cut = false;
    for (size_t k = 0; k < s->n; k++)
      cut |= s->cut[k] == dim;
    if (!cut && i-- == 0)
      return dim;
  }
}

/* Read nested slices: "slice<{dim = 1, parent = slice<{dim = 2, parent =
 * base}>}>" has lost dimension 2 first. */
static bool read_slices(const char *text, size_t rank, struct slices *out) {
  static const char word[] = "slice<{dim = ", parent[] = ", parent = ";
  size_t dims[CUL_NUMBERS_MAX], n = 0, dialect = strcspn(text, ".");
  dialect += text[dialect] == '.';
  *out = (struct slices){.dialect = {text, dialect}};
  while (n + rank < CUL_NUMBERS_MAX &&
         strncmp(text, out->dialect.data, dialect) == 0 &&
         strncmp(text + dialect, word, strlen(word)) == 0) {
    char *end;
    dims[n] = strtoul(text + dialect + strlen(word), &end, 10);
    if (dims[n++] >= CUL_NUMBERS_MAX ||
        strncmp(end, parent, strlen(parent)) != 0)
      return false;
    text = end + strlen(parent);
  }
  if (n + rank >= CUL_NUMBERS_MAX || strlen(text) < n * strlen("}>"))
    return false;
  out->base = (struct cul_bytes){text, strlen(text) - n * strlen("}>")};
  for (; n > 0; out->n++)
    out->cut[out->n] = nth_left(out, dims[--n]);
  return true;
}

/* The base in a slice for each cut dimension, the last one outermost. */
static char *write_slices(const struct slices *s) {
  struct cul_buf text = {0};
  for (size_t i = s->n; i-- > 0;) {
    size_t dim = s->cut[i];
    for (size_t k = 0; k < i; k++)
      dim -= s->cut[k] < s->cut[i];
    cul_buf_add(&text, s->dialect.data, s->dialect.len);
    cul_buf_addf(&text, "slice<{dim = %zu, parent = ", dim);
  }
  cul_buf_add(&text, s->base.data, s->base.len);
  for (size_t i = 0; i < s->n; i++)
    cul_buf_adds(&text, "}>");
  return cul_buf_take(&text);
}

/* The base loses the removed dimensions first, from the last on, and then those
 * that it had lost before, so that a slice remains a slice of what its parent
 * becomes. */
char *cul_ir_text_sliced(const char *text, size_t rank, const bool *gone) {
  struct slices old, made;
  if (!read_slices(text, rank, &old))
    return NULL;
  made = (struct slices){.dialect = old.dialect, .base = old.base};
  for (size_t i = rank; i-- > 0;)
    if (gone[i])
      made.cut[made.n++] = nth_left(&old, i);
  for (size_t i = 0; i < old.n; i++)
    made.cut[made.n++] = old.cut[i];
  return write_slices(&made);
}
