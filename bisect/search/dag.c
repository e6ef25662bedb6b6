/* Histories as numbered graphs: see dag.h. */
#include "dag.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"

void cul_dag_release(struct cul_dag *dag) {
  free(dag->first);
  free(dag->parents);
  *dag = (struct cul_dag){0};
}

void cul_dag_line(uint32_t n, struct cul_dag *out) {
  *out = (struct cul_dag){.n = n, .n_outer = 1};
  out->first = cul_xcalloc((size_t)n + 1, sizeof *out->first);
  out->parents = cul_xcalloc((size_t)n + 1, sizeof *out->parents);
  for (uint32_t c = 0; c < n; c++) {
    out->first[c] = c;
    out->parents[c] = c ? c - 1 : n;
  }
  out->first[n] = n;
}

void cul_dag_ancestors(const struct cul_dag *dag, uint32_t point, bool *marks) {
  memset(marks, 0, dag->n);
  marks[point] = true;
  for (uint32_t c = point + 1; c-- > 0;) {
    if (!marks[c])
      continue;
    for (uint32_t i = dag->first[c]; i < dag->first[c + 1]; i++)
      if (dag->parents[i] < dag->n)
        marks[dag->parents[i]] = true;
  }
}

/* ---- the part between ---- */

/* Mark the points that can be reached from a point with a colour; marked ones
 * are skipped. */
static void paint(const struct cul_graph *g, uint32_t from, uint8_t colour,
                  uint8_t *colours, uint32_t *stack) {
  size_t depth = 0;
  if (colours[from])
    return;
  colours[from] = colour;
  stack[depth++] = from;
  while (depth > 0) {
    uint32_t c = stack[--depth];
    for (uint32_t i = g->first[c]; i < g->first[c + 1]; i++) {
      uint32_t p = g->parents[i];
      if (!colours[p]) {
        colours[p] = colour;
        stack[depth++] = p;
      }
    }
  }
}

enum { GOOD = 1, CANDIDATE = 2 };

/* Order the candidates, all parents before their children (Kahn), in the
 * graph's own order where possible: lower numbers first.  Returns their
 * number. */
static uint32_t sort_candidates(const struct cul_graph *g,
                                const uint8_t *colours, uint32_t *order) {
  uint32_t *waiting = cul_xcalloc((size_t)g->n + 1, sizeof *waiting);
  uint32_t *next = cul_xcalloc((size_t)g->n + 2, sizeof *next);
  uint32_t *child, n = 0, done = 0;
  for (uint32_t c = 0; c < g->n; c++)
    for (uint32_t i = g->first[c]; i < g->first[c + 1]; i++)
      if (colours[c] == CANDIDATE && colours[g->parents[i]] == CANDIDATE)
        waiting[c]++, next[g->parents[i] + 1]++;
  for (uint32_t c = 0; c < g->n; c++)
    next[c + 1] += next[c];
  child = cul_xcalloc((size_t)next[g->n] + 1, sizeof *child);
  for (uint32_t c = 0; c < g->n; c++) {
    if (colours[c] != CANDIDATE)
      continue;
    for (uint32_t i = g->first[c]; i < g->first[c + 1]; i++)
      if (colours[g->parents[i]] == CANDIDATE)
        child[next[g->parents[i]]++] = c;
    if (waiting[c] == 0)
      order[n++] = c;
  }
  for (; done < n; done++) { /* next[c] is now the end of c's children */
    uint32_t c = order[done];
    for (uint32_t i = c ? next[c - 1] : 0; i < next[c]; i++)
      if (--waiting[child[i]] == 0)
        order[n++] = child[i];
  }
  free(waiting);
  free(next);
  free(child);
  return n;
}

/* Number the candidates in this order, then their parents outside. */
static void number(const struct cul_graph *g, const uint8_t *colours,
                   uint32_t *points, struct cul_dag *out) {
  uint32_t *name = cul_xcalloc((size_t)g->n + 1, sizeof *name), edges = 0;
  memset(name, 0xff, (size_t)g->n * sizeof *name);
  for (uint32_t k = 0; k < out->n; k++) {
    name[points[k]] = k;
    edges += g->first[points[k] + 1] - g->first[points[k]];
  }
  name[points[out->n]] = out->n; /* the good end */
  out->first = cul_xcalloc((size_t)out->n + 1, sizeof *out->first);
  out->parents = cul_xcalloc((size_t)edges + 1, sizeof *out->parents);
  edges = 0;
  for (uint32_t k = 0; k < out->n; k++) {
    uint32_t c = points[k];
    out->first[k] = edges;
    for (uint32_t i = g->first[c]; i < g->first[c + 1]; i++) {
      uint32_t p = g->parents[i];
      if (colours[p] != CANDIDATE && name[p] == CUL_DAG_NONE) {
        name[p] = out->n + out->n_outer;
        points[out->n + out->n_outer++] = p;
      }
      out->parents[edges++] = name[p];
    }
  }
  out->first[out->n] = edges;
  free(name);
}

bool cul_dag_between(const struct cul_graph *g, uint32_t bad,
                     const uint32_t *goods, size_t n_goods, struct cul_dag *out,
                     uint32_t **points) {
  uint8_t *colours = cul_xcalloc((size_t)g->n + 1, 1);
  uint32_t *stack = cul_xcalloc((size_t)g->n + 1, sizeof *stack), n = 0;
  *out = (struct cul_dag){0};
  for (size_t i = 0; i < n_goods; i++)
    paint(g, goods[i], GOOD, colours, stack);
  paint(g, bad, CANDIDATE, colours, stack);
  for (uint32_t c = 0; c < g->n; c++)
    n += colours[c] == CANDIDATE;
  *points = cul_xcalloc((size_t)g->n + 2, sizeof **points);
  out->n = sort_candidates(g, colours, *points);
  free(stack);
  if (colours[bad] != CANDIDATE || out->n != n) {
    free(colours);
    free(*points);
    *points = NULL;
    out->n = 0;
    return false;
  }
  out->n_outer = 1;
  (*points)[n] = n_goods ? goods[0] : CUL_DAG_NONE;
  number(g, colours, *points, out);
  free(colours);
  return true;
}
