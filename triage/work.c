/* Buckets worked on, worst first: see work.h. */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/file.h"
#include "../reducer/reduce.h"
#include "report.h"

enum { MOST_TRIED = 3 /* members of a bucket that are tried in turn */ };

/* One step, over all members or buckets; a worker has a copy of its own. */
struct work {
  struct cul_triage *t;
  struct cul_state *state;
  const struct cul_triage_say *say;
  size_t *items; /* by job: index of a member or bucket */
  size_t n;
  json_t *said; /* in a worker: its lines, for later */
};

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

static void say(const struct work *w, const struct cul_bucket *bucket,
                const char *fmt, ...) CUL_PRINTF(3, 4);
static void say(const struct work *w, const struct cul_bucket *bucket,
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

static int run_step(struct work *w, step_work *work, step_take *take,
                    struct cul_err *err) {
  const struct cul_crew crew = {.workers = w->t->conf->workers,
                                .interrupted = w->t->conf->interrupted,
                                .self = w,
                                .work = work,
                                .take = take};
  return cul_crew_run(&crew, w->n, err);
}

/* ---- check ---- */

static int check_member(const struct cul_triage *t, struct cul_member *member,
                        struct cul_err *err) {
  if (member->checked || !member->module || !member->command)
    return 0;
  return cul_triage_try(t, member->module, member, &t->buckets[member->bucket],
                        &member->checked, &member->check_note, err);
}

static json_t *check_one(void *self, size_t i, struct cul_err *err) {
  struct work *w = self;
  struct cul_member *member = &w->t->members[w->items[i]];
  json_t *out;
  if (check_member(w->t, member, err) < 0)
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
  struct work *w = self;
  (void)err;
  take_check(&w->t->members[w->items[i]], result);
  return 0;
}

static void say_checked(const struct work *w, const struct cul_bucket *bucket) {
  size_t n[CUL_CHECK_BROKEN + 1] = {0};
  for (size_t i = 0; i < bucket->n_members; i++)
    n[w->t->members[bucket->members[i]].checked]++;
  if (n[CUL_CHECK_NONE] < bucket->n_members)
    say(w, bucket,
        "run again: %zu fail the same, %zu at times, %zu otherwise, %zu pass, "
        "%zu cannot be run, %zu have no command",
        n[CUL_CHECK_SAME], n[CUL_CHECK_FLAKY], n[CUL_CHECK_OTHER],
        n[CUL_CHECK_PASSES], n[CUL_CHECK_BROKEN], n[CUL_CHECK_NONE]);
}

static int check_all(struct work *w, struct cul_err *err) {
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

static off_t size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? st.st_size : 0;
}

/* The smallest member not tried yet that fails the same each time. */
static int choose(struct work *w, struct cul_bucket *bucket,
                  const struct cul_member **tried, size_t n_tried,
                  struct cul_member **out, struct cul_err *err) {
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
    rc = check_member(w->t, best, err);
    if (rc < 0)
      return rc;
    if (best->checked == CUL_CHECK_SAME) {
      *out = best;
      return 0;
    }
  }
}

static char *output_of(const struct work *w, const struct cul_bucket *bucket,
                       const struct cul_member *member) {
  const char *dot = strrchr(cul_basename(member->module), '.');
  char label[24];
  return cul_xasprintf("%s/%s%s", w->t->conf->output,
                       cul_bucket_label(bucket, label), dot ? dot : "");
}

static json_t *result_of(const struct cul_reduce *job,
                         const struct cul_member *member, const char *output) {
  const json_t *report = job->report;
  json_t *out = json_object();
  json_t *text = json_stringn(cul_buf_str(&job->text), job->text.len);
  json_object_set_new(out, "text",
                      text ? text : json_string("(not UTF-8: see the file)"));
  json_object_set_new(out, "file", cul_json_text(output));
  json_object_set_new(out, "module", cul_json_text(member->module));
  json_object_set(out, "command", member->command);
  json_object_set(out, "result", json_object_get(report, "result"));
  json_object_set(out, "initial", json_object_get(report, "initial"));
  json_object_set(out, "final", json_object_get(report, "final"));
  json_object_set(out, "runs", json_object_get(report, "runs"));
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

/* EBUDGET leaves a result, too. */
static void take_result(struct work *w, struct cul_bucket *bucket,
                        const struct cul_reduce *job,
                        const struct cul_member *member, int rc) {
  if (!job->report)
    return;
  json_decref(bucket->reduced);
  bucket->reduced = result_of(job, member, job->conf->output);
  json_object_set_new(bucket->reduced, "budget", budget_of(w->t->conf));
  say(w, bucket, "reduced %s: %lld to %lld, %lld runs%s", member->module,
      count_at(bucket->reduced, "initial", "ops"),
      count_at(bucket->reduced, "final", "ops"),
      count_at(bucket->reduced, "runs", "executed"),
      rc == CUL_EBUDGET ? " (budget spent)" : "");
}

static int reduce_member(struct work *w, struct cul_bucket *bucket,
                         const struct cul_member *member, double seconds,
                         struct cul_err *err) {
  const char **argv = cul_member_argv(member);
  char *output = output_of(w, bucket, member);
  struct cul_reduce_conf conf = {
      .target = cul_triage_target(w->t, member->module, argv),
      .output = output,
      .max_runs = w->t->conf->max_runs,
      .max_time_s = seconds};
  struct cul_err own = {0};
  struct cul_reduce job;
  int rc = cul_reduce_run(&job, &conf, NULL, &own);
  if (rc == 0 || rc == CUL_EBUDGET) {
    take_result(w, bucket, &job, member, rc);
    rc = 0;
  } else if (rc == CUL_EINTR || rc == CUL_EINTERNAL) {
    *err = own;
  } else {
    say(w, bucket, "%s cannot be reduced: %s", member->module, own.what);
    rc = 0;
  }
  cul_reduce_release(&job);
  free(output);
  free(argv);
  return rc;
}

/* 0 = no limit. */
static bool as_much(const json_t *had, const char *key, double wanted) {
  double n = json_number_value(json_object_get(had, key));
  return n == 0 || (wanted > 0 && n >= wanted);
}

/* What an earlier run found stands: it was finished, or had as much to spend.
 */
static bool is_reduced(const struct cul_triage *t,
                       const struct cul_bucket *bucket) {
  const json_t *had = json_object_get(bucket->reduced, "budget");
  const char *result =
      json_string_value(json_object_get(bucket->reduced, "result"));
  if (!result || !strcmp(result, "done") || !had)
    return result && !strcmp(result, "done");
  return as_much(had, "seconds", t->conf->budget_s) &&
         as_much(had, "runs", (double)t->conf->max_runs);
}

/* The result of an earlier run, as a file of this report. */
static int keep_reduced(struct work *w, struct cul_bucket *bucket,
                        struct cul_err *err) {
  const char *text =
      json_string_value(json_object_get(bucket->reduced, "text"));
  const char *module =
      json_string_value(json_object_get(bucket->reduced, "module"));
  struct cul_member member = {.module = (char *)(uintptr_t)module};
  char *path = text && module ? output_of(w, bucket, &member) : NULL;
  int rc = path ? cul_file_write(path, text, strlen(text), 0666, err) : 0;
  if (path)
    json_object_set_new(bucket->reduced, "file", cul_json_text(path));
  free(path);
  return rc;
}

/* Until one of the members can be reduced, or the budget is spent. */
static int reduce_bucket(struct work *w, struct cul_bucket *bucket,
                         struct cul_err *err) {
  const struct cul_member *tried[MOST_TRIED];
  uint64_t start = cul_now_us();
  double budget = w->t->conf->budget_s;
  int rc = 0;
  for (size_t n = 0; n < MOST_TRIED && !bucket->reduced && rc == 0; n++) {
    double spent = (double)(cul_now_us() - start) / 1e6;
    struct cul_member *member;
    if (budget > 0 && spent >= budget)
      return 0;
    rc = choose(w, bucket, tried, n, &member, err);
    if (rc < 0 || !member)
      return rc;
    tried[n] = member;
    rc = reduce_member(w, bucket, member, budget > 0 ? budget - spent : 0, err);
  }
  return rc;
}

/* What a worker found out about a bucket. */
static json_t *found_of(const struct work *w, const struct cul_bucket *bucket) {
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
  struct work *w = self;
  struct cul_bucket *bucket = &w->t->buckets[w->items[i]];
  json_t *reduced = json_object_get(result, "reduced"), *item;
  size_t k;
  json_array_foreach(json_object_get(result, "checks"), k, item) {
    size_t member = (size_t)json_integer_value(json_object_get(item, "member"));
    take_check(&w->t->members[member], item);
  }
  json_array_foreach(json_object_get(result, "said"), k, item)
      say(w, bucket, "%s", json_string_value(item));
  if (!reduced)
    return 0;
  json_decref(bucket->reduced);
  bucket->reduced = json_incref(reduced);
  return cul_state_save_reduced(w->state, bucket, err);
}

static json_t *reduce_one(void *self, size_t i, struct cul_err *err) {
  struct work *w = self;
  struct cul_bucket *bucket = &w->t->buckets[w->items[i]];
  w->said = json_array();
  json_decref(bucket->reduced); /* of an earlier run, whose budget was spent */
  bucket->reduced = NULL;
  return reduce_bucket(w, bucket, err) < 0 ? NULL : found_of(w, bucket);
}

static int reduce_all(struct work *w, struct cul_err *err) {
  int rc = cul_mkdirs(w->t->conf->output, err);
  w->n = 0;
  for (size_t i = 0; i < w->t->n_buckets && rc == 0; i++) {
    struct cul_bucket *bucket = &w->t->buckets[i];
    if (!is_worked_on(bucket))
      continue;
    if (is_reduced(w->t, bucket))
      rc = keep_reduced(w, bucket, err);
    else
      w->items[w->n++] = i;
  }
  return rc ? rc : run_step(w, reduce_one, take_found, err);
}

static void list_reduced(struct work *w) {
  w->n = 0;
  for (size_t i = 0; i < w->t->n_buckets; i++)
    if (is_worked_on(&w->t->buckets[i]) &&
        json_object_get(w->t->buckets[i].reduced, "file"))
      w->items[w->n++] = i;
}

/* ---- bisect ---- */

static json_t *blame_one(void *self, size_t i, struct cul_err *err) {
  struct work *w = self;
  struct cul_bucket *bucket = &w->t->buckets[w->items[i]];
  const json_t *found;
  char *note = NULL;
  w->said = json_array();
  if (cul_triage_blame(w->t, bucket, &note, err) < 0)
    return NULL;
  found = json_object_get(bucket->reduced, "bisect");
  if (note)
    say(w, bucket, "not bisected to the end: %s", note);
  if (cul_bucket_culprit(bucket))
    say(w, bucket, "first bad commit: %.12s %s", cul_bucket_culprit(bucket),
        json_string_value(json_object_get(found, "title")));
  else if (found && !note)
    say(w, bucket, "the first bad commit is one of %zu",
        json_array_size(json_object_get(found, "suspects")));
  free(note);
  return found_of(w, bucket);
}

/* One after the other: they share the builds. */
static int blame_all(struct work *w, struct cul_err *err) {
  struct cul_crew crew = {.workers = 1,
                          .interrupted = w->t->conf->interrupted,
                          .self = w,
                          .work = blame_one,
                          .take = take_found};
  list_reduced(w);
  return cul_crew_run(&crew, w->n, err);
}

/* ---- confirm ---- */

/* Another command than the one that the case was reduced under? */
static bool other_command(const struct cul_bucket *bucket,
                          const struct cul_member *member) {
  return member->command &&
         !json_equal(member->command,
                     json_object_get(bucket->reduced, "command"));
}

/* Does the reduced case fail the same under the commands of the others? */
static int confirm_members(struct work *w, struct cul_bucket *bucket,
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
    rc = cul_triage_try(w->t, file, member, bucket, &found, &note, err);
    same += found == CUL_CHECK_SAME || found == CUL_CHECK_FLAKY;
    other += found == CUL_CHECK_OTHER || found == CUL_CHECK_PASSES;
    free(note);
  }
  json_object_set_new(bucket->reduced, "confirmed",
                      json_pack("{s:I, s:I}", "same", (json_int_t)same, "other",
                                (json_int_t)other));
  if (rc == 0 && same + other)
    say(w, bucket,
        "the reduced case under the commands of the others: %zu fail the "
        "same, %zu do not",
        same, other);
  json_decref(seen);
  return rc;
}

static json_t *confirm_one(void *self, size_t i, struct cul_err *err) {
  struct work *w = self;
  struct cul_bucket *bucket = &w->t->buckets[w->items[i]];
  const char *file =
      json_string_value(json_object_get(bucket->reduced, "file"));
  w->said = json_array();
  return confirm_members(w, bucket, file, err) < 0 ? NULL : found_of(w, bucket);
}

static int confirm_all(struct work *w, struct cul_err *err) {
  size_t n = 0;
  int rc;
  list_reduced(w);
  rc = run_step(w, confirm_one, take_found, err);
  if (rc == 0)
    rc = cul_triage_confirm(w->t, w->state, &n, err);
  if (n)
    cul_triage_tell(w->say,
                    "%zu bucket%s merged: their cases fail alike under each "
                    "other's commands, or one commit brought them",
                    n, n == 1 ? " was" : "s were");
  return rc;
}

int cul_triage_work(struct cul_triage *t, struct cul_state *state,
                    const struct cul_triage_say *report, struct cul_err *err) {
  const struct cul_triage_conf *conf = t->conf;
  struct work w = {t, state, report, NULL, 0, NULL};
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
