/* When some sizes change, others follow: see graph.h.
 *
 * A relation that held and holds no more is fixed by giving a new value to a
 * class that has none yet, never a larger one; that class's relations are
 * next.  What was chosen stays, what follows may have to follow further, down
 * only: that ends. */
#include "graph.h"

/* The distinct classes of one relation, lhs first. */
struct terms {
  uint32_t root[CUL_RETYPE_MAX + 1];
  int64_t coef[CUL_RETYPE_MAX + 1]; /* of a product: how often */
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

/* sum: coef[0] is -1 for lhs.  A product: lhs stays out. */
static bool collect(const struct cul_retype *g,
                    const struct cul_retype_relation *r, struct terms *out) {
  out->n = 0;
  if (r->kind != CUL_RETYPE_PRODUCT && r->kind != CUL_RETYPE_GROUP &&
      r->lhs != CUL_RETYPE_NONE &&
      !add_term(out, cul_retype_find(g, r->lhs), -1))
    return false;
  for (size_t i = 0; i < r->n; i++) {
    const struct cul_retype_term *term = &g->terms[r->first + i];
    if (term->node == CUL_RETYPE_NONE ||
        !add_term(out, cul_retype_find(g, term->node), term->coef))
      return false;
  }
  return true;
}

static int64_t value_of(const struct cul_retype *g, uint32_t root, bool old) {
  return old ? g->value[root] : g->now[root];
}

static bool is_gone(const struct cul_retype *g, uint32_t root) {
  return g->now[root] == CUL_RETYPE_GONE;
}

/* A dimension that has gone holds one element of each. */
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
  return g->may_be_0[root] ? 0 : 1;
}

enum outcome { HOLDS, BROKEN };

/* ---- sums ---- */

static enum outcome settle_equal(struct cul_retype *g, const struct terms *t,
                                 int64_t constant) {
  int64_t excess;
  if (any_dynamic(g, t, true) && !any_dynamic(g, t, false) &&
      count_gone(g, t) == 0)
    return sum(g, t, constant, false) == 0 ? HOLDS : BROKEN;
  if (any_dynamic(g, t, true) || count_gone(g, t) > 0 ||
      sum(g, t, constant, true) != 0)
    return HOLDS;
  excess = sum(g, t, constant, false);
  if (excess == 0)
    return HOLDS;
  for (size_t i = 0; i < t->n; i++)
    if (t->coef[i] && excess % t->coef[i] == 0 &&
        cul_retype_follow(g, t->root[i],
                          g->now[t->root[i]] - excess / t->coef[i]))
      return HOLDS;
  return BROKEN;
}

/* Offsets give way first, then sizes. */
static enum outcome settle_at_least(struct cul_retype *g, const struct terms *t,
                                    int64_t constant) {
  if (any_dynamic(g, t, true) || sum(g, t, constant, true) > 0 ||
      any_dynamic(g, t, false) || count_gone(g, t) > 0)
    return HOLDS;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < t->n; i++) {
      uint32_t root = t->root[i];
      int64_t excess = sum(g, t, constant, false), value;
      if (excess <= 0)
        return HOLDS;
      if (t->coef[i] <= 0 || g->may_be_0[root] != (pass == 0))
        continue;
      value = g->now[root] - (excess + t->coef[i] - 1) / t->coef[i];
      (void)cul_retype_follow(g, root,
                              value < least(g, root) ? least(g, root) : value);
    }
  return sum(g, t, constant, false) <= 0 ? HOLDS : BROKEN;
}

/* ---- products ---- */

/* The largest value up to most whose power divides rest. */
static int64_t divisor(int64_t most, int64_t times, int64_t rest) {
  int64_t one = most < 0 ? -1 : 1;
  while (most * one > 1 && rest % power(most, times) != 0)
    most -= one;
  return most;
}

static bool is_fixed(const struct cul_retype *g, uint32_t root) {
  return g->chosen[root] || g->pinned[root] || is_gone(g, root);
}

/* Where dimensions go, a factor goes rather than become 1. */
static bool shrink(struct cul_retype *g, uint32_t root, int64_t value) {
  if (g->ranks && value == 1)
    return cul_retype_follow_gone(g, root);
  return cul_retype_follow(g, root, value);
}

/* Factors that are free share what is left of n. */
static enum outcome split(struct cul_retype *g, const struct terms *t,
                          int64_t n) {
  for (size_t i = 0; i < t->n; i++)
    if (is_fixed(g, t->root[i])) {
      int64_t p = power(factor(g, t->root[i], false), t->coef[i]);
      if (p == 0 || n % p != 0)
        return BROKEN;
      n /= p;
    }
  for (size_t i = 0; i < t->n; i++) {
    uint32_t root = t->root[i];
    int64_t value;
    if (is_fixed(g, root))
      continue;
    value = divisor(g->now[root], t->coef[i], n);
    n /= power(value, t->coef[i]);
    if (value != g->now[root] && !shrink(g, root, value))
      return BROKEN;
  }
  return n == 1 ? HOLDS : BROKEN;
}

/* A dynamic product that became n: its only dynamic factor follows. */
static enum outcome settle_dynamic(struct cul_retype *g, const struct terms *t,
                                   int64_t n) {
  uint32_t open = CUL_RETYPE_NONE;
  for (size_t i = 0; i < t->n; i++) {
    uint32_t root = t->root[i];
    if (g->now[root] != CUL_RETYPE_DYNAMIC) {
      int64_t p = power(factor(g, root, false), t->coef[i]);
      if (p <= 0 || n % p != 0)
        return BROKEN;
      n /= p;
    } else if (open != CUL_RETYPE_NONE || t->coef[i] != 1) {
      return BROKEN;
    } else {
      open = root;
    }
  }
  return cul_retype_follow(g, open, n) ? HOLDS : BROKEN;
}

static enum outcome settle_product(struct cul_retype *g, uint32_t lhs,
                                   const struct terms *t) {
  int64_t p, whole = factor(g, lhs, false);
  if (any_dynamic(g, t, false))
    return whole == CUL_RETYPE_DYNAMIC || whole == g->value[lhs]
               ? HOLDS
               : settle_dynamic(g, t, whole);
  p = product(g, t, false);
  if (p == whole ||
      (!any_dynamic(g, t, true) && product(g, t, true) != g->value[lhs]))
    return HOLDS;
  return cul_retype_follow(g, lhs, p) ? HOLDS : split(g, t, whole);
}

static enum outcome settle_group(struct cul_retype *g, uint32_t lhs,
                                 const struct terms *t) {
  if (!is_gone(g, lhs) && count_gone(g, t) < t->n)
    return settle_product(g, lhs, t);
  for (size_t i = 0; i < t->n; i++)
    if (!cul_retype_follow_gone(g, t->root[i]))
      return BROKEN;
  return cul_retype_follow_gone(g, lhs) ? HOLDS : BROKEN;
}

/* ---- dynamic against static ---- */

static enum outcome settle_together(struct cul_retype *g, uint32_t a,
                                    uint32_t b) {
  if (!is_gone(g, a) && !is_gone(g, b))
    return HOLDS;
  return cul_retype_follow_gone(g, a) && cul_retype_follow_gone(g, b) ? HOLDS
                                                                      : BROKEN;
}

static enum outcome settle_bare(struct cul_retype *g, uint32_t a, uint32_t b) {
  if (g->now[a] != 0 && g->now[b] != 0)
    return HOLDS;
  return cul_retype_follow_bare(g, a) && cul_retype_follow_bare(g, b) ? HOLDS
                                                                      : BROKEN;
}

static enum outcome settle_cast(struct cul_retype *g, uint32_t a, uint32_t b) {
  int64_t x = g->now[a], y = g->now[b];
  if (is_gone(g, a) || is_gone(g, b))
    return settle_together(g, a, b);
  if (x == y || x == CUL_RETYPE_DYNAMIC || y == CUL_RETYPE_DYNAMIC ||
      (g->value[a] != CUL_RETYPE_DYNAMIC && g->value[b] != CUL_RETYPE_DYNAMIC))
    return HOLDS;
  return cul_retype_follow(g, a, y) || cul_retype_follow(g, b, x) ? HOLDS
                                                                  : BROKEN;
}

/* ---- all ---- */

static enum outcome settle(struct cul_retype *g,
                           const struct cul_retype_relation *r) {
  struct terms t;
  bool pair = r->kind == CUL_RETYPE_CAST || r->kind == CUL_RETYPE_TOGETHER ||
              r->kind == CUL_RETYPE_BARE;
  if (!collect(g, r, &t) || (pair && t.n < 2))
    return HOLDS;
  switch (r->kind) {
  case CUL_RETYPE_EQUAL:
    return settle_equal(g, &t, r->constant);
  case CUL_RETYPE_AT_LEAST:
    return settle_at_least(g, &t, r->constant);
  case CUL_RETYPE_WISH:
    (void)settle_at_least(g, &t, r->constant);
    return HOLDS;
  case CUL_RETYPE_CAST:
    return settle_cast(g, cul_retype_find(g, r->lhs), t.root[1]);
  case CUL_RETYPE_PRODUCT:
    return settle_product(g, cul_retype_find(g, r->lhs), &t);
  case CUL_RETYPE_GROUP:
    return settle_group(g, cul_retype_find(g, r->lhs), &t);
  case CUL_RETYPE_BARE:
    return settle_bare(g, cul_retype_find(g, r->lhs), t.root[1]);
  case CUL_RETYPE_TOGETHER:
    return settle_together(g, cul_retype_find(g, r->lhs), t.root[1]);
  }
  return HOLDS;
}

bool cul_retype_solve(struct cul_retype *g, size_t mark) {
  for (size_t i = mark; i < g->n_trail; i++) {
    uint32_t root = g->trail[i].root;
    for (uint32_t k = g->touched_from[root]; k < g->touched_from[root + 1]; k++)
      if (settle(g, &g->relations[g->touched[k]]) == BROKEN)
        return false;
  }
  return true;
}
