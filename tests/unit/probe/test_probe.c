/* probe/: the loop, with a synthetic space, runner, oracle and search. */
#include "../../../base/clock.h"
#include "probe_fakes.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void test_accepts_in_ticket_order(void **state) {
  const enum fate table[] = {PASSES, FAILS, INVALID, FAILS, DIES, FAILS};
  struct bench bench;
  (void)state;
  for (int workers = 1; workers <= 6; workers++) {
    set_up(&bench, table, 6, workers);
    assert_int_equal(run(&bench), 0);
    assert_int_equal(bench.space.n_committed, 3);
    assert_int_equal(bench.space.committed[0], 1);
    assert_int_equal(bench.space.committed[1], 3);
    assert_int_equal(bench.space.committed[2], 5);
    assert_int_equal(bench.probe.counts.asked, 6);
    assert_int_equal(bench.probe.counts.invalid, 2);
    assert_int_equal(bench.probe.counts.executed, 4);
    assert_int_equal(bench.space.n_written, 4);
    assert_int_equal(bench.probe.best_ops, 95);
    assert_true(most_running <= workers);
    if (workers > 2)
      assert_true(most_running > 1);
    tear_down(&bench);
  }
}

static int note_sample(void *self, enum cul_run_role role,
                       const struct cul_record *record, struct cul_err *err) {
  (void)err;
  assert_int_equal(role, CUL_ROLE_SUSPECT);
  assert_true(record->trace_closed);
  assert_string_equal(cul_buf_str(&record->files), "r /usr/file\n");
  *(int *)self += 1;
  return 0;
}

static void forget_files(void *self, int slot,
                         const struct cul_record *record) {
  (void)self, (void)slot;
  assert_false(record->trace_closed);
  assert_int_equal(record->files.len, 0);
}

/* Which runs are traced does not depend on which end first: the first, the
 * fourth and the 16th point, unless they need no run, and not the others. */
static void test_samples_are_traced(void **state) {
  enum fate table[17] = {PASSES, PASSES, FAILS, INVALID};
  struct bench bench;
  (void)state;
  for (int workers = 1; workers <= 6; workers++) {
    int told = 0;
    set_up(&bench, table, 17, workers);
    bench.probe.watcher.ran = forget_files;
    assert_int_equal(run(&bench), 0);
    assert_int_equal(traced, 0);
    tear_down(&bench);
    set_up(&bench, table, 17, workers);
    bench.probe.watcher.ran = forget_files;
    bench.probe.traced.samples =
        (struct cul_samples){.on = true, .self = &told, .told = note_sample};
    assert_int_equal(run(&bench), 0);
    assert_int_equal(traced, 1U << 0 | 1U << 15);
    assert_int_equal(told, 2);
    assert_int_equal(bench.probe.counts.executed, 16);
    tear_down(&bench);
  }
}

/* A trace with gaps is none: the run is made again, and no other is traced. */
static void test_a_sample_with_gaps_runs_again(void **state) {
  enum fate table[17] = {PASSES, FAILS};
  struct bench bench;
  int told = 0;
  (void)state;
  set_up(&bench, table, 17, 1);
  traces_close = false;
  bench.probe.watcher.ran = forget_files;
  bench.probe.traced.samples =
      (struct cul_samples){.on = true, .self = &told, .told = note_sample};
  assert_int_equal(run(&bench), 0);
  assert_int_equal(traced, 1U << 0);
  assert_int_equal(told, 0);
  assert_int_equal(bench.probe.counts.executed, 18);
  assert_int_equal(bench.space.n_committed, 1);
  tear_down(&bench);
}

/* What could not be written to its end is not the best. */
static void test_a_commit_that_is_cut_changes_nothing(void **state) {
  const enum fate table[] = {FAILS, FAILS, FAILS, FAILS};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 4, 1);
  bench.space.cut = 3;
  assert_int_equal(run(&bench), CUL_EINTR);
  assert_int_equal(bench.space.n_committed, 2);
  assert_int_equal(bench.space.committed[1], 1);
  assert_int_equal(bench.probe.best_ops, 99);
  tear_down(&bench);
}

/* What is held until an earlier point is judged takes no worker's place. */
static void test_held_ones_let_others_run(void **state) {
  const enum fate table[] = {WAITS, FAILS, FAILS, PASSES, FAILS};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 5, 2);
  bench.probe.slots = 5;
  others = 4;
  assert_int_equal(run(&bench), 0);
  assert_int_equal(bench.space.n_committed, 3);
  assert_int_equal(most_running, 2);
  tear_down(&bench);
}

static void judge_all(struct bench *bench, enum cul_until until,
                      const enum fate *table, size_t n, size_t judged) {
  struct cul_artefact arts[8] = {0};
  struct cul_judged out[8];
  set_up(bench, table, 0, 3);
  for (size_t i = 0; i < n; i++) {
    arts[i].digest = (struct cul_digest){{1, i}};
    arts[i].live_fd = -1;
  }
  assert_int_equal(
      cul_probe_judge_all(&bench->probe, arts, n, until, out, &bench->err), 0);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(out[i].n > 0, i < judged);
    if (i < judged)
      assert_int_equal(out[i].verdict.answer == CUL_SAME,
                       table[i] == FAILS || table[i] == FLAKY);
    cul_judged_release(&out[i]);
  }
  assert_int_equal(running, 0);
  tear_down(bench);
}

/* Side by side, as if one came after the other. */
/* A search that ends when it is asked for a second point, the first held. */
static bool ask_once(void *self, struct cul_point *point, uint64_t *ticket,
                     uint64_t *again_us) {
  struct list_search *search = self;
  if (search->next == 0)
    return ask(self, point, ticket, again_us);
  search->done = search->n;
  return false;
}
static uint64_t accept_none(void *self) { return (void)self, 0; }

static void count_late(void *self) {
  struct bench *bench = self;
  bench->late += finished(&bench->search);
}

/* A search that waits for an answer that never comes is a bug, which the first
 * time shows that it is asked in vain; no loop for ever. */
static bool ask_nothing(void *self, struct cul_point *point, uint64_t *ticket,
                        uint64_t *again_us) {
  (void)self, (void)point, (void)ticket, (void)again_us;
  fputs("asked\n", stderr);
  return false;
}
static void test_search_that_is_stuck(void **state) {
  const enum fate table[] = {PASSES};
  struct bench bench;
  struct cul_asker asker = {&bench.search, ask_nothing, tell, stale,
                            accepted,      finished,    NULL};
  (void)state;
  char said[512] = "";
  int ends[2], status;
  pid_t pid;
  set_up(&bench, table, 1, 2);
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid = fork();
  if (pid == 0) {
    prctl(PR_SET_DUMPABLE, 0); /* no core file */
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    _exit(run_with(&bench, &asker) != 0);
  }
  close(ends[1]);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(read(ends[0], said, sizeof said - 1) > 0);
  close(ends[0]);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
  assert_ptr_equal(strstr(said, "asked\nculprit: internal error: "), said);
  assert_non_null(
      strstr(said, "neither asks for a point, nor waits, nor ends"));
  tear_down(&bench);
}

/* A search that has nothing to ask before a time, its first point aside. */
struct late_search {
  struct list_search list;
  uint64_t from_us;           /* the second point is not asked for before */
  uint64_t told_us, asked_us; /* the first answer; the second point */
  int n_early, n_ticks;
};

static bool ask_late(void *self, struct cul_point *point, uint64_t *ticket,
                     uint64_t *again_us) {
  struct late_search *search = self;
  bool early = search->list.next > 0 && cul_now_us() < search->from_us;
  search->n_early += early;
  if (early) {
    *again_us = search->from_us;
    return false;
  }
  if (search->list.next > 0 && search->asked_us == 0)
    search->asked_us = cul_now_us();
  return ask(&search->list, point, ticket, again_us);
}

static void tell_late(void *self, uint64_t ticket,
                      const struct cul_verdict *verdict) {
  struct late_search *search = self;
  if (search->told_us == 0)
    search->told_us = cul_now_us();
  tell(&search->list, ticket, verdict);
}

static uint64_t accepted_late(void *self) {
  return accepted(&((struct late_search *)self)->list);
}
static bool finished_late(void *self) {
  return finished(&((struct late_search *)self)->list);
}
static void tick_late(void *self) { ((struct late_search *)self)->n_ticks++; }

static int run_late(struct bench *bench, struct late_search *search,
                    uint64_t wait_us) {
  struct cul_asker asker = {search,        ask_late,      tell_late, stale,
                            accepted_late, finished_late, NULL};
  search->list.n = 2;
  search->from_us = cul_now_us() + wait_us;
  bench->probe.watcher =
      (struct cul_watcher){.self = search, .tick = tick_late};
  return run_with(bench, &asker);
}

/* The loop waits for the time that a search names, and takes the answers of
 * other runs meanwhile: nobody sleeps in a call, nobody asks over and over. */
static void test_asks_again_when_told_to(void **state) {
  static const enum fate table[] = {PASSES, PASSES};
  const uint64_t wait_us = 300 * 1000;
  struct late_search search = {0};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 2, 2);
  assert_int_equal(run_late(&bench, &search, wait_us), 0);
  assert_int_equal(started, 2);
  assert_true(search.told_us < search.from_us);
  assert_true(search.asked_us >= search.from_us);
  /* Asked in vain once before that answer and once after it. */
  assert_int_equal(search.n_early, 2);
  assert_true(search.n_ticks <= 20);
  tear_down(&bench);
}

/* The same where nothing is under way: that is no search that is stuck. */
static void test_waits_with_nothing_under_way(void **state) {
  static const enum fate table[] = {PASSES, PASSES};
  struct late_search search = {0};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 2, 1);
  assert_int_equal(run_late(&bench, &search, 300 * 1000), 0);
  assert_true(search.asked_us >= search.from_us);
  assert_int_equal(search.n_early, 1);
  assert_true(search.n_ticks <= 20);
  tear_down(&bench);
}

/* The job's time ends before the one that was named. */
static void test_budget_ends_the_wait(void **state) {
  static const enum fate table[] = {PASSES, PASSES};
  struct late_search search = {0};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 2, 2);
  bench.probe.budget.deadline_us = cul_now_us() + 250 * 1000;
  assert_int_equal(run_late(&bench, &search, (uint64_t)3600 * 1000 * 1000),
                   CUL_EBUDGET);
  assert_int_equal(search.asked_us, 0);
  tear_down(&bench);
}

/* Then nothing is waited for: nothing is under way that could end the wait. */
static void test_ends_at_once_with_what_is_held(void **state) {
  static const enum fate table[] = {FAILS};
  struct bench bench;
  struct cul_asker asker = {&bench.search, ask_once, tell, stale,
                            accept_none,   finished, NULL};
  (void)state;
  set_up(&bench, table, 2, 1);
  bench.probe.slots = 2;
  bench.probe.watcher =
      (struct cul_watcher){.self = &bench, .tick = count_late};
  assert_int_equal(run_with(&bench, &asker), 0);
  assert_int_equal(started, 1);
  assert_int_equal(bench.late, 0);
  tear_down(&bench);
}

/* A search that gives its only point up, though nothing was answered. */
struct leaver {
  unsigned asked, looks;
  bool gone, taken;
};

static bool ask_of_leaver(void *self, struct cul_point *point, uint64_t *ticket,
                          uint64_t *again_us) {
  static const uint32_t number = 0;
  struct leaver *leaver = self;
  (void)again_us;
  *point = (struct cul_point){&number, 1};
  *ticket = 1;
  return leaver->asked++ == 0;
}

static size_t stale_of_leaver(void *self, uint64_t *tickets, size_t max) {
  struct leaver *leaver = self;
  bool now = leaver->gone && !leaver->taken && max > 0;
  if (now)
    tickets[0] = 1;
  leaver->taken |= now;
  return now;
}

static bool leaver_has_left(void *self) {
  struct leaver *leaver = self;
  bool now = leaver->asked && ++leaver->looks == 3;
  leaver->gone |= now;
  return now;
}

static bool leaver_is_done(void *self) {
  return ((struct leaver *)self)->taken;
}

static void test_what_is_given_up_ends(void **state) {
  static const enum fate table[] = {WAITS};
  struct leaver leaver = {0};
  struct cul_asker asker = {&leaver,         ask_of_leaver, tell,
                            stale_of_leaver, accept_none,   leaver_is_done,
                            leaver_has_left};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 1, 1);
  others = 1000;
  assert_int_equal(run_with(&bench, &asker), 0);
  assert_true(leaver.taken);
  assert_int_equal(bench.probe.counts.killed, 1);
  assert_int_equal(bench.probe.counts.executed, 0);
  tear_down(&bench);
}

static void test_judge_all(void **state) {
  const enum fate some[] = {PASSES, FAILS, PASSES, FLAKY, PASSES, FAILS};
  const enum fate first[] = {FAILS, PASSES, PASSES, FAILS, PASSES};
  struct bench bench;
  (void)state;
  judge_all(&bench, CUL_UNTIL_END, some, 6, 6);
  assert_int_equal(most_running, 3);
  assert_int_equal(bench.probe.counts.executed, 7);
  judge_all(&bench, CUL_UNTIL_SAME, some, 6, 2);
  judge_all(&bench, CUL_UNTIL_SAME_AGAIN, some, 6, 1);
  judge_all(&bench, CUL_UNTIL_SAME_AGAIN, first, 5, 4);
  judge_all(&bench, CUL_UNTIL_END, first, 0, 0);
}

static void test_second_time_runs_nothing(void **state) {
  const enum fate table[] = {PASSES, FAILS, INVALID, PASSES};
  struct bench bench;
  struct cul_cache *cache = NULL;
  char *note = NULL, *path;
  (void)state;
  set_up(&bench, table, 4, 2);
  path = cul_xasprintf("%s/cache.db", bench.dir);
  assert_int_equal(cul_cache_open(path, &cache, &note, &bench.err), 0);
  bench.probe.cache = cache;
  assert_int_equal(run(&bench), 0);
  assert_int_equal(bench.probe.counts.executed, 3);
  bench.search = (struct list_search){.n = 4};
  bench.probe.counts = (struct cul_counts){0};
  bench.space = (struct space){0};
  assert_int_equal(run(&bench), 0);
  assert_int_equal(bench.probe.counts.executed, 0);
  assert_int_equal(bench.probe.counts.cached, 1);
  assert_int_equal(bench.probe.counts.recalled, 3);
  assert_int_equal(bench.space.n_begun, 1); /* only what is accepted again */
  assert_int_equal(bench.space.n_committed, 1);
  cul_cache_close(cache);
  free(path);
  tear_down(&bench);
}

static void test_deadline_is_not_remembered(void **state) {
  const enum fate table[] = {HANGS};
  struct bench bench;
  struct cul_cache *cache = NULL;
  char *note = NULL, *path;
  (void)state;
  set_up(&bench, table, 1, 1);
  path = cul_xasprintf("%s/cache.db", bench.dir);
  assert_int_equal(cul_cache_open(path, &cache, &note, &bench.err), 0);
  bench.probe.cache = cache;
  for (int round = 0; round < 2; round++) {
    bench.search = (struct list_search){.n = 1};
    bench.probe.counts = (struct cul_counts){0};
    assert_int_equal(run(&bench), 0);
    assert_int_equal(bench.probe.counts.executed, 1);
    assert_int_equal(bench.probe.counts.timeouts, 1);
  }
  cul_cache_close(cache);
  free(path);
  tear_down(&bench);
}

static void test_budget_of_runs(void **state) {
  const enum fate table[] = {FAILS, PASSES, PASSES, FAILS, PASSES, PASSES};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 6, 1);
  bench.probe.budget.max_runs = 3;
  assert_int_equal(run(&bench), CUL_EBUDGET);
  assert_int_equal(bench.probe.counts.executed, 3);
  assert_int_equal(bench.space.n_committed, 1);
  assert_non_null(strstr(bench.err.what, "--max-runs"));
  tear_down(&bench);
}

/* What is under way counts: no run begins that would be one too many. */
static void test_budget_of_runs_side_by_side(void **state) {
  const enum fate table[] = {PASSES, PASSES, PASSES, PASSES, PASSES, PASSES};
  (void)state;
  for (int workers = 2; workers <= 5; workers++) {
    struct bench bench;
    set_up(&bench, table, 6, workers);
    bench.probe.budget.max_runs = 3;
    assert_int_equal(run(&bench), CUL_EBUDGET);
    assert_int_equal(bench.probe.counts.executed, 3);
    assert_int_equal(bench.probe.counts.killed, 0);
    tear_down(&bench);
  }
}

static void test_stop_at_ops(void **state) {
  const enum fate table[] = {FAILS, FAILS, FAILS, FAILS};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 4, 1);
  bench.probe.best_ops = 1000;
  bench.probe.budget.stop_at_ops = 98;
  assert_int_equal(run(&bench), CUL_EBUDGET);
  assert_int_equal(bench.space.n_committed, 3);
  tear_down(&bench);
}

static void test_interrupt_cancels(void **state) {
  const enum fate table[] = {FAILS, PASSES};
  const volatile int interrupted = 2;
  struct bench bench;
  (void)state;
  set_up(&bench, table, 2, 2);
  bench.probe.interrupted = &interrupted;
  assert_int_equal(run(&bench), CUL_EINTR);
  tear_down(&bench);
}

static void test_broken_test_ends_the_job(void **state) {
  const enum fate table[] = {PASSES, BROKEN_TEST, PASSES};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 3, 1);
  assert_int_equal(run(&bench), CUL_EENV);
  assert_non_null(strstr(bench.err.what, "cannot run"));
  tear_down(&bench);
}

static void test_alone_is_alone(void **state) {
  const enum fate table[] = {FLAKY, PASSES, FLAKY, FAILS, FLAKY, PASSES};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 6, 4);
  assert_int_equal(run(&bench), 0); /* start() asserts the rest */
  assert_int_equal(bench.space.n_committed, 4);
  assert_int_equal(bench.probe.counts.executed, 9);
  tear_down(&bench);
}

static void test_deadline_follows_the_slowest(void **state) {
  struct cul_probe probe = {.request = {.wall_ms = 60000}};
  (void)state;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 60000);
  probe.deadline.slowest_us[CUL_ROLE_SUSPECT] = 30 * 1000;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 2000);
  probe.deadline.slowest_us[CUL_ROLE_SUSPECT] = 700 * 1000;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 7000);
  cul_probe_tighten(&probe);
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 3500);
  probe.deadline.fixed = true;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 60000);
  probe.deadline.provisional = true;
  probe.deadline.slowest_us[CUL_ROLE_SUSPECT] = 700 * 1000;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 3500);
  probe.deadline.slowest_us[CUL_ROLE_SUSPECT] = 0;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 2000);
  probe.deadline.slowest_us[CUL_ROLE_SUSPECT] = 19000 * 1000;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 60000);
}

/* A fast tool says nothing of the time that its reference takes. */
static void test_deadline_is_that_of_the_role(void **state) {
  struct cul_probe probe = {.request = {.wall_ms = 60000}};
  (void)state;
  probe.deadline.slowest_us[CUL_ROLE_SUSPECT] = 30 * 1000;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_REFERENCE), 60000);
  cul_probe_tighten(&probe);
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_REFERENCE), 60000);
  probe.deadline.slowest_us[CUL_ROLE_REFERENCE] = 700 * 1000;
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_REFERENCE), 7000);
  assert_int_equal(cul_probe_deadline_ms(&probe, CUL_ROLE_SUSPECT), 2000);
}

/* Load makes a run longer, and the deadline of one that computes waits for
 * load by itself: it follows what others compute. */
static void test_deadline_of_what_spins_follows_cpu_time(void **state) {
  const enum fate table[] = {PASSES};
  struct bench bench;
  (void)state;
  set_up(&bench, table, 1, 1);
  assert_int_equal(run(&bench), 0);
  assert_int_equal(bench.probe.deadline.slowest_us[CUL_ROLE_SUSPECT], 5000);
  tear_down(&bench);
  set_up(&bench, table, 1, 1);
  bench.probe.deadline.spinning = true;
  assert_int_equal(run(&bench), 0);
  assert_int_equal(bench.probe.deadline.slowest_us[CUL_ROLE_SUSPECT], 2000);
  tear_down(&bench);
}

/* Candidates run in-process; the command takes 700 ms. */
static void set_up_inside(struct bench *bench, const enum fate *table,
                          uint32_t n) {
  static const char *const words[] = {"engine", "@@", NULL};
  static struct cul_runner live_runner;
  struct cul_in_process *inside = &bench->probe.service.inside;
  live_runner = fake_runner;
  live_runner.live = true;
  set_up(bench, table, n, 1);
  live_fd = 0;
  bench->probe.request.wall_ms = 60000;
  bench->probe.deadline.slowest_us[CUL_ROLE_SUSPECT] = 700 * 1000;
  inside->on = true;
  inside->instead = argv;
  inside->tool = (struct cul_digest){{8, 8}};
  bench->probe.runner = &live_runner;
  inside->of[CUL_ROLE_SUSPECT].argv = words;
}

/* The runs in-process have a deadline of their own as soon as one has ended;
 * what the command runs to compare has that of the command. */
static void test_deadline_in_process(void **state) {
  static const enum fate table[] = {PASSES, PASSES};
  static const uint64_t ended_us[] = {0, 80 * 1000, 900 * 1000};
  static const uint64_t wanted_ms[] = {CUL_SHORTEST_INSIDE_MS, 800, 7000};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ended_us); i++) {
    struct bench bench;
    struct cul_in_process *inside = &bench.probe.service.inside;
    set_up_inside(&bench, table, 2);
    inside->slowest_us[CUL_ROLE_SUSPECT] = ended_us[i];
    assert_int_equal(run(&bench), 0);
    assert_int_equal(started, 3); /* the first was compared */
    assert_int_equal(inside->slowest_us[CUL_ROLE_SUSPECT],
                     ended_us[i] ? ended_us[i] : 5000);
    assert_int_equal(bench.probe.deadline.slowest_us[CUL_ROLE_SUSPECT],
                     700 * 1000);
    assert_int_equal(last_wall_ms, wanted_ms[i]);
    tear_down(&bench);
  }
}

/* Both deadlines follow a subject that shrinks. */
static void test_deadline_in_process_is_tightened(void **state) {
  static const enum fate table[] = {PASSES, PASSES};
  struct bench bench;
  struct cul_in_process *inside = &bench.probe.service.inside;
  (void)state;
  set_up_inside(&bench, table, 2);
  inside->slowest_us[CUL_ROLE_SUSPECT] = 300 * 1000;
  cul_probe_tighten(&bench.probe);
  assert_int_equal(inside->slowest_us[CUL_ROLE_SUSPECT], 150 * 1000 + 1);
  assert_int_equal(inside->slowest_us[CUL_ROLE_REFERENCE], 0);
  assert_int_equal(run(&bench), 0);
  assert_int_equal(last_wall_ms, 1500);
  tear_down(&bench);
}

/* A run in-process that did not compute until its deadline was held up: the
 * command says what becomes of the candidate. */
static void test_starved_in_process(void **state) {
  static const enum fate table[] = {PASSES, HANGS, HANGS};
  static const uint64_t cpu_us[] = {CUL_SHORTEST_INSIDE_MS * 800,
                                    CUL_SHORTEST_INSIDE_MS * 200};
  static const int runs[] = {5, 6}; /* PASSES and the first HANGS: compared */
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cpu_us); i++) {
    struct bench bench;
    set_up_inside(&bench, table, 3);
    hung_cpu_us = cpu_us[i];
    assert_int_equal(run(&bench), 0);
    assert_int_equal(started, runs[i]);
    assert_int_equal(last_wall_ms, i ? 7000 : CUL_SHORTEST_INSIDE_MS);
    tear_down(&bench);
  }
}

/* A job with one worker: `shown` in-process, `table` by the command. */
static void run_inside(struct bench *bench, const enum fate *table,
                       const enum fate *shown, uint32_t n) {
  set_up_inside(bench, table, n);
  served_endings = shown;
  assert_int_equal(run(bench), 0);
}

/* The command confirms the first, the second, the fourth, the eighth failure.
 */
static void test_failures_in_process_are_confirmed(void **state) {
  static const enum fate table[] = {FAILS, FAILS, FAILS, FAILS, FAILS,
                                    FAILS, FAILS, FAILS, FAILS};
  struct bench bench;
  (void)state;
  run_inside(&bench, table, NULL, 9);
  assert_int_equal(started, 9 + 4);
  assert_int_equal(bench.probe.counts.compared, 4);
  assert_int_equal(bench.space.n_committed, 9);
  tear_down(&bench);
}

/* One answer that the command contradicts does not end the runs in-process: the
 * command's counts, the next eight answers are compared, and from then on every
 * failure is. */
static void test_a_contradiction_in_process(void **state) {
  static const enum fate table[] = {FAILS,  PASSES, PASSES, PASSES, PASSES,
                                    PASSES, PASSES, PASSES, PASSES, PASSES,
                                    PASSES, FAILS,  FAILS,  FAILS};
  static const enum fate shown[] = {FAILS,  FAILS,  PASSES, PASSES, PASSES,
                                    PASSES, PASSES, PASSES, PASSES, PASSES,
                                    PASSES, FAILS,  FAILS,  FAILS};
  struct bench bench;
  struct cul_in_process *inside = &bench.probe.service.inside;
  (void)state;
  run_inside(&bench, table, shown, 14);
  assert_true(inside->on);
  assert_int_equal(inside->contradicted, 1);
  assert_string_equal(inside->differed,
                      "in-process a candidate shows \"same failure\" (), and "
                      "\"passes\" () when the command runs");
  assert_int_equal(started, 14 + 2 + 8 + 3);
  assert_int_equal(bench.space.n_committed, 4);
  assert_int_equal(bench.space.committed[1], 11);
  tear_down(&bench);
}

/* A failure that only the command shows is found as far as it is compared; what
 * shows it in-process need not be confirmed more often for it. */
static void test_a_failure_missed_in_process(void **state) {
  static const enum fate table[] = {FAILS, FAILS,   FAILS, FAILS, FAILS, FAILS,
                                    FAILS, CRASHES, FAILS, FAILS, FAILS};
  static const enum fate shown[] = {PASSES, FAILS,   FAILS, FAILS, FAILS, FAILS,
                                    FAILS,  CRASHES, FAILS, FAILS, FAILS};
  struct bench bench;
  struct cul_in_process *inside = &bench.probe.service.inside;
  (void)state;
  run_inside(&bench, table, shown, 11);
  assert_true(inside->on);
  assert_int_equal(inside->contradicted, 1);
  assert_false(inside->unconfirmed);
  assert_int_equal(started, 11 + 1 + 8 + 1); /* the eighth failure is due */
  assert_int_equal(bench.space.n_committed, 10);
  tear_down(&bench);
}

/* Where contradictions are frequent, the command runs from then on. */
static void test_contradictions_in_process_are_bounded(void **state) {
  static const enum fate table[] = {PASSES, FAILS,  PASSES, PASSES,
                                    PASSES, PASSES, FAILS};
  static const enum fate shown[] = {FAILS, FAILS, FAILS, FAILS,
                                    FAILS, FAILS, PASSES};
  struct bench bench;
  struct cul_in_process *inside = &bench.probe.service.inside;
  (void)state;
  run_inside(&bench, table, shown, 7);
  assert_false(inside->on);
  assert_int_equal(inside->contradicted, 3);
  assert_int_equal(inside->runs, 4);
  assert_int_equal(started, 4 * 2 + 3);
  assert_int_equal(bench.space.n_committed, 2);
  assert_int_equal(bench.space.committed[0], 1);
  assert_int_equal(bench.space.committed[1], 6);
  tear_down(&bench);
}

/* Two other failures are no contradiction; after three such comparisons that
 * other failure is known. */
static void test_other_failures_in_process(void **state) {
  enum { N = 12 };
  enum fate table[N], shown[N];
  struct bench bench;
  struct cul_in_process *inside = &bench.probe.service.inside;
  (void)state;
  for (int i = 0; i < N; i++)
    table[i] = CRASHES, shown[i] = CORRUPTS;
  run_inside(&bench, table, shown, N);
  assert_true(inside->on);
  assert_int_equal(inside->contradicted, 0);
  assert_int_equal(started, N + 3);
  tear_down(&bench);
}

/* A tool may need longer to get to its loop than the deadline of a search is
 * at first, of which nobody knows; and longer than the whole one. */
static void test_a_hang_has_the_time_to_be_known(void **state) {
  static const uint64_t whole_ms[] = {20000, 5000}, wanted_ms[] = {6100, 5000};
  const enum fate table[] = {PASSES};
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct bench bench;
    set_up(&bench, table, 1, 1);
    bench.probe.request.wall_ms = whole_ms[i];
    bench.probe.deadline.fixed = bench.probe.deadline.provisional = true;
    bench.probe.early.stay =
        (struct cul_stay){.n = 1, .reached_us = 3000 * 1000};
    assert_int_equal(run(&bench), 0);
    assert_int_equal(last_wall_ms, wanted_ms[i]);
    assert_int_equal(last_asked, i == 0);
    tear_down(&bench);
  }
}

static void run_served(struct bench *bench, const enum fate *table,
                       const enum fate *served, uint32_t n) {
  set_up(bench, table, n, 1);
  served_endings = served;
  bench->probe.service.servers = cul_servers_new();
  assert_int_equal(run(bench), 0);
}

static void free_served(struct bench *bench) {
  cul_servers_free(bench->probe.service.servers);
  tear_down(bench);
}

/* Each answer is compared once with that of a run of its own, the one that
 * counts at first three times, then the eighth. */
static void test_what_servers_say_is_compared(void **state) {
  const enum fate table[] = {PASSES, PASSES, FAILS,  FAILS, FAILS, FAILS,
                             FAILS,  FAILS,  PASSES, FAILS, FAILS, FAILS};
  struct bench bench;
  (void)state;
  run_served(&bench, table, NULL, 12);
  assert_int_equal(bench.space.n_committed, 9);
  assert_int_equal(started_served, 12);
  assert_int_equal(started, 12 + 1 + 3 + 1);
  assert_true(cul_servers_usable(bench.probe.service.servers));
  free_served(&bench);
}

/* The process of its own is right, and is asked from then on. */
static void test_servers_that_differ_are_refused(void **state) {
  const enum fate table[] = {PASSES, FAILS, FAILS, PASSES};
  const enum fate kinder[] = {PASSES, FAILS, PASSES, PASSES};
  const enum fate harder[] = {FAILS, FAILS, FAILS, FAILS};
  const enum fate unheard[] = {LOST, LOST, LOST, LOST};
  struct bench bench;
  (void)state;
  run_served(&bench, table, harder, 4);
  assert_int_equal(bench.space.n_committed, 2);
  assert_int_equal(started_served, 1);
  assert_false(cul_servers_usable(bench.probe.service.servers));
  free_served(&bench);
  /* What was compared before is believed. */
  run_served(&bench, table, kinder, 4);
  assert_int_equal(bench.space.n_committed, 1);
  free_served(&bench);
  run_served(&bench, table, unheard, 4);
  assert_int_equal(bench.space.n_committed, 2);
  assert_int_equal(bench.probe.counts.executed, 4);
  free_served(&bench);
}

/* Where what fails depends on what is in memory, another failure of a server
 * may be the sought one in a process of its own: each of them is compared,
 * again if it was another one there, too. */
static void test_other_failures_are_compared_one_by_one(void **state) {
  const enum fate alike[] = {CRASHES, CRASHES, CORRUPTS, CORRUPTS, CRASHES};
  const enum fate table[] = {CRASHES, CRASHES, FAILS, FAILS};
  const enum fate served[] = {CRASHES, CORRUPTS, CORRUPTS, CORRUPTS};
  struct bench bench;
  (void)state;
  run_served(&bench, alike, NULL, 5);
  assert_int_equal(started_served, 5);
  assert_int_equal(started, 5 + 2);
  assert_true(cul_servers_usable(bench.probe.service.servers));
  free_served(&bench);
  run_served(&bench, table, served, 4);
  assert_int_equal(started_served, 3);
  assert_int_equal(started, 3 + 3 + 1);
  assert_int_equal(bench.space.n_committed, 2);
  assert_false(cul_servers_usable(bench.probe.service.servers));
  free_served(&bench);
}

/* A record of a process of its own is taken for one of a server, never the
 * other way. */
static void test_servers_and_the_cache(void **state) {
  const enum fate table[] = {FAILS, FAILS, FAILS, FAILS, FAILS};
  /* Own are the runs that were compared; then the other two; then none. */
  const int expected[] = {5 + 3, 2, 0};
  struct bench bench;
  struct cul_cache *cache = NULL;
  char *note = NULL, *path;
  (void)state;
  set_up(&bench, table, 5, 1);
  path = cul_xasprintf("%s/cache.db", bench.dir);
  assert_int_equal(cul_cache_open(path, &cache, &note, &bench.err), 0);
  bench.probe.cache = cache;
  for (int round = 0; round < 3; round++) {
    bench.search = (struct list_search){.n = 5};
    bench.space = (struct space){0};
    bench.probe.service.servers = round == 1 ? NULL : cul_servers_new();
    bench.probe.service.same = 0;
    started = 0;
    assert_int_equal(run(&bench), 0);
    assert_int_equal(started, expected[round]);
    assert_int_equal(bench.space.n_committed, 5);
    cul_servers_free(bench.probe.service.servers);
  }
  cul_cache_close(cache);
  free(path);
  free(note);
  tear_down(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accepts_in_ticket_order),
      cmocka_unit_test(test_search_that_is_stuck),
      cmocka_unit_test(test_asks_again_when_told_to),
      cmocka_unit_test(test_waits_with_nothing_under_way),
      cmocka_unit_test(test_budget_ends_the_wait),
      cmocka_unit_test(test_samples_are_traced),
      cmocka_unit_test(test_a_sample_with_gaps_runs_again),
      cmocka_unit_test(test_a_commit_that_is_cut_changes_nothing),
      cmocka_unit_test(test_held_ones_let_others_run),
      cmocka_unit_test(test_ends_at_once_with_what_is_held),
      cmocka_unit_test(test_what_is_given_up_ends),
      cmocka_unit_test(test_judge_all),
      cmocka_unit_test(test_second_time_runs_nothing),
      cmocka_unit_test(test_deadline_is_not_remembered),
      cmocka_unit_test(test_budget_of_runs),
      cmocka_unit_test(test_budget_of_runs_side_by_side),
      cmocka_unit_test(test_stop_at_ops),
      cmocka_unit_test(test_interrupt_cancels),
      cmocka_unit_test(test_broken_test_ends_the_job),
      cmocka_unit_test(test_alone_is_alone),
      cmocka_unit_test(test_deadline_follows_the_slowest),
      cmocka_unit_test(test_deadline_is_that_of_the_role),
      cmocka_unit_test(test_deadline_of_what_spins_follows_cpu_time),
      cmocka_unit_test(test_deadline_in_process),
      cmocka_unit_test(test_deadline_in_process_is_tightened),
      cmocka_unit_test(test_starved_in_process),
      cmocka_unit_test(test_failures_in_process_are_confirmed),
      cmocka_unit_test(test_a_contradiction_in_process),
      cmocka_unit_test(test_a_failure_missed_in_process),
      cmocka_unit_test(test_contradictions_in_process_are_bounded),
      cmocka_unit_test(test_other_failures_in_process),
      cmocka_unit_test(test_a_hang_has_the_time_to_be_known),
      cmocka_unit_test(test_what_servers_say_is_compared),
      cmocka_unit_test(test_servers_that_differ_are_refused),
      cmocka_unit_test(test_other_failures_are_compared_one_by_one),
      cmocka_unit_test(test_servers_and_the_cache),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
