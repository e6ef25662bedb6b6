/* Shapes of the results of nvFuser's operations, and the dimensions that can
 * only be removed together (axes): see nvfuser.h.  In doubt, a shape is unknown
 * and fits, and an axis is pinned. */
#include <stdlib.h>

#include "nvfuser.h"

typedef struct cul_nvfuser_shape shape;

static const shape unknown = {.rank = -1};

/* A union-find forest: each tree is an axis. */
struct axes {
  struct axis {
    uint32_t parent;
    bool pinned; /* of a root */
  } *items;
  size_t n, cap;
};

/* An operation while its result is computed. */
struct call {
  struct cul_text *text;
  struct cul_nvfuser_shapes *shapes;
  struct axes *axes;
  struct cul_nvfuser_op op;
  shape result;
  bool wrong;
};

static void need(struct call *c, bool holds) { c->wrong |= !holds; }

/* ---- axes ---- */

static uint32_t new_axis(struct axes *axes) {
  uint32_t axis = (uint32_t)axes->n;
  CUL_XADD(axes->items, axes->n, axes->cap) = (struct axis){.parent = axis};
  return axis;
}

static uint32_t root_of(struct axes *axes, uint32_t axis) {
  struct axis *items = axes->items;
  while (items[axis].parent != axis)
    axis = items[axis].parent = items[items[axis].parent].parent;
  return axis;
}

/* Put dimension i of one shape and k of the other on the same axis. */
static void join(struct call *c, const shape *one, int i, const shape *other,
                 int k) {
  uint32_t x = root_of(c->axes, one->axes[i]);
  uint32_t y = root_of(c->axes, other->axes[k]);
  c->axes->items[x].pinned |= c->axes->items[y].pinned;
  c->axes->items[y].parent = x;
}

/* The same for each dimension, if the ranks are equal. */
static void join_all(struct call *c, const shape *one, const shape *other) {
  for (int d = 0; one->rank == other->rank && d < one->rank; d++)
    join(c, one, d, other, d);
}

static void pin(struct call *c, const shape *s, int from, int to) {
  for (int d = from; d < to; d++)
    c->axes->items[root_of(c->axes, s->axes[d])].pinned = true;
}

/* Append dimension d of s to `to`. */
static void add_dim(shape *to, const shape *s, int d) {
  to->axes[to->rank] = s->axes[d];
  to->dims[to->rank++] = s->dims[d];
}

/* ---- arguments ---- */

static shape shape_of(const struct call *c, uint32_t token) {
  uint32_t def = cul_text_names(c->text)->def[token];
  return def == CUL_TEXT_NONE ? unknown : c->shapes->of[def];
}

/* A number, or the value of a scalar; -1: not known. */
static int64_t number(const struct call *c, uint32_t first, uint32_t end) {
  uint64_t value;
  shape s;
  if (cul_bytes_whole(cul_text_token(c->text, first), &value) &&
      value <= INT64_MAX)
    return (int64_t)value;
  if (end != first + 1 || !cul_text_is_value(cul_text_token(c->text, first)))
    return -1;
  s = shape_of(c, first);
  return s.rank == 1 ? s.dims[0] : -1;
}

/* The elements of a list "[...]", or of the vector of that name. */
static shape list_at(const struct call *c, uint32_t token) {
  shape out = {.rank = 0};
  uint32_t first, end;
  if (cul_text_is_value(cul_text_token(c->text, token)))
    return cul_text_starts(c->text, token, 'V') ? shape_of(c, token) : unknown;
  if (!cul_text_opens(c->text, token, '[') &&
      !cul_text_opens(c->text, token, '('))
    return unknown;
  for (uint32_t k = 0; cul_text_element(c->text, token, k, &first, &end); k++) {
    if (k == CUL_NVFUSER_RANK)
      return unknown;
    out.axes[out.rank] = new_axis(c->axes);
    out.dims[out.rank++] = number(c, first, end);
  }
  return out;
}

static shape list_of(const struct call *c, const char *name, uint32_t k) {
  uint32_t first, end;
  return cul_text_nvfuser_argument(c->text, &c->op, name, k, &first, &end)
             ? list_at(c, first)
             : unknown;
}

static int64_t number_of(const struct call *c, const char *name, uint32_t k) {
  uint32_t first, end;
  return cul_text_nvfuser_argument(c->text, &c->op, name, k, &first, &end)
             ? number(c, first, end)
             : -1;
}

static bool is_true(const struct call *c, const char *name) {
  uint32_t first, end;
  return cul_text_nvfuser_argument(c->text, &c->op, name, CUL_TEXT_NONE, &first,
                                   &end) &&
         cul_text_token_is(c->text, first, "True");
}

/* Is operand k a tensor?  *out: its shape. */
static bool tensor(const struct call *c, uint32_t k, shape *out) {
  uint32_t first, end;
  if (!cul_text_nvfuser_argument(c->text, &c->op, NULL, k, &first, &end) ||
      !cul_text_is_value(cul_text_token(c->text, first)) ||
      !cul_text_starts(c->text, first, 'T'))
    return false;
  *out = shape_of(c, first);
  return true;
}

/* The same for operand 0, if its rank is known. */
static bool operand(const struct call *c, shape *out) {
  return tensor(c, 0, out) && out->rank >= 0;
}

/* Are both known, and not the same? */
static bool differ(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; }

static bool grows(int64_t from, int64_t to) {
  return from != 1 && differ(from, to);
}

/* -1: a factor is unknown, or the product is too large. */
static int64_t product(const shape *s) {
  int64_t n = 1;
  for (int d = 0; d < s->rank; d++)
    n = n < 0 || s->dims[d] < 0 || s->dims[d] > 1 << 20 || n > 1LL << 40
            ? -1
            : n * s->dims[d];
  return n;
}

/* ---- operations ---- */

static void pointwise(struct call *c) {
  shape s;
  bool any = false;
  for (uint32_t k = 0, first, end;
       cul_text_nvfuser_argument(c->text, &c->op, NULL, k, &first, &end); k++) {
    if (!tensor(c, k, &s))
      continue;
    if (s.rank < 0) {
      c->result = unknown;
      return;
    }
    if (any)
      need(c, s.rank == c->result.rank);
    for (int d = 0; any && !c->wrong && d < s.rank; d++) {
      need(c, c->result.dims[d] == 1 || !grows(s.dims[d], c->result.dims[d]));
      if (s.dims[d] == 1)
        s.dims[d] = c->result.dims[d];
    }
    if (c->wrong)
      return;
    if (any)
      join_all(c, &s, &c->result);
    c->result = s;
    any = true;
  }
}

static bool has(const shape *list, int64_t value) {
  for (int i = 0; i < list->rank; i++)
    if (list->dims[i] == value)
      return true;
  return false;
}

/* Are all dimensions known, and below the rank? */
static bool are_dims(const shape *dims, int rank) {
  for (int i = 0; i < dims->rank; i++)
    if (dims->dims[i] < 0 || dims->dims[i] >= rank)
      return false;
  return dims->rank >= 0;
}

static void reduce(struct call *c) {
  shape s, dims = list_of(c, "dims", 1);
  bool kept = is_true(c, "keepdim");
  if (!operand(c, &s) || dims.rank < 0 || has(&dims, -1))
    return;
  need(c, dims.rank > 0 && are_dims(&dims, s.rank));
  c->result.rank = 0;
  for (int d = 0; d < s.rank; d++)
    if (kept || !has(&dims, d)) {
      add_dim(&c->result, &s, d);
      if (has(&dims, d))
        c->result.dims[c->result.rank - 1] = 1;
    }
}

static void permute(struct call *c) {
  shape s, dims = list_of(c, "dims", 1);
  if (!operand(c, &s) || dims.rank < 0 || has(&dims, -1))
    return;
  need(c, dims.rank == s.rank && are_dims(&dims, s.rank));
  for (int d = 0; d < s.rank; d++)
    need(c, has(&dims, d));
  if (c->wrong)
    return;
  c->result.rank = 0;
  for (int d = 0; d < s.rank; d++)
    add_dim(&c->result, &s, (int)dims.dims[d]);
}

static void squeeze(struct call *c) {
  shape s, dims = list_of(c, "dims", 1);
  if (!operand(c, &s) || dims.rank < 0 || has(&dims, -1))
    return;
  need(c, are_dims(&dims, s.rank));
  c->result.rank = 0;
  for (int d = 0; d < s.rank; d++)
    if (!has(&dims, d))
      add_dim(&c->result, &s, d);
    else
      need(c, !differ(s.dims[d], 1));
}

static void broadcast_in_dim(struct call *c) {
  shape s, to = list_of(c, "shape", 1), dims = list_of(c, "broadcast_dims", 2);
  c->result = to;
  if (!operand(c, &s) || to.rank < 0 || dims.rank < 0)
    return;
  need(c, dims.rank == s.rank && are_dims(&dims, to.rank));
  for (int i = 0; !c->wrong && i < dims.rank; i++)
    need(c, (!i || dims.dims[i] > dims.dims[i - 1]) &&
                !grows(s.dims[i], to.dims[dims.dims[i]]));
  for (int i = 0; !c->wrong && i < dims.rank; i++)
    join(c, &s, i, &to, (int)dims.dims[i]);
}

static void expand(struct call *c) {
  shape s, to = list_of(c, "shape", 1);
  c->result = to;
  if (!operand(c, &s) || to.rank < 0)
    return;
  need(c, s.rank == to.rank);
  for (int d = 0; !c->wrong && d < s.rank; d++)
    need(c, !grows(s.dims[d], to.dims[d]));
  join_all(c, &s, &to);
}

/* Equal dimensions at the front and at the back stay on their axes; the axes of
 * the dimensions between them are pinned. */
static void reshape(struct call *c) {
  shape s, to = list_of(c, "new_shape", 1);
  int front = 0, back = 0;
  c->result = to;
  if (!operand(c, &s) || to.rank < 0)
    return;
  need(c, !differ(product(&s), product(&to)));
  for (; front < s.rank && front < to.rank && s.dims[front] >= 0 &&
         s.dims[front] == to.dims[front];
       front++)
    join(c, &s, front, &to, front);
  for (int d = s.rank, k = to.rank;
       d-- > front && k-- > front && s.dims[d] >= 0 && s.dims[d] == to.dims[k];
       back++)
    join(c, &s, d, &to, k);
  pin(c, &s, front, s.rank - back);
  pin(c, &to, front, to.rank - back);
}

static void slice(struct call *c) {
  shape s, from = list_of(c, "start_indices", 1);
  shape to = list_of(c, "end_indices", 2), by = list_of(c, "strides", 3);
  if (!operand(c, &s) || from.rank < 0 || to.rank < 0)
    return;
  need(c, from.rank == s.rank && to.rank == s.rank);
  need(c, by.rank < 0 || by.rank == s.rank);
  c->result = s;
  join_all(c, &s, &from);
  join_all(c, &s, &to);
  join_all(c, &s, &by);
  for (int d = 0; !c->wrong && d < s.rank; d++) {
    int64_t step = by.rank < 0 ? 1 : by.dims[d];
    bool known = from.dims[d] >= 0 && to.dims[d] >= 0 && step > 0;
    if (known && s.dims[d] >= 0)
      need(c, from.dims[d] < to.dims[d] && to.dims[d] <= s.dims[d]);
    c->result.dims[d] =
        known ? (to.dims[d] - from.dims[d] + step - 1) / step : -1;
  }
}

/* Append an operand of this shape to the result, along a dimension. */
static void append(struct call *c, shape *s, int64_t dim) {
  shape *all = &c->result;
  for (int d = 0; !c->wrong && d < s->rank; d++)
    if (d != dim)
      need(c, !differ(s->dims[d], all->dims[d]));
    else
      s->dims[d] =
          s->dims[d] < 0 || all->dims[d] < 0 ? -1 : s->dims[d] + all->dims[d];
  if (!c->wrong)
    join_all(c, s, all);
}

/* cat([T1, T2], dim=1) */
static void cat(struct call *c) {
  uint32_t first, end, open = c->op.open + 1;
  int64_t dim = number_of(c, "dim", 1);
  if (!cul_text_opens(c->text, open, '['))
    return;
  for (uint32_t k = 0; cul_text_element(c->text, open, k, &first, &end); k++) {
    shape s = shape_of(c, first), *all = &c->result;
    if (s.rank < 0 || dim < 0) {
      *all = unknown;
      return;
    }
    need(c, dim < s.rank && (!k || s.rank == all->rank));
    if (k)
      append(c, &s, dim);
    if (c->wrong)
      return;
    *all = s;
  }
  if (dim >= 0 && dim < c->result.rank)
    pin(c, &c->result, (int)dim, (int)dim + 1);
}

/* Pairs of widths from the last dimension on. */
static void pad(struct call *c) {
  shape s, widths = list_of(c, "widths", 1);
  if (!operand(c, &s) || widths.rank < 0)
    return;
  need(c, widths.rank % 2 == 0 && widths.rank <= 2 * s.rank);
  for (int i = 0; !c->wrong && i < widths.rank; i++) {
    int64_t *n = &s.dims[s.rank - 1 - i / 2];
    *n = *n < 0 || widths.dims[i] < 0 ? -1 : *n + widths.dims[i];
  }
  c->result = s;
}

static void matmul(struct call *c) {
  shape a, b;
  if (!operand(c, &a) || !tensor(c, 1, &b) || a.rank < 2 || b.rank < 2)
    return;
  need(c, !differ(a.dims[a.rank - 1], b.dims[b.rank - 2]));
  if (a.rank < b.rank)
    return;
  c->result = a;
  c->result.dims[a.rank - 1] = b.dims[b.rank - 1];
  join_all(c, &a, &b);
  pin(c, &a, a.rank == b.rank ? a.rank - 2 : 0, a.rank);
  pin(c, &b, a.rank == b.rank ? b.rank - 2 : 0, b.rank);
  for (int d = 0; a.rank == b.rank && d + 2 < a.rank; d++)
    need(c, !grows(a.dims[d], b.dims[d]) || b.dims[d] == 1);
}

static void linear(struct call *c) {
  shape a, b;
  if (!operand(c, &a) || !tensor(c, 1, &b) || a.rank < 1 || b.rank != 2)
    return;
  need(c, !differ(a.dims[a.rank - 1], b.dims[1]));
  c->result = a;
  c->result.dims[a.rank - 1] = b.dims[0];
}

/* "fd.ops.size(T1, dim=0)": a scalar. */
static void size(struct call *c) {
  shape s;
  int64_t dim = number_of(c, "dim", 1);
  c->result = (shape){.rank = 1, .dims = {-1}, .axes = {new_axis(c->axes)}};
  if (operand(c, &s) && dim >= 0) {
    need(c, dim < s.rank);
    c->result.dims[0] = dim < s.rank ? s.dims[dim] : -1;
  }
}

static void full(struct call *c) { c->result = list_of(c, "shape", 0); }

static void scalar(struct call *c) {
  c->result = (shape){
      .rank = 1, .dims = {number_of(c, NULL, 0)}, .axes = {new_axis(c->axes)}};
}

static void vector(struct call *c) { c->result = list_of(c, NULL, 0); }

/* Take the extents that the definition leaves open from the entry of the
 * input. */
static void input(struct call *c) {
  uint32_t open = cul_text_nvfuser_inputs(c->text), k = 0, first, end;
  struct cul_nvfuser_entry entry;
  shape s = list_of(c, "shape", CUL_TEXT_NONE), given;
  c->result = s;
  for (uint32_t line = 0; line < c->op.line; line++) {
    struct cul_nvfuser_op op;
    k += cul_text_nvfuser_op(c->text, line, &op) &&
         cul_text_nvfuser_takes(c->text, &op);
  }
  if (open == CUL_TEXT_NONE ||
      !cul_text_element(c->text, open, k, &first, &end) ||
      !cul_text_nvfuser_entry(c->text, first, end, &entry))
    return;
  given = list_at(c, entry.size);
  for (int d = 0; given.rank == s.rank && d < s.rank; d++)
    if (s.dims[d] < 0)
      c->result.dims[d] = given.dims[d];
}

/* How much is known about the axes of an operation. */
enum axes_known {
  NONE, /* nothing: pin the axes of all values that it names */
  TIED, /* known if the first operand and the result have known shapes */
  FREE, /* it makes new axes */
};
static const struct {
  const char *names; /* with a space on both sides of each */
  void (*shape)(struct call *call);
  enum axes_known axes;
} rules[] = {
    {" define_tensor ", input, FREE},
    {" define_scalar ", scalar, FREE},
    {" define_vector ", vector, FREE},
    {" set cast abs neg exp log sqrt rsqrt reciprocal sin cos tanh erf sigmoid "
     "silu relu gelu isfinite logical_not add sub mul div mod fmod pow maximum "
     "minimum eq ne lt le gt ge logical_and logical_or bitwise_and bitwise_or "
     "where ",
     pointwise, TIED},
    {" exp2 expm1 log10 log1p log2 tan sinh cosh asin acos atan asinh acosh "
     "atanh erfc erfinv floor ceil round trunc frac sign isinf isnan isneginf "
     "isposinf isreal bitwise_not lgamma real imag remainder atan2 bitwise_xor "
     "bitwise_left_shift bitwise_right_shift lerp clamp threshold addcmul "
     "nextafter stride_order segment_set ",
     pointwise, NONE},
    {" sum prod max min mean var var_mean ", reduce, TIED},
    {" amax amin welford ", reduce, NONE},
    {" permute ", permute, TIED},
    {" squeeze ", squeeze, TIED},
    {" broadcast_in_dim ", broadcast_in_dim, TIED},
    {" expand ", expand, TIED},
    {" reshape ", reshape, TIED},
    {" slice ", slice, TIED},
    {" cat ", cat, TIED},
    {" pad ", pad, NONE},
    {" matmul ", matmul, TIED},
    {" linear ", linear, NONE},
    {" size ", size, NONE},
    {" full ", full, NONE},
};

/* Pin the axes of all values that the statement names, and of its result. */
static void pin_all(struct call *c) {
  const struct cul_line *l = &c->text->lines[c->op.line];
  for (uint32_t i = l->first; i < l->first + l->n; i++) {
    shape s = shape_of(c, i);
    pin(c, &s, 0, s.rank);
  }
  pin(c, &c->result, 0, c->result.rank);
}

/* Are the axes of the operands known: is the first one a tensor of known rank,
 * or a list? */
static bool is_known(const struct call *c) {
  uint32_t first, end;
  shape s;
  return operand(c, &s) ||
         (cul_text_nvfuser_argument(c->text, &c->op, NULL, 0, &first, &end) &&
          cul_text_opens(c->text, first, '['));
}

static void compute(struct call *c) {
  enum axes_known axes = NONE;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rules); i++)
    if (cul_text_is_word(c->text, c->op.name, rules[i].names)) {
      rules[i].shape(c);
      axes = rules[i].axes;
      break;
    }
  if (c->wrong)
    c->result = unknown;
  if (cul_text_token_is(c->text, c->op.name, "add_output") &&
      cul_text_elements(c->text, c->op.open) == 1)
    axes = FREE;
  if (axes == NONE || (axes == TIED && !(c->result.rank >= 0 && is_known(c))))
    pin_all(c);
}

/* Replace each axis by its root, and append `pinned` to the block of out.
 * Returns the block, which replaces out. */
static struct cul_nvfuser_shapes *settle(const struct cul_text *text,
                                         struct axes *axes,
                                         struct cul_nvfuser_shapes *out) {
  size_t shapes = sizeof *out + (text->n_tokens + 1) * sizeof *out->of;
  for (size_t i = 0; i < text->n_tokens; i++)
    for (int d = 0; d < out->of[i].rank; d++)
      out->of[i].axes[d] = root_of(axes, out->of[i].axes[d]);
  out = cul_xreallocarray(out, shapes + axes->n, 1);
  out->n_axes = axes->n;
  out->pinned = (bool *)(out->of + text->n_tokens + 1);
  for (uint32_t i = 0; i < axes->n; i++)
    out->pinned[i] = axes->items[i].pinned;
  free(axes->items);
  return out;
}

const struct cul_nvfuser_shapes *
cul_text_nvfuser_shapes(struct cul_text *text) {
  struct cul_nvfuser_shapes *out;
  struct axes axes = {0};
  (void)cul_text_names(text);
  if (text->names->shapes)
    return text->names->shapes;
  out = cul_xmalloc(sizeof *out + (text->n_tokens + 1) * sizeof *out->of);
  out->wrong = CUL_TEXT_NONE;
  for (uint32_t line = 0; line < text->n_lines; line++) {
    const struct cul_line *l = &text->lines[line];
    struct call call = {
        .text = text, .shapes = out, .axes = &axes, .result = unknown};
    for (uint32_t i = l->first; i < l->first + l->n; i++)
      out->of[i] = unknown;
    if (!cul_text_nvfuser_op(text, line, &call.op))
      continue;
    compute(&call);
    if (call.wrong && out->wrong == CUL_TEXT_NONE)
      out->wrong = call.op.name;
    if (call.op.equals != CUL_TEXT_NONE)
      for (uint32_t i = l->first; i < call.op.equals; i++)
        out->of[i] = call.result;
  }
  return text->names->shapes = settle(text, &axes, out);
}
