/* Reads logs from directories, files, packed files and lists. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../oracles/rules/rules.h"
#include "../../probe/json_word.h"
#include "../report/report.h"
#include "../text/clean.h"
#include "../text/unpack.h"
#include "../triage.h"
#include "walk.h"

enum { MAX_LOG = 1 << 30 };

/* The log that is being read. line: its line in a list; NULL: not from a
 * list. */
struct reading {
  struct cul_triage *t;
  const json_t *line;
  bool walked; /* found in a directory, not named by the user */
};

/* Is the file of a kind that is stored next to logs, but is not a log? */
static bool is_no_log(const char *name) {
  static const char *const endings[] = {
      ".mlir",  ".py",  ".ll",  ".jsonl", ".sarif", ".csv", ".sh",
      ".c",     ".cpp", ".h",   ".o",     ".so",    ".a",   ".bin",
      ".npy",   ".npz", ".pt",  ".vmfb",  ".db",    ".tsv", ".ptx",
      ".cubin", ".png", ".svg", ".cu",    ".js",    ".css", ".lock"};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < CUL_ARRAY_SIZE(endings); i++)
    if (!strcmp(dot, endings[i]))
      return true;
  return false;
}

/* May the file be a log or test results, but also something else, such as a
 * report? */
static bool is_doubtful(const char *name) {
  static const char *const endings[] = {".xml", ".json", ".html", ".htm",
                                        ".md"};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < CUL_ARRAY_SIZE(endings); i++)
    if (!strcmp(dot, endings[i]))
      return true;
  return false;
}

static bool is_own_json(struct cul_bytes text) {
  static const char first[] = "\"culprit_version\"";
  size_t at = text.len > 0 && text.data[0] == '{';
  while (at && at < text.len && strchr(" \n", text.data[at]))
    at++;
  return at && text.len - at > sizeof first &&
         memcmp(text.data + at, first, sizeof first - 1) == 0;
}

/* Is this text a report of culprit itself: of triage, or JSON? */
static bool is_own(struct cul_bytes text) {
  bool own = is_own_json(text);
  for (size_t i = 0; cul_triage_reports[i] && !own; i++)
    own = cul_triage_has_mark(cul_triage_reports[i], text);
  return own;
}

static void take_file(void *self, const char *name, struct cul_bytes raw) {
  struct reading *reading = self;
  if (cul_is_binary(raw) && !reading->walked && !strchr(name, '!'))
    cul_triage_problem(reading->t, name, "is not text");
  else if (cul_is_binary(raw) || (strchr(name, '!') && is_no_log(name)))
    reading->t->n_skipped++;
  else if (reading->walked && is_doubtful(name) && is_own(raw))
    reading->t->n_skipped++;
  else if ((reading->walked || strchr(name, '!')) && is_doubtful(name))
    cul_triage_add_doubtful(reading->t, name, raw);
  else
    cul_triage_add(reading->t, name, raw, reading->line);
}

static void take_problem(void *self, const char *name, const char *why) {
  struct reading *reading = self;
  cul_triage_problem(reading->t, name, why);
}

/* Is the file a device or a named pipe?  Reading it may never end.  A pipe of
 * the shell (/dev/fd) has a writer. */
static bool is_endless(const char *path) {
  struct stat st;
  if (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
    return false;
  return !S_ISFIFO(st.st_mode) ||
         (strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0);
}

/* Read a file.  A file that cannot be read is reported and skipped. */
static void read_log(struct cul_triage *t, const char *path, const json_t *line,
                     bool walked) {
  struct reading reading = {t, line, walked};
  const struct cul_unpacked to = {&reading, take_file, take_problem};
  struct cul_buf raw = {0};
  struct cul_err err = {0};
  cul_status_beat();
  if (is_endless(path)) {
    cul_triage_problem(t, path, "is a pipe or a device, not a file");
  } else if (cul_file_read(path, MAX_LOG, &raw, &err) < 0) {
    t->refused |= err.code == CUL_EENV;
    cul_triage_problem(t, path, err.what);
  } else if (raw.len == 0) {
    cul_triage_problem(t, path, "is empty");
  } else {
    cul_unpack_file(path, cul_buf_bytes(&raw), &to);
  }
  cul_buf_release(&raw);
}

/* ---- directories ---- */

static void walk_file(void *self, const char *path) {
  struct cul_triage *t = self;
  if (is_no_log(path))
    t->n_skipped++;
  else
    read_log(t, path, NULL, true);
}

/* A bundle of culprit tells of one failure in many files, none of them a
 * log. */
static bool is_bundle(void *self, const char *dir) {
  struct cul_triage *t = self;
  CUL_HEAP char *script = cul_xasprintf("%s/repro.sh", dir);
  CUL_HEAP char *path = cul_xasprintf("%s/report.json", dir);
  struct cul_buf report = {0};
  struct cul_err ignored = {0};
  bool is = access(script, F_OK) == 0 &&
            cul_file_read(path, MAX_LOG, &report, &ignored) == 0 &&
            is_own_json(cul_buf_bytes(&report));
  t->n_skipped += is;
  cul_buf_release(&report);
  return is;
}

static void walk_problem(void *self, const char *path, const char *why) {
  cul_triage_problem(self, path, why);
}

/* ---- lists ---- */

/* A path in a list is relative to the directory of the list, or, if nothing
 * exists there, to the working directory.  Heap. */
static char *beside(const char *list, const char *path) {
  size_t dir = (size_t)(cul_basename(list) - list);
  struct stat st;
  char *there;
  if (path[0] == '/')
    return cul_xstrdup(path);
  there = cul_xasprintf("%.*s%s", (int)dir, list, path);
  if (stat(there, &st) == 0)
    return there;
  free(there);
  return cul_xstrdup(path);
}

static void set_path(const char *list, json_t *line, const char *key) {
  const char *path = json_string_value(json_object_get(line, key));
  char *found = path ? beside(list, path) : NULL;
  if (found)
    json_object_set_new(line, key, json_stringn_nocheck(found, strlen(found)));
  free(found);
}

static int bad_line(const char *list, size_t number, const char *what,
                    struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE,
                  "a line is a JSON object with \"log\": FILE or \"text\": "
                  "STRING, and perhaps \"name\", \"module\" and \"command\"",
                  "%s:%zu: %s", list, number, what);
}

static int read_line(struct cul_triage *t, const char *list, size_t number,
                     struct cul_bytes text, struct cul_err *err) {
  json_error_t error;
  json_t *line = json_loadb(text.data, text.len, JSON_ALLOW_NUL, &error);
  const json_t *inline_text;
  int rc = 0;
  if (!json_is_object(line)) {
    json_decref(line);
    return bad_line(list, number, line ? "is not an object" : error.text, err);
  }
  cul_json_word_restore(line, "module");
  cul_json_word_restore(line, "log");
  set_path(list, line, "module");
  inline_text = json_object_get(line, "text");
  if (json_object_get(line, "signature")) {
    if (!cul_triage_add_known(t, line))
      rc = bad_line(list, number, "its signature cannot be read", err);
  } else if (json_is_string(inline_text)) {
    const char *name = json_string_value(json_object_get(line, "name"));
    char *log =
        name ? cul_xstrdup(name) : cul_xasprintf("%s:%zu", list, number);
    struct cul_bytes raw = {json_string_value(inline_text),
                            json_string_length(inline_text)};
    cul_triage_add(t, log, raw, line);
    free(log);
  } else if (json_is_string(json_object_get(line, "log"))) {
    set_path(list, line, "log");
    read_log(t, json_string_value(json_object_get(line, "log")), line, false);
  } else {
    rc = bad_line(list, number, "has neither \"log\" nor \"text\"", err);
  }
  json_decref(line);
  return rc;
}

static int read_list(struct cul_triage *t, const char *path,
                     struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = cul_file_read(path, MAX_LOG, &text, err);
  size_t number = 0;
  for (size_t at = 0; rc == 0 && at < text.len;) {
    const char *start = text.data + at;
    const char *nl = memchr(start, '\n', text.len - at);
    size_t len = nl ? (size_t)(nl - start) : text.len - at;
    number++;
    if (len > strspn(start, " \t\r\n"))
      rc = read_line(t, path, number, (struct cul_bytes){start, len}, err);
    at += len + 1;
  }
  cul_buf_release(&text);
  return rc;
}

static int read_input(struct cul_triage *t, const char *path,
                      struct cul_err *err) {
  const struct cul_walk walk = {.self = t,
                                .file = walk_file,
                                .problem = walk_problem,
                                .interrupted = t->conf->interrupted,
                                .is_left_out = is_bundle,
                                .output = t->conf->output};
  struct stat st;
  if (stat(path, &st) < 0)
    return cul_fail(err, CUL_EUSAGE,
                    "give a directory with logs, a log, or a list (.jsonl)",
                    "cannot read %s: %s", path, strerror(errno));
  if (S_ISDIR(st.st_mode))
    cul_walk_dir(&walk, path);
  else if (cul_text_ends(path, ".jsonl"))
    return read_list(t, path, err);
  else
    read_log(t, path, NULL, false);
  return 0;
}

static int fail_empty(const struct cul_triage *t, struct cul_err *err) {
  if (t->n_problems)
    return cul_fail(err, t->refused ? CUL_EENV : CUL_EUSAGE,
                    "give logs that can be read", "no failure found: %s: %s%s",
                    t->problems[0].name, t->problems[0].why,
                    t->n_problems > 1 ? " (and others)" : "");
  return cul_fail(
      err, CUL_EUSAGE,
      "a log is any text file, compressed or not, without the extension of a "
      "source file; other files are read if they are given one by one",
      "no failure found: no log in %s%s", t->conf->inputs[0],
      t->conf->n_inputs > 1 ? " and the others" : "");
}

int cul_triage_read(struct cul_triage *t, struct cul_err *err) {
  const struct cul_triage_conf *conf = t->conf;
  int rc = 0;
  cul_literals_give_up(t->rules->literals, true);
  for (size_t i = 0; i < conf->n_inputs && rc == 0; i++)
    rc = read_input(t, conf->inputs[i], err);
  cul_literals_give_up(t->rules->literals, false);
  if (rc == 0 && conf->interrupted && *conf->interrupted)
    return cul_fail(err, CUL_EINTR, "", "interrupted while reading");
  if (rc == 0 && t->n_members == 0 && t->n_passed == 0)
    return fail_empty(t, err);
  return rc;
}
