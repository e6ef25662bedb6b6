/* For a culprit that moves dependencies: decides whether these or its other
 * changes are to blame, by testing its parent with only the moves: each alone,
 * then all together.  The dependency to blame is searched inside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../probe/target/findings.h"
#include "job.h"

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
  rc = cul_commits_search_moved(b->job, &inside, moved, err);
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
