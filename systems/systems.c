/* The table of systems: see systems.h. The options of each were checked with
 * mlir-opt 19 and 22 and IREE's wheels. */
#include "systems.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/files/file.h"
#include "../runners/trace/program.h"

/* How a family of tools prints the generic form of a module. */
struct cul_system {
  const char *name;
  /* shell pattern (fnmatch) for the base name of the program under test */
  const char *program;
  /* the opt tool; NULL: the program itself. A name is looked up in the
   * directory of the program, then on PATH. */
  const char *opt_tool;
  /* arguments that print the generic form to standard output; "@@" is the file;
   * NULL terminated */
  const char *const *generic;
};

static const char *const upstream_generic[] = {"--mlir-print-op-generic",
                                               "--mlir-print-local-scope",
                                               "--mlir-print-debuginfo",
                                               "--allow-unregistered-dialect",
                                               "@@",
                                               NULL};

static const struct cul_system systems[] = {
#define SYSTEM(name, program, opt, arguments) {name, program, opt, arguments},
#define PACKAGE(name, library)
#define READER(name)
#define TRACE(name)
#include "list.h"
#undef TRACE
#undef READER
#undef SYSTEM
#undef PACKAGE
};

struct cul_bytes cul_system_next_file(const char **at) {
  const char *line = *at;
  size_t len = strcspn(line, "\n"), key = strcspn(line, " ");
  *at = line + len + (line[len] == '\n');
  if (key >= len)
    return (struct cul_bytes){line, 0};
  return (struct cul_bytes){line + key + 1, len - key - 1};
}

/* Look for the tool beside the program, then on PATH; NULL: none. */
static char *find_opt_tool(const struct cul_system *system,
                           const char *program) {
  const char *slash = strrchr(program, '/');
  char *beside, *found;
  if (!system->opt_tool)
    return cul_xstrdup(program);
  beside = slash ? cul_xasprintf("%.*s/%s", (int)(slash - program), program,
                                 system->opt_tool)
                 : cul_xstrdup(system->opt_tool);
  found = cul_find_program(beside);
  free(beside);
  return found ? found : cul_find_program(system->opt_tool);
}

/* The first system whose opt tool is installed for the program. */
static const struct cul_system *find(const char *program, char **opt_tool) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(systems); i++)
    if (fnmatch(systems[i].program, cul_basename(program), 0) == 0) {
      *opt_tool = find_opt_tool(&systems[i], program);
      return *opt_tool ? &systems[i] : NULL;
    }
  return NULL;
}

static const struct cul_system *find_any(const struct cul_system_tool *tool,
                                         char **opt_tool) {
  const struct cul_system *system = find(tool->program, opt_tool);
  for (const char *at = tool->files; *at && !system;) {
    struct cul_bytes path = cul_system_next_file(&at);
    char *program = cul_xstrndup(path.data, path.len);
    if (access(program, X_OK) == 0)
      system = find(program, opt_tool);
    free(program);
  }
  return system;
}

/* Concatenate both lists in one block. */
static char **join(const char *const *first, const char *const *then) {
  size_t n = 0, size = 0;
  char **argv, *text;
  for (const char *const *word = first; *word; word++, n++)
    size += strlen(*word) + 1;
  for (const char *const *word = then; *word; word++, n++)
    size += strlen(*word) + 1;
  argv = cul_xmalloc((n + 1) * sizeof *argv + size);
  text = (char *)(argv + n + 1);
  for (size_t i = 0; i < n; i++) {
    const char *word = *first ? *first++ : *then++;
    argv[i] = text;
    text = stpcpy(text, word) + 1;
  }
  argv[n] = NULL;
  return argv;
}

static bool package_words(const struct cul_system_tool *tool, char *words[3]);

char **cul_system_generic_argv(const struct cul_system_tool *tool) {
  char *words[4] = {0};
  const struct cul_system *system = find_any(tool, &words[0]);
  char **argv;
  if (!system && !package_words(tool, words))
    return NULL;
  argv = join((const char *const *)words,
              system ? system->generic : (const char *const[]){"@@", NULL});
  for (size_t i = 0; words[i]; i++)
    free(words[i]);
  return argv;
}

bool cul_system_is_opt(const struct cul_system_tool *tool) {
  char *found = NULL;
  const struct cul_system *system = find_any(tool, &found);
  free(found);
  return system && !system->opt_tool;
}

/* ---- Python packages ---- */

/* The files that the first run executed and read identify the package and the
 * interpreter that loads it, whatever started it: a console script, a shell
 * script, a test script. */

struct package {
  const char *name, *library;
};

static const struct package packages[] = {
#define SYSTEM(name, program, opt, arguments)
#define PACKAGE(name, library) {#name, library},
#define READER(name)
#define TRACE(name)
#include "list.h"
#undef TRACE
#undef READER
#undef SYSTEM
#undef PACKAGE
};

/* The directory that contains the package; NULL: no file belongs to it. */
static char *find_site(const char *files, const char *library) {
  while (*files) {
    struct cul_bytes path = cul_system_next_file(&files);
    const char *at = memmem(path.data, path.len, library, strlen(library));
    if (at)
      return cul_xstrndup(path.data, (size_t)(at - path.data));
  }
  return NULL;
}

/* Is path an interpreter (python, python3, python3.11)? A script of that name
 * only starts one. */
static bool is_interpreter(const char *path) {
  static const char name[] = "python";
  const char *base = cul_basename(path);
  size_t n = sizeof name - 1;
  struct cul_program program = {0};
  if (strncmp(base, name, n) != 0 ||
      base[n + strspn(base + n, "0123456789.")] != '\0')
    return false;
  cul_program_read(path, &program);
  return program.kind == CUL_PROGRAM_NATIVE;
}

static size_t common_prefix(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && a[n] == b[n])
    n++;
  return n;
}

/* Choose the interpreter nearest to the package: an environment contains
 * both. */
static char *find_interpreter(const char *files, const char *site) {
  char *best = NULL;
  while (*files) {
    struct cul_bytes line = cul_system_next_file(&files);
    char *path = cul_xstrndup(line.data, line.len);
    if (is_interpreter(path) &&
        (!best || common_prefix(path, site) > common_prefix(best, site))) {
      free(best);
      best = path;
      continue;
    }
    free(path);
  }
  return best;
}

/* Set words to INTERPRETER SCRIPT SITE, each on the heap, for the first package
 * of the table among the tool's files. SITE: the directory that contains the
 * package. False: no package, no script or no interpreter. */
static bool package_words(const struct cul_system_tool *tool, char *words[3]) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(packages); i++) {
    char *site = find_site(tool->files, packages[i].library);
    char *name = cul_xasprintf("generic_%s.py", packages[i].name);
    words[2] = site;
    words[1] = site ? cul_own_file(tool->program_dir, name, R_OK) : NULL;
    words[0] = site ? find_interpreter(tool->files, site) : NULL;
    free(name);
    if (words[0] && words[1])
      return true;
    for (int k = 0; k < 3; k++)
      free(words[k]);
  }
  memset(words, 0, 3 * sizeof *words);
  return false;
}
