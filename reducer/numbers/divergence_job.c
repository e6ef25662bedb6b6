/* The job: see divergence_job.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../probe/target/findings.h"
#include "divergence_job.h"

int cul_divergence_put(const struct cul_divergence_job *job, const char *name,
                       const struct cul_buf *text, mode_t mode,
                       struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/%s", job->conf->out, name);
  return cul_held_replace(&job->out, path, cul_buf_bytes(text), mode, err);
}

int cul_divergence_put_report(const struct cul_divergence_job *job,
                              const json_t *report, struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/report.json", job->conf->out);
  CUL_HEAP char *text = cul_report_text(report);
  return cul_held_replace(&job->out, path,
                          (struct cul_bytes){text, strlen(text)}, 0666, err);
}
