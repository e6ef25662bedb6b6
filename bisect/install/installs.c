/* Environments as installations: see installs.h. */
#include "installs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "../../base/environment.h"
#include "../../base/files/beneath.h"
#include "../../base/files/depot.h"
#include "../../base/files/file.h"
#include "../../base/files/held.h"
#include "../../base/status.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/target/target.h"
#include "../../probe/workplace.h"
#include "../../runners/identity/build.h"
#include "../../runners/identity/outside.h"
#include "../../runners/runner.h"
#include "../../runners/sandbox/sandbox.h"
#include "../build/build_log.h"
#include "../matrix/axis.h"
#include "../matrix/installer.h"

struct cul_venvs_conf {
  const char *dir;     /* NULL: "environments" in the user's cache directory */
  uint64_t most_bytes; /* 0 = no bound */
  struct cul_patience patience; /* of waiting for another job */
};

/* Callbacks of the owner that makes an environment. */
struct cul_venv_maker {
  void *self;
  /* Make the environment in dir, which exists and is empty.  *why: it cannot be
   * made, heap; else NULL.  Errors: those that end the job. */
  int (*make)(void *self, const char *dir, char **why, struct cul_err *err);
};

/* ---- venvs ---- */

struct cul_venvs {
  struct cul_venvs_conf conf;
  struct cul_depot depot;
  bool told;    /* a wait for another job was reported */
  char **valid; /* the names of those that this job found to be valid */
  size_t n_valid;
};

/* The directory with all environments, absolute; borrowed. */
static const char *venvs_dir(const struct cul_venvs *venvs) {
  return venvs->depot.held.path;
}

/* Copy conf and make the directory.  Errors: EENV. */
static int venvs_open(const struct cul_venvs_conf *conf, struct cul_venvs **out,
                      struct cul_err *err) {
  struct cul_venvs *venvs = cul_xcalloc(1, sizeof *venvs);
  char *base = NULL, *dir = NULL;
  int rc = 0;
  venvs->conf = *conf;
  venvs->depot.held.fd = -1;
  if (!conf->dir)
    rc = cul_cache_dir_make(&base, err);
  if (rc == 0) {
    dir = conf->dir ? cul_xstrdup(conf->dir)
                    : cul_xasprintf("%s/environments", base);
    rc = cul_depot_open(&venvs->depot, dir, err);
  }
  venvs->depot.most_bytes = conf->most_bytes;
  free(dir);
  free(base);
  *out = venvs;
  return rc;
}

static void venvs_close(struct cul_venvs *venvs) {
  if (!venvs)
    return;
  cul_depot_close(&venvs->depot);
  for (size_t i = 0; i < venvs->n_valid; i++)
    free(venvs->valid[i]);
  free(venvs->valid);
  free(venvs);
}

/* Wait while another job holds the lock. */
static int wait_a_little(struct cul_venvs *venvs, const char *name,
                         struct cul_err *err) {
  const struct cul_patience *patience = &venvs->conf.patience;
  const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
  if (!venvs->told)
    cul_status_note(UINT64_MAX,
                    "waiting for another job, which makes or uses %s", name);
  venvs->told = true;
  nanosleep(&pause, NULL);
  cul_status_beat();
  return patience->left ? patience->left(patience->self, err) : 0;
}

/* Make an environment in its directory, which is empty; its lock is held. */
static int venvs_make(struct cul_venvs *venvs, const char *name, int lock,
                      const struct cul_venv_maker *maker, char **why,
                      struct cul_err *err) {
  char *dir = cul_depot_path(&venvs->depot, name);
  struct cul_err later = {0};
  int rc = maker->make(maker->self, dir, why, err), ended;
  ended = cul_depot_end(&venvs->depot, name, rc == 0 && !*why, lock, &later);
  free(dir);
  if (rc == 0 && ended < 0)
    *err = later;
  return rc ? rc : ended;
}

/* ---- what an installation read ---- */

/* Files on which an environment depends, beside the words of its name:
 * constraints, local packages, whatever pip's configuration leads to.  Its
 * directory has a list of them, lines "SIZE SECONDS NANOSECONDS PATH" as they
 * were when it was made. */
static const char list_name[] = ".culprit-read";

/* Append the line of a file.  False: it is not there. */
static bool add_state(const char *path, struct cul_buf *out) {
  struct stat st;
  if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
    return false;
  cul_buf_addf(out, "%lld %lld %ld %s\n", (long long)st.st_size,
               (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec, path);
  return true;
}

/* Keep the list with the environment in dir. */
static int keep_reads(const struct cul_scripts *scripts, const char *dir,
                      struct cul_err *err) {
  struct cul_buf list = {0};
  char *path = cul_xasprintf("%s/%s", dir, list_name);
  const char *at = cul_buf_str(&scripts->read);
  size_t n = strlen(dir);
  int rc;
  for (size_t len; *at; at += len + (at[len] == '\n')) {
    CUL_HEAP char *file = cul_xstrndup(at + 2, (len = strcspn(at, "\n")) - 2);
    if (strncmp(file, dir, n) != 0 || file[n] != '/')
      (void)!add_state(file, &list);
  }
  rc = cul_file_replace(path, cul_buf_str(&list), list.len, 0600, err);
  free(path);
  cul_buf_release(&list);
  return rc;
}

/* Is each file in the list of the environment as it was? */
static bool is_valid(const struct cul_venvs *venvs, const char *name) {
  CUL_HEAP char *path =
      cul_xasprintf("%s/%s/%s", venvs_dir(venvs), name, list_name);
  struct cul_buf list = {0};
  struct cul_err ignored = {0};
  const char *at;
  bool valid = true;
  if (cul_held_read(&venvs->depot.held, path, 0, &list, &ignored) < 0)
    valid = access(path, F_OK) < 0; /* made elsewhere: it has none */
  at = cul_buf_str(&list);
  for (size_t len; valid && *at; at += len + (at[len] == '\n')) {
    CUL_HEAP char *line = cul_xstrndup(at, (len = strcspn(at, "\n")) + 1);
    const char *file = strchr(line, '/');
    struct cul_buf now = {0};
    line[len] = '\0';
    valid = file && add_state(file, &now) &&
            strncmp(cul_buf_str(&now), line, len) == 0 && now.len == len + 1;
    cul_buf_release(&now);
  }
  cul_buf_release(&list);
  return valid;
}

/* Remove an environment that is not valid any more.  Only before this job
 * enters it for the first time, so that it never waits for itself.  False:
 * another job uses it. */
static bool renew(struct cul_venvs *venvs, const char *name) {
  for (size_t i = 0; i < venvs->n_valid; i++)
    if (strcmp(venvs->valid[i], name) == 0)
      return true;
  if (!is_valid(venvs, name) && !cul_depot_remove(&venvs->depot, name))
    return false;
  venvs->valid =
      cul_xreallocarray(venvs->valid, venvs->n_valid + 1, sizeof *venvs->valid);
  venvs->valid[venvs->n_valid++] = cul_xstrdup(name);
  return true;
}

/* Enter the environment of this name (letters, digits, "._+-"): make it if it
 * is missing; wait if another job makes it.  Leave it in any case.  Errors:
 * EENV, those of the maker and of patience. */
static int venvs_enter(struct cul_venvs *venvs, const char *name,
                       const struct cul_venv_maker *maker, struct cul_venv *out,
                       struct cul_err *err) {
  enum cul_depot_state state = CUL_DEPOT_BUSY;
  int rc = 0, lock;
  *out = (struct cul_venv){.lock = -1};
  venvs->told = false;
  while (rc == 0 && !renew(venvs, name))
    rc = wait_a_little(venvs, name, err);
  while (rc == 0 && !out->why && state != CUL_DEPOT_READY) {
    rc = cul_depot_enter(&venvs->depot, name, &state, &lock, err);
    if (rc == 0 && state == CUL_DEPOT_EMPTY)
      rc = venvs_make(venvs, name, lock, maker, &out->why, err);
    else if (rc == 0 && state == CUL_DEPOT_BUSY)
      rc = wait_a_little(venvs, name, err);
  }
  if (rc < 0 || out->why)
    return rc;
  out->lock = lock;
  out->dir = cul_depot_path(&venvs->depot, name);
  return 0;
}

/* End the use of an environment; call it in any case. */
static void venv_leave(struct cul_venv *venv) {
  if (venv->lock >= 0)
    close(venv->lock);
  free(venv->dir);
  free(venv->why);
  *venv = (struct cul_venv){.lock = -1};
}

/* ---- scripts ---- */

/* Scripts that make installations.  They run as builds do, with the network,
 * and may write only to their own directory, their TMPDIR and caches.  A strict
 * sandbox applies to the tool's runs; here it acts as auto. */

static const size_t most_said = 64 << 20;

/* pip must not ask the user, nor install into the user's directories. */
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

/* Append a write that the sandbox refused, as it may be the reason why the
 * script failed. */
static void add_refused(const struct cul_record *record, struct cul_buf *said) {
  char *refused = cul_record_refused(record);
  if (refused)
    cul_buf_addf(said, "\nerror: the sandbox refused a write to %s\n", refused);
  free(refused);
}

/* Take what the script read from its record.  Of the system's directories,
 * nothing counts: pip's version and configuration are part of the names. */
static void take_reads(struct cul_scripts *scripts,
                       const struct cul_record *record) {
  static const char *const system[] = {
      "/etc/", "/run/", "/var/",     "/proc/",   "/sys/",      "/dev/",
      "/bin/", "/lib",  "/usr/bin/", "/usr/lib", "/usr/share/"};
  const char *files = record->files.data ? cul_buf_str(&record->files) : "";
  struct cul_buf all = {0};
  const char *at;
  for (size_t len; *files; files += len + (files[len] == '\n')) {
    len = strcspn(files, "\n");
    cul_outside_add(files, len, scripts->place.dir, &all);
  }
  cul_outside_sort(&all);
  scripts->read.len = 0;
  at = cul_buf_str(&all);
  for (size_t len; *at; at += len + (at[len] == '\n')) {
    bool counts = at[0] == 'a';
    len = strcspn(at, "\n");
    for (size_t i = 0; i < CUL_ARRAY_SIZE(system); i++)
      counts = counts && strncmp(at + 2, system[i], strlen(system[i])) != 0;
    if (counts)
      cul_buf_addf(&scripts->read, "%.*s\n", (int)len, at);
  }
  cul_buf_release(&all);
}

static int run_here(struct cul_scripts *scripts, const char *dir,
                    const char *script, struct cul_buf *said, bool *ok,
                    struct cul_err *err) {
  struct cul_build build = {.script = script, .dir = dir};
  char *log = cul_xasprintf("%s/log", scripts->place.dir);
  struct cul_record record = {0};
  int rc = 0;
  build.log = cul_beneath_create(scripts->place.held.fd, "log", 0600);
  if (build.log < 0)
    rc = cul_fail(err, CUL_EENV, "make room in $TMPDIR", "cannot make %s: %s",
                  log, strerror(errno));
  if (rc == 0)
    rc = run_build(scripts, &build, &record, err);
  if (rc == 0 && record.end == CUL_MACHINE)
    rc = cul_record_fail(&record, err);
  if (rc == 0)
    take_reads(scripts, &record);
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

/* Run a script on another machine, with the files of install. */
static int run_there(struct cul_scripts *scripts,
                     const struct cul_install *install, const char *script,
                     struct cul_record *record, struct cul_err *err) {
  /* Scripts run under bash, as on this machine, or under sh without a bash. */
  static const char *const argv[] = {
      "/bin/sh", "-c",
      "if command -v bash >/dev/null; then exec bash -c \"$0\"; else exec sh "
      "-c \"$0\"; fi",
      "@{script}", NULL};
  const char *env[CUL_ARRAY_SIZE(settings) + 1] = {NULL};
  const struct cul_command command = {.argv = argv,
                                      .environment = scripts->environment,
                                      .env = env,
                                      .hosts = scripts->hosts,
                                      .install = install};
  struct cul_request request = {.role = CUL_ELSEWHERE_INSTALL,
                                .cmd = &command,
                                .flags = CUL_RUN_SYMBOLIZE | CUL_RUN_RANDOMIZE,
                                .out_bytes = most_said};
  const struct cul_subst subst = {"@{script}", script};
  const struct cul_artefact art = {
      .subst = &subst, .n_subst = 1, .dir = "", .file = "", .live_fd = -1};
  char *tmp = cul_xasprintf("%s/script", scripts->place.dir);
  int rc = cul_workplace_claim_tmp(&scripts->place.held, tmp, &request, err);
  memcpy(env, settings, sizeof settings);
  if (rc == 0)
    rc = cul_run_wait(&cul_runner_remote, &art, &request, tmp,
                      &scripts->patience, record, err);
  if (rc == 0 && record->end == CUL_MACHINE)
    rc = cul_record_fail(record, err);
  free(tmp);
  return rc;
}

static int run_script_there(struct cul_scripts *scripts,
                            const char *const *files, const char *script,
                            struct cul_buf *said, bool *ok,
                            struct cul_err *err) {
  const struct cul_install none = {.files = files};
  struct cul_record record = {0};
  char *text = cul_xasprintf("exec 2>&1\n%s", script);
  int rc = run_there(scripts, &none, text, &record, err);
  if (rc == 0) {
    cul_buf_add(said, record.out.data, record.out.len);
    *ok = record.end == CUL_EXITED && record.status == 0;
    if (!*ok)
      add_refused(&record, said);
  }
  cul_record_release(&record);
  free(text);
  return rc;
}

int cul_scripts_run(struct cul_scripts *scripts, const char *dir,
                    const char *const *files, const char *script,
                    struct cul_buf *said, bool *ok, struct cul_err *err) {
  *ok = false;
  return scripts->hosts
             ? run_script_there(scripts, files, script, said, ok, err)
             : run_here(scripts, dir, script, said, ok, err);
}

/* Find out from its output why a script that makes an installation in dir
 * failed: *why, heap, "cannot be installed: ...".  Errors: EENV: the machine
 * was at fault. */
static int scripts_fail(const char *dir, const char *said, char **why,
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

/* kept: an absolute directory that does not belong to the scripts.  Release in
 * any case.  Errors: EENV, EUSAGE (of environment). */
static int scripts_open(struct cul_scripts *scripts,
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

static void scripts_release(struct cul_scripts *scripts) {
  cul_workplace_close(&scripts->place);
  cul_environment_free(scripts->environment);
  cul_buf_release(&scripts->read);
  *scripts = (struct cul_scripts){.place.keeper = -1};
}

/* ---- installs ---- */

struct making {
  struct cul_installs *installs;
  const uint32_t *at;
};

static int make(void *self, const char *dir, char **why, struct cul_err *err) {
  const struct making *making = self;
  struct cul_installs *installs = making->installs;
  const struct cul_installs_conf *conf = &installs->conf;
  struct cul_buf script = {0}, said = {0}, words = {0};
  bool ok;
  int rc;
  conf->way->make(conf->self, making->at, dir, &script, &words);
  cul_status_note(UINT64_MAX, "%s", cul_buf_str(&words));
  rc = cul_scripts_run(&installs->scripts, dir, NULL, cul_buf_str(&script),
                       &said, &ok, err);
  if (rc == 0 && !ok)
    rc = scripts_fail(dir, cul_buf_str(&said), why, err);
  else if (rc == 0)
    rc = keep_reads(&installs->scripts, dir, err);
  cul_buf_release(&words);
  cul_buf_release(&said);
  cul_buf_release(&script);
  return rc;
}

/* Enter the installation with these values: make it if it does not exist, or
 * wait for another job that is making it.  Errors: EENV, those of patience. */
static int have(struct cul_installs *installs, const uint32_t *at,
                struct cul_venv *venv, struct cul_err *err) {
  const struct cul_installs_conf *conf = &installs->conf;
  struct making making = {installs, at};
  const struct cul_venv_maker maker = {&making, make};
  char *name = conf->way->name(conf->self, at);
  int rc = venvs_enter(installs->venvs, name, &maker, venv, err);
  free(name);
  return rc;
}

/* The command's program, if it may come with the packages; or NULL. */
static const char *program_name(const struct cul_installs *installs) {
  const struct cul_target_conf *target = installs->conf.target;
  const char *name = target->argv ? target->argv[0] : NULL;
  return name && !target->script && !strchr(name, '/') ? name : NULL;
}

/* The reason why an installation cannot be tested, heap; else NULL.  If the
 * first one that is entered contains the command's program, all must: a program
 * of this name from another place would be a different one. */
static char *lacks_program(struct cul_installs *installs, const char *name,
                           bool there) {
  if (!name)
    return NULL;
  if (!installs->entered)
    installs->inside = there;
  installs->entered = true;
  return installs->inside && !there ? cul_xasprintf("has no program %s", name)
                                    : NULL;
}

static char *lacks_program_here(struct cul_installs *installs,
                                const char *dir) {
  const char *name = program_name(installs);
  char *path = cul_xasprintf("%s/%s/%s", dir, installs->conf.way->programs,
                             name ? name : "");
  bool there = access(path, X_OK) == 0;
  free(path);
  return lacks_program(installs, name, there);
}

/* Copy the list and its strings into one block. */
static const char *const *in_one_block(char *const *entries) {
  char **out, *text;
  size_t n = 0, bytes = 0;
  for (; entries[n]; n++)
    bytes += strlen(entries[n]) + 1;
  out = cul_xmalloc((n + 1) * sizeof *out + bytes);
  text = (char *)(out + n + 1);
  for (size_t i = 0; i < n; i++) {
    out[i] = text;
    text = stpcpy(text, entries[i]) + 1;
  }
  out[n] = NULL;
  return (const char *const *)out;
}

static void free_words(char **words) {
  for (size_t i = 0; words && words[i]; i++)
    free(words[i]);
  free(words);
}

static const char *const *variables_of(const struct cul_installs *installs,
                                       const char *dir) {
  const struct cul_installs_conf *conf = &installs->conf;
  char **entries = conf->way->variables(conf->self, dir);
  const char *const *out = in_one_block(entries);
  free_words(entries);
  return out;
}

/* ---- installations on other machines ---- */

static struct cul_installs_there *find_there(struct cul_installs *installs,
                                             const uint32_t *at) {
  const struct cul_installs_conf *conf = &installs->conf;
  struct cul_installs_there *there;
  struct cul_buf script = {0}, words = {0};
  char *dir;
  for (size_t i = 0; i < installs->n_there; i++)
    if (memcmp(installs->there[i]->at, at, conf->n_axes * sizeof *at) == 0)
      return installs->there[i];
  there = cul_xcalloc(1, sizeof *there);
  memcpy(there->at, at, conf->n_axes * sizeof *at);
  there->name = conf->way->name(conf->self, at);
  dir = cul_xasprintf(CUL_ELSEWHERE_INSTALLS "/%s", there->name);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(settings); i++)
    cul_buf_addf(&script, "export %s\n", settings[i]);
  conf->way->make(conf->self, at, dir, &script, &words);
  cul_status_note(UINT64_MAX, "%s, unless it is there", cul_buf_str(&words));
  there->script = cul_buf_take(&script);
  there->files = conf->way->files ? conf->way->files(conf->self, at) : NULL;
  there->install = (struct cul_install){.name = there->name,
                                        .script = there->script,
                                        .files = there->files,
                                        .most_bytes = conf->most_bytes};
  installs->there = cul_xreallocarray(installs->there, installs->n_there + 1,
                                      sizeof(struct cul_installs_there *));
  installs->there[installs->n_there++] = there;
  cul_buf_release(&words);
  free(dir);
  return there;
}

static void there_free(struct cul_installs_there *there) {
  free(there->name);
  free(there->script);
  free(there->files);
  free_words(there->variables);
  free(there->why);
  free(there);
}

static int ask_there(struct cul_installs *installs, const uint32_t *at,
                     const char *script, struct cul_buf *said, bool *ok,
                     struct cul_err *err) {
  struct cul_installs_there *there = find_there(installs, at);
  char *text = cul_xasprintf("venv='" CUL_ELSEWHERE_INSTALLS "/%s'\n%s",
                             there->name, script);
  struct cul_record record = {0};
  int rc = run_there(&installs->scripts, &there->install, text, &record, err);
  *ok = rc == 0 && record.end == CUL_EXITED && record.status == 0;
  if (rc == 0 && record.end == CUL_NOT_STARTED && !there->why)
    rc = scripts_fail(there->name, cul_buf_str(&record.err), &there->why, err);
  else if (rc == 0)
    cul_buf_add(said, record.out.data, record.out.len);
  cul_record_release(&record);
  free(text);
  return rc;
}

int cul_installs_ask(struct cul_installs *installs, const uint32_t *at,
                     const char *script, struct cul_buf *said, bool *ok,
                     struct cul_err *err) {
  struct cul_buf text = {0};
  struct cul_venv venv;
  int rc;
  *ok = false;
  if (installs->hosts)
    return ask_there(installs, at, script, said, ok, err);
  rc = have(installs, at, &venv, err);
  if (rc == 0 && venv.dir) {
    cul_buf_adds(&text, "venv=");
    cul_shell_quote(venv.dir, &text);
    cul_buf_addf(&text, "\nexec 2>/dev/null\n%s", script);
    rc = cul_scripts_run(&installs->scripts, NULL, NULL, cul_buf_str(&text),
                         said, ok, err);
  }
  venv_leave(&venv);
  cul_buf_release(&text);
  return rc;
}

/* Read the lines of settle_there's script: the installation's path, whether it
 * contains the program, and its variables.  The path in these is replaced by
 * CUL_ELSEWHERE_INSTALLS "/NAME", which is the same on all machines. */
static void read_answer(struct cul_installs_there *there, char *said,
                        bool *program) {
  char *rest = said, *dir = strsep(&rest, "\n"), *line, **out;
  size_t n = 0, len = strlen(dir);
  *program = rest && strncmp(rest, "1\n", 2) == 0;
  (void)strsep(&rest, "\n");
  out = cul_xcalloc(1, sizeof *out);
  while (len && (line = strsep(&rest, "\n"))) {
    struct cul_buf text = {0};
    if (!strchr(line, '='))
      continue;
    for (const char *next; (next = strstr(line, dir)); line += len) {
      cul_buf_addf(&text, "%.*s" CUL_ELSEWHERE_INSTALLS "/%s",
                   (int)(next - line), line, there->name);
      line += next - line;
    }
    cul_buf_adds(&text, line);
    out = cul_xreallocarray(out, n + 2, sizeof *out);
    out[n++] = cul_buf_take(&text);
    out[n] = NULL;
  }
  there->variables = out;
}

/* Make the installation on another machine, and ask for its variables. */
static int settle_there(struct cul_installs *installs, const uint32_t *at,
                        struct cul_err *err) {
  const struct cul_installs_way *way = installs->conf.way;
  struct cul_installs_there *there = find_there(installs, at);
  const char *name = program_name(installs);
  struct cul_buf script = {0}, said = {0};
  bool ok, program;
  int rc;
  cul_buf_adds(&script, "echo \"$venv\"\n[ -x \"$venv\"/");
  cul_shell_quote(way->programs, &script);
  cul_buf_addc(&script, '/');
  cul_shell_quote(name ? name : "", &script);
  cul_buf_addf(&script, " ] && echo 1 || echo 0\n%s\n%s\n", way->enter,
               way->print);
  rc = ask_there(installs, at, cul_buf_str(&script), &said, &ok, err);
  if (rc == 0 && !there->why && !ok)
    rc = cul_fail(err, CUL_EENV, "solve the problem on that machine",
                  "nothing can be run there in %s", there->name);
  if (rc == 0 && !there->why) {
    read_answer(there, said.len ? said.data : (char *)"", &program);
    there->why = lacks_program(installs, name, program);
  }
  cul_buf_release(&said);
  cul_buf_release(&script);
  return rc;
}

static int enter_there(struct cul_installs *installs, const uint32_t *at,
                       struct cul_installation *out, struct cul_err *err) {
  struct cul_installs_there *there = find_there(installs, at);
  int rc = there->variables || there->why ? 0 : settle_there(installs, at, err);
  if (rc == 0 && there->why)
    out->why = cul_xstrdup(there->why);
  if (rc < 0 || there->why)
    return rc;
  out->env = in_one_block(there->variables);
  out->install = &there->install;
  return 0;
}

static int enter(void *self, const uint32_t *at, struct cul_installation *out,
                 struct cul_err *err) {
  struct cul_installs *installs = self;
  struct cul_installs_use use = {.at = {0}};
  int rc;
  if (installs->hosts)
    return enter_there(installs, at, out, err);
  memcpy(use.at, at, installs->conf.n_axes * sizeof *at);
  rc = have(installs, at, &use.venv, err);
  if (rc == 0 && use.venv.why)
    out->why = cul_xstrdup(use.venv.why);
  else if (rc == 0)
    out->why = lacks_program_here(installs, use.venv.dir);
  if (rc < 0 || out->why) {
    venv_leave(&use.venv);
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
      venv_leave(&installs->uses[i].venv);
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

/* ---- open and release ---- */

int cul_installs_open(struct cul_installs *installs,
                      const struct cul_installs_conf *conf,
                      struct cul_err *err) {
  const struct cul_patience patience = {cul_target_left, conf->target};
  const struct cul_venvs_conf venvs = {
      .dir = conf->envs, .most_bytes = conf->most_bytes, .patience = patience};
  int rc;
  *installs = (struct cul_installs){.conf = *conf, .scripts.place.keeper = -1};
  rc = venvs_open(&venvs, &installs->venvs, err);
  if (rc == 0)
    rc = cul_target_hosts(conf->target, &installs->hosts, err);
  if (rc == 0)
    rc = scripts_open(&installs->scripts, &conf->target->environment,
                      venvs_dir(installs->venvs), &patience, err);
  installs->scripts.hosts = installs->hosts;
  return rc;
}

void cul_installs_release(struct cul_installs *installs) {
  for (size_t i = 0; i < installs->n_uses; i++)
    venv_leave(&installs->uses[i].venv);
  free(installs->uses);
  for (size_t i = 0; i < installs->n_there; i++)
    there_free(installs->there[i]);
  free(installs->there);
  scripts_release(&installs->scripts);
  cul_hosts_free(installs->hosts);
  venvs_close(installs->venvs);
  *installs = (struct cul_installs){.scripts.place.keeper = -1};
}
