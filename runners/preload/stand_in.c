/* Loaded (LD_PRELOAD) into a command whose tools are replaced: where it starts
 * a program that has the name of a file in the directory CULPRIT_STAND_INS, by
 * whatever path, that file is started.  CULPRIT_STOOD_IN then holds the path of
 * the program.
 *
 * A program that is started without CULPRIT_STAND_INS is started without the
 * library, too.  system(3) and popen(3) start a shell, which loads it.
 *
 * A search on PATH needs no library, if the directory comes first there.  The
 * functions below may run between vfork(2) and exec, so they allocate no
 * memory and change no variable. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PREFIX = sizeof "CULPRIT_STOOD_IN=" };

/* loaded: LD_PRELOAD without this library. */
struct stand_in {
  char path[PATH_MAX], stood_in[PATH_MAX + PREFIX], loaded[2 * PATH_MAX];
};

typedef int exec_function(const char *path, char *const *argv,
                          char *const *envp);
typedef int fexecve_function(int fd, char *const *argv, char *const *envp);
typedef int execveat_function(int dir, const char *path, char *const *argv,
                              char *const *envp, int flags);
typedef int spawn_function(pid_t *pid, const char *path,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes,
                           char *const *argv, char *const *envp);

struct spawn_how {
  const posix_spawn_file_actions_t *actions;
  const posix_spawnattr_t *attributes;
};

static const char *value_of(char *const *envp, const char *name) {
  size_t n = strlen(name);
  for (; envp && *envp; envp++)
    if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=')
      return *envp + n + 1;
  return NULL;
}

static size_t count(char *const *envp) {
  size_t n = 0;
  while (envp && envp[n])
    n++;
  return n;
}

/* The absolute path of a program; false: it is too long. */
static bool note_program(const char *path, struct stand_in *out) {
  char here[PATH_MAX] = "";
  if (*path != '/' && !getcwd(here, sizeof here))
    return false;
  return snprintf(out->stood_in, sizeof out->stood_in,
                  "CULPRIT_STOOD_IN=%s%s%s", here, *path == '/' ? "" : "/",
                  path) < (int)sizeof out->stood_in;
}

/* Does another file stand in for the program at this path? */
static bool find(const char *path, char *const *envp, struct stand_in *out) {
  const char *dir = value_of(envp, "CULPRIT_STAND_INS");
  const char *name = strrchr(path, '/');
  if (!dir || !name ||
      (strlen(dir) == (size_t)(name - path) &&
       strncmp(dir, path, strlen(dir)) == 0) ||
      snprintf(out->path, sizeof out->path, "%s%s", dir, name) >=
          (int)sizeof out->path)
    return false;
  return access(path, X_OK) == 0 && access(out->path, X_OK) == 0 &&
         note_program(path, out);
}

/* Write LD_PRELOAD without this library: programs that nothing stands in for
 * any more need not be able to load it, such as those of AddressSanitizer,
 * whose own library must come first.  "": nothing is left.  False: it is not
 * among the names, or they are too long. */
static bool unload(const char *entry, char *out, size_t size) {
  static const char own[] = "/libculprit-stand-in.so";
  const size_t head = sizeof "LD_PRELOAD=" - 1;
  const char *at = strstr(entry, own), *from, *rest;
  if (strncmp(entry, "LD_PRELOAD=", head) != 0 || !at || strlen(entry) >= size)
    return false;
  for (from = at; from > entry + head && from[-1] != ':' && from[-1] != ' ';)
    from--;
  rest = at + sizeof own - 1;
  rest += *rest == ':' || *rest == ' ';
  snprintf(out, size, "%.*s%s", (int)(from - entry), entry, rest);
  if (strlen(out) == head)
    *out = '\0';
  return true;
}

/* The path to start in place of this one, which may be the same.  found: holds
 * its text; out: the environment to start it with, room for two more. */
static const char *replace(const char *path, char *const *envp,
                           struct stand_in *found, char **out) {
  bool replaced = find(path, envp, found);
  bool ends = envp && !value_of(envp, "CULPRIT_STAND_INS");
  size_t n = 0;
  for (; envp && *envp; envp++)
    if (ends && unload(*envp, found->loaded, sizeof found->loaded)) {
      if (*found->loaded)
        out[n++] = found->loaded;
    } else if (!replaced || strncmp(*envp, found->stood_in, PREFIX - 1) != 0) {
      out[n++] = *envp;
    }
  if (replaced)
    out[n++] = found->stood_in;
  out[n] = NULL;
  return replaced ? found->path : path;
}

static int execute(const char *meant, const char *path, char *const *argv,
                   char *const *envp) {
  struct stand_in found;
  char *more[count(envp) + 2];
  const char *chosen = replace(path, envp, &found, more);
  exec_function *function;
  *(void **)&function = dlsym(RTLD_NEXT, meant);
  return function(chosen, argv, more);
}

int execve(const char *path, char *const *argv, char *const *envp) {
  return execute("execve", path, argv, envp);
}

int execv(const char *path, char *const *argv) {
  return execute("execve", path, argv, environ);
}

int execvpe(const char *file, char *const *argv, char *const *envp) {
  return execute("execvpe", file, argv, envp);
}

int execvp(const char *file, char *const *argv) {
  return execute("execvpe", file, argv, environ);
}

/* Execute what is given as arguments that end in NULL, with this environment;
 * NULL: the one behind them. */
static int execute_list(const char *meant, const char *path, const char *first,
                        va_list rest, char ***environment) {
  va_list copy;
  size_t n = 1;
  va_copy(copy, rest);
  for (const char *arg = first; arg; arg = va_arg(copy, const char *))
    n++;
  va_end(copy);
  char *argv[n];
  argv[0] = (char *)first;
  for (size_t i = 1; i < n; i++)
    argv[i] = va_arg(rest, char *);
  return execute(meant, path, argv,
                 environment ? *environment : va_arg(rest, char **));
}

int execl(const char *path, const char *arg, ...) {
  va_list rest;
  int rc;
  va_start(rest, arg);
  rc = execute_list("execve", path, arg, rest, &environ);
  va_end(rest);
  return rc;
}

int execlp(const char *file, const char *arg, ...) {
  va_list rest;
  int rc;
  va_start(rest, arg);
  rc = execute_list("execvpe", file, arg, rest, &environ);
  va_end(rest);
  return rc;
}

int execle(const char *path, const char *arg, ...) {
  va_list rest;
  int rc;
  va_start(rest, arg);
  rc = execute_list("execve", path, arg, rest, NULL);
  va_end(rest);
  return rc;
}

/* The path of an open file; false: it has none. */
static bool path_of(int fd, char out[PATH_MAX]) {
  char name[32];
  ssize_t n;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  n = readlink(name, out, PATH_MAX - 1);
  if (n <= 0)
    return false;
  out[n] = '\0';
  return out[0] == '/';
}

int fexecve(int fd, char *const *argv, char *const *envp) {
  char path[PATH_MAX];
  struct stand_in found;
  fexecve_function *function;
  if (path_of(fd, path) && find(path, envp, &found))
    return execve(path, argv, envp);
  *(void **)&function = dlsym(RTLD_NEXT, "fexecve");
  return function(fd, argv, envp);
}

int execveat(int dir, const char *path, char *const *argv, char *const *envp,
             int flags) {
  char whole[2 * PATH_MAX] = "";
  struct stand_in found;
  execveat_function *function;
  bool known = dir == AT_FDCWD || *path == '/' || path_of(dir, whole);
  size_t n = strlen(whole);
  if (known &&
      snprintf(whole + n, sizeof whole - n, "%s%s", n && *path ? "/" : "",
               path) < (int)(sizeof whole - n) &&
      find(whole, envp, &found))
    return execve(whole, argv, envp);
  *(void **)&function = dlsym(RTLD_NEXT, "execveat");
  return function(dir, path, argv, envp, flags);
}

static int spawn(const char *meant, pid_t *pid, const char *path,
                 const struct spawn_how *how, char *const *argv,
                 char *const *envp) {
  struct stand_in found;
  char *more[count(envp) + 2];
  const char *chosen = replace(path, envp, &found, more);
  spawn_function *function;
  *(void **)&function = dlsym(RTLD_NEXT, meant);
  return function(pid, chosen, how->actions, how->attributes, argv, more);
}

int posix_spawn(pid_t *pid, const char *path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *argv,
                char *const *envp) {
  const struct spawn_how how = {actions, attributes};
  return spawn("posix_spawn", pid, path, &how, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *file,
                 const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *argv,
                 char *const *envp) {
  const struct spawn_how how = {actions, attributes};
  return spawn("posix_spawnp", pid, file, &how, argv, envp);
}
