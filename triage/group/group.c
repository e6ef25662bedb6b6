/* Groups failures into bugs: see key.h.
 *
 * A class is the set of kinds with one key.  Kinds with a readable stack form
 * classes first.  The others (unsymbolized) are then assigned to these classes
 * if there is only one candidate, or form classes of their own. */
#include <stdlib.h>
#include <string.h>

#include "../table.h"
#include "../triage.h"

enum { MOST_MAYBE = 8, MOST_COMPARED = 1000, NONE = 0 };

/* A value of a table: there are several candidate buckets. */
#define SEVERAL SIZE_MAX

struct class {
  const struct cul_kind_of *kind;
  int64_t id;    /* of the bucket; 0: a new one */
  size_t next;   /* the next class with the same message; index + 1 */
  size_t bucket; /* index + 1 */
  bool unsymbolized, by_hand, merged;
};

enum use { UNUSED, USED_LOG, USED_RUN };

/* The class of a kind. */
struct place {
  size_t class; /* index + 1 */
  const char *why;
  bool joined;              /* the class has another key than the kind */
  size_t maybe[MOST_MAYBE]; /* candidate classes */
  size_t n_maybe;
  size_t next; /* the next kind with the same message; index + 1 */
};

struct grouping {
  struct cul_triage *t;
  struct class *classes;
  size_t n;
  struct cul_table
      *keys; /* level 2 key, or level 3 of a split bucket -> class, index + 1 */
  struct cul_table
      *texts; /* level 0 key -> first class in a chain, index + 1 */
  struct cul_table *kinds; /* level 0 key -> first kind in a chain, index + 1 */
  struct cul_table *inputs; /* message and input -> class, or SEVERAL */
  struct cul_table
      *joined; /* level 3 key -> class that it joined in an earlier run */
  struct place *places; /* index: kind */
};

/* Has the kind a message but no stack? */
static bool is_bare(const struct cul_kind_of *kind) {
  return kind->sig.n_frames == 0 && kind->sig.text[0] && !kind->sig.words &&
         !kind->sig.late;
}

/* Does its stack not distinguish it from other kinds with the same message? */
static bool is_unsymbolized(const struct cul_kind_of *kind) {
  return kind->corrupted || cul_key_nameless(&kind->sig) || is_bare(kind);
}

static size_t add_class(struct grouping *g, const struct cul_kind_of *kind,
                        int64_t id, bool by_hand) {
  size_t *head = cul_table_at(g->texts, &kind->keys.level[0], NULL);
  if ((g->n & (g->n - 1)) == 0)
    g->classes =
        cul_xreallocarray(g->classes, g->n ? 2 * g->n : 1, sizeof *g->classes);
  g->classes[g->n] = (struct class){.kind = kind,
                                    .id = id,
                                    .next = *head,
                                    .unsymbolized = is_unsymbolized(kind),
                                    .by_hand = by_hand};
  *head = ++g->n;
  *cul_table_at(g->keys, &kind->keys.level[by_hand ? 3 : 2], NULL) = g->n;
  return g->n;
}

/* Add a failure that joined a class of another key in an earlier run. */
static void add_joined(struct grouping *g, const struct cul_known *known) {
  if ((g->n & (g->n - 1)) == 0)
    g->classes =
        cul_xreallocarray(g->classes, g->n ? 2 * g->n : 1, sizeof *g->classes);
  g->classes[g->n++] =
      (struct class){.kind = &known->kind,
                     .id = known->id,
                     .unsymbolized = is_unsymbolized(&known->kind)};
  *cul_table_at(g->joined, &known->kind.keys.level[3], NULL) = g->n;
}

static bool passes_agree(const struct cul_kind_of *a,
                         const struct cul_kind_of *b) {
  return !a->sig.pass[0] || !b->sig.pass[0] ||
         !strcmp(a->sig.pass, b->sig.pass);
}

/* Do both classes belong to the same bucket? */
static bool one_bucket(const struct grouping *g, size_t a, size_t b) {
  return a == b ||
         (g->classes[a - 1].id && g->classes[a - 1].id == g->classes[b - 1].id);
}

/* Can both messages come from the same source line?  If there is no stack,
 * different lines may be different bugs with the same message (of one
 * build). */
static bool same_line(const struct cul_kind_of *a,
                      const struct cul_kind_of *b) {
  return !a->sig.line || !b->sig.line ||
         (a->sig.line == b->sig.line && !strcmp(a->sig.file, b->sig.file));
}

/* Does some failure in the bucket of the class have the same source line as
 * kind, which has no stack? */
static bool lines_agree(const struct grouping *g, size_t class,
                        const struct cul_kind_of *kind) {
  size_t at = *cul_table_at(g->kinds, &kind->keys.level[0], NULL);
  if (same_line(g->classes[class - 1].kind, kind))
    return true;
  for (size_t i = 0; at && i < MOST_COMPARED; i++) {
    const struct place *other = &g->places[at - 1];
    if (other->class && one_bucket(g, class, other->class) &&
        same_line(g->t->kinds[at - 1], kind))
      return true;
    at = other->next;
  }
  return false;
}

/* Is the message too general to identify a bug?  A message about the input that
 * names no operation or symbol is a rule of the language, which any bug may
 * break.  The class of a sanitizer's report and "not close" are as general. */
static bool says_little(const struct cul_kind_of *kind) {
  enum cul_kind message = cul_signature_message_kind(&kind->sig);
  return message == CUL_KIND_MISMATCH || kind->keys.class_alone ||
         ((message == CUL_KIND_VERIFIER || message == CUL_KIND_DIAGNOSTIC) &&
          !strpbrk(kind->sig.text, "'\"`@"));
}

static bool has_stack(const struct class *c) {
  return c->kind->sig.n_frames > 0;
}

/* Are both equal, or is one of them unknown (0)? */
static bool agree(uint64_t a, uint64_t b) { return !a || !b || a == b; }

/* Can a kind with the message of the class belong to it? */
static bool can_mean(const struct class *c, const struct cul_kind_of *kind) {
  return !c->by_hand && passes_agree(c->kind, kind) &&
         agree(c->kind->keys.function, kind->keys.function) &&
         agree(c->kind->keys.type, kind->keys.type);
}

/* Find the symbolized classes with the same message, all of which are added to
 * place->maybe.  Returns the class if they belong to one bucket, otherwise
 * NONE. */
static size_t find_symbolized(const struct grouping *g,
                              const struct cul_kind_of *kind,
                              struct place *place) {
  size_t at = *cul_table_at(g->texts, &kind->keys.level[0], NULL), found = 0;
  bool several = false, vague = says_little(kind) && is_unsymbolized(kind);
  place->n_maybe = 0;
  for (; at; at = g->classes[at - 1].next) {
    const struct class *c = &g->classes[at - 1];
    if (!can_mean(c, kind) || (c->unsymbolized && !(vague && has_stack(c))))
      continue;
    if (place->n_maybe < MOST_MAYBE)
      place->maybe[place->n_maybe++] = at;
    if (is_bare(kind) && !lines_agree(g, at, kind))
      continue;
    several = several || (found && !one_bucket(g, found, at));
    found = found ? found : at;
  }
  return several || vague ? NONE : found;
}

/* For an assertion without a function (some C libraries do not print it): the
 * class of the only bucket with the same message and no names.  alone: no
 * symbolized class has the message; otherwise the source line must agree. */
static size_t find_plain(const struct grouping *g,
                         const struct cul_kind_of *kind, bool alone) {
  size_t at = *cul_table_at(g->texts, &kind->keys.level[0], NULL), found = 0;
  if (cul_signature_message_kind(&kind->sig) != CUL_KIND_ASSERTION ||
      kind->keys.function || (!alone && !kind->sig.line))
    return NONE;
  for (; at; at = g->classes[at - 1].next) {
    const struct class *c = &g->classes[at - 1];
    if (!c->unsymbolized || !can_mean(c, kind) || !same_line(c->kind, kind))
      continue;
    if (found && !one_bucket(g, found, at))
      return NONE;
    found = at;
  }
  return found;
}

/* ---- input ---- */

static size_t *input_at(const struct grouping *g,
                        const struct cul_kind_of *kind) {
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest key;
  cul_hasher_u64(h, kind->keys.level[0].w[0]);
  cul_hasher_field(h, kind->sig.input);
  key = cul_hasher_finish(h);
  return cul_table_at(g->inputs, &key, NULL);
}

/* Does the input identify the failure?  For a crash without a message, a
 * command alone does not, nor does a function name that many test cases
 * have. */
static bool tells_input(const struct grouping *g,
                        const struct cul_kind_of *kind) {
  return kind->sig.input[0] &&
         (kind->sig.text[0] ||
          cul_signature_tells_input(g->t->rules, &kind->sig));
}

static void note_input(const struct grouping *g, const struct cul_kind_of *kind,
                       size_t class) {
  size_t *at;
  if (!tells_input(g, kind))
    return;
  at = input_at(g, kind);
  if (!*at)
    *at = class;
  else if (*at != SEVERAL && !one_bucket(g, *at, class))
    *at = SEVERAL;
}

/* The class of the only bucket with the same message, command and function. */
static size_t find_input(const struct grouping *g,
                         const struct cul_kind_of *kind) {
  size_t found = tells_input(g, kind) ? *input_at(g, kind) : NONE;
  if (!found || found == SEVERAL ||
      !passes_agree(g->classes[found - 1].kind, kind))
    return NONE;
  return found;
}

/* Has a a symbolized stack with the addresses of b? */
static bool same_addresses(const struct cul_kind_of *a,
                           const struct cul_kind_of *b) {
  return a->sig.n_frames > 0 && !is_unsymbolized(a) && passes_agree(a, b) &&
         cul_signature_same(&a->sig, &b->sig, NULL, 0);
}

/* The class of the only bucket with a symbolized stack that has the addresses
 * of this kind. */
static size_t find_address(const struct grouping *g,
                           const struct cul_kind_of *kind) {
  size_t at = *cul_table_at(g->kinds, &kind->keys.level[0], NULL), found = 0;
  for (size_t i = 0; at && i < MOST_COMPARED; i++) {
    const struct place *other = &g->places[at - 1];
    if (other->class && same_addresses(g->t->kinds[at - 1], kind)) {
      if (found && !one_bucket(g, found, other->class))
        return NONE;
      found = other->class;
    }
    at = other->next;
  }
  at = *cul_table_at(g->texts, &kind->keys.level[0], NULL);
  for (; at; at = g->classes[at - 1].next)
    if (same_addresses(g->classes[at - 1].kind, kind)) {
      if (found && !one_bucket(g, found, at))
        return NONE;
      found = at;
    }
  return found;
}

static const char *why_key(const struct cul_kind_of *kind) {
  const struct cul_signature *sig = &kind->sig;
  size_t n = kind->corrupted ? 0 : cul_key_frames(sig, NULL);
  if (sig->late)
    return n ? "same message and work, or kernel"
             : "same message, of the same test or log";
  if (n)
    return sig->text[0] ? "same message, pass and first frames"
                        : "same end, pass and first frames";
  if (sig->text[0])
    return kind->corrupted ? "same message and pass; its frames cannot be "
                             "trusted"
           : sig->n_frames && kind->keys.class_alone
               ? "same report and addresses; its stack has no names"
           : sig->n_frames
               ? "same message and pass; its stack has no names"
               : "same message and pass; the log has no relevant stack";
  return sig->n_frames && !kind->corrupted
             ? "same end and addresses; neither message nor names"
             : "the log has no other information: by the name of the test";
}

/* Assign the class of a bucket that was split by hand (by the level 3 key).
 * False: there is none. */
static bool place_by_hand(struct grouping *g, const struct cul_kind_of *kind,
                          struct place *place) {
  struct cul_digest key = kind->keys.level[3];
  bool made;
  size_t *found = cul_table_at(g->keys, &key, &made);
  if (made || !*found)
    return false;
  place->class = *found;
  place->why = "put here by hand";
  return true;
}

static void place_by_key(struct grouping *g, const struct cul_kind_of *kind,
                         struct place *place) {
  place->class = *cul_table_at(g->keys, &kind->keys.level[2], NULL);
  if (!place->class)
    place->class = add_class(g, kind, 0, false);
  place->why = g->classes[place->class - 1].merged
                   ? "from a bucket that was merged into this one"
                   : why_key(kind);
}

/* Find a class by evidence that is better than the key; sets place->why. */
static size_t find_other(struct grouping *g, const struct cul_kind_of *kind,
                         struct place *place) {
  bool says = kind->sig.text[0] != '\0';
  size_t found = says ? find_symbolized(g, kind, place) : NONE;
  place->why =
      kind->corrupted ? "same message and pass as only one bucket; its frames "
                        "cannot be trusted"
      : is_bare(kind) ? "same message as only one bucket; its log has no stack"
                      : "same message and pass as only one bucket; its stack "
                        "has no names";
  if (!found) {
    found = find_input(g, kind);
    place->why = kind->corrupted
                     ? "same message, command and function; its frames cannot "
                       "be trusted"
                 : is_bare(kind)
                     ? "same message, command and function; its log has no "
                       "stack"
                 : says ? "same message, command and function; its stack has "
                          "no names"
                        : "same end, command and function; neither message "
                          "nor names";
  }
  if (!found) {
    found = find_plain(g, kind, place->n_maybe == 0);
    place->why = "same message without names as only one bucket";
  }
  if (!found && !kind->corrupted && kind->sig.n_frames) {
    found = find_address(g, kind);
    place->why = "same message and addresses; its stack has no names";
  }
  if (!found && !*cul_table_at(g->keys, &kind->keys.level[2], NULL)) {
    found = *cul_table_at(g->joined, &kind->keys.level[3], NULL);
    place->why = "as in an earlier run; its stack has no names";
  }
  return found;
}

/* Is it a crash without a message, so that its key consists of addresses? */
static bool is_place(const struct cul_kind_of *kind) {
  return !kind->corrupted && kind->sig.n_frames && !kind->sig.text[0];
}

/* If a kind whose key consists of addresses is assigned to a class by better
 * evidence, assign this class to all kinds with this key. */
static void name_place(struct grouping *g, const struct cul_kind_of *kind) {
  struct place place = {0};
  size_t *same = cul_table_at(g->keys, &kind->keys.level[2], NULL);
  size_t found = *same || !is_place(kind) ? NONE : find_other(g, kind, &place);
  if (found)
    *cul_table_at(g->keys, &kind->keys.level[2], NULL) = found;
}

static void place_unsymbolized(struct grouping *g,
                               const struct cul_kind_of *kind,
                               struct place *place) {
  size_t found = find_other(g, kind, place);
  size_t *same = cul_table_at(g->keys, &kind->keys.level[2], NULL);
  if (found) {
    place->class = found;
    place->joined = !is_place(kind);
    place->n_maybe = 0;
    *same = *same || !is_place(kind) ? *same : found;
  } else {
    place_by_key(g, kind, place);
  }
}

/* If the bucket of a message is unsymbolized, and this is the first symbolized
 * class with the message, let it have that bucket, unless there are other
 * candidates. */
static void adopt(struct grouping *g, struct class *c) {
  struct place place;
  size_t at = *cul_table_at(g->texts, &c->kind->keys.level[0], NULL),
         unsymbolized = 0;
  if (c->id || c->unsymbolized || !c->kind->sig.text[0] ||
      !find_symbolized(g, c->kind, &place) || place.n_maybe != 1)
    return;
  for (; at; at = g->classes[at - 1].next)
    if (g->classes[at - 1].unsymbolized && g->classes[at - 1].id &&
        passes_agree(g->classes[at - 1].kind, c->kind)) {
      if (unsymbolized && !one_bucket(g, unsymbolized, at))
        return;
      unsymbolized = at;
    }
  if (unsymbolized)
    c->id = g->classes[unsymbolized - 1].id;
}

/* Record the inputs of all symbolized classes and kinds. */
static void note_inputs(struct grouping *g, size_t n_known) {
  for (size_t c = 0; c < n_known; c++)
    if (!g->classes[c].unsymbolized)
      note_input(g, g->classes[c].kind, c + 1);
  for (size_t k = 0; k < g->t->n_kinds; k++)
    if (g->places[k].class && !is_unsymbolized(g->t->kinds[k]))
      note_input(g, g->t->kinds[k], g->places[k].class);
}

/* How each kind is used.  A kind that was read from a log, but replaced by that
 * of a rerun, is unused. */
static enum use *uses_of(const struct cul_triage *t) {
  enum use *used = cul_xcalloc(t->n_kinds + 1, sizeof *used);
  for (size_t i = 0; i < t->n_members; i++)
    used[t->members[i].kind] = t->members[i].rerun ? USED_RUN : USED_LOG;
  return used;
}

/* Assign a class to an unsymbolized kind.  Different addresses in logs may come
 * from different builds, so the inputs of such kinds are recorded as evidence;
 * in reruns, different addresses are different places. */
static void place_rest(struct grouping *g, const struct cul_kind_of *kind,
                       enum use use, struct place *place) {
  place_unsymbolized(g, kind, place);
  if (!kind->sig.text[0] && use == USED_LOG)
    note_input(g, kind, place->class);
}

static void place_kinds(struct grouping *g, const enum use *used) {
  struct cul_triage *t = g->t;
  size_t n_known = g->n;
  for (size_t k = 0; k < t->n_kinds; k++) {
    size_t *head = cul_table_at(g->kinds, &t->kinds[k]->keys.level[0], NULL);
    if (!used[k])
      continue;
    g->places[k].next = *head;
    *head = k + 1;
    if (!place_by_hand(g, t->kinds[k], &g->places[k]) &&
        !is_unsymbolized(t->kinds[k]))
      place_by_key(g, t->kinds[k], &g->places[k]);
  }
  for (size_t c = n_known; c < g->n; c++)
    adopt(g, &g->classes[c]);
  note_inputs(g, n_known);
  for (size_t k = 0; k < t->n_kinds; k++)
    if (used[k] && !g->places[k].class)
      name_place(g, t->kinds[k]);
  for (int bare = 0; bare < 2; bare++) /* assertions without a function last:
                                          they have the least information */
    for (size_t k = 0; k < t->n_kinds; k++)
      if (used[k] && !g->places[k].class &&
          (bare || t->kinds[k]->keys.function ||
           cul_signature_message_kind(&t->kinds[k]->sig) != CUL_KIND_ASSERTION))
        place_rest(g, t->kinds[k], used[k], &g->places[k]);
  for (size_t k = 0; k < t->n_kinds;
       k++) /* for late errors, the reporting work is weak evidence */
    if (used[k] && t->kinds[k]->sig.late)
      (void)find_symbolized(g, t->kinds[k], &g->places[k]);
}

/* ---- buckets ---- */

static size_t bucket_of(struct grouping *g, size_t class,
                        struct cul_table *by_id) {
  struct class *c = &g->classes[class - 1];
  struct cul_digest key = {{(uint64_t)c->id, 1}};
  size_t *same = c->id ? cul_table_at(by_id, &key, NULL) : &c->bucket;
  struct cul_triage *t = g->t;
  if (!*same) {
    if ((t->n_buckets & (t->n_buckets - 1)) == 0)
      t->buckets = cul_xreallocarray(
          t->buckets, t->n_buckets ? 2 * t->n_buckets : 1, sizeof *t->buckets);
    t->buckets[t->n_buckets] =
        (struct cul_bucket){.id = c->id ? c->id : -1 - (int64_t)t->n_buckets,
                            .state = c->id ? CUL_BUCKET_KNOWN : CUL_BUCKET_NEW};
    *same = ++t->n_buckets;
  }
  c->bucket = *same;
  return *same - 1;
}

static void add_member(struct cul_bucket *bucket, size_t member) {
  size_t n = bucket->n_members;
  if ((n & (n - 1)) == 0)
    bucket->members = cul_xreallocarray(bucket->members, n ? 2 * n : 1,
                                        sizeof *bucket->members);
  bucket->members[bucket->n_members++] = member;
}

/* Choose the kind that gives a bucket its title: that of the first symbolized
 * member. */
static void choose_kind(struct cul_triage *t, struct cul_bucket *bucket) {
  bucket->kind = t->members[bucket->members[0]].kind;
  for (size_t i = 0;
       i < bucket->n_members && is_unsymbolized(t->kinds[bucket->kind]); i++)
    if (!is_unsymbolized(t->kinds[t->members[bucket->members[i]].kind]))
      bucket->kind = t->members[bucket->members[i]].kind;
}

void cul_bucket_suggest(struct cul_bucket *bucket, int64_t id) {
  for (size_t i = 0; i < bucket->n_maybe; i++)
    if (bucket->maybe[i] == id)
      return;
  if (id == bucket->id || bucket->n_maybe == MOST_MAYBE)
    return;
  bucket->maybe = cul_xreallocarray(bucket->maybe, bucket->n_maybe + 1,
                                    sizeof *bucket->maybe);
  bucket->maybe[bucket->n_maybe++] = id;
}

static void suggest(struct grouping *g) {
  struct cul_triage *t = g->t;
  for (size_t i = 0; i < t->n_members; i++) {
    const struct place *place = &g->places[t->members[i].kind];
    struct cul_bucket *bucket = &t->buckets[t->members[i].bucket];
    for (size_t k = 0; k < place->n_maybe; k++) {
      const struct class *c = &g->classes[place->maybe[k] - 1];
      if (c->bucket)
        cul_bucket_suggest(bucket, t->buckets[c->bucket - 1].id);
    }
  }
}

static char *why_of(const struct cul_triage *t, const struct cul_member *member,
                    const char *why) {
  char key[CUL_KEY_TEXT];
  cul_key_text(&t->kinds[member->kind]->keys.level[2], key);
  if (member->rerun)
    return cul_xasprintf("%s, as it failed when run again%s%s; key %s", why,
                         member->damage ? ": " : "",
                         member->damage ? member->damage : "", key);
  if (member->damage)
    return cul_xasprintf("%s (%s); key %s", why, member->damage, key);
  if (member->late)
    return cul_xasprintf("%s (where the error was noticed: it may have "
                         "happened earlier); key %s",
                         why, key);
  return cul_xasprintf("%s; key %s", why, key);
}

static void make_buckets(struct grouping *g) {
  struct cul_triage *t = g->t;
  struct cul_table *by_id = cul_table_new();
  for (size_t i = 0; i < t->n_members; i++) {
    struct cul_member *member = &t->members[i];
    const struct place *place = &g->places[member->kind];
    member->bucket = bucket_of(g, place->class, by_id);
    member->why = why_of(t, member, place->why);
    member->joined = place->joined;
    add_member(&t->buckets[member->bucket], i);
  }
  for (size_t i = 0; i < t->n_buckets; i++)
    choose_kind(t, &t->buckets[i]);
  cul_table_free(by_id);
}

void cul_triage_group(struct cul_triage *t, const struct cul_known *known,
                      size_t n_known) {
  struct grouping g = {.t = t};
  enum use *used;
  g.keys = cul_table_new();
  g.texts = cul_table_new();
  g.kinds = cul_table_new();
  g.inputs = cul_table_new();
  g.joined = cul_table_new();
  g.places = cul_xcalloc(t->n_kinds + 1, sizeof *g.places);
  for (size_t i = 0; i < n_known; i++) {
    if (known[i].joined) {
      add_joined(&g, &known[i]);
    } else {
      size_t at = add_class(&g, &known[i].kind, known[i].id, known[i].by_hand);
      g.classes[at - 1].merged = known[i].merged;
    }
  }
  used = uses_of(t);
  place_kinds(&g, used);
  make_buckets(&g);
  suggest(&g);
  free(used);
  free(g.classes);
  free(g.places);
  cul_table_free(g.keys);
  cul_table_free(g.texts);
  cul_table_free(g.kinds);
  cul_table_free(g.inputs);
  cul_table_free(g.joined);
}
