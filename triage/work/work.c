/* Buckets worked on, worst first: see work.h. */
#include "work_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../probe/json_word.h"
#include "../report/report.h"

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

void cul_work_say(const struct cul_work *w, const struct cul_bucket *bucket,
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
  if (cul_work_check(w->t, member, 0, err) < 0)
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
    cul_work_say(
        w, bucket,
        "run again: %zu fail the same, %zu at times, %zu otherwise, %zu pass, "
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

/* What a worker found out about a bucket. */
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
      cul_work_say(w, bucket, "%s", json_string_value(item));
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
  w->lesson = w->lessons[i];
  json_decref(bucket->reduced); /* of an earlier run, whose budget was spent */
  bucket->reduced = NULL;
  return cul_work_reduce(w, bucket, err) < 0 ? NULL : found_of(w, bucket);
}

/* Those that are to be reduced, in order. */
static int list_unreduced(struct cul_work *w, struct cul_err *err) {
  int rc = 0;
  w->n = 0;
  for (size_t i = 0; i < w->t->n_buckets && rc == 0; i++) {
    struct cul_bucket *bucket = &w->t->buckets[i];
    if (!is_worked_on(bucket))
      continue;
    if (cul_work_is_reduced(w->t, bucket))
      rc = cul_work_keep_reduced(w, bucket, err);
    else
      w->items[w->n++] = i;
  }
  return rc;
}

static bool follows_another(const struct cul_work *w, size_t n) {
  const struct cul_triage *t = w->t;
  for (size_t i = 0; i < n; i++)
    if (cul_bucket_siblings(t, &t->buckets[w->items[i]],
                            &t->buckets[w->items[n]]))
      return true;
  return false;
}

/* Those that can learn from one before them go to the end.  Returns how many
 * do not wait. */
static size_t put_off(struct cul_work *w) {
  const struct cul_triage *t = w->t;
  size_t *later = cul_xcalloc(w->n + 1, sizeof *later);
  size_t n_later = 0, n = 0;
  bool *waits = cul_xcalloc(w->n + 1, sizeof *waits);
  for (size_t i = 0; i < w->n; i++) {
    struct cul_lesson lesson = cul_lesson_for(t, &t->buckets[w->items[i]]);
    waits[i] = !lesson.reduced && follows_another(w, i);
    json_decref(lesson.reduced);
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

/* What can be learnt is settled before any of them begins. */
static int reduce_items(struct cul_work *w, struct cul_err *err) {
  int rc;
  w->lessons = cul_xcalloc(w->n + 1, sizeof *w->lessons);
  for (size_t i = 0; i < w->n; i++)
    w->lessons[i] = cul_lesson_for(w->t, &w->t->buckets[w->items[i]]);
  rc = run_step(w, reduce_one, take_found, err);
  for (size_t i = 0; i < w->n; i++)
    json_decref(w->lessons[i].reduced);
  free(w->lessons);
  w->lessons = NULL;
  return rc;
}

static int reduce_all(struct cul_work *w, struct cul_err *err) {
  size_t n, first;
  int rc = cul_mkdirs(w->t->conf->output, err);
  if (rc == 0)
    rc = list_unreduced(w, err);
  if (rc < 0)
    return rc;
  n = w->n;
  w->n = first = put_off(w);
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
  if (cul_triage_blame(w->t, bucket, &note, err) < 0)
    return NULL;
  found = json_object_get(bucket->reduced, "bisect");
  if (note)
    cul_work_say(w, bucket, "not bisected to the end: %s", note);
  if (cul_bucket_culprit(bucket))
    cul_work_say(w, bucket, "first bad commit: %.12s %s",
                 cul_bucket_culprit(bucket),
                 json_string_value(json_object_get(found, "title")));
  else if (found && !note)
    cul_work_say(w, bucket, "the first bad commit is one of %zu",
                 json_array_size(json_object_get(found, "suspects")));
  free(note);
  return found_of(w, bucket);
}

/* One after the other: they share the builds. */
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

/* Another command than the one that the case was reduced under? */
static bool other_command(const struct cul_bucket *bucket,
                          const struct cul_member *member) {
  return member->command &&
         !json_equal(member->command,
                     json_object_get(bucket->reduced, "command"));
}

/* Does the reduced case fail the same under the commands of the others? */
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
    rc = cul_triage_try(w->t, file, member, bucket, &found, &note, err);
    same += found == CUL_CHECK_SAME || found == CUL_CHECK_FLAKY;
    other += found == CUL_CHECK_OTHER || found == CUL_CHECK_PASSES;
    free(note);
  }
  json_object_set_new(bucket->reduced, "confirmed",
                      json_pack("{s:I, s:I}", "same", (json_int_t)same, "other",
                                (json_int_t)other));
  if (rc == 0 && same + other)
    cul_work_say(
        w, bucket,
        "the reduced case under the commands of the others: %zu fail the "
        "same, %zu do not",
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
  int rc = cul_mkdirs(w->t->conf->output, err);
  list_reduced(w);
  if (rc == 0)
    rc = run_step(w, confirm_one, take_found, err);
  if (rc == 0)
    rc = cul_work_confirm(w, &n, err);
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
