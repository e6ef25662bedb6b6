/* Any bytes are a profile of another tool.  What is read is a tree with finite
 * numbers, all of which lie under "", and each node lies under its own name. */
#include <math.h>

#include "../../base/profile/profile.h"
#include "fuzz.h"

static void check_nodes(const struct cul_profile *p) {
  fuzz_demand(p->n_nodes > 0 && p->n_nodes <= CUL_PROFILE_MAX_NODES,
              "no root, or more nodes than the limit");
  for (size_t i = 1; i < p->n_nodes; i++) {
    const struct cul_profile_node *node = &p->nodes[i];
    fuzz_demand(node->parent < i, "a parent behind its child");
    fuzz_demand(node->depth == p->nodes[node->parent].depth + 1 &&
                    node->depth <= CUL_PROFILE_MAX_DEPTH,
                "a wrong depth");
  }
}

static void check_figures(const struct cul_profile *p) {
  for (size_t i = 0; i < p->n_figures; i++) {
    const struct cul_profile_figure *figure = &p->figures[i];
    fuzz_demand(figure->node < p->n_nodes && figure->metric < p->n_metrics,
                "a figure of nothing");
    fuzz_demand(isfinite(figure->mean) && figure->n > 0, "no number");
    fuzz_demand(!(figure->squares < 0), "a variance below 0");
    fuzz_demand(isfinite(cul_profile_value(p, figure)), "no value");
  }
}

static void check_under(const struct cul_profile *p) {
  bool *inside = cul_xcalloc(p->n_nodes, sizeof *inside);
  size_t last = p->n_nodes - 1;
  fuzz_demand(cul_profile_under(p, "", inside) == 0 && inside[last],
              "not under the root");
  if (last && *p->nodes[last].name)
    fuzz_demand(cul_profile_under(p, p->nodes[last].name, inside) > 0 &&
                    inside[last],
                "not under its own name");
  free(inside);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_profile p;
  struct cul_err err = {0};
  bool found;
  size_t metric;
  int rc = cul_profile_read((struct cul_bytes){(const char *)data, size}, "x",
                            &p, &found, &err);
  fuzz_demand_words(rc, &err);
  if (rc < 0 || !found)
    return 0;
  check_nodes(&p);
  check_figures(&p);
  check_under(&p);
  rc = cul_profile_choose(&p, NULL, &metric, &err);
  fuzz_demand(rc < 0 || metric < p.n_metrics, "no metric");
  cul_profile_release(&p);
  return 0;
}
