/* buckets.csv: a line for every bug (RFC 4180). */
#include "../../base/visible.h"
#include "report.h"

/* Append a field.  Spreadsheets would execute a field that begins like a
 * formula, so it is escaped. */
static void add_field(struct cul_buf *out, const char *text) {
  bool formula = *text == '=' || *text == '+' || *text == '-' || *text == '@' ||
                 *text == '\t' || *text == '\r';
  struct cul_buf seen = {0};
  cul_buf_adds(out, formula ? "\"'" : "\"");
  cul_visible_add((struct cul_bytes){text, strlen(text)}, &seen);
  for (const char *at = cul_buf_str(&seen); *at; at++)
    cul_buf_adds(out, *at == '"' ? "\"\"" : (char[]){*at, '\0'});
  cul_buf_addc(out, '"');
  cul_buf_release(&seen);
}

static const char *first_test(const struct cul_triage *t,
                              const struct cul_bucket *bucket) {
  for (size_t i = 0; i < bucket->n_members; i++)
    if (t->members[bucket->members[i]].test[0])
      return t->members[bucket->members[i]].test;
  return "";
}

static void add_time(struct cul_buf *out, int64_t seen) {
  char text[CUL_SEEN_TEXT];
  cul_buf_addf(out, ",%s", cul_seen_text(seen, text));
}

/* Append a field that a function computes. */
static void add_made(struct cul_buf *out, const struct cul_triage *t,
                     const struct cul_bucket *bucket,
                     void (*make)(const struct cul_triage *,
                                  const struct cul_bucket *,
                                  struct cul_buf *)) {
  struct cul_buf word = {0};
  make(t, bucket, &word);
  cul_buf_addc(out, ',');
  add_field(out, cul_buf_str(&word));
  cul_buf_release(&word);
}

static void write_csv(const struct cul_triage *t, struct cul_buf *out) {
  char label[24], key[CUL_KEY_TEXT];
  cul_buf_adds(out,
               "bucket,state,failures,kind,pass,title,key,link,tool,"
               "component,test,first seen,last seen,owner,issue title\r\n");
  for (size_t i = 0; i < t->n_buckets; i++) {
    const struct cul_bucket *bucket = &t->buckets[i];
    const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
    cul_buf_addf(out, "%s,%s,%zu,", cul_bucket_label(bucket, label),
                 bucket->ignored ? "ignored"
                                 : cul_bucket_state_name(bucket->state),
                 bucket->n_members);
    add_field(out, cul_kind_name(sig->kind));
    cul_buf_addc(out, ',');
    add_field(out, sig->pass);
    cul_buf_addc(out, ',');
    add_field(out, cul_bucket_title(t, bucket));
    cul_buf_addf(out, ",%s,", cul_bucket_key(t, bucket, key));
    add_field(out, bucket->link ? bucket->link : "");
    add_made(out, t, bucket, cul_bucket_tool);
    add_made(out, t, bucket, cul_bucket_component);
    cul_buf_addc(out, ',');
    add_field(out, first_test(t, bucket));
    add_time(out, bucket->first_seen);
    add_time(out, bucket->last_seen);
    add_made(out, t, bucket, cul_bucket_owner);
    add_made(out, t, bucket, cul_bucket_headline);
    cul_buf_adds(out, "\r\n");
  }
}

const struct cul_triage_report cul_triage_report_csv = {
    .name = "csv",
    .file = "buckets.csv",
    .mark = "bucket,state,failures,kind,pass,title,key",
    .write = write_csv};
