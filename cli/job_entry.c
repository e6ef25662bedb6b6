/* See job_entry.h. */
#include "job_entry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/files/lock.h"
#include "../probe/json_word.h"
#include "../probe/target/findings.h"

static const char space[] = "job-entry", step_space[] = "job-step";

static const char *const names[] = {
    "running", "killed", "interrupted", "stopped", "broken", "failed", "done"};

const char *cul_job_state_name(enum cul_job_state state) {
  return names[state];
}

bool cul_job_state_is_resumable(enum cul_job_state state) {
  return state >= CUL_JOB_KILLED && state <= CUL_JOB_BROKEN;
}

static enum cul_job_state state_named(const char *name) {
  for (size_t i = 0; name && i < CUL_ARRAY_SIZE(names); i++)
    if (strcmp(name, names[i]) == 0)
      return (enum cul_job_state)i;
  return CUL_JOB_FAILED;
}

static json_t *size_of(const struct cul_size *size) {
  return json_pack("{s:I, s:I}", "ops", (json_int_t)size->ops, "bytes",
                   (json_int_t)size->bytes);
}

/* The command line as it was typed; argv[0] is the command's name. */
static json_t *call_of(const struct cul_command_line *line) {
  json_t *call = json_array();
  json_array_append_new(call, json_string("culprit"));
  for (int i = 0; i < line->argc; i++)
    json_array_append_new(call, cul_json_word(line->argv[i]));
  return call;
}

/* The key of a job: the same words in the same directory for the same input. */
static struct cul_digest key_of(const struct cul_command_line *line,
                                const char *cwd, const char *input) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_field(h, cwd);
  cul_hasher_field(h, input);
  for (int i = 0; i < line->argc; i++)
    cul_hasher_field(h, line->argv[i]);
  return cul_hasher_finish(h);
}

/* The key of a step's memo: what identifies the job, and the step's number. */
static struct cul_digest step_key(const json_t *entry, size_t i) {
  static const char *const keys[] = {"call", "cwd", "input"};
  struct cul_hasher *h = cul_hasher_new();
  for (size_t k = 0; k < CUL_ARRAY_SIZE(keys); k++) {
    char *text = json_dumps(json_object_get(entry, keys[k]),
                            JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    cul_hasher_field(h, text ? text : "");
    free(text);
  }
  cul_hasher_u64(h, i);
  return cul_hasher_finish(h);
}

static void put_step(struct cul_job_entry *entry, const struct cul_reduce *job,
                     size_t i, const json_t *step) {
  struct cul_digest key = step_key(entry->json, i);
  struct cul_err ignored = {0};
  char *text = json_dumps(step, JSON_COMPACT);
  if (text)
    (void)!cul_cache_memo_put(job->target.cache, step_space, &key, text,
                              strlen(text), &ignored);
  free(text);
  json_object_set_new(entry->json, "steps", json_integer((json_int_t)i + 1));
}

/* Jobs of one second keep their order by "updated_us". */
static void set_updated(json_t *json) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  json_object_set_new(json, "updated", json_integer(now.tv_sec));
  json_object_set_new(json, "updated_us", json_integer(now.tv_nsec / 1000));
}

static int64_t updated_us(const json_t *json) {
  return json_integer_value(json_object_get(json, "updated")) * 1000000 +
         json_integer_value(json_object_get(json, "updated_us"));
}

static void put(struct cul_job_entry *entry, const struct cul_reduce *job) {
  struct cul_err ignored = {0};
  char *text;
  set_updated(entry->json);
  text = json_dumps(entry->json, JSON_COMPACT);
  if (text)
    (void)!cul_cache_memo_put(job->target.cache, space, &entry->key, text,
                              strlen(text), &ignored);
  free(text);
}

static void set_state(struct cul_job_entry *entry, enum cul_job_state state) {
  json_object_set_new(entry->json, "state",
                      json_string(cul_job_state_name(state)));
}

static void begin(struct cul_job_entry *entry, const struct cul_reduce *job) {
  const struct cul_reduce_conf *conf = job->conf;
  char *cwd = getcwd(NULL, 0), *lock;
  json_t *json = entry->json = json_object();
  lock = cul_xasprintf("%s%s%s.lock", job->output.path[0] == '/' ? "" : cwd,
                       job->output.path[0] == '/' ? "" : "/", job->output.path);
  entry->key = key_of(entry->line, cwd, conf->target.input);
  json_object_set_new(json, "call", call_of(entry->line));
  json_object_set_new(json, "cwd", cul_json_word(cwd));
  json_object_set_new(json, "input", cul_json_word(conf->target.input));
  json_object_set_new(json, "output", cul_json_word(conf->output));
  json_object_set_new(json, "lock", cul_json_word(lock));
  json_object_set_new(json, "command", cul_report_command(&job->target));
  json_object_set_new(json, "error", json_null());
  json_object_set_new(json, "began", json_integer(time(NULL)));
  json_object_set_new(json, "steps", json_integer(0));
  set_state(entry, CUL_JOB_RUNNING);
  free(lock);
  free(cwd);
}

void cul_job_entry_begin(struct cul_job_entry *entry,
                         const struct cul_reduce *job) {
  if (!entry->line || entry->json || !job->output.path)
    return;
  begin(entry, job);
  put(entry, job);
}

void cul_job_entry_step(struct cul_job_entry *entry,
                        const struct cul_reduce *job) {
  size_t n = job->log.n_steps;
  if (!entry->json)
    return;
  put_step(entry, job, n - 1, job->log.steps[n - 1].json);
  json_object_set_new(entry->json, "form",
                      json_string(cul_form_name(job->subject.form.form)));
  if (job->subject.reread.on) /* the size of the input is in its units */
    json_object_set_new(
        entry->json, "reread",
        json_pack("{s:s}", "from", cul_form_name(job->subject.reread.from)));
  json_object_set_new(entry->json, "initial", size_of(&job->initial));
  json_object_set_new(entry->json, "final",
                      size_of(&job->subject.space.best.size));
  put(entry, job);
}

static enum cul_job_state state_after(const struct cul_reduce *job, int rc) {
  const json_t *skipped = json_object_get(job->outcome.report, "skipped");
  switch (rc) {
  case 0:
    return json_array_size(skipped) ? CUL_JOB_STOPPED : CUL_JOB_DONE;
  case CUL_EINTR:
    return CUL_JOB_INTERRUPTED;
  case CUL_EBUDGET:
    return CUL_JOB_STOPPED;
  default:
    return job->outcome.report ? CUL_JOB_BROKEN : CUL_JOB_FAILED;
  }
}

void cul_job_entry_end(struct cul_job_entry *entry,
                       const struct cul_reduce *job, int rc,
                       const struct cul_err *err) {
  static const char *const taken[] = {"form", "reread", "initial", "final"};
  const json_t *report = job->outcome.report, *step;
  size_t at;
  if (!entry->line || !job->output.path || (!entry->json && !report))
    return;
  if (!entry->json)
    begin(entry, job);
  for (size_t i = 0; report && i < CUL_ARRAY_SIZE(taken); i++)
    json_object_set(entry->json, taken[i], json_object_get(report, taken[i]));
  if (job->outcome.stored) /* a stored outcome has no steps of its own */
    json_array_foreach(json_object_get(report, "steps"), at, step)
        put_step(entry, job, at, step);
  set_state(entry, state_after(job, rc));
  if (rc < 0)
    json_object_set_new(entry->json, "error", cul_report_string(err->what));
  put(entry, job);
}

void cul_job_entry_release(struct cul_job_entry *entry) {
  json_decref(entry->json);
  entry->json = NULL;
}

/* ---- listing ---- */

struct listing {
  struct cul_job_listed *jobs;
  size_t n;
};

/* The state now: a job that is recorded as running does so only while it holds
 * its lock. */
static enum cul_job_state state_now(const json_t *json) {
  enum cul_job_state state =
      state_named(json_string_value(json_object_get(json, "state")));
  char *lock = cul_json_word_take(json_object_get(json, "lock"));
  if (state == CUL_JOB_RUNNING && !(lock && cul_lock_is_held(lock)))
    state = CUL_JOB_KILLED;
  free(lock);
  return state;
}

static void take(void *self, struct cul_bytes memo) {
  struct listing *listing = self;
  json_t *json = json_loadb(memo.data, memo.len, 0, NULL);
  if (!json_is_array(json_object_get(json, "call"))) {
    json_decref(json);
    return;
  }
  listing->jobs =
      cul_xreallocarray(listing->jobs, listing->n + 1, sizeof *listing->jobs);
  listing->jobs[listing->n++] = (struct cul_job_listed){
      .json = json, .state = state_now(json), .updated_us = updated_us(json)};
}

static int compare(const void *a, const void *b) {
  const struct cul_job_listed *one = a, *other = b;
  bool first = cul_job_state_is_resumable(one->state);
  bool second = cul_job_state_is_resumable(other->state);
  if (first != second)
    return first ? -1 : 1;
  return (one->updated_us < other->updated_us) -
         (one->updated_us > other->updated_us);
}

int cul_job_entries(struct cul_cache *cache, struct cul_job_listed **out,
                    size_t *n, struct cul_err *err) {
  struct listing listing = {.jobs = NULL};
  int rc = cul_cache_memo_each(cache, space, take, &listing, err);
  if (listing.n)
    qsort(listing.jobs, listing.n, sizeof *listing.jobs, compare);
  *out = listing.jobs;
  *n = listing.n;
  return rc;
}

int cul_job_entry_steps(struct cul_cache *cache, const json_t *entry,
                        json_t **out, struct cul_err *err) {
  size_t n = (size_t)json_integer_value(json_object_get(entry, "steps"));
  int rc = 0;
  *out = json_array();
  for (size_t i = 0; i < n && rc == 0; i++) {
    struct cul_digest key = step_key(entry, i);
    struct cul_buf text = {0};
    bool found = false;
    json_t *step = NULL;
    rc = cul_cache_memo_get(cache, step_space, &key, &text, &found, err);
    if (rc == 0 && found)
      step = json_loadb(text.data, text.len, 0, NULL);
    json_array_append_new(*out, step ? step : json_null());
    cul_buf_release(&text);
  }
  return rc;
}
