/* A synthetic space, runner, oracle and search, for test_probe.c. */
#ifndef CUL_TESTS_PROBE_FAKES_H
#define CUL_TESTS_PROBE_FAKES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../probe/probe.h"

/* A point is one number.  What becomes of it: */
enum fate {
  PASSES,
  FAILS,
  INVALID,
  DIES,
  BROKEN_TEST,
  HANGS,
  FLAKY,
  WAITS,    /* passes, once all others have been started */
  LOST,     /* a server's run: there is no server */
  CRASHES,  /* another failure, */
  CORRUPTS, /* and one more */
};

static const enum fate *endings; /* by number, for the test that runs */
static int live_fd;              /* of every candidate; -1: it has none */
static uint64_t hung_cpu_us;     /* what a run that hangs computes */

/* -- space: building takes no time; fd is a pipe with a byte in it -- */
struct space {
  int fd[CUL_MAX_WORKERS];
  uint32_t number[CUL_MAX_WORKERS];
  bool used[CUL_MAX_WORKERS];
  uint32_t committed[64];
  size_t n_committed, n_begun, n_written, n_dropped;
  size_t cut; /* the commit of this number is interrupted; 0: none is */
};

static void key(void *self, const struct cul_point *point,
                struct cul_digest *out) {
  (void)self;
  *out = cul_digest_of(point->ids, point->n * sizeof *point->ids);
}

static int begin(void *self, const struct cul_point *point, int slot, int *fd,
                 struct cul_err *err) {
  struct space *space = self;
  int ends[2];
  (void)err;
  assert_false(space->used[slot]);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "x", 1), 1);
  close(ends[1]);
  space->used[slot] = true;
  space->fd[slot] = *fd = ends[0];
  space->number[slot] = point->ids[0];
  space->n_begun++;
  return 0;
}

static int built(void *self, int slot, struct cul_built *out,
                 struct cul_err *err) {
  struct space *space = self;
  uint32_t number = space->number[slot];
  if (endings[number] == DIES)
    return cul_fail(err, CUL_ECHILD, "", "the child died");
  *out = (struct cul_built){.valid = endings[number] != INVALID};
  out->size.ops = 100 - number;
  out->art.digest = (struct cul_digest){{1, number}};
  out->art.live_fd = live_fd;
  snprintf(out->why, sizeof out->why, "does not verify");
  return 0;
}

static int materialise(void *self, int slot, struct cul_err *err) {
  struct space *space = self;
  (void)err;
  assert_true(space->used[slot]);
  space->n_written++;
  return 0;
}

static void give_back(struct space *space, int slot) {
  assert_true(space->used[slot]);
  close(space->fd[slot]);
  space->used[slot] = false;
}

static int commit(void *self, int slot, const struct cul_point *point,
                  const struct cul_built *result, struct cul_err *err) {
  struct space *space = self;
  assert_int_equal(result->art.digest.w[1], point->ids[0]);
  if (space->cut && space->n_committed + 1 == space->cut) {
    give_back(space, slot);
    return cul_fail(err, CUL_EINTR, "", "interrupted");
  }
  space->committed[space->n_committed++] = point->ids[0];
  give_back(space, slot);
  return 0;
}

static void drop(void *self, int slot) {
  struct space *space = self;
  space->n_dropped++;
  give_back(space, slot);
}

/* -- runner: a run is a timer; later tickets end earlier -- */
struct cul_run {
  int fd;
  uint32_t number, attempt;
  uint64_t wall_ms;
  bool served, live, traced;
};

/* Traced runs since set_up, by the numbers of their points; whether their
 * traces have no gaps. */
static uint32_t traced;
static bool traces_close;

/* What a run by a server, or in-process, says of a point instead, by number;
 * NULL: the same. */
static const enum fate *served_endings;

static int running, most_running, cancelled, started, started_served, others;
static bool someone_alone;
/* Of the last run. */
static uint64_t last_wall_ms;
static bool last_asked;

static int start(const struct cul_artefact *artefact,
                 const struct cul_request *request, const char *tmp,
                 struct cul_run **out, struct cul_err *err) {
  struct cul_run *run = calloc(1, sizeof *run);
  struct itimerspec when = {0};
  (void)tmp;
  (void)err;
  assert_false(someone_alone);
  if (request->flags & CUL_RUN_ALONE) {
    assert_int_equal(running, 0);
    someone_alone = true;
  }
  run->number = (uint32_t)artefact->digest.w[1];
  run->attempt = request->attempt;
  run->wall_ms = last_wall_ms = request->wall_ms;
  last_asked = request->stay != NULL;
  run->served = request->flags & CUL_RUN_SERVED;
  run->live = strcmp(request->cmd->argv[0], "engine") == 0;
  run->traced = request->flags & CUL_RUN_TRACE;
  traced |= run->traced ? 1U << run->number : 0;
  started_served += run->served;
  run->fd = timerfd_create(CLOCK_MONOTONIC, 0);
  when.it_value.tv_nsec = 1000 * 1000 * (12 - run->number % 10);
  timerfd_settime(run->fd, 0, &when, NULL);
  started++;
  if (++running > most_running)
    most_running = running;
  *out = run;
  return 0;
}

static size_t fds(const struct cul_run *run, struct pollfd *out, size_t max) {
  assert_true(max >= 1);
  out[0] = (struct pollfd){.fd = run->fd, .events = POLLIN};
  return 1;
}

static void end_run(struct cul_run *run) {
  running--;
  someone_alone = false;
  close(run->fd);
  free(run);
}

static int advance(struct cul_run *run, struct cul_record *out, bool *done,
                   struct cul_err *err) {
  struct pollfd fd = {.fd = run->fd, .events = POLLIN};
  (void)err;
  *done = poll(&fd, 1, 0) == 1;
  if (*done && endings[run->number] == WAITS)
    *done = started > others;
  if (!*done)
    return 0;
  *out =
      (struct cul_record){.end = CUL_EXITED, .wall_us = 5000, .cpu_us = 2000};
  if (endings[run->number] == HANGS) {
    out->end = CUL_DEADLINE;
    out->cpu_us = hung_cpu_us;
  }
  out->status = (int)endings[run->number];
  out->trace_closed = run->traced && traces_close;
  if (run->traced)
    cul_buf_adds(&out->files, "r /usr/file\n");
  if ((run->served || run->live) && served_endings)
    out->status = (int)served_endings[run->number];
  if (run->served && out->status == LOST)
    out->end = CUL_MACHINE;
  end_run(run);
  return 0;
}

static void cancel(struct cul_run *run) {
  cancelled++;
  end_run(run);
}

static const struct cul_runner fake_runner = {.name = "fake",
                                              .summary = "for tests",
                                              .start = start,
                                              .fds = fds,
                                              .advance = advance,
                                              .cancel = cancel};

/* -- oracle: FAILS is the failure; FLAKY wants a second run, alone -- */
static int judge(const void *self, const struct cul_record *records, size_t n,
                 struct cul_wants *more, struct cul_verdict *verdict,
                 struct cul_err *err) {
  (void)self;
  (void)err;
  *verdict = (struct cul_verdict){.answer = CUL_PASSES};
  if (records[0].end == CUL_DEADLINE)
    verdict->answer = CUL_UNRESOLVED;
  else if (records[0].status == BROKEN_TEST)
    verdict->answer = CUL_BROKEN;
  else if (records[0].status == FAILS)
    verdict->answer = CUL_SAME;
  else if (records[0].status == FLAKY && n == 1)
    more->want[more->n++] =
        (struct cul_want){.attempt = 1, .flags = CUL_RUN_ALONE};
  else if (records[0].status == FLAKY)
    verdict->answer = CUL_SAME;
  else if (records[0].status == CRASHES || records[0].status == CORRUPTS)
    verdict->answer = CUL_OTHER;
  if (verdict->answer == CUL_OTHER)
    snprintf(verdict->why, sizeof verdict->why, "status %d", records[0].status);
  return 0;
}

static const struct cul_oracle fake_oracle = {
    .abi = CUL_ORACLE_ABI, .name = "fake", .judge = judge};

/* -- search: asks 0..n-1 once, takes every good one in order -- */
struct list_search {
  uint32_t next, n, ids[1];
  int told[64]; /* by ticket; -1 open */
  uint64_t done, accepted;
};

static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct list_search *search = self;
  (void)again_us;
  if (search->next == search->n)
    return false;
  search->ids[0] = search->next++;
  *point = (struct cul_point){search->ids, 1};
  *ticket = search->next;
  search->told[*ticket] = -1;
  return true;
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct list_search *search = self;
  assert_int_equal(search->told[ticket], -1);
  search->told[ticket] = verdict->answer == CUL_SAME;
}

static uint64_t accepted(void *self) {
  struct list_search *search = self;
  while (search->done < search->next && search->told[search->done + 1] >= 0)
    if (search->told[++search->done])
      return search->done;
  return 0;
}

static size_t stale(void *self, uint64_t *tickets, size_t max) {
  (void)self;
  (void)tickets;
  (void)max;
  return 0;
}

static bool finished(void *self) {
  struct list_search *search = self;
  return search->done == search->n;
}

/* -- one run of the loop -- */
struct bench {
  struct space space;
  struct list_search search;
  struct cul_probe probe;
  struct cul_command command;
  char *dir;
  struct cul_held place;
  struct cul_err err;
  int late; /* for a test: turns of the loop after the search's end */
};

static const char *const argv[] = {"tool", "@@", NULL};

static void set_up(struct bench *bench, const enum fate *table, uint32_t n,
                   int workers) {
  memset(bench, 0, sizeof *bench);
  endings = table;
  running = most_running = cancelled = started = started_served = others = 0;
  traced = 0;
  traces_close = true;
  served_endings = NULL;
  live_fd = -1;
  hung_cpu_us = 0;
  bench->dir = cul_xstrdup("/tmp/culprit-test-XXXXXX");
  assert_non_null(mkdtemp(bench->dir));
  assert_int_equal(cul_held_open(&bench->place, bench->dir, &bench->err), 0);
  bench->search.n = n;
  bench->command = (struct cul_command){.argv = argv};
  bench->probe = (struct cul_probe){.runner = &fake_runner,
                                    .oracle = &fake_oracle,
                                    .place = &bench->place,
                                    .workers = workers};
  bench->probe.request = (struct cul_request){.role = "suspect",
                                              .cmd = &bench->command,
                                              .tool = {{7, 7}},
                                              .wall_ms = 1000};
}

static int run_with(struct bench *bench, struct cul_asker *asker) {
  struct cul_space space = {.name = "fake",
                            .self = &bench->space,
                            .key = key,
                            .begin = begin,
                            .built = built,
                            .materialise = materialise,
                            .commit = commit,
                            .drop = drop};
  int rc = cul_probe_run(&bench->probe, &space, asker, &bench->err);
  for (int i = 0; i < CUL_MAX_WORKERS; i++)
    assert_false(bench->space.used[i]);
  assert_int_equal(running, 0);
  return rc;
}

static int run(struct bench *bench) {
  struct cul_asker asker = {&bench->search, ask,      tell, stale,
                            accepted,       finished, NULL};
  return run_with(bench, &asker);
}

static void tear_down(struct bench *bench) {
  cul_held_close(&bench->place);
  cul_rmtree(bench->dir);
  free(bench->dir);
}

#endif
