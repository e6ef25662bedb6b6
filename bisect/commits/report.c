/* Reports of commits: see report.h. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/page/plot.h"
#include "../../probe/system.h"
#include "../../probe/target/findings.h"
#include "../search/first_fix.h"
#include "turns.h"

static json_t *id_of(const struct cul_bisection *b, uint32_t point) {
  char hex[CUL_COMMIT_HEX];
  return json_string(
      cul_commit_hex(&b->range.history.ids[b->range.points[point]], hex));
}

static json_t *runs_at(const struct cul_bisection *b, uint32_t point) {
  const struct cul_bisect_runs *runs =
      cul_bisector_runs(b->strategy.bisector, point);
  uint32_t fails = runs->fails, all = runs->fails + runs->passes;
  if (b->range.conf.find_fix)
    fails = all - fails;
  return json_pack("{s:o, s:I, s:I}", "commit", id_of(b, point), "fails",
                   (json_int_t)fails, "runs", (json_int_t)all);
}

static json_t *parents_of(const struct cul_bisection *b, uint32_t point) {
  json_t *out = json_array();
  for (uint32_t i = b->range.dag.first[point];
       i < b->range.dag.first[point + 1]; i++)
    json_array_append_new(out, id_of(b, b->range.dag.parents[i]));
  return out;
}

/* The boundary: the culprit fails m of m runs, each tested parent passes m of
 * m. */
static json_t *boundary_of(const struct cul_bisection *b, uint32_t point) {
  json_t *parents = json_array();
  for (uint32_t i = b->range.dag.first[point];
       i < b->range.dag.first[point + 1]; i++)
    json_array_append_new(parents, runs_at(b, b->range.dag.parents[i]));
  return json_pack("{s:o, s:o}", "culprit", runs_at(b, point), "parents",
                   parents);
}

static int add_about(const struct cul_bisection *b, uint32_t point, json_t *out,
                     struct cul_err *err) {
  struct cul_commit_about about;
  int rc = cul_repo_about(b->range.repo,
                          &b->range.history.ids[b->range.points[point]], &about,
                          err);
  if (rc < 0)
    return rc;
  json_object_set_new(out, "title", cul_report_string(about.title));
  json_object_set_new(out, "author", cul_report_string(about.author));
  json_object_set_new(out, "date", cul_report_string(about.date));
  json_object_set_new(out, "diffstat", cul_report_string(about.diffstat));
  cul_commit_about_release(&about);
  return 0;
}

static json_t *commit_of(const struct cul_bisection *b, uint32_t commit) {
  char hex[CUL_COMMIT_HEX];
  return json_string(cul_commit_hex(&b->range.history.ids[commit], hex));
}

static json_t *events_of(const struct cul_bisection *b) {
  json_t *out = json_array();
  for (size_t i = 0; i < b->journal.n_events; i++) {
    const struct cul_journal_event *event = &b->journal.events[i];
    json_t *row = json_pack(
        "{s:s, s:o, s:b, s:f, s:o}", "kind", event->build ? "build" : "run",
        "commit", commit_of(b, event->commit), "recalled", (int)event->recalled,
        "seconds", (double)event->us / 1e6, "why",
        cul_report_string(event->why));
    if (event->build) {
      json_object_set_new(row, "ok", json_boolean(event->answer == CUL_PASSES));
    } else {
      json_object_set_new(row, "attempt", json_integer(event->attempt));
      json_object_set_new(row, "answer",
                          json_string(cul_answer_name(event->answer)));
    }
    json_array_append_new(out, row);
  }
  return out;
}

/* Commits with another failure. */
static json_t *others_of(const struct cul_bisection *b) {
  json_t *out = json_array();
  for (size_t i = 0; i < b->journal.n_events; i++)
    if (b->journal.events[i].answer == CUL_OTHER)
      json_array_append_new(
          out, json_pack("{s:o, s:o}", "commit",
                         commit_of(b, b->journal.events[i].commit), "why",
                         cul_report_string(b->journal.events[i].why)));
  return out;
}

static const struct cul_artefact_class *class_at(const struct cul_bisection *b,
                                                 uint32_t point) {
  return cul_classes_get(&b->classes, b->range.points[point]);
}

/* Is the point, as far as is known, the same artefact as all its parents?  One
 * that could not be tested tells nothing. */
static bool changes_nothing(const struct cul_bisection *b, uint32_t point) {
  const struct cul_bisect_runs *runs =
      cul_bisector_runs(b->strategy.bisector, point);
  const struct cul_artefact_class *own = class_at(b, point);
  uint32_t from = b->range.dag.first[point], to = b->range.dag.first[point + 1];
  bool same = own && from < to && runs->fails + runs->passes > 0;
  for (uint32_t i = from; same && i < to; i++) {
    const struct cul_artefact_class *one = class_at(b, b->range.dag.parents[i]);
    same = one &&
           memcmp(&one->artefact, &own->artefact, sizeof own->artefact) == 0;
  }
  return same;
}

static json_t *unchanged_of(const struct cul_bisection *b) {
  json_t *out = json_array();
  for (uint32_t c = 0; c < b->range.dag.n; c++)
    if (changes_nothing(b, c))
      json_array_append_new(out, id_of(b, c));
  return out;
}

/* ---- runs that contradict each other ---- */

/* Did the first runs end in one way and all others in another?  Append this
 * contradiction. */
static bool turns(const struct cul_bisection *b, uint32_t point,
                  struct cul_buf *out) {
  const struct cul_turn order =
      cul_turn_of(&b->journal, &b->classes, class_at(b, point));
  bool fails = order.first == CUL_SAME;
  const char *first = fails ? "fail" : "pass", *again = fails ? "s" : "es";
  const char *other = fails ? "pass" : "fail";
  char hex[CUL_COMMIT_HEX];
  if (!cul_turn_is_one(&order))
    return false;
  cul_commit_hex(&b->range.history.ids[b->range.points[point]], hex);
  cul_buf_addf(out,
               "the commit is a guess, as the runs of %.12s contradict each "
               "other: only the first ",
               hex);
  if (order.lead > 1)
    cul_buf_addf(out, "%u ", order.lead);
  cul_buf_addf(out,
               "of %u %s%s; does the test leave something behind (a cache, a "
               "file) with which the others %s?",
               order.n, first, order.lead > 1 ? "" : again, other);
  return true;
}

/* May the culprit and its parent fail equally often, and differ by chance only
 * (Fisher's exact test)? */
static bool are_alike(const struct cul_bisect_runs *it,
                      const struct cul_bisect_runs *parent) {
  double own = it->fails + it->passes, other = parent->fails + parent->passes;
  double fails = it->fails + parent->fails, p = 0;
  if (own == 0 || other == 0)
    return false;
  for (double k = it->fails; k <= own && k <= fails; k++)
    if (fails - k <= other)
      p += exp(cul_log_choose(own, k) + cul_log_choose(other, fails - k) -
               cul_log_choose(own + other, fails));
  return p > CUL_TURN_BY_CHANCE;
}

/* The reason why the culprit is only a guess; empty: it is not a guess. */
static void find_contradiction(const struct cul_bisection *b,
                               const struct cul_bisect_answer *answer,
                               struct cul_buf *out) {
  const struct cul_bisector *bisector = b->strategy.bisector;
  const struct cul_dag *dag = &b->range.dag;
  uint32_t it = answer->culprit;
  struct cul_bisect_tally tally;
  bool found;
  cul_bisector_tally(bisector, &tally);
  if (answer->end != CUL_BISECT_FOUND || !tally.flaky)
    return;
  found = turns(b, it, out);
  for (uint32_t i = dag->first[it]; i < dag->first[it + 1] && !found; i++) {
    uint32_t parent = dag->parents[i];
    found = turns(b, parent, out);
    if (found || !are_alike(cul_bisector_runs(bisector, it),
                            cul_bisector_runs(bisector, parent)))
      continue;
    cul_buf_adds(out, "the commit is a guess, as its runs do not tell it from "
                      "its parent: both end alike about as often");
    found = true;
  }
}

static json_t *warnings_of(const struct cul_bisection *b,
                           const struct cul_bisect_answer *answer,
                           const char *contradiction) {
  json_t *out = json_array();
  if (*contradiction)
    json_array_append_new(out, cul_report_string(contradiction));
  for (size_t i = 0; i < b->notices.n_warnings; i++)
    json_array_append_new(out, cul_report_string(b->notices.warnings[i]));
  if (answer->end == CUL_BISECT_FOUND && changes_nothing(b, answer->culprit))
    json_array_append_new(
        out, json_string("the culprit changes no binary that the test reads: "
                         "the result is suspicious"));
  if (answer->end == CUL_BISECT_FOUND && b->range.touches &&
      !b->range.touches[answer->culprit])
    json_array_append_new(out,
                          json_string("the culprit touches none of --paths"));
  return out;
}

/* The number of commits with an answer from an earlier job, or from an equal
 * artefact, without a build. */
static int count_cached(const struct cul_bisection *b) {
  int n = 0;
  for (uint32_t c = 0; c < b->range.history.n; c++)
    n += b->journal.seen[c] == CUL_SEEN_TOLD;
  return n;
}

static json_t *posterior_of(const struct cul_bisection *b) {
  const double *mass = cul_bisector_posterior(b->strategy.bisector);
  json_t *out = json_array();
  for (uint32_t c = 0; c < b->range.dag.n; c++)
    if (mass[c] >= 0.001)
      json_array_append_new(
          out, json_pack("{s:o, s:f}", "commit", id_of(b, c), "mass", mass[c]));
  return out;
}

char *cul_commits_marks(const struct cul_bisection *b) {
  char *marks = cul_xcalloc((size_t)b->range.dag.n + 1, 1);
  for (uint32_t c = 0; c < b->range.dag.n; c++) {
    const struct cul_bisect_runs *runs =
        cul_bisector_runs(b->strategy.bisector, c);
    uint32_t passes = b->range.conf.find_fix ? runs->fails : runs->passes;
    uint32_t fails = b->range.conf.find_fix ? runs->passes : runs->fails;
    bool seen = b->journal.seen[b->range.points[c]] & CUL_SEEN_TOLD;
    marks[c] = fails && passes ? '~'
               : fails         ? 'F'
               : passes        ? '.'
               : seen          ? 'x'
                               : ' ';
  }
  return marks;
}

/* The columns of the picture, so that others can draw it. */
static void add_columns(const struct cul_plot *plot, json_t *out) {
  enum { MOST = 400 };
  double mass[MOST];
  char marks[MOST];
  size_t n = cul_plot_gather(plot, MOST, mass, marks);
  json_t *masses = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(masses, json_real(mass[i]));
  json_object_set_new(out, "mass", masses);
  json_object_set_new(out, "marks", json_stringn(marks, n));
}

static json_t *plot_of(const struct cul_bisection *b) {
  struct cul_buf text = {0};
  char *marks = cul_commits_marks(b);
  const struct cul_plot plot = {
      .mass = cul_bisector_posterior(b->strategy.bisector),
      .marks = marks,
      .n = b->range.dag.n};
  const char *end;
  json_t *out;
  cul_plot_text(&plot, 72, &text);
  end = strchr(cul_buf_str(&text), '\n');
  out = json_pack("{s:s%, s:s%}", "bars", cul_buf_str(&text),
                  (size_t)(end - cul_buf_str(&text)), "seen", end + 1,
                  strcspn(end + 1, "\n"));
  add_columns(&plot, out);
  cul_buf_release(&text);
  free(marks);
  return out;
}

/* The reason why a commit gives no answer. */
static const char *why_not(const struct cul_bisection *b, uint32_t commit) {
  for (size_t i = b->journal.n_events; i-- > 0;)
    if (b->journal.events[i].commit == commit && b->journal.events[i].why[0])
      return b->journal.events[i].why;
  return "";
}

/* The commit to fix first, where the suspects cannot be told apart because
 * commits between them cannot be tested. */
static json_t *fix_up_of(const struct cul_bisection *b,
                         const struct cul_bisect_answer *answer) {
  struct cul_first_fix fix;
  struct cul_commit_about about;
  struct cul_err ignored = {0};
  uint32_t commit;
  json_t *out;
  if (answer->end != CUL_BISECT_SUSPECTS || answer->n_suspects < 2 ||
      !cul_bisector_first_fix(b->strategy.bisector, answer, &fix))
    return json_null();
  commit = b->range.points[fix.point];
  out = json_pack("{s:o, s:o, s:i, s:i, s:i, s:b, s:f}", "commit",
                  id_of(b, fix.point), "why",
                  cul_report_string(why_not(b, commit)), "suspects",
                  (int)answer->n_suspects, "left", (int)fix.left, "untried",
                  (int)fix.untried, "exhaust", (int)b->shared->search.exhaust,
                  "bits", fix.bits);
  if (cul_repo_about(b->range.repo, &b->range.history.ids[commit], &about,
                     &ignored) == 0) {
    json_object_set_new(out, "title", cul_report_string(about.title));
    cul_commit_about_release(&about);
  }
  return out;
}

/* A new reference to what may be missing. */
static json_t *either(json_t *given, json_t *instead) {
  if (!given)
    return instead;
  json_decref(instead);
  return json_incref(given);
}

static void add_answer(const struct cul_bisection *b,
                       const struct cul_commits_beside *beside,
                       const struct cul_bisect_answer *answer, bool doubtful,
                       json_t *out) {
  bool unique = answer->end == CUL_BISECT_FOUND;
  json_t *suspects = json_array();
  for (size_t i = 0; i < answer->n_suspects; i++)
    json_array_append_new(suspects, id_of(b, answer->suspects[i]));
  json_object_set_new(out, "culprit",
                      unique ? id_of(b, answer->culprit) : json_null());
  json_object_set_new(out, "inner", either(beside->inner, json_null()));
  json_object_set_new(out, "moved", either(beside->moved, json_null()));
  json_object_set_new(out, "suspects", suspects);
  json_object_set_new(out, "parents",
                      unique ? parents_of(b, answer->culprit) : json_array());
  json_object_set_new(
      out, "posterior",
      doubtful ? json_null()
               : json_real(unique ? answer->posterior : answer->mass));
  json_object_set_new(out, "doubtful", json_boolean(doubtful));
  json_object_set_new(out, "boundary",
                      unique ? boundary_of(b, answer->culprit) : json_null());
}

json_t *cul_commits_report(const struct cul_bisection *b,
                           const char *const *argv,
                           const struct cul_commits_beside *beside,
                           struct cul_err *err) {
  static const struct cul_commits_beside none = {0};
  const struct cul_sought *sought = b->shared->sought;
  struct cul_bisect_answer answer;
  struct cul_bisect_tally tally;
  struct cul_buf contradiction = {0};
  json_t *out = json_object();
  int rc = 0;
  cul_bisector_answer(b->strategy.bisector, &answer);
  cul_bisector_tally(b->strategy.bisector, &tally);
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", cul_report_system());
  json_object_set_new(out, "find_fix", json_boolean(b->range.conf.find_fix));
  if (!beside)
    beside = &none;
  find_contradiction(b, &answer, &contradiction);
  add_answer(b, beside, &answer, contradiction.len > 0, out);
  json_object_set_new(out, "fix", fix_up_of(b, &answer));
  if (answer.end == CUL_BISECT_FOUND)
    rc = add_about(b, answer.culprit, out, err);
  json_object_set_new(out, "command", cul_report_argv(argv));
  json_object_set_new(out, "signature",
                      cul_report_signature(&sought->signature));
  json_object_set_new(out, "sought",
                      cul_report_string(sought->signature.title));
  json_object_set_new(out, "guessed",
                      json_boolean(cul_sought_is_guess(sought)));
  json_object_set_new(out, "commits", json_integer(b->range.dag.n));
  json_object_set_new(out, "builds",
                      json_pack("{s:i, s:i, s:i}", "done",
                                (int)(b->journal.built - b->journal.failed),
                                "failed", (int)b->journal.failed, "cached",
                                count_cached(b)));
  json_object_set_new(
      out, "runs", json_integer((json_int_t)b->tester.probe.counts.executed));
  json_object_set_new(out, "flaky", json_boolean(tally.flaky));
  json_object_set_new(out, "others", others_of(b));
  json_object_set_new(out, "unchanged", unchanged_of(b));
  json_object_set_new(out, "warnings",
                      warnings_of(b, &answer, cul_buf_str(&contradiction)));
  cul_buf_release(&contradiction);
  json_object_set_new(out, "missing",
                      beside->lacking ? cul_lacking_report(beside->lacking)
                                      : json_array());
  json_object_set_new(out, "trials", either(beside->trials, json_array()));
  json_object_set_new(out, "masses", posterior_of(b));
  json_object_set_new(out, "plot", plot_of(b));
  json_object_set_new(out, "events", events_of(b));
  free(answer.suspects);
  if (rc == 0)
    return out;
  json_decref(out);
  return NULL;
}
