/* The table of systems: see systems.h.  Which options print what:
 * measured on mlir-opt 19 and 22 and on IREE's wheels. */
#include "systems.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "package.h"

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

/* The neighbour of program, else the one on PATH; NULL when there is none. */
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

/* Both lists as one block. */
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

char **cul_system_generic_argv(const struct cul_system_tool *tool) {
  char *words[4] = {0};
  const struct cul_system *system = find_any(tool, &words[0]);
  char **argv;
  if (!system && !cul_package_words(tool, words))
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
