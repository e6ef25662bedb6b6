/* Sandboxes of builds and tests: see sandboxes.h. */
#include "sandboxes.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../runners/identity/identity.h"
#include "../../runners/sandbox/sandbox.h"

static void add_real(struct cul_paths *paths, const char *path) {
  char *real = path ? realpath(path, NULL) : NULL;
  if (real)
    cul_paths_add(paths, real);
  free(real);
}

/* Directories that do not count as caches of a build, because culprit or the
 * user keeps other files there. */
static struct cul_paths find_others(const struct cul_sandboxes_conf *conf) {
  char *own = cul_cache_dir();
  struct cul_paths others = {0};
  add_real(&others, conf->work);
  add_real(&others, own);
  add_real(&others, conf->repo);
  add_real(&others, conf->cache);
  free(own);
  return others;
}

int cul_sandboxes_open(struct cul_sandboxes *sandboxes,
                       const struct cul_environment_conf *environment,
                       struct cul_err *err) {
  return cul_environment_new(environment, &sandboxes->tests, err);
}

int cul_sandboxes_set_up(struct cul_sandboxes *sandboxes,
                         const struct cul_environment_conf *environment,
                         const struct cul_sandboxes_conf *conf,
                         struct cul_err *err) {
  struct cul_paths others = find_others(conf);
  struct cul_buf lacks = {0};
  struct cul_sandbox *sandbox;
  int rc = cul_environment_new(environment, &sandboxes->builds, err);
  sandboxes->work = cul_xstrdup(conf->work);
  cul_sandbox_add_caches(cul_environment_sandbox(sandboxes->tests),
                         sandboxes->tests, &others);
  if (rc == 0) {
    sandbox = cul_environment_sandbox(sandboxes->builds);
    cul_sandbox_set_up_builds(sandbox, sandboxes->builds, &others);
    if (conf->builds)
      rc = cul_sandbox_check(sandbox, err);
    cul_sandbox_describe_lacks(sandbox, &lacks);
  }
  if (rc == 0 && lacks.len)
    cul_notices_say(sandboxes->notices, "sandbox of builds: %s",
                    cul_buf_str(&lacks));
  cul_buf_release(&lacks);
  cul_paths_release(&others);
  return rc;
}

void cul_sandboxes_release(struct cul_sandboxes *sandboxes) {
  free(sandboxes->work);
  cul_paths_release(&sandboxes->refused);
  cul_environment_free(sandboxes->builds);
  cul_environment_free(sandboxes->tests);
}

bool cul_sandboxes_may_learn(const struct cul_sandboxes *sandboxes) {
  const struct cul_sandbox *sandbox = cul_environment_sandbox(sandboxes->tests);
  return !sandbox->sealed && sandbox->mode != CUL_SANDBOX_OFF &&
         !(sandbox->without & CUL_PARTS_WRITING);
}

void cul_sandboxes_learn(const struct cul_sandboxes *sandboxes,
                         const struct cul_command *command,
                         const struct cul_record *traced) {
  cul_identity_teach(command, traced, sandboxes->work);
}

void cul_sandboxes_seal(struct cul_sandboxes *sandboxes) {
  struct cul_sandbox *sandbox = cul_environment_sandbox(sandboxes->tests);
  struct cul_buf lacks = {0};
  sandbox->learned = sandbox->sealed = true;
  if (sandbox->without)
    cul_sandbox_describe_lacks(sandbox, &lacks);
  if (lacks.len)
    cul_notices_say(sandboxes->notices, "sandbox of tests: %s",
                    cul_buf_str(&lacks));
  cul_buf_release(&lacks);
}

void cul_sandboxes_refused(struct cul_sandboxes *sandboxes, const char *what,
                           const char *commit, const char *path,
                           bool untested) {
  enum { MOST = 4 };
  struct cul_paths *told = &sandboxes->refused;
  size_t n = told->n;
  bool there = access(path, F_OK) == 0;
  if (!*path || n == MOST)
    return;
  cul_paths_add(told, path);
  if (told->n > n)
    cul_notices_warn(
        sandboxes->notices,
        "the sandbox refused the %s of %.12s a write to %s%s; %s"
        "--writable PATH lets %ss change what is there, --sandbox=off all",
        what, commit, path,
        untested ? ": it counts as one that cannot be tested" : "",
        there ? "" : "where that is a cache, make it (mkdir); ", what);
}
