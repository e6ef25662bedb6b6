/* Begins and releases a triage, and names its states. */
#include "triage.h"

#include <stdlib.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "table.h"

enum { MOST_OWNERS = 16 << 20 /* bytes of the file */ };

const char *cul_bucket_state_name(enum cul_bucket_state state) {
  switch (state) {
  case CUL_BUCKET_NEW:
    return "new";
  case CUL_BUCKET_KNOWN:
    return "known";
  case CUL_BUCKET_RETURNED:
    return "returned";
  case CUL_BUCKET_FLAKY:
    return "flaky";
  case CUL_BUCKET_GONE:
    return "gone";
  }
  return "unknown";
}

const char *cul_checked_name(enum cul_checked checked) {
  switch (checked) {
  case CUL_CHECK_NONE:
    return "not run";
  case CUL_CHECK_SAME:
    return "fails the same";
  case CUL_CHECK_OTHER:
    return "fails otherwise";
  case CUL_CHECK_PASSES:
    return "passes";
  case CUL_CHECK_FLAKY:
    return "fails at times";
  case CUL_CHECK_BROKEN:
    return "cannot be run";
  }
  return "unknown";
}

const char *cul_bucket_title(const struct cul_triage *t,
                             const struct cul_bucket *bucket) {
  return bucket->name ? bucket->name : t->kinds[bucket->kind]->sig.title;
}

int cul_triage_open(struct cul_triage *t, const struct cul_triage_conf *conf,
                    struct cul_err *err) {
  *t = (struct cul_triage){.conf = conf, .run = 1};
  t->table = cul_table_new();
  if (conf->owners && cul_file_read(conf->owners, MOST_OWNERS, &t->owners, err))
    return cul_fail_in(err, "--owners");
  return cul_rules_new(&t->rules, err);
}

static void release_member(struct cul_member *member) {
  free(member->log);
  free(member->test);
  free(member->module);
  json_decref(member->command);
  free(member->damage);
  free(member->excerpt);
  free(member->numbers);
  free(member->sample);
  free(member->why);
  free(member->check_note);
  for (size_t i = 0; i < member->n_guesses; i++) {
    free(member->guesses[i].raw);
    free(member->guesses[i].text);
  }
  free(member->guesses);
}

void cul_bucket_release(struct cul_bucket *bucket) {
  free(bucket->name);
  free(bucket->link);
  free(bucket->members);
  free(bucket->maybe);
  free(bucket->history);
  json_decref(bucket->reduced);
}

void cul_triage_release(struct cul_triage *t) {
  for (size_t i = 0; i < t->n_members; i++)
    release_member(&t->members[i]);
  for (size_t i = 0; i < t->n_buckets; i++)
    cul_bucket_release(&t->buckets[i]);
  for (size_t i = 0; i < t->n_kinds; i++)
    free(t->kinds[i]);
  for (size_t i = 0; i < t->n_problems; i++) {
    free(t->problems[i].name);
    free(t->problems[i].why);
  }
  free(t->members);
  free(t->buckets);
  free(t->kinds);
  free(t->problems);
  cul_table_free(t->table);
  cul_buf_release(&t->owners);
  cul_rules_free(t->rules);
}

int cul_triage_time_left(const struct cul_triage_conf *conf,
                         struct cul_err *err) {
  if (conf->interrupted && *conf->interrupted)
    return cul_fail(err, CUL_EINTR, "", "interrupted");
  if (conf->deadline_us && cul_now_us() >= conf->deadline_us)
    return cul_fail(err, CUL_EBUDGET,
                    "the report has the results so far; the same command with "
                    "a larger --max-time continues",
                    "--max-time reached");
  return 0;
}
