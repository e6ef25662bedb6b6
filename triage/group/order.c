/* Buckets in order, and their numbers: see triage.h. */
#include <stdlib.h>

#include "../triage.h"

static int compare(const void *a, const void *b) {
  const struct cul_bucket *x = a, *y = b;
  if (x->ignored != y->ignored)
    return x->ignored ? 1 : -1;
  if (x->infrastructure != y->infrastructure)
    return x->infrastructure ? 1 : -1;
  if (x->state != y->state &&
      (x->state == CUL_BUCKET_NEW || y->state == CUL_BUCKET_NEW ||
       x->state == CUL_BUCKET_GONE || y->state == CUL_BUCKET_GONE))
    return x->state < y->state ? -1 : 1;
  if (x->n_members != y->n_members)
    return x->n_members > y->n_members ? -1 : 1;
  if ((x->id < 0) != (y->id < 0))
    return x->id < 0 ? 1 : -1;
  return x->id == y->id ? 0 : (x->id < y->id) == (x->id > 0) ? -1 : 1;
}

static void number(struct cul_triage *t, int64_t next_id) {
  int64_t *ids = cul_xcalloc(t->n_buckets + 1, sizeof *ids);
  for (size_t b = 0; b < t->n_buckets; b++)
    if (t->buckets[b].id < 0) {
      ids[-1 - t->buckets[b].id] = next_id;
      t->buckets[b].id = next_id++;
    }
  for (size_t b = 0; b < t->n_buckets; b++)
    for (size_t i = 0; i < t->buckets[b].n_maybe; i++)
      if (t->buckets[b].maybe[i] < 0)
        t->buckets[b].maybe[i] = ids[-1 - t->buckets[b].maybe[i]];
  free(ids);
}

void cul_triage_order(struct cul_triage *t, int64_t next_id) {
  for (size_t b = 0; b < t->n_buckets; b++)
    t->buckets[b].infrastructure =
        t->kinds[t->buckets[b].kind]->sig.kind == CUL_KIND_INFRASTRUCTURE;
  if (t->n_buckets)
    qsort(t->buckets, t->n_buckets, sizeof *t->buckets, compare);
  for (size_t b = 0; b < t->n_buckets; b++)
    for (size_t i = 0; i < t->buckets[b].n_members; i++)
      t->members[t->buckets[b].members[i]].bucket = b;
  number(t, next_id);
}
