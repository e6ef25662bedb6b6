/* A bisection: see bisection.h. */
#include "bisection.h"

#include <stdlib.h>

/* ---- the parts ---- */

void cul_bisection_tie(struct cul_bisection *b,
                       const struct cul_bisection_shared *shared) {
  b->shared = shared;
  b->classes.ledger = b->tester.ledger = shared->ledger;
  b->classes.range = b->journal.range = &b->range;
  b->classes.notices = b->tester.notices = &b->notices;
  b->journal.lacking = b->builder.lacking = shared->lacking;
  b->builder.range = b->tester.range = b->strategy.range = &b->range;
  b->builder.pool = shared->pool;
  b->builder.artefacts = shared->artefacts;
  b->builder.notices = &b->notices;
  b->tester.builder = &b->builder;
  b->tester.classes = &b->classes;
  b->tester.journal = &b->journal;
  b->tester.sought = shared->sought;
  b->tester.sandboxes = shared->sandboxes;
  b->tester.archive = shared->archive;
  b->tester.outside = shared->outside;
  b->tester.retries = shared->retries;
  b->tester.retry_pause_s = shared->retry_pause_s;
  b->strategy.tester = &b->tester;
  cul_tester_watch(&b->tester);
}

struct cul_bisection *cul_bisection_inside(const struct cul_bisection *whole,
                                           const struct cul_inside *inside) {
  struct cul_bisection *in = cul_xcalloc(1, sizeof *in);
  in->notices.self = whole->notices.self;
  in->notices.said = whole->notices.said;
  in->inside = *inside;
  in->range.conf = whole->range.conf;
  in->range.conf.paths = NULL;
  in->range.inside = &in->inside;
  in->classes.by_tree = whole->classes.by_tree;
  in->tester.probe = whole->tester.probe;
  cul_bisection_tie(in, whole->shared);
  return in;
}

void cul_bisection_end_inside(struct cul_bisection *whole,
                              struct cul_bisection *in) {
  whole->tester.probe.counts = in->tester.probe.counts;
  whole->journal.built += in->journal.built;
  whole->journal.failed += in->journal.failed;
  cul_bisection_release(in);
  free(in);
}

void cul_bisection_release(struct cul_bisection *b) {
  for (int i = 0; i <= CUL_MAX_WORKERS; i++)
    cul_builder_drop(&b->builder, i);
  cul_strategy_release(&b->strategy);
  cul_range_release(&b->range);
  cul_classes_release(&b->classes);
  cul_journal_release(&b->journal);
  cul_notices_release(&b->notices);
  free(b->tester.trouble);
}

void cul_bisection_begin(struct cul_bisection *b) {
  cul_classes_open(&b->classes);
  cul_journal_open(&b->journal);
}

/* ---- the search ---- */

int cul_bisection_go_on(struct cul_bisection *b, struct cul_err *err) {
  struct cul_space space = cul_tester_space(&b->tester);
  struct cul_asker asker = cul_strategy_asker(&b->strategy);
  int rc = cul_probe_run(&b->tester.probe, &space, &asker, err);
  return rc == 0 && b->tester.trouble ? cul_tester_fail(&b->tester, err) : rc;
}

int cul_bisection_search(struct cul_bisection *b, struct cul_err *err) {
  const struct cul_bisection_shared *shared = b->shared;
  struct cul_bisect_conf conf = shared->search;
  bool unmistakable = cul_sought_is_unmistakable(shared->sought);
  double *prior;
  int rc = cul_range_weigh(&b->range, &b->notices, &prior, err);
  if (rc < 0)
    return rc;
  shared->lacking->unmistakable = unmistakable;
  /* Only a failure identified by its signature cannot have another cause. */
  conf.one_sided = !b->range.conf.find_fix && unmistakable;
  cul_strategy_open(&b->strategy, prior, &conf);
  free(prior);
  return cul_bisection_go_on(b, err);
}

int cul_bisection_fail_budget(struct cul_err *err) {
  return cul_fail(err, CUL_EBUDGET,
                  "the report has the results so far; the same command with a "
                  "larger budget continues",
                  "the budget of runs, builds or time is spent");
}

int cul_bisection_end(const struct cul_bisection *b,
                      const struct cul_bisect_answer *answer,
                      struct cul_err *err) {
  const struct cul_range_conf *conf = &b->range.conf;
  const char *good = conf->good && conf->good[0] ? conf->good[0] : "found";
  switch (answer->end) {
  case CUL_BISECT_BAD_PASSES:
    return cul_fail(
        err, CUL_ENOFAIL,
        conf->find_fix ? "give --good a commit that passes"
                       : "it failed at first: does it depend on earlier runs?",
        "--%s %s does not %s any more", conf->find_fix ? "good" : "bad",
        conf->find_fix ? good : conf->bad, conf->find_fix ? "pass" : "fail");
  case CUL_BISECT_GOOD_FAILS:
    return cul_fail(
        err, CUL_EUSAGE,
        "name an older commit, or leave the option out: culprit finds one",
        "--%s %s %s as often as the other end", conf->find_fix ? "bad" : "good",
        conf->find_fix ? conf->bad : good, conf->find_fix ? "passes" : "fails");
  case CUL_BISECT_END_BROKEN:
    return cul_fail(
        err, CUL_EENV, "give an end that can be built and shows pass or fail",
        "an end cannot be tested: %s", cul_journal_last_why(&b->journal));
  case CUL_BISECT_BUDGET:
    return cul_bisection_fail_budget(err);
  default:
    return 0;
  }
}
