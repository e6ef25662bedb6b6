/* drop-repeated-layers: drop chosen segments of operations that repeat, in one
 * edit.  Users of a dropped segment's values get those of the last remaining
 * segment before it, or else the values that the first segment used in their
 * place.  Functions to which only dropped operations refer are dropped too. */

#include <stdlib.h>

#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "../../subject/ir/replacement.h"
#include "../frame/each.h"

/* `count` segments of `period` operations each; the first operation of segment
 * s is repeats_op(r, repeat, s, 0). */
struct repeat {
  uint32_t first; /* index into order */
  uint32_t period, count;
  uint64_t gain; /* operations in all segments but one */
  size_t number; /* of its first segment, among those of all repeats */
};

struct repeats {
  struct cul_ir_list list;
  /* The operations of one block after the other, as indices into list;
   * UINT32_MAX between blocks. */
  uint32_t *order;
  uint64_t *before;     /* weight before each place */
  size_t n;             /* places */
  struct repeat *items; /* in the order of the module, disjoint */
  size_t n_items, n_segments;
};

/* ---- repeats ---- */

/* Repeats: stretches of a block's operations that follow each other and look
 * alike, such as the layers of a network written one after the other, or the
 * calls of one function per layer. */

/* The least gain, in operations and as a share of the module (1/64): other
 * mutations can remove smaller repeats. */
enum { LEAST_GAIN = 8, LEAST_SHARE = 64 };

/* ---- what operations look like ---- */

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h =
      (a ^ (b + UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xBF58476D1CE4E5B9);
  return h ^ h >> 29;
}

static uint64_t mix_ptr(uint64_t a, const void *ptr) {
  return mix(a, (uint64_t)(uintptr_t)ptr);
}

static uint64_t look_at_region(uint64_t h, MlirRegion region) {
  CUL_IR_EACH_BLOCK(block, region) {
    h = mix(h, (uint64_t)mlirBlockGetNumArguments(block));
    CUL_IR_EACH_ARGUMENT(argument, block)
    h = mix_ptr(h, mlirValueGetType(argument).ptr);
  }
  return mix(h, 1);
}

/* A hash of the operation without the operations inside it. */
static uint64_t look_at(MlirOperation op) {
  uint64_t h = mix_ptr(0, cul_ir_name(op).data);
  h = mix(h, (uint64_t)mlirOperationGetNumOperands(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    h = mix_ptr(h, mlirValueGetType(mlirOperationGetOperand(op, i)).ptr);
  CUL_IR_EACH_RESULT(result, op) h = mix_ptr(h, mlirValueGetType(result).ptr);
  h = mix(h, (uint64_t)mlirOperationGetNumRegions(op));
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
    h = look_at_region(h, mlirOperationGetRegion(op, i));
  return h;
}

static bool may_go(struct cul_ir *ir, MlirOperation op) {
  MlirStringRef name;
  return cul_each_editable(ir, op) && !cul_ir_is_terminator(ir, op) &&
         !cul_ir_symbol_name(op, &name);
}

struct finder {
  struct cul_ir *ir;
  struct repeats *out;
  uint64_t *look;   /* per operation, including those inside */
  uint64_t *weight; /* per operation */
  uint64_t *token;  /* per place: look; unique if the operation must stay */
  uint64_t *window; /* per place: hash of the operations from there on */
  struct repeat *found;
  size_t n_found, cap_found;
};

/* Add to an operation's weight that of functions to which only it refers. */
static void weigh_callees(struct finder *f) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(f->ir);
  CUL_OWNED(cul_map) index = {0};
  for (size_t i = 0; i < f->out->list.n; i++)
    cul_map_put(&index, f->out->list.items[i].op.ptr, i);
  for (size_t i = 0; i < symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &symbols->uses[i];
    uint64_t *user = cul_map_get(&index, use->user.ptr);
    const struct cul_ir_symbol *symbol;
    if (use->symbol == UINT32_MAX || !user)
      continue;
    symbol = &symbols->items[use->symbol];
    if (symbol->uses == 1 && cul_ir_is_function(symbol->op) &&
        !cul_ir_inside(use->user, symbol->op))
      f->weight[*user] += cul_ir_count(symbol->op);
  }
}

static void look_at_all(struct finder *f) {
  const struct cul_ir_list *list = &f->out->list;
  f->look = cul_xcalloc(list->n + 1, sizeof *f->look);
  f->weight = cul_xcalloc(list->n + 1, sizeof *f->weight);
  for (size_t i = list->n; i-- > 0;) {
    const struct cul_ir_item *item = &list->items[i];
    f->look[i] = mix(f->look[i], look_at(item->op));
    f->weight[i] = item->size;
    if (item->parent != UINT32_MAX)
      f->look[item->parent] = mix(f->look[item->parent], f->look[i]);
  }
  weigh_callees(f);
}

/* ---- blocks one after the other ---- */

/* The places in `order` at which the blocks begin. */
static size_t *block_starts(const struct cul_ir_list *list, size_t *n) {
  uint32_t most = 0;
  size_t *starts, at = 0;
  for (size_t i = 1; i < list->n; i++)
    if (list->items[i].block > most)
      most = list->items[i].block;
  starts = cul_xcalloc((size_t)most + 2, sizeof *starts);
  for (size_t i = 1; i < list->n; i++)
    starts[list->items[i].block]++;
  for (uint32_t b = 0; b <= most; b++) {
    size_t size = starts[b];
    starts[b] = at;
    at += size + 1;
  }
  *n = at;
  return starts;
}

static void line_up(struct finder *f) {
  struct repeats *out = f->out;
  CUL_HEAP size_t *next = block_starts(&out->list, &out->n);
  out->order = cul_xcalloc(out->n + 1, sizeof *out->order);
  out->before = cul_xcalloc(out->n + 1, sizeof *out->before);
  f->token = cul_xcalloc(out->n + 1, sizeof *f->token);
  f->window = cul_xcalloc(out->n + 1, sizeof *f->window);
  for (size_t i = 0; i < out->n; i++)
    out->order[i] = UINT32_MAX;
  for (size_t i = 1; i < out->list.n; i++)
    out->order[next[out->list.items[i].block]++] = (uint32_t)i;
  for (size_t i = 0; i < out->n; i++) {
    uint32_t at = out->order[i];
    bool repeats = at != UINT32_MAX && may_go(f->ir, out->list.items[at].op);
    f->token[i] = repeats ? f->look[at] : mix(~(uint64_t)i, i);
    out->before[i + 1] =
        out->before[i] + (at == UINT32_MAX ? 0 : f->weight[at]);
  }
}

/* ---- runs ---- */

static uint64_t weight_of(const struct repeats *r, size_t first, size_t end) {
  return r->before[end] - r->before[first];
}

/* Add a run: from its second segment on, places [first, end) equal those
 * `period` earlier.  Extend it as far as this holds; *reached: its end. */
static void add_run(struct finder *f, size_t first, size_t end, size_t period,
                    size_t *reached) {
  uint64_t gain;
  size_t count;
  while (first > 0 && f->token[first - 1] == f->token[first - 1 + period])
    first--;
  while (end < f->out->n && f->token[end] == f->token[end - period])
    end++;
  *reached = end;
  count = (end - first) / period;
  gain = count < 2 ? 0 : weight_of(f->out, first, first + (count - 1) * period);
  if (gain >= LEAST_GAIN && gain * LEAST_SHARE >= f->out->before[f->out->n])
    CUL_XADD(f->found, f->n_found, f->cap_found) = (struct repeat){
        (uint32_t)first, (uint32_t)period, (uint32_t)count, gain, 0};
}

/* Add the run of windows that begin at [first, last], each of which equals the
 * one `period` earlier, unless a known run contains it. */
static void close_run(struct finder *f, struct cul_map *reached, size_t first,
                      size_t last, size_t period, size_t width) {
  uint64_t *known;
  size_t end = last + width;
  if (period == 0 || end - first < period)
    return;
  known = cul_map_get(reached, (void *)(uintptr_t)period);
  if (known && end <= *known)
    return;
  add_run(f, first - period, end, period, &end);
  cul_map_put(reached, (void *)(uintptr_t)period, end);
}

static void find_runs(struct finder *f, size_t width) {
  CUL_OWNED(cul_map) last = {0}, reached = {0};
  size_t first = 0, period = 0, n = f->out->n;
  for (size_t i = 0; i + width <= n; i++) {
    void *key = (void *)(uintptr_t)(f->window[i] | 1);
    uint64_t *seen = cul_map_get(&last, key);
    size_t d = seen ? i - (size_t)*seen : 0;
    if (d != period) {
      if (i > 0)
        close_run(f, &reached, first, i - 1, period, width);
      first = i;
      period = d;
    }
    cul_map_put(&last, key, i);
  }
  if (n >= width)
    close_run(f, &reached, first, n - width, period, width);
}

/* ---- the best repeats ---- */

static int by_place(const void *x, const void *y) {
  const struct repeat *a = x, *b = y;
  return a->first < b->first ? -1 : a->first > b->first;
}

static int by_gain(const void *x, const void *y) {
  const struct repeat *a = x, *b = y;
  if (a->gain != b->gain)
    return a->gain > b->gain ? -1 : 1;
  if (a->period != b->period)
    return a->period < b->period ? -1 : 1;
  return by_place(x, y);
}

/* Is no operation of the repeat taken: part of a chosen repeat, or around
 * one? */
static bool is_free(const struct repeats *r, const struct repeat *c,
                    const bool *taken) {
  for (size_t i = 0; i < (size_t)c->period * c->count; i++)
    if (taken[r->order[c->first + i]])
      return false;
  return true;
}

static void take(const struct repeats *r, const struct repeat *c, bool *taken) {
  uint32_t up = r->list.items[r->order[c->first]].parent;
  for (size_t i = 0; i < (size_t)c->period * c->count; i++) {
    uint32_t at = r->order[c->first + i];
    for (uint32_t k = 0; k < r->list.items[at].size; k++)
      taken[at + k] = true;
  }
  for (; up != UINT32_MAX && !taken[up]; up = r->list.items[up].parent)
    taken[up] = true;
}

static void choose(struct finder *f) {
  struct repeats *out = f->out;
  CUL_HEAP bool *taken = cul_xcalloc(out->list.n + 1, sizeof *taken);
  if (f->n_found)
    qsort(f->found, f->n_found, sizeof *f->found, by_gain);
  for (size_t i = 0; i < f->n_found; i++) {
    if (!is_free(out, &f->found[i], taken))
      continue;
    take(out, &f->found[i], taken);
    f->found[out->n_items++] = f->found[i];
  }
  out->items = f->found;
  if (out->n_items)
    qsort(out->items, out->n_items, sizeof *out->items, by_place);
  for (size_t i = 0; i < out->n_items; i++) {
    out->items[i].number = out->n_segments;
    out->n_segments += out->items[i].count;
  }
}

/* Find the repeats of the greatest gain, none of which overlaps or contains
 * another.  Operations look alike if they have the same name, types and
 * regions; attributes and the origin of operands may differ.  The weight of an
 * operation includes the operations inside it, and the function to which only
 * it refers.  O(n log n).
 *
 * Method: compare windows of 1, 2, 4 ... operations by their hashes (the prefix
 * doubling of Karp, Miller, Rosenberg).  If successive windows were each last
 * seen the same distance back, a repeat has this distance as its period. */
static void repeats_find(struct cul_ir *ir, struct repeats *out) {
  struct finder f = {.ir = ir, .out = out};
  *out = (struct repeats){.n = 0};
  cul_ir_list(ir->root, &out->list);
  look_at_all(&f);
  line_up(&f);
  for (size_t i = 0; i < out->n; i++)
    f.window[i] = f.token[i];
  for (size_t width = 1; 2 * width <= out->n; width *= 2) {
    find_runs(&f, width);
    for (size_t i = 0; i + 2 * width <= out->n; i++)
      f.window[i] = mix(f.window[i], f.window[i + width]);
  }
  choose(&f);
  free(f.look);
  free(f.weight);
  free(f.token);
  free(f.window);
}

static void repeats_release(struct repeats *r) {
  cul_ir_list_release(&r->list);
  free(r->order);
  free(r->before);
  free(r->items);
}

/* Operation number i of segment s. */
static MlirOperation repeats_op(const struct repeats *r,
                                const struct repeat *repeat, uint32_t s,
                                uint32_t i) {
  size_t at = repeat->first + (size_t)s * repeat->period + i;
  return r->list.items[r->order[at]].op;
}

/* ---- drop repeated layers ---- */

/* detail: the number of the segment. */
static void sites(struct cul_ir *ir, struct cul_sites *out) {
  CUL_OWNED(repeats) r = {0};
  repeats_find(ir, &r);
  for (size_t i = 0; i < r.n_items; i++)
    for (uint32_t s = 0; s < r.items[i].count; s++) {
      size_t first = r.items[i].first + (size_t)s * r.items[i].period;
      uint64_t weight = weight_of(&r, first, first + r.items[i].period);
      cul_each_add(out, repeats_op(&r, &r.items[i], s, 0),
                   r.items[i].number + s,
                   weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX);
    }
}

/* ---- one chain of segments ---- */

struct chain {
  struct cul_ir *ir;
  const struct repeats *repeats;
  const struct repeat *repeat;
  const bool *gone; /* per segment: is it dropped? */
  /* A result of the first segment -> the value that the first segment uses
   * where the second one uses that result. */
  struct cul_map *taken;
  const struct cul_map *going; /* the operations of all dropped segments */
};

static MlirOperation op_at(const struct chain *c, uint32_t s, uint32_t i) {
  return repeats_op(c->repeats, c->repeat, s, i);
}

static void find_taken(struct chain *c) {
  for (uint32_t i = 0; i < c->repeat->period; i++) {
    MlirOperation a = op_at(c, 0, i), b = op_at(c, 1, i);
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(a); k++) {
      MlirValue from = mlirOperationGetOperand(b, k);
      if (!cul_map_has(c->taken, from.ptr))
        cul_map_put_ptr(c->taken, from.ptr,
                        (void *)(uintptr_t)mlirOperationGetOperand(a, k).ptr);
    }
  }
}

/* Does `with` dominate all uses of value? */
static bool may_replace(struct chain *c, MlirValue value, MlirValue with) {
  CUL_IR_EACH_USER(user, c->ir, value) {
    if (!cul_ir_dominates(c->ir, with, user.op))
      return false;
  }
  return true;
}

/* The substitute for a result of segment s if no segment before it remains: the
 * value that the first segment uses in its place, else the result of the next
 * remaining segment, else another value. */
static MlirValue at_front(struct chain *c, uint32_t s, uint32_t i,
                          intptr_t result) {
  MlirValue own = mlirOperationGetResult(op_at(c, s, i), result), other;
  MlirValue first = mlirOperationGetResult(op_at(c, 0, i), result);
  other.ptr = cul_map_get_ptr(c->taken, first.ptr);
  if (other.ptr && cul_ir_dominates(c->ir, other, op_at(c, 0, 0)))
    return other;
  for (uint32_t later = s + 1; later < c->repeat->count; later++) {
    if (c->gone[later])
      continue;
    other = mlirOperationGetResult(op_at(c, later, i), result);
    if (may_replace(c, own, other))
      return other;
    break;
  }
  return cul_ir_replacement(c->ir, own, op_at(c, s, i), CUL_IR_FROM_VALUES);
}

static bool replace(struct chain *c, uint32_t s, uint32_t i, intptr_t result) {
  MlirValue value = mlirOperationGetResult(op_at(c, s, i), result), with;
  uint32_t earlier = s;
  if (!cul_ir_used_outside(c->going, value))
    return true;
  while (earlier > 0 && c->gone[earlier - 1])
    earlier--;
  with = earlier > 0 ? mlirOperationGetResult(op_at(c, earlier - 1, i), result)
                     : at_front(c, s, i, result);
  if (!with.ptr)
    return false;
  cul_ir_replace_uses(value, with);
  return true;
}

static bool drop_segment(struct chain *c, uint32_t s) {
  for (uint32_t i = c->repeat->period; i-- > 0;) {
    MlirOperation op = op_at(c, s, i);
    for (intptr_t k = 0; k < mlirOperationGetNumResults(op); k++)
      if (!replace(c, s, i, k))
        return false;
  }
  return true;
}

/* Replace the results of the dropped segments; returns their number. */
static size_t drop_chain(struct chain *c) {
  CUL_OWNED(cul_map) taken = {0};
  size_t n = 0;
  c->taken = &taken;
  find_taken(c);
  for (uint32_t s = c->repeat->count; s-- > 0;)
    if (c->gone[s])
      n += drop_segment(c, s);
  return n;
}

/* ---- functions that nothing uses any more ---- */

/* Add to going and ops the functions to which only dropped operations refer. */
static void drop_callees(struct cul_ir *ir, struct cul_map *going,
                         struct cul_ir_ops *ops) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(ir);
  CUL_HEAP uint32_t *uses = cul_xcalloc(symbols->n + 1, sizeof *uses);
  size_t before = SIZE_MAX;
  while (before != ops->n) {
    before = ops->n;
    for (size_t i = 0; i < symbols->n; i++)
      uses[i] = 0;
    for (size_t i = 0; i < symbols->n_uses; i++)
      if (symbols->uses[i].symbol != UINT32_MAX &&
          cul_ir_member_around(going, symbols->uses[i].user).ptr)
        uses[symbols->uses[i].symbol]++;
    for (size_t i = 0; i < symbols->n; i++) {
      MlirOperation op = symbols->items[i].op;
      if (uses[i] == 0 || uses[i] != symbols->items[i].uses ||
          !cul_ir_is_function(op) || cul_ir_member_around(going, op).ptr)
        continue;
      cul_map_put(going, op.ptr, 1);
      cul_ir_ops_add(ops, op);
    }
  }
}

/* ---- all repeats ---- */

static void collect(const struct repeats *r, const bool *gone,
                    struct cul_map *going, struct cul_ir_ops *ops) {
  for (size_t i = 0; i < r->n_items; i++)
    for (uint32_t s = 0; s < r->items[i].count; s++)
      for (uint32_t k = 0;
           gone[r->items[i].number + s] && k < r->items[i].period; k++) {
        MlirOperation op = repeats_op(r, &r->items[i], s, k);
        cul_map_put(going, op.ptr, 1);
        cul_ir_ops_add(ops, op);
      }
}

/* Handle the last repeat first: its substitutes may be results of an earlier
 * one, which are then replaced in turn. */
static size_t drop(struct cul_ir *ir, const struct repeats *r,
                   const bool *gone) {
  CUL_OWNED(cul_ir_ops) ops = {0};
  CUL_OWNED(cul_map) going = {0};
  size_t n = 0;
  collect(r, gone, &going, &ops);
  for (size_t i = r->n_items; i-- > 0;) {
    struct chain chain = {.ir = ir,
                          .repeats = r,
                          .repeat = &r->items[i],
                          .gone = gone + r->items[i].number,
                          .going = &going};
    n += drop_chain(&chain);
  }
  drop_callees(ir, &going, &ops);
  if (!cul_ir_discard_sweep(ir, &ops))
    n = 0;
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return n;
}

static size_t apply(struct cul_ir *ir, const struct cul_sites *listed,
                    const uint32_t *ids, size_t n) {
  CUL_OWNED(repeats) r = {0};
  CUL_HEAP bool *gone = NULL;
  repeats_find(ir, &r);
  gone = cul_xcalloc(r.n_segments + 1, sizeof *gone);
  for (size_t i = 0; i < n; i++)
    gone[listed->detail[ids[i]]] = true;
  return drop(ir, &r, gone);
}

CUL_EACH(drop_repeated_layers, .all = sites, .edit_all = apply);
