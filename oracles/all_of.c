/* --all-of: a conjunction.  Every oracle the configuration asks for judges
 * the same run; the failure is the same where all of them say so. */
#include <stdlib.h>

#include "settle.h"

enum { MAX_PARTS = 8 };

struct all_of {
  const struct cul_oracle *oracles[MAX_PARTS];
  void *selves[MAX_PARTS];
  size_t n;
};

extern const struct cul_oracle cul_oracle_all_of, cul_oracle_exit,
    cul_oracle_signal;

static bool all_of_wanted(const struct cul_oracle_conf *conf) {
  return conf->all_of;
}

static void all_of_close(void *self) {
  struct all_of *all = self;
  for (size_t i = 0; i < all->n; i++)
    all->oracles[i]->close(all->selves[i]);
  free(all);
}

/* Does row i of the table judge too?  The last takes everything, unasked;
 * match looks at exit status and signal itself. */
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

/* Which of two answers that are not "same" stands for both: the test that
 * cannot run first, the plain pass last. */
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

static int all_of_learn(void *self, const struct cul_record *records, size_t n,
                        struct cul_wants *more, struct cul_verdict *verdict,
                        struct cul_err *err) {
  (void)err;
  cul_learn_by(all_of_classify, self, records, n, more, verdict);
  return 0;
}

static int all_of_judge(const void *self, const struct cul_record *records,
                        size_t n, struct cul_wants *more,
                        struct cul_verdict *verdict, struct cul_err *err) {
  (void)err;
  more->n = 0;
  all_of_classify(self, &records[n - 1], verdict);
  return 0;
}

static void all_of_describe(const void *self, struct cul_buf *out) {
  const struct all_of *all = self;
  for (size_t i = 0; i < all->n; i++) {
    if (i)
      cul_buf_adds(out, ", and ");
    all->oracles[i]->describe(all->selves[i], out);
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
