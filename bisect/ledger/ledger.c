/* The ledger: see ledger.h. */
#include "ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"

/* Spaces of the store: tree -> artefact, tree -> reason why its build fails,
 * trial -> verdict. */
static const char artefacts[] = "bisect-tree 3";
static const char failures[] = "bisect-failed 2";
static const char verdicts[] = "bisect";
/* Digest of a list of names outside of the sources -> the list; build command
 * -> digests of all lists of its builds. */
static const char lists[] = "bisect-outside",
                  all_lists[] = "bisect-outside all";

/* Tree, build command, toolchain: equal keys are equal builds. */
static bool key_of(const struct cul_ledger *ledger,
                   const struct cul_range *range, uint32_t commit,
                   const struct cul_digest *more, struct cul_digest *out) {
  struct cul_commit_id tree;
  struct cul_err ignored = {0};
  struct cul_hasher *h;
  struct cul_repo_revision revision;
  struct cul_override *held;
  struct cul_buf lacking = {0};
  cul_range_revision(range, commit, &revision, &held);
  if (cul_repo_tree(ledger->repo, &revision.commit, &tree, &ignored) < 0 ||
      !cul_lacking_paths(ledger->lacking, &revision, &lacking)) {
    free(held);
    return false;
  }
  h = cul_hasher_new();
  cul_hasher_add(h, tree.raw, sizeof tree.raw);
  for (size_t i = 0; i < revision.n_held; i++) {
    cul_hasher_field(h, held[i].path);
    cul_hasher_add(h, held[i].id.raw, sizeof held[i].id.raw);
  }
  free(held);
  /* else the old key, so that stored entries stay valid */
  if (lacking.len > 0) {
    cul_hasher_field(h, "left empty");
    cul_hasher_field(h, cul_buf_str(&lacking));
  }
  cul_buf_release(&lacking);
  cul_hasher_add(h, &ledger->build, sizeof ledger->build);
  if (more)
    cul_hasher_add(h, more, sizeof *more);
  *out = cul_hasher_finish(h);
  return true;
}

static bool get(const struct cul_ledger *ledger, const char *space,
                const struct cul_digest *key, struct cul_buf *out) {
  struct cul_err ignored = {0};
  bool found = false;
  return ledger->cache &&
         cul_cache_memo_get(ledger->cache, space, key, out, &found, &ignored) ==
             0 &&
         found;
}

/* The same for a value of fixed size. */
static bool get_sized(const struct cul_ledger *ledger, const char *space,
                      const struct cul_digest *key, void *out, size_t size) {
  struct cul_buf memo = {0};
  bool found = get(ledger, space, key, &memo) && memo.len == size;
  if (found)
    memcpy(out, memo.data, size);
  cul_buf_release(&memo);
  return found;
}

static void keep(const struct cul_ledger *ledger, const char *space,
                 const struct cul_digest *key, const void *data, size_t size) {
  struct cul_err ignored = {0};
  if (ledger->cache)
    (void)!cul_cache_memo_put(ledger->cache, space, key, data, size, &ignored);
}

void cul_ledger_rename(struct cul_ledger *ledger,
                       const struct cul_digest *failure) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &ledger->job, sizeof ledger->job);
  cul_hasher_add(h, failure, sizeof *failure);
  ledger->job = cul_hasher_finish(h);
}

/* ---- outside of the sources ---- */

/* What is stored of a build begins with what it read elsewhere, and its test
 * where a run made its name. */
struct stamp {
  struct cul_digest list, state;
};

/* The present state of a list.  False: it is on another machine, and not
 * known. */
static bool state_of(const struct cul_ledger *ledger, const char *list,
                     struct cul_digest *out) {
  if (ledger->told)
    return cul_outside_told_state(ledger->told, CUL_OUTSIDE_ALL, ledger->cache,
                                  list, out);
  *out = cul_outside_state(ledger->cache, list);
  return true;
}

static void learn_state(const struct cul_ledger *ledger,
                        const struct stamp *stamp) {
  struct cul_ledger_outside *known = ledger->outside;
  size_t at = 0, room = CUL_ARRAY_SIZE(known->items);
  while (at < known->n && at < room &&
         !cul_digest_equal(&known->items[at].list, &stamp->list))
    at++;
  if (at == known->n || at == room)
    at = known->n++ % room;
  known->items[at].list = stamp->list;
  known->items[at].state = stamp->state;
}

static bool find_state(const struct cul_ledger *ledger, struct stamp *stamp) {
  const struct cul_ledger_outside *known = ledger->outside;
  struct cul_buf list = {0};
  bool found;
  for (size_t i = 0; i < known->n && i < CUL_ARRAY_SIZE(known->items); i++)
    if (cul_digest_equal(&known->items[i].list, &stamp->list)) {
      stamp->state = known->items[i].state;
      return true;
    }
  found = get(ledger, lists, &stamp->list, &list);
  found = found && state_of(ledger, cul_buf_str(&list), &stamp->state);
  if (found)
    learn_state(ledger, stamp);
  cul_buf_release(&list);
  return found;
}

/* Are all files outside of the sources as they were when this was stored? */
static bool holds(const struct cul_ledger *ledger, const struct cul_buf *memo) {
  struct stamp then, now;
  if (memo->len < sizeof then)
    return false;
  memcpy(&then, memo->data, sizeof then);
  now = then;
  return find_state(ledger, &now) && cul_digest_equal(&now.state, &then.state);
}

/* Note the list among all of this build command. */
static void join_lists(const struct cul_ledger *ledger,
                       const struct cul_digest *list) {
  enum { MOST = 64 };
  struct cul_buf all = {0};
  size_t at = 0, size = sizeof *list;
  (void)get(ledger, all_lists, &ledger->build, &all);
  while (at + size <= all.len && memcmp(all.data + at, list, size) != 0)
    at += size;
  if (at + size > all.len) {
    size_t old = at < MOST * size ? 0 : size; /* the oldest is dropped */
    cul_buf_add(&all, list, size);
    keep(ledger, all_lists, &ledger->build, all.data + old, all.len - old);
  }
  cul_buf_release(&all);
}

void cul_ledger_names(const struct cul_ledger *ledger, struct cul_buf *out) {
  struct cul_buf all = {0};
  struct cul_digest list;
  (void)get(ledger, all_lists, &ledger->build, &all);
  for (size_t at = 0; at + sizeof list <= all.len; at += sizeof list) {
    memcpy(&list, all.data + at, sizeof list);
    (void)get(ledger, lists, &list, out);
  }
  cul_outside_sort(out);
  cul_buf_release(&all);
}

/* The name of the class of a commit whose artefact is not known, where no run
 * tells what its test reads elsewhere. */
static struct cul_digest name_tree(const struct cul_ledger *ledger,
                                   const struct cul_digest *tree) {
  struct cul_ledger_outside *outside = ledger->outside;
  struct cul_hasher *h = cul_hasher_new();
  struct cul_buf all = {0};
  struct stamp stamp;
  if (!outside->settled && get(ledger, all_lists, &ledger->build, &all))
    for (size_t at = 0; at + sizeof stamp.list <= all.len;
         at += sizeof stamp.list) {
      memcpy(&stamp.list, all.data + at, sizeof stamp.list);
      if (find_state(ledger, &stamp))
        cul_hasher_add(h, &stamp, sizeof stamp);
    }
  cul_buf_release(&all);
  if (!outside->settled)
    outside->whole = cul_hasher_finish(h), h = cul_hasher_new();
  outside->settled = true;
  cul_hasher_add(h, tree, sizeof *tree);
  cul_hasher_add(h, &outside->whole, sizeof outside->whole);
  return cul_hasher_finish(h);
}

/* The same for a commit whose test read this elsewhere. */
static struct cul_digest name_traced(const struct cul_ledger *ledger,
                                     const struct cul_digest *tree,
                                     const char *outside) {
  struct cul_digest name = name_tree(ledger, tree), state;
  struct cul_hasher *h = cul_hasher_new();
  if (!state_of(ledger, outside, &state)) /* equal to no other */
    cul_hasher_u64(h, cul_now_us());
  cul_hasher_add(h, &name, sizeof name);
  cul_hasher_add(h, &state, sizeof state);
  return cul_hasher_finish(h);
}

/* Store what is outside; *out: the stamp for it.  False: see state_of. */
static bool keep_outside(const struct cul_ledger *ledger, const char *outside,
                         struct stamp *out) {
  out->list = cul_digest_of(outside, strlen(outside));
  if (!state_of(ledger, outside, &out->state))
    return false;
  learn_state(ledger, out);
  keep(ledger, lists, &out->list, outside, strlen(outside));
  join_lists(ledger, &out->list);
  return true;
}

/* Store data with a stamp before it. */
static void keep_stamped(const struct cul_ledger *ledger, const char *space,
                         const struct cul_digest *key, const char *outside,
                         struct cul_bytes data) {
  struct stamp stamp;
  struct cul_buf memo = {0};
  if (!keep_outside(ledger, outside, &stamp))
    return;
  cul_buf_add(&memo, &stamp, sizeof stamp);
  cul_buf_add(&memo, data.data, data.len);
  keep(ledger, space, key, memo.data, memo.len);
  cul_buf_release(&memo);
}

/* ---- artefacts ---- */

/* The digest of a commit's sources, and of how it is built and tested: equal
 * digests mean equal artefacts.  False: objects are missing. */
static bool ledger_tree(const struct cul_ledger *ledger,
                        const struct cul_range *range, uint32_t commit,
                        struct cul_digest *out) {
  return key_of(ledger, range, commit, &ledger->test, out);
}

/* The artefact built from such a tree. */
static bool ledger_artefact(const struct cul_ledger *ledger,
                            const struct cul_digest *tree,
                            struct cul_digest *out) {
  struct cul_buf memo = {0};
  bool found = get(ledger, artefacts, tree, &memo) &&
               memo.len == sizeof(struct stamp) + sizeof *out &&
               holds(ledger, &memo);
  if (found)
    memcpy(out, memo.data + sizeof(struct stamp), sizeof *out);
  cul_buf_release(&memo);
  return found;
}

/* ---- verdicts ---- */

static struct cul_digest name_verdict(const struct cul_ledger *ledger,
                                      const struct cul_digest *trial) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &ledger->job, sizeof ledger->job);
  cul_hasher_add(h, trial, sizeof *trial);
  return cul_hasher_finish(h);
}

bool cul_ledger_verdict(const struct cul_ledger *ledger,
                        const struct cul_digest *trial,
                        struct cul_verdict *out) {
  struct cul_digest name = name_verdict(ledger, trial);
  return get_sized(ledger, verdicts, &name, out, sizeof *out);
}

void cul_ledger_keep_verdict(const struct cul_ledger *ledger,
                             const struct cul_digest *trial,
                             const struct cul_verdict *verdict) {
  struct cul_err ignored = {0};
  struct cul_digest name = name_verdict(ledger, trial);
  if (!ledger->cache)
    return;
  keep(ledger, verdicts, &name, verdict, sizeof *verdict);
  (void)!cul_cache_flush(ledger->cache, &ignored);
}

/* ---- failed builds ---- */

bool cul_ledger_failed(const struct cul_ledger *ledger,
                       const struct cul_range *range, uint32_t commit,
                       char why[200]) {
  struct cul_buf memo = {0};
  struct cul_digest key;
  bool found = key_of(ledger, range, commit, NULL, &key) &&
               get(ledger, failures, &key, &memo) && holds(ledger, &memo);
  if (found)
    snprintf(why, 200, "%s", cul_buf_str(&memo) + sizeof(struct stamp));
  cul_buf_release(&memo);
  return found;
}

void cul_ledger_keep_build(const struct cul_ledger *ledger,
                           const struct cul_range *range, uint32_t commit,
                           const char *outside, const char *why) {
  struct cul_err ignored = {0};
  struct cul_digest key;
  struct stamp stamp;
  if (ledger->cache && !why)
    (void)keep_outside(ledger, outside, &stamp);
  if (!ledger->cache || !why || !key_of(ledger, range, commit, NULL, &key))
    return;
  keep_stamped(ledger, failures, &key, outside,
               (struct cul_bytes){why, strlen(why)});
  (void)!cul_cache_flush(ledger->cache, &ignored);
}

/* ---- classes ---- */

/* Classes: commits that are one artefact to the test.  The runs of a class are
 * numbered, and each is counted once, whichever commit it was made with. */

void cul_classes_open(struct cul_classes *classes) {
  classes->of =
      cul_xcalloc((size_t)classes->range->history.n + 1, sizeof *classes->of);
}

void cul_classes_release(struct cul_classes *classes) {
  free(classes->items);
  free(classes->of);
}

static struct cul_artefact_class *named(struct cul_classes *classes,
                                        const struct cul_digest *name) {
  for (size_t i = 0; i < classes->n; i++)
    if (memcmp(&classes->items[i].name, name, sizeof *name) == 0)
      return &classes->items[i];
  classes->items =
      cul_xreallocarray(classes->items, classes->n + 1, sizeof *classes->items);
  classes->items[classes->n] = (struct cul_artefact_class){
      .name = *name, .artefact = *name, .member = CUL_DAG_NONE};
  return &classes->items[classes->n++];
}

/* Add the commit to the class. */
static void join(struct cul_classes *classes, uint32_t commit,
                 const struct cul_artefact_class *one) {
  classes->of[commit] = 1 + (uint32_t)(one - classes->items);
}

static struct cul_artefact_class *set(struct cul_classes *classes,
                                      uint32_t commit,
                                      const struct cul_digest *name) {
  struct cul_artefact_class *one = named(classes, name);
  join(classes, commit, one);
  return one;
}

struct cul_artefact_class *cul_classes_set(struct cul_classes *classes,
                                           uint32_t commit,
                                           const struct cul_digest *artefact,
                                           const char *outside) {
  struct cul_digest tree, name;
  if (!ledger_tree(classes->ledger, classes->range, commit, &tree))
    return NULL;
  name = artefact ? *artefact
                  : name_traced(classes->ledger, &tree, outside ? outside : "");
  if (outside && classes->ledger->cache)
    keep_stamped(classes->ledger, artefacts, &tree, outside,
                 (struct cul_bytes){(const char *)&name, sizeof name});
  return set(classes, commit, &name);
}

struct cul_artefact_class *cul_classes_find(struct cul_classes *classes,
                                            uint32_t commit) {
  struct cul_digest tree, artefact;
  if (classes->of[commit])
    return &classes->items[classes->of[commit] - 1];
  if (!ledger_tree(classes->ledger, classes->range, commit, &tree))
    return NULL;
  if (classes->by_tree) {
    tree = name_tree(classes->ledger, &tree);
    return set(classes, commit, &tree);
  }
  if (!ledger_artefact(classes->ledger, &tree, &artefact))
    return NULL;
  return set(classes, commit, &artefact);
}

const struct cul_artefact_class *
cul_classes_get(const struct cul_classes *classes, uint32_t commit) {
  uint32_t one = classes->of[commit];
  return one ? &classes->items[one - 1] : NULL;
}

void cul_classes_set_apart(struct cul_classes *classes, uint32_t commit,
                           uint32_t from) {
  const struct cul_commit_id *ids = classes->range->history.ids;
  struct cul_artefact_class *one = cul_classes_find(classes, commit);
  struct cul_digest artefact = one->artefact;
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest own;
  char hex[CUL_COMMIT_HEX], other[CUL_COMMIT_HEX];
  cul_hasher_field(h, "apart");
  cul_hasher_add(h, &one->name, sizeof one->name);
  cul_hasher_add(h, ids[commit].raw, sizeof ids[commit].raw);
  own = cul_hasher_finish(h);
  one = named(classes, &own);
  one->artefact = artefact;
  join(classes, commit, one);
  cul_notices_warn(
      classes->notices,
      "%.12s and %.12s are the same binary to the test, but stand on both "
      "sides of the failure: a revert, or the test depends on more than the "
      "files it reads",
      cul_commit_hex(&ids[commit], hex), cul_commit_hex(&ids[from], other));
}

void cul_classes_distrust(struct cul_classes *classes) {
  classes->by_tree = true;
  memset(classes->of, 0, classes->range->history.n * sizeof *classes->of);
}

struct cul_digest
cul_artefact_class_trial(const struct cul_artefact_class *artefact_class,
                         uint32_t attempt) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &artefact_class->name, sizeof artefact_class->name);
  cul_hasher_u64(h, attempt);
  return cul_hasher_finish(h);
}
