/* Finished jobs: running the same command again gives the stored result. */
#include <stdlib.h>
#include <string.h>

#include "../job/job.h"
#include "../job/output.h"
#include "bundle.h"
#include "finish.h"
#include "report.h"

/* A part of a job that is stored beside its report, by name. */
struct part {
  const char *space;
  struct cul_buf *buf;
};

static void list_parts(struct cul_reduce *job, struct part parts[5]) {
  parts[0] = (struct part){"job-output", &job->outcome.text};
  parts[1] = (struct part){"job-passing", &job->neighbours.nearest.text};
  parts[2] = (struct part){"job-journal", &job->log.journal};
  parts[3] = (struct part){"job-script", &job->outcome.script};
  parts[4] = (struct part){"job-reproducer", &job->outcome.reproducer};
}

/* Has the job skipped mutations?  It is not stored then: running its command
 * again must use them. */
static bool has_skipped(const struct cul_reduce *job) {
  return json_array_size(json_object_get(job->outcome.report, "skipped")) > 0;
}

int cul_reduce_store(struct cul_reduce *job, struct cul_err *err) {
  struct cul_cache *cache = job->target.cache;
  struct part parts[5];
  CUL_HEAP char *text = NULL;
  int rc = 0;
  if (!cache || cul_digest_is_zero(&job->digest) || has_skipped(job))
    return 0;
  list_parts(job, parts);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts) && rc == 0; i++)
    rc = cul_cache_memo_put(cache, parts[i].space, &job->digest,
                            parts[i].buf->data, parts[i].buf->len, err);
  text = cul_report_text(job->outcome.report);
  if (rc == 0) /* last: a job is found by its report */
    rc =
        cul_cache_memo_put(cache, "job", &job->digest, text, strlen(text), err);
  return rc;
}

static int load_parts(struct cul_reduce *job, bool *found,
                      struct cul_err *err) {
  struct part parts[5];
  int rc = 0;
  list_parts(job, parts);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts) && rc == 0 && *found; i++)
    rc = cul_cache_memo_get(job->target.cache, parts[i].space, &job->digest,
                            parts[i].buf, found, err);
  /* If one was evicted, the job begins again, and nothing is there yet. */
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts) && !*found; i++)
    cul_buf_clear(parts[i].buf);
  return rc;
}

/* Does a bundle need parts that this job, without one, did not store? */
static bool lacks_parts(const json_t *report) {
  return json_is_false(json_object_get(report, "reproducer")) ||
         json_is_true(
             json_object_get(json_object_get(report, "inputs"), "files"));
}

int cul_reduce_load(struct cul_reduce *job, bool *found, struct cul_err *err) {
  struct cul_buf text = {0};
  json_t *report = NULL;
  int rc = 0;
  *found = false;
  if (job->target.cache && !cul_digest_is_zero(&job->digest))
    rc = cul_cache_memo_get(job->target.cache, "job", &job->digest, &text,
                            found, err);
  if (rc == 0 && *found)
    report = json_loadb(text.data, text.len, 0, NULL);
  cul_buf_release(&text);
  *found = report && !(job->conf->bundle && lacks_parts(report));
  if (*found)
    rc = load_parts(job, found, err);
  if (rc == 0 && *found)
    job->outcome.report = json_incref(report);
  json_decref(report);
  if (rc < 0 || !*found)
    return rc;
  job->outcome.stored = true;
  job->outcome.result = "done";
  rc = cul_reduce_write_output(job, cul_buf_bytes(&job->outcome.text), err);
  if (rc == 0 && job->conf->bundle)
    rc = cul_bundle_write(job, err);
  return rc;
}
