/* A hash table of files: see fileset.h. */
#include "fileset.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "../../base/digest.h"

static size_t slot_of(const struct cul_fileset *set, const char *name) {
  size_t at = cul_digest_of(name, strlen(name)).w[0] & (set->room - 1);
  while (set->items[at].name && strcmp(set->items[at].name, name) != 0)
    at = (at + 1) & (set->room - 1);
  return at;
}

static void grow(struct cul_fileset *set) {
  struct cul_fileset old = *set;
  set->room = old.room ? old.room * 2 : 256;
  set->items = cul_xcalloc(set->room, sizeof *set->items);
  for (size_t i = 0; i < old.room; i++)
    if (old.items[i].name)
      set->items[slot_of(set, old.items[i].name)] = old.items[i];
  free(old.items);
}

struct cul_file *cul_fileset_put(struct cul_fileset *set, const char *name,
                                 bool *added) {
  size_t at;
  if (set->n * 2 >= set->room)
    grow(set);
  at = slot_of(set, name);
  if (added)
    *added = !set->items[at].name;
  if (!set->items[at].name) {
    set->items[at].name = cul_xstrdup(name);
    set->n++;
  }
  return &set->items[at];
}

const struct cul_file *cul_fileset_find(const struct cul_fileset *set,
                                        const char *name) {
  size_t at;
  if (!set->room)
    return NULL;
  at = slot_of(set, name);
  return set->items[at].name ? &set->items[at] : NULL;
}

static int compare(const void *a, const void *b) {
  const struct cul_file *x = a, *y = b;
  return strcmp(x->name, y->name);
}

void cul_fileset_sort(struct cul_fileset *set) {
  size_t n = 0;
  for (size_t i = 0; i < set->room; i++)
    if (set->items[i].name)
      set->items[n++] = set->items[i];
  if (n)
    qsort(set->items, n, sizeof *set->items, compare);
  set->room = n;
}

void cul_fileset_release(struct cul_fileset *set) {
  for (size_t i = 0; i < set->room; i++) {
    free(set->items[i].name);
    free(set->items[i].real);
  }
  free(set->items);
  *set = (struct cul_fileset){0};
}
