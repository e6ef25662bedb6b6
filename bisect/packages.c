/* Bisecting packages: see packages.h. */
#include "packages.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/file.h"
#include "../base/status.h"
#include "../pipeline/shell_text.h"
#include "packages_private.h"
#include "pep440.h"

/* ---- environments ---- */

char **cul_packages_requirements(const struct cul_packages *job,
                                 const uint32_t *at) {
  size_t n = job->conf->n, more = 0, bytes = 0;
  char **out, *text;
  while (job->conf->with[more])
    more++;
  for (size_t i = 0; i < n; i++)
    bytes += strlen(job->axes.axes[i].name) +
             strlen(job->axes.axes[i].values[at[i]]) + 3;
  out = cul_xmalloc((n + more + 1) * sizeof *out + bytes);
  text = (char *)(out + n + more + 1);
  for (size_t i = 0; i < n; i++) {
    const struct cul_axis *axis = &job->axes.axes[i];
    out[i] = text;
    text = stpcpy(text, axis->name);
    text = stpcpy(text, "==");
    text = stpcpy(text, axis->values[at[i]]) + 1;
  }
  for (size_t i = 0; i <= more; i++)
    out[n + i] = (char *)job->conf->with[i];
  return out;
}

struct making {
  struct cul_packages *job;
  const char *const *requirements;
};

static int make(void *self, const char *dir, char **why, struct cul_err *err) {
  const struct making *making = self;
  struct cul_buf words = {0};
  for (const char *const *r = making->requirements; *r; r++)
    cul_buf_addf(&words, "%s%s", words.len ? " " : "", *r);
  cul_status_note(UINT64_MAX, "installing %s", cul_buf_str(&words));
  cul_buf_release(&words);
  return cul_pip_install(&making->job->pip, dir, making->requirements, why,
                         err);
}

int cul_packages_enter(struct cul_packages *job, const uint32_t *at,
                       struct cul_venv *venv, struct cul_err *err) {
  char **requirements = cul_packages_requirements(job, at);
  struct making making = {job, (const char *const *)requirements};
  const struct cul_venv_maker maker = {&making, make};
  char *name = cul_pip_environment_name(&job->pip, making.requirements);
  int rc = cul_venvs_enter(job->venvs, name, &maker, venv, err);
  free(name);
  free(requirements);
  return rc;
}

/* Does the command's program come with the packages?  Where it does at the end
 * that fails, one of the same name elsewhere is another one. */
static char *lacks_program(struct cul_packages *job, const char *dir) {
  const struct cul_target_conf *target = &job->conf->target;
  const char *name = target->argv ? target->argv[0] : NULL;
  char *path;
  bool there;
  if (!name || target->script || strchr(name, '/'))
    return NULL;
  path = cul_xasprintf("%s/bin/%s", dir, name);
  there = access(path, X_OK) == 0;
  free(path);
  if (!job->entered)
    job->inside = there;
  job->entered = true;
  return job->inside && !there ? cul_xasprintf("has no program %s", name)
                               : NULL;
}

/* One block: the list and its strings. */
static const char *const *variables_of(const struct cul_packages *job,
                                       const char *dir) {
  const char *path = cul_environment_get(job->pip.environment, "PATH");
  char *entries[] = {
      cul_xasprintf("PATH=%s/bin%s%s", dir, path ? ":" : "", path ? path : ""),
      cul_xasprintf("VIRTUAL_ENV=%s", dir),
      cul_xstrdup("PYTHONDONTWRITEBYTECODE=1")};
  enum { N = CUL_ARRAY_SIZE(entries) };
  size_t bytes = 0;
  char **out, *text;
  for (size_t i = 0; i < N; i++)
    bytes += strlen(entries[i]) + 1;
  out = cul_xmalloc((N + 1) * sizeof *out + bytes);
  text = (char *)(out + N + 1);
  for (size_t i = 0; i < N; i++) {
    out[i] = text;
    text = stpcpy(text, entries[i]) + 1;
    free(entries[i]);
  }
  out[N] = NULL;
  return (const char *const *)out;
}

static int enter(void *self, const uint32_t *at, struct cul_installation *out,
                 struct cul_err *err) {
  struct cul_packages *job = self;
  struct cul_packages_use use = {.at = {0}};
  int rc;
  memcpy(use.at, at, job->conf->n * sizeof *at);
  rc = cul_packages_enter(job, at, &use.venv, err);
  if (rc == 0 && use.venv.why)
    out->why = cul_xstrdup(use.venv.why);
  else if (rc == 0)
    out->why = lacks_program(job, use.venv.dir);
  if (rc < 0 || out->why) {
    cul_venv_leave(&use.venv);
    return rc;
  }
  out->env = variables_of(job, use.venv.dir);
  job->uses = cul_xreallocarray(job->uses, job->n_uses + 1, sizeof use);
  job->uses[job->n_uses++] = use;
  return 0;
}

static void leave(void *self, const uint32_t *at) {
  struct cul_packages *job = self;
  for (size_t i = 0; i < job->n_uses; i++)
    if (memcmp(job->uses[i].at, at, job->conf->n * sizeof *at) == 0) {
      cul_venv_leave(&job->uses[i].venv);
      job->uses[i] = job->uses[--job->n_uses];
      return;
    }
}

static void script(void *self, const uint32_t *at, struct cul_buf *make,
                   struct cul_buf *enter) {
  struct cul_packages *job = self;
  char **requirements = cul_packages_requirements(job, at);
  const char *const *list = (const char *const *)requirements;
  char *name = cul_pip_environment_name(&job->pip, list);
  cul_buf_adds(make, "python=${PYTHON:-python3}\nvenv=$here/");
  cul_shell_quote(name, make);
  cul_buf_adds(make, "\n[ -e \"$venv/made\" ] || {\n  rm -rf \"$venv\"\n  ");
  cul_pip_shell(&job->pip, list, make);
  cul_buf_adds(make, " &&\n    : >\"$venv/made\"\n} || exit 2\n");
  cul_buf_adds(enter, "  VIRTUAL_ENV=$here/");
  cul_shell_quote(name, enter);
  cul_buf_adds(enter, "\n  PATH=$VIRTUAL_ENV/bin:$PATH\n"
                      "  export VIRTUAL_ENV PATH\n");
  free(name);
  free(requirements);
}

static int complete(void *self, json_t *report, struct cul_err *err) {
  return cul_packages_complete(self, report, err);
}

/* ---- versions ---- */

static bool is_pre(const char *version) {
  struct cul_pep440 parsed;
  return version && cul_pep440_parse(version, &parsed) &&
         cul_pep440_is_pre(&parsed);
}

static int fail_unknown(const struct cul_package *package, const char *version,
                        struct cul_err *err) {
  const struct cul_pip_versions *offered = &package->offered;
  return cul_fail(err, CUL_EUSAGE,
                  "give one that pip index versions lists; yanked ones and "
                  "those for another Python (--python) or machine are not "
                  "among them, pre-releases with --pre",
                  "pip does not offer %s %s; it offers %zu version%s, from %s "
                  "to %s",
                  package->range->name, version, offered->n, cul_s(offered->n),
                  offered->items[0], offered->items[offered->n - 1]);
}

static int find_version(const struct cul_package *package, const char *version,
                        size_t *out, struct cul_err *err) {
  struct cul_pep440 wanted, one;
  if (!cul_pep440_parse(version, &wanted))
    return cul_fail(err, CUL_EUSAGE, "give one as pip lists it, as 3.2.0",
                    "%s: \"%s\" is no version", package->range->name, version);
  for (size_t i = 0; i < package->offered.n; i++)
    if (cul_pep440_parse(package->offered.items[i], &one) &&
        cul_pep440_compare(&wanted, &one) == 0) {
      *out = i;
      return 0;
    }
  return fail_unknown(package, version, err);
}

/* Those from one end to the other become the axis' values. */
static int fill_axis(struct cul_packages *job, size_t k, struct cul_err *err) {
  struct cul_package *package = &job->packages[k];
  struct cul_axis *axis = &job->axes.axes[k];
  size_t good, bad = package->offered.n - 1, first, last;
  int rc = find_version(package, package->range->good, &good, err);
  if (rc == 0 && package->range->bad)
    rc = find_version(package, package->range->bad, &bad, err);
  if (rc < 0)
    return rc;
  if (good == bad)
    return cul_fail(err, CUL_EUSAGE, "give two versions",
                    "%s: %s is both the good and the bad version",
                    package->range->name, package->offered.items[bad]);
  first = good < bad ? good : bad;
  last = good < bad ? bad : good;
  axis->name = cul_xstrdup(package->range->name);
  axis->equals = "==";
  axis->values = cul_xcalloc(last - first + 1, sizeof *axis->values);
  for (size_t i = first; i <= last; i++)
    axis->values[axis->n++] = cul_xstrdup(package->offered.items[i]);
  job->good[k] = good < bad ? 0 : axis->n - 1;
  return 0;
}

static int list_versions(struct cul_packages *job, struct cul_err *err) {
  int rc = 0;
  job->packages = cul_xcalloc(job->conf->n, sizeof *job->packages);
  job->axes.axes = cul_xcalloc(job->conf->n, sizeof *job->axes.axes);
  job->axes.n = job->conf->n;
  for (size_t k = 0; k < job->conf->n && rc == 0; k++) {
    const struct cul_package_range *range = &job->conf->ranges[k];
    struct cul_package *package = &job->packages[k];
    package->range = range;
    rc = cul_pip_list(&job->pip, range->name,
                      is_pre(range->good) || is_pre(range->bad),
                      &package->offered, err);
    if (rc == 0)
      rc = fill_axis(job, k, err);
  }
  return rc;
}

/* ---- from end to end ---- */

static int left(const void *self, struct cul_err *err) {
  const struct cul_target_conf *target = self;
  if (cul_status_interrupted() || (target->interrupted && *target->interrupted))
    return cul_fail(err, CUL_EINTR,
                    "the same command continues where it stopped",
                    "interrupted");
  if (target->deadline_us && cul_now_us() >= target->deadline_us)
    return cul_fail(err, CUL_EBUDGET,
                    "raise the limit and run the same command to go on",
                    "--max-time reached");
  return 0;
}

static int open_job(struct cul_packages *job, struct cul_err *err) {
  const struct cul_packages_conf *conf = job->conf;
  const struct cul_patience patience = {left, &conf->target};
  const struct cul_venvs_conf venvs = {
      .dir = conf->envs, .most_bytes = conf->most_bytes, .patience = patience};
  struct cul_pip_conf pip = conf->pip;
  int rc = cul_venvs_open(&venvs, &job->venvs, err);
  if (rc < 0)
    return rc;
  pip.environment = &conf->target.environment;
  pip.kept = cul_venvs_dir(job->venvs);
  pip.patience = patience;
  rc = cul_pip_open(&job->pip, &pip, err);
  return rc ? rc : list_versions(job, err);
}

static int run(struct cul_packages *job, json_t **report, struct cul_err *err) {
  const struct cul_packages_conf *conf = job->conf;
  const struct cul_installer installer = {.self = job,
                                          .enter = enter,
                                          .leave = leave,
                                          .script = script,
                                          .complete = complete};
  const struct cul_versions_conf versions = {.cells = {.target = conf->target,
                                                       .given = &job->axes,
                                                       .installer = &installer},
                                             .search = conf->search,
                                             .bundle = conf->bundle,
                                             .all = conf->all,
                                             .good = job->good,
                                             .costly = true,
                                             .job = "packages"};
  return cul_versions_run(&versions, report, err);
}

int cul_packages_run(const struct cul_packages_conf *conf, json_t **report,
                     struct cul_err *err) {
  struct cul_packages job = {.conf = conf, .pip.place.keeper = -1};
  int rc = open_job(&job, err);
  *report = NULL;
  if (rc == 0)
    rc = run(&job, report, err);
  for (size_t i = 0; i < job.n_uses; i++)
    cul_venv_leave(&job.uses[i].venv);
  for (size_t k = 0; job.packages && k < conf->n; k++)
    cul_pip_versions_release(&job.packages[k].offered);
  free(job.uses);
  free(job.packages);
  cul_axes_release(&job.axes);
  cul_pip_release(&job.pip);
  cul_venvs_close(job.venvs);
  return rc;
}
