/* The variables that the failure needs: see variables.h. */
#include "variables.h"

#include <stdlib.h>
#include <string.h>

/* Runs, and variables that are sought; what is not known then is "unknown". */
enum { MOST_RUNS = 48, MOST_NEEDED = 16 };

/* login(1) sets these in every session, so they are set elsewhere, too. */
static const char *const of_sessions[] = {"HOME",  "LOGNAME", "MAIL", "PATH",
                                          "SHELL", "TZ",      "USER"};

/* Parts of names whose values are never written. */
static const char *const secrets[] = {"TOKEN",    "SECRET",    "KEY",
                                      "PASSWORD", "PASSWD",    "PASSPHRASE",
                                      "AUTH",     "CREDENTIAL"};

static size_t name_length(const char *entry) { return strcspn(entry, "="); }

static bool is_named(const char *entry, const char *name) {
  size_t n = name_length(entry);
  return strlen(name) == n && memcmp(entry, name, n) == 0;
}

/* Does the name, or a user in a URL, say that the value is a secret?  Lists of
 * URLs are common: PIP_EXTRA_INDEX_URL, GOPROXY. */
static bool is_secret(const char *entry) {
  char *name = cul_xstrndup(entry, name_length(entry));
  bool found = false;
  for (const char *url = entry; !found && (url = strstr(url, "://"));) {
    url += 3;
    found = url[strcspn(url, "/@")] == '@';
  }
  for (size_t i = 0; i < CUL_ARRAY_SIZE(secrets) && !found; i++)
    found = strcasestr(name, secrets[i]) != NULL;
  found = found || cul_text_ends(name, "_PASS"); /* but LLVM_PASS_PIPELINE */
  free(name);
  return found;
}

/* Can a shell set it? */
static bool is_plain(const char *entry) {
  size_t n = name_length(entry);
  return n > 0 && !(entry[0] >= '0' && entry[0] <= '9') &&
         strspn(entry, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                       "0123456789_") == n;
}

/* Is the variable one that may be needed: neither of every session nor set by
 * an option, which the bundle has? */
static bool is_candidate(const struct cul_reduce *job, const char *entry) {
  const struct cul_environment_conf *conf = &job->conf->target.environment;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(of_sessions); i++)
    if (is_named(entry, of_sessions[i]))
      return false;
  for (size_t i = 0; i < conf->n_set; i++)
    if (name_length(conf->set[i]) == name_length(entry) &&
        memcmp(conf->set[i], entry, name_length(entry)) == 0)
      return false;
  return true;
}

/* The search: which of n variables must be kept. */
struct seek {
  struct cul_reduce *job;
  const char **items; /* NAME=VALUE; borrowed */
  bool *kept;         /* of each: it is passed in the next run */
  size_t n;
  unsigned runs;
};

/* Does the result show the failure if only those that are kept are passed? */
static int shows(struct seek *seek, bool *out, struct cul_err *err) {
  struct cul_reduce *job = seek->job;
  struct cul_probe *probe = &job->target.probe;
  enum cul_run_phase phase = probe->phase;
  const char *const *given = cul_target_command(&job->target)->argv;
  struct cul_judged judged = {0};
  struct cul_buf names = {0};
  size_t words = 0, n = 0;
  char **argv, *at;
  int rc;
  while (given[words])
    words++;
  argv = cul_xcalloc(2 + 2 * seek->n + words, sizeof *argv);
  argv[n++] = (char *)"env";
  for (size_t i = 0; i < seek->n; i++)
    cul_buf_addf(&names, "%.*s%c", (int)name_length(seek->items[i]),
                 seek->items[i], '\0');
  at = names.data;
  for (size_t i = 0; i < seek->n; at += strlen(at) + 1, i++) {
    if (seek->kept[i])
      continue;
    argv[n++] = (char *)"-u";
    argv[n++] = at;
  }
  memcpy(argv + n, given, words * sizeof *argv);
  probe->phase = CUL_RUNS_CONFIRM;
  rc = cul_target_judge_under(&job->target, argv,
                              cul_buf_bytes(&job->outcome.text), &judged, err);
  probe->phase = phase;
  *out = rc == 0 && judged.verdict.answer == CUL_SAME;
  seek->runs++;
  cul_judged_release(&judged);
  cul_buf_release(&names);
  free(argv);
  return rc;
}

/* Keep the first of the `most` first ones that together suffice with those that
 * are kept; *first: its index. */
static int keep_next(struct seek *seek, const bool *needed, size_t most,
                     size_t *first, struct cul_err *err) {
  size_t low = 0, high = most; /* the first `high` suffice, `low` do not */
  int rc = 0;
  while (rc == 0 && high - low > 1) {
    size_t middle = low + (high - low) / 2;
    bool same = false;
    for (size_t i = 0; i < seek->n; i++)
      seek->kept[i] = needed[i] || i < middle;
    rc = shows(seek, &same, err);
    if (same)
      high = middle;
    else
      low = middle;
  }
  *first = rc < 0 ? high : high - 1; /* then all before it may be needed */
  return rc;
}

/* Does the result show the failure with these variables, or with all (NULL)? */
static int suffices(struct seek *seek, const bool *needed, bool *out,
                    struct cul_err *err) {
  for (size_t i = 0; i < seek->n; i++)
    seek->kept[i] = !needed || needed[i];
  return shows(seek, out, err);
}

/* Find a set that suffices, of which the search shows each to be needed.
 * *most: those before this index may be needed, too, if the runs were too
 * many.  *sought: false if the failure does not show even with all, or nothing
 * was found out. */
static int search(struct seek *seek, bool *needed, size_t *most, bool *sought,
                  struct cul_err *err) {
  bool same = false;
  int rc = suffices(seek, needed, &same, err);
  *most = 0;
  *sought = rc == 0;
  if (rc < 0 || same)
    return rc;
  rc = suffices(seek, NULL, sought, err);
  *most = rc == 0 && *sought ? seek->n : 0;
  for (size_t found = 0;
       rc == 0 && *most > 0 && found < MOST_NEEDED && seek->runs <= MOST_RUNS;
       found++) {
    rc = keep_next(seek, needed, *most, most, err);
    if (rc == 0)
      needed[*most] = true;
    if (rc == 0)
      rc = suffices(seek, needed, &same, err);
    if (same)
      *most = 0;
  }
  return rc;
}

enum list { SET, WITHHELD, UNKNOWN };

static enum list list_of(const char *entry, bool needed) {
  if (!needed || !is_plain(entry))
    return UNKNOWN;
  return is_secret(entry) ? WITHHELD : SET;
}

/* Append those of a list; returns their number. */
static size_t add(struct cul_variables *out, size_t from,
                  const struct seek *seek, const bool *needed, size_t most,
                  enum list list) {
  size_t n = 0;
  for (size_t i = 0; i < seek->n; i++)
    if ((needed[i] || i < most) && list_of(seek->items[i], needed[i]) == list)
      out->items[from + n++] = seek->items[i];
  return n;
}

static void fill(struct cul_reduce *job, const struct seek *seek,
                 const bool *needed, size_t most) {
  const struct cul_environment_conf *given = &job->conf->target.environment;
  struct cul_variables *out = &job->outcome.variables;
  size_t n = given->n_set;
  out->items = cul_xcalloc(n + seek->n + 1, sizeof *out->items);
  for (size_t i = 0; i < n; i++)
    out->items[i] = given->set[i];
  out->n_given = n;
  out->n_set = add(out, n, seek, needed, most, SET);
  n += out->n_set;
  out->conf = *given;
  out->conf.set = out->items;
  out->conf.n_set = n;
  out->n_withheld = add(out, n, seek, needed, most, WITHHELD);
  n += out->n_withheld;
  out->n_unknown = add(out, n, seek, needed, most, UNKNOWN);
}

/* Can runs under other words show the failure, and only if it is there? */
static bool can_seek(const struct cul_reduce *job) {
  const struct cul_target *target = &job->target;
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  const char *program = cul_target_command(target)->argv[0];
  return job->conf->bundle && !target->engine.argv && !target->tool.hosts &&
         !cul_target_whole(target) && !cul_target_flaky(target, NULL) &&
         job->outcome.confirmed.rate.fails > 0 && !job->outcome.confirmed.cut &&
         !(sandbox && sandbox->mode == CUL_SANDBOX_STRICT) && *program != '-' &&
         !strchr(program, '=');
}

int cul_variables_find(struct cul_reduce *job, struct cul_err *err) {
  const char *const *all = cul_environment_list(job->target.tool.environment);
  struct seek seek = {.job = job};
  size_t n = 0, most = 0;
  bool *needed, sought = true;
  int rc = 0;
  free(job->outcome.variables.items);
  job->outcome.variables = (struct cul_variables){0};
  if (!can_seek(job))
    return 0;
  while (all[n])
    n++;
  seek.items = cul_xcalloc(n + 1, sizeof *seek.items);
  seek.kept = cul_xcalloc(n + 1, sizeof *seek.kept);
  needed = cul_xcalloc(n + 1, sizeof *needed);
  for (size_t i = 0; i < n; i++)
    if (is_candidate(job, all[i]))
      seek.items[seek.n++] = all[i];
  if (seek.n > 0)
    rc = search(&seek, needed, &most, &sought, err);
  if (sought && (rc == 0 || rc == CUL_EBUDGET))
    fill(job, &seek, needed, most);
  free(seek.items);
  free(seek.kept);
  free(needed);
  return rc;
}

const struct cul_environment_conf *
cul_variables_conf(const struct cul_reduce *job) {
  return job->outcome.variables.items ? &job->outcome.variables.conf
                                      : &job->conf->target.environment;
}
