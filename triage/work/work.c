/* Checks, reduces, bisects and merges buckets: see work.h. */
#include "work.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../bisect/commits/commits.h"
#include "../../oracles/rules/rules.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/json_word.h"
#include "../../reducer/job/job.h"
#include "../../reducer/plan/recipe.h"
#include "../../reducer/reduce.h"
#include "../report/report.h"
#include "work_private.h"

/* ---- check ---- */

/* Runs members of buckets again and compares their failures. */

/* The arguments of a member's command: one heap block, NULL terminated.  NULL:
 * it has no command. */
static const char **member_argv(const struct cul_member *member) {
  return cul_json_words_argv(member->command);
}

/* The number of workers for one bucket: several buckets are processed in
 * parallel, each with one worker. */
static int workers_per_bucket(const struct cul_triage *t) {
  return t->n_members > 1 ? 1 : t->conf->workers;
}

/* The number of passing runs after which a case counts as passing.  A case that
 * fails in a third of its runs is missed with a probability of (2/3)^12, 8 of
 * 1,000. */
enum { SILENT = 12 };

/* The configuration of a run of argv on input. */
static struct cul_target_conf triage_target(const struct cul_triage *t,
                                            const char *input,
                                            const char *const *argv) {
  return (struct cul_target_conf){
      .input = input,
      .argv = argv,
      .oracle = {.exit_code = -1, .repeat.silent = SILENT},
      .timeout_s = t->conf->timeout_s,
      .deadline_us = t->conf->deadline_us,
      .workers = workers_per_bucket(t),
      .cache = t->conf->cache,
      .environment = t->conf->environment,
      .interrupted = t->conf->interrupted};
}

/* Is sig a failure of the bucket?  A log lacks some properties of a run, such
 * as the pace of a timeout or the signal of a crash; these need not agree. */
static bool bucket_shows(const struct cul_triage *t,
                         const struct cul_bucket *bucket,
                         const struct cul_signature *sig) {
  for (size_t i = 0; i < bucket->n_members; i++) {
    const struct cul_kind_of *kind =
        t->kinds[t->members[bucket->members[i]].kind];
    if (kind->sig.kind == CUL_KIND_TIMEOUT && sig->kind == CUL_KIND_TIMEOUT)
      return true;
    if (cul_signature_same_across(&kind->sig, sig, NULL, 0))
      return true;
    if (kind->corrupted && kind->sig.kind == sig->kind && sig->text[0] &&
        !strcmp(kind->sig.text, sig->text))
      return true;
  }
  return false;
}

/* Copy the judged failure of the target's original run. */
static void take_shown(const struct cul_target *target, struct cul_shown *out) {
  const struct cul_judged *judged = &target->original;
  out->answer = judged->verdict.answer;
  out->rate = cul_judged_rate(judged);
  out->sig = judged->verdict.sig;
  for (size_t i = 0; i < judged->n && !out->text; i++)
    if (judged->records[i].err.len)
      out->text =
          cul_xstrndup(judged->records[i].err.data, judged->records[i].err.len);
}

/* The earlier of the job's deadline and end_us; 0 = none for each. */
static uint64_t ends_at(const struct cul_triage_conf *conf, uint64_t end_us) {
  return conf->deadline_us && (!end_us || conf->deadline_us < end_us)
             ? conf->deadline_us
             : end_us;
}

/* *changed: a file of the command changed meanwhile. */
static int show_once(const struct cul_triage *t, const char *input,
                     const struct cul_member *member, uint64_t deadline_us,
                     struct cul_shown *out, bool *changed,
                     struct cul_err *err) {
  const char **argv = member_argv(member);
  struct cul_target_conf conf = triage_target(t, input, argv);
  struct cul_target target;
  struct cul_err own = {0};
  int rc = cul_target_open(&target, &conf, &own);
  *out = (struct cul_shown){.answer = CUL_BROKEN};
  target.probe.budget.deadline_us = ends_at(t->conf, deadline_us);
  if (rc == 0)
    rc = cul_target_recall(&target, &own);
  if (rc == 0)
    rc = cul_target_classify(&target, &own);
  if (rc == 0) {
    take_shown(&target, out);
  } else if (cul_is_cut(rc) || rc == CUL_EINTERNAL ||
             (rc == CUL_EENV && !own.of_command)) {
    *err = own; /* not the fault of the member's command */
  } else {
    *changed = own.changed;
    out->broken = cul_xstrdup(own.what);
    rc = 0;
  }
  cul_target_release(&target);
  free(argv);
  return rc;
}

int cul_triage_show(const struct cul_triage *t, const char *input,
                    const struct cul_member *member, uint64_t deadline_us,
                    struct cul_shown *out, struct cul_err *err) {
  bool changed = false;
  int rc = show_once(t, input, member, deadline_us, out, &changed, err);
  if (rc < 0 || !changed)
    return rc;
  /* once more, with the tool as it is now */
  cul_shown_release(out);
  return show_once(t, input, member, deadline_us, out, &changed, err);
}

void cul_shown_release(struct cul_shown *shown) {
  free(shown->text);
  free(shown->broken);
}

static enum cul_checked judge(const struct cul_triage *t,
                              const struct cul_shown *shown,
                              const struct cul_bucket *bucket, char **note) {
  if (shown->broken)
    *note = cul_xstrdup(shown->broken);
  if (shown->answer != CUL_SAME)
    return shown->answer == CUL_PASSES ? CUL_CHECK_PASSES : CUL_CHECK_BROKEN;
  if (!bucket_shows(t, bucket, &shown->sig)) {
    *note = cul_xasprintf("fails with: %s", shown->sig.title);
    return CUL_CHECK_OTHER;
  }
  if (shown->rate.fails < shown->rate.runs) {
    *note = cul_xasprintf("fails in %u of %u run%s", shown->rate.fails,
                          shown->rate.runs, cul_s(shown->rate.runs));
    return CUL_CHECK_FLAKY;
  }
  return CUL_CHECK_SAME;
}

/* Run input under the member's command.  *out: does it fail like the bucket?
 * *note: how it differs; heap, or NULL. */
static int triage_try(const struct cul_triage *t, const char *input,
                      const struct cul_member *member,
                      const struct cul_bucket *bucket, enum cul_checked *out,
                      char **note, struct cul_err *err) {
  struct cul_shown shown;
  int rc = cul_triage_show(t, input, member, 0, &shown, err);
  *note = NULL;
  if (rc == 0)
    *out = judge(t, &shown, bucket, note);
  cul_shown_release(&shown);
  return rc;
}

/* Run a member again, unless that was done or is impossible. */
static int work_check(const struct cul_triage *t, struct cul_member *member,
                      uint64_t deadline_us, struct cul_err *err) {
  struct cul_shown shown;
  int rc;
  if (member->checked || !member->module || !member->command)
    return 0;
  rc = cul_triage_show(t, member->module, member, deadline_us, &shown, err);
  if (rc == 0)
    member->checked =
        judge(t, &shown, &t->buckets[member->bucket], &member->check_note);
  cul_shown_release(&shown);
  return rc;
}

/* ---- sibling ---- */

/* Finds buckets that may have a common cause. */

/* ---- requests ---- */

static size_t letters(const char *name) {
  size_t n = 0;
  for (; *name; name++)
    n += !isdigit((unsigned char)*name);
  return n;
}

/* Are these versions of one program, such as mlir-opt-19 and
 * /usr/bin/mlir-opt-22? */
static bool same_program(const char *a, const char *b) {
  a = cul_basename(a);
  b = cul_basename(b);
  if (letters(a) != letters(b))
    return false;
  for (; *a || *b; a += *a != '\0', b += *b != '\0') {
    while (isdigit((unsigned char)*a))
      a++;
    while (isdigit((unsigned char)*b))
      b++;
    if (*a != *b)
      return false;
  }
  return true;
}

/* Are these the same command, possibly of different versions of the program? */
static bool commands_same(const json_t *a, const json_t *b) {
  const char *x = json_string_value(json_array_get(a, 0));
  const char *y = json_string_value(json_array_get(b, 0));
  if (json_array_size(a) != json_array_size(b) || !x || !y)
    return false;
  for (size_t i = 1; i < json_array_size(a); i++)
    if (!json_equal(json_array_get(a, i), json_array_get(b, i)))
      return false;
  return same_program(x, y);
}

/* ---- buckets that reduce in the same way ---- */

/* The command of a bucket: the one of its reduction, else of its first member
 * with one. */
static const json_t *command_of(const struct cul_triage *t,
                                const struct cul_bucket *bucket) {
  const json_t *asked = json_object_get(bucket->reduced, "command");
  for (size_t i = 0; !asked && i < bucket->n_members; i++)
    asked = t->members[bucket->members[i]].command;
  return asked;
}

static bool same_command(const struct cul_triage *t, const struct cul_bucket *a,
                         const struct cul_bucket *b) {
  return commands_same(command_of(t, a), command_of(t, b));
}

/* Are the message and the pass of both equal?  Then the mutations that reduce
 * the case of one probably reduce the other one too.  If both lack message and
 * pass, the command must be equal as well. */
static bool bucket_siblings(const struct cul_triage *t,
                            const struct cul_bucket *a,
                            const struct cul_bucket *b) {
  const struct cul_kind_of *x = t->kinds[a->kind], *y = t->kinds[b->kind];
  return !memcmp(&x->keys.level[1], &y->keys.level[1],
                 sizeof x->keys.level[1]) &&
         (x->sig.text[0] || x->sig.pass[0] || same_command(t, a, b));
}

/* The reduction from which to take a recipe for the bucket: its own earlier
 * one, else that of a sibling, preferably one with the same command, then with
 * the lowest number. */
static struct cul_triage_model model_for(const struct cul_triage *t,
                                         const struct cul_bucket *bucket) {
  const struct cul_bucket *best = NULL;
  if (json_object_get(bucket->reduced, "recipe"))
    best = bucket;
  for (size_t i = 0; best != bucket && i < t->n_buckets; i++) {
    const struct cul_bucket *other = &t->buckets[i];
    int better;
    if (other == bucket || !json_object_get(other->reduced, "recipe") ||
        !bucket_siblings(t, bucket, other))
      continue;
    better =
        best ? same_command(t, bucket, other) - same_command(t, bucket, best)
             : 1;
    if (better > 0 || (better == 0 && other->id < best->id))
      best = other;
  }
  return (struct cul_triage_model){best ? json_incref(best->reduced) : NULL,
                                   best ? best->id : 0};
}

/* ---- blame ---- */

/* Bisects the commit that introduced the failure of a bucket. */

static void copy_field(json_t *out, const json_t *report, const char *key) {
  json_t *value = json_object_get(report, key);
  if (value)
    json_object_set(out, key, value);
}

static json_t *result_of(const json_t *report) {
  static const char *const keys[] = {"culprit",   "title",    "author", "date",
                                     "posterior", "suspects", "runs"};
  json_t *out = json_object();
  for (size_t i = 0; i < CUL_ARRAY_SIZE(keys); i++)
    copy_field(out, report, keys[i]);
  return out;
}

/* Make the command that tests a build: the bucket's command on the reduced
 * case, with the built tool as its program.  out: the arguments, each with a
 * NUL; *argv: heap, points into out. */
static int test_of(const struct cul_triage *t, const struct cul_bucket *bucket,
                   const char *file, struct cul_buf *out, const char ***argv,
                   struct cul_err *err) {
  const struct cul_subst subst[] = {
      {"@@", file}, {"@{dir}", "@{dir}"}, {"@{commit}", "@{commit}"}};
  const struct cul_member as = {
      .command = json_object_get(bucket->reduced, "command")};
  const char *tool = t->conf->blame.tool;
  size_t n = json_array_size(as.command), at = 0;
  int rc = 0;
  *argv = member_argv(&as);
  for (size_t i = 0; i < n && rc == 0; i++) {
    if (i == 0 && tool)
      cul_buf_adds(out, tool);
    else
      rc = cul_expand((*argv)[i], subst, CUL_ARRAY_SIZE(subst), out, err);
    cul_buf_addc(out, '\0');
  }
  for (size_t i = 0; i < n && rc == 0; i++) {
    (*argv)[i] = out->data + at;
    at += strlen(out->data + at) + 1;
  }
  return rc;
}

struct sought {
  const struct cul_triage *t;
  const struct cul_bucket *bucket;
};

/* Is `shown` the failure to bisect?  Another failure of the reduced case would
 * lead to another commit.  If the bucket is only known by addresses, which
 * differ between builds, its kind of failure suffices. */
static bool is_sought(const void *self, const struct cul_signature *shown) {
  const struct sought *b = self;
  const struct cul_signature *known = &b->t->kinds[b->bucket->kind]->sig;
  return bucket_shows(b->t, b->bucket, shown) ||
         (known->kind == shown->kind && !known->text[0] && !shown->text[0] &&
          cul_key_nameless(known));
}

/* The seconds left of --budget and --max-time; 0: neither is given. */
static double time_left_s(const struct cul_triage_conf *conf) {
  uint64_t now = cul_now_us();
  uint64_t end_us = ends_at(
      conf, conf->budget_s > 0 ? now + (uint64_t)(conf->budget_s * 1e6) : 0);
  if (!end_us)
    return 0;
  return end_us > now ? (double)(end_us - now) / 1e6 : 1e-6;
}

/* file: the reduced case, which is sent to the machines that run the tests. */
static int bisect(const struct cul_triage *t, const struct cul_bucket *bucket,
                  const char *file, const char *const *argv, json_t **report,
                  struct cul_err *err) {
  size_t n = t->conf->environment.n_sent;
  const char **sent = cul_xcalloc(n + 1, sizeof *sent);
  int rc;
  const struct sought blamed = {t, bucket};
  const struct cul_triage_blame *conf = &t->conf->blame;
  struct cul_commits_conf job = {.repo = conf->repo,
                                 .good = conf->good,
                                 .bad = conf->bad,
                                 .build = conf->build,
                                 .argv = argv,
                                 .work = conf->work,
                                 .timeout_s = t->conf->timeout_s,
                                 .oracle = {.exit_code = -1},
                                 .sought = is_sought,
                                 .sought_self = &blamed,
                                 .search = CUL_BISECT_DEFAULTS,
                                 .retries = 3,
                                 .retry_pause_s = 5,
                                 .max_time_s = time_left_s(t->conf),
                                 .cache = t->conf->cache,
                                 .environment = t->conf->environment,
                                 .interrupted = t->conf->interrupted};
  if (n)
    memcpy(sent, t->conf->environment.sent, n * sizeof *sent);
  sent[n] = file;
  job.environment.sent = sent;
  job.environment.n_sent = n + 1;
  rc = cul_commits_run(&job, NULL, report, err);
  free(sent);
  return rc;
}

static int triage_blame(const struct cul_triage *t, struct cul_bucket *bucket,
                        char **note, struct cul_err *err) {
  char *path = cul_json_word_take(json_object_get(bucket->reduced, "file"));
  char *file = path ? realpath(path, NULL) : NULL;
  const char **argv = NULL;
  struct cul_buf words = {0};
  struct cul_err own = {0};
  json_t *report = NULL;
  int rc = file ? test_of(t, bucket, file, &words, &argv, &own) : 0;
  if (file && rc == 0)
    rc = bisect(t, bucket, file, argv, &report, &own);
  *note = NULL;
  if (rc == CUL_EINTR || rc == CUL_EINTERNAL) {
    *err = own;
  } else {
    *note = rc && rc != CUL_ESEVERAL ? cul_xstrdup(own.what) : NULL;
    if (report)
      json_object_set_new(bucket->reduced, "bisect", result_of(report));
    rc = 0;
  }
  json_decref(report);
  cul_buf_release(&words);
  free(argv);
  free(file);
  free(path);
  return rc;
}

/* The first bad commit of the bucket, borrowed; NULL: unknown. */
static const char *bucket_culprit(const struct cul_bucket *bucket) {
  return json_string_value(
      json_object_get(json_object_get(bucket->reduced, "bisect"), "culprit"));
}

/* ---- join ---- */

/* Merges two buckets. */

static void take_members(struct cul_triage *t, struct cul_bucket *a,
                         struct cul_bucket *b, const char *why) {
  for (size_t i = 0; i < b->n_members; i++) {
    struct cul_member *member = &t->members[b->members[i]];
    char *text = cul_xasprintf("%s; %s", why, member->why);
    free(member->why);
    member->why = text;
  }
  a->members = cul_xreallocarray(a->members, a->n_members + b->n_members,
                                 sizeof *a->members);
  memcpy(a->members + a->n_members, b->members,
         b->n_members * sizeof *b->members);
  a->n_members += b->n_members;
  b->n_members = 0;
}

/* Merge the state and the history of b into a. */
static void take_state(struct cul_bucket *a, const struct cul_bucket *b) {
  if (a->state == CUL_BUCKET_GONE && a->n_members)
    a->state = b->state == CUL_BUCKET_NEW ? CUL_BUCKET_KNOWN : b->state;
  else if (a->state == CUL_BUCKET_NEW && b->state != CUL_BUCKET_NEW)
    a->state = b->state;
  for (size_t i = 0; i < a->n_history && i < b->n_history; i++)
    a->history[i] += b->history[i];
}

static int work_keep_reduced(const struct cul_work *w,
                             struct cul_bucket *bucket, struct cul_err *err);
static void work_say(const struct cul_work *w, const struct cul_bucket *bucket,
                     const char *fmt, ...);
static int work_confirm(struct cul_work *w, size_t *n_merged,
                        struct cul_err *err);

/* Keep one reduced case: a's own, else that of b, renamed to a. */
static int take_case(struct cul_work *w, struct cul_bucket *a,
                     struct cul_bucket *b, struct cul_err *err) {
  char *old = cul_json_word_take(json_object_get(b->reduced, "file"));
  bool wanted = !json_object_get(a->reduced, "file");
  int rc = 0;
  if (old && wanted) {
    json_decref(a->reduced);
    a->reduced = b->reduced;
    b->reduced = NULL;
    rc = work_keep_reduced(w, a, err);
    if (rc == 0)
      rc = cul_state_save_reduced(w->state, a, err);
  }
  if (old && rc == 0)
    unlink(old);
  free(old);
  return rc;
}

/* Move all members of b to a, also in the stored state; b is empty then.  why:
 * is prepended to the reasons of b's members. */
static int work_join(struct cul_work *w, struct cul_bucket *a,
                     struct cul_bucket *b, const char *why,
                     struct cul_err *err) {
  int rc = cul_state_merge(w->state, b->id, a->id, err);
  if (rc < 0)
    return rc;
  take_members(w->t, a, b, why);
  take_state(a, b);
  return take_case(w, a, b, err);
}

/* ---- reduce ---- */

/* Reduces one member of a bucket. */

enum {
  MOST_TRIED = 3,            /* members of a bucket to try, one after another */
  SOON_US = 10 * 1000 * 1000 /* a job that failed sooner may be repeated */
};

static off_t size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? st.st_size : 0;
}

/* Find the smallest member that was not tried yet and fails like the bucket in
 * every run.  *out NULL: there is none. */
static int choose(struct cul_work *w, struct cul_bucket *bucket,
                  const struct cul_member **tried, size_t n_tried,
                  uint64_t deadline_us, struct cul_member **out,
                  struct cul_err *err) {
  *out = NULL;
  for (;;) {
    struct cul_member *best = NULL;
    int rc;
    for (size_t i = 0; i < bucket->n_members; i++) {
      struct cul_member *member = &w->t->members[bucket->members[i]];
      bool done = false;
      for (size_t k = 0; k < n_tried; k++)
        done = done || tried[k] == member;
      if (!done && member->module && member->command &&
          (member->checked == CUL_CHECK_NONE ||
           member->checked == CUL_CHECK_SAME) &&
          (!best || size_of(member->module) < size_of(best->module)))
        best = member;
    }
    if (!best)
      return 0;
    rc = work_check(w->t, best, deadline_us, err);
    if (rc < 0)
      return rc;
    if (best->checked == CUL_CHECK_SAME) {
      *out = best;
      return 0;
    }
  }
}

static char *output_of(const struct cul_work *w,
                       const struct cul_bucket *bucket,
                       const struct cul_member *member) {
  const char *dot = strrchr(cul_basename(member->module), '.');
  char label[24];
  return cul_xasprintf("%s/%s%s", w->t->conf->output,
                       cul_bucket_label(bucket, label),
                       dot && cul_is_plain_name(dot + 1) ? dot : "");
}

static json_t *reduce_result_of(const struct cul_reduce *job,
                                const struct cul_member *member,
                                const char *output) {
  const json_t *report = job->outcome.report;
  json_t *out = json_object(), *recipe = cul_recipe_of(report);
  json_t *text =
      json_stringn(cul_buf_str(&job->outcome.text), job->outcome.text.len);
  json_object_set_new(out, "text",
                      text ? text : json_string("(not UTF-8: see the file)"));
  if (!text)
    json_object_set_new(out, "binary", json_true());
  json_object_set_new(out, "file", cul_json_word(output));
  json_object_set_new(out, "module", cul_json_word(member->module));
  json_object_set(out, "command", member->command);
  json_object_set(out, "result", json_object_get(report, "result"));
  json_object_set(out, "initial", json_object_get(report, "initial"));
  json_object_set(out, "final", json_object_get(report, "final"));
  json_object_set(out, "runs", json_object_get(report, "runs"));
  if (recipe)
    json_object_set_new(out, "recipe", recipe);
  return out;
}

static json_t *budget_of(const struct cul_triage_conf *conf) {
  return json_pack("{s:f, s:I}", "seconds", conf->budget_s, "runs",
                   (json_int_t)conf->max_runs);
}

static long long count_at(const json_t *object, const char *outer,
                          const char *inner) {
  return (long long)json_integer_value(
      json_object_get(json_object_get(object, outer), inner));
}

/* The recipe for reducing the member; NULL: none.  A reduction of the very same
 * module needs no recipe, because its runs are in the store. */
static const json_t *recipe_for(const struct cul_triage_model *model,
                                const struct cul_member *member) {
  char *module = cul_json_word_take(json_object_get(model->reduced, "module"));
  bool other = module && strcmp(module, member->module) != 0;
  free(module);
  return other ? json_object_get(model->reduced, "recipe") : NULL;
}

/* Store the result of the reduction in the bucket, also after EBUDGET. */
static void take_result(struct cul_work *w, struct cul_bucket *bucket,
                        const struct cul_reduce *job,
                        const struct cul_member *member, int rc) {
  char like[40] = "";
  if (!job->outcome.report)
    return;
  json_decref(bucket->reduced);
  bucket->reduced = reduce_result_of(job, member, job->conf->output);
  json_object_set_new(bucket->reduced, "budget", budget_of(w->t->conf));
  if (job->recipe.how && !strcmp(job->recipe.how, "followed"))
    snprintf(like, sizeof like, ", as B%lld was", (long long)w->model.id);
  work_say(w, bucket, "reduced %s: %lld to %lld, %lld run%s%s%s",
           member->module, count_at(bucket->reduced, "initial", "ops"),
           count_at(bucket->reduced, "final", "ops"),
           count_at(bucket->reduced, "runs", "executed"),
           cul_s((uint64_t)count_at(bucket->reduced, "runs", "executed")), like,
           rc == CUL_EBUDGET ? " (budget spent)" : "");
}

static int reduce_member(struct cul_work *w, struct cul_bucket *bucket,
                         const struct cul_member *member, double seconds,
                         struct cul_err *err) {
  const char **argv = member_argv(member);
  char *output = output_of(w, bucket, member);
  struct cul_reduce_conf conf = {.target =
                                     triage_target(w->t, member->module, argv),
                                 .output = output,
                                 .max_runs = w->t->conf->max_runs,
                                 .max_time_s = seconds,
                                 .recipe = recipe_for(&w->model, member)};
  struct cul_err own = {0};
  struct cul_reduce job;
  uint64_t start_us = cul_now_us();
  int rc = cul_reduce_run(&job, &conf, NULL, &own);
  /* The machine failed, or the tool changed, so repeat the job once; its runs
   * are in the store.  Do not repeat a job that has already waited for the
   * machine for long. */
  if (rc == CUL_EENV && (own.changed || cul_now_us() - start_us < SOON_US)) {
    cul_reduce_release(&job);
    own = (struct cul_err){0};
    rc = cul_reduce_run(&job, &conf, NULL, &own);
  }
  if (rc == 0 || rc == CUL_EBUDGET) {
    take_result(w, bucket, &job, member, rc);
    rc = 0;
  } else if (rc == CUL_EINTR || rc == CUL_EINTERNAL ||
             (rc == CUL_EENV && !own.changed)) {
    *err = own; /* not the fault of the member's command, which failed as
                   expected before */
  } else {
    work_say(w, bucket, "%s cannot be reduced: %s", member->module, own.what);
    rc = 0;
  }
  cul_reduce_release(&job);
  free(output);
  free(argv);
  return rc;
}

/* Was the earlier limit at least as large as `wanted`?  0: no limit. */
static bool as_much(const json_t *had, const char *key, double wanted) {
  double n = json_number_value(json_object_get(had, key));
  return n == 0 || (wanted > 0 && n >= wanted);
}

/* Is the result of an earlier run still valid?  It is if that run was completed
 * or had at least the present budget. */
static bool work_is_reduced(const struct cul_triage *t,
                            const struct cul_bucket *bucket) {
  const json_t *had = json_object_get(bucket->reduced, "budget");
  const char *result =
      json_string_value(json_object_get(bucket->reduced, "result"));
  if (!result || !strcmp(result, "done") || !had)
    return result && !strcmp(result, "done");
  return as_much(had, "seconds", t->conf->budget_s) &&
         as_much(had, "runs", (double)t->conf->max_runs);
}

/* Copy a case that is not text, which is only stored in the file of the earlier
 * run. */
static int copy_case(const char *from, const char *to, struct cul_err *err) {
  struct cul_buf data = {0};
  int rc = 0;
  if (cul_file_read_own(from, 0, &data, &(struct cul_err){0}) == 0)
    rc = cul_file_replace(to, data.data, data.len, 0666, err);
  cul_buf_release(&data);
  return rc;
}

/* Write the case of an earlier run to path. file: the path of the earlier
 * run. */
static int write_case(const json_t *had, const char *text, const char *file,
                      const char *path, struct cul_err *err) {
  if (!json_is_true(json_object_get(had, "binary")))
    return cul_file_replace(path, text, strlen(text), 0666, err);
  return strcmp(path, file) ? copy_case(file, path, err) : 0;
}

/* Write the case of an earlier run to the output directory of this one.
 * Errors: EENV. */
static int work_keep_reduced(const struct cul_work *w,
                             struct cul_bucket *bucket, struct cul_err *err) {
  json_t *had = bucket->reduced;
  const char *text = json_string_value(json_object_get(had, "text"));
  char *file = cul_json_word_take(json_object_get(had, "file"));
  struct cul_member member = {
      .module = cul_json_word_take(json_object_get(had, "module"))};
  int rc = 0;
  if (text && file && member.module) {
    char *path = output_of(w, bucket, &member);
    rc = write_case(had, text, file, path, err);
    json_object_set_new(had, "file", cul_json_word(path));
    free(path);
  }
  free(member.module);
  free(file);
  return rc;
}

/* Try members of the bucket until one is reduced or the budget is spent. */
static int work_reduce(struct cul_work *w, struct cul_bucket *bucket,
                       struct cul_err *err) {
  const struct cul_member *tried[MOST_TRIED];
  double budget = w->t->conf->budget_s;
  uint64_t now = cul_now_us();
  uint64_t end_us =
      ends_at(w->t->conf, budget > 0 ? now + (uint64_t)(budget * 1e6) : 0);
  int rc = 0;
  for (size_t n = 0; n < MOST_TRIED && !bucket->reduced && rc == 0; n++) {
    struct cul_member *member;
    rc = choose(w, bucket, tried, n, end_us, &member, err);
    now = cul_now_us();
    if (rc == CUL_EBUDGET || (rc == 0 && end_us && now >= end_us))
      return 0;
    if (rc < 0 || !member)
      return rc;
    tried[n] = member;
    rc = reduce_member(w, bucket, member,
                       end_us ? (double)(end_us - now) / 1e6 : 0, err);
  }
  return rc;
}

/* ---- work ---- */

void cul_triage_tell(const struct cul_triage_say *say, const char *fmt, ...) {
  va_list args;
  char text[600];
  if (!say || !say->fn)
    return;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  say->fn(say->self, text);
}

/* Print a line about a bucket; in a process of the pool, collect it for the
 * main process. */
static void work_say(const struct cul_work *w, const struct cul_bucket *bucket,
                     const char *fmt, ...) {
  char label[24], text[400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  cul_bucket_label(bucket, label);
  if (w->said)
    json_array_append_new(w->said, cul_json_text(text));
  else
    cul_triage_tell(w->say, "%s: %s", label, text);
}

static bool is_worked_on(const struct cul_bucket *bucket) {
  return !bucket->ignored && bucket->n_members;
}

typedef json_t *step_work(void *self, size_t i, struct cul_err *err);
typedef int step_take(void *self, size_t i, json_t *result,
                      struct cul_err *err);

static int run_step(struct cul_work *w, step_work *work, step_take *take,
                    struct cul_err *err) {
  const struct cul_process_pool pool = {.workers = w->t->conf->workers,
                                        .conf = w->t->conf,
                                        .self = w,
                                        .work = work,
                                        .take = take};
  return cul_process_pool_run(&pool, w->n, err);
}

/* ---- check ---- */

static json_t *check_one(void *self, size_t i, struct cul_err *err) {
  struct cul_work *w = self;
  struct cul_member *member = &w->t->members[w->items[i]];
  json_t *out;
  if (work_check(w->t, member, 0, err) < 0)
    return NULL;
  out = json_pack("{s:i}", "checked", (int)member->checked);
  if (member->check_note)
    json_object_set_new(out, "note", cul_json_text(member->check_note));
  return out;
}

static void take_check(struct cul_member *member, const json_t *result) {
  const char *note = json_string_value(json_object_get(result, "note"));
  member->checked =
      (enum cul_checked)json_integer_value(json_object_get(result, "checked"));
  free(member->check_note);
  member->check_note = note ? cul_xstrdup(note) : NULL;
}

static int take_checked(void *self, size_t i, json_t *result,
                        struct cul_err *err) {
  struct cul_work *w = self;
  (void)err;
  take_check(&w->t->members[w->items[i]], result);
  return 0;
}

static void say_checked(const struct cul_work *w,
                        const struct cul_bucket *bucket) {
  size_t n[CUL_CHECK_BROKEN + 1] = {0};
  for (size_t i = 0; i < bucket->n_members; i++)
    n[w->t->members[bucket->members[i]].checked]++;
  if (n[CUL_CHECK_NONE] < bucket->n_members)
    work_say(w, bucket,
             "run again: %zu fail in the same way, %zu sometimes, %zu in "
             "another way, %zu pass, "
             "%zu cannot be run, %zu have no command",
             n[CUL_CHECK_SAME], n[CUL_CHECK_FLAKY], n[CUL_CHECK_OTHER],
             n[CUL_CHECK_PASSES], n[CUL_CHECK_BROKEN], n[CUL_CHECK_NONE]);
}

static int check_all(struct cul_work *w, struct cul_err *err) {
  int rc;
  w->n = 0;
  for (size_t i = 0; i < w->t->n_members; i++) {
    const struct cul_member *member = &w->t->members[i];
    if (member->module && member->command && !member->checked &&
        is_worked_on(&w->t->buckets[member->bucket]))
      w->items[w->n++] = i;
  }
  rc = run_step(w, check_one, take_checked, err);
  for (size_t i = 0; i < w->t->n_buckets && rc == 0; i++)
    if (is_worked_on(&w->t->buckets[i]))
      say_checked(w, &w->t->buckets[i]);
  return rc;
}

/* ---- reduce ---- */

/* The findings about a bucket, for the main process. */
static json_t *found_of(const struct cul_work *w,
                        const struct cul_bucket *bucket) {
  json_t *out = json_object(), *checks = json_array();
  for (size_t i = 0; i < bucket->n_members; i++) {
    const struct cul_member *member = &w->t->members[bucket->members[i]];
    json_t *check;
    if (!member->checked)
      continue;
    check = json_pack("{s:i, s:i}", "member", (int)bucket->members[i],
                      "checked", (int)member->checked);
    if (member->check_note)
      json_object_set_new(check, "note", cul_json_text(member->check_note));
    json_array_append_new(checks, check);
  }
  json_object_set_new(out, "checks", checks);
  json_object_set_new(out, "said", w->said);
  if (bucket->reduced)
    json_object_set(out, "reduced", bucket->reduced);
  return out;
}

static int take_found(void *self, size_t i, json_t *result,
                      struct cul_err *err) {
  struct cul_work *w = self;
  struct cul_bucket *bucket = &w->t->buckets[w->items[i]];
  json_t *reduced = json_object_get(result, "reduced"), *item;
  size_t k;
  json_array_foreach(json_object_get(result, "checks"), k, item) {
    size_t member = (size_t)json_integer_value(json_object_get(item, "member"));
    take_check(&w->t->members[member], item);
  }
  json_array_foreach(json_object_get(result, "said"), k, item)
      work_say(w, bucket, "%s", json_string_value(item));
  if (!reduced)
    return 0;
  json_decref(bucket->reduced);
  bucket->reduced = json_incref(reduced);
  return cul_state_save_reduced(w->state, bucket, err);
}

static json_t *reduce_one(void *self, size_t i, struct cul_err *err) {
  struct cul_work *w = self;
  struct cul_bucket *bucket = &w->t->buckets[w->items[i]];
  w->said = json_array();
  w->model = w->models[i];
  json_decref(bucket->reduced); /* of an earlier run with a smaller budget */
  bucket->reduced = NULL;
  return work_reduce(w, bucket, err) < 0 ? NULL : found_of(w, bucket);
}

/* List the buckets to reduce, in order. */
static int list_unreduced(struct cul_work *w, struct cul_err *err) {
  int rc = 0;
  w->n = 0;
  for (size_t i = 0; i < w->t->n_buckets && rc == 0; i++) {
    struct cul_bucket *bucket = &w->t->buckets[i];
    if (!is_worked_on(bucket))
      continue;
    if (work_is_reduced(w->t, bucket))
      rc = work_keep_reduced(w, bucket, err);
    else
      w->items[w->n++] = i;
  }
  return rc;
}

static bool follows_another(const struct cul_work *w, size_t n) {
  const struct cul_triage *t = w->t;
  for (size_t i = 0; i < n; i++)
    if (bucket_siblings(t, &t->buckets[w->items[i]], &t->buckets[w->items[n]]))
      return true;
  return false;
}

/* Move the buckets without a recipe that have a sibling earlier in the list to
 * the end, so that they can use its recipe.  Returns the number of other
 * buckets. */
static size_t move_followers_to_end(struct cul_work *w) {
  const struct cul_triage *t = w->t;
  size_t *later = cul_xcalloc(w->n + 1, sizeof *later);
  size_t n_later = 0, n = 0;
  bool *waits = cul_xcalloc(w->n + 1, sizeof *waits);
  for (size_t i = 0; i < w->n; i++) {
    struct cul_triage_model model = model_for(t, &t->buckets[w->items[i]]);
    waits[i] = !model.reduced && follows_another(w, i);
    json_decref(model.reduced);
  }
  for (size_t i = 0; i < w->n; i++)
    if (waits[i])
      later[n_later++] = w->items[i];
    else
      w->items[n++] = w->items[i];
  memcpy(w->items + n, later, n_later * sizeof *later);
  free(waits);
  free(later);
  return n;
}

/* Reduce the listed buckets.  All recipes are chosen before the first one
 * begins, so that the result does not depend on the order in which they end. */
static int reduce_items(struct cul_work *w, struct cul_err *err) {
  int rc;
  w->models = cul_xcalloc(w->n + 1, sizeof *w->models);
  for (size_t i = 0; i < w->n; i++)
    w->models[i] = model_for(w->t, &w->t->buckets[w->items[i]]);
  rc = run_step(w, reduce_one, take_found, err);
  for (size_t i = 0; i < w->n; i++)
    json_decref(w->models[i].reduced);
  free(w->models);
  w->models = NULL;
  return rc;
}

static int reduce_all(struct cul_work *w, struct cul_err *err) {
  size_t n, first;
  int rc = cul_mkdirs(w->t->conf->output, 0777, err);
  if (rc == 0)
    rc = list_unreduced(w, err);
  if (rc < 0)
    return rc;
  n = w->n;
  w->n = first = move_followers_to_end(w);
  rc = reduce_items(w, err);
  memmove(w->items, w->items + first, (n - first) * sizeof *w->items);
  w->n = n - first;
  return rc ? rc : reduce_items(w, err);
}

static void list_reduced(struct cul_work *w) {
  w->n = 0;
  for (size_t i = 0; i < w->t->n_buckets; i++)
    if (is_worked_on(&w->t->buckets[i]) &&
        json_object_get(w->t->buckets[i].reduced, "file"))
      w->items[w->n++] = i;
}

/* ---- bisect ---- */

static json_t *blame_one(void *self, size_t i, struct cul_err *err) {
  struct cul_work *w = self;
  struct cul_bucket *bucket = &w->t->buckets[w->items[i]];
  const json_t *found;
  char *note = NULL;
  w->said = json_array();
  if (triage_blame(w->t, bucket, &note, err) < 0)
    return NULL;
  found = json_object_get(bucket->reduced, "bisect");
  if (note)
    work_say(w, bucket, "not bisected to the end: %s", note);
  if (bucket_culprit(bucket))
    work_say(w, bucket, "first bad commit: %.12s %s", bucket_culprit(bucket),
             json_string_value(json_object_get(found, "title")));
  else if (found && !note)
    work_say(w, bucket, "the first bad commit is one of %zu",
             json_array_size(json_object_get(found, "suspects")));
  free(note);
  return found_of(w, bucket);
}

/* Bisect the buckets one by one, because they share the builds. */
static int blame_all(struct cul_work *w, struct cul_err *err) {
  struct cul_process_pool pool = {.workers = 1,
                                  .conf = w->t->conf,
                                  .self = w,
                                  .work = blame_one,
                                  .take = take_found};
  list_reduced(w);
  return cul_process_pool_run(&pool, w->n, err);
}

/* ---- confirm ---- */

/* Has the member another command than the one under which the case was
 * reduced? */
static bool other_command(const struct cul_bucket *bucket,
                          const struct cul_member *member) {
  return member->command &&
         !json_equal(member->command,
                     json_object_get(bucket->reduced, "command"));
}

/* Run the reduced case under the different commands of all members, and count
 * how often it fails in the same way. */
static int confirm_members(struct cul_work *w, struct cul_bucket *bucket,
                           const char *file, struct cul_err *err) {
  json_t *seen = json_array();
  size_t same = 0, other = 0;
  int rc = 0;
  for (size_t i = 0; i < bucket->n_members && rc == 0; i++) {
    struct cul_member *member = &w->t->members[bucket->members[i]];
    enum cul_checked found = CUL_CHECK_NONE;
    char *note = NULL;
    bool again = false;
    for (size_t k = 0; k < json_array_size(seen); k++)
      again = again || json_equal(json_array_get(seen, k), member->command);
    if (again || !other_command(bucket, member))
      continue;
    json_array_append(seen, member->command);
    rc = triage_try(w->t, file, member, bucket, &found, &note, err);
    same += found == CUL_CHECK_SAME || found == CUL_CHECK_FLAKY;
    other += found == CUL_CHECK_OTHER || found == CUL_CHECK_PASSES;
    free(note);
  }
  json_object_set_new(bucket->reduced, "confirmed",
                      json_pack("{s:I, s:I}", "same", (json_int_t)same, "other",
                                (json_int_t)other));
  if (rc == 0 && same + other)
    work_say(w, bucket,
             "the reduced case under the commands of the other members: %zu "
             "fail in the same way, %zu do not",
             same, other);
  json_decref(seen);
  return rc;
}

static json_t *confirm_one(void *self, size_t i, struct cul_err *err) {
  struct cul_work *w = self;
  struct cul_bucket *bucket = &w->t->buckets[w->items[i]];
  char *file = cul_json_word_take(json_object_get(bucket->reduced, "file"));
  int rc;
  w->said = json_array();
  rc = confirm_members(w, bucket, file, err);
  free(file);
  return rc < 0 ? NULL : found_of(w, bucket);
}

static int confirm_all(struct cul_work *w, struct cul_err *err) {
  size_t n = 0;
  int rc = cul_mkdirs(w->t->conf->output, 0777, err);
  list_reduced(w);
  if (rc == 0)
    rc = run_step(w, confirm_one, take_found, err);
  if (rc == 0)
    rc = work_confirm(w, &n, err);
  if (n)
    cul_triage_tell(
        w->say,
        "%zu bucket%s merged: their cases fail in the same way under each "
        "other's commands, or one commit introduced both",
        n, n == 1 ? " was" : "s were");
  return rc;
}

int cul_triage_work(struct cul_triage *t, struct cul_state *state,
                    const struct cul_triage_say *report, struct cul_err *err) {
  const struct cul_triage_conf *conf = t->conf;
  struct cul_work w = {.t = t, .state = state, .say = report};
  int rc = 0;
  w.items = cul_xcalloc(t->n_members + t->n_buckets + 1, sizeof *w.items);
  if (conf->check)
    rc = check_all(&w, err);
  if (rc == 0 && conf->reduce)
    rc = reduce_all(&w, err);
  if (rc == 0 && conf->blame.repo)
    rc = blame_all(&w, err);
  if (rc == 0 && conf->confirm)
    rc = confirm_all(&w, err);
  free(w.items);
  return rc;
}

/* ---- confirm ---- */

/* Decides which buckets are the same bug.  The case of a bucket is the reduced
 * one, else the smallest module.
 *
 * If two buckets have the same command for different versions of the tool, they
 * are merged if the case of one fails under the command of the other as the
 * other does.  If the commands differ otherwise, this must be true in both
 * directions.
 *
 * A failure with neither a message nor names on its stack is only known by
 * addresses, which differ between nights and builds of the tool.  Then the case
 * of each bucket is run under its own command now, and these failures are
 * compared.  In this way, the reduced case of a bucket from an earlier night
 * takes part, even if the bucket has no member tonight.
 *
 * If a repository was bisected, buckets with different first bad commits are
 * different bugs.  A commit may introduce several bugs, so buckets with the
 * same commit are merged if their failures are alike, or if the case of one
 * fails under the command of the other as the other does.
 *
 * Most pairs have nothing in common and are not tried.  Only pairs with the
 * same command, message or function are; other pairs only if there are few of
 * them. */

enum { MOST_PAIRS = 2000, MOST_UNLIKELY = 100 };

struct pair {
  size_t a, b; /* indices of buckets */
  bool same, same_commit;
};

/* The case by which a bucket is compared. */
struct side {
  char *file; /* heap; NULL: none */
  json_t *command;
  bool inactive; /* it has no members tonight, or is ignored */
  bool nameless; /* its failure has neither a message nor names */
  struct cul_signature
      *own; /* the failure of its case under its command, now; or NULL */
};

struct confirming {
  struct cul_work *w;
  struct cul_triage *t;
  struct side *sides; /* index: bucket */
  size_t *owners;     /* buckets whose case is run under its own command */
  size_t n_owners;
  struct pair *pairs;
  size_t n;
};

/* Compare the first bad commits: 1: equal; -1: different; 0: one is unknown. */
static int same_culprit(const struct cul_bucket *a,
                        const struct cul_bucket *b) {
  const char *x = bucket_culprit(a), *y = bucket_culprit(b);
  return !x || !y ? 0 : !strcmp(x, y) ? 1 : -1;
}

static const struct cul_signature *sig_of(const struct cul_triage *t,
                                          const struct cul_bucket *bucket) {
  return &t->kinds[bucket->kind]->sig;
}

/* ---- the case of a bucket ---- */

static off_t confirm_size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? st.st_size : -1;
}

static void take_smallest(const struct cul_triage *t,
                          const struct cul_bucket *bucket, struct side *side) {
  off_t least = 0;
  for (size_t i = 0; i < bucket->n_members; i++) {
    const struct cul_member *member = &t->members[bucket->members[i]];
    off_t size = member->module && member->command
                     ? confirm_size_of(member->module)
                     : -1;
    if (size < 0 || (side->file && size >= least))
      continue;
    free(side->file);
    side->file = cul_xstrdup(member->module);
    side->command = member->command;
    least = size;
  }
}

static int fill_side(struct confirming *c, size_t i, struct cul_err *err) {
  struct cul_bucket *bucket = &c->t->buckets[i];
  struct side *side = &c->sides[i];
  int rc = work_keep_reduced(c->w, bucket, err);
  side->inactive = bucket->ignored || !bucket->n_members;
  side->nameless = !sig_of(c->t, bucket)->text[0] &&
                   cul_key_frames(sig_of(c->t, bucket), NULL) == 0;
  side->file = cul_json_word_take(json_object_get(bucket->reduced, "file"));
  side->command = json_object_get(bucket->reduced, "command");
  if (side->file && (!side->command || confirm_size_of(side->file) < 0)) {
    free(side->file);
    side->file = NULL;
  }
  if (!side->file && !side->inactive)
    take_smallest(c->t, bucket, side);
  return rc;
}

/* Must this pair be compared?  Running both cases under equal commands shows
 * nothing new, unless a failure is only known by addresses. */
static bool comparable(const struct confirming *c, size_t a, size_t b) {
  const struct side *x = &c->sides[a], *y = &c->sides[b];
  const struct cul_triage *t = c->t;
  int blamed = same_culprit(&t->buckets[a], &t->buckets[b]);
  if (!x->file || !y->file || blamed < 0 || (x->inactive && y->inactive))
    return false;
  return blamed > 0 || !json_equal(x->command, y->command) ||
         ((x->nameless || y->nameless) &&
          sig_of(t, &t->buckets[a])->kind == sig_of(t, &t->buckets[b])->kind);
}

/* ---- likely pairs ---- */

static bool same_function(const struct cul_signature *a,
                          const struct cul_signature *b) {
  const struct cul_frame *x[CUL_KEY_FRAMES], *y[CUL_KEY_FRAMES];
  return cul_key_frames(a, x) && cul_key_frames(b, y) &&
         !strcmp(x[0]->name, y[0]->name);
}

/* Have both the same message, or do they fail in the same function? */
static bool look_alike(const struct cul_triage *t, size_t a, size_t b) {
  const struct cul_signature *x = sig_of(t, &t->buckets[a]);
  const struct cul_signature *y = sig_of(t, &t->buckets[b]);
  return (x->text[0] && !strcmp(x->text, y->text)) || same_function(x, y);
}

static bool is_other_version(const json_t *asked, const json_t *command) {
  return command && commands_same(asked, command) &&
         !json_equal(asked, command);
}

/* A command of bucket b that is the command of a's case for another version of
 * the tool; NULL: none. */
static json_t *other_version(const struct confirming *c, size_t a, size_t b) {
  const struct cul_bucket *bucket = &c->t->buckets[b];
  const json_t *asked = c->sides[a].command;
  for (size_t i = 0; i < bucket->n_members; i++) {
    json_t *command = c->t->members[bucket->members[i]].command;
    if (is_other_version(asked, command))
      return command;
  }
  return is_other_version(asked, c->sides[b].command) ? c->sides[b].command
                                                      : NULL;
}

static bool likely(const struct confirming *c, size_t i, size_t k) {
  return same_culprit(&c->t->buckets[i], &c->t->buckets[k]) > 0 ||
         json_equal(c->sides[i].command, c->sides[k].command) ||
         other_version(c, i, k) || other_version(c, k, i) ||
         look_alike(c->t, i, k);
}

/* Add at most `most` of the likely (wanted) pairs.  Of the unlikely pairs, add
 * all or, if they are more than `most`, none; both buckets must have members
 * tonight. */
static void add_pairs(struct confirming *c, bool wanted, size_t most) {
  size_t before = c->n;
  const struct cul_triage *t = c->t;
  for (size_t i = 0; i < t->n_buckets; i++)
    for (size_t k = i + 1; k < t->n_buckets; k++) {
      if (!comparable(c, i, k) || likely(c, i, k) != wanted ||
          (!wanted && (c->sides[i].inactive || c->sides[k].inactive)))
        continue;
      if ((c->n & (c->n - 1)) == 0)
        c->pairs =
            cul_xreallocarray(c->pairs, c->n ? 2 * c->n : 1, sizeof *c->pairs);
      c->pairs[c->n++] = (struct pair){
          i, k, false, same_culprit(&t->buckets[i], &t->buckets[k]) > 0};
    }
  if (c->n - before > most)
    c->n = wanted ? before + most : before;
}

/* ---- running ---- */

/* Run file under the command.  *fails: it fails in every run, with a message or
 * a stack: a failure without both would equal any other. */
static int run_case(const struct confirming *c, const char *file,
                    json_t *command, struct cul_shown *shown, bool *fails,
                    struct cul_err *err) {
  const struct cul_member as = {.command = command};
  int rc = cul_triage_show(c->t, file, &as, 0, shown, err);
  *fails = rc == 0 && shown->answer == CUL_SAME &&
           shown->rate.fails == shown->rate.runs &&
           (shown->sig.text[0] || shown->sig.n_frames);
  return rc;
}

static bool fails_as(const struct confirming *c,
                     const struct cul_signature *sig, size_t b) {
  const struct cul_bucket *bucket = &c->t->buckets[b];
  const struct cul_signature *own = c->sides[b].own;
  return bucket_shows(c->t, bucket, sig) ||
         (own && cul_signature_same_across(own, sig, NULL, 0)) ||
         (!bucket->n_members &&
          cul_signature_same_across(sig_of(c->t, bucket), sig, NULL, 0));
}

/* Does the case of a fail under the command as b does? */
static int runs_as(const struct confirming *c, size_t a, json_t *command,
                   size_t b, bool *same, struct cul_err *err) {
  struct cul_shown shown;
  int rc = run_case(c, c->sides[a].file, command, &shown, same, err);
  *same = *same && fails_as(c, &shown.sig, b);
  cul_shown_release(&shown);
  return rc;
}

/* Compare in both directions, of which one suffices: the commands differ only
 * in the version of the tool, or one commit introduced both.  there, back: the
 * commands for the cases of a and b, or NULL. */
static int compare_one_way(const struct confirming *c, size_t a, size_t b,
                           json_t *there, json_t *back, bool *same,
                           struct cul_err *err) {
  int rc = there ? runs_as(c, a, there, b, same, err) : 0;
  if (rc == 0 && !*same && back)
    rc = runs_as(c, b, back, a, same, err);
  return rc;
}

static int compare_commands(const struct confirming *c, size_t a, size_t b,
                            bool *same, struct cul_err *err) {
  int rc = runs_as(c, a, c->sides[b].command, b, same, err);
  return rc == 0 && *same ? runs_as(c, b, c->sides[a].command, a, same, err)
                          : rc;
}

/* Are the failures alike that both cases show now under their common
 * command? */
static bool own_failures_alike(const struct confirming *c, size_t a, size_t b) {
  const struct side *x = &c->sides[a], *y = &c->sides[b];
  return (x->own && fails_as(c, x->own, b)) ||
         (y->own && fails_as(c, y->own, a));
}

static int compare_pair(const struct confirming *c, const struct pair *pair,
                        bool *same, struct cul_err *err) {
  size_t a = pair->a, b = pair->b;
  json_t *there = other_version(c, a, b), *back = other_version(c, b, a);
  json_t *x = c->sides[a].command, *y = c->sides[b].command;
  *same = pair->same_commit && look_alike(c->t, a, b);
  if (*same)
    return 0;
  if (json_equal(x, y)) {
    *same = (c->sides[a].nameless || c->sides[b].nameless) &&
            own_failures_alike(c, a, b);
    return 0;
  }
  if (pair->same_commit)
    return compare_one_way(c, a, b, y, x, same, err);
  return there || back ? compare_one_way(c, a, b, there, back, same, err)
                       : compare_commands(c, a, b, same, err);
}

static json_t *compare(void *self, size_t i, struct cul_err *err) {
  const struct confirming *c = self;
  bool same;
  int rc = compare_pair(c, &c->pairs[i], &same, err);
  return rc < 0 ? NULL : json_pack("{s:b}", "same", (int)same);
}

static int take(void *self, size_t i, json_t *result, struct cul_err *err) {
  struct confirming *c = self;
  (void)err;
  c->pairs[i].same = json_is_true(json_object_get(result, "same"));
  return 0;
}

/* ---- cases under their own commands ---- */

static json_t *run_own(void *self, size_t i, struct cul_err *err) {
  const struct confirming *c = self;
  const struct side *side = &c->sides[c->owners[i]];
  struct cul_shown shown;
  bool fails;
  int rc = run_case(c, side->file, side->command, &shown, &fails, err);
  json_t *out = rc < 0  ? NULL
                : fails ? cul_signature_json(&shown.sig)
                        : json_object();
  cul_shown_release(&shown);
  return out;
}

static int take_own(void *self, size_t i, json_t *result, struct cul_err *err) {
  struct confirming *c = self;
  struct cul_signature *sig = cul_xcalloc(1, sizeof *sig);
  (void)err;
  if (cul_signature_parse(result, sig)) {
    cul_signature_seal(c->t->rules, sig);
    c->sides[c->owners[i]].own = sig;
  } else {
    free(sig);
  }
  return 0;
}

static void add_owner(struct confirming *c, size_t bucket) {
  const struct side *side = &c->sides[bucket];
  for (size_t i = 0; i < c->n_owners; i++)
    if (c->owners[i] == bucket)
      return;
  if (side->nameless || side->inactive)
    c->owners[c->n_owners++] = bucket;
}

/* Run the cases that the comparisons need. */
static int run_owners(struct confirming *c, struct cul_err *err) {
  const struct cul_process_pool pool = {.workers = c->t->conf->workers,
                                        .conf = c->t->conf,
                                        .self = c,
                                        .work = run_own,
                                        .take = take_own};
  for (size_t i = 0; i < c->n; i++) {
    add_owner(c, c->pairs[i].a);
    add_owner(c, c->pairs[i].b);
  }
  return cul_process_pool_run(&pool, c->n_owners, err);
}

static int run_pairs(struct confirming *c, struct cul_err *err) {
  const struct cul_process_pool pool = {.workers = c->t->conf->workers,
                                        .conf = c->t->conf,
                                        .self = c,
                                        .work = compare,
                                        .take = take};
  return cul_process_pool_run(&pool, c->n, err);
}

/* ---- merging ---- */

/* Heap. */
static char *why_of(const struct confirming *c, const struct pair *pair,
                    const struct cul_bucket *a, const struct cul_bucket *b) {
  long long x = (long long)a->id, y = (long long)b->id;
  if (pair->same_commit)
    return cul_xasprintf("commit %.12s introduced both B%lld and B%lld",
                         bucket_culprit(&c->t->buckets[pair->a]), x, y);
  if (json_equal(c->sides[pair->a].command, c->sides[pair->b].command))
    return cul_xasprintf("the cases of B%lld and B%lld fail alike today", x, y);
  return cul_xasprintf("the cases of B%lld and B%lld fail alike under each "
                       "other's command",
                       x, y);
}

/* The bucket into which bucket i has been merged. */
static size_t root_of(const size_t *into, size_t i) {
  while (into[i] != i)
    i = into[i];
  return i;
}

static void suggest_each_other(const struct confirming *c, struct cul_bucket *a,
                               struct cul_bucket *b) {
  cul_bucket_suggest(a, b->id);
  cul_bucket_suggest(b, a->id);
  cul_triage_tell(c->w->say,
                  "commit %.12s introduced both B%lld and B%lld, which fail in "
                  "different ways: they are not merged",
                  bucket_culprit(a), (long long)a->id, (long long)b->id);
}

/* Merge the pairs that are the same. The bucket with the lower number
 * stays. */
static int merge_all(struct confirming *c, size_t *into, size_t *n_merged,
                     struct cul_err *err) {
  struct cul_bucket *buckets = c->t->buckets;
  int rc = 0;
  for (size_t i = 0; i < c->n && rc == 0; i++) {
    size_t a = root_of(into, c->pairs[i].a), b = root_of(into, c->pairs[i].b);
    size_t keep = buckets[a].id < buckets[b].id ? a : b;
    size_t drop = keep == a ? b : a;
    char *why;
    if (!c->pairs[i].same || a == b)
      continue;
    why = why_of(c, &c->pairs[i], &buckets[keep], &buckets[drop]);
    rc = work_join(c->w, &buckets[keep], &buckets[drop], why, err);
    free(why);
    into[drop] = keep;
    (*n_merged)++;
  }
  for (size_t i = 0; i < c->n && rc == 0; i++)
    if (c->pairs[i].same_commit &&
        root_of(into, c->pairs[i].a) != root_of(into, c->pairs[i].b))
      suggest_each_other(c, &buckets[c->pairs[i].a], &buckets[c->pairs[i].b]);
  return rc;
}

static void drop_merged(struct cul_triage *t, const size_t *into) {
  size_t n = 0;
  for (size_t i = 0; i < t->n_buckets; i++)
    if (into[i] == i)
      t->buckets[n++] = t->buckets[i];
    else
      cul_bucket_release(&t->buckets[i]);
  t->n_buckets = n;
  cul_triage_order(t, 0);
}

static void release(struct confirming *c) {
  for (size_t i = 0; i < c->t->n_buckets; i++) {
    free(c->sides[i].file);
    free(c->sides[i].own);
  }
  free(c->owners);
  free(c->pairs);
  free(c->sides);
}

/* Merge the buckets that are the same bug.  Errors: EINTR, EENV. */
static int work_confirm(struct cul_work *w, size_t *n_merged,
                        struct cul_err *err) {
  struct confirming c = {.w = w, .t = w->t};
  size_t n = w->t->n_buckets, *into = cul_xcalloc(n + 1, sizeof *into);
  int rc = 0;
  *n_merged = 0;
  c.sides = cul_xcalloc(n + 1, sizeof *c.sides);
  c.owners = cul_xcalloc(n + 1, sizeof *c.owners);
  for (size_t i = 0; i < n && rc == 0; i++) {
    into[i] = i;
    rc = fill_side(&c, i, err);
  }
  if (rc == 0) {
    add_pairs(&c, true, MOST_PAIRS);
    add_pairs(&c, false, MOST_UNLIKELY);
    rc = run_owners(&c, err);
  }
  if (rc == 0)
    rc = run_pairs(&c, err);
  if (rc == 0)
    rc = merge_all(&c, into, n_merged, err);
  release(&c);
  if (*n_merged)
    drop_merged(w->t, into);
  free(into);
  return rc;
}
