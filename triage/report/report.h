/* The reports of a triage: one source file and one line in list.h each. */
#ifndef CUL_TRIAGE_REPORT_REPORT_H
#define CUL_TRIAGE_REPORT_REPORT_H

#include <jansson.h>
#include <string.h>

#include "../triage.h"

struct cul_triage_report {
  const char *name;
  const char *file; /* in the directory of reports */
  const char *mark; /* text near the beginning of each such file */
  void (*write)(const struct cul_triage *t, struct cul_buf *out);
};

/* The table, from list.h; ends with NULL. */
extern const struct cul_triage_report *const cul_triage_reports[];

/* Write all reports into conf->output, made if missing; nothing if it is NULL.
 * Errors: EENV. */
CUL_MUST_CHECK int cul_triage_write(const struct cul_triage *t,
                                    struct cul_err *err);

enum { CUL_REPORT_HEAD = 4096 }; /* its mark is in so many bytes */
static inline bool cul_triage_has_mark(const struct cul_triage_report *report,
                                       struct cul_bytes text) {
  size_t n = text.len < CUL_REPORT_HEAD ? text.len : CUL_REPORT_HEAD;
  return memmem(text.data, n, report->mark, strlen(report->mark)) != NULL;
}

/* Append the result in a few lines, for the terminal. */
void cul_triage_summary(const struct cul_triage *t, struct cul_buf *out);

/* The counts, and each bucket with its failures, as a JSON object; the caller
 * releases it. */
json_t *cul_triage_json(const struct cul_triage *t);

/* The number of buckets in that state, without ignored ones. */
size_t cul_triage_count(const struct cul_triage *t,
                        enum cul_bucket_state state);
/* Is bucket i the first of the infrastructure failures? */
static inline bool cul_begins_infrastructure(const struct cul_triage *t,
                                             size_t i) {
  return t->buckets[i].infrastructure &&
         (i == 0 || !t->buckets[i - 1].infrastructure);
}
/* Write "B12" to out[24]; returns out. */
char *cul_bucket_label(const struct cul_bucket *bucket, char *out);
/* Write the key of a bucket as text to out[CUL_KEY_TEXT]. */
char *cul_bucket_key(const struct cul_triage *t,
                     const struct cul_bucket *bucket, char *out);
/* Append the program that failed, by the command of a member or of its log; and
 * the part of it: the pass, else the source file, else the dialect.  Nothing if
 * that is not known. */
void cul_bucket_tool(const struct cul_triage *t,
                     const struct cul_bucket *bucket, struct cul_buf *out);
void cul_bucket_component(const struct cul_triage *t,
                          const struct cul_bucket *bucket, struct cul_buf *out);
/* headline.c: append a headline for a maintainer: "[Part] Assertion `x' in
 * Type::function". */
void cul_bucket_headline(const struct cul_triage *t,
                         const struct cul_bucket *bucket, struct cul_buf *out);
/* owners.c: append its owners; nothing if none is known. */
void cul_bucket_owner(const struct cul_triage *t,
                      const struct cul_bucket *bucket, struct cul_buf *out);
#define CUL_SEEN_TEXT 32
/* Write "2031-02-03T04:05:06Z" to out[CUL_SEEN_TEXT], "" for 0; returns out. */
char *cul_seen_text(int64_t seen, char *out);
/* A member's log, with the test's name if there is one; caller frees. */
char *cul_member_label(const struct cul_member *member);

#endif
