/* Buckets that may have one reason: see work_private.h. */
#include <ctype.h>
#include <string.h>

#include "../../base/file.h"
#include "work_private.h"

/* ---- requests ---- */

static size_t letters(const char *name) {
  size_t n = 0;
  for (; *name; name++)
    n += !isdigit((unsigned char)*name);
  return n;
}

/* mlir-opt-19 and /usr/bin/mlir-opt-22. */
static bool same_program(const char *a, const char *b) {
  a = cul_basename(a);
  b = cul_basename(b);
  if (letters(a) != letters(b))
    return false;
  for (; *a || *b; a += *a != '\0', b += *b != '\0') {
    while (isdigit((unsigned char)*a))
      a++;
    while (isdigit((unsigned char)*b))
      b++;
    if (*a != *b)
      return false;
  }
  return true;
}

bool cul_request_same(const json_t *a, const json_t *b) {
  const char *x = json_string_value(json_array_get(a, 0));
  const char *y = json_string_value(json_array_get(b, 0));
  if (json_array_size(a) != json_array_size(b) || !x || !y)
    return false;
  for (size_t i = 1; i < json_array_size(a); i++)
    if (!json_equal(json_array_get(a, i), json_array_get(b, i)))
      return false;
  return same_program(x, y);
}

/* ---- what is reduced alike ---- */

/* What a bucket asks its tool for. */
static const json_t *asked_of(const struct cul_triage *t,
                              const struct cul_bucket *bucket) {
  const json_t *asked = json_object_get(bucket->reduced, "command");
  for (size_t i = 0; !asked && i < bucket->n_members; i++)
    asked = t->members[bucket->members[i]].command;
  return asked;
}

static bool asks_alike(const struct cul_triage *t, const struct cul_bucket *a,
                       const struct cul_bucket *b) {
  return cul_request_same(asked_of(t, a), asked_of(t, b));
}

bool cul_bucket_siblings(const struct cul_triage *t, const struct cul_bucket *a,
                         const struct cul_bucket *b) {
  const struct cul_kind_of *x = t->kinds[a->kind], *y = t->kinds[b->kind];
  return !memcmp(&x->keys.level[1], &y->keys.level[1],
                 sizeof x->keys.level[1]) &&
         (x->sig.text[0] || x->sig.pass[0] || asks_alike(t, a, b));
}

struct cul_lesson cul_lesson_for(const struct cul_triage *t,
                                 const struct cul_bucket *bucket) {
  const struct cul_bucket *best = NULL;
  if (json_object_get(bucket->reduced, "recipe"))
    best = bucket;
  for (size_t i = 0; best != bucket && i < t->n_buckets; i++) {
    const struct cul_bucket *other = &t->buckets[i];
    int better;
    if (other == bucket || !json_object_get(other->reduced, "recipe") ||
        !cul_bucket_siblings(t, bucket, other))
      continue;
    better =
        best ? asks_alike(t, bucket, other) - asks_alike(t, bucket, best) : 1;
    if (better > 0 || (better == 0 && other->id < best->id))
      best = other;
  }
  return (struct cul_lesson){best ? json_incref(best->reduced) : NULL,
                             best ? best->id : 0};
}
