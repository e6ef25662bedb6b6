/* The live runner: see live.h. */
#include "live.h"

#include <errno.h>

#include "process.h"

static pid_t launch(const struct cul_artefact *artefact,
                    const struct cul_supervision *s) {
  return cul_live_send(artefact->live_fd, s, false);
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
    .summary = "let the process that holds the candidate in memory run it; "
               "without one, start the command",
    .start = start,
    .fds = cul_process_fds,
    .advance = cul_process_advance,
    .cancel = cul_process_cancel,
    .hang_up = cul_process_hang_up,
    .live = true,
};
