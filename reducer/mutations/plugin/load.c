/* Loading a plugin of --mutation: see load.h. */
#include "load.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 47, MOST_SUMMARY = 119 };

/* Can reports, --without and lines of progress show the name and the
 * summary? */
static bool is_named(const struct cul_mutation_plugin *p) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
  size_t n = p->name ? strspn(p->name, letters) : 0;
  return n > 0 && n <= MOST_NAME && !p->name[n] && p->summary &&
         strlen(p->summary) <= MOST_SUMMARY && !strpbrk(p->summary, "\n\"\\");
}

static int check(const char *path, const struct cul_mutation_plugin *p,
                 struct cul_err *err) {
  if (!p)
    return cul_fail(err, CUL_EUSAGE,
                    "end it in CUL_MUTATION_PLUGIN(...), see "
                    "mutations/plugin.h",
                    "--mutation %s: not a mutation: it has no symbol %s", path,
                    CUL_MUTATION_PLUGIN_SYMBOL);
  if (p->abi != CUL_MUTATION_ABI)
    return cul_fail(err, CUL_EUSAGE,
                    "compile it again with the headers of this culprit",
                    "--mutation %s: it was made for ABI %u of mutations, this "
                    "culprit has %d",
                    path, p->abi, CUL_MUTATION_ABI);
  if (p->size != sizeof *p || !p->sites || !p->apply)
    return cul_fail(err, CUL_EUSAGE, "fill it with CUL_MUTATION_PLUGIN(...)",
                    "--mutation %s: its descriptor lacks a member", path);
  if (!is_named(p))
    return cul_fail(err, CUL_EUSAGE,
                    "give it a name of small letters, digits and \"-\", and a "
                    "summary of one short line",
                    "--mutation %s: it has no name or no summary that can be "
                    "shown",
                    path);
  return 0;
}

int cul_mutation_plugin_load(const char *path,
                             const struct cul_mutation_plugin **out,
                             struct cul_err *err) {
  char *full = realpath(path, NULL);
  void *library;
  if (!full)
    return cul_fail(err, CUL_EUSAGE, "check the name of the shared object",
                    "--mutation: cannot find %s", path);
  library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  free(full);
  if (!library)
    return cul_fail(err, CUL_EUSAGE,
                    "build it with: cc -shared -fPIC $(pkg-config --cflags "
                    "culprit-plugin) -o FILE.so FILE.c",
                    "--mutation %s: cannot be loaded: %s", path, dlerror());
  *out = dlsym(library, CUL_MUTATION_PLUGIN_SYMBOL);
  return check(path, *out, err);
}
