/* Which commit brought a bucket: see work.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../bisect/commits/commits.h"
#include "../../probe/json_word.h"
#include "work.h"

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

/* The bucket's command on the reduced case, with what a build makes in place of
 * the program: words with their ends, in out; argv: heap. */
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
  *argv = cul_member_argv(&as);
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

struct blamed {
  const struct cul_triage *t;
  const struct cul_bucket *bucket;
};

/* Another failure of the reduced case would be followed to another commit.
 * Where the bucket is known by addresses only, a build has others. */
static bool is_sought(const void *self, const struct cul_signature *shown) {
  const struct blamed *b = self;
  const struct cul_signature *known = &b->t->kinds[b->bucket->kind]->sig;
  return cul_bucket_shows(b->t, b->bucket, shown) ||
         (known->kind == shown->kind && !known->text[0] && !shown->text[0] &&
          cul_key_nameless(known));
}

/* Of --budget and --max-time; 0: neither is given. */
static double time_left_s(const struct cul_triage_conf *conf) {
  uint64_t now = cul_now_us();
  uint64_t end_us = cul_triage_until(
      conf, conf->budget_s > 0 ? now + (uint64_t)(conf->budget_s * 1e6) : 0);
  if (!end_us)
    return 0;
  return end_us > now ? (double)(end_us - now) / 1e6 : 1e-6;
}

static int bisect(const struct cul_triage *t, const struct cul_bucket *bucket,
                  const char *const *argv, json_t **report,
                  struct cul_err *err) {
  const struct blamed blamed = {t, bucket};
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
                                 .cache_path = t->conf->cache,
                                 .environment = t->conf->environment,
                                 .no_cache = t->conf->no_cache,
                                 .interrupted = t->conf->interrupted};
  return cul_commits_run(&job, NULL, report, err);
}

int cul_triage_blame(const struct cul_triage *t, struct cul_bucket *bucket,
                     char **note, struct cul_err *err) {
  char *path = cul_json_word_take(json_object_get(bucket->reduced, "file"));
  char *file = path ? realpath(path, NULL) : NULL;
  const char **argv = NULL;
  struct cul_buf words = {0};
  struct cul_err own = {0};
  json_t *report = NULL;
  int rc = file ? test_of(t, bucket, file, &words, &argv, &own) : 0;
  if (file && rc == 0)
    rc = bisect(t, bucket, argv, &report, &own);
  *note = NULL;
  if (rc == CUL_EINTR || rc == CUL_EINTERNAL) {
    *err = own;
  } else {
    *note = rc ? cul_xstrdup(own.what) : NULL;
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

const char *cul_bucket_culprit(const struct cul_bucket *bucket) {
  return json_string_value(
      json_object_get(json_object_get(bucket->reduced, "bisect"), "culprit"));
}
