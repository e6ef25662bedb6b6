/* The mounts of a sandbox: see sandbox.h.
 *
 * Landlock has no right for modes, owners, times and attributes of files; a
 * read-only mount refuses all of them.  Places that stay writable are taken
 * hold of first, as mount trees that stand nowhere, and put where they were
 * once all else is read-only: what was read-only in them stays so.  Nodes of
 * devices, sockets and pipes are written through a read-only mount as ever. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/file.h"
#include "sandbox.h"

#ifndef SYS_open_tree /* Linux 5.2 and 5.12; the same on all machines */
#define SYS_open_tree 428
#define SYS_move_mount 429
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

/* mount_setattr(2)'s and open_tree(2)'s, whatever the headers know. */
struct attributes {
  uint64_t set, clear, propagation, userns;
};
enum {
  CLONE_TREE = 1,
  WHOLE_TREE = 0x8000, /* AT_RECURSIVE */
  FROM_DESCRIPTOR = 4, /* MOVE_MOUNT_F_EMPTY_PATH */
  READ_ONLY = 1,
  NO_DEVICES = 4
};

static int take_tree(const char *path) {
  return (int)syscall(SYS_open_tree, AT_FDCWD, path,
                      CLONE_TREE | O_CLOEXEC | WHOLE_TREE);
}

static int put_tree(int tree, const char *path) {
  return (int)syscall(SYS_move_mount, tree, "", AT_FDCWD, path,
                      FROM_DESCRIPTOR);
}

static int add_attribute(int dir, const char *path, unsigned flags,
                         uint64_t which) {
  const struct attributes attributes = {.set = which};
  return (int)syscall(SYS_mount_setattr, dir, path, flags, &attributes,
                      sizeof attributes);
}

static int freeze(int dir, const char *path, unsigned flags) {
  return add_attribute(dir, path, flags, READ_ONLY);
}

/* Settings of the machine, which a tool that is root could change. */
static int freeze_settings(void) {
  static const char *const paths[] = {"/proc/sys", "/proc/sysrq-trigger"};
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(paths) && rc == 0; i++) {
    int tree = take_tree(paths[i]);
    if (tree < 0 && errno == ENOENT)
      continue;
    rc = tree < 0 || freeze(tree, "", AT_EMPTY_PATH | WHOLE_TREE) ||
                 put_tree(tree, paths[i])
             ? -1
             : 0;
    if (tree >= 0)
      close(tree);
  }
  return rc;
}

/* The directory where the process stands is one of the old mount. */
static int enter_again(void) {
  char here[PATH_MAX];
  return getcwd(here, sizeof here) && here[0] == '/' ? chdir(here) : 0;
}

/* A place that is gone needs no mount.  A device that a run makes is none: it
 * could be the disk. */
static int take_trees(const struct cul_paths *places, int *trees) {
  for (size_t i = 0; i < places->n; i++) {
    trees[i] = take_tree(places->items[i]);
    if (trees[i] < 0 ? errno != ENOENT && errno != ENOTDIR
                     : add_attribute(trees[i], "", AT_EMPTY_PATH, NO_DEVICES))
      return -1;
  }
  return 0;
}

static int put_trees(const struct cul_paths *places, const int *trees) {
  for (size_t i = 0; i < places->n; i++)
    if (trees[i] >= 0 && put_tree(trees[i], places->items[i]))
      return -1;
  return 0;
}

/* It goes with the last process that has it. */
static int mount_memory(const struct cul_box *box) {
  char options[64];
  int n = snprintf(options, sizeof options, "mode=1777");
  if (box->memory_bytes)
    snprintf(options + n, sizeof options - (size_t)n, ",size=%llu",
             (unsigned long long)box->memory_bytes);
  return mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, options) &&
                 errno != ENOENT && errno != ENOTDIR
             ? -1
             : 0;
}

int cul_box_freeze(const struct cul_box *box) {
  const struct cul_paths *places = &box->places;
  int *trees = malloc((places->n + 1) * sizeof *trees), rc = -1, error;
  if (!trees)
    return -1;
  memset(trees, -1, (places->n + 1) * sizeof *trees);
  if (take_trees(places, trees) == 0 &&
      freeze(AT_FDCWD, "/", WHOLE_TREE) == 0 && put_trees(places, trees) == 0 &&
      (!box->memory || mount_memory(box) == 0))
    rc = enter_again();
  error = errno;
  for (size_t i = 0; i < places->n; i++)
    if (trees[i] >= 0)
      close(trees[i]);
  free(trees);
  errno = error;
  return rc;
}

int cul_box_freeze_settings(const struct cul_box *box) {
  return box->parts & CUL_PART_USERS ? 0 : freeze_settings();
}
