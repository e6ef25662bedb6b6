/* What builds and tests are kept from: see commits_private.h.
 *
 * Builds write to their own directories from the first one on.  Tests are the
 * user's command: the runs of --bad, on which it is to fail, show where it
 * writes, and those of all other commits may write there, too. */
#include <stdlib.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../runners/identity.h"
#include "../../runners/sandbox.h"
#include "commits_private.h"

static void add_real(struct cul_paths *paths, const char *path) {
  char *real = path ? realpath(path, NULL) : NULL;
  if (real)
    cul_paths_add(paths, real);
  free(real);
}

/* Where culprit, or the user, keeps what is none of a build's own is no cache
 * of theirs. */
static struct cul_paths find_others(const struct cul_commits *job,
                                    const char *work) {
  char *own = cul_cache_dir();
  struct cul_paths others = {0};
  add_real(&others, work);
  add_real(&others, own);
  add_real(&others, job->conf->repo);
  add_real(&others, job->conf->cache_path);
  free(own);
  return others;
}

int cul_commits_open_boxes(struct cul_commits *job, const char *work,
                           struct cul_err *err) {
  struct cul_paths others = find_others(job, work);
  struct cul_buf lacks = {0};
  struct cul_sandbox *sandbox;
  int rc = cul_environment_new(&job->conf->environment, &job->building, err);
  job->work = cul_xstrdup(work);
  cul_sandbox_add_caches(cul_environment_sandbox(job->environment),
                         job->environment, &others);
  if (rc == 0) {
    sandbox = cul_environment_sandbox(job->building);
    cul_sandbox_set_up_builds(sandbox, job->building, &others);
    if (job->conf->build)
      rc = cul_sandbox_check(sandbox, err);
    cul_sandbox_describe_lacks(sandbox, &lacks);
  }
  if (rc == 0 && lacks.len)
    cul_commits_say(job, "sandbox of builds: %s", cul_buf_str(&lacks));
  cul_buf_release(&lacks);
  cul_paths_release(&others);
  return rc;
}

bool cul_commits_may_teach(const struct cul_commits *job) {
  const struct cul_sandbox *sandbox = cul_environment_sandbox(job->environment);
  return !sandbox->sealed && sandbox->mode != CUL_SANDBOX_OFF &&
         !(sandbox->without & CUL_PARTS_WRITING);
}

void cul_commits_teach(struct cul_commits *job,
                       const struct cul_record *traced) {
  cul_identity_teach(&job->command, traced, job->work);
}

void cul_commits_seal(struct cul_commits *job) {
  struct cul_sandbox *sandbox = cul_environment_sandbox(job->environment);
  struct cul_buf lacks = {0};
  sandbox->learned = sandbox->sealed = true;
  if (sandbox->without)
    cul_sandbox_describe_lacks(sandbox, &lacks);
  if (lacks.len)
    cul_commits_say(job, "sandbox of tests: %s", cul_buf_str(&lacks));
  cul_buf_release(&lacks);
}

void cul_commits_heed_refused(struct cul_commits *job, const char *what,
                              const char *commit, const char *path,
                              bool untested) {
  enum { MOST = 4 };
  struct cul_paths *told = &cul_commits_outermost(job)->refused;
  size_t n = told->n;
  bool there = access(path, F_OK) == 0;
  if (!*path || n == MOST)
    return;
  cul_paths_add(told, path);
  if (told->n > n)
    cul_commits_warn(
        job,
        "the sandbox refused the %s of %.12s a write to %s%s; %s"
        "--writable PATH lets %ss change what is there, --sandbox=off all",
        what, commit, path,
        untested ? ": it counts as one that cannot be tested" : "",
        there ? "" : "where that is a cache, make it (mkdir); ", what);
}
