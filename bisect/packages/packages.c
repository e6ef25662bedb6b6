/* Bisecting packages: see packages.h. */
#include "packages.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../base/files/beneath.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/target/findings.h"
#include "../install/pep440.h"
#include "packages_private.h"
#include "provenance.h"

/* ---- report ---- */

/* Details about the packages to blame. */

/* The two versions of an answer: the one to blame, and the one before it. */
struct pair {
  const struct cul_package *package;
  size_t axis;
  uint32_t culprit, before; /* values of the axis */
};

static json_t *text_or_null(const char *text) {
  return text ? cul_report_string(text) : json_null();
}

/* Find the value with this name; false: none. */
static bool find_value(const struct cul_packages *job, const char *name,
                       size_t *axis, uint32_t *value) {
  bool found = false;
  for (size_t k = 0; name && k < job->axes.n && !found; k++)
    for (uint32_t v = 0; v < job->axes.axes[k].n && !found; v++) {
      struct cul_buf text = {0};
      cul_axis_name(&job->axes.axes[k], v, &text);
      found = strcmp(cul_buf_str(&text), name) == 0;
      *axis = k;
      *value = v;
      cul_buf_release(&text);
    }
  return found;
}

static bool find_pair(const struct cul_packages *job, const json_t *change,
                      struct pair *out) {
  const char *culprit = json_string_value(json_object_get(change, "culprit"));
  const char *before =
      json_string_value(json_array_get(json_object_get(change, "parents"), 0));
  size_t axis;
  if (!find_value(job, culprit, &out->axis, &out->culprit) ||
      !find_value(job, before, &axis, &out->before) || axis != out->axis)
    return false;
  out->package = &job->packages[axis];
  return true;
}

static const char *version_of(const struct cul_packages *job,
                              const struct pair *pair, uint32_t value) {
  return job->axes.axes[pair->axis].values[value];
}

/* The files of a package that may name its commit, each as "NAME\nBYTES\n" and
 * its bytes. */
static const char show_text[] =
    "cd \"$venv\"/lib/python*/site-packages || exit\n"
    "show() { [ -f \"$1\" ] && n=$(wc -c <\"$1\") && [ $n -le 1048576 ] &&\n"
    "  echo \"$1\" && echo $n && cat \"$1\"; }\n"
    "for i in *.dist-info; do\n"
    "  n=$(printf %%s \"${i%%%%-*}\" | tr A-Z a-z | tr -c a-z0-9 -)\n"
    "  [ \"$n\" = %s ] || continue\n"
    "  for f in METADATA direct_url.json RECORD; do show \"$i/$f\"; done\n"
    "  cut -d, -f1 <\"$i/RECORD\" | grep -i version | while read -r f; do\n"
    "    case $f in *..* | /*) ;; *.py | *.json | *.txt) show \"$f\" ;; esac\n"
    "  done\n"
    "done\n:";

/* Write what such a script printed below dir. */
static int put_shown(const struct cul_held *place, const char *dir,
                     struct cul_bytes said, struct cul_err *err) {
  const char *at = said.data, *end = at + said.len, *line;
  int rc = 0;
  while (rc == 0 && at < end && (line = memchr(at, '\n', (size_t)(end - at)))) {
    char *name = cul_xstrndup(at, (size_t)(line - at)), *rest;
    unsigned long n = strtoul(line + 1, &rest, 10);
    bool good = *rest == '\n' && n <= (size_t)(end - rest - 1) &&
                name[0] != '/' && !strstr(name, "..");
    char *path = cul_xasprintf("%s/%s", dir, name);
    if (good)
      rc = cul_held_replace(place, path, (struct cul_bytes){rest + 1, n}, 0600,
                            err);
    at = good ? rest + 1 + n : end;
    free(path);
    free(name);
  }
  return rc;
}

/* As PEP 503 has it. */
static char *normal_name(const char *name) {
  char *out = cul_xstrdup(name);
  for (char *at = out; *at; at++)
    *at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '-';
  return out;
}

/* cul_provenance_find of an installation, wherever it is. */
static int find_commit(struct cul_packages *job, const uint32_t *at,
                       const char *package, const char *version,
                       struct cul_provenance *out, struct cul_err *err) {
  const struct cul_workplace *place = &job->installs.scripts.place;
  char *name = normal_name(package);
  char *script = cul_xasprintf(show_text, name);
  char *venv = cul_xasprintf("%s/shown", place->dir);
  char *site = cul_xasprintf("%s/lib/python/site-packages", venv);
  struct cul_buf said = {0};
  bool ok;
  int rc = cul_installs_ask(&job->installs, at, script, &said, &ok, err);
  if (rc == 0)
    rc = put_shown(&place->held, site, cul_buf_bytes(&said), err);
  if (rc == 0)
    cul_provenance_find(venv, package, version, out);
  (void)!cul_beneath_remove(place->held.fd, "shown");
  cul_buf_release(&said);
  free(site);
  free(venv);
  free(script);
  free(name);
  return rc;
}

/* {"version": ..., "uploaded": time or null, "commit": ... or null} */
static int describe(struct cul_packages *job, const struct pair *pair,
                    const uint32_t *at, json_t **out, struct cul_err *err) {
  const char *version = version_of(job, pair, at[pair->axis]);
  struct cul_provenance from = {0};
  char *uploaded = NULL;
  const char *name = pair->package->range->name;
  int rc = find_commit(job, at, name, version, &from, err);
  if (rc == 0)
    rc = cul_pip_uploaded(&job->way.pip, &pair->package->offered, version,
                          &uploaded, err);
  *out = json_pack("{s:s, s:o, s:o, s:o}", "version", version, "uploaded",
                   text_or_null(uploaded), "commit", text_or_null(from.commit),
                   "repository", text_or_null(from.repository));
  cul_provenance_release(&from);
  free(uploaded);
  return rc;
}

/* Set the other packages to the versions at which they were held. */
static void values_of(const struct cul_packages *job, const json_t *change,
                      uint32_t *at) {
  const json_t *held = json_object_get(change, "held"), *one;
  size_t i, axis;
  uint32_t value;
  json_array_foreach(held, i, one) {
    if (find_value(job, json_string_value(one), &axis, &value))
      at[axis] = value;
  }
}

static int complete_change(struct cul_packages *job, json_t *change,
                           struct cul_err *err) {
  uint32_t at[CUL_MAX_AXES] = {0};
  struct pair pair;
  json_t *culprit = NULL, *before = NULL;
  int rc;
  if (!find_pair(job, change, &pair))
    return 0;
  values_of(job, change, at);
  at[pair.axis] = pair.culprit;
  rc = describe(job, &pair, at, &culprit, err);
  at[pair.axis] = pair.before;
  if (rc == 0)
    rc = describe(job, &pair, at, &before, err);
  json_object_set_new(change, "package",
                      cul_report_string(pair.package->range->name));
  json_object_set_new(change, "first", culprit ? culprit : json_null());
  json_object_set_new(change, "before", before ? before : json_null());
  return rc;
}

static json_t *packages_of(const struct cul_packages *job) {
  json_t *out = json_array();
  for (size_t k = 0; k < job->axes.n; k++) {
    const struct cul_axis *axis = &job->axes.axes[k];
    uint32_t good = job->good[k], bad = axis->n - 1 - good;
    json_array_append_new(out, json_pack("{s:s, s:s, s:s, s:I}", "name",
                                         axis->name, "good", axis->values[good],
                                         "bad", axis->values[bad], "versions",
                                         (json_int_t)axis->n));
  }
  return out;
}

/* Add to the report when the versions of each answer were uploaded, and from
 * which commits they were built, unless the job was cut. */
static int packages_complete(struct cul_packages *job, json_t *report, bool cut,
                             struct cul_err *err) {
  json_t *changes = json_object_get(report, "changes"), *change;
  size_t i;
  int rc = 0;
  json_object_set_new(report, "packages", packages_of(job));
  json_array_foreach(changes, i, change) {
    if (rc == 0 && !cut)
      rc = complete_change(job, change, err);
  }
  return rc;
}

/* ---- packages ---- */

/* ---- environments ---- */

static char **requirements(void *self, const uint32_t *at) {
  const struct cul_packages *job = self;
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

static int complete(void *self, json_t *report, bool cut, struct cul_err *err) {
  const struct cul_installs *installs = self;
  const struct cul_pip_way *way = installs->conf.self;
  return packages_complete(way->self, report, cut, err);
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
                    "%s: \"%s\" is not a version", package->range->name,
                    version);
  for (size_t i = 0; i < package->offered.n; i++)
    if (cul_pep440_parse(package->offered.items[i], &one) &&
        cul_pep440_compare(&wanted, &one) == 0) {
      *out = i;
      return 0;
    }
  return fail_unknown(package, version, err);
}

/* Make the versions between both ends the values of the axis. */
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
    rc = cul_pip_list(&job->way.pip, range->name,
                      is_pre(range->good) || is_pre(range->bad),
                      &package->offered, err);
    if (rc == 0)
      rc = fill_axis(job, k, err);
  }
  return rc;
}

/* ---- from end to end ---- */

static int open_job(struct cul_packages *job, struct cul_err *err) {
  const struct cul_packages_conf *conf = job->conf;
  const struct cul_installs_conf installs = {.target = &conf->target,
                                             .way = &cul_pip_way,
                                             .self = &job->way,
                                             .n_axes = conf->n,
                                             .envs = conf->envs,
                                             .most_bytes = conf->most_bytes};
  struct cul_pip_conf pip = conf->pip;
  int rc = cul_installs_open(&job->installs, &installs, err);
  job->way.self = job;
  job->way.requirements = requirements;
  pip.scripts = &job->installs.scripts;
  if (rc == 0)
    rc = cul_pip_open(&job->way.pip, &pip, err);
  return rc ? rc : list_versions(job, err);
}

static int run(struct cul_packages *job, json_t **report, struct cul_err *err) {
  const struct cul_packages_conf *conf = job->conf;
  struct cul_installer installer = cul_installs_installer(&job->installs);
  struct cul_versions_conf versions = {.cells = {.target = conf->target,
                                                 .given = &job->axes,
                                                 .installer = &installer},
                                       .search = conf->search,
                                       .bundle = conf->bundle,
                                       .all = conf->all,
                                       .good = job->good,
                                       .costly = true,
                                       .job = "packages",
                                       .say = cul_packages_say};
  installer.complete = complete;
  versions.cells.target.environment.hosts = job->installs.hosts;
  return cul_versions_run(&versions, report, err);
}

int cul_packages_run(const struct cul_packages_conf *conf, json_t **report,
                     struct cul_err *err) {
  struct cul_packages job = {.conf = conf, .installs.scripts.place.keeper = -1};
  int rc = open_job(&job, err);
  *report = NULL;
  if (rc == 0)
    rc = run(&job, report, err);
  for (size_t k = 0; job.packages && k < conf->n; k++)
    cul_pip_versions_release(&job.packages[k].offered);
  free(job.packages);
  cul_axes_release(&job.axes);
  cul_pip_release(&job.way.pip);
  cul_installs_release(&job.installs);
  return rc;
}
