/* The table of systems: see systems.h.  Which options print what:
 * measured on mlir-opt 19 and 22 and on IREE's wheels. */
#include "systems.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"

static const char *const upstream_generic[] = {
    "--mlir-print-op-generic", "--mlir-print-local-scope",
    "--allow-unregistered-dialect", "@@", NULL};

static const struct cul_system systems[] = {
#define SYSTEM(name, program, opt, arguments) {name, program, opt, arguments},
#include "list.h"
#undef SYSTEM
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

char **cul_system_generic_argv(const char *program) {
  const struct cul_system *system = find(program);
  char *tool = system ? find_opt_tool(system, program) : NULL;
  char **argv, *text;
  size_t n = 0;
  if (!tool)
    return NULL;
  while (system->generic[n])
    n++;
  argv = cul_xmalloc((n + 2) * sizeof *argv + strlen(tool) + 1);
  text = (char *)(argv + n + 2);
  memcpy(text, tool, strlen(tool) + 1);
  argv[0] = text;
  for (size_t i = 0; i <= n; i++)
    argv[i + 1] = (char *)system->generic[i];
  free(tool);
  return argv;
}
