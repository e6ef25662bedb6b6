/* The variables that the failure needs: see variables.h. */
#include "variables.h"

#include <stdlib.h>
#include <string.h>

#include "../../pipeline/shell_text.h"

/* Runs, and variables that are sought; what is not known then is "unknown". */
enum { MOST_RUNS = 48, MOST_NEEDED = 16 };

/* login(1) sets these in every session, so they are set elsewhere, too. */
static const char *const of_sessions[] = {"HOME",  "LOGNAME", "MAIL", "PATH",
                                          "SHELL", "TZ",      "USER"};

static size_t name_length(const char *entry) { return strcspn(entry, "="); }

static bool is_named(const char *entry, const char *name) {
  size_t n = name_length(entry);
  return strlen(name) == n && memcmp(entry, name, n) == 0;
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
static bool is_candidate(const struct cul_target *target, const char *entry) {
  const struct cul_environment_conf *conf = &target->conf->environment;
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
  struct cul_target *target;
  const struct cul_variables_runs *how;
  const char **items; /* NAME=VALUE; borrowed */
  bool *kept;         /* of each: it is passed in the next run */
  size_t n;
  unsigned runs;
};

/* Does the command itself set the variable?  Its runs need it. */
static bool is_set_by(const struct cul_command *command, const char *entry) {
  for (size_t i = 0; command->env && command->env[i]; i++)
    if (name_length(command->env[i]) == name_length(entry) &&
        memcmp(command->env[i], entry, name_length(entry)) == 0)
      return true;
  return false;
}

/* The words of a command under env(1), without the variables that are not kept.
 * names: of the items, a line each, ended by NUL; the words borrow from it.
 * Heap. */
static char **words_under(const struct seek *seek,
                          const struct cul_command *command, char *names) {
  size_t words = 0, n = 0;
  char **argv;
  while (command->argv[words])
    words++;
  argv = cul_xcalloc(2 + 2 * seek->n + words, sizeof *argv);
  argv[n++] = (char *)"env";
  for (size_t i = 0; i < seek->n; names += strlen(names) + 1, i++) {
    if (seek->kept[i] || is_set_by(command, seek->items[i]))
      continue;
    argv[n++] = (char *)"-u";
    argv[n++] = names;
  }
  memcpy(argv + n, command->argv, words * sizeof *argv);
  return argv;
}

/* The commands of the other roles under env(1), while the probe uses them. */
struct other_roles {
  struct cul_role given[CUL_N_ROLES];
  struct cul_command commands[CUL_N_ROLES];
  char **words[CUL_N_ROLES];
};

static void take_roles(const struct seek *seek, char *names,
                       struct other_roles *out) {
  struct cul_role *roles = seek->target->probe.roles;
  memcpy(out->given, roles, sizeof out->given);
  for (int role = 0; role < CUL_N_ROLES; role++) {
    if (!roles[role].cmd)
      continue;
    out->words[role] = words_under(seek, roles[role].cmd, names);
    out->commands[role] = *roles[role].cmd;
    out->commands[role].argv = (const char *const *)out->words[role];
    roles[role].cmd = &out->commands[role];
  }
}

static void give_roles_back(const struct seek *seek,
                            struct other_roles *taken) {
  memcpy(seek->target->probe.roles, taken->given, sizeof taken->given);
  for (int role = 0; role < CUL_N_ROLES; role++)
    free(taken->words[role]);
}

/* Does the result show the failure if only those that are kept are passed, to
 * the command and to its reference? */
static int shows(struct seek *seek, bool *out, struct cul_err *err) {
  struct cul_target *target = seek->target;
  struct cul_probe *probe = &target->probe;
  enum cul_run_phase phase = probe->phase;
  struct other_roles others = {0};
  CUL_OWNED(cul_judged) judged = {0};
  CUL_OWNED(cul_buf) names = {0};
  CUL_HEAP char **argv = NULL;
  int rc;
  for (size_t i = 0; i < seek->n; i++)
    cul_buf_addf(&names, "%.*s%c", (int)name_length(seek->items[i]),
                 seek->items[i], '\0');
  argv = words_under(seek, seek->how->command, names.data);
  take_roles(seek, names.data, &others);
  probe->phase = CUL_RUNS_CONFIRM;
  rc = seek->how->judge ? seek->how->judge(seek->how->self, argv, &judged, err)
                        : cul_target_judge_under(target, argv, seek->how->text,
                                                 &judged, err);
  probe->phase = phase;
  give_roles_back(seek, &others);
  *out = rc == 0 && judged.verdict.answer == CUL_SAME;
  seek->runs++;
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
  return cul_environment_is_secret(entry) ? WITHHELD : SET;
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

static void fill(const struct seek *seek, const bool *needed, size_t most,
                 struct cul_variables *out) {
  const struct cul_environment_conf *given = &seek->target->conf->environment;
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
static bool can_seek(const struct seek *seek) {
  const struct cul_target *target = seek->target;
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  const char *program = seek->how->command->argv[0];
  return !target->engine.argv && !target->tool.hosts &&
         !cul_target_whole(target) && !cul_target_flaky(target, NULL) &&
         !(sandbox && sandbox->mode == CUL_SANDBOX_STRICT) && *program != '-' &&
         !strchr(program, '=');
}

int cul_variables_find(struct cul_target *target,
                       const struct cul_variables_runs *runs,
                       struct cul_variables *out, struct cul_err *err) {
  const char *const *all = cul_environment_list(target->tool.environment);
  struct seek seek = {.target = target, .how = runs};
  size_t n = 0, most = 0;
  CUL_HEAP bool *needed = NULL;
  bool sought = true;
  int rc = 0;
  if (!can_seek(&seek))
    return 0;
  while (all[n])
    n++;
  seek.items = cul_xcalloc(n + 1, sizeof *seek.items);
  seek.kept = cul_xcalloc(n + 1, sizeof *seek.kept);
  needed = cul_xcalloc(n + 1, sizeof *needed);
  for (size_t i = 0; i < n; i++)
    if (is_candidate(target, all[i]))
      seek.items[seek.n++] = all[i];
  if (seek.n > 0)
    rc = search(&seek, needed, &most, &sought, err);
  if (sought && (rc == 0 || rc == CUL_EBUDGET))
    fill(&seek, needed, most, out);
  free(seek.items);
  free(seek.kept);
  return rc;
}

void cul_variables_lines(const struct cul_target *target,
                         const struct cul_variables *found,
                         struct cul_buf *out) {
  const char *const *at = found->items;
  cul_shell_environment(at ? &found->conf : &target->conf->environment,
                        target->tool.environment, out);
  if (!at)
    return;
  at += found->n_given + found->n_set;
  for (size_t i = 0; i < found->n_withheld; i++) {
    CUL_HEAP char *name = cul_xstrndup(at[i], strcspn(at[i], "="));
    cul_shell_demand(name, out);
  }
  at += found->n_withheld;
  if (found->n_unknown > 0)
    cul_buf_adds(out, "# It may also need:");
  for (size_t i = 0; i < found->n_unknown; i++) {
    CUL_HEAP char *name = cul_xstrndup(at[i], strcspn(at[i], "="));
    cul_buf_addc(out, ' ');
    cul_shell_comment(name, out);
  }
  if (found->n_unknown > 0)
    cul_buf_addc(out, '\n');
}

void cul_variables_release(struct cul_variables *found) {
  free(found->items);
  *found = (struct cul_variables){0};
}
