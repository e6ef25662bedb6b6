/* Retype rules of stablehlo.gather and stablehlo.scatter: which dimension is
 * which stands in an attribute of their own, read as text. */
#include <stdlib.h>
#include <string.h>

#include "retype_rules.h"

/* The words for the same thing in both. */
struct words {
  const char *attr, *window, *collapsed, *batching, *index_batching;
};
static const struct words gather_words = {
    "dimension_numbers", "offset_dims", "collapsed_slice_dims",
    "operand_batching_dims", "start_indices_batching_dims"};
static const struct words scatter_words = {
    "scatter_dimension_numbers", "update_window_dims", "inserted_window_dims",
    "input_batching_dims", "scatter_indices_batching_dims"};

struct numbers {
  int64_t window[CUL_RETYPE_MAX], collapsed[CUL_RETYPE_MAX];
  int64_t batching[CUL_RETYPE_MAX], index_batching[CUL_RETYPE_MAX];
  size_t n_window, n_collapsed, n_batching, n_index_batching;
  int64_t vector; /* the dimension of the indices that is one index; -1 */
};

static bool read_numbers(struct cul_retype *g, MlirOperation op,
                         const struct words *words, struct numbers *out) {
  MlirAttribute attr = cul_ir_get(op, words->attr);
  const char *text = attr.ptr ? cul_ir_attr_text(g->ir, attr) : NULL;
  const char *vector = text ? strstr(text, "index_vector_dim = ") : NULL;
  if (!text)
    return false;
  out->n_window = cul_retype_list_in(text, words->window, out->window);
  out->n_collapsed = cul_retype_list_in(text, words->collapsed, out->collapsed);
  out->n_batching = cul_retype_list_in(text, words->batching, out->batching);
  out->n_index_batching =
      cul_retype_list_in(text, words->index_batching, out->index_batching);
  out->vector = vector ? strtoll(strchr(vector, '=') + 1, NULL, 10) : 0;
  return true;
}

/* Dimensions of what is made (gathered, or to be scattered) that are no window
 * are those of the indices. */
static void tie_indices(struct cul_retype *g, MlirValue made, MlirValue indices,
                        const struct numbers *n) {
  int64_t k = 0;
  for (size_t i = 0; i < cul_retype_rank(g, made); i++) {
    if (cul_retype_is_among(n->window, n->n_window, i))
      continue;
    k += k == n->vector;
    cul_retype_pair(g, cul_retype_size(g, made, (int64_t)i),
                    cul_retype_size(g, indices, k++));
  }
  cul_retype_pin(g, cul_retype_size(g, indices, n->vector));
}

/* Batches of the whole are batches of the indices. */
static void tie_batches(struct cul_retype *g, MlirValue whole,
                        MlirValue indices, const struct numbers *n) {
  for (size_t i = 0; i < n->n_batching && i < n->n_index_batching; i++)
    cul_retype_pair(g, cul_retype_size(g, whole, n->batching[i]),
                    cul_retype_size(g, indices, n->index_batching[i]));
}

/* A window no larger than the whole; all of it, where it was. */
static void fit(struct cul_retype *g, uint32_t whole, uint32_t window) {
  if (whole == CUL_RETYPE_NONE || window == CUL_RETYPE_NONE)
    return;
  cul_retype_pair(g, whole, window);
  if (g->value[whole] == g->value[window])
    return;
  cul_retype_relate(g, CUL_RETYPE_AT_LEAST, whole, 0);
  cul_retype_term(g, window, 1);
}

/* sizes: of the window in each dimension of the whole; NULL: those of made. */
static void fit_windows(struct cul_retype *g, MlirValue whole, MlirValue made,
                        const struct numbers *n, const uint32_t *sizes) {
  size_t k = 0;
  for (size_t i = 0; i < cul_retype_rank(g, whole); i++) {
    uint32_t size = cul_retype_size(g, whole, (int64_t)i), of;
    if (cul_retype_is_among(n->collapsed, n->n_collapsed, i) ||
        cul_retype_is_among(n->batching, n->n_batching, i))
      continue;
    of = k < n->n_window ? cul_retype_size(g, made, n->window[k++])
                         : CUL_RETYPE_NONE;
    if (sizes)
      cul_retype_tie(g, sizes[i], of);
    fit(g, size, of);
  }
}

void cul_retype_rule_hlo_gather(struct cul_retype *g, MlirOperation op) {
  int64_t sizes[CUL_RETYPE_MAX];
  uint32_t nodes[CUL_RETYPE_MAX];
  MlirValue whole = mlirOperationGetOperand(op, 0), made;
  struct numbers n;
  size_t rank = cul_numbers_named(op, "slice_sizes", sizes);
  if (!read_numbers(g, op, &gather_words, &n) ||
      rank != cul_retype_rank(g, whole))
    return;
  for (size_t i = 0; i < rank; i++)
    nodes[i] = cul_retype_add_number(g, sizes[i], false);
  cul_retype_bind(g, op, "slice_sizes", nodes, rank);
  made = mlirOperationGetResult(op, 0);
  fit_windows(g, whole, made, &n, nodes);
  tie_indices(g, made, mlirOperationGetOperand(op, 1), &n);
  tie_batches(g, whole, mlirOperationGetOperand(op, 1), &n);
}

/* Inputs, indices, as many updates. */
void cul_retype_rule_hlo_scatter(struct cul_retype *g, MlirOperation op) {
  intptr_t m = mlirOperationGetNumResults(op);
  struct numbers n;
  if (mlirOperationGetNumOperands(op) != 2 * m + 1)
    return;
  cul_retype_counts(g, cul_retype_node(g, mlirOperationGetOperand(op, m),
                                       CUL_RETYPE_ELEMENT));
  if (!read_numbers(g, op, &scatter_words, &n))
    return;
  for (intptr_t i = 0; i < m; i++) {
    MlirValue whole = mlirOperationGetOperand(op, i);
    MlirValue indices = mlirOperationGetOperand(op, m);
    MlirValue made = mlirOperationGetOperand(op, m + 1 + i);
    cul_retype_tie_values(g, whole, mlirOperationGetResult(op, i),
                          CUL_RETYPE_TIE_ALL);
    cul_retype_pair_values(g, whole, mlirOperationGetOperand(op, 0));
    cul_retype_pair_values(g, made, mlirOperationGetOperand(op, m + 1));
    fit_windows(g, whole, made, &n, NULL);
    tie_indices(g, made, indices, &n);
    tie_batches(g, whole, indices, &n);
  }
}
