/* Same bug?  Two buckets are one where the case of one, under the same request
 * to another version of the tool, fails as the other does; where the requests
 * differ, the case of each has to fail under the other's command as the other
 * does.  The case is the reduced one, or else the smallest module.
 *
 * Where a repository was bisected, its commits decide: the same one is to blame
 * for one bug, two are for two.
 *
 * Most pairs have nothing in common and are not tried: only those of the same
 * request, message or function; and the others where there are few. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/file.h"
#include "work.h"

enum { MOST_PAIRS = 2000, MOST_STRANGERS = 100 };

struct pair {
  size_t a, b; /* buckets */
  bool same, blamed;
};

/* What stands for a bucket. */
struct side {
  const char *file; /* NULL = nothing does */
  json_t *command;
};

struct confirming {
  struct cul_triage *t;
  struct side *sides; /* by bucket */
  struct pair *pairs;
  size_t n;
};

/* Where a repository was bisected: -1: other commits are to blame; 1: the same
 * one; 0: not known. */
static int same_culprit(const struct cul_bucket *a,
                        const struct cul_bucket *b) {
  const char *x = cul_bucket_culprit(a), *y = cul_bucket_culprit(b);
  return !x || !y ? 0 : !strcmp(x, y) ? 1 : -1;
}

static off_t size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? st.st_size : -1;
}

static struct side side_of(const struct cul_triage *t,
                           const struct cul_bucket *bucket) {
  struct side side = {
      json_string_value(json_object_get(bucket->reduced, "file")),
      json_object_get(bucket->reduced, "command")};
  off_t least = 0;
  if (bucket->ignored || !bucket->n_members)
    return (struct side){NULL, NULL};
  if (side.file && side.command)
    return side;
  side = (struct side){NULL, NULL};
  for (size_t i = 0; i < bucket->n_members; i++) {
    const struct cul_member *member = &t->members[bucket->members[i]];
    off_t size =
        member->module && member->command ? size_of(member->module) : -1;
    if (size < 0 || (side.file && size >= least))
      continue;
    side = (struct side){member->module, member->command};
    least = size;
  }
  return side;
}

static bool comparable(const struct confirming *c, size_t a, size_t b) {
  const struct side *x = &c->sides[a], *y = &c->sides[b];
  int blamed = same_culprit(&c->t->buckets[a], &c->t->buckets[b]);
  return x->file && y->file && blamed >= 0 &&
         (blamed > 0 || !json_equal(x->command, y->command));
}

/* ---- likely pairs ---- */

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

static bool same_request(const json_t *a, const json_t *b) {
  const char *x = json_string_value(json_array_get(a, 0));
  const char *y = json_string_value(json_array_get(b, 0));
  if (json_array_size(a) != json_array_size(b) || !x || !y)
    return false;
  for (size_t i = 1; i < json_array_size(a); i++)
    if (!json_equal(json_array_get(a, i), json_array_get(b, i)))
      return false;
  return same_program(x, y);
}

static bool same_function(const struct cul_signature *a,
                          const struct cul_signature *b) {
  const struct cul_frame *x[CUL_KEY_FRAMES], *y[CUL_KEY_FRAMES];
  return cul_key_frames(a, x) && cul_key_frames(b, y) &&
         !strcmp(x[0]->name, y[0]->name);
}

/* A command of bucket b that asks another version for what a's case asks;
 * NULL = none. */
static json_t *other_version(const struct confirming *c, size_t a, size_t b) {
  const struct cul_bucket *bucket = &c->t->buckets[b];
  const json_t *asked = c->sides[a].command;
  for (size_t i = 0; i < bucket->n_members; i++) {
    json_t *command = c->t->members[bucket->members[i]].command;
    if (command && same_request(asked, command) && !json_equal(asked, command))
      return command;
  }
  return NULL;
}

static bool likely(const struct confirming *c, size_t i, size_t k) {
  const struct cul_bucket *a = &c->t->buckets[i], *b = &c->t->buckets[k];
  const struct cul_signature *x = &c->t->kinds[a->kind]->sig;
  const struct cul_signature *y = &c->t->kinds[b->kind]->sig;
  return same_culprit(a, b) > 0 || other_version(c, i, k) ||
         other_version(c, k, i) || (x->text[0] && !strcmp(x->text, y->text)) ||
         same_function(x, y);
}

/* Of those that are likely, or of the others, the first; the others only where
 * that is all of them. */
static void add_pairs(struct confirming *c, bool wanted, size_t most) {
  size_t before = c->n;
  const struct cul_triage *t = c->t;
  for (size_t i = 0; i < t->n_buckets; i++)
    for (size_t k = i + 1; k < t->n_buckets; k++) {
      if (!comparable(c, i, k) || likely(c, i, k) != wanted)
        continue;
      if ((c->n & (c->n - 1)) == 0)
        c->pairs =
            cul_xreallocarray(c->pairs, c->n ? 2 * c->n : 1, sizeof *c->pairs);
      c->pairs[c->n++] = (struct pair){
          i, k, false, same_culprit(&t->buckets[i], &t->buckets[k]) > 0};
    }
  if (c->n - before > most)
    c->n = wanted ? before + most : before;
}

/* ---- running ---- */

/* Does the case of a fail under that command as b does? */
static int runs_as(const struct confirming *c, size_t a, json_t *command,
                   size_t b, bool *same, struct cul_err *err) {
  const struct cul_member as = {.command = command};
  enum cul_checked found = CUL_CHECK_NONE;
  char *note = NULL;
  int rc = cul_triage_try(c->t, c->sides[a].file, &as, &c->t->buckets[b],
                          &found, &note, err);
  *same = found == CUL_CHECK_SAME;
  free(note);
  return rc;
}

/* By the same request to another version: one way is enough. */
static int compare_versions(const struct confirming *c, size_t a, size_t b,
                            bool *same, struct cul_err *err) {
  json_t *there = other_version(c, a, b), *back = other_version(c, b, a);
  int rc = there ? runs_as(c, a, there, b, same, err) : 0;
  if (rc == 0 && !*same && back)
    rc = runs_as(c, b, back, a, same, err);
  return rc;
}

static int compare_commands(const struct confirming *c, size_t a, size_t b,
                            bool *same, struct cul_err *err) {
  int rc = runs_as(c, a, c->sides[b].command, b, same, err);
  return rc == 0 && *same ? runs_as(c, b, c->sides[a].command, a, same, err)
                          : rc;
}

static json_t *compare(void *self, size_t i, struct cul_err *err) {
  const struct confirming *c = self;
  size_t a = c->pairs[i].a, b = c->pairs[i].b;
  bool same = c->pairs[i].blamed;
  int rc = 0;
  if (!same && (other_version(c, a, b) || other_version(c, b, a)))
    rc = compare_versions(c, a, b, &same, err);
  else if (!same)
    rc = compare_commands(c, a, b, &same, err);
  return rc < 0 ? NULL : json_pack("{s:b}", "same", (int)same);
}

static int take(void *self, size_t i, json_t *result, struct cul_err *err) {
  struct confirming *c = self;
  (void)err;
  c->pairs[i].same = json_is_true(json_object_get(result, "same"));
  return 0;
}

/* ---- merging ---- */

/* All of b into a; b is empty then. */
static void join(struct cul_triage *t, struct cul_bucket *a,
                 struct cul_bucket *b) {
  char *shared =
      same_culprit(a, b) > 0
          ? cul_xasprintf("commit %.12s brought both B%lld and B%lld",
                          cul_bucket_culprit(a), (long long)a->id,
                          (long long)b->id)
          : cul_xasprintf("the cases of B%lld and B%lld fail alike under each "
                          "other's command",
                          (long long)a->id, (long long)b->id);
  for (size_t i = 0; i < b->n_members; i++) {
    struct cul_member *member = &t->members[b->members[i]];
    char *why = cul_xasprintf("%s; %s", shared, member->why);
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
  free(shared);
}

/* Where what was bucket i is now. */
static size_t root_of(const size_t *into, size_t i) {
  while (into[i] != i)
    i = into[i];
  return i;
}

/* The older number stays. */
static int merge_all(struct confirming *c, struct cul_state *state,
                     size_t *into, size_t *n_merged, struct cul_err *err) {
  struct cul_bucket *buckets = c->t->buckets;
  int rc = 0;
  for (size_t i = 0; i < c->n && rc == 0; i++) {
    size_t a = root_of(into, c->pairs[i].a), b = root_of(into, c->pairs[i].b);
    size_t keep = buckets[a].id < buckets[b].id ? a : b;
    size_t drop = keep == a ? b : a;
    if (!c->pairs[i].same || a == b)
      continue;
    rc = cul_state_merge(state, buckets[drop].id, buckets[keep].id, err);
    if (rc < 0)
      break;
    join(c->t, &buckets[keep], &buckets[drop]);
    into[drop] = keep;
    (*n_merged)++;
  }
  return rc;
}

static void drop_merged(struct cul_triage *t, const size_t *into) {
  size_t n = 0;
  for (size_t i = 0; i < t->n_buckets; i++)
    if (into[i] == i)
      t->buckets[n++] = t->buckets[i];
    else
      cul_bucket_release(&t->buckets[i]);
  t->n_buckets = n;
  cul_triage_order(t, 0);
}

int cul_triage_confirm(struct cul_triage *t, struct cul_state *state,
                       size_t *n_merged, struct cul_err *err) {
  struct confirming c = {.t = t};
  const struct cul_crew crew = {.workers = t->conf->workers,
                                .interrupted = t->conf->interrupted,
                                .self = &c,
                                .work = compare,
                                .take = take};
  size_t *into = cul_xcalloc(t->n_buckets + 1, sizeof *into);
  int rc;
  for (size_t i = 0; i < t->n_buckets; i++)
    into[i] = i;
  *n_merged = 0;
  c.sides = cul_xcalloc(t->n_buckets + 1, sizeof *c.sides);
  for (size_t i = 0; i < t->n_buckets; i++)
    c.sides[i] = side_of(t, &t->buckets[i]);
  add_pairs(&c, true, MOST_PAIRS);
  add_pairs(&c, false, MOST_STRANGERS);
  rc = cul_crew_run(&crew, c.n, err);
  if (rc == 0)
    rc = merge_all(&c, state, into, n_merged, err);
  if (*n_merged)
    drop_merged(t, into);
  free(into);
  free(c.pairs);
  free(c.sides);
  return rc;
}
