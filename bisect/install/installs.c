/* Environments as installations: see installs.h. */
#include "installs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
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
#include "../../base/files/file.h"
#include "../../base/files/held.h"
#include "../../base/files/lock.h"
#include "../../base/status.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/target/target.h"
#include "../../probe/workplace.h"
#include "../../runners/identity/build.h"
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

/* Python environments, kept from job to job, one per set of packages.
 *
 * All are in one directory.  An environment NAME has:
 *
 *   NAME/      the environment
 *   NAME.made  the mark that it is complete, written last: its text is the
 *              size in bytes, its modification time that of the last use
 *   NAME.lock  the lock: shared by users, exclusive for making and removing
 *
 * An environment without a mark was interrupted while it was made, and is made
 * anew.  Their total size has a bound: those used least recently are removed
 * first; those in use are kept. */

struct cul_venvs {
  struct cul_venvs_conf conf;
  struct cul_held held; /* its path is absolute */
  bool told;            /* a wait for another job was reported */
};

static const char made_ending[] = ".made", lock_ending[] = ".lock";

static char *path_of(const struct cul_venvs *venvs, const char *name,
                     const char *ending) {
  return cul_xasprintf("%s/%s%s", venvs->held.path, name, ending);
}

/* The directory with all environments, absolute; borrowed. */
static const char *venvs_dir(const struct cul_venvs *venvs) {
  return venvs->held.path;
}

/* Copy conf and make the directory.  Errors: EENV. */
static int venvs_open(const struct cul_venvs_conf *conf, struct cul_venvs **out,
                      struct cul_err *err) {
  struct cul_venvs *venvs = cul_xcalloc(1, sizeof *venvs);
  char *base = NULL, *dir = NULL, *real = NULL;
  int rc = 0;
  venvs->conf = *conf;
  venvs->held.fd = -1;
  if (!conf->dir)
    rc = cul_cache_dir_make(&base, err);
  if (rc == 0) {
    dir = conf->dir ? cul_xstrdup(conf->dir)
                    : cul_xasprintf("%s/environments", base);
    rc = cul_mkdirs(dir, err);
  }
  /* Scripts of an environment contain its absolute name. */
  real = rc == 0 ? realpath(dir, NULL) : NULL;
  if (rc == 0 && !real)
    rc = cul_fail(err, CUL_EENV, "give --envs another directory", "%s: %s", dir,
                  strerror(errno));
  if (rc == 0)
    rc = cul_held_open(&venvs->held, real, err);
  free(real);
  free(dir);
  free(base);
  *out = venvs;
  return rc;
}

static void venvs_close(struct cul_venvs *venvs) {
  if (!venvs)
    return;
  cul_held_close(&venvs->held);
  free(venvs);
}

/* ---- marks ---- */

static bool is_made(const struct cul_venvs *venvs, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  struct stat st;
  bool made = fstatat(venvs->held.fd, mark, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISREG(st.st_mode) &&
              fstatat(venvs->held.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISDIR(st.st_mode);
  free(mark);
  return made;
}

/* Note that the environment is used now. */
static void touch(const struct cul_venvs *venvs, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  utimensat(venvs->held.fd, mark, NULL, AT_SYMLINK_NOFOLLOW);
  free(mark);
}

static uint64_t bytes_below(char *dir) {
  char *dirs[] = {dir, NULL};
  FTS *tree = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
  uint64_t bytes = 0;
  for (FTSENT *e; tree && (e = fts_read(tree));)
    if (e->fts_info != FTS_DP && e->fts_info != FTS_NS)
      bytes += (uint64_t)e->fts_statp->st_blocks * 512;
  if (tree)
    fts_close(tree);
  return bytes;
}

static int mark(const struct cul_venvs *venvs, const char *name,
                struct cul_err *err) {
  char *dir = path_of(venvs, name, ""), *path = path_of(venvs, name, ".made");
  char *text = cul_xasprintf("%llu\n", (unsigned long long)bytes_below(dir));
  int rc = cul_held_replace(&venvs->held, path,
                            (struct cul_bytes){text, strlen(text)}, 0600, err);
  free(text);
  free(path);
  free(dir);
  return rc;
}

/* Remove it, the mark first; its lock is held. */
static void clear(const struct cul_venvs *venvs, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  unlinkat(venvs->held.fd, mark, 0);
  cul_beneath_remove(venvs->held.fd, name);
  free(mark);
}

/* ---- kept environments ---- */

struct kept {
  char *name;
  struct timespec used; /* zero: it is incomplete */
  uint64_t bytes;
};

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const struct kept *)a)->used;
  const struct timespec *y = &((const struct kept *)b)->used;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static struct kept look_at(const struct cul_venvs *venvs, const char *name) {
  struct kept kept = {.name = cul_xstrdup(name)};
  char *path = path_of(venvs, name, made_ending);
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  struct stat st;
  if (lstat(path, &st) == 0 &&
      cul_held_read(&venvs->held, path, 64, &text, &ignored) == 0) {
    kept.used = st.st_mtim;
    kept.bytes = strtoull(cul_buf_str(&text), NULL, 10);
  }
  cul_buf_release(&text);
  free(path);
  return kept;
}

/* All environments, complete or not: each has a lock file. */
static struct kept *list_kept(const struct cul_venvs *venvs, size_t *n) {
  DIR *names = opendir(venvs->held.path);
  struct kept *out = NULL;
  *n = 0;
  for (const struct dirent *e; names && (e = readdir(names));) {
    size_t len = strlen(e->d_name), tail = sizeof lock_ending - 1;
    char *name;
    if (len <= tail || !cul_text_ends(e->d_name, lock_ending))
      continue;
    name = cul_xstrndup(e->d_name, len - tail);
    out = cul_xreallocarray(out, *n + 1, sizeof *out);
    out[(*n)++] = look_at(venvs, name);
    free(name);
  }
  if (names)
    closedir(names);
  if (*n)
    qsort(out, *n, sizeof *out, by_use);
  return out;
}

/* Remove it, unless it is in use or being made. */
static bool remove_kept(const struct cul_venvs *venvs, const char *name) {
  char *lock = path_of(venvs, name, lock_ending);
  int fd = cul_lock_take(lock, lock);
  if (fd >= 0) {
    clear(venvs, name);
    cul_lock_drop(lock, fd);
  }
  free(lock);
  return fd >= 0;
}

/* Remove incomplete environments, then the oldest until the bound holds. */
static void sweep(const struct cul_venvs *venvs) {
  size_t n;
  struct kept *kept = list_kept(venvs, &n);
  uint64_t bytes = 0, most = venvs->conf.most_bytes;
  for (size_t i = 0; i < n; i++)
    bytes += kept[i].bytes;
  for (size_t i = 0; i < n; i++) {
    bool whole = kept[i].used.tv_sec != 0;
    if ((!whole || (most && bytes > most)) && remove_kept(venvs, kept[i].name))
      bytes -= kept[i].bytes;
    free(kept[i].name);
  }
  free(kept);
}

/* ---- entering one ---- */

static int fail_lock(const char *path, struct cul_err *err) {
  return cul_fail(err, CUL_EENV, "give --envs another directory",
                  "cannot lock %s: %s", path, strerror(errno));
}

/* Wait while another job holds the lock. */
static int wait_a_little(struct cul_venvs *venvs, const char *name,
                         struct cul_err *err) {
  const struct cul_patience *patience = &venvs->conf.patience;
  const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
  if (!venvs->told)
    cul_status_note(UINT64_MAX, "waiting for another job, which makes %s",
                    name);
  venvs->told = true;
  nanosleep(&pause, NULL);
  cul_status_beat();
  return patience->left ? patience->left(patience->self, err) : 0;
}

/* Make it; its lock is held. */
static int venvs_make(struct cul_venvs *venvs, const char *name,
                      const struct cul_venv_maker *maker, char **why,
                      struct cul_err *err) {
  char *dir = path_of(venvs, name, "");
  int rc = 0;
  clear(venvs, name);
  if (mkdirat(venvs->held.fd, name, 0700) < 0)
    rc = cul_fail(err, CUL_EENV, "make room, or give --envs another directory",
                  "cannot make %s: %s", dir, strerror(errno));
  if (rc == 0)
    rc = maker->make(maker->self, dir, why, err);
  if (rc == 0 && !*why)
    rc = mark(venvs, name, err);
  if (rc < 0 || *why)
    clear(venvs, name);
  free(dir);
  return rc;
}

/* Make it under an exclusive lock, unless another job has that.  *done: it
 * exists, or cannot be made. */
static int make_alone(struct cul_venvs *venvs, const char *name,
                      const struct cul_venv_maker *maker, char **why,
                      struct cul_err *err) {
  char *lock = path_of(venvs, name, lock_ending);
  int fd = cul_lock_take(lock, lock), rc = 0;
  if (fd < 0 && errno == EWOULDBLOCK)
    rc = wait_a_little(venvs, name, err);
  else if (fd < 0)
    rc = fail_lock(lock, err);
  else if (!is_made(venvs, name))
    rc = venvs_make(venvs, name, maker, why, err);
  if (fd >= 0)
    close(fd);
  free(lock);
  return rc;
}

/* Take the shared lock.  *fd: of the lock; -1: the environment is not complete
 * now. */
static int share(struct cul_venvs *venvs, const char *name, int *fd,
                 struct cul_err *err) {
  char *lock = path_of(venvs, name, lock_ending);
  int rc = 0;
  *fd = cul_lock_share(lock, lock);
  if (*fd < 0 && errno == EWOULDBLOCK)
    rc = wait_a_little(venvs, name, err);
  else if (*fd < 0)
    rc = fail_lock(lock, err);
  if (*fd >= 0 && !is_made(venvs, name)) {
    close(*fd);
    *fd = -1;
  }
  free(lock);
  return rc;
}

/* Enter the environment of this name (letters, digits, "._+-"): make it if it
 * is missing; wait if another job makes it.  Leave it in any case.  Errors:
 * EENV, those of the maker and of patience. */
static int venvs_enter(struct cul_venvs *venvs, const char *name,
                       const struct cul_venv_maker *maker, struct cul_venv *out,
                       struct cul_err *err) {
  int rc = 0;
  *out = (struct cul_venv){.lock = -1};
  venvs->told = false;
  for (;;) {
    rc = share(venvs, name, &out->lock, err);
    if (rc < 0 || out->lock >= 0)
      break;
    rc = make_alone(venvs, name, maker, &out->why, err);
    if (rc < 0 || out->why)
      break;
  }
  if (rc == 0 && !out->why) {
    touch(venvs, name);
    out->dir = path_of(venvs, name, "");
  }
  sweep(venvs);
  return rc;
}

void cul_venv_leave(struct cul_venv *venv) {
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

/* pip must ask nothing, and install nowhere else. */
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

/* Append what the sandbox refused: that may be the reason of the failure. */
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
  *scripts = (struct cul_scripts){.place.keeper = -1};
}

/* ---- installs ---- */

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
  int rc = venvs_enter(installs->venvs, name, &maker, venv, err);
  free(name);
  return rc;
}

/* Does the command's program come with the packages?  If it does at the failing
 * end, one of the same name elsewhere is another program. */
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

/* The list and its strings, in one block. */
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

int cul_installs_open(struct cul_installs *installs,
                      const struct cul_installs_conf *conf,
                      struct cul_err *err) {
  const struct cul_patience patience = {cul_target_left, conf->target};
  const struct cul_venvs_conf venvs = {
      .dir = conf->envs, .most_bytes = conf->most_bytes, .patience = patience};
  int rc;
  *installs = (struct cul_installs){.conf = *conf, .scripts.place.keeper = -1};
  rc = venvs_open(&venvs, &installs->venvs, err);
  return rc ? rc
            : scripts_open(&installs->scripts, &conf->target->environment,
                           venvs_dir(installs->venvs), &patience, err);
}

void cul_installs_release(struct cul_installs *installs) {
  for (size_t i = 0; i < installs->n_uses; i++)
    cul_venv_leave(&installs->uses[i].venv);
  free(installs->uses);
  scripts_release(&installs->scripts);
  venvs_close(installs->venvs);
  *installs = (struct cul_installs){.scripts.place.keeper = -1};
}
