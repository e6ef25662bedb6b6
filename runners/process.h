/* Shared by the runners that start a process under a supervisor; they differ in
 * which process forks the supervisor.  Private to runners/. */
#ifndef CUL_RUNNERS_PROCESS_H
#define CUL_RUNNERS_PROCESS_H

#include <sys/types.h>

#include "runner.h"
#include "tree/supervisor.h"

/* Make a process that calls cul_supervise.  Returns the supervisor's process
 * id; 0: the supervisor is not a child of this process; -1 with errno: none was
 * made.  The caller still owns the descriptors. */
typedef pid_t cul_launch(const struct cul_artefact *artefact,
                         const struct cul_supervision *s);

/* Make a pipe whose ends are not 0, 1 or 2, which the tool will use.  0, or -1
 * with errno. */
int cul_process_pipe(int ends[2]);

/* As cul_runner.start; the functions below continue the run. */
CUL_MUST_CHECK int cul_process_start(const struct cul_artefact *artefact,
                                     const struct cul_request *request,
                                     const char *tmp, cul_launch *launch,
                                     struct cul_run **out, struct cul_err *err);

/* As those of cul_runner, for a run that cul_process_start began. */
size_t cul_process_fds(const struct cul_run *run, struct pollfd *out,
                       size_t max);
CUL_MUST_CHECK int cul_process_advance(struct cul_run *run,
                                       struct cul_record *out, bool *done,
                                       struct cul_err *err);
void cul_process_cancel(struct cul_run *run);
void cul_process_hang_up(struct cul_run *run);

extern const struct cul_runner cul_runner_process;

#endif
