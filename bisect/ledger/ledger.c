/* The ledger: see ledger.h. */
#include "ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spaces of the store: from a tree to its artefact, from a tree to why it does
 * not build, from a trial to its verdict. */
static const char artefacts[] = "bisect-tree";
static const char failures[] = "bisect-failed";
static const char verdicts[] = "bisect";

/* Tree, build command, toolchain: equal keys are equal builds. */
static bool key_of(const struct cul_ledger *ledger,
                   const struct cul_range *range, uint32_t commit,
                   const struct cul_digest *more, struct cul_digest *out) {
  struct cul_commit_id tree;
  struct cul_err ignored = {0};
  struct cul_hasher *h;
  struct cul_revision revision;
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
  if (lacking.len > 0) { /* else as ever: what is kept stays true */
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

/* The same of what has a size of its own. */
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

/* ---- artefacts ---- */

bool cul_ledger_tree(const struct cul_ledger *ledger,
                     const struct cul_range *range, uint32_t commit,
                     struct cul_digest *out) {
  return key_of(ledger, range, commit, &ledger->test, out);
}

bool cul_ledger_artefact(const struct cul_ledger *ledger,
                         const struct cul_digest *tree,
                         struct cul_digest *out) {
  return get_sized(ledger, artefacts, tree, out, sizeof *out);
}

void cul_ledger_keep_artefact(const struct cul_ledger *ledger,
                              const struct cul_digest *tree,
                              const struct cul_digest *artefact) {
  keep(ledger, artefacts, tree, artefact, sizeof *artefact);
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
               get(ledger, failures, &key, &memo);
  if (found)
    snprintf(why, 200, "%s", cul_buf_str(&memo));
  cul_buf_release(&memo);
  return found;
}

void cul_ledger_keep_failed(const struct cul_ledger *ledger,
                            const struct cul_range *range, uint32_t commit,
                            const char *why) {
  struct cul_err ignored = {0};
  struct cul_digest key;
  if (!ledger->cache || !key_of(ledger, range, commit, NULL, &key))
    return;
  keep(ledger, failures, &key, why, strlen(why));
  (void)!cul_cache_flush(ledger->cache, &ignored);
}
