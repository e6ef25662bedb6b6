/* --all-of: a conjunction. Every oracle that the configuration requests judges
 * the same run; the failure is the same if all of them answer SAME. The
 * mismatch oracle judges a run together with those of its reference: it gets
 * all records, and requests more only if the others answer SAME. */
#include <stdlib.h>

#include "common/settle.h"

enum { MAX_PARTS = 8 };

struct all_of {
  const struct cul_oracle *oracles[MAX_PARTS];
  void *selves[MAX_PARTS];
  size_t n;
  void *mismatch; /* the mismatch oracle's self; NULL: not used */
};

extern const struct cul_oracle cul_oracle_all_of, cul_oracle_exit,
    cul_oracle_signal, cul_oracle_match, cul_oracle_mismatch;

static bool all_of_wanted(const struct cul_oracle_conf *conf) {
  return conf->all_of;
}

static void all_of_close(void *self) {
  struct all_of *all = self;
  for (size_t i = 0; i < all->n; i++)
    all->oracles[i]->close(all->selves[i]);
  if (all->mismatch)
    cul_oracle_mismatch.close(all->mismatch);
  free(all);
}

/* Does row i of the table take part? The last row is not requested, it accepts
 * everything; match checks exit status and signal itself. */
static bool is_part(size_t i, const struct cul_oracle_conf *conf) {
  const struct cul_oracle *oracle = cul_oracles[i];
  if (oracle == &cul_oracle_all_of || !cul_oracles[i + 1])
    return false;
  if (conf->match &&
      (oracle == &cul_oracle_exit || oracle == &cul_oracle_signal))
    return false;
  return oracle->wanted(conf);
}

static int all_of_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  struct all_of *all = cul_xcalloc(1, sizeof *all);
  int rc = 0;
  for (size_t i = 0; cul_oracles[i] && rc == 0; i++) {
    if (!is_part(i, conf))
      continue;
    if (cul_oracles[i] == &cul_oracle_mismatch) {
      rc = cul_oracles[i]->open(conf, &all->mismatch, err);
      continue;
    }
    rc = cul_oracles[i]->open(conf, &all->selves[all->n], err);
    if (rc == 0)
      all->oracles[all->n++] = cul_oracles[i];
  }
  if (rc < 0)
    all_of_close(all);
  else
    *self = all;
  return rc;
}

/* The answer with the larger weight represents both: a test that cannot run
 * counts most, a pass least (after "same"). */
static int weight(enum cul_answer answer) {
  static const int weights[] = {[CUL_SAME] = 0,    [CUL_PASSES] = 1,
                                [CUL_OTHER] = 2,   [CUL_UNRESOLVED] = 3,
                                [CUL_INVALID] = 4, [CUL_BROKEN] = 5};
  return weights[answer];
}

static void all_of_classify(const void *self, const struct cul_record *record,
                            struct cul_verdict *verdict) {
  const struct all_of *all = self;
  for (size_t i = 0; i < all->n; i++) {
    struct cul_verdict part = {0};
    struct cul_wants more = {0};
    struct cul_err err = {0};
    if (all->oracles[i]->judge(all->selves[i], record, 1, &more, &part, &err))
      cul_verdict_set(&part, CUL_UNRESOLVED, 1, "%.150s", err.what);
    if (i == 0 || weight(part.answer) > weight(verdict->answer) ||
        (part.answer == verdict->answer && !verdict->sig.kind))
      *verdict = part;
  }
}

/* Copy the runs of the command under test; their contents are borrowed. Returns
 * the number. */
static size_t suspects_of(const struct cul_record *records, size_t n,
                          struct cul_record *out) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    if (records[i].role == CUL_ROLE_SUSPECT)
      out[count++] = records[i];
  return count;
}

/* Let --match learn what of the original's output counts; its own verdict is
 * part of the common one. */
static int learn_match(const struct all_of *all,
                       const struct cul_record *suspects, size_t n,
                       struct cul_err *err) {
  struct cul_wants ignored = {0};
  struct cul_verdict verdict = {0};
  int rc = 0;
  for (size_t i = 0; i < all->n && rc == 0; i++)
    if (all->oracles[i] == &cul_oracle_match)
      rc = cul_oracle_match.learn(all->selves[i], suspects, n, &ignored,
                                  &verdict, err);
  return rc;
}

static int all_of_learn(void *self, const struct cul_record *records, size_t n,
                        struct cul_wants *more, struct cul_verdict *verdict,
                        struct cul_err *err) {
  struct all_of *all = self;
  struct cul_record *suspects = cul_xcalloc(n, sizeof *suspects);
  struct cul_verdict numbers = {0};
  size_t count = suspects_of(records, n, suspects);
  int rc = learn_match(all, suspects, count, err);
  cul_learn_by(all_of_classify, self, suspects, count, more, verdict);
  free(suspects);
  if (rc < 0)
    return rc;
  if (!all->mismatch || more->n > 0 || verdict->answer != CUL_SAME)
    return 0;
  rc =
      cul_oracle_mismatch.learn(all->mismatch, records, n, more, &numbers, err);
  if (rc == 0 && more->n == 0 && numbers.answer != CUL_SAME)
    *verdict = numbers;
  return rc;
}

static int all_of_judge(const void *self, const struct cul_record *records,
                        size_t n, struct cul_wants *more,
                        struct cul_verdict *verdict, struct cul_err *err) {
  const struct all_of *all = self;
  struct cul_verdict numbers = {0};
  size_t last = n - 1;
  int rc = 0;
  more->n = 0;
  while (last > 0 && records[last].role != CUL_ROLE_SUSPECT)
    last--;
  all_of_classify(self, &records[last], verdict);
  if (!all->mismatch || verdict->answer != CUL_SAME)
    return 0;
  rc =
      cul_oracle_mismatch.judge(all->mismatch, records, n, more, &numbers, err);
  if (rc == 0 && more->n == 0 && numbers.answer != CUL_SAME)
    *verdict = numbers;
  return rc;
}

static void all_of_describe(const void *self, struct cul_buf *out) {
  const struct all_of *all = self;
  for (size_t i = 0; i < all->n; i++) {
    if (i)
      cul_buf_adds(out, ", and ");
    all->oracles[i]->describe(all->selves[i], out);
  }
  if (all->mismatch) {
    cul_buf_adds(out, ", and ");
    cul_oracle_mismatch.describe(all->mismatch, out);
  }
}

const struct cul_oracle cul_oracle_all_of = {
    .abi = CUL_ORACLE_ABI,
    .name = "all-of",
    .summary = "all that was asked for",
    .wanted = all_of_wanted,
    .open = all_of_open,
    .learn = all_of_learn,
    .judge = all_of_judge,
    .describe = all_of_describe,
    .close = all_of_close,
};
