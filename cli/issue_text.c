/* The issue text of a bundle: see issue_text.h. */
#include "issue_text.h"

#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "../bisect/told.h"
#include "../issue/issue.h"
#include "../oracles/oracle.h"
#include "../probe/json_word.h"
#include "../reducer/results/seal.h"

int cul_report_of_bundle(const char *dir, json_t **out, struct cul_err *err) {
  struct cul_buf text = {0};
  json_error_t why;
  int rc = cul_bundle_read(dir, "report.json", &text, err);
  if (rc == 0)
    *out = json_loadb(cul_buf_str(&text), text.len, 0, &why);
  if (rc == 0 && !json_is_object(*out))
    rc = cul_fail(err, CUL_EUSAGE,
                  "give a directory that --bundle of culprit wrote",
                  "%s/report.json is not a report%s%s", dir, *out ? "" : ": ",
                  *out ? "" : why.text);
  cul_buf_release(&text);
  return rc;
}

/* Read a file that may be missing; a link is an error. */
static int read_file(const char *dir, const char *name, struct cul_buf *out,
                     struct cul_err *err) {
  struct cul_err why = {0};
  char *path = cul_xasprintf("%s has no %s", dir, name);
  int rc = cul_bundle_read(dir, name, out, &why);
  if (rc < 0 && strcmp(why.what, path) == 0)
    rc = 0;
  if (rc < 0)
    *err = why;
  free(path);
  return rc;
}

/* ---- bundles of one failure ---- */

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static bool equal_texts(const json_t *a, const json_t *b, const char *key) {
  return strcmp(text_of(a, key), text_of(b, key)) == 0;
}

/* The first relevant frame, or NULL. */
static const json_t *place_of(const json_t *signature) {
  const json_t *frames = json_object_get(signature, "frames"), *frame;
  size_t i;
  json_array_foreach(frames, i, frame) {
    if (json_is_true(json_object_get(frame, "relevant")))
      return frame;
  }
  return NULL;
}

/* Are two frames in different functions or, without names, in different files?
 * Versions of a file count as the same file: libMLIR.so.19.1 and
 * libMLIR.so.22.1. */
static bool placed_apart(const json_t *a, const json_t *b) {
  const char *name = text_of(a, "name"), *other = text_of(b, "name");
  size_t n, n_other;
  if (*name && *other)
    return strcmp(name, other) != 0;
  name = cul_basename(text_of(a, "module"));
  other = cul_basename(text_of(b, "module"));
  n = strcspn(name, ".0123456789");
  n_other = strcspn(other, ".0123456789");
  return *name && *other && (n != n_other || strncmp(name, other, n) != 0);
}

/* Are two signatures certainly of different failures?  If neither message nor
 * place differs, they may be of the same one. */
static bool is_apart(const json_t *a, const json_t *b) {
  bool spoken = *text_of(a, "text") && *text_of(b, "text");
  if (!equal_texts(a, b, "kind"))
    return true;
  if (*text_of(a, "key_across") && equal_texts(a, b, "key_across"))
    return false;
  return spoken ? !equal_texts(a, b, "text")
                : placed_apart(place_of(a), place_of(b));
}

/* Does the report identify the failure?  It does not for a failure that a
 * script judges, or that is only an exit status. */
static bool says_failure(const json_t *report) {
  const json_t *signature = json_object_get(report, "signature");
  const char *kind = text_of(signature, "kind");
  return *kind && strcmp(kind, cul_kind_name(CUL_KIND_NONE)) != 0 &&
         (strcmp(kind, cul_kind_name(CUL_KIND_EXIT)) != 0 ||
          *text_of(signature, "text")) &&
         !*text_of(report, "script_sense") &&
         !json_is_object(
             json_object_get(json_object_get(report, "oracle"), "script"));
}

/* May the bisection be of the bundle's failure?  That failure may also appear
 * at other places ("also") or be named by the user ("named"). */
static bool is_of(const json_t *bundle, const json_t *bisection) {
  const json_t *found = json_object_get(bisection, "signature");
  const json_t *first = json_object_get(bundle, "signature"), *one;
  size_t i;
  if (!says_failure(bundle) || !says_failure(bisection) ||
      !is_apart(first, found))
    return true;
  json_array_foreach(json_object_get(first, "also"), i, one) {
    if (!is_apart(one, found))
      return true;
  }
  one = json_object_get(bundle, "named");
  return *text_of(one, "kind") && !is_apart(one, found);
}

static int check_failures(const char *const *dirs, size_t n,
                          json_t *const *reports, struct cul_err *err) {
  for (size_t i = 1; i < n; i++)
    if (!is_of(reports[0], reports[i]))
      return cul_fail(
          err, CUL_EUSAGE,
          "an issue is about one failure: print the other one separately",
          "%s and %s are about different failures: %s and %s", dirs[i], dirs[0],
          text_of(json_object_get(reports[i], "signature"), "title"),
          text_of(json_object_get(reports[0], "signature"), "title"));
  return 0;
}

/* Read the reports of the other bundles, which are bisections. */
static int read_bisections(const char *const *dirs, size_t n, json_t **out,
                           struct cul_err *err) {
  for (size_t i = 0; i < n; i++) {
    int rc = cul_report_of_bundle(dirs[i], &out[i], err);
    if (rc < 0)
      return rc;
    if (!cul_bisect_is_report(out[i]))
      return cul_fail(err, CUL_EUSAGE,
                      "the first one is the bundle; the others are those of "
                      "culprit bisect",
                      "%s is not the bundle of a bisection", dirs[i]);
  }
  return 0;
}

/* Read the scripts that the report names; one that the bundle lacks stays
 * empty.  The caller releases n of both. */
static int read_scripts(const char *dir, const json_t *report,
                        struct cul_buf **texts, struct cul_bytes **bytes,
                        size_t *n, struct cul_err *err) {
  const json_t *scripts = json_object_get(report, "scripts");
  int rc = 0;
  *n = json_array_size(scripts);
  *texts = cul_xcalloc(*n + 1, sizeof **texts);
  *bytes = cul_xcalloc(*n + 1, sizeof **bytes);
  for (size_t i = 0; i < *n && rc == 0; i++) {
    char *word = cul_json_word_take(json_array_get(scripts, i));
    char *name = cul_xasprintf("script-%s", word ? cul_basename(word) : "");
    rc = read_file(dir, name, &(*texts)[i], err);
    (*bytes)[i] = cul_buf_bytes(&(*texts)[i]);
    free(name);
    free(word);
  }
  return rc;
}

static int write_reduced(const char *dir, struct cul_issue *issue,
                         struct cul_page *page, struct cul_err *err) {
  struct cul_buf passing = {0}, script = {0}, *texts = NULL;
  struct cul_bytes *bytes = NULL;
  const char *dot = strchr(issue->name, '.');
  char *name = cul_xasprintf("passing%s", dot ? dot : "");
  int rc = read_file(dir, name, &passing, err);
  if (rc == 0)
    rc = read_file(dir, "interesting", &script, err);
  if (rc == 0)
    rc = read_scripts(dir, issue->report, &texts, &bytes, &issue->n_runs, err);
  issue->runs = bytes;
  issue->passing = cul_buf_bytes(&passing);
  issue->script = cul_buf_bytes(&script);
  if (rc == 0)
    cul_issue_write(issue, page);
  cul_buf_release(&passing);
  cul_buf_release(&script);
  for (size_t i = 0; i < issue->n_runs; i++)
    cul_buf_release(&texts[i]);
  free(texts);
  free(bytes);
  free(name);
  return rc;
}

static int write_issue(const char *dir, struct cul_issue *issue,
                       struct cul_page *page, struct cul_err *err) {
  char *name = cul_issue_case_name(issue->report);
  struct cul_buf repro = {0};
  int rc = read_file(dir, name, &repro, err);
  issue->name = repro.len ? name : NULL;
  issue->repro = cul_buf_bytes(&repro);
  if (rc == 0 && cul_bisect_is_report(issue->report))
    cul_bisect_issue(issue->report, issue->name, issue->repro, page);
  else if (rc == 0) {
    issue->name = name;
    rc = write_reduced(dir, issue, page, err);
  }
  cul_buf_release(&repro);
  free(name);
  return rc;
}

int cul_issue_of_bundle(const char *const *dirs, size_t n,
                        struct cul_page *page, struct cul_err *err) {
  json_t **reports = cul_xcalloc(n, sizeof *reports);
  struct cul_issue issue = {.bisections = (const json_t *const *)reports + 1,
                            .n_bisections = n - 1};
  int rc = cul_report_of_bundle(dirs[0], &reports[0], err);
  if (rc == 0)
    rc = read_bisections(dirs + 1, n - 1, reports + 1, err);
  if (rc == 0)
    rc = check_failures(dirs, n, reports, err);
  issue.report = reports[0];
  if (rc == 0)
    rc = write_issue(dirs[0], &issue, page, err);
  for (size_t i = 0; i < n; i++)
    json_decref(reports[i]);
  free(reports);
  return rc;
}
