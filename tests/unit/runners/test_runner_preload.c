/* Runs that go on from where the tool waits: they say what runs of their own
 * would, and a tool that cannot wait is found out. */
#include "../../../runners/preload.h"
#include "runner_fixture.h"

#define STARTER BINARY_DIR "/fake/fake-starter"

struct place {
  struct scratch s;
  struct cul_servers *servers;
};

static int setup(void **state) {
  void *scratch = NULL;
  struct place *p = calloc(1, sizeof *p);
  if (!p || scratch_setup(&scratch))
    return -1;
  p->s = *(struct scratch *)scratch;
  free(scratch);
  p->servers = cul_servers_new();
  *state = p;
  return 0;
}

static int teardown(void **state) {
  struct place *p = *state;
  cul_servers_free(p->servers);
  cul_record_release(&p->s.record);
  cul_rmtree(p->s.root);
  free(p);
  return 0;
}

static const struct cul_record *run_words(struct place *p, uint64_t wall_ms,
                                          const char *const *argv,
                                          const char *text) {
  const struct cul_command cmd = {.argv = argv, .cwd = "/"};
  const struct cul_artefact artefact = {
      .dir = p->s.dir, .file = "case.txt", .live_fd = -1};
  const struct cul_request request = {.cmd = &cmd,
                                      .flags = CUL_RUN_SERVED,
                                      .wall_ms = wall_ms,
                                      .servers = p->servers};
  struct cul_err err = {0};
  char path[128];
  snprintf(path, sizeof path, "%s/case.txt", p->s.dir);
  put_file(path, text, 0600);
  cul_record_release(&p->s.record);
  p->s.record = (struct cul_record){0};
  assert_int_equal(cul_run_wait(cul_runner_find("preload"), &artefact, &request,
                                p->s.tmp, NULL, &p->s.record, &err),
                   0);
  return &p->s.record;
}

static const struct cul_record *run(struct place *p, const char *how,
                                    const char *text) {
  const char *argv[] = {STARTER, at(&p->s, "log"), how, "@@", NULL};
  return run_words(p, 30000, argv, text);
}

static size_t starts(const struct place *p) {
  struct cul_buf log = {0};
  struct cul_err err = {0};
  size_t n;
  assert_int_equal(cul_file_read(at(&p->s, "log"), 0, &log, &err), 0);
  n = log.len;
  cul_buf_release(&log);
  return n;
}

static void started_once(void **state) {
  struct place *p = *state;
  const struct cul_record *r = run(p, "nothing", "exit 3");
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 3);
  r = run(p, "nothing", "exit 4");
  assert_int_equal(r->status, 4);
  r = run(p, "nothing", "say this");
  assert_int_equal(r->status, 0);
  assert_out(r, "this\n");
  assert_true(r->rss_bytes > 0);
  assert_int_equal(starts(p), 1);
  assert_true(cul_servers_usable(p->servers));
}

static void through_a_shell(void **state) {
  struct place *p = *state;
  const char *argv[] = {
      "sh", "-c", "exec \"$0\" \"$@\"", STARTER, at(&p->s, "log"), "nothing",
      "@@", NULL};
  assert_out(run_words(p, 30000, argv, "say one"), "one\n");
  assert_out(run_words(p, 30000, argv, "say two"), "two\n");
  assert_int_equal(starts(p), 1);
}

static void ends_by_signal(void **state) {
  struct place *p = *state;
  const struct cul_record *r = run(p, "nothing", "die 11");
  assert_int_equal(r->end, CUL_SIGNALED);
  assert_int_equal(r->status, SIGSEGV);
  r = run(p, "nothing", "die 6");
  assert_int_equal(r->status, SIGABRT);
}

static void handlers_stay(void **state) {
  char text[16];
  snprintf(text, sizeof text, "die %d", SIGUSR1);
  for (int i = 0; i < 2; i++)
    assert_out(run(*state, "handler", text), "handled\n");
}

static void files_have_their_own_place(void **state) {
  struct place *p = *state;
  put_file(at(&p->s, "log.lines"), "first\nsecond\nthird\n", 0600);
  for (int i = 0; i < 3; i++)
    assert_out(run(p, "line", "line"), "second\n");
  assert_int_equal(starts(p), 1);
}

static void nothing_of_it_in_the_environment(void **state) {
  const char *old = getenv("LD_PRELOAD");
  char want[512];
  snprintf(want, sizeof want, "%s -\n", old ? old : "-");
  assert_out(run(*state, "nothing", "where"), want);
}

/* What is loaded by one fork alone is not taken for what is by another. */
static void addresses_have_their_names(void **state) {
  for (int i = 0; i < 2; i++) {
    assert_out(run(*state, "nothing", "name libc.so.6:abort"),
               "libc.so.6 abort 1\nlibc.so.6 abort 1\n0\n");
    assert_out(run(*state, "nothing", "name libc.so.6:qsort"),
               "libc.so.6 qsort 1\nlibc.so.6 qsort 1\n0\n");
    assert_out(run(*state, "nothing", "name libz.so.1:deflate"),
               "libz.so.1 deflate 1\nlibz.so.1 deflate 1\n0\n");
    assert_out(run(*state, "nothing", "name liblzma.so.5:lzma_code"),
               "liblzma.so.5 lzma_code 1\nliblzma.so.5 lzma_code 1\n0\n");
  }
  assert_int_equal(starts(*state), 1);
}

static void deadline(void **state) {
  struct place *p = *state;
  const char *argv[] = {STARTER, at(&p->s, "log"), "nothing", "@@", NULL};
  assert_int_equal(run_words(p, 300, argv, "sleep")->end, CUL_DEADLINE);
  assert_out(run(p, "nothing", "say more"), "more\n");
  assert_int_equal(starts(p), 1);
}

static void other_words_start_another(void **state) {
  struct place *p = *state;
  run(p, "nothing", "exit 0");
  run(p, "handler", "exit 0");
  run(p, "nothing", "exit 0");
  run(p, "handler", "exit 0");
  assert_int_equal(starts(p), 2);
}

static void refused(struct place *p, const char *how) {
  assert_int_equal(run(p, how, "say it")->end, CUL_MACHINE);
  assert_int_equal(run(p, how, "say it")->end, CUL_MACHINE);
  assert_false(cul_servers_usable(p->servers));
  assert_int_equal(starts(p), 1);
}

#define REFUSED(how)                                                           \
  static void refused_##how(void **state) { refused(*state, #how); }
REFUSED(thread)
REFUSED(child)
REFUSED(pipe)
REFUSED(shared)
REFUSED(writing)
REFUSED(temporary)
REFUSED(printed)
REFUSED(never)

static void one_that_does_not_come_is_not_waited_for(void **state) {
  struct place *p = *state;
  const char *argv[] = {STARTER, at(&p->s, "log"), "sleep", "@@", NULL};
  assert_int_equal(run_words(p, 100, argv, "exit 0")->end, CUL_MACHINE);
}

static void freed_servers_are_gone(void **state) {
  struct place *p = *state;
  char path[64];
  run(p, "nothing", "exit 0");
  /* Its supervisor was our only child. */
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  struct cul_buf text = {0};
  struct cul_err err = {0};
  cul_servers_free(p->servers);
  p->servers = NULL;
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(cul_file_read(path, 0, &text, &err), 0);
  assert_int_equal(text.len, 0);
  cul_buf_release(&text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(started_once),
      TEST(through_a_shell),
      TEST(ends_by_signal),
      TEST(handlers_stay),
      TEST(files_have_their_own_place),
      TEST(nothing_of_it_in_the_environment),
      TEST(addresses_have_their_names),
      TEST(deadline),
      TEST(other_words_start_another),
      TEST(refused_thread),
      TEST(refused_child),
      TEST(refused_pipe),
      TEST(refused_shared),
      TEST(refused_writing),
      TEST(refused_temporary),
      TEST(refused_printed),
      TEST(refused_never),
      TEST(one_that_does_not_come_is_not_waited_for),
      TEST(freed_servers_are_gone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
