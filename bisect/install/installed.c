/* Finds installed environments: see installed.h. */
#include "installed.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "pep440.h"

struct environment {
  char *version, *python; /* heap */
};

/* The environments of one option. */
struct list {
  const char *spec;
  char *package; /* heap */
  struct environment *items;
  size_t n;
};

/* Are two names of a package equal?  Case does not count, and "-", "_" and "."
 * are equal (PEP 503). */
static bool is_same_name(const char *a, size_t n, const char *b) {
  if (strlen(b) != n)
    return false;
  for (size_t i = 0; i < n; i++) {
    char x = (char)tolower((unsigned char)a[i]);
    char y = (char)tolower((unsigned char)b[i]);
    x = strchr("-.", x) ? '_' : x;
    y = strchr("-.", y) ? '_' : y;
    if (x != y)
      return false;
  }
  return true;
}

/* The version in ".../NAME-VERSION.dist-info", heap; NULL: NAME is not
 * package. */
static char *version_of(const char *path, const char *package) {
  const char *base = strrchr(path, '/') + 1, *dash = strchr(base, '-');
  const char *end = strrchr(base, '.');
  if (!dash || !end || end < dash ||
      !is_same_name(base, (size_t)(dash - base), package))
    return NULL;
  return cul_xstrndup(dash + 1, (size_t)(end - dash - 1));
}

static void add(struct list *list, char *version, char *python) {
  list->items =
      cul_xreallocarray(list->items, list->n + 1, sizeof *list->items);
  list->items[list->n++] = (struct environment){version, python};
}

/* A pattern for glob(3): dir, in which no character is special, and rest; heap.
 */
static char *pattern_of(const char *dir, const char *rest) {
  struct cul_buf out = {0};
  for (; *dir; dir++) {
    if (strchr("*?[\\", *dir))
      cul_buf_addc(&out, '\\');
    cul_buf_addc(&out, *dir);
  }
  cul_buf_adds(&out, rest);
  return cul_buf_take(&out);
}

/* Look for the package in one environment. */
static void look(struct list *list, const char *dir) {
  char *python = cul_xasprintf("%s/bin/python", dir), *version = NULL;
  char *pattern = pattern_of(dir, "/lib/python*/site-packages/*.dist-info");
  glob_t found = {0};
  if (access(python, X_OK) == 0 &&
      glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc && !version; i++)
      version = version_of(found.gl_pathv[i], list->package);
  globfree(&found);
  free(pattern);
  if (version)
    add(list, version, python);
  else
    free(python);
}

static int look_below(struct list *list, const char *dir, struct cul_err *err) {
  char *pattern = pattern_of(dir, "/*/");
  glob_t found = {0};
  struct stat st;
  int rc = 0;
  if (stat(dir, &st) < 0)
    rc = cul_fail(err, CUL_EUSAGE, "name directories that are there",
                  "--versions %s: %s: %s", list->spec, dir, strerror(errno));
  look(list, dir);
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) {
      found.gl_pathv[i][strlen(found.gl_pathv[i]) - 1] = '\0';
      look(list, found.gl_pathv[i]);
    }
  globfree(&found);
  free(pattern);
  return rc;
}

static int by_version(const void *a, const void *b) {
  const struct environment *x = a, *y = b;
  struct cul_pep440 v, w;
  bool known = cul_pep440_parse(x->version, &v);
  int order;
  if (!known || !cul_pep440_parse(y->version, &w))
    return strverscmp(x->version, y->version);
  order = cul_pep440_compare(&v, &w);
  return order ? order : strcmp(x->version, y->version);
}

static int check(const struct list *list, struct cul_err *err) {
  if (list->n == 0)
    return cul_fail(err, CUL_EUSAGE,
                    "make one with python3 -m venv DIR && DIR/bin/pip install "
                    "PACKAGE; for directories of tools give --axis "
                    "v=3.2.0,3.8.0 -- DIR/@{v}/TOOL @@",
                    "--versions %s: no environment there has %s", list->spec,
                    list->package);
  for (size_t i = 0; i < list->n; i++) {
    const struct environment *e = &list->items[i];
    if (i && strcmp(e[-1].version, e->version) == 0)
      return cul_fail(err, CUL_EUSAGE, "name the environments that count",
                      "--versions %s: %s and %s both have %s", list->spec,
                      e[-1].python, e->python, e->version);
    if (strchr(e->python, ','))
      return cul_fail(err, CUL_EUSAGE,
                      "make a symbolic link to it, and give the link's path",
                      "--versions: the path %s contains a comma", e->python);
  }
  return 0;
}

static void append(struct cul_installed_axes *out, char *spec) {
  out->specs = cul_xreallocarray(out->specs, out->n + 1, sizeof *out->specs);
  out->specs[out->n++] = spec;
}

/* The value of --axis. */
static char *spec_of(const struct list *list) {
  struct cul_buf text = {0};
  cul_buf_addf(&text, "%s=", list->package);
  for (size_t i = 0; i < list->n; i++)
    cul_buf_addf(&text, "%s%s:=%s", i ? "," : "", list->items[i].version,
                 list->items[i].python);
  return cul_buf_take(&text);
}

static int find(const char *spec, struct cul_installed_axes *out,
                struct cul_err *err) {
  const char *at = strchr(spec, '=');
  struct list list = {.spec = spec};
  int rc = 0;
  if (!at || at == spec)
    return cul_fail(err, CUL_EUSAGE, "--versions triton=/opt/venvs",
                    "--versions \"%s\" names no package and its place", spec);
  list.package = cul_xstrndup(spec, (size_t)(at - spec));
  for (at++; *at && rc == 0;) {
    size_t n = strcspn(at, ",");
    char *dir = cul_xstrndup(at, n);
    while (n > 1 && dir[n - 1] == '/')
      dir[--n] = '\0';
    rc = look_below(&list, dir, err);
    free(dir);
    at += strcspn(at, ",");
    at += *at == ',';
  }
  if (list.n)
    qsort(list.items, list.n, sizeof *list.items, by_version);
  if (rc == 0)
    rc = check(&list, err);
  if (rc == 0)
    append(out, spec_of(&list));
  for (size_t i = 0; i < list.n; i++) {
    free(list.items[i].version);
    free(list.items[i].python);
  }
  free(list.items);
  free(list.package);
  return rc;
}

int cul_installed_find(const char *const *axes, size_t n,
                       const char *const *versions, size_t m,
                       struct cul_installed_axes *out, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < n; i++)
    append(out, cul_xstrdup(axes[i]));
  for (size_t i = 0; i < m && rc == 0; i++)
    rc = find(versions[i], out, err);
  return rc;
}

void cul_installed_release(struct cul_installed_axes *axes) {
  for (size_t i = 0; i < axes->n; i++)
    free(axes->specs[i]);
  free(axes->specs);
  *axes = (struct cul_installed_axes){0};
}
