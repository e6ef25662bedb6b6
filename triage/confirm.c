/* Same bug?  Two buckets of different commands are one where the reduced case
 * of each fails under the other's command as the other does: two signatures of
 * one defect, by two tools. */
#include <stdlib.h>
#include <string.h>

#include "work.h"

enum { MOST_RUNS = 2000 /* of one triage */ };

static const char *file_of(const struct cul_bucket *bucket) {
  return json_string_value(json_object_get(bucket->reduced, "file"));
}

/* The member whose command the case was reduced under. */
static const struct cul_member *owner_of(const struct cul_triage *t,
                                         const struct cul_bucket *bucket) {
  const json_t *command = json_object_get(bucket->reduced, "command");
  for (size_t i = 0; i < bucket->n_members; i++)
    if (json_equal(t->members[bucket->members[i]].command, command))
      return &t->members[bucket->members[i]];
  return NULL;
}

/* Does the case of a fail under the command of b as b does? */
static int runs_as(struct cul_triage *t, const struct cul_bucket *a,
                   const struct cul_bucket *b, bool *same,
                   struct cul_err *err) {
  enum cul_checked found = CUL_CHECK_NONE;
  char *note = NULL;
  int rc = cul_triage_try(t, file_of(a), owner_of(t, b), b, &found, &note, err);
  *same = found == CUL_CHECK_SAME;
  free(note);
  return rc;
}

static bool comparable(const struct cul_triage *t, const struct cul_bucket *a,
                       const struct cul_bucket *b) {
  const struct cul_member *x, *y;
  if (a->ignored || b->ignored || !file_of(a) || !file_of(b))
    return false;
  x = owner_of(t, a);
  y = owner_of(t, b);
  return x && y && !json_equal(x->command, y->command);
}

static int same_bug(struct cul_triage *t, const struct cul_bucket *a,
                    const struct cul_bucket *b, bool *same,
                    struct cul_err *err) {
  int rc = runs_as(t, a, b, same, err);
  return rc == 0 && *same ? runs_as(t, b, a, same, err) : rc;
}

/* All of b into a; b is empty then. */
static void join(struct cul_triage *t, struct cul_bucket *a,
                 struct cul_bucket *b) {
  for (size_t i = 0; i < b->n_members; i++) {
    struct cul_member *member = &t->members[b->members[i]];
    char *why = cul_xasprintf("the reduced cases of B%lld and B%lld fail under "
                              "each other's command; %s",
                              (long long)a->id, (long long)b->id, member->why);
    free(member->why);
    member->why = why;
  }
  a->members = cul_xreallocarray(a->members, a->n_members + b->n_members,
                                 sizeof *a->members);
  memcpy(a->members + a->n_members, b->members,
         b->n_members * sizeof *b->members);
  a->n_members += b->n_members;
  if (b->state != CUL_BUCKET_NEW && a->state == CUL_BUCKET_NEW)
    a->state = b->state;
  for (size_t i = 0; i < a->n_history && i < b->n_history; i++)
    a->history[i] += b->history[i];
  b->n_members = 0;
}

static void drop_bucket(struct cul_triage *t, size_t at) {
  cul_bucket_release(&t->buckets[at]);
  memmove(&t->buckets[at], &t->buckets[at + 1],
          (t->n_buckets - at - 1) * sizeof *t->buckets);
  t->n_buckets--;
}

/* The older number stays. */
static int merge(struct cul_triage *t, struct cul_state *state, size_t i,
                 size_t k, struct cul_err *err) {
  bool older = t->buckets[i].id < t->buckets[k].id;
  size_t keep = older ? i : k, drop = older ? k : i;
  int rc =
      cul_state_merge(state, t->buckets[drop].id, t->buckets[keep].id, err);
  if (rc < 0)
    return rc;
  join(t, &t->buckets[keep], &t->buckets[drop]);
  drop_bucket(t, drop);
  return 0;
}

int cul_triage_confirm(struct cul_triage *t, struct cul_state *state,
                       size_t *n_merged, struct cul_err *err) {
  size_t runs = 0;
  int rc = 0;
  *n_merged = 0;
  for (size_t i = 0; i < t->n_buckets && rc == 0; i++)
    for (size_t k = i + 1; k < t->n_buckets && rc == 0; k++) {
      bool same = false;
      if (!comparable(t, &t->buckets[i], &t->buckets[k]) || runs++ >= MOST_RUNS)
        continue;
      rc = same_bug(t, &t->buckets[i], &t->buckets[k], &same, err);
      if (rc == 0 && same) {
        rc = merge(t, state, i, k, err);
        (*n_merged)++;
        k = i; /* what stands there now is compared with all */
      }
    }
  if (*n_merged)
    cul_triage_order(t, 0);
  return rc;
}
