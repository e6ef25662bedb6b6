/* Environments as installations: see installs.h. */
#include "installs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../base/status.h"
#include "../../pipeline/shell_text.h"

struct making {
  struct cul_installs *installs;
  const uint32_t *at;
};

static int make(void *self, const char *dir, char **why, struct cul_err *err) {
  const struct making *making = self;
  const struct cul_installs_conf *conf = &making->installs->conf;
  return conf->way->make(conf->self, making->at, dir, why, err);
}

int cul_installs_have(struct cul_installs *installs, const uint32_t *at,
                      struct cul_venv *venv, struct cul_err *err) {
  const struct cul_installs_conf *conf = &installs->conf;
  struct making making = {installs, at};
  const struct cul_venv_maker maker = {&making, make};
  char *name = conf->way->name(conf->self, at);
  int rc = cul_venvs_enter(installs->venvs, name, &maker, venv, err);
  free(name);
  return rc;
}

/* Does the command's program come with the packages?  Where it does at the end
 * that fails, one of the same name elsewhere is another one. */
static char *lacks_program(struct cul_installs *installs, const char *dir) {
  const struct cul_target_conf *target = installs->conf.target;
  const char *name = target->argv ? target->argv[0] : NULL;
  char *path;
  bool there;
  if (!name || target->script || strchr(name, '/'))
    return NULL;
  path = cul_xasprintf("%s/%s/%s", dir, installs->conf.way->programs, name);
  there = access(path, X_OK) == 0;
  free(path);
  if (!installs->entered)
    installs->inside = there;
  installs->entered = true;
  return installs->inside && !there ? cul_xasprintf("has no program %s", name)
                                    : NULL;
}

/* One block: the list and its strings. */
static const char *const *variables_of(const struct cul_installs *installs,
                                       const char *dir) {
  const struct cul_installs_conf *conf = &installs->conf;
  char **entries = conf->way->variables(conf->self, dir), **out, *text;
  size_t n = 0, bytes = 0;
  for (; entries[n]; n++)
    bytes += strlen(entries[n]) + 1;
  out = cul_xmalloc((n + 1) * sizeof *out + bytes);
  text = (char *)(out + n + 1);
  for (size_t i = 0; i < n; i++) {
    out[i] = text;
    text = stpcpy(text, entries[i]) + 1;
    free(entries[i]);
  }
  out[n] = NULL;
  free(entries);
  return (const char *const *)out;
}

static int enter(void *self, const uint32_t *at, struct cul_installation *out,
                 struct cul_err *err) {
  struct cul_installs *installs = self;
  struct cul_installs_use use = {.at = {0}};
  int rc;
  memcpy(use.at, at, installs->conf.n_axes * sizeof *at);
  rc = cul_installs_have(installs, at, &use.venv, err);
  if (rc == 0 && use.venv.why)
    out->why = cul_xstrdup(use.venv.why);
  else if (rc == 0)
    out->why = lacks_program(installs, use.venv.dir);
  if (rc < 0 || out->why) {
    cul_venv_leave(&use.venv);
    return rc;
  }
  out->env = variables_of(installs, use.venv.dir);
  installs->uses =
      cul_xreallocarray(installs->uses, installs->n_uses + 1, sizeof use);
  installs->uses[installs->n_uses++] = use;
  return 0;
}

static void leave(void *self, const uint32_t *at) {
  struct cul_installs *installs = self;
  for (size_t i = 0; i < installs->n_uses; i++)
    if (memcmp(installs->uses[i].at, at, installs->conf.n_axes * sizeof *at) ==
        0) {
      cul_venv_leave(&installs->uses[i].venv);
      installs->uses[i] = installs->uses[--installs->n_uses];
      return;
    }
}

static void script(void *self, const uint32_t *at, struct cul_buf *make,
                   struct cul_buf *enter) {
  struct cul_installs *installs = self;
  const struct cul_installs_conf *conf = &installs->conf;
  char *name = conf->way->name(conf->self, at);
  cul_buf_adds(make, "venv=$here/");
  cul_shell_quote(name, make);
  cul_buf_adds(make, "\n[ -e \"$venv/made\" ] || {\n  rm -rf \"$venv\"\n  ");
  conf->way->shell(conf->self, at, make);
  cul_buf_adds(make, " &&\n    : >\"$venv/made\"\n} || exit 2\n");
  cul_buf_adds(enter, "  venv=$here/");
  cul_shell_quote(name, enter);
  cul_buf_addf(enter, "\n%s", conf->way->enter);
  free(name);
}

struct cul_installer cul_installs_installer(struct cul_installs *installs) {
  return (struct cul_installer){
      .self = installs, .enter = enter, .leave = leave, .script = script};
}

/* ---- from end to end ---- */

static int left(const void *self, struct cul_err *err) {
  const struct cul_target_conf *target = self;
  if (cul_status_interrupted() || (target->interrupted && *target->interrupted))
    return cul_fail(err, CUL_EINTR, "run the same command again to continue",
                    "interrupted");
  if (target->deadline_us && cul_now_us() >= target->deadline_us)
    return cul_fail(err, CUL_EBUDGET,
                    "raise the limit and run the same command to continue",
                    "--max-time reached");
  return 0;
}

int cul_installs_open(struct cul_installs *installs,
                      const struct cul_installs_conf *conf,
                      struct cul_err *err) {
  const struct cul_patience patience = {left, conf->target};
  const struct cul_venvs_conf venvs = {
      .dir = conf->envs, .most_bytes = conf->most_bytes, .patience = patience};
  int rc;
  *installs = (struct cul_installs){.conf = *conf, .scripts.place.keeper = -1};
  rc = cul_venvs_open(&venvs, &installs->venvs, err);
  return rc ? rc
            : cul_scripts_open(&installs->scripts, &conf->target->environment,
                               cul_venvs_dir(installs->venvs), &patience, err);
}

void cul_installs_release(struct cul_installs *installs) {
  for (size_t i = 0; i < installs->n_uses; i++)
    cul_venv_leave(&installs->uses[i].venv);
  free(installs->uses);
  cul_scripts_release(&installs->scripts);
  cul_venvs_close(installs->venvs);
  *installs = (struct cul_installs){.scripts.place.keeper = -1};
}
