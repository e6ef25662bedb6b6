/* Search inside dependencies that the culprit moves.  Several that move at once
 * are first walked together by date; then the one whose step changed the answer
 * is searched while the others are held. */
#include <stdlib.h>
#include <string.h>

#include "../../probe/target/findings.h"
#include "job.h"
#include "report.h"

static int search_inside(struct cul_bisection *in,
                         struct cul_bisect_answer *answer,
                         struct cul_err *err) {
  int rc;
  cul_bisection_begin(in);
  rc = cul_bisection_search(in, err);
  *answer = (struct cul_bisect_answer){0};
  if (rc < 0)
    return rc;
  cul_bisector_answer(in->strategy.bisector, answer);
  return cul_bisection_end(in, answer, err);
}

/* ---- one dependency ---- */

static int load_one(struct cul_bisection *in, const struct cul_moved *moved,
                    struct cul_err *err) {
  struct cul_commit_id tips[2] = {moved->new, moved->old};
  struct cul_range *range = &in->range;
  bool fix = range->conf.find_fix;
  int rc = cul_repo_open(moved->repo, &range->repo, err);
  if (rc == 0)
    rc = cul_repo_history(range->repo, tips, 2, range->conf.first_parent,
                          &range->history, err);
  range->bad = fix ? moved->old : moved->new;
  range->goods = cul_xcalloc(2, sizeof *range->goods);
  range->goods[range->n_goods++] = fix ? moved->new : moved->old;
  return rc < 0 ? rc : cul_range_lay_out(range, &in->notices, err);
}

static int search_one(struct cul_commits_job *job,
                      const struct cul_inside *inside,
                      const struct cul_moved *moved, struct cul_err *err) {
  struct cul_bisection *in = cul_bisection_inside(&job->whole, inside);
  struct cul_bisect_answer answer = {0};
  int rc = load_one(in, moved, err);
  cul_notices_say(&job->whole.notices, "going on inside %s", moved->path);
  if (rc == 0)
    rc = search_inside(in, &answer, err);
  free(answer.suspects);
  if (rc == 0)
    job->inner = cul_commits_report(in, job->conf->argv, NULL, err);
  if (job->inner) {
    json_object_set_new(job->inner, "path", cul_report_string(moved->path));
    json_object_set_new(job->inner, "repo", cul_report_string(moved->repo));
  }
  cul_bisection_end_inside(&job->whole, in);
  return rc;
}

/* ---- several: a line of steps by date ---- */

struct date_step {
  struct cul_dated to;
  size_t package, order; /* order: of the package's own steps */
};

static int by_date(const void *left, const void *right) {
  const struct date_step *a = left, *b = right;
  if (a->to.time != b->to.time)
    return a->to.time < b->to.time ? -1 : 1;
  if (a->package != b->package)
    return a->package < b->package ? -1 : 1;
  return (a->order > b->order) - (a->order < b->order);
}

struct date_line {
  struct date_step *steps;
  size_t n, n_packages;
  struct cul_commit_id *vectors; /* after each step; then: before the first */
};

static int add_package(struct date_line *line, const struct cul_moved *moved,
                       size_t package, struct cul_err *err) {
  struct cul_repo *repo = NULL;
  struct cul_dated *ids = NULL;
  size_t n = 0;
  int64_t least = INT64_MIN;
  int rc = cul_repo_open(moved->repo, &repo, err);
  if (rc == 0)
    rc = cul_repo_first_parents(repo, &moved->old, &moved->new, &ids, &n, err);
  if (rc == 0)
    line->steps =
        cul_xreallocarray(line->steps, line->n + n + 1, sizeof *line->steps);
  for (size_t k = 0; rc == 0 && k < n; k++) {
    struct cul_dated to = ids[n - 1 - k];
    /* A wrong clock must not reverse the order of a line. */
    least = to.time = to.time > least ? to.time : least;
    line->steps[line->n++] = (struct date_step){to, package, k};
  }
  free(ids);
  cul_repo_close(repo);
  return rc;
}

static int lay_line(struct date_line *line, const struct cul_moved *moved,
                    size_t n, struct cul_err *err) {
  struct cul_commit_id *at = cul_xcalloc(n + 1, sizeof *at);
  int rc = 0;
  line->n_packages = n;
  for (size_t i = 0; i < n && rc == 0; i++) {
    rc = add_package(line, &moved[i], i, err);
    at[i] = moved[i].old;
  }
  if (rc == 0) {
    qsort(line->steps, line->n, sizeof *line->steps, by_date);
    line->vectors = cul_xcalloc((line->n + 1) * n, sizeof *line->vectors);
    memcpy(line->vectors + line->n * n, at, n * sizeof *at);
    for (size_t k = 0; k < line->n; k++) {
      at[line->steps[k].package] = line->steps[k].to.id;
      memcpy(line->vectors + k * n, at, n * sizeof *at);
    }
  }
  free(at);
  return rc;
}

/* Names for the points of the line: the commit that each step goes to. */
static void load_line(struct cul_range *range, const struct date_line *line) {
  struct cul_history *h = &range->history;
  h->n = (uint32_t)line->n + 1;
  h->ids = cul_xcalloc((size_t)h->n + 1, sizeof *h->ids);
  for (size_t k = 0; k < line->n; k++)
    h->ids[k] = line->steps[k].to.id;
  cul_dag_line((uint32_t)line->n, &range->dag);
  range->points = cul_xcalloc((size_t)h->n + 1, sizeof *range->points);
  for (uint32_t p = 0; p < h->n; p++)
    range->points[p] = p;
}

/* Find the dependency of this step, from before to after it; the others stay
 * where they were at that time. */
static void narrow(const struct date_line *line, uint32_t step,
                   struct cul_inside *inside, struct cul_moved *moved) {
  size_t n = line->n_packages, package = line->steps[step].package;
  size_t before = step ? step - 1 : line->n;
  for (size_t i = 0; i < n; i++)
    inside->held[i].id = line->vectors[step * n + i];
  inside->moving = package;
  inside->vectors = NULL;
  moved[package].old = line->vectors[before * n + package];
  moved[package].new = line->vectors[step * n + package];
}

static int search_line(struct cul_commits_job *job, struct cul_inside *inside,
                       struct cul_moved *moved, bool *found,
                       struct cul_err *err) {
  struct date_line line = {0};
  struct cul_bisect_answer answer = {0};
  int rc = lay_line(&line, moved, inside->n_held, err);
  *found = false;
  if (rc == 0) {
    struct cul_bisection *in;
    inside->vectors = line.vectors;
    inside->moving = inside->n_held;
    in = cul_bisection_inside(&job->whole, inside);
    cul_notices_say(&job->whole.notices,
                    "going on inside %zu dependencies, by date",
                    inside->n_held);
    load_line(&in->range, &line);
    rc = search_inside(in, &answer, err);
    *found = rc == 0 && answer.end == CUL_BISECT_FOUND;
    if (*found)
      narrow(&line, answer.culprit, inside, moved);
    else if (rc == 0)
      job->inner = cul_commits_report(in, job->conf->argv, NULL, err);
    cul_bisection_end_inside(&job->whole, in);
  }
  free(answer.suspects);
  free(line.steps);
  free(line.vectors);
  return rc;
}

/* ---- both ---- */

int cul_commits_search_moved(struct cul_commits_job *job,
                             struct cul_inside *inside, struct cul_moved *moved,
                             struct cul_err *err) {
  size_t n = inside->n_held;
  struct cul_commit_id *ends = cul_xcalloc(2 * n, sizeof *ends);
  bool found = true;
  int rc = 0;
  inside->before = ends;
  inside->after = ends + n;
  inside->moving = 0;
  for (size_t i = 0; i < n; i++) {
    ends[i] = moved[i].old;
    ends[n + i] = moved[i].new;
  }
  if (n > 1)
    rc = search_line(job, inside, moved, &found, err);
  if (rc == 0 && found)
    rc = search_one(job, inside, &moved[inside->moving], err);
  free(ends);
  return rc;
}
