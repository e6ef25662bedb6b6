/* Same bug?  Two buckets are one where the case of one, under the same request
 * to another version of the tool, fails as the other does; where the requests
 * differ, the case of each has to fail under the other's command as the other
 * does.  The case is the reduced one, or else the smallest module.
 *
 * A stack without names and a message is told by its addresses, and another
 * night, or another build of the tool, has others: there the case of each is
 * run under its own command, and what it shows now is compared.  So a bucket of
 * an earlier night takes part by its reduced case, though nothing of tonight is
 * in it.
 *
 * Where a repository was bisected, two commits are to blame for two bugs.  One
 * commit may bring several: its buckets are one where they fail alike, or where
 * the case of one fails under the command of the other as the other does.
 *
 * Most pairs have nothing in common and are not tried: only those of the same
 * request, message or function; and the others where there are few. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../oracles/rules/rules.h"
#include "../../probe/json_word.h"
#include "work_private.h"

enum { MOST_PAIRS = 2000, MOST_STRANGERS = 100 };

struct pair {
  size_t a, b; /* buckets */
  bool same, blamed;
};

/* What stands for a bucket. */
struct side {
  char *file; /* heap; NULL = nothing does */
  json_t *command;
  bool rests;                /* no member of tonight counts */
  bool vague;                /* neither message nor names tell what it is */
  struct cul_signature *own; /* its case under its command, now; or NULL */
};

struct confirming {
  struct cul_work *w;
  struct cul_triage *t;
  struct side *sides; /* by bucket */
  size_t *owners;     /* by job: buckets whose case is run by itself */
  size_t n_owners;
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

static const struct cul_signature *sig_of(const struct cul_triage *t,
                                          const struct cul_bucket *bucket) {
  return &t->kinds[bucket->kind]->sig;
}

/* ---- what stands for a bucket ---- */

static off_t size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? st.st_size : -1;
}

static void take_smallest(const struct cul_triage *t,
                          const struct cul_bucket *bucket, struct side *side) {
  off_t least = 0;
  for (size_t i = 0; i < bucket->n_members; i++) {
    const struct cul_member *member = &t->members[bucket->members[i]];
    off_t size =
        member->module && member->command ? size_of(member->module) : -1;
    if (size < 0 || (side->file && size >= least))
      continue;
    free(side->file);
    side->file = cul_xstrdup(member->module);
    side->command = member->command;
    least = size;
  }
}

static int fill_side(struct confirming *c, size_t i, struct cul_err *err) {
  struct cul_bucket *bucket = &c->t->buckets[i];
  struct side *side = &c->sides[i];
  int rc = cul_work_keep_reduced(c->w, bucket, err);
  side->rests = bucket->ignored || !bucket->n_members;
  side->vague = !sig_of(c->t, bucket)->text[0] &&
                cul_key_frames(sig_of(c->t, bucket), NULL) == 0;
  side->file = cul_json_word_take(json_object_get(bucket->reduced, "file"));
  side->command = json_object_get(bucket->reduced, "command");
  if (side->file && (!side->command || size_of(side->file) < 0)) {
    free(side->file);
    side->file = NULL;
  }
  if (!side->file && !side->rests)
    take_smallest(c->t, bucket, side);
  return rc;
}

/* Equal commands tell nothing new, but where what is known are addresses. */
static bool comparable(const struct confirming *c, size_t a, size_t b) {
  const struct side *x = &c->sides[a], *y = &c->sides[b];
  const struct cul_triage *t = c->t;
  int blamed = same_culprit(&t->buckets[a], &t->buckets[b]);
  if (!x->file || !y->file || blamed < 0 || (x->rests && y->rests))
    return false;
  return blamed > 0 || !json_equal(x->command, y->command) ||
         ((x->vague || y->vague) &&
          sig_of(t, &t->buckets[a])->kind == sig_of(t, &t->buckets[b])->kind);
}

/* ---- likely pairs ---- */

static bool same_function(const struct cul_signature *a,
                          const struct cul_signature *b) {
  const struct cul_frame *x[CUL_KEY_FRAMES], *y[CUL_KEY_FRAMES];
  return cul_key_frames(a, x) && cul_key_frames(b, y) &&
         !strcmp(x[0]->name, y[0]->name);
}

/* They say the same, or fail in the same function. */
static bool look_alike(const struct cul_triage *t, size_t a, size_t b) {
  const struct cul_signature *x = sig_of(t, &t->buckets[a]);
  const struct cul_signature *y = sig_of(t, &t->buckets[b]);
  return (x->text[0] && !strcmp(x->text, y->text)) || same_function(x, y);
}

static bool is_other_version(const json_t *asked, const json_t *command) {
  return command && cul_request_same(asked, command) &&
         !json_equal(asked, command);
}

/* A command of bucket b that asks another version for what a's case asks;
 * NULL = none. */
static json_t *other_version(const struct confirming *c, size_t a, size_t b) {
  const struct cul_bucket *bucket = &c->t->buckets[b];
  const json_t *asked = c->sides[a].command;
  for (size_t i = 0; i < bucket->n_members; i++) {
    json_t *command = c->t->members[bucket->members[i]].command;
    if (is_other_version(asked, command))
      return command;
  }
  return is_other_version(asked, c->sides[b].command) ? c->sides[b].command
                                                      : NULL;
}

static bool likely(const struct confirming *c, size_t i, size_t k) {
  return same_culprit(&c->t->buckets[i], &c->t->buckets[k]) > 0 ||
         json_equal(c->sides[i].command, c->sides[k].command) ||
         other_version(c, i, k) || other_version(c, k, i) ||
         look_alike(c->t, i, k);
}

/* Of those that are likely, or of the others, the first; the others only where
 * that is all of them, and both are of tonight. */
static void add_pairs(struct confirming *c, bool wanted, size_t most) {
  size_t before = c->n;
  const struct cul_triage *t = c->t;
  for (size_t i = 0; i < t->n_buckets; i++)
    for (size_t k = i + 1; k < t->n_buckets; k++) {
      if (!comparable(c, i, k) || likely(c, i, k) != wanted ||
          (!wanted && (c->sides[i].rests || c->sides[k].rests)))
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

/* Does file fail under that command, each time, and how?  A failure without a
 * message and a stack is like any other. */
static int run_case(const struct confirming *c, const char *file,
                    json_t *command, struct cul_shown *shown, bool *fails,
                    struct cul_err *err) {
  const struct cul_member as = {.command = command};
  int rc = cul_triage_show(c->t, file, &as, 0, shown, err);
  *fails = rc == 0 && shown->answer == CUL_SAME &&
           shown->rate.fails == shown->rate.runs &&
           (shown->sig.text[0] || shown->sig.n_frames);
  return rc;
}

static bool fails_as(const struct confirming *c,
                     const struct cul_signature *sig, size_t b) {
  const struct cul_bucket *bucket = &c->t->buckets[b];
  const struct cul_signature *own = c->sides[b].own;
  return cul_bucket_shows(c->t, bucket, sig) ||
         (own && cul_signature_same_across(own, sig, NULL, 0)) ||
         (!bucket->n_members &&
          cul_signature_same_across(sig_of(c->t, bucket), sig, NULL, 0));
}

/* Does the case of a fail under that command as b does? */
static int runs_as(const struct confirming *c, size_t a, json_t *command,
                   size_t b, bool *same, struct cul_err *err) {
  struct cul_shown shown;
  int rc = run_case(c, c->sides[a].file, command, &shown, same, err);
  *same = *same && fails_as(c, &shown.sig, b);
  cul_shown_release(&shown);
  return rc;
}

/* One way is enough: by the same request to another version, or where one
 * commit brought both. */
static int compare_one_way(const struct confirming *c, size_t a, size_t b,
                           json_t *there, json_t *back, bool *same,
                           struct cul_err *err) {
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

/* What they show now, under one command. */
static bool own_alike(const struct confirming *c, size_t a, size_t b) {
  const struct side *x = &c->sides[a], *y = &c->sides[b];
  return (x->own && fails_as(c, x->own, b)) ||
         (y->own && fails_as(c, y->own, a));
}

static int compare_pair(const struct confirming *c, const struct pair *pair,
                        bool *same, struct cul_err *err) {
  size_t a = pair->a, b = pair->b;
  json_t *there = other_version(c, a, b), *back = other_version(c, b, a);
  json_t *x = c->sides[a].command, *y = c->sides[b].command;
  *same = pair->blamed && look_alike(c->t, a, b);
  if (*same)
    return 0;
  if (json_equal(x, y)) {
    *same = (c->sides[a].vague || c->sides[b].vague) && own_alike(c, a, b);
    return 0;
  }
  if (pair->blamed)
    return compare_one_way(c, a, b, y, x, same, err);
  return there || back ? compare_one_way(c, a, b, there, back, same, err)
                       : compare_commands(c, a, b, same, err);
}

static json_t *compare(void *self, size_t i, struct cul_err *err) {
  const struct confirming *c = self;
  bool same;
  int rc = compare_pair(c, &c->pairs[i], &same, err);
  return rc < 0 ? NULL : json_pack("{s:b}", "same", (int)same);
}

static int take(void *self, size_t i, json_t *result, struct cul_err *err) {
  struct confirming *c = self;
  (void)err;
  c->pairs[i].same = json_is_true(json_object_get(result, "same"));
  return 0;
}

/* ---- what the cases show by themselves ---- */

static json_t *run_own(void *self, size_t i, struct cul_err *err) {
  const struct confirming *c = self;
  const struct side *side = &c->sides[c->owners[i]];
  struct cul_shown shown;
  bool fails;
  int rc = run_case(c, side->file, side->command, &shown, &fails, err);
  json_t *out = rc < 0  ? NULL
                : fails ? cul_signature_json(&shown.sig)
                        : json_object();
  cul_shown_release(&shown);
  return out;
}

static int take_own(void *self, size_t i, json_t *result, struct cul_err *err) {
  struct confirming *c = self;
  struct cul_signature *sig = cul_xcalloc(1, sizeof *sig);
  (void)err;
  if (cul_signature_parse(result, sig)) {
    cul_signature_seal(c->t->rules, sig);
    c->sides[c->owners[i]].own = sig;
  } else {
    free(sig);
  }
  return 0;
}

static void add_owner(struct confirming *c, size_t bucket) {
  const struct side *side = &c->sides[bucket];
  for (size_t i = 0; i < c->n_owners; i++)
    if (c->owners[i] == bucket)
      return;
  if (side->vague || side->rests)
    c->owners[c->n_owners++] = bucket;
}

/* Of those that the comparisons need. */
static int run_owners(struct confirming *c, struct cul_err *err) {
  const struct cul_process_pool pool = {.workers = c->t->conf->workers,
                                        .conf = c->t->conf,
                                        .self = c,
                                        .work = run_own,
                                        .take = take_own};
  for (size_t i = 0; i < c->n; i++) {
    add_owner(c, c->pairs[i].a);
    add_owner(c, c->pairs[i].b);
  }
  return cul_process_pool_run(&pool, c->n_owners, err);
}

static int run_pairs(struct confirming *c, struct cul_err *err) {
  const struct cul_process_pool pool = {.workers = c->t->conf->workers,
                                        .conf = c->t->conf,
                                        .self = c,
                                        .work = compare,
                                        .take = take};
  return cul_process_pool_run(&pool, c->n, err);
}

/* ---- merging ---- */

/* Heap. */
static char *why_of(const struct confirming *c, const struct pair *pair,
                    const struct cul_bucket *a, const struct cul_bucket *b) {
  long long x = (long long)a->id, y = (long long)b->id;
  if (pair->blamed)
    return cul_xasprintf("commit %.12s brought both B%lld and B%lld",
                         cul_bucket_culprit(&c->t->buckets[pair->a]), x, y);
  if (json_equal(c->sides[pair->a].command, c->sides[pair->b].command))
    return cul_xasprintf("the cases of B%lld and B%lld fail alike today", x, y);
  return cul_xasprintf("the cases of B%lld and B%lld fail alike under each "
                       "other's command",
                       x, y);
}

/* Where what was bucket i is now. */
static size_t root_of(const size_t *into, size_t i) {
  while (into[i] != i)
    i = into[i];
  return i;
}

static void tell_apart(const struct confirming *c, struct cul_bucket *a,
                       struct cul_bucket *b) {
  cul_bucket_suggest(a, b->id);
  cul_bucket_suggest(b, a->id);
  cul_triage_tell(c->w->say,
                  "commit %.12s brought both B%lld and B%lld, which fail "
                  "otherwise: they stay two",
                  cul_bucket_culprit(a), (long long)a->id, (long long)b->id);
}

/* The older number stays. */
static int merge_all(struct confirming *c, size_t *into, size_t *n_merged,
                     struct cul_err *err) {
  struct cul_bucket *buckets = c->t->buckets;
  int rc = 0;
  for (size_t i = 0; i < c->n && rc == 0; i++) {
    size_t a = root_of(into, c->pairs[i].a), b = root_of(into, c->pairs[i].b);
    size_t keep = buckets[a].id < buckets[b].id ? a : b;
    size_t drop = keep == a ? b : a;
    char *why;
    if (!c->pairs[i].same || a == b)
      continue;
    why = why_of(c, &c->pairs[i], &buckets[keep], &buckets[drop]);
    rc = cul_work_join(c->w, &buckets[keep], &buckets[drop], why, err);
    free(why);
    into[drop] = keep;
    (*n_merged)++;
  }
  for (size_t i = 0; i < c->n && rc == 0; i++)
    if (c->pairs[i].blamed &&
        root_of(into, c->pairs[i].a) != root_of(into, c->pairs[i].b))
      tell_apart(c, &buckets[c->pairs[i].a], &buckets[c->pairs[i].b]);
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

static void release(struct confirming *c) {
  for (size_t i = 0; i < c->t->n_buckets; i++) {
    free(c->sides[i].file);
    free(c->sides[i].own);
  }
  free(c->owners);
  free(c->pairs);
  free(c->sides);
}

int cul_work_confirm(struct cul_work *w, size_t *n_merged,
                     struct cul_err *err) {
  struct confirming c = {.w = w, .t = w->t};
  size_t n = w->t->n_buckets, *into = cul_xcalloc(n + 1, sizeof *into);
  int rc = 0;
  *n_merged = 0;
  c.sides = cul_xcalloc(n + 1, sizeof *c.sides);
  c.owners = cul_xcalloc(n + 1, sizeof *c.owners);
  for (size_t i = 0; i < n && rc == 0; i++) {
    into[i] = i;
    rc = fill_side(&c, i, err);
  }
  if (rc == 0) {
    add_pairs(&c, true, MOST_PAIRS);
    add_pairs(&c, false, MOST_STRANGERS);
    rc = run_owners(&c, err);
  }
  if (rc == 0)
    rc = run_pairs(&c, err);
  if (rc == 0)
    rc = merge_all(&c, into, n_merged, err);
  release(&c);
  if (*n_merged)
    drop_merged(w->t, into);
  free(into);
  return rc;
}
