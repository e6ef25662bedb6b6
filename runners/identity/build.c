/* See build.h. */
#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../process.h"

/* The arguments of launch. */
struct place {
  struct cul_artefact art; /* first */
  int log;
};

/* Launch the build.  It does not inherit the run's pipes, which are therefore
 * at their end at once. */
static pid_t launch(const struct cul_artefact *artefact,
                    const struct cul_supervision *s) {
  int log = ((const struct place *)artefact)->log, error;
  struct cul_supervision own = *s;
  pid_t pid = -1;
  own.out = fcntl(log, F_DUPFD_CLOEXEC, 3);
  own.err = own.out < 0 ? -1 : fcntl(log, F_DUPFD_CLOEXEC, 3);
  if (own.err >= 0)
    pid = cul_supervisor_fork(&own);
  error = errno;
  if (own.out >= 0)
    close(own.out);
  if (own.err >= 0)
    close(own.err);
  errno = error;
  return pid;
}

static int start(const struct cul_artefact *artefact,
                 const struct cul_request *request, const char *tmp,
                 struct cul_run **out, struct cul_err *err) {
  return cul_process_start(artefact, request, tmp, launch, out, err);
}

static const struct cul_runner runner = {
    .name = "build",
    .summary = "start a build, and have its output in a file",
    .start = start,
    .fds = cul_process_fds,
    .advance = cul_process_advance,
    .cancel = cul_process_cancel,
    .hang_up = cul_process_hang_up,
};

/* Variables are templates.  Make placeholders of paths, so that "@@" in a path
 * is not expanded. */
static const char **take_apart(const char *const *env, struct cul_subst **subst,
                               size_t *n) {
  size_t count = 0;
  const char **out;
  while (env[count])
    count++;
  out = cul_xcalloc(count + 1, sizeof *out);
  *subst = cul_xcalloc(count + 1, sizeof **subst);
  for (*n = 0; *n < count; ++*n) {
    (*subst)[*n] = (struct cul_subst){
        .key = cul_xasprintf("@{variable%zu}", *n), .value = env[*n]};
    out[*n] = (*subst)[*n].key;
  }
  return out;
}

int cul_build_run(const struct cul_build *build,
                  const struct cul_patience *patience, struct cul_record *out,
                  struct cul_err *err) {
  static const char *const argv[] = {"/bin/bash", "-c", "@{script}", NULL};
  struct cul_subst *subst;
  size_t n;
  const char **env = take_apart(build->env, &subst, &n);
  const struct cul_command cmd = {
      .argv = argv, .environment = build->environment, .env = env};
  const struct cul_request request = {.role = "build",
                                      .cmd = &cmd,
                                      .flags = CUL_RUN_SYMBOLIZE |
                                               CUL_RUN_RANDOMIZE |
                                               CUL_RUN_TRACE | CUL_RUN_ABROAD,
                                      .tmp_dev = build->tmp_dev,
                                      .tmp_ino = build->tmp_ino};
  struct place place = {.art = {.dir = build->dir, .file = "", .live_fd = -1},
                        .log = build->log};
  int rc;
  subst[n] = (struct cul_subst){"@{script}", build->script};
  place.art.subst = subst;
  place.art.n_subst = n + 1;
  rc = cul_run_wait_once(&runner, &place.art, &request, build->tmp, patience,
                         out, err);
  for (size_t i = 0; i < n; i++)
    free((void *)subst[i].key);
  free(subst);
  free(env);
  return rc;
}
