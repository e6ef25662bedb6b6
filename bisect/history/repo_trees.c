/* Checks that a tree may be checked out.  git refuses invalid trees when it
 * makes or fetches them, but a foreign repository may contain any bytes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "repo_private.h"

/* The length of a character that some file systems (HFS+) ignore in names:
 * U+200C to U+200F, U+202A to U+202E, U+206A to U+206F, U+FEFF. */
static size_t ignorable(const unsigned char *at) {
  if (at[0] == 0xef)
    return at[1] == 0xbb && at[2] == 0xbf ? 3 : 0;
  if (at[0] != 0xe2)
    return 0;
  if (at[1] == 0x80)
    return (at[2] >= 0x8c && at[2] <= 0x8f) || (at[2] >= 0xaa && at[2] <= 0xae)
               ? 3
               : 0;
  return at[1] == 0x81 && at[2] >= 0xaa && at[2] <= 0xaf ? 3 : 0;
}

/* Is the name ".git", or treated as such by some file system: ".GIT", ".git ",
 * ".git.", ".git:...", "git~1"? */
static bool is_dotgit(const char *name) {
  char plain[8];
  const unsigned char *at = (const unsigned char *)name;
  size_t n = 0, skip;
  while (*at && n < sizeof plain - 1) {
    if ((skip = ignorable(at)))
      at += skip;
    else
      plain[n++] = (char)tolower(*at++);
  }
  plain[n] = '\0';
  if (strncmp(plain, "git~1", 5) == 0)
    return strchr(" .:", plain[5]) != NULL; /* also at the end of the name */
  return strncmp(plain, ".git", 4) == 0 && strchr(" .:\\", plain[4]);
}

static const char *fault_of(const char *name) {
  size_t n = strlen(name);
  if (n == 0)
    return "is empty";
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strchr(name, '/'))
    return "leads elsewhere";
  if (is_dotgit(name))
    return "is where git keeps its own files";
  return n > 255 ? "is longer than a file name may be" : NULL;
}

static int by_name(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* A name of two entries: the second would be written through the first. */
static const char *twice(const git_tree *tree) {
  size_t n = git_tree_entrycount(tree);
  const char **names = cul_xcalloc(n + 1, sizeof *names), *found = NULL;
  for (size_t i = 0; i < n; i++)
    names[i] = git_tree_entry_name(git_tree_entry_byindex(tree, i));
  qsort(names, n, sizeof *names, by_name);
  for (size_t i = 1; i < n && !found; i++)
    if (strcmp(names[i - 1], names[i]) == 0)
      found = names[i];
  free(names);
  return found;
}

bool cul_tree_is_sound(const git_tree *tree, const char *prefix, char *why,
                       size_t size) {
  const char *name = NULL, *fault = NULL;
  for (size_t i = 0; i < git_tree_entrycount(tree) && !fault; i++) {
    const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
    name = git_tree_entry_name(entry);
    fault = fault_of(name);
    if (!fault && git_tree_entry_filemode(entry) == GIT_FILEMODE_LINK &&
        strcasecmp(name, ".gitmodules") == 0)
      fault = "is a link";
  }
  if (!fault && (name = twice(tree)))
    fault = "appears twice";
  if (fault)
    snprintf(why, size, "%s%.60s %s", prefix, name, fault);
  return !fault;
}
