/* The process runner: nothing survives a run, nothing hangs it. */
#include "../../../base/clock.h"
#include "runner_fixture.h"

#include <poll.h>
#include <sys/resource.h>

static void assert_dead(pid_t pid) {
  assert_int_not_equal(pid, 0);
  assert_false(alive(pid));
}

/* A daemon in its own session that holds standard output open. */
static void daemon_dies_with_the_tool(void **state) {
  struct scratch *s = *state;
  const char *pid_file = at(s, "pid");
  const struct cul_record *r =
      RUN(s, FAKE, "daemon", pid_file, "sleep", "100", "exit", "4");
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 4);
  assert_in_range(r->wall_us, 100000, 15000000);
  assert_dead(pid_in(pid_file));
}

static void child_dies_with_the_tool(void **state) {
  struct scratch *s = *state;
  const char *pid_file = at(s, "pid");
  const struct cul_record *r =
      RUN(s, FAKE, "child", pid_file, "sleep", "50", "segv");
  assert_int_equal(r->end, CUL_SIGNALED);
  assert_int_equal(r->status, SIGSEGV);
  assert_dead(pid_in(pid_file));
}

/* kill(0, ...) is the tool's own group, never the supervisor's or ours. */
static void a_group_of_its_own(void **state) {
  const struct cul_record *r = RUN(*state, "sh", "-c", "kill -9 0");
  assert_int_equal(r->end, CUL_SIGNALED);
  assert_int_equal(r->status, SIGKILL);
}

static void deadline_kills_all(void **state) {
  struct scratch *s = *state;
  const char *a = at(s, "a"), *b = at(s, "b");
  const char *const argv[] = {FAKE, "daemon", a,      "child",
                              b,    "sleep",  "9999", NULL};
  const struct cul_request request = {.wall_ms = 300};
  const struct cul_record *r =
      run_with(s, &(struct cul_command){.argv = argv}, &request);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_dead(pid_in(a));
  assert_dead(pid_in(b));
}

/* Processes that fork their successor and end, as fast as they can. */
static void fork_chain_dies(void **state) {
  struct scratch *s = *state;
  const char *pid_file = at(s, "pid");
  const struct cul_record *r =
      RUN(s, FAKE, "forks", pid_file, "sleep", "100", "exit", "2");
  pid_t session = pid_in(pid_file);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 2);
  assert_int_not_equal(session, 0);
  assert_int_equal(kill(-session, 0), -1);
  assert_int_equal(errno, ESRCH);
}

static void cpu_of_the_whole_tree(void **state) {
  const char *const argv[] = {"sh", "-c",
                              FAKE " burn 300 & " FAKE " burn 300; wait", NULL};
  const struct cul_record *r =
      run_with(*state, &(struct cul_command){.argv = argv}, NULL);
  assert_int_equal(r->end, CUL_EXITED);
  assert_in_range(r->cpu_us, 600000, 3000000);
}

/* Runs in flight. */

struct flight {
  struct cul_command cmd;
  struct cul_request request;
  struct cul_artefact artefact;
  struct cul_run *run;
};

static const struct cul_runner *process(void) {
  return cul_runner_find("process");
}

static void launch(struct scratch *s, struct flight *f,
                   const char *const *argv) {
  struct cul_err err = {0};
  f->cmd = (struct cul_command){.argv = argv};
  f->request = (struct cul_request){.cmd = &f->cmd};
  f->artefact = (struct cul_artefact){.dir = s->dir, .file = "x"};
  assert_int_equal(
      process()->start(&f->artefact, &f->request, s->tmp, &f->run, &err), 0);
}

static void cancel_kills_all(void **state) {
  struct scratch *s = *state;
  const char *pid_file = at(s, "pid");
  const char *const argv[] = {FAKE, "daemon", pid_file, "sleep", "9999", NULL};
  struct flight f;
  launch(s, &f, argv);
  pid_t pid = wait_for_pid(pid_file);
  assert_true(alive(pid));
  process()->cancel(f.run);
  assert_dead(pid);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
}

static void cancel_at_once(void **state) {
  static const char *const argv[] = {FAKE, "sleep", "9999", NULL};
  struct scratch *s = *state;
  for (int i = 0; i < 20; i++) {
    struct flight f;
    launch(s, &f, argv);
    process()->cancel(f.run);
  }
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static volatile int interrupted;
static void on_alarm(int n) {
  (void)n;
  interrupted = 1;
}

static int left(const void *self, struct cul_err *err) {
  return *(const volatile int *)self ? cul_fail(err, CUL_EINTR, "", "enough")
                                     : 0;
}

static void interrupt(void **state) {
  static const char *const argv[] = {FAKE, "sleep", "9999", NULL};
  struct scratch *s = *state;
  const struct cul_command cmd = {.argv = argv};
  const struct cul_request request = {.cmd = &cmd};
  const struct cul_artefact artefact = {.dir = s->dir, .file = "x"};
  const struct cul_patience patience = {left, (const int *)&interrupted};
  struct cul_record record;
  struct cul_err err = {0};
  interrupted = 0;
  signal(SIGALRM, on_alarm);
  alarm(1);
  assert_int_equal(cul_run_wait(process(), &artefact, &request, s->tmp,
                                &patience, &record, &err),
                   CUL_EINTR);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* culprit, played by a child, dies of SIGKILL with two runs in flight. */
static void death_of_culprit_kills_all(void **state) {
  struct scratch *s = *state;
  const char *a = at(s, "a"), *b = at(s, "b");
  const char *const first[] = {FAKE, "daemon", a, "sleep", "9999", NULL};
  const char *const second[] = {FAKE, "child", b, "spin", NULL};
  pid_t culprit = fork();
  if (culprit == 0) {
    struct flight f, g;
    launch(s, &f, first);
    launch(s, &g, second);
    for (;;)
      pause();
  }
  pid_t pid_a = wait_for_pid(a), pid_b = wait_for_pid(b);
  assert_true(alive(pid_a) && alive(pid_b));
  kill(culprit, SIGKILL);
  waitpid(culprit, NULL, 0);
  for (int i = 0; i < 2000 && (alive(pid_a) || alive(pid_b)); i++)
    usleep(5000);
  assert_dead(pid_a);
  assert_dead(pid_b);
}

static pid_t parent_of_pid(pid_t pid) {
  char path[64], text[512] = {0};
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *f = fopen(path, "r");
  if (f && fread(text, 1, sizeof text - 1, f) > 0)
    sscanf(strrchr(text, ')') + 1, " %*c %d", &parent);
  if (f)
    fclose(f);
  return parent;
}

/* The supervisor itself is killed: the run says so, the tool dies too. */
static void death_of_the_supervisor(void **state) {
  struct scratch *s = *state;
  const char *pid_file = at(s, "pid");
  char script[200];
  snprintf(script, sizeof script, "echo $$ >%s; exec sleep 9999", pid_file);
  const char *const argv[] = {"sh", "-c", script, NULL};
  struct flight f;
  struct cul_record record;
  struct cul_err err = {0};
  bool done = false;
  launch(s, &f, argv);
  pid_t tool = wait_for_pid(pid_file);
  kill(parent_of_pid(tool), SIGKILL);
  while (!done) {
    struct pollfd fds[CUL_RUN_MAX_FDS];
    size_t n = process()->fds(f.run, fds, CUL_RUN_MAX_FDS);
    poll(fds, n, -1);
    assert_int_equal(process()->advance(f.run, &record, &done, &err), 0);
  }
  assert_int_equal(record.end, CUL_MACHINE);
  assert_non_null(strstr(cul_buf_str(&record.err), "supervisor"));
  cul_record_release(&record);
  for (int i = 0; i < 1000 && alive(tool); i++)
    usleep(5000);
  assert_dead(tool);
}

/* Sixteen runs in one poll loop, each with its own output and end. */
static void many_at_once(void **state) {
  enum { N = 16 };
  struct scratch *s = *state;
  static char words[N][16];
  const char *argvs[N][6];
  struct flight f[N];
  char tmp[N][100];
  int left = N;
  for (int i = 0; i < N; i++) {
    struct cul_err err = {0};
    snprintf(words[i], sizeof words[i], "%d", i);
    snprintf(tmp[i], sizeof tmp[i], "%s/t%d", s->root, i);
    mkdir(tmp[i], 0700);
    memcpy(argvs[i],
           (const char *[]){FAKE, "print", words[i], "exit", words[i], NULL},
           sizeof argvs[i]);
    f[i].cmd = (struct cul_command){.argv = argvs[i]};
    f[i].request = (struct cul_request){.cmd = &f[i].cmd};
    f[i].artefact = (struct cul_artefact){.dir = s->dir, .file = "x"};
    assert_int_equal(process()->start(&f[i].artefact, &f[i].request, tmp[i],
                                      &f[i].run, &err),
                     0);
  }
  while (left) {
    struct pollfd fds[N * CUL_RUN_MAX_FDS];
    size_t n = 0;
    for (int i = 0; i < N; i++)
      if (f[i].run)
        n += process()->fds(f[i].run, fds + n, CUL_RUN_MAX_FDS);
    assert_true(poll(fds, n, 20000) > 0);
    for (int i = 0; i < N; i++) {
      struct cul_record record;
      struct cul_err err = {0};
      bool done = false;
      char want[16];
      if (!f[i].run || process()->advance(f[i].run, &record, &done, &err) ||
          !done)
        continue;
      snprintf(want, sizeof want, "%d\n", i);
      assert_int_equal(record.end, CUL_EXITED);
      assert_int_equal(record.status, i);
      assert_out(&record, want);
      cul_record_release(&record);
      f[i].run = NULL;
      left--;
    }
  }
}

/* Output. */

static void flood_is_cut(void **state) {
  const struct cul_request request = {.out_bytes = 64 * 1024};
  static const char *const argv[] = {
      "sh", "-c", "echo head; " FAKE " flood 100000000; echo tail", NULL};
  const struct cul_record *r =
      run_with(*state, &(struct cul_command){.argv = argv}, &request);
  const char *text = cul_buf_str(&r->out), *mark;
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 0);
  assert_int_equal(r->truncated, 100000010 - 64 * 1024);
  assert_in_range(r->out.len, 64 * 1024, 64 * 1024 + 100);
  assert_memory_equal(text, "head\n", 5);
  assert_string_equal(text + r->out.len - 6, "xtail\n");
  mark = strstr(text, "\n[... 99934474 bytes cut ...]\n");
  assert_non_null(mark);
  assert_int_equal(mark - text, 32 * 1024);
}

static void flood_meets_the_deadline(void **state) {
  const struct cul_request request = {.wall_ms = 1000};
  static const char *const argv[] = {"yes", NULL};
  const struct cul_record *r =
      run_with(*state, &(struct cul_command){.argv = argv}, &request);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_in_range(r->wall_us, 1000000, 15000000);
  assert_true(r->truncated > 0);
}

static void output_at_the_cap_is_whole(void **state) {
  for (int extra = -1; extra <= 1; extra++) {
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%d", 1000 + extra);
    const struct cul_request request = {.out_bytes = 1000};
    const char *const argv[] = {FAKE, "flood", bytes, NULL};
    const struct cul_record *r =
        run_with(*state, &(struct cul_command){.argv = argv}, &request);
    assert_int_equal(r->truncated, extra > 0 ? 1 : 0);
    if (extra <= 0)
      assert_int_equal(r->out.len, 1000 + extra);
  }
}

/* Milliseconds until a run is given up for which there are no descriptors. */
static uint64_t asked_ms(struct scratch *s) {
  uint64_t start_us = cul_now_us();
  const struct cul_record *r = RUN(s, FAKE, "exit", "0");
  struct cul_err err = {0};
  assert_int_equal(r->end, CUL_MACHINE);
  assert_int_equal(r->status, EMFILE);
  assert_int_equal(cul_record_fail(r, &err), CUL_EENV);
  assert_non_null(strstr(err.what, "refuses to start a run"));
  assert_false(err.of_command);
  return (cul_now_us() - start_us) / 1000;
}

/* What is refused for good is waited for once, also by another process of the
 * job; what goes well later counts again. */
static void refused_for_good(void **state) {
  struct rlimit all, none;
  int status;
  pid_t pid;
  cul_runners_share();
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
  none = (struct rlimit){3, all.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  pid = fork();
  if (pid == 0)
    _exit(asked_ms(*state) >= 19 * 1000 ? 0 : 1);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  assert_in_range(asked_ms(*state), 400, 10 * 1000);
  assert_in_range(asked_ms(*state), 400, 10 * 1000);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
  assert_int_equal(RUN(*state, FAKE, "exit", "0")->end, CUL_EXITED);
}

#define TEST(f)                                                                \
  cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(daemon_dies_with_the_tool),
      TEST(child_dies_with_the_tool),
      TEST(a_group_of_its_own),
      TEST(deadline_kills_all),
      TEST(fork_chain_dies),
      TEST(cpu_of_the_whole_tree),
      TEST(cancel_kills_all),
      TEST(cancel_at_once),
      TEST(interrupt),
      TEST(death_of_culprit_kills_all),
      TEST(death_of_the_supervisor),
      TEST(many_at_once),
      TEST(flood_is_cut),
      TEST(flood_meets_the_deadline),
      TEST(output_at_the_cap_is_whole),
      TEST(refused_for_good),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
