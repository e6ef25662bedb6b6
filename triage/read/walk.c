/* Walks directories in the order of names: see walk.h. */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"

enum { MAX_DEPTH = 64 };

static int is_visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void walk_dir(const struct cul_walk *walk, const char *path, int depth);

static void walk_entry(const struct cul_walk *walk, const char *path,
                       int depth) {
  struct stat st, target;
  if (lstat(path, &st) < 0 || stat(path, &target) < 0)
    walk->problem(walk->self, path, strerror(errno));
  else if (S_ISDIR(st.st_mode))
    walk_dir(walk, path, depth + 1);
  else if (S_ISREG(target.st_mode))
    walk->file(walk->self, path);
  else if (!S_ISDIR(target.st_mode))
    walk->problem(walk->self, path, "is a pipe or a device, not a file");
}

static void walk_dir(const struct cul_walk *walk, const char *path, int depth) {
  struct dirent **entries = NULL;
  int n = 0;
  if (walk->except && depth && !strcmp(cul_basename(path), walk->except))
    return;
  if (depth < MAX_DEPTH)
    n = scandir(path, &entries, is_visible, by_name);
  else
    walk->problem(walk->self, path, "is nested more than 64 deep");
  if (n < 0)
    walk->problem(walk->self, path, strerror(errno));
  for (int i = 0; i < n; i++) {
    size_t len = strlen(path);
    char *child = cul_xasprintf("%.*s/%s", (int)(len - (path[len - 1] == '/')),
                                path, entries[i]->d_name);
    if (!walk->interrupted || !*walk->interrupted)
      walk_entry(walk, child, depth);
    free(child);
    free(entries[i]);
  }
  free(entries);
}

void cul_walk_dir(const struct cul_walk *walk, const char *path) {
  walk_dir(walk, path, 0);
}
