/* Sums over all ancestors of all points: see dag.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "dag.h"

/* ---- chains ---- */

static uint32_t only_parent(const struct cul_dag *dag, uint32_t c) {
  uint32_t found = CUL_DAG_NONE;
  for (uint32_t i = dag->first[c]; i < dag->first[c + 1]; i++) {
    if (dag->parents[i] >= dag->n)
      continue;
    if (found != CUL_DAG_NONE)
      return CUL_DAG_NONE;
    found = dag->parents[i];
  }
  return found;
}

void cul_dag_chains_find(const struct cul_dag *dag,
                         struct cul_dag_chains *out) {
  uint32_t *children = cul_xcalloc((size_t)dag->n + 1, sizeof *children);
  uint32_t *at;
  *out = (struct cul_dag_chains){0};
  out->of = cul_xcalloc((size_t)dag->n + 1, sizeof *out->of);
  out->start = cul_xcalloc((size_t)dag->n + 2, sizeof *out->start);
  out->member = cul_xcalloc((size_t)dag->n + 1, sizeof *out->member);
  for (uint32_t i = 0; i < dag->first[dag->n]; i++)
    if (dag->parents[i] < dag->n)
      children[dag->parents[i]]++;
  for (uint32_t c = 0; c < dag->n; c++) {
    uint32_t p = only_parent(dag, c);
    bool follows = p != CUL_DAG_NONE && children[p] == 1;
    out->of[c] = follows ? out->of[p] : out->n++;
    out->start[out->of[c] + 1]++;
  }
  for (uint32_t k = 0; k < out->n; k++)
    out->start[k + 1] += out->start[k];
  at = cul_xcalloc((size_t)out->n + 1, sizeof *at);
  memcpy(at, out->start, (size_t)out->n * sizeof *at);
  for (uint32_t c = 0; c < dag->n; c++)
    out->member[at[out->of[c]]++] = c;
  free(at);
  free(children);
}

void cul_dag_chains_release(struct cul_dag_chains *chains) {
  free(chains->of);
  free(chains->start);
  free(chains->member);
  *chains = (struct cul_dag_chains){0};
}

/* ---- sums ---- */

enum { WORDS = 8, COLUMNS = 64 * WORDS, BYTES = COLUMNS / 8 };

struct block {
  uint64_t word[WORDS];
};

/* One pass: sum over 512 chains with weight, for all chains after the first of
 * them. */
struct pass {
  const struct cul_dag *dag;
  const struct cul_dag_chains *chains;
  struct block *reach;      /* by chain: the columns that are its ancestors */
  uint32_t column[COLUMNS]; /* chains, ascending */
  uint32_t n_columns;
  double sums[BYTES][256]; /* weights of the columns of one byte */
  double whole[WORDS];     /* weights of all columns of one word */
};

static void fill_tables(struct pass *pass, const double *total) {
  for (uint32_t b = 0; b < BYTES; b++) {
    pass->sums[b][0] = 0;
    for (uint32_t v = 1; v < 256; v++) {
      uint32_t low = (uint32_t)__builtin_ctz(v), at = b * 8 + low;
      double weight = at < pass->n_columns ? total[pass->column[at]] : 0;
      pass->sums[b][v] = pass->sums[b][v & (v - 1)] + weight;
    }
  }
  memset(pass->whole, 0, sizeof pass->whole);
  for (uint32_t b = 0; b < BYTES; b++)
    pass->whole[b / 8] += pass->sums[b][255];
}

/* Sum a block.  In most histories, almost everything older is an ancestor. */
static double sum_block(const struct pass *pass, const struct block *block) {
  double sum = 0;
  for (uint32_t w = 0; w < WORDS; w++) {
    uint64_t bits = block->word[w];
    const double (*byte)[256] = &pass->sums[w * 8];
    if (bits == 0)
      continue;
    if (~bits == 0) {
      sum += pass->whole[w];
      continue;
    }
    for (int b = 0; b < 8; b++)
      sum += byte[b][bits >> 8 * b & 255];
  }
  return sum;
}

/* The columns that are ancestors of the parents of a chain. */
static struct block reached(const struct pass *pass, uint32_t chain,
                            uint32_t oldest) {
  const struct cul_dag *dag = pass->dag;
  uint32_t c = pass->chains->member[pass->chains->start[chain]];
  struct block out = {{0}};
  for (uint32_t i = dag->first[c]; i < dag->first[c + 1]; i++) {
    uint32_t p = dag->parents[i];
    uint32_t of = p < dag->n ? pass->chains->of[p] : 0;
    if (p >= dag->n || of < oldest)
      continue;
    for (int w = 0; w < WORDS; w++)
      out.word[w] |= pass->reach[of].word[w];
  }
  return out;
}

/* Add to below[chain] the weight of the columns among its ancestors, without
 * itself. */
static void run_pass(struct pass *pass, double *below) {
  uint32_t oldest = pass->column[0], next = 0;
  for (uint32_t k = oldest; k < pass->chains->n; k++) {
    struct block *reach = &pass->reach[k];
    *reach = reached(pass, k, oldest);
    below[k] += sum_block(pass, reach);
    if (next < pass->n_columns && pass->column[next] == k) {
      reach->word[next / 64] |= (uint64_t)1 << next % 64;
      next++;
    }
  }
}

void cul_dag_masses(const struct cul_dag *dag,
                    const struct cul_dag_chains *chains, const double *weight,
                    double *mass) {
  struct pass *pass = cul_xcalloc(1, sizeof *pass);
  double *total = cul_xcalloc((size_t)chains->n + 1, sizeof *total);
  double *below = cul_xcalloc((size_t)chains->n + 1, sizeof *below);
  *pass = (struct pass){.dag = dag, .chains = chains};
  pass->reach = cul_xcalloc((size_t)chains->n + 1, sizeof *pass->reach);
  for (uint32_t c = 0; c < dag->n; c++)
    total[chains->of[c]] += weight[c];
  for (uint32_t k = 0; k < chains->n; k++) {
    if (total[k] > 0)
      pass->column[pass->n_columns++] = k;
    if (pass->n_columns == COLUMNS ||
        (k + 1 == chains->n && pass->n_columns > 0)) {
      fill_tables(pass, total);
      run_pass(pass, below);
      pass->n_columns = 0;
    }
  }
  for (uint32_t k = 0; k < chains->n; k++) {
    double sum = below[k];
    for (uint32_t i = chains->start[k]; i < chains->start[k + 1]; i++)
      mass[chains->member[i]] = sum += weight[chains->member[i]];
  }
  free(pass->reach);
  free(pass);
  free(total);
  free(below);
}
