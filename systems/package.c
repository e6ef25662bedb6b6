/* Python packages: see package.h.  What the first run executed and read says
 * which package it is and which interpreter loads it, however the command
 * came there: a console script, a shell script, a test script. */
#include "package.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "../runners/trace/program.h"

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

/* The directory that holds the package; NULL where no file is of it. */
static char *find_site(const char *files, const char *library) {
  while (*files) {
    struct cul_bytes path = cul_system_next_file(&files);
    const char *at = memmem(path.data, path.len, library, strlen(library));
    if (at)
      return cul_xstrndup(path.data, (size_t)(at - path.data));
  }
  return NULL;
}

/* python, python3, python3.11; a script of that name only chooses one. */
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

/* An environment's interpreter stands near its packages. */
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

bool cul_package_words(const struct cul_system_tool *tool, char *words[3]) {
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
