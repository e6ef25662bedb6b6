/* Finds printers of the generic form: see printers.h. */
#include "printers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/files/file.h"

static const char *const ways[] = {
#define PRINTER(words) words,
#include "printers.list"
#undef PRINTER
};

/* Does the file contain the option's name? Such a program prints MLIR. */
static bool knows(const char *path) {
  static const char option[] = "print-op-generic";
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat st;
  bool found = false;
  void *bytes;
  if (fd < 0)
    return false;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
    bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      found = memmem(bytes, (size_t)st.st_size, option, sizeof option - 1);
      munmap(bytes, (size_t)st.st_size);
    }
  }
  close(fd);
  return found;
}

static bool is_library(struct cul_bytes path) {
  return memmem(path.data, path.len, ".so", 3) != NULL;
}

/* Does the tool load a library with the option? Then the tool itself can
 * print. */
static bool links_printer(const struct cul_system_tool *tool) {
  bool found = false;
  for (const char *at = tool->files; *at && !found;) {
    struct cul_bytes path = cul_system_next_file(&at);
    char *file = cul_xstrndup(path.data, path.len);
    found = is_library(path) && knows(file);
    free(file);
  }
  return found;
}

/* NAME-opt beside program NAME, or beside NAME-compile, NAME-translate, ...
 * Heap; NULL: there is none. */
static char *find_beside(const char *program) {
  const char *dash = strrchr(cul_basename(program), '-');
  char *file = cul_xasprintf("%s-opt", program);
  if (access(file, X_OK) == 0)
    return file;
  free(file);
  if (!dash)
    return NULL;
  file = cul_xasprintf("%.*s-opt", (int)(dash - program), program);
  if (access(file, X_OK) == 0)
    return file;
  free(file);
  return NULL;
}

/* The same for the tool or, if there is none, for the other programs that it
 * executed. */
static char *find_beside_any(const struct cul_system_tool *tool) {
  char *found = find_beside(tool->program);
  for (const char *at = tool->files; *at && !found;) {
    struct cul_bytes path = cul_system_next_file(&at);
    char *file = cul_xstrndup(path.data, path.len);
    if (!is_library(path) && access(file, X_OK) == 0)
      found = find_beside(file);
    free(file);
  }
  return found;
}

char *cul_printer_find(const struct cul_system_tool *tool) {
  if (!tool->program)
    return NULL;
  if (knows(tool->program))
    return cul_xstrdup(tool->program);
  for (const char *at = tool->files; *at;) {
    struct cul_bytes path = cul_system_next_file(&at);
    char *file = cul_xstrndup(path.data, path.len);
    if (!is_library(path) && access(file, X_OK) == 0 && knows(file))
      return file;
    free(file);
  }
  return links_printer(tool) ? cul_xstrdup(tool->program)
                             : find_beside_any(tool);
}

char **cul_printer_argv(const char *program, size_t way) {
  size_t n = 0;
  char **argv, *text;
  if (way >= CUL_ARRAY_SIZE(ways))
    return NULL;
  for (const char *c = ways[way]; *c; c++)
    n += *c == ' ';
  /* the program, n + 1 options, "@@" and NULL */
  argv = cul_xmalloc((n + 4) * sizeof *argv + strlen(program) +
                     strlen(ways[way]) + 5);
  text = (char *)(argv + n + 4);
  n = 0;
  argv[n++] = text;
  text = stpcpy(text, program) + 1;
  argv[n++] = text;
  for (const char *c = ways[way]; *c; c++) {
    *text++ = *c == ' ' ? '\0' : *c;
    if (*c == ' ')
      argv[n++] = text;
  }
  *text++ = '\0';
  argv[n++] = memcpy(text, "@@", 3);
  argv[n] = NULL;
  return argv;
}

bool cul_printer_blames(const char *const *argv, const char *error) {
  for (size_t i = 1; argv[i]; i++) {
    const char *name = argv[i] + strspn(argv[i], "-");
    size_t n = strcspn(name, "=");
    if (name > argv[i] && memmem(error, strlen(error), name, n))
      return true;
  }
  return false;
}

bool cul_printer_is_generic(struct cul_bytes text) {
  return memmem(text.data, text.len, "\"(", 2) != NULL;
}
