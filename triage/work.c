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

struct work {
  struct cul_triage *t;
  struct cul_state *state;
  const struct cul_triage_say *say;
};

static void say(const struct work *w, const struct cul_bucket *bucket,
                const char *fmt, ...) CUL_PRINTF(3, 4);
static void say(const struct work *w, const struct cul_bucket *bucket,
                const char *fmt, ...) {
  char label[24], text[400];
  va_list args;
  char *line;
  if (!w->say || !w->say->fn)
    return;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  line = cul_xasprintf("%s: %s", cul_bucket_label(bucket, label), text);
  w->say->fn(w->say->self, line);
  free(line);
}

static int check_members(struct work *w, struct cul_bucket *bucket,
                         struct cul_err *err) {
  size_t n[CUL_CHECK_BROKEN + 1] = {0};
  int rc = 0;
  for (size_t i = 0; i < bucket->n_members && rc == 0; i++) {
    struct cul_member *member = &w->t->members[bucket->members[i]];
    rc = cul_triage_check(w->t, member, err);
    n[member->checked]++;
  }
  if (rc == 0 && n[CUL_CHECK_NONE] < bucket->n_members)
    say(w, bucket,
        "run again: %zu fail the same, %zu at times, %zu otherwise, %zu pass, "
        "%zu cannot be run, %zu have no command",
        n[CUL_CHECK_SAME], n[CUL_CHECK_FLAKY], n[CUL_CHECK_OTHER],
        n[CUL_CHECK_PASSES], n[CUL_CHECK_BROKEN], n[CUL_CHECK_NONE]);
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
    rc = cul_triage_check(w->t, best, err);
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

static long long count_at(const json_t *object, const char *outer,
                          const char *inner) {
  return (long long)json_integer_value(
      json_object_get(json_object_get(object, outer), inner));
}

/* EBUDGET and INTR leave a result, too; the rest says why there is none. */
static int take_result(struct work *w, struct cul_bucket *bucket,
                       const struct cul_reduce *job,
                       const struct cul_member *member, int rc,
                       struct cul_err *err) {
  if (!job->report || rc == CUL_EINTR)
    return rc;
  json_decref(bucket->reduced);
  bucket->reduced = result_of(job, member, job->conf->output);
  say(w, bucket, "reduced %s: %lld to %lld, %lld runs%s", member->module,
      count_at(bucket->reduced, "initial", "ops"),
      count_at(bucket->reduced, "final", "ops"),
      count_at(bucket->reduced, "runs", "executed"),
      rc == CUL_EBUDGET ? " (budget spent)" : "");
  return cul_state_save_reduced(w->state, bucket, err);
}

static int reduce_member(struct work *w, struct cul_bucket *bucket,
                         const struct cul_member *member, struct cul_err *err) {
  const char **argv = cul_member_argv(member);
  char *output = output_of(w, bucket, member);
  struct cul_reduce_conf conf = {
      .target = cul_triage_target(w->t, member->module, argv),
      .output = output,
      .max_runs = w->t->conf->max_runs,
      .max_time_s = w->t->conf->budget_s};
  struct cul_err own = {0};
  struct cul_reduce job;
  int rc = cul_reduce_run(&job, &conf, NULL, &own);
  if (rc == 0 || rc == CUL_EBUDGET) {
    rc = take_result(w, bucket, &job, member, rc, err);
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

/* What an earlier run found stands while its file is there. */
static bool is_reduced(const struct cul_bucket *bucket) {
  const json_t *result = json_object_get(bucket->reduced, "result");
  return json_is_string(result) && !strcmp(json_string_value(result), "done");
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

static int reduce_bucket(struct work *w, struct cul_bucket *bucket,
                         struct cul_err *err) {
  const struct cul_member *tried[MOST_TRIED];
  int rc = 0;
  if (is_reduced(bucket))
    return keep_reduced(w, bucket, err);
  for (size_t n = 0; n < MOST_TRIED && !bucket->reduced && rc == 0; n++) {
    struct cul_member *member;
    rc = choose(w, bucket, tried, n, &member, err);
    if (rc < 0 || !member)
      return rc;
    tried[n] = member;
    rc = reduce_member(w, bucket, member, err);
  }
  return rc;
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

static int confirm_bucket(struct work *w, struct cul_bucket *bucket,
                          struct cul_err *err) {
  const char *file =
      json_string_value(json_object_get(bucket->reduced, "file"));
  int rc = file ? confirm_members(w, bucket, file, err) : 0;
  return rc == 0 && file ? cul_state_save_reduced(w->state, bucket, err) : rc;
}

static int confirm_all(struct work *w, struct cul_err *err) {
  size_t n = 0;
  int rc = cul_triage_confirm(w->t, w->state, &n, err);
  if (n && w->say && w->say->fn) {
    char *line = cul_xasprintf("%zu bucket%s merged: the reduced cases fail "
                               "under each other's commands",
                               n, n == 1 ? " was" : "s were");
    w->say->fn(w->say->self, line);
    free(line);
  }
  return rc;
}

int cul_triage_work(struct cul_triage *t, struct cul_state *state,
                    const struct cul_triage_say *report, struct cul_err *err) {
  struct work w = {t, state, report};
  const struct cul_triage_conf *conf = t->conf;
  int rc = conf->reduce ? cul_mkdirs(conf->output, err) : 0;
  for (size_t i = 0; i < t->n_buckets && rc == 0; i++) {
    struct cul_bucket *bucket = &t->buckets[i];
    if (bucket->ignored || !bucket->n_members)
      continue;
    if (conf->check)
      rc = check_members(&w, bucket, err);
    if (rc == 0 && conf->reduce)
      rc = reduce_bucket(&w, bucket, err);
    if (rc == 0 && conf->confirm)
      rc = confirm_bucket(&w, bucket, err);
  }
  return rc == 0 && conf->confirm ? confirm_all(&w, err) : rc;
}
