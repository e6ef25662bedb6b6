/* Lists of numbers of an operation, by their names in the words of rules:
 *
 *   ATTR       an attribute, a list or one integer; its dynamic entries are
 *              operands
 *   @1         operand 1: a constant, or torch.prim.ListConstruct of them
 *   ATTR/LIST  a list in the text of a dialect's attribute (foreign.h)
 *
 * Lists follow dimensions and sizes.  Other uses of the same constant keep its
 * old value. */
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* ---- operands ---- */

static MlirOperation listed(MlirOperation op, intptr_t at) {
  MlirOperation maker = cul_ir_maker(op, at);
  return maker.ptr && cul_ir_is(maker, "torch.prim.ListConstruct")
             ? maker
             : (MlirOperation){NULL};
}

MlirOperation cul_retype_joined(MlirOperation op) {
  MlirOperation list = listed(op, 0);
  return list.ptr ? list : op;
}

/* Read the numbers of a constant; a bool is 1 or 0. */
static size_t constant(MlirOperation maker, int64_t *out) {
  MlirAttribute value = {NULL};
  size_t n = maker.ptr ? cul_numbers_named(maker, "values", out) : 0;
  if (!maker.ptr || n > 0)
    return n;
  value = cul_ir_get(maker, "value");
  if (!value.ptr || !mlirAttributeIsABool(value))
    return cul_numbers(value, out);
  out[0] = mlirBoolAttrGetValue(value);
  return 1;
}

bool cul_retype_operand(MlirOperation op, intptr_t at, int64_t *out,
                        size_t *n) {
  MlirOperation list = listed(op, at);
  int64_t one[CUL_RETYPE_MAX];
  if (!list.ptr)
    return (*n = constant(cul_ir_maker(op, at), out)) > 0;
  *n = (size_t)mlirOperationGetNumOperands(list);
  for (size_t i = 0; i < *n && i < CUL_RETYPE_MAX; i++)
    out[i] = constant(cul_ir_maker(list, (intptr_t)i), one) == 1
                 ? one[0]
                 : CUL_RETYPE_DYNAMIC;
  return *n <= CUL_RETYPE_MAX;
}

MlirValue cul_retype_constant(struct cul_retype *g, MlirOperation like,
                              int64_t number, MlirOperation op) {
  MlirOperation made = cul_ir_clone(like);
  MlirAttribute value = cul_ir_get(like, "value");
  cul_edit_insert_before(mlirOperationGetBlock(op), op, made);
  (void)cul_ir_set(g->ir, made, "value",
                   cul_numbers_replaced(g->ir, value, &number, 1));
  return mlirOperationGetResult(made, 0);
}

static void replace(struct cul_retype *g, MlirOperation op, intptr_t at,
                    MlirValue with) {
  MlirOperation old = cul_ir_maker(op, at);
  cul_edit_set_operand(op, at, with);
  if (old.ptr && cul_ir_alive(g->ir, old))
    (void)cul_ir_sweep(g->ir, old);
}

/* Change a constant list, in place if it has no other use. */
static void write_values(struct cul_retype *g, MlirOperation op, intptr_t at,
                         const int64_t *now, size_t n) {
  MlirOperation list = cul_ir_maker(op, at);
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(list, 0));
  MlirAttribute values =
      cul_numbers_replaced(g->ir, cul_ir_get(list, "values"), now, n);
  if (!mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) {
    list = cul_ir_clone(list);
    cul_edit_insert_before(mlirOperationGetBlock(op), op, list);
    cul_edit_set_operand(op, at, mlirOperationGetResult(list, 0));
  }
  (void)cul_ir_set(g->ir, list, "values", values);
}

static void write_list(struct cul_retype *g, MlirOperation op, intptr_t at,
                       const int64_t *old, const int64_t *now, size_t n) {
  MlirValue items[CUL_RETYPE_MAX];
  MlirOperation list = listed(op, at), fresh;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (now[i] == old[i])
      items[kept++] = mlirOperationGetOperand(list, (intptr_t)i);
    else if (now[i] != CUL_RETYPE_GONE)
      items[kept++] =
          cul_retype_constant(g, cul_ir_maker(list, (intptr_t)i), now[i], op);
  fresh = cul_ir_create(
      g->ir,
      &(struct cul_ir_new){"torch.prim.ListConstruct", items, kept, &type, 1},
      op);
  if (fresh.ptr)
    replace(g, op, at, mlirOperationGetResult(fresh, 0));
}

/* Copy the numbers other than CUL_RETYPE_GONE. */
static size_t drop_gone(const int64_t *now, size_t n, int64_t *out) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (now[i] != CUL_RETYPE_GONE)
      out[kept++] = now[i];
  return kept;
}

static void write_operand(struct cul_retype *g, MlirOperation op, intptr_t at,
                          const int64_t *old, const int64_t *now, size_t n) {
  MlirOperation maker = cul_ir_maker(op, at);
  int64_t left[CUL_RETYPE_MAX];
  size_t kept = drop_gone(now, n, left);
  if (listed(op, at).ptr)
    write_list(g, op, at, old, now, n);
  else if (cul_ir_get(maker, "values").ptr)
    write_values(g, op, at, left, kept);
  else if (kept > 0)
    replace(g, op, at, cul_retype_constant(g, maker, left[0], op));
}

/* ---- in the text of an attribute ---- */

/* The text of the attribute before the '/', or NULL; *list: the name after
 * it. */
static const char *text_of(const struct cul_retype *g, MlirOperation op,
                           const char *name, char **attr, const char **list) {
  MlirAttribute value;
  *list = strchr(name, '/') + 1;
  *attr = cul_xstrndup(name, (size_t)(*list - name) - 1);
  value = cul_ir_get(op, *attr);
  return value.ptr ? cul_ir_attr_text(g->ir, value) : NULL;
}

static bool read_text(const struct cul_retype *g, MlirOperation op,
                      const char *name, int64_t *out, size_t *n) {
  const char *list, *text;
  CUL_HEAP char *attr = NULL;
  text = text_of(g, op, name, &attr, &list);
  *n = text ? cul_ir_text_numbers(text, list, out) : 0;
  return text != NULL;
}

static void write_text(struct cul_retype *g, MlirOperation op, const char *name,
                       const int64_t *now, size_t n) {
  CUL_OWNED(cul_buf) out = {0};
  const char *list, *text;
  MlirAttribute made = {NULL};
  CUL_HEAP char *attr = NULL;
  text = text_of(g, op, name, &attr, &list);
  if (text)
    cul_ir_text_write_numbers(text, list, now, n, &out);
  if (out.len > 0)
    made = cul_ir_attr_parse(g->ir, cul_buf_str(&out));
  if (made.ptr)
    (void)cul_ir_set(g->ir, op, attr, made);
}

/* ---- attributes ---- */

/* The segment of the operands for the list's dynamic entries, counted from the
 * end; 0: none. */
static size_t segment_from_end(const char *name) {
  static const struct {
    const char *name;
    size_t from_end;
  } lists[] = {{"static_offsets", 3},     {"static_sizes", 2},
               {"static_strides", 1},     {"static_low", 2},
               {"static_high", 1},        {"staticLowerBound", 4},
               {"staticUpperBound", 3},   {"staticStep", 2},
               {"static_basis", 1},       {"static_position", 1},
               {"static_output_shape", 1}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(lists); i++)
    if (strcmp(name, lists[i].name) == 0)
      return lists[i].from_end;
  return 0;
}

/* The first operand for dynamic entries, which are the last operands. */
static size_t first_of_last(MlirOperation op, const char *name) {
  size_t operands = (size_t)mlirOperationGetNumOperands(op), dynamic = 0;
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, name, numbers);
  for (size_t i = 0; i < n; i++)
    dynamic += numbers[i] == CUL_RETYPE_DYNAMIC;
  return dynamic <= operands ? operands - dynamic : SIZE_MAX;
}

/* The first operand for the list's dynamic entries. */
static size_t first_dynamic(MlirOperation op, const char *name) {
  size_t back = segment_from_end(name), known = cul_ir_n_segments(op);
  size_t first, n;
  if (back > 0 && known == 0)
    return first_of_last(op, name);
  return back > 0 && known >= back &&
                 cul_ir_segment_range(op, known - back, &first, &n)
             ? first
             : SIZE_MAX;
}

size_t cul_retype_dynamic_operand(MlirOperation op, const char *name,
                                  size_t at) {
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, name, numbers), operand;
  if (at >= n || numbers[at] != CUL_RETYPE_DYNAMIC)
    return SIZE_MAX;
  operand = first_dynamic(op, name);
  for (size_t i = 0; i < at && operand != SIZE_MAX; i++)
    operand += numbers[i] == CUL_RETYPE_DYNAMIC;
  return operand < (size_t)mlirOperationGetNumOperands(op) ? operand : SIZE_MAX;
}

bool *cul_retype_all_operands(MlirOperation op) {
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  bool *keep = cul_xcalloc(n + CUL_RETYPE_MAX, sizeof *keep);
  memset(keep, true, n + CUL_RETYPE_MAX);
  return keep;
}

void cul_retype_keep_operands(struct cul_retype *g, MlirOperation op,
                              bool *keep) {
  CUL_OWNED(cul_ir_ops) makers = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation maker = cul_ir_maker(op, i);
    if (!keep[i] && maker.ptr)
      cul_ir_ops_add(&makers, maker);
  }
  (void)cul_ir_keep_operands(g->ir, op, keep);
  for (size_t i = 0; i < makers.n; i++)
    if (cul_ir_alive(g->ir, makers.items[i]))
      (void)cul_ir_sweep(g->ir, makers.items[i]);
  free(keep);
}

/* Write an attribute, and drop the operands of entries that are no longer
 * dynamic. */
static void write_attr(struct cul_retype *g, MlirOperation op, const char *name,
                       const int64_t *old, const int64_t *now, size_t n) {
  MlirAttribute attr = cul_ir_get(op, name);
  size_t at = first_dynamic(op, name);
  int64_t left[CUL_RETYPE_MAX];
  size_t kept = drop_gone(now, n, left);
  bool *keep = cul_retype_all_operands(op);
  if (kept > 0 || !mlirAttributeIsAInteger(attr))
    (void)cul_ir_set(g->ir, op, name,
                     cul_numbers_replaced(g->ir, attr, left, kept));
  for (size_t i = 0; at != SIZE_MAX && i < n; i++)
    if (old[i] == CUL_RETYPE_DYNAMIC)
      keep[at++] = now[i] == CUL_RETYPE_DYNAMIC;
  cul_retype_keep_operands(g, op, keep);
}

/* ---- any list ---- */

bool cul_retype_read(const struct cul_retype *g, MlirOperation op,
                     const char *name, int64_t *out, size_t *n) {
  *n = 0;
  if (*name == '@')
    return cul_retype_operand(op, name[1] - '0', out, n);
  if (strchr(name, '/'))
    return read_text(g, op, name, out, n);
  *n = cul_numbers_named(op, name, out);
  return cul_ir_get(op, name).ptr != NULL;
}

bool cul_retype_dims(const struct cul_retype *g, MlirOperation op,
                     const char *name, size_t rank, int64_t *out, size_t *n) {
  if (!cul_retype_read(g, op, name, out, n))
    return false;
  for (size_t i = 0; i < *n; i++)
    if (out[i] < 0 && out[i] != CUL_RETYPE_DYNAMIC)
      out[i] += (int64_t)rank;
  return true;
}

void cul_retype_write(struct cul_retype *g, MlirOperation op, const char *name,
                      const int64_t *now, size_t n) {
  int64_t old[CUL_RETYPE_MAX];
  size_t n_old;
  if (!cul_retype_read(g, op, name, old, &n_old) || n != n_old || n == 0 ||
      memcmp(old, now, n * sizeof *old) == 0)
    return;
  if (*name == '@')
    write_operand(g, op, name[1] - '0', old, now, n);
  else if (strchr(name, '/'))
    write_text(g, op, name, now, n);
  else
    write_attr(g, op, name, old, now, n);
}

/* ---- removed dimensions ---- */

/* An entry that counts from the end stays if no dimension after it is
 * removed. */
void cul_retype_thin_dims(struct cul_retype *g, MlirOperation op,
                          const char *name, MlirValue of) {
  int64_t numbers[CUL_RETYPE_MAX];
  int64_t rank = (int64_t)cul_retype_rank(g, of);
  int64_t left = (int64_t)cul_retype_left(g, of);
  size_t n;
  if (!cul_retype_read(g, op, name, numbers, &n))
    return;
  for (size_t i = 0; i < n; i++) {
    int64_t old = numbers[i], dim = old < 0 ? old + rank : old, now;
    if (old == CUL_RETYPE_DYNAMIC)
      continue;
    now = cul_retype_renumber(g, of, dim);
    if (old >= 0 || left - now != -old)
      numbers[i] = now;
    if (cul_retype_is_gone(g, of, dim))
      numbers[i] = CUL_RETYPE_GONE;
  }
  cul_retype_write(g, op, name, numbers, n);
}

/* Drop the entries for the dimensions in gone, of `rank` dimensions. */
static void thin_by(struct cul_retype *g, MlirOperation op, const char *name,
                    const bool *gone, size_t rank) {
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n, each;
  if (cul_retype_read(g, op, name, numbers, &n) && n == 0)
    for (size_t i = rank; i-- > 0;)
      if (gone[i])
        (void)cul_ir_drop_entry(g->ir, op, name, i);
  each = rank && n > rank ? n / rank : 1;
  for (size_t i = 0; i < n; i++)
    if (i / each < CUL_RETYPE_MAX && gone[i / each])
      numbers[i] = CUL_RETYPE_GONE;
  cul_retype_write(g, op, name, numbers, n);
}

void cul_retype_thin_entries(struct cul_retype *g, MlirOperation op,
                             const char *name, MlirValue of) {
  bool gone[CUL_RETYPE_MAX];
  cul_retype_find_gone(g, of, gone);
  thin_by(g, op, name, gone, cul_retype_rank(g, of));
}

void cul_retype_thin_operands(struct cul_retype *g, MlirOperation op,
                              intptr_t first, MlirValue of) {
  bool *keep = cul_retype_all_operands(op);
  for (intptr_t i = first; i < mlirOperationGetNumOperands(op); i++)
    keep[i] = !cul_retype_is_gone(g, of, i - first);
  cul_retype_keep_operands(g, op, keep);
}

/* Drop entries of removed dimensions from the word's lists, attributes or
 * operands.  The first argument is the value that has the dimensions. */
static void thin_listed(struct cul_retype *g, MlirOperation op) {
  MlirValue of = cul_retype_arg_value(g, op, 0);
  for (size_t i = 1; i < g->word->n_args; i++) {
    size_t n = cul_retype_rank(g, of);
    size_t first = cul_retype_arg_operands(g, op, i, &n);
    if (first == SIZE_MAX)
      cul_retype_thin_entries(g, op, cul_retype_arg(g, i), of);
    else if (n == cul_retype_rank(g, of))
      cul_retype_thin_operands(g, op, (intptr_t)first, of);
  }
}

/* The same, for the dimensions of operand 0 that the first list numbers. */
static void thin_along(struct cul_retype *g, MlirOperation op) {
  int64_t dims[CUL_RETYPE_MAX];
  bool gone[CUL_RETYPE_MAX] = {false};
  size_t n;
  if (!cul_retype_read(g, op, cul_retype_arg(g, 0), dims, &n))
    return;
  for (size_t i = 0; i < n; i++)
    gone[i] = cul_retype_is_gone(g, mlirOperationGetOperand(op, 0), dims[i]);
  for (size_t i = 1; i < g->word->n_args; i++)
    thin_by(g, op, cul_retype_arg(g, i), gone, n);
}

/* ---- lists as nodes ---- */

/* Find the binding that cul_retype_list made.  g->lists has the first one of
 * each operation; its others come later. */
static const struct cul_retype_binding *
find_list(struct cul_retype *g, MlirOperation op, const char *name) {
  uint64_t *first = cul_map_get(&g->lists, op.ptr);
  for (size_t i = first ? *first : g->bindings.n; i < g->bindings.n; i++)
    if (g->bindings.items[i].op.ptr == op.ptr &&
        strcmp(g->bindings.items[i].name, name) == 0)
      return &g->bindings.items[i];
  return NULL;
}

uint32_t cul_retype_list(struct cul_retype *g, MlirOperation op,
                         const char *name, bool may_be_0, size_t *n) {
  const struct cul_retype_binding *known = find_list(g, op, name);
  int64_t numbers[CUL_RETYPE_MAX];
  uint32_t first = (uint32_t)g->n_nodes;
  if (known) {
    *n = known->n;
    return known->first;
  }
  *n = cul_numbers_named(op, name, numbers);
  for (size_t i = 0; i < *n; i++)
    (void)cul_retype_add_number(g, numbers[i], may_be_0);
  if (*n == 0)
    return CUL_RETYPE_NONE;
  if (!cul_map_get(&g->lists, op.ptr))
    cul_map_put(&g->lists, op.ptr, g->bindings.n);
  cul_retype_bind(g, op, name, first, *n);
  return first;
}

void cul_retype_write_lists(struct cul_retype *g) {
  for (size_t i = 0; i < g->bindings.n; i++) {
    const struct cul_retype_binding *b = &g->bindings.items[i];
    int64_t numbers[CUL_RETYPE_MAX];
    size_t n = cul_numbers_named(b->op, b->name, numbers);
    for (size_t k = 0; n == b->n && k < n; k++) {
      uint32_t node = b->first + (uint32_t)k;
      int64_t now = cul_retype_now(g, node);
      if (!cul_retype_is_set(g, node) || now == CUL_RETYPE_GONE)
        continue;
      /* lists contain the positive factor of a scalable size */
      numbers[k] = numbers[k] > 0 && cul_retype_is_scalable(now) ? -now : now;
    }
    cul_retype_write(g, b->op, b->name, numbers, n == b->n ? n : 0);
  }
}

const struct cul_retype_meaning cul_retype_lists_words[] = {
    {"entries", CUL_WORD_RANKS | CUL_WORD_ASIDE, NULL, thin_listed, 0},
    {"along", CUL_WORD_ASIDE, NULL, thin_along, 0},
    {0},
};
