/* bisect/commits and what it ties together: what is kept of one job for the
 * next, which commits are one artefact, and an asker that does not wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/clock.h"
#include "../../../base/files/file.h"
#include "../../../bisect/commits/strategy.h"

enum { COMMITS = 4 };

/* A line of commits, of which the two in the middle have one tree. */
struct place {
  char root[32];
  git_repository *git;
  char hex[COMMITS][GIT_OID_HEXSZ + 1];
  char *cache_path;
  struct cul_cache *cache;
  struct cul_notices notices;
  struct cul_range range;
  struct cul_lacking lacking;
  struct cul_ledger ledger;
  struct cul_ledger_outside outside;
  struct cul_err err;
};

static git_oid write_tree(git_repository *git, const char *text) {
  git_treebuilder *builder;
  git_oid blob, tree;
  assert_int_equal(git_blob_create_from_buffer(&blob, git, text, strlen(text)),
                   0);
  assert_int_equal(git_treebuilder_new(&builder, git, NULL), 0);
  assert_int_equal(
      git_treebuilder_insert(NULL, builder, "f", &blob, GIT_FILEMODE_BLOB), 0);
  assert_int_equal(git_treebuilder_write(&tree, builder), 0);
  git_treebuilder_free(builder);
  return tree;
}

static void write_history(struct place *place) {
  static const char *const texts[COMMITS] = {"1", "2", "2", "3"};
  git_commit *parent = NULL;
  git_signature *who;
  assert_int_equal(git_signature_new(&who, "A", "a@example.org", 1700000000, 0),
                   0);
  for (int i = 0; i < COMMITS; i++) {
    const git_commit *parents[] = {parent};
    git_oid id, tree_id = write_tree(place->git, texts[i]);
    git_tree *tree;
    assert_int_equal(git_tree_lookup(&tree, place->git, &tree_id), 0);
    assert_int_equal(git_commit_create(&id, place->git, NULL, who, who, NULL,
                                       "x", tree, parent ? 1 : 0, parents),
                     0);
    git_tree_free(tree);
    git_commit_free(parent);
    assert_int_equal(git_commit_lookup(&parent, place->git, &id), 0);
    git_oid_tostr(place->hex[i], sizeof place->hex[i], &id);
  }
  git_commit_free(parent);
  git_signature_free(who);
}

static void open_range(struct place *place) {
  const char *const good[] = {place->hex[0], NULL};
  const struct cul_range_conf conf = {
      .repo = place->root, .good = good, .bad = place->hex[COMMITS - 1]};
  struct cul_err *err = &place->err;
  assert_int_equal(cul_range_open(&conf, &place->range, err), 0);
  assert_int_equal(cul_range_read(&place->range, err), 0);
  assert_int_equal(cul_range_lay_out(&place->range, &place->notices, err), 0);
  assert_int_equal(place->range.dag.n, COMMITS - 1);
}

static int set_up(void **state) {
  struct place *place = cul_xcalloc(1, sizeof *place);
  char *note = NULL;
  strcpy(place->root, "/tmp/culprit-test-XXXXXX");
  assert_non_null(mkdtemp(place->root));
  git_libgit2_init();
  assert_int_equal(git_repository_init(&place->git, place->root, 1), 0);
  write_history(place);
  open_range(place);
  place->cache_path = cul_xasprintf("%s/cache", place->root);
  assert_int_equal(
      cul_cache_open(place->cache_path, &place->cache, &note, &place->err), 0);
  free(note);
  place->lacking =
      (struct cul_lacking){.range = &place->range, .notices = &place->notices};
  place->ledger = (struct cul_ledger){.cache = place->cache,
                                      .outside = &place->outside,
                                      .repo = place->range.repo,
                                      .lacking = &place->lacking};
  *state = place;
  return 0;
}

static int tear_down(void **state) {
  struct place *place = *state;
  cul_cache_close(place->cache);
  cul_lacking_release(&place->lacking);
  cul_range_release(&place->range);
  cul_notices_release(&place->notices);
  git_repository_free(place->git);
  git_libgit2_shutdown();
  cul_rmtree(place->root);
  free(place->cache_path);
  free(place);
  return 0;
}

static uint32_t number(const struct place *place, int commit) {
  uint32_t i = 0;
  char hex[CUL_COMMIT_HEX];
  while (strcmp(cul_commit_hex(&place->range.history.ids[i], hex),
                place->hex[commit]) != 0)
    i++;
  return i;
}

static struct cul_classes open_classes(struct place *place) {
  struct cul_classes classes = {.ledger = &place->ledger,
                                .range = &place->range,
                                .notices = &place->notices};
  cul_classes_open(&classes);
  return classes;
}

/* ---- the ledger ---- */

static void test_verdicts_are_kept(void **state) {
  struct place *place = *state;
  const struct cul_digest trial = {{1, 2}}, other = {{1, 3}},
                          failure = {{4, 5}};
  const struct cul_verdict verdict = {.answer = CUL_SAME, .why = "w"};
  struct cul_verdict out = {0};
  assert_false(cul_ledger_verdict(&place->ledger, &trial, &out));
  cul_ledger_keep_verdict(&place->ledger, &trial, &verdict);
  assert_true(cul_ledger_verdict(&place->ledger, &trial, &out));
  assert_int_equal(out.answer, CUL_SAME);
  assert_string_equal(out.why, "w");
  assert_false(cul_ledger_verdict(&place->ledger, &other, &out));
  /* Of another failure nothing is known. */
  cul_ledger_rename(&place->ledger, &failure);
  assert_false(cul_ledger_verdict(&place->ledger, &trial, &out));
}

static void test_failed_builds_are_kept_by_tree(void **state) {
  struct place *place = *state;
  char why[200] = "";
  cul_ledger_keep_build(&place->ledger, &place->range, number(place, 1), "",
                        "e");
  assert_true(
      cul_ledger_failed(&place->ledger, &place->range, number(place, 2), why));
  assert_string_equal(why, "e");
  assert_false(
      cul_ledger_failed(&place->ledger, &place->range, number(place, 3), why));
  /* By another toolchain it may build. */
  place->ledger.build = (struct cul_digest){{7, 7}};
  assert_false(
      cul_ledger_failed(&place->ledger, &place->range, number(place, 2), why));
}

static void test_no_store(void **state) {
  struct place *place = *state;
  const struct cul_digest trial = {{1, 2}};
  struct cul_verdict verdict = {.answer = CUL_SAME};
  char why[200];
  place->ledger.cache = NULL;
  cul_ledger_keep_verdict(&place->ledger, &trial, &verdict);
  cul_ledger_keep_build(&place->ledger, &place->range, 0, "", "e");
  assert_false(cul_ledger_verdict(&place->ledger, &trial, &verdict));
  assert_false(cul_ledger_failed(&place->ledger, &place->range, 0, why));
}

/* ---- classes ---- */

static void test_classes_are_found_again(void **state) {
  struct place *place = *state;
  const struct cul_digest artefact = {{8, 9}};
  struct cul_classes first = open_classes(place), later;
  struct cul_artefact_class *one;
  assert_null(cul_classes_find(&first, number(place, 1)));
  one = cul_classes_set(&first, number(place, 1), &artefact, "");
  one->trials = 3;
  /* The same tree is the same artefact; so is another one that is built so. */
  assert_ptr_equal(cul_classes_find(&first, number(place, 2)), one);
  assert_ptr_equal(cul_classes_set(&first, number(place, 3), &artefact, ""),
                   one);
  later = open_classes(place);
  one = cul_classes_find(&later, number(place, 2));
  assert_non_null(one);
  assert_memory_equal(&one->artefact, &artefact, sizeof artefact);
  assert_int_equal(one->trials, 0);
  assert_null(cul_classes_get(&later, number(place, 1)));
  cul_classes_release(&first);
  cul_classes_release(&later);
}

static void test_a_commit_set_apart(void **state) {
  struct place *place = *state;
  const struct cul_digest artefact = {{8, 9}};
  struct cul_classes classes = open_classes(place);
  const struct cul_artefact_class *one, *apart;
  cul_classes_set(&classes, number(place, 1), &artefact, "");
  cul_classes_set(&classes, number(place, 3), &artefact, "");
  cul_classes_set_apart(&classes, number(place, 3), number(place, 1));
  one = cul_classes_get(&classes, number(place, 1));
  apart = cul_classes_get(&classes, number(place, 3));
  assert_ptr_not_equal(one, apart);
  assert_memory_equal(&one->artefact, &apart->artefact, sizeof artefact);
  assert_int_equal(place->notices.n_warnings, 1);
  cul_classes_distrust(&classes);
  assert_ptr_equal(cul_classes_find(&classes, number(place, 1)),
                   cul_classes_find(&classes, number(place, 2)));
  assert_ptr_not_equal(cul_classes_find(&classes, number(place, 1)),
                       cul_classes_find(&classes, number(place, 3)));
  cul_classes_release(&classes);
}

/* ---- the strategy ---- */

/* All that a strategy knows; nothing is built or run. */
struct bench {
  struct cul_journal journal;
  struct cul_classes classes;
  struct cul_builder builder;
  struct cul_tester tester;
  struct cul_strategy strategy;
};

static struct bench *open_bench(struct place *place, double pause_s) {
  const struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct bench *bench = cul_xcalloc(1, sizeof *bench);
  bench->journal =
      (struct cul_journal){.range = &place->range, .lacking = &place->lacking};
  cul_journal_open(&bench->journal);
  bench->classes = open_classes(place);
  bench->builder = (struct cul_builder){.range = &place->range,
                                        .lacking = &place->lacking,
                                        .notices = &place->notices};
  bench->tester = (struct cul_tester){.probe = {.workers = 2},
                                      .range = &place->range,
                                      .builder = &bench->builder,
                                      .classes = &bench->classes,
                                      .ledger = &place->ledger,
                                      .journal = &bench->journal,
                                      .notices = &place->notices,
                                      .retries = 3,
                                      .retry_pause_s = pause_s};
  bench->strategy =
      (struct cul_strategy){.range = &place->range, .tester = &bench->tester};
  cul_strategy_open(&bench->strategy, NULL, &conf);
  return bench;
}

static void close_bench(struct bench *bench) {
  cul_strategy_release(&bench->strategy);
  cul_classes_release(&bench->classes);
  cul_journal_release(&bench->journal);
  free(bench->tester.trouble);
  free(bench);
}

static uint64_t ask(struct bench *bench, int slot, enum cul_test_end end,
                    uint64_t *again_us) {
  struct cul_asker asker = cul_strategy_asker(&bench->strategy);
  struct cul_point point;
  uint64_t ticket = 0;
  *again_us = 0;
  if (!asker.ask(asker.self, &point, &ticket, again_us))
    return 0;
  bench->tester.tests[slot] = (struct cul_test){
      .commit = point.ids[0], .live = true, .end = end, .why = "no room"};
  return ticket;
}

static void tell(struct bench *bench, uint64_t ticket, enum cul_answer answer) {
  struct cul_asker asker = cul_strategy_asker(&bench->strategy);
  const struct cul_verdict verdict = {.answer = answer, .confidence = 1};
  asker.tell(asker.self, ticket, &verdict);
}

/* Where the machine failed, the asker names the time of the next try and comes
 * back at once; what another run answers is taken meanwhile. */
static void test_asker_names_the_time_of_a_retry(void **state) {
  const uint64_t pause_us = (uint64_t)3600 * 1000 * 1000;
  uint64_t start = cul_now_us(), first, second, again_us;
  struct bench *bench = open_bench(*state, 3600);
  first = ask(bench, 0, CUL_TEST_TROUBLE, &again_us);
  second = ask(bench, 1, CUL_TEST_ANSWERED, &again_us);
  assert_true(first && second);
  tell(bench, first, CUL_PASSES);
  assert_int_equal(ask(bench, 2, CUL_TEST_ANSWERED, &again_us), 0);
  assert_true(again_us >= start + pause_us);
  assert_true(again_us <= cul_now_us() + pause_us);
  assert_int_equal(bench->strategy.n_steps, 2);
  tell(bench, second, CUL_INVALID);
  assert_int_equal(bench->strategy.n_steps, 1);
  /* Nothing is under way any more: the search waits, and has not ended. */
  assert_int_equal(ask(bench, 2, CUL_TEST_ANSWERED, &again_us), 0);
  assert_true(again_us >= start + pause_us);
  assert_false(cul_strategy_asker(&bench->strategy).finished(&bench->strategy));
  close_bench(bench);
}

/* Once the time has come, it is the same commit's turn again; until then each
 * ask in vain names it. */
static void test_retry_comes_when_it_is_time(void **state) {
  struct bench *bench = open_bench(*state, 0.05);
  uint64_t ticket, again, again_us;
  uint32_t commit;
  bench->tester.probe.workers = 1;
  ticket = ask(bench, 0, CUL_TEST_TROUBLE, &again_us);
  commit = bench->tester.tests[0].commit;
  tell(bench, ticket, CUL_PASSES);
  assert_int_equal(ask(bench, 0, CUL_TEST_ANSWERED, &again_us), 0);
  for (again = 0; again == 0;) {
    assert_true(again_us > 0);
    again = ask(bench, 0, CUL_TEST_ANSWERED, &again_us);
  }
  assert_true(again > ticket);
  assert_int_equal(bench->tester.tests[0].commit, commit);
  close_bench(bench);
}

/* Tries that are used up end the search, with what went wrong. */
static void test_trouble_ends_the_search(void **state) {
  struct bench *bench = open_bench(*state, 0);
  struct cul_asker asker = cul_strategy_asker(&bench->strategy);
  uint64_t again_us;
  struct cul_err err = {0};
  bench->tester.probe.workers = 1;
  for (int i = 0; i < 4; i++) {
    uint64_t ticket = ask(bench, 0, CUL_TEST_TROUBLE, &again_us);
    assert_int_not_equal(ticket, 0);
    assert_false(asker.finished(asker.self));
    tell(bench, ticket, CUL_PASSES);
    usleep(1000);
  }
  assert_true(asker.finished(asker.self));
  assert_int_equal(cul_tester_fail(&bench->tester, &err), CUL_EENV);
  assert_non_null(strstr(err.what, "no room (4 times)"));
  close_bench(bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_verdicts_are_kept, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_failed_builds_are_kept_by_tree,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_no_store, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_classes_are_found_again, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_a_commit_set_apart, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_asker_names_the_time_of_a_retry,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_retry_comes_when_it_is_time, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_trouble_ends_the_search, set_up,
                                      tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
