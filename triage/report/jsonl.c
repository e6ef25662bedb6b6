/* buckets.jsonl: one complete failure per line; triage can read this list
 * again.  The same as one value: buckets with their failures. */
#include <stdlib.h>

#include "../../base/visible.h"
#include "../../probe/json_word.h"
#include "report.h"

static void set_text(json_t *object, const char *key, const char *text) {
  if (text && *text)
    json_object_set_new(object, key, cul_json_text(text));
}

/* Set a member to the text that a function computes. */
static void
set_made(json_t *object, const char *key, const struct cul_triage *t,
         const struct cul_bucket *bucket,
         void (*make)(const struct cul_triage *, const struct cul_bucket *,
                      struct cul_buf *)) {
  struct cul_buf word = {0};
  make(t, bucket, &word);
  set_text(object, key, cul_buf_str(&word));
  cul_buf_release(&word);
}

static void set_bucket(const struct cul_triage *t,
                       const struct cul_bucket *bucket, json_t *out) {
  char label[24], key[CUL_KEY_TEXT], seen[CUL_SEEN_TEXT];
  json_object_set_new(out, "bucket",
                      json_string(cul_bucket_label(bucket, label)));
  json_object_set_new(out, "state",
                      json_string(cul_bucket_state_name(bucket->state)));
  json_object_set_new(out, "key", json_string(cul_bucket_key(t, bucket, key)));
  set_text(out, "title", cul_bucket_title(t, bucket));
  set_text(out, "link", bucket->link);
  set_made(out, "tool", t, bucket, cul_bucket_tool);
  set_made(out, "component", t, bucket, cul_bucket_component);
  set_made(out, "owner", t, bucket, cul_bucket_owner);
  set_made(out, "issue_title", t, bucket, cul_bucket_headline);
  set_text(out, "first_seen", cul_seen_text(bucket->first_seen, seen));
  set_text(out, "last_seen", cul_seen_text(bucket->last_seen, seen));
  if (bucket->ignored)
    json_object_set_new(out, "ignored", json_true());
}

/* Add the messages after the failure, as printed. */
static void set_then(json_t *out, const struct cul_signature *sig) {
  json_t *then = json_array();
  for (size_t i = 0; i < sig->errors.n; i++)
    if (sig->errors.lines[i].place != CUL_ERROR_BEFORE)
      json_array_append_new(then, cul_json_text(sig->errors.lines[i].raw));
  if (json_array_size(then))
    json_object_set(out, "then", then);
  json_decref(then);
}

/* The buckets that may be the same bug. */
static void set_perhaps(json_t *out, const struct cul_bucket *bucket) {
  json_t *perhaps = json_array();
  for (size_t i = 0; i < bucket->n_maybe; i++)
    json_array_append_new(perhaps,
                          json_sprintf("B%lld", (long long)bucket->maybe[i]));
  if (json_array_size(perhaps))
    json_object_set(out, "perhaps", perhaps);
  json_decref(perhaps);
}

static void set_member(const struct cul_triage *t,
                       const struct cul_bucket *bucket,
                       const struct cul_member *member, json_t *out) {
  char hex[CUL_DIGEST_HEX];
  json_object_set_new(out, "log", cul_json_word(member->log));
  set_text(out, "test", member->test);
  if (member->module)
    json_object_set_new(out, "module", cul_json_word(member->module));
  if (member->command)
    json_object_set(out, "command", member->command);
  set_then(out, &t->kinds[member->kind]->sig);
  set_perhaps(out, bucket);
  set_text(out, "why", member->why);
  set_text(out, "corrupted", member->damage);
  if (member->late)
    json_object_set_new(out, "late", json_true());
  if (member->checked)
    json_object_set_new(out, "checked",
                        json_string(cul_checked_name(member->checked)));
  set_text(out, "check_note", member->check_note);
  json_object_set_new(out, "content",
                      json_string(cul_digest_hex(&member->content, hex)));
  json_object_set_new(out, "signature",
                      cul_signature_json(&t->kinds[member->kind]->sig));
  set_text(out, "excerpt", member->excerpt);
  set_text(out, "numbers", member->numbers);
}

static const struct cul_member *member_at(const struct cul_triage *t,
                                          const struct cul_bucket *bucket,
                                          size_t i) {
  return &t->members[bucket->members[i]];
}

static void write_jsonl(const struct cul_triage *t, struct cul_buf *out) {
  for (size_t b = 0; b < t->n_buckets; b++)
    for (size_t i = 0; i < t->buckets[b].n_members; i++) {
      const struct cul_bucket *bucket = &t->buckets[b];
      json_t *line = json_object();
      char *text;
      set_bucket(t, bucket, line);
      set_member(t, bucket, member_at(t, bucket, i), line);
      text = json_dumps(line, JSON_COMPACT);
      cul_visible_json(text ? text : "{}", out);
      cul_buf_addc(out, '\n');
      free(text);
      json_decref(line);
    }
}

const struct cul_triage_report cul_triage_report_jsonl = {
    .name = "jsonl",
    .file = "buckets.jsonl",
    .mark = "{\"bucket\":",
    .write = write_jsonl};

static json_t *bucket_json(const struct cul_triage *t,
                           const struct cul_bucket *bucket) {
  json_t *out = json_object(), *failures = json_array();
  set_bucket(t, bucket, out);
  json_object_set_new(out, "infrastructure",
                      json_boolean(bucket->infrastructure));
  for (size_t i = 0; i < bucket->n_members; i++) {
    json_t *failure = json_object();
    set_member(t, bucket, member_at(t, bucket, i), failure);
    json_array_append_new(failures, failure);
  }
  json_object_set_new(out, "failures", failures);
  return out;
}

json_t *cul_triage_json(const struct cul_triage *t) {
  json_t *buckets = json_array();
  for (size_t b = 0; b < t->n_buckets; b++)
    json_array_append_new(buckets, bucket_json(t, &t->buckets[b]));
  return json_pack(
      "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "culprit_version",
      CULPRIT_VERSION, "logs", (json_int_t)t->n_logs, "failures",
      (json_int_t)t->n_members, "passed", (json_int_t)t->n_passed, "skipped",
      (json_int_t)t->n_skipped, "unreadable", (json_int_t)t->n_problems,
      "not_run", (json_int_t)t->n_unrun, "buckets", buckets);
}
