/* Expands request and artefact to argv, envp and paths: see plan.h. */
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/environment.h"
#include "../base/files/file.h"

static char *absolute(const char *path) {
  char *here, *out;
  if (path[0] == '/' || !(here = getcwd(NULL, 0)))
    return cul_xstrdup(path);
  out = strcmp(path, ".") == 0 ? cul_xstrdup(here)
                               : cul_xasprintf("%s/%s", here, path);
  free(here);
  return out;
}

static bool is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Find a program given with a slash.  If the path exists, execve is tried,
 * because its errno shows the user the reason. */
static char *find_slashed(const struct cul_command *cmd, const char *name) {
  char *path = absolute(name), *other;
  if (access(path, F_OK) == 0 || !cmd->cwd)
    return path;
  other = cul_xasprintf("%s/%s", cmd->cwd, name);
  if (access(other, F_OK) == 0) {
    free(path);
    path = absolute(other);
  }
  free(other);
  return path;
}

static const char *search_path(const struct cul_command *cmd) {
  const char *path = cmd->environment
                         ? cul_environment_get(cmd->environment, "PATH")
                         : getenv("PATH");
  for (const char *const *e = cmd->env; e && *e; e++)
    if (strncmp(*e, "PATH=", 5) == 0)
      path = *e + 5;
  return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

char *cul_plan_program(const struct cul_command *cmd, const char *name) {
  char *denied = NULL;
  if (strchr(name, '/'))
    return find_slashed(cmd, name);
  for (const char *dir = search_path(cmd); *name;) {
    size_t n = strcspn(dir, ":");
    char *full = cul_xasprintf("%.*s/%s", n ? (int)n : 1, n ? dir : ".", name);
    char *path = absolute(full);
    free(full);
    if (is_file(path) && access(path, X_OK) == 0) {
      free(denied);
      return path;
    }
    if (!denied && is_file(path))
      denied = path;
    else
      free(path);
    dir += n;
    if (!*dir++)
      break;
  }
  return denied;
}

/* Substitutions: the artefact's own, then the path and directory of the
 * candidate where the artefact does not name them. */
struct table {
  struct cul_subst *items;
  size_t n;
};

static void table_add(struct table *t, const char *key, const char *value) {
  for (size_t i = 0; i < t->n; i++)
    if (strcmp(t->items[i].key, key) == 0)
      return;
  t->items[t->n++] = (struct cul_subst){key, value};
}

static int expand_args(struct cul_plan *plan, const struct cul_command *cmd,
                       const struct table *t, const char *candidate,
                       struct cul_err *err) {
  size_t n = 0, at = 1;
  while (cmd->argv[n])
    n++;
  plan->argv = cul_xcalloc(n + 3, sizeof *plan->argv);
  plan->argv[0] = cul_xstrdup("/bin/sh");
  for (size_t i = 0; i < n; i++) {
    struct cul_buf arg = {0};
    int rc = cul_expand(cmd->argv[i], t->items, t->n, &arg, err);
    plan->argv[at++] = cul_buf_take(&arg);
    if (rc)
      return rc;
  }
  if (cmd->delivery == CUL_BY_ARGUMENT || cmd->delivery == CUL_BY_ALL)
    plan->argv[at++] = cul_xstrdup(candidate);
  return 0;
}

/* A tool that looks for its own files through argv[0] must find them from
 * another working directory too. */
static void find_program(struct cul_plan *plan, const struct cul_command *cmd) {
  char **typed = &plan->argv[1];
  plan->path = cul_plan_program(cmd, *typed);
  if (plan->path && strchr(*typed, '/') && **typed != '/') {
    free(*typed);
    *typed = cul_xstrdup(plan->path);
  }
}

/* Set NAME=VALUE; takes the string. */
static void env_put(char **envp, size_t *n, char *entry) {
  size_t len = strcspn(entry, "=") + 1;
  for (size_t i = 0; i < *n; i++)
    if (strncmp(envp[i], entry, len) == 0) {
      free(envp[i]);
      envp[i] = entry;
      return;
    }
  envp[(*n)++] = entry;
}

static const char *env_get(char **envp, size_t n, const char *name) {
  size_t len = strlen(name);
  for (size_t i = 0; i < n; i++)
    if (strncmp(envp[i], name, len) == 0 && envp[i][len] == '=')
      return envp[i] + len + 1;
  return NULL;
}

/* Preload a library of culprit before those of the user.  If it cannot be
 * loaded, the run is an ordinary one. */
static void env_preload(char **envp, size_t *n, const char *name) {
  char *library = cul_own_library(name);
  const char *old = env_get(envp, *n, "LD_PRELOAD");
  if (library)
    env_put(envp, n,
            cul_xasprintf("LD_PRELOAD=%s%s%s", library, old ? ":" : "",
                          old ? old : ""));
  free(library);
}

static size_t count(const char *const *list) {
  size_t n = 0;
  while (list && list[n])
    n++;
  return n;
}

static bool env_has(const char *const *list, const char *name) {
  size_t len = strlen(name);
  for (; list && *list; list++)
    if (strncmp(*list, name, len) == 0 && (*list)[len] == '=')
      return true;
  return false;
}

static char **make_env(const struct cul_command *cmd, const char *tmp,
                       uint32_t flags) {
  struct cul_environment *usual =
      cmd->environment ? NULL : cul_environment_usual();
  const char *const *passed =
      cul_environment_list(cmd->environment ? cmd->environment : usual);
  bool symbolize = flags & CUL_RUN_SYMBOLIZE;
  size_t n = 0, own = 6;
  char **envp =
      cul_xcalloc(count(passed) + count(cmd->env) + own, sizeof *envp);
  for (const char *const *e = passed; *e; e++)
    if (!symbolize || strncmp(*e, "LLVM_DISABLE_SYMBOLIZATION=", 27) != 0)
      envp[n++] = cul_xstrdup(*e);
  cul_environment_free(usual);
  env_put(envp, &n, cul_xstrdup("LLVM_DISABLE_CRASH_REPORT=1"));
  if (!symbolize)
    env_put(envp, &n, cul_xstrdup("LLVM_DISABLE_SYMBOLIZATION=1"));
  env_put(envp, &n, cul_xasprintf("TMPDIR=%s", tmp));
  if (flags & CUL_RUN_WHERE)
    env_preload(envp, &n, "libculprit-where.so");
  if (flags & (CUL_RUN_KEEP | CUL_RUN_LAYOUTS))
    env_preload(envp, &n, "libculprit-quarantine.so");
  if (env_has(cmd->env, "CULPRIT_FRESH"))
    env_preload(envp, &n, "libculprit-fresh.so");
  if (flags & CUL_RUN_FILL)
    env_put(envp, &n, cul_xstrdup("CULPRIT_KEPT=fill"));
  for (unsigned i = 0; i < CUL_N_LAYOUTS; i++)
    if (flags & CUL_RUN_LAYOUT << i)
      env_put(envp, &n, cul_xasprintf("CULPRIT_KEPT=layout%u", i + 1));
  return envp;
}

/* Set the command's own variables, which override those of make_env. */
static int expand_env(char **envp, const struct cul_command *cmd,
                      const struct table *t, struct cul_err *err) {
  size_t n = 0;
  int rc = 0;
  while (envp[n])
    n++;
  for (const char *const *e = cmd->env; e && *e && rc == 0; e++) {
    struct cul_buf entry = {0};
    rc = cul_expand(*e, t->items, t->n, &entry, err);
    env_put(envp, &n, cul_buf_take(&entry));
  }
  return rc;
}

static bool by_name(enum cul_delivery d) {
  return d == CUL_BY_NAME || d == CUL_BY_ALL;
}

static const char *text(const char *s) { return s ? s : ""; }

static int check_delivery(const struct cul_artefact *artefact,
                          const struct cul_command *cmd, struct cul_err *err) {
  if (!cmd->argv || !cmd->argv[0] || !*cmd->argv[0])
    return cul_fail(err, CUL_EUSAGE, "write the command after --",
                    "the command is empty");
  if (cmd->delivery != CUL_BY_PLACEHOLDER && !*text(artefact->file))
    return cul_fail(err, CUL_EUSAGE, "write @@ where the candidate belongs",
                    "the candidate is not a single file, so %s cannot receive "
                    "it by this contract",
                    cmd->argv[0]);
  return 0;
}

/* Add a directory by its real path, which the kernel compares.  If that cannot
 * be determined, the run could not use the directory. */
static int add_own(struct cul_box *box, const char *dir, struct cul_err *err) {
  char *real = realpath(dir, NULL);
  if (!real && errno != ENOENT && errno != ENOTDIR)
    return cul_fail(err, CUL_EENV, "check that directory",
                    "cannot look up %s: %s", dir, strerror(errno));
  if (real)
    cul_paths_add(&box->own, real);
  free(real);
  return 0;
}

static bool one_names_shared_memory(char *const *words) {
  for (; words && *words; words++)
    if (strstr(*words, "/dev/shm/"))
      return true;
  return false;
}

static bool names_shared_memory(const struct cul_plan *plan) {
  char *const places[] = {plan->path, NULL};
  char *cwd = plan->cwd ? NULL : getcwd(NULL, 0);
  const char *here = plan->cwd ? plan->cwd : text(cwd);
  bool shares = strstr(here, "/dev/shm") == here ||
                one_names_shared_memory(places) ||
                one_names_shared_memory(plan->argv + 1) ||
                one_names_shared_memory(plan->envp);
  free(cwd);
  return shares;
}

/* Set up the sandbox of the run, which may write to its own directories. */
static int find_box(struct cul_plan *plan, const struct cul_artefact *artefact,
                    const struct cul_request *request, const char *dir,
                    struct cul_err *err) {
  struct cul_sandbox *sandbox =
      cul_environment_sandbox(request->cmd->environment);
  int rc;
  plan->sandbox = sandbox;
  if (!sandbox)
    return 0;
  if (cul_sandbox_check(sandbox, err) < 0)
    return err->code;
  cul_box_init(&plan->box, sandbox);
  if ((request->flags & CUL_RUN_GIVEN) && !sandbox->fixed &&
      sandbox->mode == CUL_SANDBOX_AUTO)
    plan->box.parts &= ~(uint32_t)CUL_PARTS_WRITING;
  /* even outside the sandbox, the tool must not stop its guard */
  if (request->flags & CUL_RUN_OUTSIDE)
    plan->box.parts &= CUL_PART_DOMAIN;
  if (plan->abroad) /* the trace needs it as well */
    plan->box.writes = &sandbox->writes;
  if (!plan->box.parts && !plan->abroad)
    return 0;
  rc = add_own(&plan->box, plan->tmp, err);
  if (rc == 0 && *text(artefact->dir))
    rc = add_own(&plan->box, dir, err);
  for (size_t i = 0; i < artefact->n_subst && rc == 0; i++)
    if (strcmp(artefact->subst[i].key, "@{out}") == 0)
      rc = add_own(&plan->box, artefact->subst[i].value, err);
  if (rc < 0 || !plan->box.parts)
    return rc;
  rc = cul_box_settle(&plan->box, sandbox, plan->tmp, names_shared_memory(plan),
                      err);
  if (rc == 0)
    cul_box_take_network(&plan->box, sandbox);
  return rc;
}

int cul_plan_init(struct cul_plan *plan, const struct cul_artefact *artefact,
                  const struct cul_request *request, const char *tmp,
                  struct cul_err *err) {
  const struct cul_command *cmd = request->cmd;
  char *dir, *candidate;
  struct table table = {0};
  int rc;

  *plan = (struct cul_plan){.tmp = tmp,
                            .tmp_dev = request->tmp_dev,
                            .tmp_ino = request->tmp_ino,
                            .wall_ms = request->wall_ms};
  rc = check_delivery(artefact, cmd, err);
  if (rc)
    return rc;
  dir = absolute(*text(artefact->dir) ? artefact->dir : ".");
  candidate = cul_xasprintf("%s/%s", dir, text(artefact->file));
  table.items = cul_xcalloc(artefact->n_subst + 2, sizeof *table.items);
  for (size_t i = 0; i < artefact->n_subst; i++)
    table.items[table.n++] = artefact->subst[i];
  if (*text(artefact->file))
    table_add(&table, "@@", candidate);
  if (*text(artefact->dir))
    table_add(&table, "@{dir}", dir);

  rc = expand_args(plan, cmd, &table, candidate, err);
  if (!rc)
    find_program(plan, cmd);
  plan->envp = make_env(cmd, tmp, request->flags);
  if (!rc)
    rc = expand_env(plan->envp, cmd, &table, err);
  plan->cpu_s = (request->cpu_ms + 999) / 1000;
  plan->as_bytes = request->rss_bytes;
  plan->trace = request->flags & CUL_RUN_TRACE;
  plan->abroad = request->flags & CUL_RUN_ABROAD;
  plan->randomize = request->flags & CUL_RUN_RANDOMIZE;
  if (request->stay)
    plan->stay = *request->stay;
  plan->servers = request->servers;
  if (cmd->delivery == CUL_BY_STDIN || cmd->delivery == CUL_BY_ALL)
    plan->input = cul_xstrdup(candidate);
  if (cmd->delivery == CUL_BY_LINK)
    plan->link = cul_xstrdup(candidate);
  if (by_name(cmd->delivery) || (!cmd->cwd && *text(artefact->dir)))
    plan->cwd = cul_xstrdup(dir);
  else if (cmd->cwd)
    plan->cwd = absolute(cmd->cwd);
  if (!rc)
    rc = find_box(plan, artefact, request, dir, err);
  free(table.items);
  free(candidate);
  free(dir);
  return rc;
}

static void free_strings(char **strings) {
  for (size_t i = 0; strings && strings[i]; i++)
    free(strings[i]);
  free(strings);
}

void cul_plan_release(struct cul_plan *plan) {
  free(plan->path);
  free_strings(plan->argv);
  free_strings(plan->envp);
  free(plan->cwd);
  free(plan->link);
  free(plan->input);
  cul_box_release(&plan->box);
  *plan = (struct cul_plan){0};
}
