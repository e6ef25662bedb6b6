/* Finished jobs: the same command again prints the stored result. */
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "bundle.h"
#include "reduce.h"
#include "report.h"

static int put(struct cul_reduce *job, const char *space, const char *data,
               size_t len, struct cul_err *err) {
  return cul_cache_memo_put(job->target.cache, space, &job->digest, data, len,
                            err);
}

static int get(struct cul_reduce *job, const char *space, struct cul_buf *out,
               bool *found, struct cul_err *err) {
  return cul_cache_memo_get(job->target.cache, space, &job->digest, out, found,
                            err);
}

int cul_reduce_store(struct cul_reduce *job, struct cul_err *err) {
  char *text;
  int rc;
  if (!job->target.cache || cul_digest_is_zero(&job->digest))
    return 0;
  text = cul_report_text(job->report);
  rc = put(job, "job-output", job->text.data, job->text.len, err);
  if (rc == 0)
    rc = put(job, "job-passing", job->passing.data, job->passing.len, err);
  if (rc == 0)
    rc = put(job, "job-journal", job->journal.data, job->journal.len, err);
  if (rc == 0)
    rc = put(job, "job", text, strlen(text), err);
  free(text);
  return rc;
}

int cul_reduce_load(struct cul_reduce *job, bool *found, struct cul_err *err) {
  struct cul_buf text = {0};
  bool rest = false;
  int rc = 0;
  *found = false;
  if (job->target.cache && !cul_digest_is_zero(&job->digest))
    rc = get(job, "job", &text, found, err);
  if (rc == 0 && *found)
    rc = get(job, "job-output", &job->text, &rest, err);
  if (rc == 0 && rest)
    rc = get(job, "job-passing", &job->passing, &rest, err);
  if (rc == 0 && rest)
    rc = get(job, "job-journal", &job->journal, &rest, err);
  *found = rest;
  if (rc == 0 && *found)
    job->report = json_loadb(text.data, text.len, 0, NULL);
  cul_buf_release(&text);
  *found = *found && job->report;
  if (rc < 0 || !*found)
    return rc;
  job->stored = true;
  job->result = "done";
  rc = cul_file_write(job->conf->output, job->text.data, job->text.len, 0666,
                      err);
  if (rc == 0 && job->conf->bundle)
    rc = cul_bundle_write(job, err);
  return rc;
}
