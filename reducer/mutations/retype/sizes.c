/* Edits of sizes by the retype engine (graph.h), in all types that have the
 * same dimension at once. */
#include "retype.h"
#include "rules/rules.h"

/* ---- to 1, 2 or half ---- */

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

const struct cul_retype_edit cul_mutation_shrink_dimension = {
    .part = CUL_RETYPE_SIZE, .targets = smaller};

/* ---- to a static one ---- */

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

const struct cul_retype_edit cul_mutation_static_dimension = {
    .part = CUL_RETYPE_SIZE, .targets = fixed};

/* ---- removed ---- */

/* Loops of linalg operations, subscripts, and entries of slices and reshapes
 * are removed with the dimension.  An operation for one rank
 * (linalg.batch_matmul) becomes another one. */
static size_t gone(const struct cul_retype *g, int64_t size, int64_t *out) {
  (void)g;
  (void)size;
  out[0] = CUL_RETYPE_GONE;
  return 1;
}

const struct cul_retype_edit cul_mutation_drop_dimension = {
    .part = CUL_RETYPE_SIZE, .targets = gone, .ranks = true};
