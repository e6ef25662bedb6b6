/* Hashes one file of a build without the name of its directory: see
 * artefacts.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "artefacts.h"

/* The head of a note with a build id of 20 bytes (SHA-1). */
static const char build_id[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU";
enum { BUILD_ID = 20 };

struct view {
  const char *at;
  size_t left;
};

/* Find the next text to leave out: the first of the directory's path and the
 * build id; *at, *len: its place. */
static const char *next_mask(const struct view *view, const char *dir,
                             bool is_elf, size_t *len) {
  const char *path = memmem(view->at, view->left, dir, strlen(dir));
  const char *id =
      is_elf ? memmem(view->at, view->left, build_id, sizeof build_id) : NULL;
  size_t room;
  if (id && (!path || id < path)) {
    id += sizeof build_id;
    room = view->left - (size_t)(id - view->at);
    *len = room < BUILD_ID ? room : BUILD_ID;
    return id;
  }
  *len = strlen(dir);
  return path;
}

static void hash_view(struct cul_hasher *h, struct view view, const char *dir) {
  bool is_elf = view.left > 4 && memcmp(view.at, "\177ELF", 4) == 0;
  const char *mask;
  size_t len;
  while (view.left && (mask = next_mask(&view, dir, is_elf, &len))) {
    size_t before = (size_t)(mask - view.at);
    cul_hasher_u64(h, before);
    cul_hasher_add(h, view.at, before);
    view.at += before + len;
    view.left -= before + len;
  }
  cul_hasher_u64(h, view.left);
  cul_hasher_add(h, view.at, view.left);
}

bool cul_artefact_hash_file(struct cul_hasher *h, const char *path,
                            const char *dir, bool *names_commit) {
  static const char name[] = "CULPRIT_COMMIT";
  /* Do not wait for the writer of a pipe. */
  int fd = TEMP_FAILURE_RETRY(
      open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat st;
  void *map = NULL;
  bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  if (ok && st.st_size > 0)
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0)
    close(fd);
  if (!ok || map == MAP_FAILED)
    return false;
  cul_hasher_u64(h, (uint64_t)(st.st_mode & 0111) != 0);
  hash_view(h, (struct view){map ? map : "", map ? (size_t)st.st_size : 0},
            dir);
  if (map) {
    if (memmem(map, (size_t)st.st_size, name, sizeof name - 1))
      *names_commit = true;
    munmap(map, (size_t)st.st_size);
  }
  return true;
}
