/* One member of a bucket reduced: see work_private.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/file.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/json_word.h"
#include "../../reducer/job/job.h"
#include "../../reducer/plan/recipe.h"
#include "../../reducer/reduce.h"
#include "../report/report.h"
#include "work_private.h"

enum {
  MOST_TRIED = 3,            /* members of a bucket that are tried in turn */
  SOON_US = 10 * 1000 * 1000 /* to ask the machine again after */
};

static off_t size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? st.st_size : 0;
}

/* The smallest member not tried yet that fails the same each time. */
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
    rc = cul_work_check(w->t, best, deadline_us, err);
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

static json_t *result_of(const struct cul_reduce *job,
                         const struct cul_member *member, const char *output) {
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

/* What was done to another bucket, or in an earlier run.  The same case again
 * needs none: its runs are in the store. */
static const json_t *recipe_for(const struct cul_lesson *lesson,
                                const struct cul_member *member) {
  char *module = cul_json_word_take(json_object_get(lesson->reduced, "module"));
  bool other = module && strcmp(module, member->module) != 0;
  free(module);
  return other ? json_object_get(lesson->reduced, "recipe") : NULL;
}

/* EBUDGET leaves a result, too. */
static void take_result(struct cul_work *w, struct cul_bucket *bucket,
                        const struct cul_reduce *job,
                        const struct cul_member *member, int rc) {
  char like[40] = "";
  if (!job->outcome.report)
    return;
  json_decref(bucket->reduced);
  bucket->reduced = result_of(job, member, job->conf->output);
  json_object_set_new(bucket->reduced, "budget", budget_of(w->t->conf));
  if (job->recipe.how && !strcmp(job->recipe.how, "followed"))
    snprintf(like, sizeof like, ", as B%lld was", (long long)w->lesson.id);
  cul_work_say(w, bucket, "reduced %s: %lld to %lld, %lld run%s%s%s",
               member->module, count_at(bucket->reduced, "initial", "ops"),
               count_at(bucket->reduced, "final", "ops"),
               count_at(bucket->reduced, "runs", "executed"),
               cul_s((uint64_t)count_at(bucket->reduced, "runs", "executed")),
               like, rc == CUL_EBUDGET ? " (budget spent)" : "");
}

static int reduce_member(struct cul_work *w, struct cul_bucket *bucket,
                         const struct cul_member *member, double seconds,
                         struct cul_err *err) {
  const char **argv = cul_member_argv(member);
  char *output = output_of(w, bucket, member);
  struct cul_reduce_conf conf = {
      .target = cul_triage_target(w->t, member->module, argv),
      .output = output,
      .max_runs = w->t->conf->max_runs,
      .max_time_s = seconds,
      .recipe = recipe_for(&w->lesson, member)};
  struct cul_err own = {0};
  struct cul_reduce job;
  uint64_t start_us = cul_now_us();
  int rc = cul_reduce_run(&job, &conf, NULL, &own);
  /* The machine's doing: what was run is in the store.  What the job has waited
   * for long is not had by waiting again. */
  if (rc == CUL_EENV && cul_now_us() - start_us < SOON_US) {
    cul_reduce_release(&job);
    own = (struct cul_err){0};
    rc = cul_reduce_run(&job, &conf, NULL, &own);
  }
  if (rc == 0 || rc == CUL_EBUDGET) {
    take_result(w, bucket, &job, member, rc);
    rc = 0;
  } else if (rc == CUL_EINTR || rc == CUL_EINTERNAL || rc == CUL_EENV) {
    *err = own; /* it failed just now: its command is not to blame */
  } else {
    cul_work_say(w, bucket, "%s cannot be reduced: %s", member->module,
                 own.what);
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
bool cul_work_is_reduced(const struct cul_triage *t,
                         const struct cul_bucket *bucket) {
  const json_t *had = json_object_get(bucket->reduced, "budget");
  const char *result =
      json_string_value(json_object_get(bucket->reduced, "result"));
  if (!result || !strcmp(result, "done") || !had)
    return result && !strcmp(result, "done");
  return as_much(had, "seconds", t->conf->budget_s) &&
         as_much(had, "runs", (double)t->conf->max_runs);
}

/* What is no text is only in the file that an earlier run wrote. */
static int copy_case(const char *from, const char *to, struct cul_err *err) {
  struct cul_buf data = {0};
  int rc = 0;
  if (cul_file_read_own(from, 0, &data, &(struct cul_err){0}) == 0)
    rc = cul_file_replace(to, data.data, data.len, 0666, err);
  cul_buf_release(&data);
  return rc;
}

/* file: where an earlier run wrote it. */
static int write_case(const json_t *had, const char *text, const char *file,
                      const char *path, struct cul_err *err) {
  if (!json_is_true(json_object_get(had, "binary")))
    return cul_file_replace(path, text, strlen(text), 0666, err);
  return strcmp(path, file) ? copy_case(file, path, err) : 0;
}

int cul_work_keep_reduced(const struct cul_work *w, struct cul_bucket *bucket,
                          struct cul_err *err) {
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

/* Until one of the members can be reduced, or the budget is spent. */
int cul_work_reduce(struct cul_work *w, struct cul_bucket *bucket,
                    struct cul_err *err) {
  const struct cul_member *tried[MOST_TRIED];
  double budget = w->t->conf->budget_s;
  uint64_t now = cul_now_us();
  uint64_t end_us = cul_triage_until(
      w->t->conf, budget > 0 ? now + (uint64_t)(budget * 1e6) : 0);
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
