/* The graph of the retype engine: slots, nodes, classes.  See graph.h. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

static bool retype_solve(struct cul_retype *g, size_t mark);

/* ---- nodes ---- */

static uint32_t add_node(struct cul_retype *g, int64_t value) {
  uint32_t node = (uint32_t)g->n_nodes;
  CUL_XADD(g->node, g->n_nodes, g->cap_nodes) =
      (struct cul_retype_node){.parent = node, .value = value, .now = value};
  return node;
}

uint32_t cul_retype_find(const struct cul_retype *g, uint32_t node) {
  while (g->node[node].parent != node) {
    g->node[node].parent = g->node[g->node[node].parent].parent;
    node = g->node[node].parent;
  }
  return node;
}

bool cul_retype_is_scalable(int64_t size) {
  return size < 0 && size > CUL_RETYPE_GONE;
}

void cul_retype_relate_two(struct cul_retype *g, enum cul_retype_kind kind,
                           uint32_t lhs, uint32_t term) {
  cul_retype_relate(g, kind, lhs, 0);
  cul_retype_term(g, term, 1);
}

void cul_retype_tie(struct cul_retype *g, uint32_t a, uint32_t b) {
  uint32_t root, joins;
  if (a == CUL_RETYPE_NONE || b == CUL_RETYPE_NONE)
    return;
  if (g->node[a].value != g->node[b].value) {
    if ((g->node[a].value == CUL_RETYPE_DYNAMIC ||
         g->node[b].value == CUL_RETYPE_DYNAMIC) &&
        !cul_retype_is_scalable(g->node[a].value) &&
        !cul_retype_is_scalable(g->node[b].value))
      cul_retype_relate_two(g, CUL_RETYPE_CAST, a, b);
    return;
  }
  a = cul_retype_find(g, a);
  b = cul_retype_find(g, b);
  /* the lower number becomes the class, so that classes are in module order */
  root = a < b ? a : b;
  joins = a < b ? b : a;
  g->node[joins].parent = root;
  g->node[root].pinned |= g->node[joins].pinned;
  g->node[root].may_be_0 &= g->node[joins].may_be_0;
  g->node[root].counts |= g->node[joins].counts;
}

void cul_retype_join_nodes(struct cul_retype *g, uint32_t a, uint32_t b) {
  if (a == CUL_RETYPE_NONE || b == CUL_RETYPE_NONE ||
      cul_retype_find(g, a) == cul_retype_find(g, b))
    return;
  cul_retype_relate_two(g, CUL_RETYPE_TOGETHER, a, b);
}

void cul_retype_pair(struct cul_retype *g, uint32_t a, uint32_t b) {
  cul_retype_tie(g, a, b);
  if (g->ranks)
    cul_retype_join_nodes(g, a, b);
}

void cul_retype_pin(struct cul_retype *g, uint32_t node) {
  if (node != CUL_RETYPE_NONE)
    g->node[cul_retype_find(g, node)].pinned = true;
}

void cul_retype_counts(struct cul_retype *g, uint32_t node) {
  if (node != CUL_RETYPE_NONE)
    g->node[cul_retype_find(g, node)].counts = true;
}

bool cul_retype_is_pinned(const struct cul_retype *g, uint32_t node) {
  return g->node[cul_retype_find(g, node)].pinned;
}

uint32_t cul_retype_add_number(struct cul_retype *g, int64_t value,
                               bool may_be_0) {
  uint32_t node = add_node(g, value);
  g->node[node].may_be_0 = may_be_0;
  return node;
}

static void step(struct cul_retype *g, uint32_t root, int64_t value) {
  CUL_XADD(g->trail.items, g->trail.n, g->trail.cap) =
      (struct cul_retype_step){root, g->node[root].now, g->node[root].set};
  g->node[root].now = value;
  g->node[root].set = true;
}

static bool is_larger(const struct cul_retype *g, uint32_t root,
                      int64_t value) {
  int64_t now = g->node[root].now;
  if (cul_retype_is_scalable(now))
    return value < now || value > -now;
  return now != CUL_RETYPE_DYNAMIC && value > now;
}

static bool is_too_small(const struct cul_retype *g, uint32_t root,
                         int64_t value) {
  if (cul_retype_is_scalable(g->node[root].now) &&
      cul_retype_is_scalable(value))
    return false;
  return value < (g->node[root].may_be_0 ? 0 : 1);
}

/* Would an element that is used as an index or count have one bit? */
static bool is_too_narrow(const struct cul_retype *g, uint32_t root,
                          int64_t value) {
  MlirType type = {(void *)(intptr_t)value};
  return g->node[root].counts && mlirTypeIsAInteger(type) &&
         mlirIntegerTypeGetWidth(type) == 1;
}

/* Set a new value for the class of node.  False: the class was chosen before,
 * is pinned, has this value, or was set to a smaller one. */
static bool set_node(struct cul_retype *g, uint32_t node, int64_t value) {
  node = cul_retype_find(g, node);
  if (g->node[node].chosen || g->node[node].pinned ||
      g->node[node].now == value ||
      (g->node[node].set && is_larger(g, node, value)) ||
      is_too_narrow(g, node, value))
    return false;
  step(g, node, value);
  g->node[node].chosen = true;
  return true;
}

static bool retype_follow(struct cul_retype *g, uint32_t root, int64_t value) {
  if (g->node[root].chosen || g->node[root].pinned ||
      g->node[root].now == value || is_larger(g, root, value) ||
      is_too_small(g, root, value))
    return false;
  step(g, root, value);
  return true;
}

/* away: CUL_RETYPE_GONE, for a layout 0. */
static bool follow_away(struct cul_retype *g, uint32_t root, int64_t away) {
  if (g->node[root].now == away)
    return true;
  if (g->node[root].chosen || g->node[root].pinned)
    return false;
  step(g, root, away);
  return true;
}

void cul_retype_undo(struct cul_retype *g, size_t mark) {
  while (g->trail.n > mark) {
    const struct cul_retype_step *last = &g->trail.items[--g->trail.n];
    g->node[last->root].now = last->before;
    g->node[last->root].set = last->set;
    /* a class is chosen once, by the first step of its mark */
    g->node[last->root].chosen = false;
  }
}

bool cul_retype_try(struct cul_retype *g, uint32_t node, int64_t value) {
  size_t mark = g->trail.n;
  if (set_node(g, node, value) && retype_solve(g, mark))
    return true;
  cul_retype_undo(g, mark);
  return false;
}

/* ---- slots ---- */

static int64_t as_number(const void *ptr) { return (int64_t)(intptr_t)ptr; }

static MlirAttribute layout_of(MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    return mlirRankedTensorTypeGetEncoding(type);
  if (mlirTypeIsAMemRef(type))
    return mlirMemRefTypeGetLayout(type);
  return (MlirAttribute){NULL};
}

static MlirAttribute space_of(MlirType type) {
  if (mlirTypeIsAMemRef(type))
    return mlirMemRefTypeGetMemorySpace(type);
  if (mlirTypeIsAUnrankedMemRef(type))
    return mlirUnrankedMemrefGetMemorySpace(type);
  return (MlirAttribute){NULL};
}

static int64_t size_of(MlirType type, intptr_t i) {
  if (mlirShapedTypeIsDynamicDim(type, i))
    return CUL_RETYPE_DYNAMIC;
  if (mlirTypeIsAVector(type) && mlirVectorTypeIsDimScalable(type, i))
    return -mlirShapedTypeGetDimSize(type, i);
  return mlirShapedTypeGetDimSize(type, i);
}

/* The index of the type's wrapper; each type is parsed once. */
static uint32_t find_wrapper(struct cul_retype *g, MlirType type) {
  uint64_t *known = cul_map_get(&g->wrappers.of, type.ptr);
  struct cul_ir_wrapper wrapper;
  uint32_t index = CUL_RETYPE_NONE;
  if (known)
    return (uint32_t)*known;
  if (cul_ir_wrapper_of(g->ir, type, &wrapper)) {
    index = (uint32_t)g->wrappers.n;
    CUL_XADD(g->wrappers.items, g->wrappers.n, g->wrappers.cap) = wrapper;
  }
  cul_map_put(&g->wrappers.of, type.ptr, index);
  return index;
}

/* A slot without nodes.  *element: the value for the node of its element. */
static struct cul_retype_slot make_slot(struct cul_retype *g, MlirValue value,
                                        MlirType type, int64_t *element) {
  struct cul_retype_slot slot = {
      .value = value, .type = type, .shaped = type, .wrapper = CUL_RETYPE_NONE};
  slot.wrapper = find_wrapper(g, type);
  if (slot.wrapper != CUL_RETYPE_NONE) {
    slot.shaped = g->wrappers.items[slot.wrapper].shaped;
    *element = as_number(g->wrappers.items[slot.wrapper].element.ptr);
  } else {
    *element = as_number(mlirTypeIsAShaped(type)
                             ? mlirShapedTypeGetElementType(type).ptr
                             : type.ptr);
  }
  if (slot.shaped.ptr && cul_ir_is_ranked(slot.shaped))
    slot.rank = (uint32_t)mlirShapedTypeGetRank(slot.shaped);
  return slot;
}

uint32_t cul_retype_add_slot(struct cul_retype *g, MlirValue value,
                             MlirType type) {
  int64_t element;
  struct cul_retype_slot slot = make_slot(g, value, type, &element);
  uint32_t index = (uint32_t)g->slots.n;
  type = slot.shaped.ptr ? slot.shaped : type;
  slot.first = add_node(g, element);
  (void)add_node(g, as_number(layout_of(type).ptr));
  (void)add_node(g, as_number(space_of(type).ptr));
  for (uint32_t i = 0; i < slot.rank; i++) {
    uint32_t node = add_node(g, size_of(type, i));
    g->node[node].pinned =
        g->ranks && cul_retype_is_scalable(g->node[node].value);
  }
  CUL_XADD(g->slots.items, g->slots.n, g->slots.cap) = slot;
  if (value.ptr)
    cul_map_put(&g->slots.of, value.ptr, index);
  return index;
}

uint32_t cul_retype_slot(const struct cul_retype *g, MlirValue value) {
  uint64_t *at = value.ptr ? cul_map_get(&g->slots.of, value.ptr) : NULL;
  return at ? (uint32_t)*at : CUL_RETYPE_NONE;
}

uint32_t cul_retype_node(const struct cul_retype *g, MlirValue value,
                         uint32_t part) {
  uint32_t slot = cul_retype_slot(g, value);
  if (slot == CUL_RETYPE_NONE ||
      part >= CUL_RETYPE_SIZE + g->slots.items[slot].rank)
    return CUL_RETYPE_NONE;
  return g->slots.items[slot].first + part;
}

uint32_t cul_retype_element(const struct cul_retype *g, MlirValue value) {
  return cul_retype_node(g, value, CUL_RETYPE_ELEMENT);
}

uint32_t cul_retype_size(const struct cul_retype *g, MlirValue value,
                         int64_t i) {
  if (i < 0 || i >= INT32_MAX)
    return CUL_RETYPE_NONE;
  return cul_retype_node(g, value, CUL_RETYPE_SIZE + (uint32_t)i);
}

size_t cul_retype_rank(const struct cul_retype *g, MlirValue value) {
  uint32_t slot = cul_retype_slot(g, value);
  return slot == CUL_RETYPE_NONE ? 0 : g->slots.items[slot].rank;
}

bool cul_retype_is_shaped(const struct cul_retype *g, MlirValue value) {
  uint32_t slot = cul_retype_slot(g, value);
  return slot != CUL_RETYPE_NONE && g->slots.items[slot].shaped.ptr &&
         mlirTypeIsAShaped(g->slots.items[slot].shaped);
}

void cul_retype_pin_slot(struct cul_retype *g, uint32_t slot) {
  for (uint32_t i = 0; i < CUL_RETYPE_SIZE + g->slots.items[slot].rank; i++)
    cul_retype_pin(g, g->slots.items[slot].first + i);
}

void cul_retype_pin_dims(struct cul_retype *g,
                         const struct cul_retype_slot *slot) {
  for (uint32_t i = 0; i < slot->rank; i++)
    cul_retype_pin(g, slot->first + CUL_RETYPE_SIZE + i);
}

void cul_retype_pin_value(struct cul_retype *g, MlirValue value) {
  uint32_t slot = cul_retype_slot(g, value);
  if (slot != CUL_RETYPE_NONE)
    cul_retype_pin_slot(g, slot);
}

static void tie_parts(struct cul_retype *g, uint32_t a, uint32_t b,
                      uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    cul_retype_tie(g, g->slots.items[a].first + i, g->slots.items[b].first + i);
}

void cul_retype_tie_slots(struct cul_retype *g, uint32_t a, uint32_t b) {
  if (a != CUL_RETYPE_NONE && b != CUL_RETYPE_NONE)
    tie_parts(g, a, b,
              CUL_RETYPE_SIZE +
                  (g->slots.items[a].rank == g->slots.items[b].rank
                       ? g->slots.items[a].rank
                       : 0));
}

void cul_retype_tie_values(struct cul_retype *g, MlirValue a, MlirValue b) {
  cul_retype_tie_slots(g, cul_retype_slot(g, a), cul_retype_slot(g, b));
}

void cul_retype_tie_type(struct cul_retype *g, MlirValue a, MlirValue b) {
  uint32_t x = cul_retype_slot(g, a), y = cul_retype_slot(g, b);
  if (x != CUL_RETYPE_NONE && y != CUL_RETYPE_NONE)
    tie_parts(g, x, y, CUL_RETYPE_SIZE);
}

/* ---- relations and bindings ---- */

void cul_retype_relate(struct cul_retype *g, enum cul_retype_kind kind,
                       uint32_t lhs, int64_t constant) {
  CUL_XADD(g->relations.items, g->relations.n, g->relations.cap) =
      (struct cul_retype_relation){.kind = kind,
                                   .lhs = lhs,
                                   .constant = constant,
                                   .first = g->relations.n_terms};
}

void cul_retype_term(struct cul_retype *g, uint32_t node, int64_t coef) {
  CUL_XADD(g->relations.terms, g->relations.n_terms, g->relations.cap_terms) =
      (struct cul_retype_term){node, coef};
  g->relations.items[g->relations.n - 1].n++;
}

void cul_retype_bind(struct cul_retype *g, MlirOperation op, const char *name,
                     uint32_t first, size_t n) {
  CUL_XADD(g->bindings.items, g->bindings.n, g->bindings.cap) =
      (struct cul_retype_binding){op, name, first, n};
}

/* ---- the relations of a class ---- */

static void add_link(struct cul_retype *g, uint32_t node, size_t relation) {
  struct cul_retype_node *root;
  if (node == CUL_RETYPE_NONE)
    return;
  root = &g->node[cul_retype_find(g, node)];
  CUL_XADD(g->relations.links, g->relations.n_links, g->relations.cap_links) =
      (struct cul_retype_link){(uint32_t)relation, root->link};
  root->link = (uint32_t)g->relations.n_links;
}

/* from last to first, because lists are extended at the front */
void cul_retype_index(struct cul_retype *g) {
  for (size_t r = g->relations.n; r-- > 0;) {
    const struct cul_retype_relation *it = &g->relations.items[r];
    for (size_t i = it->n; i-- > 0;)
      add_link(g, g->relations.terms[it->first + i].node, r);
    add_link(g, it->lhs, r);
  }
}

/* ---- release ---- */

void cul_retype_release(struct cul_retype *g) {
  free(g->slots.items);
  cul_map_release(&g->slots.of);
  cul_map_release(&g->wrappers.of);
  free(g->wrappers.items);
  cul_map_release(&g->lists);
  free(g->node);
  free(g->relations.items);
  free(g->relations.terms);
  free(g->bindings.items);
  free(g->holders.items);
  free(g->trail.items);
  free(g->relations.links);
  memset(g, 0, sizeof *g);
}

/* ---- solve ---- */

/* The distinct classes of one relation, lhs first. */
struct terms {
  uint32_t root[CUL_RETYPE_MAX + 1];
  int64_t coef[CUL_RETYPE_MAX + 1]; /* in a product: the exponent */
  size_t n;
};

static bool add_term(struct terms *t, uint32_t root, int64_t coef) {
  for (size_t i = 0; i < t->n; i++)
    if (t->root[i] == root) {
      t->coef[i] += coef;
      return true;
    }
  if (t->n > CUL_RETYPE_MAX)
    return false;
  t->root[t->n] = root;
  t->coef[t->n++] = coef;
  return true;
}

/* Collect the terms.  sum: includes lhs, with coef[0] = -1; a product excludes
 * lhs. */
static bool collect(const struct cul_retype *g,
                    const struct cul_retype_relation *r, struct terms *out) {
  out->n = 0;
  if (r->kind != CUL_RETYPE_PRODUCT && r->kind != CUL_RETYPE_GROUP &&
      r->lhs != CUL_RETYPE_NONE &&
      !add_term(out, cul_retype_find(g, r->lhs), -1))
    return false;
  for (size_t i = 0; i < r->n; i++) {
    const struct cul_retype_term *term = &g->relations.terms[r->first + i];
    if (term->node == CUL_RETYPE_NONE ||
        !add_term(out, cul_retype_find(g, term->node), term->coef))
      return false;
  }
  return true;
}

static int64_t value_of(const struct cul_retype *g, uint32_t root, bool old) {
  return old ? g->node[root].value : g->node[root].now;
}

static bool is_gone(const struct cul_retype *g, uint32_t root) {
  return g->node[root].now == CUL_RETYPE_GONE;
}

/* The factor of a class; a removed dimension counts as 1. */
static int64_t factor(const struct cul_retype *g, uint32_t root, bool old) {
  return !old && is_gone(g, root) ? 1 : value_of(g, root, old);
}

static size_t count_gone(const struct cul_retype *g, const struct terms *t) {
  size_t n = 0;
  for (size_t i = 0; i < t->n; i++)
    n += is_gone(g, t->root[i]);
  return n;
}

static bool any_dynamic(const struct cul_retype *g, const struct terms *t,
                        bool old) {
  for (size_t i = 0; i < t->n; i++)
    if (value_of(g, t->root[i], old) == CUL_RETYPE_DYNAMIC)
      return true;
  return false;
}

static int64_t sum(const struct cul_retype *g, const struct terms *t,
                   int64_t constant, bool old) {
  for (size_t i = 0; i < t->n; i++)
    constant += t->coef[i] * value_of(g, t->root[i], old);
  return constant;
}

static int64_t power(int64_t base, int64_t n) {
  int64_t p = 1;
  while (n-- > 0 && p < INT32_MAX)
    p *= base;
  return p;
}

static int64_t product(const struct cul_retype *g, const struct terms *t,
                       bool old) {
  int64_t p = 1;
  for (size_t i = 0; i < t->n && p < INT32_MAX; i++)
    p *= power(factor(g, t->root[i], old), t->coef[i]);
  return p;
}

static int64_t least(const struct cul_retype *g, uint32_t root) {
  return g->node[root].may_be_0 ? 0 : 1;
}

/* The functions below return false if a relation cannot hold. */

/* ---- sums ---- */

static bool settle_equal(struct cul_retype *g, const struct terms *t,
                         int64_t constant) {
  int64_t excess;
  if (any_dynamic(g, t, true) && !any_dynamic(g, t, false) &&
      count_gone(g, t) == 0)
    return sum(g, t, constant, false) == 0;
  if (any_dynamic(g, t, true) || count_gone(g, t) > 0 ||
      sum(g, t, constant, true) != 0)
    return true;
  excess = sum(g, t, constant, false);
  if (excess == 0)
    return true;
  for (size_t i = 0; i < t->n; i++)
    if (t->coef[i] && excess % t->coef[i] == 0 &&
        retype_follow(g, t->root[i],
                      g->node[t->root[i]].now - excess / t->coef[i]))
      return true;
  return false;
}

/* Reduce offsets first, then sizes. */
static bool settle_at_least(struct cul_retype *g, const struct terms *t,
                            int64_t constant) {
  if (any_dynamic(g, t, true) || sum(g, t, constant, true) > 0 ||
      any_dynamic(g, t, false) || count_gone(g, t) > 0)
    return true;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < t->n; i++) {
      uint32_t root = t->root[i];
      int64_t excess = sum(g, t, constant, false), value;
      if (excess <= 0)
        return true;
      if (t->coef[i] <= 0 || g->node[root].may_be_0 != (pass == 0))
        continue;
      value = g->node[root].now - (excess + t->coef[i] - 1) / t->coef[i];
      (void)retype_follow(g, root,
                          value < least(g, root) ? least(g, root) : value);
    }
  return sum(g, t, constant, false) <= 0;
}

/* ---- products ---- */

/* The largest value up to `most` whose power divides rest. */
static int64_t divisor(int64_t most, int64_t times, int64_t rest) {
  int64_t one = most < 0 ? -1 : 1;
  while (most * one > 1 && rest % power(most, times) != 0)
    most -= one;
  return most;
}

static bool is_fixed(const struct cul_retype *g, uint32_t root) {
  return g->node[root].chosen || g->node[root].pinned || is_gone(g, root);
}

/* If dimensions are being removed, remove a factor instead of setting it to
 * 1. */
static bool shrink(struct cul_retype *g, uint32_t root, int64_t value) {
  if (g->ranks && value == 1)
    return follow_away(g, root, CUL_RETYPE_GONE);
  return retype_follow(g, root, value);
}

/* Distribute the rest of n among the free factors. */
static bool split(struct cul_retype *g, const struct terms *t, int64_t n) {
  for (size_t i = 0; i < t->n; i++)
    if (is_fixed(g, t->root[i])) {
      int64_t p = power(factor(g, t->root[i], false), t->coef[i]);
      if (p == 0 || n % p != 0)
        return false;
      n /= p;
    }
  for (size_t i = 0; i < t->n; i++) {
    uint32_t root = t->root[i];
    int64_t value;
    if (is_fixed(g, root))
      continue;
    value = divisor(g->node[root].now, t->coef[i], n);
    n /= power(value, t->coef[i]);
    if (value != g->node[root].now && !shrink(g, root, value))
      return false;
  }
  return n == 1;
}

/* If a dynamic product became n, set its only dynamic factor. */
static bool settle_dynamic(struct cul_retype *g, const struct terms *t,
                           int64_t n) {
  uint32_t open = CUL_RETYPE_NONE;
  for (size_t i = 0; i < t->n; i++) {
    uint32_t root = t->root[i];
    if (g->node[root].now != CUL_RETYPE_DYNAMIC) {
      int64_t p = power(factor(g, root, false), t->coef[i]);
      if (p <= 0 || n % p != 0)
        return false;
      n /= p;
    } else if (open != CUL_RETYPE_NONE || t->coef[i] != 1) {
      return false;
    } else {
      open = root;
    }
  }
  return retype_follow(g, open, n);
}

static bool settle_product(struct cul_retype *g, uint32_t lhs,
                           const struct terms *t) {
  int64_t p, whole = factor(g, lhs, false);
  if (any_dynamic(g, t, false))
    return whole == CUL_RETYPE_DYNAMIC || whole == g->node[lhs].value ||
           settle_dynamic(g, t, whole);
  p = product(g, t, false);
  if (p == whole ||
      (!any_dynamic(g, t, true) && product(g, t, true) != g->node[lhs].value))
    return true;
  return retype_follow(g, lhs, p) || split(g, t, whole);
}

static bool settle_group(struct cul_retype *g, uint32_t lhs,
                         const struct terms *t) {
  if (!is_gone(g, lhs) && count_gone(g, t) < t->n)
    return settle_product(g, lhs, t);
  for (size_t i = 0; i < t->n; i++)
    if (!follow_away(g, t->root[i], CUL_RETYPE_GONE))
      return false;
  return follow_away(g, lhs, CUL_RETYPE_GONE);
}

/* ---- pairs ---- */

static bool settle_together(struct cul_retype *g, uint32_t a, uint32_t b,
                            int64_t away) {
  if (g->node[a].now != away && g->node[b].now != away)
    return true;
  return follow_away(g, a, away) && follow_away(g, b, away);
}

static bool settle_cast(struct cul_retype *g, uint32_t a, uint32_t b) {
  int64_t x = g->node[a].now, y = g->node[b].now;
  if (is_gone(g, a) || is_gone(g, b))
    return settle_together(g, a, b, CUL_RETYPE_GONE);
  if (x == y || x == CUL_RETYPE_DYNAMIC || y == CUL_RETYPE_DYNAMIC ||
      (g->node[a].value != CUL_RETYPE_DYNAMIC &&
       g->node[b].value != CUL_RETYPE_DYNAMIC))
    return true;
  return retype_follow(g, a, y) || retype_follow(g, b, x);
}

/* ---- all relations ---- */

static bool settle(struct cul_retype *g, const struct cul_retype_relation *r) {
  struct terms t;
  bool pair = r->kind == CUL_RETYPE_CAST || r->kind == CUL_RETYPE_TOGETHER ||
              r->kind == CUL_RETYPE_BARE;
  uint32_t lhs = r->lhs;
  if (!collect(g, r, &t) || (pair && t.n < 2))
    return true;
  if (lhs != CUL_RETYPE_NONE)
    lhs = cul_retype_find(g, lhs);
  switch (r->kind) {
  case CUL_RETYPE_EQUAL:
    return settle_equal(g, &t, r->constant);
  case CUL_RETYPE_AT_LEAST:
    return settle_at_least(g, &t, r->constant);
  case CUL_RETYPE_WISH:
    (void)settle_at_least(g, &t, r->constant);
    return true;
  case CUL_RETYPE_CAST:
    return settle_cast(g, lhs, t.root[1]);
  case CUL_RETYPE_PRODUCT:
    return settle_product(g, lhs, &t);
  case CUL_RETYPE_GROUP:
    return settle_group(g, lhs, &t);
  case CUL_RETYPE_BARE:
    return settle_together(g, lhs, t.root[1], 0);
  case CUL_RETYPE_TOGETHER:
    return settle_together(g, lhs, t.root[1], CUL_RETYPE_GONE);
  }
  return true;
}

static bool retype_solve(struct cul_retype *g, size_t mark) {
  const struct cul_retype_relations *all = &g->relations;
  for (size_t i = mark; i < g->trail.n; i++)
    for (uint32_t k = g->node[g->trail.items[i].root].link; k > 0;
         k = all->links[k - 1].next)
      if (!settle(g, &all->items[all->links[k - 1].relation]))
        return false;
  return true;
}

/* ---- types ---- */

/* The types that the graph currently represents. */

int64_t cul_retype_now(const struct cul_retype *g, uint32_t node) {
  return g->node[cul_retype_find(g, node)].now;
}

static MlirAttribute attr_now(const struct cul_retype *g, uint32_t node) {
  return (MlirAttribute){(void *)(intptr_t)cul_retype_now(g, node)};
}

/* Store the sizes of the remaining dimensions; returns their number. */
static intptr_t sizes_now(const struct cul_retype *g,
                          const struct cul_retype_slot *slot, int64_t *sizes,
                          bool *scalable) {
  intptr_t n = 0;
  for (uint32_t i = 0; i < slot->rank; i++) {
    int64_t size = cul_retype_now(g, slot->first + CUL_RETYPE_SIZE + i);
    if (size == CUL_RETYPE_GONE)
      continue;
    scalable[n] = cul_retype_is_scalable(size);
    sizes[n] = scalable[n] ? -size : size;
    if (size == CUL_RETYPE_DYNAMIC)
      sizes[n] = mlirShapedTypeGetDynamicSize();
    n++;
  }
  return n;
}

static MlirAttribute layout_now(const struct cul_retype *g,
                                const struct cul_retype_slot *slot) {
  MlirAttribute layout = attr_now(g, slot->first + CUL_RETYPE_LAYOUT);
  if (cul_ir_is_default_layout(layout))
    layout.ptr = NULL;
  return layout;
}

static MlirType shaped_now(const struct cul_retype *g,
                           const struct cul_retype_slot *slot,
                           MlirType element) {
  MlirLocation at = g->ir->unknown;
  MlirAttribute layout = layout_now(g, slot);
  MlirAttribute space = attr_now(g, slot->first + CUL_RETYPE_SPACE);
  CUL_HEAP int64_t *sizes = cul_xcalloc(slot->rank + 1, sizeof *sizes);
  CUL_HEAP bool *scalable = cul_xcalloc(slot->rank + 1, sizeof *scalable);
  intptr_t n = sizes_now(g, slot, sizes, scalable);
  MlirType type = slot->shaped;
  if (g->triton && n == 0 && slot->rank > 0)
    type = element;
  else if (mlirTypeIsARankedTensor(type))
    type = mlirRankedTensorTypeGetChecked(at, n, sizes, element, layout);
  else if (mlirTypeIsAMemRef(type))
    type = mlirMemRefTypeGetChecked(at, element, n, sizes, layout, space);
  else if (mlirTypeIsAVector(type))
    type = mlirVectorTypeGetScalableChecked(at, n, sizes, scalable, element);
  else if (mlirTypeIsAUnrankedTensor(type))
    type = mlirUnrankedTensorTypeGet(element);
  else if (mlirTypeIsAUnrankedMemRef(type))
    type = mlirUnrankedMemRefTypeGet(element, space);
  cul_buf_clear(&g->ir->diagnostic);
  return type;
}

static const struct cul_ir_wrapper *
wrapper_of(const struct cul_retype *g, const struct cul_retype_slot *slot) {
  return slot->wrapper == CUL_RETYPE_NONE ? NULL
                                          : &g->wrappers.items[slot->wrapper];
}

MlirType cul_retype_shaped_now(const struct cul_retype *g, uint32_t index) {
  const struct cul_retype_slot *slot = &g->slots.items[index];
  const struct cul_ir_wrapper *wrapper = wrapper_of(g, slot);
  MlirType element = {(void *)(intptr_t)cul_retype_now(g, slot->first)}, type;
  if (!cul_retype_is_touched(g, slot))
    return slot->shaped;
  if (wrapper)
    element = cul_ir_wrapper_fill(g->ir, &wrapper->around_element, element);
  if (!element.ptr || !slot->shaped.ptr || !mlirTypeIsAShaped(slot->shaped))
    return element;
  type = shaped_now(g, slot, element);
  return type.ptr ? type : slot->shaped;
}

MlirType cul_retype_type_now(const struct cul_retype *g, uint32_t index) {
  const struct cul_retype_slot *slot = &g->slots.items[index];
  const struct cul_ir_wrapper *wrapper = wrapper_of(g, slot);
  MlirType type;
  if (!cul_retype_is_touched(g, slot))
    return slot->type;
  type = cul_retype_shaped_now(g, index);
  if (wrapper)
    type = cul_ir_wrapper_fill(g->ir, &wrapper->around, type);
  return type.ptr ? type : slot->type;
}
