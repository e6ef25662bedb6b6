/* Retype rules of StableHLO, as it comes in the opaque form: by name and
 * attributes; those of its own dialect are read as text. */
#include <stdlib.h>
#include <string.h>

#include "retype_rules.h"

static MlirValue input(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

static MlirValue result(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

static size_t numbers_as_nodes(struct cul_retype *g, MlirOperation op,
                               const char *name, bool may_be_0, uint32_t *out) {
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, name, numbers);
  for (size_t i = 0; i < n; i++)
    out[i] = cul_retype_add_number(g, numbers[i], may_be_0);
  if (n)
    cul_retype_bind(g, op, name, out, n);
  return n;
}

/* The result is limit - start long; input >= limit. */
void cul_retype_rule_hlo_slice(struct cul_retype *g, MlirOperation op) {
  uint32_t starts[CUL_RETYPE_MAX], limits[CUL_RETYPE_MAX];
  int64_t strides[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, "strides", strides);
  if (numbers_as_nodes(g, op, "start_indices", true, starts) != n ||
      numbers_as_nodes(g, op, "limit_indices", false, limits) != n)
    return;
  for (size_t i = 0; i < n; i++) {
    uint32_t whole = cul_retype_size(g, input(op, 0), (int64_t)i);
    uint32_t part = cul_retype_size(g, result(op), (int64_t)i);
    if (strides[i] != 1) {
      cul_retype_pin(g, whole);
      cul_retype_pin(g, part);
      continue;
    }
    if (g->value[starts[i]] == 0 && g->value[whole] == g->value[part]) {
      cul_retype_tie(g, whole, part);
      cul_retype_tie(g, whole, limits[i]);
      continue;
    }
    cul_retype_relate(g, CUL_RETYPE_EQUAL, limits[i], 0);
    cul_retype_term(g, starts[i], 1);
    cul_retype_term(g, part, 1);
    cul_retype_relate(g, CUL_RETYPE_AT_LEAST, whole, 0);
    cul_retype_term(g, starts[i], 1);
    cul_retype_term(g, part, 1);
  }
}

size_t cul_retype_list_in(const char *text, const char *name, int64_t *out) {
  const char *at = strstr(text, name);
  size_t n = 0;
  char *end;
  at = at ? strchr(at, '[') : NULL;
  for (at = at ? at + 1 : NULL; at && n < CUL_RETYPE_MAX;) {
    int64_t number = strtoll(at, &end, 10);
    if (end == at)
      break;
    out[n++] = number;
    at = end + strspn(end, ", ");
  }
  return n;
}

/* Which sizes are one loop, two by two. */
struct dot {
  uint32_t pairs[4 * CUL_RETYPE_MAX][2];
  size_t n;
};

struct dims {
  int64_t batch[CUL_RETYPE_MAX], contracted[CUL_RETYPE_MAX];
  size_t n_batch, n_contracted;
};

static void read_dims(const char *text, const char *batch,
                      const char *contracted, struct dims *out) {
  out->n_batch = cul_retype_list_in(text, batch, out->batch);
  out->n_contracted = cul_retype_list_in(text, contracted, out->contracted);
}

static void add_pair(struct dot *dot, uint32_t a, uint32_t b) {
  if (dot->n == CUL_ARRAY_SIZE(dot->pairs))
    return;
  dot->pairs[dot->n][0] = a;
  dot->pairs[dot->n++][1] = b;
}

/* Sizes that are neither: one after the other in the result. */
static int64_t add_free(struct cul_retype *g, MlirOperation op, intptr_t i,
                        const struct dims *d, int64_t at, struct dot *out) {
  for (size_t k = 0; k < cul_retype_rank(g, input(op, i)); k++)
    if (!cul_retype_is_among(d->batch, d->n_batch, k) &&
        !cul_retype_is_among(d->contracted, d->n_contracted, k))
      add_pair(out, cul_retype_size(g, input(op, i), (int64_t)k),
               cul_retype_size(g, result(op), at++));
  return at;
}

static bool read_dot(struct cul_retype *g, MlirOperation op, struct dot *out) {
  MlirAttribute attr = cul_ir_get(op, cul_retype_arg(g, 0));
  const char *text = attr.ptr ? cul_ir_attr_text(g->ir, attr) : NULL;
  struct dims a, b;
  int64_t at = 0;
  out->n = 0;
  if (!text)
    return false;
  read_dims(text, "lhs_batching_dimensions", "lhs_contracting_dimensions", &a);
  read_dims(text, "rhs_batching_dimensions", "rhs_contracting_dimensions", &b);
  for (size_t i = 0; i < a.n_batch && i < b.n_batch; i++, at++) {
    uint32_t node = cul_retype_size(g, input(op, 0), a.batch[i]);
    add_pair(out, node, cul_retype_size(g, input(op, 1), b.batch[i]));
    add_pair(out, node, cul_retype_size(g, result(op), at));
  }
  for (size_t i = 0; i < a.n_contracted && i < b.n_contracted; i++)
    add_pair(out, cul_retype_size(g, input(op, 0), a.contracted[i]),
             cul_retype_size(g, input(op, 1), b.contracted[i]));
  at = add_free(g, op, 0, &a, at, out);
  (void)add_free(g, op, 1, &b, at, out);
  return true;
}

void cul_retype_rule_hlo_dot(struct cul_retype *g, MlirOperation op) {
  struct dot dot;
  if (!read_dot(g, op, &dot))
    cul_retype_rule_by_size(g, op);
  for (size_t i = 0; i < dot.n; i++)
    cul_retype_pair(g, dot.pairs[i][0], dot.pairs[i][1]);
}

/* result = input + low + high, where nothing stands between elements. */
void cul_retype_rule_hlo_pad(struct cul_retype *g, MlirOperation op) {
  int64_t low[CUL_RETYPE_MAX], high[CUL_RETYPE_MAX], inner[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, "edge_padding_low", low);
  if (cul_numbers_named(op, "edge_padding_high", high) != n ||
      cul_numbers_named(op, "interior_padding", inner) != n)
    return;
  for (size_t i = 0; i < n; i++) {
    uint32_t from = cul_retype_size(g, input(op, 0), (int64_t)i);
    uint32_t to = cul_retype_size(g, result(op), (int64_t)i);
    /* (input - 1) * inner more */
    cul_retype_relate(g, CUL_RETYPE_EQUAL, to, low[i] + high[i] - inner[i]);
    cul_retype_term(g, from, 1 + inner[i]);
  }
}

/* A part of the first input, as large as slice_sizes say. */
void cul_retype_rule_hlo_dynamic_slice(struct cul_retype *g, MlirOperation op) {
  uint32_t sizes[CUL_RETYPE_MAX];
  size_t n = numbers_as_nodes(g, op, "slice_sizes", false, sizes);
  for (size_t i = 0; i < n; i++) {
    uint32_t whole = cul_retype_size(g, input(op, 0), (int64_t)i);
    cul_retype_tie(g, sizes[i], cul_retype_size(g, result(op), (int64_t)i));
    cul_retype_relate(g, CUL_RETYPE_AT_LEAST, whole, 0);
    cul_retype_term(g, sizes[i], 1);
  }
}

/* The second input is written into the first. */
void cul_retype_rule_hlo_update(struct cul_retype *g, MlirOperation op) {
  cul_retype_tie_values(g, input(op, 0), result(op), CUL_RETYPE_TIE_ALL);
  for (size_t i = 0; i < cul_retype_rank(g, input(op, 1)); i++) {
    cul_retype_relate(g, CUL_RETYPE_AT_LEAST,
                      cul_retype_size(g, input(op, 0), (int64_t)i), 0);
    cul_retype_term(g, cul_retype_size(g, input(op, 1), (int64_t)i), 1);
  }
}

/* The first k along the last dimension, and where they stood. */
void cul_retype_rule_hlo_top_k(struct cul_retype *g, MlirOperation op) {
  int64_t last = (int64_t)cul_retype_rank(g, input(op, 0)) - 1;
  uint32_t k[CUL_RETYPE_MAX];
  if (numbers_as_nodes(g, op, "k", false, k) != 1 || last < 0)
    return;
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
    MlirValue to = mlirOperationGetResult(op, r);
    for (int64_t i = 0; i < last; i++)
      cul_retype_tie(g, cul_retype_size(g, input(op, 0), i),
                     cul_retype_size(g, to, i));
    cul_retype_tie(g, k[0], cul_retype_size(g, to, last));
  }
  cul_retype_relate(g, CUL_RETYPE_AT_LEAST,
                    cul_retype_size(g, input(op, 0), last), 0);
  cul_retype_term(g, k[0], 1);
  cul_retype_pin(
      g, cul_retype_node(g, mlirOperationGetResult(op, 1), CUL_RETYPE_ELEMENT));
}

/* The last dimensions are as long as an attribute says, or half of it. */
void cul_retype_rule_hlo_fft(struct cul_retype *g, MlirOperation op) {
  int64_t lengths[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, "fft_length", lengths);
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    MlirValue value = cul_retype_value(op, i);
    size_t rank = cul_retype_rank(g, value);
    for (size_t k = n && n <= rank ? rank - n : 0; k < rank; k++)
      cul_retype_pin(g, cul_retype_size(g, value, (int64_t)k));
  }
}
