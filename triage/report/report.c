/* The table of reports, their directory, and shared functions. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../base/files/file.h"

enum { MOST_LINES = 40 };

#define REPORT(name)                                                           \
  extern const struct cul_triage_report cul_triage_report_##name;
#include "../list.h"
#undef REPORT

const struct cul_triage_report *const cul_triage_reports[] = {
#define REPORT(name) &cul_triage_report_##name,
#include "../list.h"
#undef REPORT
    NULL};

static int write_one(const struct cul_triage *t,
                     const struct cul_triage_report *report,
                     struct cul_err *err) {
  struct cul_buf text = {0};
  char *path = cul_xasprintf("%s/%s", t->conf->output, report->file);
  int rc;
  report->write(t, &text);
  rc = cul_file_replace(path, cul_buf_str(&text), text.len, 0666, err);
  cul_buf_release(&text);
  free(path);
  return rc;
}

int cul_triage_write(const struct cul_triage *t, struct cul_err *err) {
  int rc = t->conf->output ? cul_mkdirs(t->conf->output, 0777, err) : 0;
  for (size_t i = 0; t->conf->output && cul_triage_reports[i] && rc == 0; i++)
    rc = write_one(t, cul_triage_reports[i], err);
  return rc;
}

size_t cul_triage_count(const struct cul_triage *t,
                        enum cul_bucket_state state) {
  size_t n = 0;
  for (size_t i = 0; i < t->n_buckets; i++)
    n += t->buckets[i].state == state && !t->buckets[i].ignored;
  return n;
}

char *cul_bucket_label(const struct cul_bucket *bucket, char *out) {
  snprintf(out, 24, "B%lld", (long long)bucket->id);
  return out;
}

char *cul_bucket_key(const struct cul_triage *t,
                     const struct cul_bucket *bucket, char *out) {
  return cul_key_text(&t->kinds[bucket->kind]->keys.level[2], out);
}

char *cul_member_label(const struct cul_member *member) {
  return member->test[0] ? cul_xasprintf("%s: %s", member->log, member->test)
                         : cul_xstrdup(member->log);
}

/* The name of a program without its path and version. */
static void add_program(const char *word, size_t len, struct cul_buf *out) {
  const char *slash = memrchr(word, '/', len);
  size_t skip = slash ? (size_t)(slash - word) + 1 : 0;
  cul_buf_add(out, word + skip, len - skip);
}

void cul_bucket_tool(const struct cul_triage *t,
                     const struct cul_bucket *bucket, struct cul_buf *out) {
  const char *input = t->kinds[bucket->kind]->sig.input;
  for (size_t i = 0; i < bucket->n_members; i++) {
    const json_t *command = t->members[bucket->members[i]].command;
    const char *word = json_string_value(json_array_get(command, 0));
    if (word && strcmp(word, "bash") != 0) {
      add_program(word, strlen(word), out);
      return;
    }
  }
  /* the input is "FUNCTION PROGRAM OPTION..."; the function may be missing */
  for (size_t len = strcspn(input, " "); input[len];
       len = strcspn(input, " ")) {
    if (input[len + 1] == '-' || !strchr(input + len + 1, ' ')) {
      add_program(input, len, out);
      return;
    }
    input += len + 1;
  }
}

void cul_bucket_component(const struct cul_triage *t,
                          const struct cul_bucket *bucket,
                          struct cul_buf *out) {
  const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
  const char *quote = sig->text[0] == '\'' ? sig->text + 1 : NULL;
  size_t dialect = quote ? strcspn(quote, ".'") : 0;
  if (sig->pass[0] && sig->pass[0] != '(')
    cul_buf_adds(out, sig->pass);
  else if (sig->file[0])
    cul_buf_add(out, sig->file, strcspn(sig->file, "."));
  else if (dialect && quote[dialect] == '.')
    cul_buf_add(out, quote, dialect);
}

char *cul_seen_text(int64_t seen, char *out) {
  time_t at = (time_t)seen;
  struct tm tm;
  out[0] = '\0';
  if (seen && gmtime_r(&at, &tm))
    strftime(out, CUL_SEEN_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return out;
}

static void add_counts(const struct cul_triage *t, struct cul_buf *out) {
  size_t ignored = 0, live = 0;
  for (size_t i = 0; i < t->n_buckets; i++) {
    ignored += t->buckets[i].ignored;
    live += t->buckets[i].n_members > 0;
  }
  cul_buf_addf(out,
               "%zu failure%s in %zu log%s: %zu bug%s (%zu new, %zu known, %zu "
               "flaky)",
               t->n_members, cul_s(t->n_members), t->n_logs, cul_s(t->n_logs),
               live, cul_s(live), cul_triage_count(t, CUL_BUCKET_NEW),
               cul_triage_count(t, CUL_BUCKET_KNOWN),
               cul_triage_count(t, CUL_BUCKET_FLAKY));
  if (cul_triage_count(t, CUL_BUCKET_RETURNED))
    cul_buf_addf(out, ", %zu returned",
                 cul_triage_count(t, CUL_BUCKET_RETURNED));
  if (cul_triage_count(t, CUL_BUCKET_GONE))
    cul_buf_addf(out, ", %zu gone", cul_triage_count(t, CUL_BUCKET_GONE));
  if (ignored)
    cul_buf_addf(out, ", %zu ignored", ignored);
  if (t->n_passed)
    cul_buf_addf(out, "; %zu passed", t->n_passed);
  if (t->n_skipped)
    cul_buf_addf(out, "; %zu file%s skipped (no log)", t->n_skipped,
                 cul_s(t->n_skipped));
  if (t->n_unrun)
    cul_buf_addf(out, "; %zu test%s not run to the end", t->n_unrun,
                 cul_s(t->n_unrun));
  cul_buf_adds(out, "\n");
}

void cul_triage_summary(const struct cul_triage *t, struct cul_buf *out) {
  char label[24];
  size_t shown = 0;
  add_counts(t, out);
  for (size_t i = 0; i < t->n_buckets && shown < MOST_LINES; i++, shown++) {
    const struct cul_bucket *bucket = &t->buckets[i];
    if (cul_begins_infrastructure(t, i))
      cul_buf_adds(out, "infrastructure:\n");
    cul_buf_addf(out, "%-5s %-7s %5zu  %s\n", cul_bucket_label(bucket, label),
                 bucket->ignored ? "ignored"
                                 : cul_bucket_state_name(bucket->state),
                 bucket->n_members, cul_bucket_title(t, bucket));
  }
  if (shown < t->n_buckets)
    cul_buf_addf(out, "... and %zu more, in the report\n",
                 t->n_buckets - shown);
  if (t->n_problems)
    cul_buf_addf(out, "%zu file%s could not be read\n", t->n_problems,
                 cul_s(t->n_problems));
}
