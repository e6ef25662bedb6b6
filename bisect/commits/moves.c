/* For a culprit that moves dependencies: decides whether these or its other
 * changes are to blame, by testing its parent with only the moves: each alone,
 * then all together.  Then searches inside those to blame: several that move at
 * once are first walked together by date; then the one whose step changed the
 * answer is searched while the others are held. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../probe/target/findings.h"
#include "job.h"
#include "report.h"

/* ---- search inside the dependencies that are to blame ---- */

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

/* moved: its items are narrowed.  inside: held, n_held, n_more, before_is,
 * after_is and commit are set; held dependencies are at their new commits. */
static int search_moved(struct cul_commits_job *job, struct cul_inside *inside,
                        struct cul_moved *moved, struct cul_err *err) {
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

/* With more moves, they are only tested all together. */
static const size_t most_alone = 8;
/* Runs of a trial if the test is not flaky. */
static const uint32_t sure_runs = 3;

struct blame {
  struct cul_commits_job *job;
  const struct cul_commit_id *culprit, *parent;
  bool *chosen; /* by number of the move */
  size_t n_chosen;
  struct cul_buf says; /* the moves, and what is to blame */
};

/* The chosen moves, at their new commits, and .gitmodules. */
static struct cul_override *hold(const struct blame *b, const bool *chosen,
                                 size_t *n, size_t *n_more) {
  const struct cul_moves *moves = &b->job->moves;
  struct cul_override *held = cul_xcalloc(moves->n + 2, sizeof *held);
  *n = *n_more = 0;
  for (size_t i = 0; i < moves->n; i++) {
    const struct cul_moved *moved = &moves->items[i];
    if (chosen[i])
      held[(*n)++] = (struct cul_override){
          moved->path, moved->pattern, moved->repo, moved->new, CUL_HELD_AT};
  }
  if (moves->modules)
    held[*n + (*n_more)++] = (struct cul_override){
        .path = ".gitmodules", .id = *b->culprit, .kind = CUL_TAKEN_WHOLE};
  return held;
}

static void name_moves(const struct blame *b, const bool *chosen,
                       struct cul_buf *out) {
  const struct cul_moves *moves = &b->job->moves;
  size_t left = 0;
  for (size_t i = 0; i < moves->n; i++)
    left += chosen[i];
  for (size_t i = 0; i < moves->n; i++) {
    const struct cul_moved *moved = &moves->items[i];
    char hex[CUL_COMMIT_HEX];
    if (!chosen[i])
      continue;
    cul_buf_adds(out, moved->path);
    if (moved->pattern) /* a file may contain several */
      cul_buf_addf(out, " (to %.12s)", cul_commit_hex(&moved->new, hex));
    left--;
    cul_buf_adds(out, left > 1 ? ", " : left == 1 ? " and " : "");
  }
}

/* Test the parent with only these moves.  *blamed: it behaves like the
 * culprit. */
static int try_moves(struct blame *b, const bool *chosen, bool *blamed,
                     struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_commits_job *job = b->job;
  struct cul_bisect_tally tally;
  struct cul_buf what = {0};
  char hex[CUL_COMMIT_HEX];
  size_t n, n_more;
  struct cul_override *held = hold(b, chosen, &n, &n_more);
  struct cul_repo_revision revision = {*b->parent, held, n + n_more};
  int rc;
  cul_bisector_tally(job->whole.strategy.bisector, &tally);
  cul_buf_addf(&what, "%.12s with only the move of ",
               cul_commit_hex(b->parent, hex));
  name_moves(b, chosen, &what);
  rc = cul_commits_experiment(
      job, &revision, cul_buf_str(&what),
      tally.flaky ? job->conf->search.confirm : sure_runs, verdict, err);
  *blamed = rc == 0 &&
            verdict->answer == (job->conf->find_fix ? CUL_PASSES : CUL_SAME);
  cul_buf_release(&what);
  free(held);
  return rc;
}

/* Test each move alone; choose the first that is enough. */
static int try_each(struct blame *b, struct cul_err *err) {
  size_t n = b->job->moves.n, enough = 0;
  bool *one = cul_xcalloc(n, sizeof *one), *all = cul_xcalloc(n, sizeof *all);
  int rc = 0;
  for (size_t i = 0; i < n && rc == 0; i++) {
    struct cul_verdict verdict;
    one[i] = true;
    rc = try_moves(b, one, &all[i], &verdict, err);
    one[i] = false;
    if (all[i] && enough++ == 0)
      b->chosen[i] = true, b->n_chosen = 1;
  }
  if (rc == 0 && enough > 1) {
    struct cul_buf names = {0};
    name_moves(b, all, &names);
    cul_notices_warn(&b->job->whole.notices,
                     "each of %s is enough by itself; the first is "
                     "searched",
                     cul_buf_str(&names));
    cul_buf_release(&names);
  }
  free(one);
  free(all);
  return rc;
}

static int try_together(struct blame *b, struct cul_verdict *verdict,
                        struct cul_err *err) {
  const struct cul_moves *moves = &b->job->moves;
  bool *all = cul_xcalloc(moves->n, sizeof *all), blamed = true;
  int rc = 0;
  memset(all, true, moves->n);
  if (moves->others) /* else all moves together are the culprit itself */
    rc = try_moves(b, all, &blamed, verdict, err);
  if (rc == 0 && blamed) {
    memcpy(b->chosen, all, moves->n);
    b->n_chosen = moves->n;
  }
  free(all);
  return rc;
}

static void say_blame(struct blame *b, const struct cul_verdict *verdict) {
  const struct cul_moves *moves = &b->job->moves;
  const char *does = b->job->conf->find_fix ? "passes" : "fails the same";
  bool *all = cul_xcalloc(moves->n, sizeof *all);
  memset(all, true, moves->n);
  name_moves(b, all, &b->says);
  if (moves->others)
    cul_buf_adds(&b->says, ", and other files");
  if (b->n_chosen > 0 && (moves->others || b->n_chosen < moves->n)) {
    cul_buf_adds(&b->says, "; its parent with only the move of ");
    name_moves(b, b->chosen, &b->says);
    cul_buf_addf(&b->says, " %s", does);
  } else if (b->n_chosen == 0) {
    cul_buf_addf(&b->says, "; its parent with only the move%s ",
                 moves->n > 1 ? "s" : "");
    if (verdict->answer == CUL_SAME || verdict->answer == CUL_PASSES)
      cul_buf_addf(&b->says,
                   "%s: the other files are to blame, or all of it together",
                   b->job->conf->find_fix ? "still fails" : "passes");
    else
      cul_buf_addf(&b->says, "cannot be tested: %s", verdict->why);
  }
  free(all);
}

static json_t *report_blame(const struct blame *b) {
  const struct cul_moves *moves = &b->job->moves;
  json_t *paths = json_array(), *blamed = json_array();
  for (size_t i = 0; i < moves->n; i++) {
    json_array_append_new(paths, cul_report_string(moves->items[i].path));
    if (b->chosen[i])
      json_array_append_new(blamed, json_integer((json_int_t)i));
  }
  return json_pack("{s:o, s:b, s:o, s:o}", "paths", paths, "others",
                   (int)moves->others, "blamed", blamed, "says",
                   cul_report_string(cul_buf_str(&b->says)));
}

static int search(struct blame *b, struct cul_err *err) {
  const struct cul_moves *moves = &b->job->moves;
  bool whole = !moves->others && b->n_chosen == moves->n;
  struct cul_moved *moved = cul_xcalloc(b->n_chosen, sizeof *moved);
  struct cul_inside inside = {.commit = whole ? *b->culprit : *b->parent,
                              .before_is = b->parent,
                              .after_is = whole ? b->culprit : NULL};
  size_t n = 0;
  int rc;
  inside.held = hold(b, b->chosen, &inside.n_held, &inside.n_more);
  if (whole)
    inside.n_more = 0; /* the commit has it */
  for (size_t i = 0; i < moves->n; i++)
    if (b->chosen[i])
      moved[n++] = moves->items[i]; /* its strings stay the job's */
  rc = search_moved(b->job, &inside, moved, err);
  free(inside.held);
  free(moved);
  return rc;
}

static int find_blame(struct blame *b, struct cul_err *err) {
  struct cul_commits_job *job = b->job;
  struct cul_verdict verdict = {.answer = CUL_SAME};
  size_t n = job->moves.n;
  int rc = 0;
  b->chosen = cul_xcalloc(n + 1, sizeof *b->chosen);
  if (n > 1 && n <= most_alone)
    rc = try_each(b, err);
  if (rc == 0 && b->n_chosen == 0)
    rc = try_together(b, &verdict, err);
  if (rc == 0) {
    say_blame(b, &verdict);
    job->moved = report_blame(b);
    if (b->n_chosen > 0)
      rc = search(b, err);
  }
  free(b->chosen);
  cul_buf_release(&b->says);
  return rc;
}

int cul_commits_go_inside(struct cul_commits_job *job, uint32_t culprit,
                          struct cul_err *err) {
  const struct cul_history *h = &job->whole.range.history;
  uint32_t commit = job->whole.range.points[culprit];
  struct blame blame = {.job = job, .culprit = &h->ids[commit]};
  struct cul_err inner = {0};
  int rc;
  /* A merge has its moves from one of its parents. */
  if (h->first[commit + 1] - h->first[commit] != 1)
    return 0;
  blame.parent = &h->ids[h->parents[h->first[commit]]];
  rc = cul_repo_moved(job->whole.range.repo, blame.parent, blame.culprit,
                      &job->conf->pins, &job->moves, &inner);
  if (rc == 0 && job->moves.lost)
    cul_notices_warn(&job->whole.notices,
                     "it moves a dependency, which cannot be searched: %s",
                     job->moves.lost);
  if (rc == 0 && job->moves.n > 0)
    rc = find_blame(&blame, &inner);
  if (rc == CUL_EINTR || rc == CUL_EBUDGET)
    *err = inner;
  else if (rc < 0)
    cul_notices_warn(&job->whole.notices,
                     "it moves a dependency, which cannot be searched: %s",
                     inner.what),
        rc = 0;
  return rc;
}
