/* Coins: see struct cul_commits_coin.  What is remembered of a commit: which
 * artefact its tree builds to, or that it does not build; of an artefact: the
 * verdict of each run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commits_private.h"

static bool held_at(const struct cul_commits_inside *in,
                    const struct cul_override *held,
                    const struct cul_commit_id *ids) {
  size_t i = 0;
  while (i < in->n_held && cul_commit_equal(&held[i].id, &ids[i]))
    i++;
  return i == in->n_held;
}

void cul_commits_revision(const struct cul_commits *job, uint32_t commit,
                          struct cul_revision *out,
                          struct cul_override **held) {
  const struct cul_commits_inside *in = job->inside;
  size_t n;
  *out = (struct cul_revision){.commit = job->history.ids[commit]};
  *held = NULL;
  if (!in)
    return;
  n = in->n_held + in->n_more;
  *held = cul_xcalloc(n + 1, sizeof **held);
  memcpy(*held, in->held, n * sizeof **held);
  for (size_t i = 0; i < in->n_held && in->vectors; i++)
    (*held)[i].id = in->vectors[commit * in->n_held + i];
  if (in->moving < in->n_held)
    (*held)[in->moving].id = job->history.ids[commit];
  *out = (struct cul_revision){in->commit, *held, n};
  /* The ends are commits of their own: built before, perhaps. */
  if (in->after_is && held_at(in, *held, in->after))
    *out = (struct cul_revision){.commit = *in->after_is};
  else if (in->before_is && held_at(in, *held, in->before))
    *out = (struct cul_revision){.commit = *in->before_is};
}

/* Tree, build command, toolchain: equal keys are equal builds. */
static bool key_of(struct cul_commits *job, uint32_t commit,
                   const struct cul_digest *more, struct cul_digest *out) {
  struct cul_commit_id tree;
  struct cul_err ignored = {0};
  struct cul_hasher *h;
  struct cul_revision revision;
  struct cul_override *held;
  struct cul_buf lacking = {0};
  struct cul_repo *repo = cul_commits_outermost(job)->repo;
  cul_commits_revision(job, commit, &revision, &held);
  if (cul_repo_tree(repo, &revision.commit, &tree, &ignored) < 0 ||
      !cul_commits_lacking(job, &revision, &lacking)) {
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
  if (lacking.len > 0) { /* else as ever: what is remembered stays true */
    cul_hasher_field(h, "left empty");
    cul_hasher_field(h, cul_buf_str(&lacking));
  }
  cul_buf_release(&lacking);
  cul_hasher_add(h, &job->build, sizeof job->build);
  if (more)
    cul_hasher_add(h, more, sizeof *more);
  *out = cul_hasher_finish(h);
  return true;
}

static bool get_memo(struct cul_commits *job, const char *space,
                     const struct cul_digest *key, struct cul_buf *out) {
  struct cul_err ignored = {0};
  bool found = false;
  return job->cache &&
         cul_cache_memo_get(job->cache, space, key, out, &found, &ignored) ==
             0 &&
         found;
}

static void put_memo(struct cul_commits *job, const char *space,
                     const struct cul_digest *key, const void *data,
                     size_t size) {
  struct cul_err ignored = {0};
  if (job->cache)
    (void)!cul_cache_memo_put(job->cache, space, key, data, size, &ignored);
}

/* ---- coins ---- */

static struct cul_commits_coin *find_coin(struct cul_commits *job,
                                          const struct cul_digest *name) {
  for (size_t i = 0; i < job->n_coins; i++)
    if (memcmp(&job->coins[i].name, name, sizeof *name) == 0)
      return &job->coins[i];
  job->coins =
      cul_xreallocarray(job->coins, job->n_coins + 1, sizeof *job->coins);
  job->coins[job->n_coins] = (struct cul_commits_coin){
      .name = *name, .artefact = *name, .member = CUL_DAG_NONE};
  return &job->coins[job->n_coins++];
}

struct cul_commits_coin *cul_commits_set_coin(struct cul_commits *job,
                                              uint32_t commit,
                                              const struct cul_digest *name) {
  struct cul_commits_coin *coin;
  struct cul_digest key, own;
  if (!key_of(job, commit, &job->test, &key))
    return NULL;
  own = name ? *name : key;
  coin = find_coin(job, &own);
  job->coin_of[commit] = 1 + (uint32_t)(coin - job->coins);
  if (name)
    put_memo(job, "bisect-tree", &key, name, sizeof *name);
  return coin;
}

struct cul_commits_coin *cul_commits_coin(struct cul_commits *job,
                                          uint32_t commit) {
  struct cul_buf memo = {0};
  struct cul_digest key, name;
  bool found;
  if (job->coin_of[commit])
    return &job->coins[job->coin_of[commit] - 1];
  if (job->by_tree)
    return cul_commits_set_coin(job, commit, NULL);
  found = key_of(job, commit, &job->test, &key) &&
          get_memo(job, "bisect-tree", &key, &memo) && memo.len == sizeof name;
  if (found)
    memcpy(&name, memo.data, sizeof name);
  cul_buf_release(&memo);
  return found ? cul_commits_set_coin(job, commit, &name) : NULL;
}

void cul_commits_set_apart(struct cul_commits *job, uint32_t commit,
                           uint32_t from) {
  struct cul_commits_coin *coin = cul_commits_coin(job, commit);
  struct cul_digest artefact = coin->artefact;
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest own;
  char one[CUL_COMMIT_HEX], other[CUL_COMMIT_HEX];
  cul_hasher_field(h, "apart");
  cul_hasher_add(h, &coin->name, sizeof coin->name);
  cul_hasher_add(h, job->history.ids[commit].raw, 20);
  own = cul_hasher_finish(h);
  coin = find_coin(job, &own);
  coin->artefact = artefact;
  job->coin_of[commit] = 1 + (uint32_t)(coin - job->coins);
  cul_commits_warn(
      job,
      "%.12s and %.12s are the same binary to the test, but stand on both "
      "sides of the failure: a revert, or the test depends on more than the "
      "files it reads",
      cul_commit_hex(&job->history.ids[commit], one),
      cul_commit_hex(&job->history.ids[from], other));
}

struct cul_digest cul_commits_toss(const struct cul_commits_coin *coin,
                                   uint32_t attempt) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &coin->name, sizeof coin->name);
  cul_hasher_u64(h, attempt);
  return cul_hasher_finish(h);
}

/* ---- verdicts ---- */

static struct cul_digest name_verdict(const struct cul_commits *job,
                                      const struct cul_commits_coin *coin,
                                      uint32_t attempt) {
  struct cul_digest toss = cul_commits_toss(coin, attempt);
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &job->job, sizeof job->job);
  cul_hasher_add(h, &toss, sizeof toss);
  return cul_hasher_finish(h);
}

/* A record that another job made, or this one before it was killed.  Where
 * the oracle wants more than one, they are to be run. */
static int judge_record(struct cul_commits *job,
                        const struct cul_commits_coin *coin, uint32_t attempt,
                        bool learn, struct cul_verdict *verdict, bool *found,
                        struct cul_err *err) {
  struct cul_digest toss = cul_commits_toss(coin, attempt);
  struct cul_record record = {0};
  struct cul_request request = job->probe.request;
  struct cul_wants more = {0};
  bool teaching = learn && cul_commits_may_teach(job);
  int rc;
  if (!job->cache)
    return 0;
  request.flags |= teaching ? CUL_RUN_TRACE : 0;
  rc = cul_cache_get(job->cache, &toss, &request, &record, found, err);
  if (rc < 0 || !*found)
    return rc;
  if (teaching)
    cul_commits_teach(job, &record);
  *verdict = (struct cul_verdict){0};
  if (learn)
    rc = job->probe.oracle->learn(job->probe.oracle_self, &record, 1, &more,
                                  verdict, err);
  else
    rc = job->probe.oracle->judge(job->probe.oracle_self, &record, 1, &more,
                                  verdict, err);
  *found = rc == 0 && more.n == 0;
  if (*found)
    cul_commits_heed(job, learn, &record, verdict->answer);
  cul_record_release(&record);
  return rc;
}

int cul_commits_recall(struct cul_commits *job,
                       const struct cul_commits_coin *coin, uint32_t attempt,
                       bool learn, struct cul_verdict *verdict, bool *found,
                       struct cul_err *err) {
  struct cul_digest name = name_verdict(job, coin, attempt);
  struct cul_buf memo = {0};
  *found = !learn && !job->contrasting &&
           get_memo(job, "bisect", &name, &memo) && memo.len == sizeof *verdict;
  if (*found)
    memcpy(verdict, memo.data, sizeof *verdict);
  cul_buf_release(&memo);
  return *found ? 0
                : judge_record(job, coin, attempt, learn, verdict, found, err);
}

void cul_commits_remember(struct cul_commits *job, uint32_t commit,
                          uint32_t attempt, const struct cul_verdict *verdict) {
  const struct cul_commits_coin *coin = cul_commits_coin(job, commit);
  struct cul_err ignored = {0};
  struct cul_digest name;
  if (!coin || !job->cache)
    return;
  name = name_verdict(job, coin, attempt);
  put_memo(job, "bisect", &name, verdict, sizeof *verdict);
  (void)!cul_cache_flush(job->cache, &ignored);
}

/* ---- failed builds ---- */

bool cul_commits_failed_before(struct cul_commits *job, uint32_t commit,
                               char why[200]) {
  struct cul_buf memo = {0};
  struct cul_digest key;
  bool found = key_of(job, commit, NULL, &key) &&
               get_memo(job, "bisect-failed", &key, &memo);
  if (found)
    snprintf(why, 200, "%s", cul_buf_str(&memo));
  cul_buf_release(&memo);
  return found;
}

void cul_commits_remember_failure(struct cul_commits *job, uint32_t commit,
                                  const char *why) {
  struct cul_err ignored = {0};
  struct cul_digest key;
  if (!job->cache || !key_of(job, commit, NULL, &key))
    return;
  put_memo(job, "bisect-failed", &key, why, strlen(why));
  (void)!cul_cache_flush(job->cache, &ignored);
}
