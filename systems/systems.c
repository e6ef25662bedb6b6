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
#include "list.h"
#undef SYSTEM
#undef PACKAGE
};

static const struct cul_system *find(const char *program) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(systems); i++)
    if (fnmatch(systems[i].program, cul_basename(program), 0) == 0)
      return &systems[i];
  return NULL;
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
  const struct cul_system *system = find(tool->program);
  char *program = system ? find_opt_tool(system, tool->program) : NULL;
  char *words[4] = {program};
  char **argv;
  if (!program && !cul_package_words(tool, words))
    return NULL;
  argv = join((const char *const *)words,
              program ? system->generic : (const char *const[]){"@@", NULL});
  for (size_t i = 0; words[i]; i++)
    free(words[i]);
  return argv;
}
