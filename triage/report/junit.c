/* junit.xml: a test case for every failure, named by its bug. */
#include <stdlib.h>

#include "../../base/page/markup.h"
#include "report.h"

static void add_case(const struct cul_triage *t,
                     const struct cul_bucket *bucket,
                     const struct cul_member *member, struct cul_buf *out) {
  char *label = cul_member_label(member);
  char id[24];
  cul_buf_adds(out, "  <testcase classname=\"");
  cul_html_text(cul_bucket_label(bucket, id), out);
  cul_buf_adds(out, "\" name=\"");
  cul_html_text(label, out);
  cul_buf_adds(out, "\">\n");
  if (bucket->ignored) {
    cul_buf_adds(out, "   <skipped message=\"ignored by hand\"/>\n");
  } else {
    cul_buf_adds(out, "   <failure type=\"");
    cul_html_text(cul_kind_name(t->kinds[member->kind]->sig.kind), out);
    cul_buf_adds(out, "\" message=\"");
    cul_html_text(cul_bucket_title(t, bucket), out);
    cul_buf_adds(out, "\">");
    cul_html_text(member->excerpt ? member->excerpt : member->why, out);
    cul_buf_adds(out, "</failure>\n");
  }
  cul_buf_adds(out, "  </testcase>\n");
  free(label);
}

static size_t count_ignored(const struct cul_triage *t) {
  size_t n = 0;
  for (size_t i = 0; i < t->n_buckets; i++)
    n += t->buckets[i].ignored ? t->buckets[i].n_members : 0;
  return n;
}

static void write_junit(const struct cul_triage *t, struct cul_buf *out) {
  size_t ignored = count_ignored(t);
  cul_buf_addf(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n "
               "<testsuite name=\"culprit triage\" tests=\"%zu\" "
               "failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
               t->n_members, t->n_members - ignored, ignored);
  for (size_t b = 0; b < t->n_buckets; b++)
    for (size_t i = 0; i < t->buckets[b].n_members; i++)
      add_case(t, &t->buckets[b], &t->members[t->buckets[b].members[i]], out);
  cul_buf_adds(out, " </testsuite>\n</testsuites>\n");
}

const struct cul_triage_report cul_triage_report_junit = {
    .name = "junit",
    .file = "junit.xml",
    .mark = "<testsuite name=\"culprit triage\"",
    .write = write_junit};
