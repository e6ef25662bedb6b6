/* Bisecting Debian packages: see debs.h. */
#include "debs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../../base/status.h"
#include "../../pipeline/shell_text.h"
#include "../build/build_log.h"
#include "../install/installs.h"

/* A file of the directory. */
struct deb {
  char *version, *package, *file;
};

struct job {
  const struct cul_debs_conf *conf;
  char *dir;        /* absolute */
  struct deb *debs; /* oldest version first */
  size_t n;
  struct cul_axis axis; /* its values are versions */
  struct cul_axes axes;
  uint32_t good;
  struct cul_installs installs;
};

/* ---- the directory ---- */

/* Read a line "VERSION<tab>PACKAGE<tab>FILE". */
static void read_line(struct job *job, const char *line, size_t len) {
  const char *tab = memchr(line, '\t', len);
  const char *next =
      tab ? memchr(tab + 1, '\t', len - (size_t)(tab + 1 - line)) : NULL;
  if (!next)
    return;
  job->debs = cul_xreallocarray(job->debs, job->n + 1, sizeof *job->debs);
  job->debs[job->n++] = (struct deb){
      .version = cul_xstrndup(line, (size_t)(tab - line)),
      .package = cul_xstrndup(tab + 1, (size_t)(next - tab - 1)),
      .file = cul_xstrndup(next + 1, len - (size_t)(next + 1 - line))};
}

static int by_version(const void *a, const void *b) {
  const struct deb *one = a, *other = b;
  int diff = cul_debian_compare(one->version, other->version);
  if (!diff)
    diff = strcmp(one->version, other->version);
  return diff ? diff : strcmp(one->file, other->file);
}

static int fail_none(const struct job *job, const char *said,
                     struct cul_err *err) {
  char why[200];
  cul_first_error(said, why, sizeof why);
  if (strstr(said, "command not found"))
    return cul_fail(err, CUL_EENV, "install it: apt install dpkg",
                    "cannot find the program dpkg-deb");
  return cul_fail(err, CUL_EUSAGE, "give a directory of .deb files",
                  "%s contains no package%s%s", job->conf->dir,
                  *why ? ": " : "", why);
}

static int list_debs(struct job *job, struct cul_err *err) {
  struct cul_buf script = {0}, said = {0};
  struct cul_scripts here = job->installs.scripts;
  bool ok;
  int rc;
  here.hosts = NULL; /* the files are of this machine */
  cul_buf_adds(&script, "cd ");
  cul_shell_quote(job->dir, &script);
  cul_buf_adds(&script,
               " || exit\nfor file in *.deb; do\n  [ -e \"$file\" ] &&\n"
               "    dpkg-deb --showformat='${Version}\\t${Package}\\t' --show "
               "-- \"$file\" &&\n    printf '%s\\n' \"$file\"\ndone\n");
  rc =
      cul_scripts_run(&here, NULL, NULL, cul_buf_str(&script), &said, &ok, err);
  for (const char *at = cul_buf_str(&said); rc == 0 && *at;) {
    size_t len = strcspn(at, "\n");
    read_line(job, at, len);
    at += len + (at[len] != '\0');
  }
  if (rc == 0 && job->n == 0)
    rc = fail_none(job, cul_buf_str(&said), err);
  if (job->n)
    qsort(job->debs, job->n, sizeof *job->debs, by_version);
  cul_buf_release(&said);
  cul_buf_release(&script);
  return rc;
}

/* ---- versions ---- */

static int find_version(const struct job *job, const char *version, size_t *out,
                        struct cul_err *err) {
  for (size_t i = 0; i < job->n; i++)
    if (cul_debian_compare(job->debs[i].version, version) == 0) {
      *out = i;
      return 0;
    }
  return cul_fail(err, CUL_EUSAGE, "give an existing one",
                  "%s has no version %s; the oldest is %s, the newest %s",
                  job->conf->dir, version, job->debs[0].version,
                  job->debs[job->n - 1].version);
}

/* The name of the package; NULL: there are several. */
static const char *name_of(const struct job *job) {
  for (size_t i = 1; i < job->n; i++)
    if (strcmp(job->debs[i].package, job->debs[0].package) != 0)
      return "debs";
  return job->debs[0].package;
}

static int fill_axis(struct job *job, struct cul_err *err) {
  struct cul_axis *axis = &job->axis;
  size_t good, bad = job->n - 1;
  const char *first, *last;
  int rc = find_version(job, job->conf->good, &good, err);
  if (rc == 0 && job->conf->bad)
    rc = find_version(job, job->conf->bad, &bad, err);
  if (rc < 0)
    return rc;
  first = job->debs[good < bad ? good : bad].version;
  last = job->debs[good < bad ? bad : good].version;
  if (cul_debian_compare(first, last) == 0)
    return cul_fail(err, CUL_EUSAGE, "give two versions",
                    "%s is both the good and the bad version", first);
  axis->name = cul_xstrdup(name_of(job));
  axis->values = cul_xcalloc(job->n, sizeof *axis->values);
  for (size_t i = 0; i < job->n; i++) {
    const char *version = job->debs[i].version;
    bool again = axis->n && strcmp(axis->values[axis->n - 1], version) == 0;
    if (!again && cul_debian_compare(version, first) >= 0 &&
        cul_debian_compare(version, last) <= 0)
      axis->values[axis->n++] = cul_xstrdup(version);
  }
  job->good = good < bad ? 0 : axis->n - 1;
  job->axes = (struct cul_axes){axis, 1};
  return 0;
}

/* ---- installations ---- */

/* Append a command that unpacks a version's files into the directory that the
 * word `to` names; hosts: where it is run, or NULL. */
static void add_unpack(const struct job *job, const struct cul_hosts *hosts,
                       const char *version, const char *to,
                       struct cul_buf *out) {
  const char *between = "";
  for (size_t i = 0; i < job->n; i++) {
    char *path, *there;
    if (strcmp(job->debs[i].version, version) != 0)
      continue;
    path = cul_xasprintf("%s/%s", job->dir, job->debs[i].file);
    there = hosts ? cul_hosts_path(hosts, path) : NULL;
    cul_buf_addf(out, "%sdpkg-deb -x ", between);
    cul_shell_quote(there ? there : path, out);
    cul_buf_addf(out, " %s", to);
    free(there);
    free(path);
    between = " &&\n    ";
  }
}

/* The name of an installation, which depends on the current files. */
static char *name(void *self, const uint32_t *at) {
  const struct job *job = self;
  const char *version = job->axis.values[at[0]];
  struct cul_hasher *h = cul_hasher_new();
  struct cul_buf out = {0};
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX];
  cul_hasher_field(h, "unpacked packages 1");
  for (size_t i = 0; i < job->n; i++) {
    char *path = cul_xasprintf("%s/%s", job->dir, job->debs[i].file);
    struct stat st = {0};
    if (strcmp(job->debs[i].version, version) == 0 && stat(path, &st) == 0) {
      cul_hasher_field(h, path);
      cul_hasher_u64(h, (uint64_t)st.st_size);
      cul_hasher_u64(h, (uint64_t)st.st_mtim.tv_sec);
      cul_hasher_u64(h, (uint64_t)st.st_mtim.tv_nsec);
    }
    free(path);
  }
  digest = cul_hasher_finish(h);
  cul_buf_addf(&out, "%s-%.16s",
               cul_is_plain_name(job->axis.name) ? job->axis.name : "debs",
               cul_digest_hex(&digest, hex));
  return cul_buf_take(&out);
}

static void make(void *self, const uint32_t *at, const char *dir,
                 struct cul_buf *script, struct cul_buf *words) {
  const struct job *job = self;
  const char *version = job->axis.values[at[0]];
  struct cul_buf to = {0};
  cul_buf_addf(words, "unpacking %s %s", job->axis.name, version);
  cul_shell_quote(dir, &to);
  add_unpack(job, job->installs.hosts, version, cul_buf_str(&to), script);
  cul_buf_release(&to);
}

/* The packages of the version; the list and its strings are one block. */
static const char **files(void *self, const uint32_t *at) {
  const struct job *job = self;
  const char *version = job->axis.values[at[0]], **out;
  size_t n = 0, bytes = 0;
  char *text;
  for (size_t i = 0; i < job->n; i++)
    bytes += strlen(job->dir) + strlen(job->debs[i].file) + 2;
  out = cul_xmalloc((job->n + 1) * sizeof *out + bytes);
  text = (char *)(out + job->n + 1);
  for (size_t i = 0; i < job->n; i++) {
    if (strcmp(job->debs[i].version, version) != 0)
      continue;
    out[n++] = text;
    text = stpcpy(stpcpy(stpcpy(text, job->dir), "/"), job->debs[i].file) + 1;
  }
  out[n] = NULL;
  return out;
}

static void add_path(const char *path, struct cul_buf *out) {
  cul_buf_addf(out, "%s%s", out->data[out->len - 1] == '=' ? "" : ":", path);
}

/* Append usr/lib, and the directories below it for one architecture. */
static void add_libraries(const char *dir, struct cul_buf *out) {
  char *lib = cul_xasprintf("%s/usr/lib", dir);
  DIR *names = opendir(lib);
  for (const struct dirent *e; names && (e = readdir(names));)
    if (strstr(e->d_name, "-linux-gnu")) {
      char *path = cul_xasprintf("%s/%s", lib, e->d_name);
      add_path(path, out);
      free(path);
    }
  if (names)
    closedir(names);
  add_path(lib, out);
  free(lib);
}

static char **variables(void *self, const char *dir) {
  const struct job *job = self;
  const struct cul_environment *env = job->installs.scripts.environment;
  const char *path = cul_environment_get(env, "PATH");
  const char *libraries = cul_environment_get(env, "LD_LIBRARY_PATH");
  struct cul_buf programs = {0}, found = {0};
  char **out = cul_xcalloc(3, sizeof *out);
  cul_buf_addf(&programs, "PATH=%s/usr/bin:%s/bin", dir, dir);
  if (path)
    add_path(path, &programs);
  cul_buf_adds(&found, "LD_LIBRARY_PATH=");
  add_libraries(dir, &found);
  if (libraries && *libraries)
    add_path(libraries, &found);
  out[0] = cul_buf_take(&programs);
  out[1] = cul_buf_take(&found);
  return out;
}

static void shell(void *self, const uint32_t *at, struct cul_buf *out) {
  const struct job *job = self;
  cul_buf_adds(out, "mkdir \"$venv\" &&\n    ");
  add_unpack(job, NULL, job->axis.values[at[0]], "\"$venv\"", out);
}

static const struct cul_installs_way way = {
    .name = name,
    .make = make,
    .files = files,
    .variables = variables,
    .programs = "usr/bin",
    .shell = shell,
    .enter =
        "  PATH=$venv/usr/bin:$venv/bin:$PATH\n"
        "  for lib in \"$venv\"/usr/lib \"$venv\"/usr/lib/*-linux-gnu*; do\n"
        "    [ ! -d \"$lib\" ] ||\n"
        "      LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n"
        "  done\n"
        "  export PATH LD_LIBRARY_PATH\n",
    .print = "printf '%s\\n' \"PATH=$PATH\" "
             "\"LD_LIBRARY_PATH=$LD_LIBRARY_PATH\""};

/* ---- from end to end ---- */

static int open_job(struct job *job, struct cul_err *err) {
  const struct cul_debs_conf *conf = job->conf;
  const struct cul_installs_conf installs = {.target = &conf->target,
                                             .way = &way,
                                             .self = job,
                                             .n_axes = 1,
                                             .envs = conf->envs,
                                             .most_bytes = conf->most_bytes};
  int rc = cul_installs_open(&job->installs, &installs, err);
  job->dir = realpath(conf->dir, NULL);
  if (rc == 0 && !job->dir)
    rc = cul_fail(err, CUL_EUSAGE, "give a directory of .deb files",
                  "--debs %s: %s", conf->dir, strerror(errno));
  if (rc == 0)
    rc = list_debs(job, err);
  return rc ? rc : fill_axis(job, err);
}

static int run(struct job *job, json_t **report, struct cul_err *err) {
  const struct cul_debs_conf *conf = job->conf;
  const struct cul_installer installer = cul_installs_installer(&job->installs);
  struct cul_versions_conf versions = {.cells = {.target = conf->target,
                                                 .given = &job->axes,
                                                 .installer = &installer},
                                       .search = conf->search,
                                       .bundle = conf->bundle,
                                       .all = conf->all,
                                       .good = &job->good,
                                       .costly = true,
                                       .job = "debs"};
  versions.cells.target.environment.hosts = job->installs.hosts;
  return cul_versions_run(&versions, report, err);
}

static void release(struct job *job) {
  for (size_t i = 0; i < job->n; i++) {
    free(job->debs[i].version);
    free(job->debs[i].package);
    free(job->debs[i].file);
  }
  for (uint32_t v = 0; v < job->axis.n; v++)
    free(job->axis.values[v]);
  free(job->debs);
  free(job->axis.values);
  free(job->axis.name);
  free(job->dir);
  cul_installs_release(&job->installs);
}

int cul_debs_run(const struct cul_debs_conf *conf, json_t **report,
                 struct cul_err *err) {
  struct job job = {.conf = conf, .installs.scripts.place.keeper = -1};
  int rc = open_job(&job, err);
  *report = NULL;
  if (rc == 0)
    rc = run(&job, report, err);
  release(&job);
  return rc;
}
