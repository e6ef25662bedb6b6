/* Ranges: see range.h. */
#include "range.h"

#include <stdlib.h>
#include <string.h>

static int resolve(struct cul_range *range, struct cul_err *err) {
  const struct cul_range_conf *conf = &range->conf;
  int rc = cul_repo_resolve(range->repo, conf->bad, "--bad", &range->bad, err);
  size_t n = 0;
  while (conf->good && conf->good[n])
    n++;
  range->goods = cul_xcalloc(n + 2, sizeof *range->goods);
  for (size_t i = 0; i < n && rc == 0; i++)
    rc = cul_repo_resolve(range->repo, conf->good[i], "--good",
                          &range->goods[range->n_goods++], err);
  for (size_t i = 0; i < range->n_goods && rc == 0; i++)
    if (cul_commit_equal(&range->goods[i], &range->bad))
      rc = cul_fail(err, CUL_EUSAGE, "give two different commits",
                    "--good %s and --bad %s are the same commit", conf->good[i],
                    conf->bad);
  return rc;
}

int cul_range_open(const struct cul_range_conf *conf, struct cul_range *out,
                   struct cul_err *err) {
  int rc;
  *out = (struct cul_range){.conf = *conf};
  rc = cul_repo_open(conf->repo, &out->repo, err);
  return rc < 0 ? rc : resolve(out, err);
}

void cul_range_release(struct cul_range *range) {
  cul_dag_release(&range->dag);
  cul_history_release(&range->history);
  cul_repo_close(range->repo);
  free(range->goods);
  free(range->points);
  free(range->touches);
}

int cul_range_read(struct cul_range *range, struct cul_err *err) {
  struct cul_commit_id *tips = cul_xcalloc(range->n_goods + 1, sizeof *tips);
  int rc;
  tips[0] = range->bad;
  memcpy(tips + 1, range->goods, range->n_goods * sizeof *tips);
  rc = cul_repo_history(range->repo, tips, range->n_goods + 1,
                        range->conf.first_parent, &range->history, err);
  free(tips);
  return rc;
}

uint32_t cul_range_number(const struct cul_range *range,
                          const struct cul_commit_id *id) {
  return cul_history_find(&range->history, id);
}

int cul_range_lay_out(struct cul_range *range,
                      const struct cul_notices *notices, struct cul_err *err) {
  const struct cul_history *h = &range->history;
  bool fix = range->conf.find_fix;
  uint32_t *from = cul_xcalloc(range->n_goods + 1, sizeof *from);
  uint32_t bad = cul_range_number(range, &range->bad), end = bad;
  size_t n = range->n_goods;
  bool ok;
  for (size_t i = 0; i < n; i++)
    from[i] = cul_range_number(range, &range->goods[i]);
  if (fix)
    end = from[0], from[0] = bad, n = 1;
  ok = cul_dag_between(&(struct cul_graph){h->n, h->first, h->parents}, end,
                       from, n, &range->dag, &range->points);
  free(from);
  if (!ok)
    return cul_fail(err, CUL_EUSAGE,
                    fix ? "with --find-fix --bad is the older commit, which "
                          "fails, and --good the newer one, which passes"
                        : "are they swapped?  --find-fix finds the commit that "
                          "fixed a failure",
                    "--%s %s is an ancestor of --%s", fix ? "good" : "bad",
                    fix ? range->conf.good[0] : range->conf.bad,
                    fix ? "bad" : "good");
  cul_notices_say(notices, "%u commit%s to search", range->dag.n,
                  cul_s(range->dag.n));
  return 0;
}

static int demand_base(const struct cul_range *range, size_t i,
                       struct cul_err *err) {
  uint32_t *bases;
  size_t n =
      cul_history_bases(&range->history, cul_range_number(range, &range->bad),
                        cul_range_number(range, &range->goods[i]), &bases);
  free(bases);
  if (n > 0)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  cul_repo_is_shallow(range->repo)
                      ? "the shallow clone lacks the commits between them: "
                        "git fetch --unshallow"
                      : "give a --good of the same history",
                  "--bad %s and --good %s have no common ancestor",
                  range->conf.bad, range->conf.good[i]);
}

int cul_range_check_bases(const struct cul_range *range, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < range->n_goods && rc == 0; i++)
    rc = demand_base(range, i, err);
  return rc;
}

/* The probability that remains for commits that touch none of --paths, because
 * the user may be wrong. */
static const double elsewhere = 0.05;

int cul_range_weigh(struct cul_range *range, const struct cul_notices *notices,
                    double **out, struct cul_err *err) {
  const struct cul_dag *dag = &range->dag;
  size_t n = (size_t)dag->n + dag->n_outer, m = 0;
  struct cul_commit_id *ids;
  int rc;
  *out = NULL;
  if (!range->conf.paths || !range->conf.paths[0])
    return 0;
  ids = cul_xcalloc(n + 1, sizeof *ids);
  for (size_t p = 0; p < n; p++)
    ids[p] = range->history.ids[range->points[p]];
  range->touches = cul_xcalloc((size_t)dag->n + 1, sizeof *range->touches);
  rc = cul_repo_touching(range->repo, dag, ids, range->conf.paths,
                         range->touches, err);
  free(ids);
  for (uint32_t c = 0; c < dag->n; c++)
    m += range->touches[c];
  if (rc == 0 && m == 0)
    rc = cul_fail(
        err, CUL_EUSAGE, "write paths relative to the root of the repository",
        "no commit between the ends touches --paths %s", range->conf.paths[0]);
  if (rc < 0)
    return rc;
  cul_notices_say(notices, "%zu of them touch --paths", m);
  *out = cul_xcalloc((size_t)dag->n + 1, sizeof **out);
  for (uint32_t c = 0; c < dag->n; c++)
    (*out)[c] = m == dag->n         ? 1.0 / (double)m
                : range->touches[c] ? (1 - elsewhere) / (double)m
                                    : elsewhere / (double)(dag->n - m);
  return 0;
}

static bool held_at(const struct cul_inside *in,
                    const struct cul_override *held,
                    const struct cul_commit_id *ids) {
  size_t i = 0;
  while (i < in->n_held && cul_commit_equal(&held[i].id, &ids[i]))
    i++;
  return i == in->n_held;
}

void cul_range_revision(const struct cul_range *range, uint32_t commit,
                        struct cul_repo_revision *out,
                        struct cul_override **held) {
  const struct cul_inside *in = range->inside;
  size_t n;
  *out = (struct cul_repo_revision){.commit = range->history.ids[commit]};
  *held = NULL;
  if (!in)
    return;
  n = in->n_held + in->n_more;
  *held = cul_xcalloc(n + 1, sizeof **held);
  memcpy(*held, in->held, n * sizeof **held);
  for (size_t i = 0; i < in->n_held && in->vectors; i++)
    (*held)[i].id = in->vectors[commit * in->n_held + i];
  if (in->moving < in->n_held)
    (*held)[in->moving].id = range->history.ids[commit];
  *out = (struct cul_repo_revision){in->commit, *held, n};
  /* At an end, use the equivalent commit without overrides, which may have been
   * built already. */
  if (in->after_is && held_at(in, *held, in->after))
    *out = (struct cul_repo_revision){.commit = *in->after_is};
  else if (in->before_is && held_at(in, *held, in->before))
    *out = (struct cul_repo_revision){.commit = *in->before_is};
}
