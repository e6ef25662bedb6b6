/* Statements that come in pairs: see pairs.h. */
#include "pairs.h"

#include <stdlib.h>

/* FEWEST: names that occur less often match by chance.  MOST_NAMES: names of a
 * body that are compared with each other. */
enum { FEWEST = 8, MOST_NAMES = 32 };

void cul_pairs_add(struct cul_pairs *body, struct cul_bytes name, bool ends,
                   uint64_t place) {
  CUL_XADD(body->items, body->n, body->cap) =
      (struct cul_paired){cul_digest_of(name.data, name.len).w[0], place, ends};
}

void cul_pairs_release(struct cul_pairs *body) {
  free(body->items);
  *body = (struct cul_pairs){0};
}

/* A name and the indices of its statements, at[0..n). */
struct name {
  uint64_t hash;
  bool ends;
  size_t *at;
  size_t n;
};

static size_t list_names(const struct cul_pairs *body,
                         struct name names[MOST_NAMES]) {
  size_t n = 0;
  for (size_t i = 0; i < body->n; i++) {
    size_t k = 0;
    while (k < n && names[k].hash != body->items[i].name)
      k++;
    if (k == MOST_NAMES)
      continue;
    if (k == n)
      names[n++] = (struct name){.hash = body->items[i].name, .ends = true};
    names[k].at =
        cul_xreallocarray(names[k].at, names[k].n + 1, sizeof *names[k].at);
    names[k].at[names[k].n++] = i;
    names[k].ends &= body->items[i].ends;
  }
  return n;
}

static bool are_paired(const struct name *a, const struct name *b) {
  bool ok = a != b && a->n == b->n && a->n >= FEWEST && b->ends;
  for (size_t i = 0; ok && i < a->n; i++)
    ok = a->at[i] < b->at[i];
  return ok;
}

void cul_pairs_find(const struct cul_pairs *body, cul_pairs_fn *fn,
                    void *self) {
  struct name names[MOST_NAMES];
  size_t n = body->n < 2 * FEWEST ? 0 : list_names(body, names);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++)
      for (size_t i = 0; are_paired(&names[a], &names[b]) && i < names[a].n;
           i++)
        fn(self, body->items[names[a].at[i]].place,
           body->items[names[b].at[i]].place);
  for (size_t i = 0; i < n; i++)
    free(names[i].at);
}
