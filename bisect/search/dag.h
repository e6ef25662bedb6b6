/* A history as a DAG of numbered points.
 *
 * The candidates are numbered 0..n-1 so that every parent has a smaller number
 * than its child; n-1 is the bad end, a descendant of all others.  Numbers n to
 * n + n_outer - 1 are outer points, known not to contain the culprit.  Lines
 * (versions, pass prefixes) are the DAG in which each point's only parent is
 * the one before. */
#ifndef CUL_BISECT_SEARCH_DAG_H
#define CUL_BISECT_SEARCH_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUL_DAG_NONE UINT32_MAX

struct cul_dag {
  uint32_t n, n_outer;
  uint32_t *first;   /* parents of c: parents[first[c]] .. first[c + 1] - 1 */
  uint32_t *parents; /* the first parent first; may be outer */
};

/* Points in any order; first and parents as in struct cul_dag.  Borrowed. */
struct cul_graph {
  uint32_t n;
  const uint32_t *first, *parents;
};

/* The part of a graph between a bad end and good ones.  *points: heap array,
 * the number in the graph of each candidate and outer point.  The first outer
 * point is goods[0]; the others are all parents of candidates that are not
 * candidates themselves.  Returns false, with nothing allocated, if bad is an
 * ancestor of a good one or the graph has a cycle. */
bool cul_dag_between(const struct cul_graph *graph, uint32_t bad,
                     const uint32_t *goods, size_t n_goods, struct cul_dag *out,
                     uint32_t **points);
/* Points 0..n-1, each the parent of the next; one outer point before 0. */
void cul_dag_line(uint32_t n, struct cul_dag *out);
void cul_dag_release(struct cul_dag *dag);

/* Mark the ancestors of a candidate, including itself: marks[n].  O(n). */
void cul_dag_ancestors(const struct cul_dag *dag, uint32_t point, bool *marks);

/* Maximal chains of single parents with single children, used to compute sums
 * once for many points. */
struct cul_dag_chains {
  uint32_t n;
  uint32_t *of;    /* chain of each candidate */
  uint32_t *start; /* n + 1; members of chain k: member[start[k]] .. */
  uint32_t *member;
};
void cul_dag_chains_find(const struct cul_dag *dag, struct cul_dag_chains *out);
void cul_dag_chains_release(struct cul_dag_chains *chains);

/* mass[c] = the sum of weight over the ancestors of c, including c, for all
 * candidates; exact for integers below 2^53.  Chains without weight cost
 * nothing: O(chains * weighted chains / 512).  Source: 512 columns of the
 * reachability matrix at a time, summed by tables of bytes. */
void cul_dag_masses(const struct cul_dag *dag,
                    const struct cul_dag_chains *chains, const double *weight,
                    double *mass);

#endif
