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

/* One walk: what the caller wants, and the directory in its canonical form. */
struct walk {
  const struct cul_walk *want;
  const char *root;
};

static void walk_dir(const struct walk *walk, const char *path, int depth);

/* Is a file left out for one of the directories on its path below the root? */
static bool is_left_out(const struct walk *walk, const char *path) {
  const char *except = walk->want->except;
  CUL_HEAP char *dir = except ? cul_xasprintf("/%s/", except) : NULL;
  return strstr(path, "/.") || (dir && strstr(path, dir));
}

/* Does the link lead to a file that the walk meets by its own name, as
 * "latest.log" beside the logs of all runs does? */
static bool is_second_name(const struct walk *walk, const char *link) {
  size_t n = strcmp(walk->root, "/") == 0 ? 0 : strlen(walk->root);
  CUL_HEAP char *target = realpath(link, NULL);
  return target && !strncmp(target, walk->root, n) && target[n] == '/' &&
         !is_left_out(walk, target + n);
}

/* Is it where the reports go? */
static bool is_output(const struct cul_walk *want, const struct stat *dir) {
  struct stat output;
  return want->output && stat(want->output, &output) == 0 &&
         output.st_dev == dir->st_dev && output.st_ino == dir->st_ino;
}

static void walk_entry(const struct walk *walk, const char *path, int depth) {
  const struct cul_walk *want = walk->want;
  struct stat st, target;
  if (lstat(path, &st) < 0 || stat(path, &target) < 0)
    want->problem(want->self, path, strerror(errno));
  else if (S_ISDIR(st.st_mode) && !is_output(want, &st))
    walk_dir(walk, path, depth + 1);
  else if (S_ISDIR(st.st_mode))
    return; /* what an earlier run wrote */
  else if (!S_ISREG(target.st_mode) && !S_ISDIR(target.st_mode))
    want->problem(want->self, path, "is a pipe or a device, not a file");
  else if (S_ISREG(target.st_mode) &&
           (S_ISREG(st.st_mode) || !is_second_name(walk, path)))
    want->file(want->self, path);
}

static void walk_dir(const struct walk *walk, const char *path, int depth) {
  struct dirent **entries = NULL;
  int n = 0;
  const struct cul_walk *want = walk->want;
  if (want->except && depth && !strcmp(cul_basename(path), want->except))
    return;
  if (want->is_left_out && depth && want->is_left_out(want->self, path))
    return;
  if (depth < MAX_DEPTH)
    n = scandir(path, &entries, is_visible, by_name);
  else
    want->problem(want->self, path, "is nested more than 64 deep");
  if (n < 0)
    want->problem(want->self, path, strerror(errno));
  for (int i = 0; i < n; i++) {
    size_t len = strlen(path);
    char *child = cul_xasprintf("%.*s/%s", (int)(len - (path[len - 1] == '/')),
                                path, entries[i]->d_name);
    if (!want->interrupted || !*want->interrupted)
      walk_entry(walk, child, depth);
    free(child);
    free(entries[i]);
  }
  free(entries);
}

void cul_walk_dir(const struct cul_walk *want, const char *path) {
  CUL_HEAP char *real = realpath(path, NULL);
  const struct walk walk = {want, real ? real : path};
  walk_dir(&walk, path, 0);
}
