/* The user's scripts in a bundle: see scripts.h. */
#include "scripts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"
#include "../../pipeline/shell_words.h"

enum { MOST_BYTES = 1 << 20, MOST_BESIDE = 32 };

/* Is the file in a directory of the system, or in an environment of Python? */
static bool is_installed(const char *path) {
  static const char *const trees[] = {"/usr/", "/bin/", "/sbin/", "/lib",
                                      "/opt/", "/etc/", "/nix/"};
  const char *slash = strrchr(path, '/');
  char *mark = cul_xasprintf("%.*s/../pyvenv.cfg", (int)(slash - path), path);
  bool found = access(mark, F_OK) == 0 || strstr(path, "-packages/");
  free(mark);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(trees) && !found; i++)
    found = strncmp(path, trees[i], strlen(trees[i])) == 0;
  return found;
}

static bool is_text(const char *path) {
  struct cul_err ignored = {0};
  CUL_OWNED(cul_buf) text = {0};
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
         st.st_size <= MOST_BYTES &&
         cul_file_read(path, MOST_BYTES, &text, &ignored) == 0 &&
         !memchr(text.data, '\0', text.len);
}

/* Is the word a script of the user?  A program's name without a directory is
 * looked up in PATH, among installed programs; `argument`: it is a file. */
static bool is_script(const char *word, bool argument) {
  CUL_HEAP char *path = NULL;
  if ((!argument && !strchr(word, '/')) || strstr(word, "@@") ||
      !cul_is_plain_name(cul_basename(word)))
    return false;
  path = realpath(word, NULL);
  return path && !is_installed(path) && is_text(path);
}

static void add(const char *word, char ***words, size_t *n) {
  for (size_t i = 0; i < *n; i++)
    if (strcmp(cul_basename((*words)[i]), cul_basename(word)) == 0)
      return;
  *words = cul_xreallocarray(*words, *n + 2, sizeof **words);
  (*words)[(*n)++] = cul_xstrdup(word);
  (*words)[*n] = NULL;
}

/* Add the programs that the text of a shell runs. */
static void add_of_text(const char *text, char ***words, size_t *n) {
  CUL_OWNED(cul_shell_words) parts = {0};
  uint32_t command = UINT32_MAX;
  (void)cul_shell_words(text, &parts);
  for (size_t i = 0; i < parts.n; i++) {
    const struct cul_shell_word *part = &parts.items[i];
    CUL_HEAP char *word = NULL;
    if (part->redirection || part->command == command)
      continue;
    command = part->command;
    word = cul_shell_unquote(text + part->from, part->to - part->from);
    if (is_script(word, false))
      add(word, words, n);
  }
}

/* Add a command's program, the first argument of an interpreter, or the
 * programs of a shell's text. */
static void add_of(const char *const *argv, char ***words, size_t *n) {
  if (!argv || !argv[0])
    return;
  if (is_script(argv[0], false))
    add(argv[0], words, n);
  else if (argv[1] && argv[2] && strcmp(argv[1], "-c") == 0)
    add_of_text(argv[2], words, n);
  else if (argv[1] && is_script(argv[1], true))
    add(argv[1], words, n);
}

char **cul_scripts_named(const struct cul_target *target,
                         const char *const *const *commands) {
  const struct cul_role *roles = target->probe.roles;
  char **words = cul_xcalloc(1, sizeof *words);
  size_t n = 0;
  for (size_t i = 0; commands && commands[i]; i++)
    add_of(commands[i], &words, &n);
  if (commands || target->script.contract)
    return words;
  add_of(cul_target_command(target)->argv, &words, &n);
  for (int role = 0; role < CUL_N_ROLES; role++)
    if (role != CUL_ROLE_SUSPECT && roles[role].cmd)
      add_of(roles[role].cmd->argv, &words, &n);
  return words;
}

/* Is the file one of those of cul_scripts_named, or a link to one? */
static bool is_held(const char *path, char *const *held) {
  CUL_HEAP char *own = realpath(path, NULL);
  bool found = false;
  for (; own && *held && !found; held++) {
    CUL_HEAP char *real = realpath(*held, NULL);
    found = real && strcmp(real, own) == 0;
  }
  return found;
}

/* May another script of the bundle run it by the name that it has here? */
static bool is_named_in_other(const char *path, char *const *held) {
  const char *name = cul_basename(path);
  struct cul_err ignored = {0};
  bool found = false;
  for (; *held && !found; held++) {
    CUL_OWNED(cul_buf) text = {0};
    CUL_HEAP char *real = realpath(*held, NULL);
    found = real && strcmp(real, path) != 0 &&
            cul_file_read(real, MOST_BYTES, &text, &ignored) == 0 &&
            strstr(cul_buf_str(&text), name);
  }
  return found;
}

char **cul_scripts_beside(const struct cul_target *target,
                          const char *const *const *commands) {
  char **held = cul_scripts_named(target, commands);
  char **out = cul_xcalloc(1, sizeof *out);
  CUL_HEAP char *here = getcwd(NULL, 0);
  CUL_OWNED(cul_buf) names = {0};
  size_t n = 0;
  if (here && (commands || !target->script.contract) &&
      !cul_target_command(target)->hosts)
    cul_identity_below(&target->tool.identity, here, &names);
  for (const char *at = cul_buf_str(&names); *at && n < MOST_BESIDE;
       at += strcspn(at, "\n") + 1) {
    char *name = cul_xstrndup(at, strcspn(at, "\n"));
    CUL_HEAP char *path = cul_xasprintf("%s/%s", here, name);
    if (is_held(path, held) && !is_named_in_other(path, held)) {
      free(name);
    } else {
      out = cul_xreallocarray(out, n + 2, sizeof *out);
      out[n++] = name;
      out[n] = NULL;
    }
  }
  cul_scripts_free(held);
  return out;
}

const char *cul_scripts_test(const struct cul_target *target) {
  const char *const *argv = target->tool.command.argv;
  return target->script.contract && !cul_contract_string(argv) ? argv[0] : NULL;
}

static bool is_below(const char *path, const char *dir) {
  size_t n = dir ? strlen(dir) : 0;
  return n > 0 && strncmp(path, dir, n) == 0 && path[n] == '/';
}

char **cul_scripts_companions(const struct cul_target *target,
                              const char *const *const *commands,
                              const char *script, bool started) {
  bool elsewhere = !commands && target->script.contract;
  char **held = cul_scripts_named(target, commands);
  char **out = cul_xcalloc(1, sizeof *out);
  CUL_HEAP char *real = realpath(script, NULL);
  char *slash = real ? strrchr(real, '/') : NULL;
  CUL_HEAP char *dir =
      slash ? cul_xstrndup(real, (size_t)(slash - real)) : NULL;
  CUL_HEAP char *here = elsewhere ? NULL : getcwd(NULL, 0);
  CUL_OWNED(cul_buf) names = {0};
  size_t n = 0;
  if (dir && *dir && !cul_target_command(target)->hosts)
    cul_identity_below(&target->tool.identity, dir, &names);
  for (const char *at = cul_buf_str(&names); *at && n < MOST_BESIDE;
       at += strcspn(at, "\n") + 1) {
    CUL_HEAP char *name = cul_xstrndup(at, strcspn(at, "\n"));
    CUL_HEAP char *path = cul_xasprintf("%s/%s", dir, name);
    bool own = strcmp(path, real) == 0 || is_below(path, here) != started ||
               (is_held(path, held) && !is_named_in_other(path, held));
    if (!own) {
      out = cul_xreallocarray(out, n + 2, sizeof *out);
      out[n++] = cul_xstrdup(name);
      out[n] = NULL;
    }
  }
  cul_scripts_free(held);
  return out;
}

void cul_scripts_free(char **words) {
  for (char **word = words; *word; word++)
    free(*word);
  free(words);
}
