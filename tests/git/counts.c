/* What the bisector reckons of a repository, as `git rev-list --bisect-all`
 * prints it, for tests:  git-counts REPOSITORY GOOD
 * One line per commit between GOOD and HEAD: its id and the smaller of the
 * numbers of commits it would leave. */
#include <stdio.h>
#include <stdlib.h>

#include "../../bisect/history/repo.h"
#include "../../bisect/search/dag.h"

static void print_counts(const struct cul_history *h, const struct cul_dag *dag,
                         const uint32_t *points) {
  struct cul_dag_chains chains;
  double *weight = cul_xcalloc((size_t)dag->n + 1, sizeof *weight);
  double *mass = cul_xcalloc((size_t)dag->n + 1, sizeof *mass);
  char hex[CUL_COMMIT_HEX];
  for (uint32_t c = 0; c < dag->n; c++)
    weight[c] = 1;
  cul_dag_chains_find(dag, &chains);
  cul_dag_masses(dag, &chains, weight, mass);
  for (uint32_t c = 0; c < dag->n; c++) {
    double rest = dag->n - mass[c];
    printf("%s %.0f\n", cul_commit_hex(&h->ids[points[c]], hex),
           mass[c] < rest ? mass[c] : rest);
  }
  cul_dag_chains_release(&chains);
  free(weight);
  free(mass);
}

int main(int argc, char **argv) {
  struct cul_repo *repo;
  struct cul_commit_id ends[2];
  struct cul_history h;
  struct cul_dag dag;
  struct cul_err err = {0};
  uint32_t *points, good;
  if (argc != 3)
    return 2;
  if (cul_repo_open(argv[1], &repo, &err) < 0 ||
      cul_repo_resolve(repo, "HEAD", "HEAD", &ends[0], &err) < 0 ||
      cul_repo_resolve(repo, argv[2], "GOOD", &ends[1], &err) < 0 ||
      cul_repo_history(repo, ends, 2, false, &h, &err) < 0) {
    fprintf(stderr, "git-counts: %s\n", err.what);
    return 1;
  }
  good = cul_history_find(&h, &ends[1]);
  if (!cul_dag_between(&(struct cul_graph){h.n, h.first, h.parents}, 0, &good,
                       1, &dag, &points))
    return 1;
  print_counts(&h, &dag, points);
  cul_dag_release(&dag);
  cul_history_release(&h);
  cul_repo_close(repo);
  free(points);
  return 0;
}
