/* buckets.csv: a line for every bug (RFC 4180). */
#include "../../base/visible.h"
#include "report.h"

/* A sheet would take a field that begins like a formula for one. */
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

static void write_csv(const struct cul_triage *t, struct cul_buf *out) {
  char label[24], key[CUL_KEY_TEXT];
  cul_buf_adds(out, "bucket,state,failures,kind,pass,title,key,link\r\n");
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
    cul_buf_adds(out, "\r\n");
  }
}

const struct cul_triage_report cul_triage_report_csv = {
    .name = "csv", .file = "buckets.csv", .write = write_csv};
