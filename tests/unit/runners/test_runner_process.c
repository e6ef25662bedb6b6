/* The process runner: how runs end, what the tool is given. */
#include "runner_fixture.h"

#include <sys/resource.h>
#include <sys/syscall.h>

/* Is the first read(2) from each descriptor interrupted, and the descriptor of
 * which it was the last time. */
static bool interrupts;
static int interrupted = -1;

ssize_t read(int fd, void *data, size_t n);
ssize_t read(int fd, void *data, size_t n) {
  if (interrupts && interrupted != fd)
    return interrupted = fd, errno = EINTR, -1;
  return syscall(SYS_read, fd, data, n);
}

static void exit_code(void **state) {
  const struct cul_record *r = RUN(*state, FAKE, "print", "hi", "exit", "7");
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 7);
  assert_out(r, "hi\n");
  assert_true(r->wall_us > 0 && r->wall_us < 20000000);
  assert_true(r->rss_bytes > 100000);
}

static void streams_are_apart(void **state) {
  const struct cul_record *r =
      RUN(*state, FAKE, "print", "to out", "complain", "to err");
  assert_out(r, "to out\n");
  assert_string_equal(cul_buf_str(&r->err), "to err\n");
  assert_int_equal(r->truncated, 0);
}

/* What is left in the pipes at the end is not lost to a signal. */
static void nothing_is_lost_to_signals(void **state) {
  for (int i = 0; i < 10; i++) {
    const struct cul_record *r;
    interrupts = true;
    r = RUN(*state, FAKE, "print", "to out", "complain", "to err");
    interrupts = false;
    assert_out(r, "to out\n");
    assert_string_equal(cul_buf_str(&r->err), "to err\n");
  }
}

static void ends_by_signal(void **state) {
  static const struct {
    const char *word, *value;
    int signal;
  } cases[] = {{"segv", NULL, SIGSEGV},
               {"signal", "6", SIGABRT},
               {"signal", "9", SIGKILL},
               {"signal", "15", SIGTERM}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cases); i++) {
    const struct cul_record *r =
        RUN(*state, FAKE, cases[i].word, cases[i].value);
    assert_int_equal(r->end, CUL_SIGNALED);
    assert_int_equal(r->status, cases[i].signal);
  }
}

static void shell_status_stays_an_exit(void **state) {
  const struct cul_record *r = RUN(*state, "sh", "-c", FAKE " segv; exit $?");
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 128 + SIGSEGV);
}

static void deadline(void **state) {
  const struct cul_request request = {.wall_ms = 150};
  static const char *const argv[] = {FAKE,   "print", "first",  "sleep",
                                     "9999", "print", "second", NULL};
  const struct cul_record *r =
      run_with(*state, &(struct cul_command){.argv = argv}, &request);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_out(r, "first\n");
  assert_in_range(r->wall_us, 150000, 15000000);
  assert_true(r->cpu_us < r->wall_us);
}

static void no_deadline_for_the_quick(void **state) {
  const struct cul_request request = {.wall_ms = 20000};
  static const char *const argv[] = {FAKE, "sleep", "30", "signal", "9", NULL};
  const struct cul_record *r =
      run_with(*state, &(struct cul_command){.argv = argv}, &request);
  assert_int_equal(r->end, CUL_SIGNALED);
  assert_int_equal(r->status, SIGKILL);
}

static void cpu_limit(void **state) {
  struct rlimit core;
  getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = core.rlim_max; /* a core file would be possible */
  setrlimit(RLIMIT_CORE, &core);
  const struct cul_request request = {.cpu_ms = 300};
  static const char *const argv[] = {FAKE, "limits", "spin", NULL};
  const struct cul_record *r =
      run_with(*state, &(struct cul_command){.argv = argv}, &request);
  assert_int_equal(r->end, CUL_LIMIT);
  assert_int_equal(r->status, SIGXCPU);
  assert_out(r, "core 0 cpu 1 as -1\n");
  assert_true(r->cpu_us > 500000);
}

static void memory_limit(void **state) {
  const struct cul_request request = {.rss_bytes = 256 << 20};
  static const char *const argv[] = {FAKE, "limits", "allocate", "536870912",
                                     NULL};
  const struct cul_record *r =
      run_with(*state, &(struct cul_command){.argv = argv}, &request);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 12);
  assert_out(r, "core 0 cpu -1 as 268435456\n");
}

static void peak_memory(void **state) {
  const struct cul_record *r = RUN(*state, FAKE, "allocate", "67108864");
  assert_in_range(r->rss_bytes, 67108864, 67108864 * 3);
}

static void same_addresses_every_time(void **state) {
  char *first = cul_xstrdup(cul_buf_str(&RUN(*state, FAKE, "layout")->out));
  for (int i = 0; i < 4; i++)
    assert_out(RUN(*state, FAKE, "layout"), first);
  free(first);
}

static void signals_are_fresh(void **state) {
  void (*old)(int) = signal(SIGINT, SIG_IGN);
  sigset_t mask, before;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &mask, &before);
  const struct cul_record *r = RUN(*state, FAKE, "signals");
  sigprocmask(SIG_SETMASK, &before, NULL);
  signal(SIGINT, old);
  assert_out(r, "signals 0\n");
}

static void children_ignored_by_culprit(void **state) {
  void (*old)(int) = signal(SIGCHLD, SIG_IGN);
  const struct cul_record *r = RUN(*state, "sh", "-c", "(exit 3); exit $?");
  signal(SIGCHLD, old);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 3);
}

/* Delivery. */

static const struct cul_record *
deliver(struct scratch *s, enum cul_delivery how, const char *const *argv) {
  put_file(at(s, "dir/case.mlir"), "module {}\n", 0600);
  return run_with(s, &(struct cul_command){.argv = argv, .delivery = how},
                  NULL);
}

static void by_placeholder(void **state) {
  static const char *const argv[] = {FAKE,   "print", "<@@.mlir>",
                                     "show", "@@",    NULL};
  struct scratch *s = *state;
  char want[200];
  snprintf(want, sizeof want, "<%s/case.mlir>\nmodule {}\n", s->dir);
  for (int i = 0; i < 2; i++)
    assert_out(deliver(s, CUL_BY_PLACEHOLDER, argv), want);
}

static void by_argument(void **state) {
  static const char *const argv[] = {FAKE, "show", NULL};
  assert_out(deliver(*state, CUL_BY_ARGUMENT, argv), "module {}\n");
}

static void by_stdin(void **state) {
  static const char *const argv[] = {FAKE, "echo-stdin", NULL};
  assert_out(deliver(*state, CUL_BY_STDIN, argv), "module {}\n");
}

static void stdin_is_empty_otherwise(void **state) {
  static const char *const argv[] = {FAKE, "echo-stdin", "print", "end", NULL};
  assert_out(deliver(*state, CUL_BY_PLACEHOLDER, argv), "end\n");
}

static void by_name(void **state) {
  static const char *const argv[] = {FAKE, "show", "case.mlir", NULL};
  assert_out(deliver(*state, CUL_BY_NAME, argv), "module {}\n");
}

static void by_all(void **state) {
  static const char *const argv[] = {
      "sh", "-c", "cat; cat case.mlir; cat \"$1\"", "script", NULL};
  assert_out(deliver(*state, CUL_BY_ALL, argv),
             "module {}\nmodule {}\nmodule {}\n");
}

static void missing_candidate_is_told(void **state) {
  static const char *const argv[] = {FAKE, "echo-stdin", NULL};
  struct scratch *s = *state;
  const struct cul_record *r = run_with(
      s, &(struct cul_command){.argv = argv, .delivery = CUL_BY_STDIN}, NULL);
  assert_int_equal(r->end, CUL_NOT_STARTED);
  assert_non_null(strstr(cul_buf_str(&r->err), "case.mlir as standard input"));
}

/* A tool of another run may have put it there. */
static void pipe_as_candidate_is_not_waited_for(void **state) {
  static const char *const argv[] = {FAKE, "echo-stdin", NULL};
  struct scratch *s = *state;
  const struct cul_record *r;
  assert_int_equal(mkfifo(at(s, "dir/case.mlir"), 0600), 0);
  alarm(60);
  r = run_with(s, &(struct cul_command){.argv = argv, .delivery = CUL_BY_STDIN},
               NULL);
  alarm(0);
  assert_int_equal(r->end, CUL_EXITED);
  assert_out(r, "");
}

static void unknown_placeholder(void **state) {
  static const char *const argv[] = {FAKE, "print", "@{nothing}", NULL};
  struct scratch *s = *state;
  const struct cul_command cmd = {.argv = argv};
  const struct cul_request request = {.cmd = &cmd};
  const struct cul_artefact artefact = {.dir = s->dir, .file = "x"};
  struct cul_err err = {0};
  struct cul_run *run;
  int rc = cul_runner_find("process")->start(&artefact, &request, s->tmp, &run,
                                             &err);
  assert_int_equal(rc, CUL_EUSAGE);
  assert_non_null(strstr(err.what, "@{nothing}"));
}

/* Environment and directory. */

static void environment(void **state) {
  static const char *const argv[] = {FAKE,
                                     "env",
                                     "LLVM_DISABLE_CRASH_REPORT",
                                     "env",
                                     "LLVM_DISABLE_SYMBOLIZATION",
                                     "env",
                                     "CUL_TEST_SET",
                                     "env",
                                     "CUL_TEST_INHERITED",
                                     "env",
                                     "TMPDIR",
                                     NULL};
  static const char *const env[] = {"CUL_TEST_SET=a=b", NULL};
  struct scratch *s = *state;
  struct cul_command cmd = {.argv = argv, .env = env};
  char want[300];
  const char *form = "LLVM_DISABLE_CRASH_REPORT=1\n"
                     "LLVM_DISABLE_SYMBOLIZATION=%s\n"
                     "CUL_TEST_SET=a=b\n"
                     "CUL_TEST_INHERITED=yes\n"
                     "TMPDIR=%s\n";
  setenv("CUL_TEST_SET", "old", 1);
  setenv("CUL_TEST_INHERITED", "yes", 1);
  snprintf(want, sizeof want, form, "1", s->tmp);
  assert_out(run_with(s, &cmd, NULL), want);

  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", 1);
  snprintf(want, sizeof want, form, "(unset)", s->tmp);
  const struct cul_request symbolize = {.flags = CUL_RUN_SYMBOLIZE};
  assert_out(run_with(s, &cmd, &symbolize), want);
  unsetenv("LLVM_DISABLE_SYMBOLIZATION");
  unsetenv("CUL_TEST_SET");
  unsetenv("CUL_TEST_INHERITED");
}

/* Its own variables may name the candidate. */
static void environment_of_the_candidate(void **state) {
  static const char *const argv[] = {FAKE,  "env",     "CUL_FILE",
                                     "env", "CUL_DIR", NULL};
  static const char *const env[] = {"CUL_FILE=@@", "CUL_DIR=@{dir}", NULL};
  struct scratch *s = *state;
  struct cul_command cmd = {.argv = argv, .env = env};
  char want[300];
  snprintf(want, sizeof want, "CUL_FILE=%s/case.mlir\nCUL_DIR=%s\n", s->dir,
           s->dir);
  assert_out(run_with(s, &cmd, NULL), want);
}

static void working_directory(void **state) {
  static const char *const argv[] = {FAKE, "cwd", NULL};
  struct scratch *s = *state;
  char want[100];
  snprintf(want, sizeof want, "%s\n", s->dir);
  assert_out(RUN(s, FAKE, "cwd"), want);
  assert_out(
      run_with(s, &(struct cul_command){.argv = argv, .cwd = "/usr"}, NULL),
      "/usr\n");
}

static void tmp_is_emptied(void **state) {
  struct scratch *s = *state;
  struct stat st;
  RUN(s, "sh", "-c",
      "mkdir -p $TMPDIR/a/b && echo x >$TMPDIR/a/b/c && echo y >$TMPDIR/d");
  assert_int_equal(s->record.status, 0);
  assert_int_equal(rmdir(s->tmp), 0); /* works only on an empty directory */
  assert_int_equal(stat(s->dir, &st), 0);
}

/* Programs that cannot be started. */

static void cannot_start(struct scratch *s, const char *program,
                         const char *text) {
  const struct cul_record *r = RUN(s, program, "print", "hi");
  assert_int_equal(r->end, CUL_NOT_STARTED);
  assert_int_not_equal(r->status, 0);
  assert_non_null(strstr(cul_buf_str(&r->err), text));
  assert_non_null(strstr(cul_buf_str(&r->err), cul_basename(program)));
}

static void exec_failures(void **state) {
  struct scratch *s = *state;
  cannot_start(s, "cul-no-such-tool", "not found in PATH");
  cannot_start(s, at(s, "missing"), "No such file");
  cannot_start(s, s->root, "it is a directory");
  put_file(at(s, "locked"), "#!/bin/sh\n", 0600);
  cannot_start(s, at(s, "locked"), "chmod +x");
  put_file(at(s, "orphan"), "#!/no/such/interpreter\n", 0700);
  cannot_start(s, at(s, "orphan"), "interpreter");
  put_file(at(s, "foreign"), "\177ELF\1\1\1 for no machine", 0700);
  cannot_start(s, at(s, "foreign"), "of this machine");
  put_file(at(s, "script"), "#!/bin/sh\n", 0700);
  const struct cul_record *r =
      run_with(s,
               &(struct cul_command){
                   .argv = (const char *const[]){at(s, "script"), NULL},
                   .cwd = "/no/such/place"},
               NULL);
  assert_int_equal(r->end, CUL_NOT_STARTED);
  assert_int_equal(r->status, ENOENT);
  assert_non_null(strstr(cul_buf_str(&r->err), "/no/such/place"));
}

static void not_found_is_not_taken_from_the_directory(void **state) {
  struct scratch *s = *state;
  put_file(at(s, "dir/cul-local-tool"), "#!/bin/sh\necho wrong\n", 0700);
  assert_int_equal(RUN(s, "cul-local-tool")->end, CUL_NOT_STARTED);
}

static void script_without_first_line(void **state) {
  struct scratch *s = *state;
  put_file(at(s, "plain"), "echo \"$0|$1\"; exit 5\n", 0700);
  const struct cul_record *r = RUN(s, at(s, "plain"), "one");
  char want[100];
  snprintf(want, sizeof want, "%s|one\n", at(s, "plain"));
  assert_int_equal(r->status, 5);
  assert_out(r, want);
}

static void relative_name_counts_from_here(void **state) {
  struct scratch *s = *state;
  char here[4096], want[100];
  assert_non_null(getcwd(here, sizeof here));
  put_file(at(s, "tool.sh"), "#!/bin/sh\necho $0\n", 0700);
  assert_int_equal(chdir(s->root), 0);
  snprintf(want, sizeof want, "%s/./tool.sh\n", s->root);
  assert_out(RUN(s, "./tool.sh"), want);
  assert_int_equal(chdir(here), 0);
}

static void path_of_the_command(void **state) {
  struct scratch *s = *state;
  char path[100];
  snprintf(path, sizeof path, "PATH=%s:/usr/bin:/bin", s->root);
  put_file(at(s, "cul-own-tool"), "#!/bin/sh\necho mine\n", 0700);
  const char *const argv[] = {"cul-own-tool", NULL}, *const env[] = {path,
                                                                     NULL};
  assert_out(run_with(s, &(struct cul_command){.argv = argv, .env = env}, NULL),
             "mine\n");
}

static void no_descriptor_leaks_into_the_tool(void **state) {
  int extra = open("/dev/null", O_RDONLY); /* not close-on-exec */
  const struct cul_record *r = RUN(*state, "sh", "-c", "ls /proc/self/fd");
  close(extra);
  assert_out(r, "0\n1\n2\n3\n"); /* 3 is the directory being listed */
}

static int count_fds(void) {
  DIR *dir = opendir("/proc/self/fd");
  int n = 0;
  while (readdir(dir))
    n++;
  closedir(dir);
  return n;
}

static void no_descriptor_leaks_into_culprit(void **state) {
  int before = count_fds();
  for (int i = 0; i < 5; i++)
    RUN(*state, FAKE, "print", "x");
  RUN(*state, "cul-no-such-tool");
  assert_int_equal(count_fds(), before);
}

/* Until there is room for them the run waits, and takes nothing. */
static void pipes_refused(void **state) {
  struct scratch *s = *state;
  static const char *const argv[] = {FAKE, "print", "hi", NULL};
  const struct cul_command cmd = {.argv = argv};
  const struct cul_request request = {.cmd = &cmd};
  const struct cul_artefact artefact = {.dir = s->dir, .file = "x"};
  const struct cul_runner *runner = cul_runner_find("process");
  struct rlimit old, low;
  struct cul_record record = {0};
  struct cul_err err = {0};
  struct cul_run *run;
  bool done = false;
  int before = count_fds();
  getrlimit(RLIMIT_NOFILE, &old);
  low = (struct rlimit){(rlim_t)before + 3, old.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  assert_int_equal(runner->start(&artefact, &request, s->tmp, &run, &err), 0);
  assert_int_equal(runner->advance(run, &record, &done, &err), 0);
  setrlimit(RLIMIT_NOFILE, &old);
  assert_false(done);
  assert_int_equal(count_fds(), before);
  while (!done) {
    assert_int_equal(runner->advance(run, &record, &done, &err), 0);
    poll(NULL, 0, 5);
  }
  assert_int_equal(record.end, CUL_EXITED);
  assert_out(&record, "hi\n");
  cul_record_release(&record);
  assert_int_equal(count_fds(), before);
}

static void the_table(void **state) {
  (void)state;
  assert_non_null(cul_runners[0]);
  assert_null(cul_runner_find("no such runner"));
  for (const struct cul_runner *const *r = cul_runners; *r; r++)
    assert_ptr_equal(cul_runner_find((*r)->name), *r);
}

#define TEST(f)                                                                \
  cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(exit_code),
      TEST(streams_are_apart),
      TEST(nothing_is_lost_to_signals),
      TEST(ends_by_signal),
      TEST(shell_status_stays_an_exit),
      TEST(deadline),
      TEST(no_deadline_for_the_quick),
      TEST(cpu_limit),
      TEST(memory_limit),
      TEST(peak_memory),
      TEST(same_addresses_every_time),
      TEST(signals_are_fresh),
      TEST(children_ignored_by_culprit),
      TEST(by_placeholder),
      TEST(by_argument),
      TEST(by_stdin),
      TEST(stdin_is_empty_otherwise),
      TEST(by_name),
      TEST(by_all),
      TEST(missing_candidate_is_told),
      TEST(unknown_placeholder),
      TEST(environment),
      TEST(environment_of_the_candidate),
      TEST(working_directory),
      TEST(tmp_is_emptied),
      TEST(exec_failures),
      TEST(not_found_is_not_taken_from_the_directory),
      TEST(script_without_first_line),
      TEST(relative_name_counts_from_here),
      TEST(path_of_the_command),
      TEST(no_descriptor_leaks_into_the_tool),
      TEST(no_descriptor_leaks_into_culprit),
      TEST(pipes_refused),
      TEST(pipe_as_candidate_is_not_waited_for),
      cmocka_unit_test(the_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
