/* What a triage leaves behind: one file each, one line in list.h. */
#ifndef CUL_TRIAGE_REPORT_REPORT_H
#define CUL_TRIAGE_REPORT_REPORT_H

#include "../triage.h"

struct cul_triage_report {
  const char *name;
  const char *file; /* in the directory of reports */
  void (*write)(const struct cul_triage *t, struct cul_buf *out);
};

/* The table, from list.h; ends with NULL. */
extern const struct cul_triage_report *const cul_triage_reports[];

/* Write all of them into conf->output, made where it is missing; nothing where
 * there is none.  Errors: EENV. */
CUL_MUST_CHECK int cul_triage_write(const struct cul_triage *t,
                                    struct cul_err *err);

/* The result in a few lines, for the terminal. */
void cul_triage_summary(const struct cul_triage *t, struct cul_buf *out);

/* How many buckets are in that state; ignored ones do not count. */
size_t cul_triage_count(const struct cul_triage *t,
                        enum cul_bucket_state state);
/* "B12" into out[24]; returns out. */
char *cul_bucket_label(const struct cul_bucket *bucket, char *out);
/* The key that a bucket is known by, as text into out[CUL_KEY_TEXT]. */
char *cul_bucket_key(const struct cul_triage *t,
                     const struct cul_bucket *bucket, char *out);
/* A member's log, with the test's name where there is one; caller frees. */
char *cul_member_label(const struct cul_member *member);

#endif
