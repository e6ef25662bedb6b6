/* Files that git-lfs keeps: a commit has pointers to them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "repo_private.h"

enum { MOST_POINTER = 1024, OID_LEN = 64 };

bool cul_lfs_pointer(const char *text, size_t len, char oid[OID_LEN + 1]) {
  static const char head[] = "version https://git-lfs.github.com/spec/v1\n";
  static const char word[] = "\noid sha256:";
  char copy[MOST_POINTER + 1];
  const char *at;
  if (len > MOST_POINTER || len < sizeof head ||
      memcmp(text, head, sizeof head - 1) != 0)
    return false;
  memcpy(copy, text, len);
  copy[len] = '\0';
  at = strstr(copy, word);
  if (!at || strspn(at + sizeof word - 1, "0123456789abcdef") != OID_LEN)
    return false;
  memcpy(oid, at + sizeof word - 1, OID_LEN);
  oid[OID_LEN] = '\0';
  return true;
}

bool cul_repo_lfs(struct cul_repo *repo, const char *oid,
                  struct cul_buf *content) {
  char *path =
      cul_xasprintf("%slfs/objects/%.2s/%.2s/%s",
                    git_repository_commondir(repo->git), oid, oid + 2, oid);
  struct cul_err ignored = {0};
  bool found = cul_file_read(path, CUL_REPO_MOST_FILE, content, &ignored) == 0;
  free(path);
  return found;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/* Names of files, directories gone through: aa/bb/OID. */
static void hash_names(struct cul_hasher *h, const char *dir, int depth) {
  struct dirent **entries = NULL;
  int n = scandir(dir, &entries, is_shown, by_name);
  for (int i = 0; i < n; i++) {
    cul_hasher_field(h, entries[i]->d_name);
    if (depth > 0) {
      char *below = cul_xasprintf("%s/%s", dir, entries[i]->d_name);
      hash_names(h, below, depth - 1);
      free(below);
    }
    free(entries[i]);
  }
  free(entries);
}

void cul_repo_lfs_names(struct cul_repo *repo, struct cul_hasher *h) {
  char *dir =
      cul_xasprintf("%slfs/objects", git_repository_commondir(repo->git));
  hash_names(h, dir, 2);
  free(dir);
}
