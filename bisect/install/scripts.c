/* Scripts that make installations: see scripts.h. */
#include "scripts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/beneath.h"
#include "../../base/file.h"
#include "../../runners/identity/build.h"
#include "../../runners/sandbox/sandbox.h"
#include "../build/build_log.h"

static const size_t most_said = 64 << 20;

/* pip asks nothing, and installs nowhere else. */
static const char *const settings[] = {"PIP_NO_INPUT=1",
                                       "PIP_DISABLE_PIP_VERSION_CHECK=1",
                                       "PIP_NO_COLOR=1", "PIP_USER=0"};

static int run_build(struct cul_scripts *scripts, struct cul_build *build,
                     struct cul_record *record, struct cul_err *err) {
  const char *env[CUL_ARRAY_SIZE(settings) + 2] = {NULL};
  struct cul_request tmp = {0};
  char *base = cul_xasprintf("%s/script", scripts->place.dir);
  char *inner = cul_xasprintf("%s/tmp", base);
  char *variable = cul_xasprintf("TMPDIR=%s", inner);
  int rc = cul_workplace_claim_tmp(&scripts->place.held, base, &tmp, err);
  if (rc == 0 && mkdir(inner, 0700) < 0)
    rc = cul_fail(err, CUL_EENV, "make room in $TMPDIR", "cannot make %s: %s",
                  inner, strerror(errno));
  memcpy(env, settings, sizeof settings);
  env[CUL_ARRAY_SIZE(settings)] = variable;
  build->tmp = base;
  build->tmp_dev = tmp.tmp_dev;
  build->tmp_ino = tmp.tmp_ino;
  build->env = env;
  build->environment = scripts->environment;
  if (!build->dir)
    build->dir = base;
  if (rc == 0)
    rc = cul_build_run(build, &scripts->patience, record, err);
  free(variable);
  free(inner);
  free(base);
  return rc;
}

/* What the sandbox kept it from may be why it failed. */
static void add_refused(const struct cul_record *record, struct cul_buf *said) {
  char *refused = cul_record_refused(record);
  if (refused)
    cul_buf_addf(said, "\nerror: the sandbox refused a write to %s\n", refused);
  free(refused);
}

int cul_scripts_run(struct cul_scripts *scripts, const char *dir,
                    const char *script, struct cul_buf *said, bool *ok,
                    struct cul_err *err) {
  struct cul_build build = {.script = script, .dir = dir};
  char *log = cul_xasprintf("%s/log", scripts->place.dir);
  struct cul_record record = {0};
  int rc = 0;
  *ok = false;
  build.log = cul_beneath_create(scripts->place.held.fd, "log", 0600);
  if (build.log < 0)
    rc = cul_fail(err, CUL_EENV, "make room in $TMPDIR", "cannot make %s: %s",
                  log, strerror(errno));
  if (rc == 0)
    rc = run_build(scripts, &build, &record, err);
  if (rc == 0 && record.end == CUL_MACHINE)
    rc = cul_record_fail(&record, err);
  if (rc == 0)
    rc = cul_held_read(&scripts->place.held, log, most_said, said, err);
  if (rc == 0) {
    *ok = record.end == CUL_EXITED && record.status == 0;
    if (!*ok)
      add_refused(&record, said);
  }
  if (build.log >= 0)
    close(build.log);
  cul_record_release(&record);
  free(log);
  return rc;
}

int cul_scripts_fail(const char *dir, const char *said, char **why,
                     struct cul_err *err) {
  char first[300];
  cul_first_error(said, first, sizeof first);
  if (cul_is_trouble(said))
    return cul_fail(err, CUL_EENV,
                    "make room (--envs DIR, --envs-max GIB); then run the same "
                    "command again",
                    "the machine fails while %s is made: %s", dir, first);
  *why = cul_xasprintf("cannot be installed: %s",
                       *first ? first : "nobody says why");
  return 0;
}

int cul_scripts_open(struct cul_scripts *scripts,
                     const struct cul_environment_conf *environment,
                     const char *kept, const struct cul_patience *patience,
                     struct cul_err *err) {
  struct cul_environment_conf conf = *environment;
  struct cul_paths others = {0};
  char *own = cul_cache_dir();
  int rc;
  *scripts = (struct cul_scripts){.place.keeper = -1, .patience = *patience};
  if (conf.sandbox == CUL_SANDBOX_STRICT)
    conf.sandbox = CUL_SANDBOX_AUTO;
  rc = cul_workplace_open(&scripts->place, err);
  if (rc == 0)
    rc = cul_environment_new(&conf, &scripts->environment, err);
  cul_paths_add(&others, kept);
  cul_paths_add(&others, own);
  if (rc == 0)
    cul_sandbox_set_up_builds(cul_environment_sandbox(scripts->environment),
                              scripts->environment, &others);
  cul_paths_release(&others);
  free(own);
  return rc;
}

void cul_scripts_release(struct cul_scripts *scripts) {
  cul_workplace_close(&scripts->place);
  cul_environment_free(scripts->environment);
  *scripts = (struct cul_scripts){.place.keeper = -1};
}
