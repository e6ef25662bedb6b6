/* The live runner: see live.h. */
#include "live.h"

#include <errno.h>

#include "process.h"

static pid_t launch(const struct cul_artefact *artefact,
                    const struct cul_supervision *s) {
  const int fds[] = {s->out, s->err, s->control, s->result};
  struct cul_buf body = {0};
  int rc, error;
  cul_live_pack(s->plan, &body);
  rc = cul_wire_send_fds(artefact->live_fd, CUL_LIVE_RUN, cul_buf_bytes(&body),
                         fds, CUL_ARRAY_SIZE(fds));
  error = errno;
  cul_buf_release(&body);
  errno = error;
  return rc;
}

static int start(const struct cul_artefact *artefact,
                 const struct cul_request *request, const char *tmp,
                 struct cul_run **out, struct cul_err *err) {
  if (artefact->live_fd < 0)
    return cul_runner_process.start(artefact, request, tmp, out, err);
  return cul_process_start(artefact, request, tmp, launch, out, err);
}

const struct cul_runner cul_runner_live = {
    .name = "live",
    .summary = "have the process that holds the candidate in memory run it; "
               "start the command where there is none",
    .start = start,
    .fds = cul_process_fds,
    .advance = cul_process_advance,
    .cancel = cul_process_cancel,
    .hang_up = cul_process_hang_up,
    .live = true,
};
