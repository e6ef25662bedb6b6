/* The worker of other machines, spoken to as culprit speaks to it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../base/clock.h"
#include "../../../base/files/fd.h"
#include "../../../base/files/file.h"
#include "../../../runners/remote/message.h"

struct talk {
  char dir[64], home[64]; /* its TMPDIR; and what it keeps */
  pid_t pid;
  int to, from;
  struct cul_buf read;
};

static void begin_at(struct talk *t, const char *home) {
  int in[2], out[2];
  *t = (struct talk){.dir = "/tmp/culprit-test-XXXXXX",
                     .home = "/tmp/culprit-home-XXXXXX"};
  assert_non_null(mkdtemp(t->dir));
  if (home)
    snprintf(t->home, sizeof t->home, "%s", home);
  else
    assert_non_null(mkdtemp(t->home));
  assert_int_equal(pipe2(in, O_CLOEXEC), 0);
  assert_int_equal(pipe2(out, O_CLOEXEC), 0);
  t->pid = fork();
  if (t->pid == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    setenv("TMPDIR", t->dir, 1);
    setenv("XDG_CACHE_HOME", t->home, 1);
    execl(BINARY_DIR "/libexec/culprit-worker", "culprit-worker", (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  t->to = in[1];
  t->from = out[0];
}

static void begin(struct talk *t) { begin_at(t, NULL); }

static void say(struct talk *t, enum cul_frame_type type,
                const struct cul_buf *body) {
  struct cul_buf frame = {0};
  cul_frame_add(&frame, type, cul_buf_bytes(body));
  assert_int_equal(cul_write_all(t->to, frame.data, frame.len), 0);
  cul_buf_release(&frame);
}

/* The next frame: its type; body, replaced.  0: it ended. */
static uint32_t hear(struct talk *t, struct cul_buf *body) {
  cul_buf_clear(body);
  for (;;) {
    struct cul_bytes got;
    struct pollfd fd = {t->from, POLLIN, 0};
    uint32_t type;
    size_t used;
    ssize_t n;
    switch (cul_frame_next(cul_buf_bytes(&t->read), &type, &got, &used)) {
    case CUL_FRAME_WHOLE:
      cul_buf_add(body, got.data, got.len);
      memmove(t->read.data, t->read.data + used, t->read.len - used);
      t->read.len -= used;
      return type;
    case CUL_FRAME_BAD:
      fail_msg("no frame");
    case CUL_FRAME_PART:
      break;
    }
    assert_int_equal(poll(&fd, 1, 20000), 1);
    cul_buf_reserve(&t->read, 65536);
    n = read(t->from, t->read.data + t->read.len, 65535);
    if (n <= 0)
      return 0;
    t->read.len += (size_t)n;
  }
}

static struct cul_codec reader(const struct cul_buf *body) {
  return (struct cul_codec){.at = body->data, .end = body->data + body->len};
}

static void hear_hello(struct talk *t) {
  struct cul_buf body = {0};
  struct cul_remote_hello hello = {0};
  struct cul_digest program;
  struct cul_err err = {0};
  struct cul_codec codec;
  assert_int_equal(hear(t, &body), CUL_FRAME_HELLO);
  codec = reader(&body);
  cul_remote_pass_hello(&codec, &hello);
  assert_true(cul_codec_is_done(&codec));
  assert_int_equal(hello.version, CUL_REMOTE_VERSION);
  assert_true(hello.cores > 0 && hello.memory_bytes > 0);
  assert_int_equal(
      cul_file_digest(BINARY_DIR "/libexec/culprit-worker", &program, &err), 0);
  assert_true(cul_digest_equal(&program, &hello.program));
  cul_remote_hello_release(&hello);
  cul_buf_release(&body);
}

static void say_job(struct talk *t) {
  char *set[] = {"MARK=over there", NULL};
  struct cul_remote_job job = {
      .version = CUL_REMOTE_VERSION, .sandbox = 1, .set = set};
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  cul_remote_pass_job(&codec, &job);
  say(t, CUL_FRAME_JOB, &body);
  cul_buf_release(&body);
}

static void say_run(struct talk *t, struct cul_remote_run *run) {
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  cul_remote_pass_run(&codec, run);
  say(t, CUL_FRAME_RUN, &body);
  cul_buf_release(&body);
}

static void hear_record(struct talk *t, uint32_t id,
                        struct cul_remote_record *out) {
  struct cul_buf body = {0};
  struct cul_codec codec;
  *out = (struct cul_remote_record){0};
  assert_int_equal(hear(t, &body), CUL_FRAME_RECORD);
  codec = reader(&body);
  cul_remote_pass_record(&codec, out);
  assert_true(cul_codec_is_done(&codec));
  assert_int_equal(out->id, id);
  cul_buf_release(&body);
}

static size_t count_names(const char *dir) {
  DIR *names = opendir(dir);
  size_t n = 0;
  for (const struct dirent *e; names && (e = readdir(names));)
    n += e->d_name[0] != '.';
  closedir(names);
  return n;
}

/* It ends within 5 s of the end of its input, and leaves nothing. */
static void end(struct talk *t) {
  uint64_t start_us = cul_now_us();
  int status;
  close(t->to);
  assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
  assert_true(cul_now_us() - start_us < 5000000);
  assert_int_equal(count_names(t->dir), 0);
  assert_int_equal(rmdir(t->dir), 0);
  cul_rmtree(t->home);
  close(t->from);
  cul_buf_release(&t->read);
}

static struct cul_remote_run shell(char **argv, uint32_t id) {
  return (struct cul_remote_run){.id = id,
                                 .argv = argv,
                                 .placed = true,
                                 .file = "case.txt",
                                 .wall_ms = 20000};
}

/* The candidate, the variable, the files that it wrote, how it ended. */
static void runs_and_reports(void **state) {
  char *argv[] = {
      "sh", "-c", "cat \"$1\"; echo $MARK; echo to >\"$2/made\"; exit 3",
      "sh", "@@", "@{out}",
      NULL};
  char *keys[] = {"@{out}", NULL}, *values[] = {"", NULL};
  struct cul_remote_file file = {.place = CUL_PLACE_CANDIDATE,
                                 .mode = 0644,
                                 .name = "case.txt",
                                 .carried = true};
  struct cul_remote_run run = shell(argv, 7);
  struct cul_remote_record got;
  struct talk t;
  (void)state;
  cul_buf_adds(&file.bytes, "hello\n");
  run.keys = keys;
  run.values = values;
  run.files = &file;
  run.n_files = 1;
  begin(&t);
  hear_hello(&t);
  say_job(&t);
  say_run(&t, &run);
  hear_record(&t, 7, &got);
  assert_int_equal(got.record.end, CUL_EXITED);
  assert_int_equal(got.record.status, 3);
  assert_string_equal(cul_buf_str(&got.record.out), "hello\nover there\n");
  assert_non_null(
      memmem(got.record.outputs.data, got.record.outputs.len, "made", 4));
  assert_true(got.record.wall_us > 0);
  cul_remote_record_release(&got);
  cul_buf_release(&file.bytes);
  end(&t);
}

/* The run needs a file by content: /some/data, of this text. */
static void need(struct cul_remote_run *run, struct cul_remote_file *file,
                 const char *text, struct cul_buf *bytes) {
  cul_buf_adds(bytes, text);
  *file = (struct cul_remote_file){
      .place = CUL_PLACE_SENT, .mode = 0644, .name = "/some/data"};
  file->digest = cul_digest_of(bytes->data, bytes->len);
  run->files = file;
  run->n_files = 1;
}

/* A file by content is asked for once, and serves the next run, too. */
static void asks_for_files(void **state) {
  char *argv[] = {"cat", "@{there}/sent/some/data", NULL};
  struct cul_buf bytes = {0}, body = {0};
  struct cul_remote_file file;
  struct cul_remote_run run = shell(argv, 1);
  struct cul_remote_record got;
  char hex[CUL_DIGEST_HEX];
  struct talk t;
  (void)state;
  need(&run, &file, "data of some size", &bytes);
  begin(&t);
  hear_hello(&t);
  say_job(&t);
  say_run(&t, &run);
  assert_int_equal(hear(&t, &body), CUL_FRAME_NEED);
  assert_non_null(memmem(body.data, body.len, cul_digest_hex(&file.digest, hex),
                         CUL_DIGEST_HEX - 1));
  say(&t, CUL_FRAME_FILE, &bytes);
  assert_int_equal(hear(&t, &body), CUL_FRAME_KEPT);
  hear_record(&t, 1, &got);
  assert_string_equal(cul_buf_str(&got.record.out), "data of some size");
  cul_remote_record_release(&got);
  run.id = 2;
  say_run(&t, &run);
  hear_record(&t, 2, &got);
  assert_string_equal(cul_buf_str(&got.record.out), "data of some size");
  cul_remote_record_release(&got);
  cul_buf_release(&bytes);
  cul_buf_release(&body);
  end(&t);
}

/* Two workers of one machine, ready for runs. */
static void begin_two(struct talk *one, struct talk *other) {
  begin(one);
  begin_at(other, one->home);
  hear_hello(one);
  hear_hello(other);
  say_job(one);
  say_job(other);
}

/* Two workers of one machine: the second finds what the first was sent. */
static void share_files(void **state) {
  char *argv[] = {"cat", "@{there}/sent/some/data", NULL};
  struct cul_buf bytes = {0}, body = {0};
  struct cul_remote_file file;
  struct cul_remote_run run = shell(argv, 1);
  struct cul_remote_record got;
  struct talk one, other;
  (void)state;
  need(&run, &file, "data for both", &bytes);
  begin_two(&one, &other);
  say_run(&one, &run);
  assert_int_equal(hear(&one, &body), CUL_FRAME_NEED);
  say_run(&other, &run);
  assert_int_equal(hear(&other, &body), CUL_FRAME_NEED);
  cul_buf_clear(&body);
  say(&other, CUL_FRAME_LOOK, &body); /* too early: it asks again */
  assert_int_equal(hear(&other, &body), CUL_FRAME_NEED);
  say(&one, CUL_FRAME_FILE, &bytes);
  assert_int_equal(hear(&one, &body), CUL_FRAME_KEPT);
  assert_memory_equal(body.data, &file.digest, sizeof file.digest);
  cul_buf_clear(&body);
  say(&other, CUL_FRAME_LOOK, &body);
  hear_record(&other, 1, &got);
  assert_string_equal(cul_buf_str(&got.record.out), "data for both");
  cul_remote_record_release(&got);
  hear_record(&one, 1, &got);
  cul_remote_record_release(&got);
  cul_buf_release(&bytes);
  cul_buf_release(&body);
  end(&one);
  end(&other);
}

/* An installation is made once, for all workers, by a script whose files are
 * asked for only then; one that cannot be made says why. */
static void installs(void **state) {
  char *argv[] = {"cat", "@{installs}/x-1/tool", NULL};
  struct cul_buf bytes = {0}, body = {0};
  struct cul_remote_file file;
  struct cul_remote_run run = shell(argv, 1);
  struct cul_remote_record got;
  struct talk one, other;
  (void)state;
  need(&run, &file, "a tool\n", &bytes);
  file.place = CUL_PLACE_INSTALL;
  run.install.name = "x-1";
  run.install.script = "cp @{there}/sent/some/data tool; sleep 0.5";
  begin_two(&one, &other);
  say_run(&one, &run);
  assert_int_equal(hear(&one, &body), CUL_FRAME_NEED);
  say(&one, CUL_FRAME_FILE, &bytes);
  assert_int_equal(hear(&one, &body), CUL_FRAME_KEPT);
  say_run(&other, &run); /* waits, or finds it */
  hear_record(&other, 1, &got);
  assert_string_equal(cul_buf_str(&got.record.out), "a tool\n");
  cul_remote_record_release(&got);
  hear_record(&one, 1, &got);
  assert_string_equal(cul_buf_str(&got.record.out), "a tool\n");
  cul_remote_record_release(&got);
  run.id = 2;
  run.install.name = "y-1";
  run.install.script = "echo half >tool; echo no such version; exit 3";
  say_run(&one, &run);
  hear_record(&one, 2, &got);
  assert_int_equal(got.record.end, CUL_NOT_STARTED);
  assert_int_equal(got.record.status, ENOPKG);
  assert_string_equal(cul_buf_str(&got.record.err), "no such version\n");
  cul_remote_record_release(&got);
  run.install.name = "../y";
  say_run(&one, &run);
  assert_int_equal(hear(&one, &body), CUL_FRAME_REFUSED);
  cul_buf_release(&bytes);
  cul_buf_release(&body);
  end(&one);
  end(&other);
}

/* A build directory: files come and go, and a test finds what was built. */
static void builds(void **state) {
  static const char *const texts[] = {"1", "2"};
  char *argv[] = {"sh", "-c", "cat a* sub/b; cat a* >made", NULL};
  char *test[] = {"cat", "made", NULL};
  struct cul_remote_file files[2] = {{.place = CUL_PLACE_WORKSPACE,
                                      .mode = 0100644,
                                      .name = "a",
                                      .carried = true},
                                     {.place = CUL_PLACE_WORKSPACE,
                                      .mode = 0100644,
                                      .name = "sub/b",
                                      .carried = true}};
  struct cul_remote_run run = shell(argv, 1);
  struct cul_remote_record got;
  struct cul_buf body = {0};
  struct talk t;
  (void)state;
  for (int i = 0; i < 2; i++) {
    cul_buf_adds(&files[i].bytes, texts[i]);
    files[i].digest = cul_digest_of(texts[i], 1);
  }
  begin(&t);
  hear_hello(&t);
  say_job(&t);
  run.workspace = "key/0";
  say_run(&t, &run); /* nothing was built there */
  assert_int_equal(hear(&t, &body), CUL_FRAME_REFUSED);
  run.building = true;
  run.files = files;
  run.n_files = 2;
  run.id = 2;
  say_run(&t, &run);
  hear_record(&t, 2, &got);
  assert_string_equal(cul_buf_str(&got.record.out), "12");
  cul_remote_record_release(&got);
  run = shell(test, 3);
  run.workspace = "key/0";
  say_run(&t, &run);
  hear_record(&t, 3, &got);
  assert_string_equal(cul_buf_str(&got.record.out), "1");
  cul_remote_record_release(&got);
  run = shell(argv, 4);
  run.workspace = "key/0";
  run.building = true;
  run.files = files + 1; /* "a" is gone, what was made is not */
  run.n_files = 1;
  say_run(&t, &run);
  hear_record(&t, 4, &got);
  assert_string_equal(cul_buf_str(&got.record.out), "2");
  assert_int_not_equal(got.record.status, 0);
  cul_remote_record_release(&got);
  run.id = 5;
  run.workspace = "../key";
  say_run(&t, &run);
  assert_int_equal(hear(&t, &body), CUL_FRAME_REFUSED);
  for (int i = 0; i < 2; i++)
    cul_buf_release(&files[i].bytes);
  cul_buf_release(&body);
  end(&t);
}

/* A deadline there, and a run that is called off. */
static void ends_runs(void **state) {
  char *argv[] = {"sleep", "600", NULL}, *quick[] = {"true", NULL};
  struct cul_remote_run run = shell(argv, 1);
  struct cul_remote_record got;
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  uint32_t id = 2;
  struct talk t;
  (void)state;
  run.wall_ms = 300;
  begin(&t);
  hear_hello(&t);
  say_job(&t);
  say_run(&t, &run);
  hear_record(&t, 1, &got);
  assert_int_equal(got.record.end, CUL_DEADLINE);
  cul_remote_record_release(&got);
  run.id = 2;
  run.wall_ms = 60000;
  say_run(&t, &run);
  run = shell(quick, 3);
  say_run(&t, &run);
  cul_codec_u32(&codec, &id);
  say(&t, CUL_FRAME_CANCEL, &body);
  hear_record(&t, 3, &got);
  assert_int_equal(got.record.end, CUL_EXITED);
  cul_remote_record_release(&got);
  cul_buf_release(&body);
  end(&t);
}

static bool is_alive(const char *mark) {
  char *command = cul_xasprintf("pgrep -f '%s' >/dev/null", mark);
  int status = system(command); /* NOLINT: the test's own words */
  free(command);
  return status == 0;
}

/* The end of its input while a tree with a daemon runs. */
static void ends_its_trees(void **state) {
  char *mark = cul_xasprintf("86[4]%d", (int)getpid());
  char *script = cul_xasprintf("setsid sleep 864%d & exec sleep 864%d",
                               (int)getpid(), (int)getpid());
  char *argv[] = {"sh", "-c", script, NULL};
  struct cul_remote_run run = shell(argv, 1);
  struct talk t;
  (void)state;
  begin(&t);
  hear_hello(&t);
  say_job(&t);
  say_run(&t, &run);
  for (int i = 0; i < 100 && !is_alive(mark); i++)
    usleep(50000);
  assert_true(is_alive(mark));
  end(&t);
  assert_false(is_alive(mark));
  free(script);
  free(mark);
}

/* The worker itself is killed: its keeper clears up. */
static void is_killed(void **state) {
  char *mark = cul_xasprintf("86[5]%d", (int)getpid());
  char *script = cul_xasprintf("sleep 865%d", (int)getpid());
  char *argv[] = {"sh", "-c", script, NULL};
  char *command;
  struct cul_remote_run run = shell(argv, 1);
  struct talk t;
  (void)state;
  begin(&t);
  hear_hello(&t);
  say_job(&t);
  say_run(&t, &run);
  for (int i = 0; i < 100 && !is_alive(mark); i++)
    usleep(50000);
  command = cul_xasprintf("pkill -KILL -P %d", (int)t.pid);
  assert_int_equal(system(command), 0);
  end(&t);
  assert_false(is_alive(mark));
  free(command);
  free(script);
  free(mark);
}

static void refuses_nonsense(void **state) {
  static const char nonsense[] = "\x63\0\0\0\xff\xff\xff\xff no frame at all";
  struct cul_buf body = {0};
  struct talk t;
  (void)state;
  begin(&t);
  hear_hello(&t);
  assert_int_equal(cul_write_all(t.to, nonsense, sizeof nonsense), 0);
  assert_int_equal(hear(&t, &body), 0);
  cul_buf_release(&body);
  end(&t);
}

/* A run before the job, and a truncated one. */
static void refuses_damage(void **state) {
  char *argv[] = {"true", NULL};
  struct cul_remote_run run = shell(argv, 1);
  struct cul_buf body = {0}, whole = {0};
  struct cul_codec codec = {.out = &whole};
  struct talk t;
  (void)state;
  begin(&t);
  hear_hello(&t);
  say_run(&t, &run);
  assert_int_equal(hear(&t, &body), 0);
  end(&t);
  cul_remote_pass_run(&codec, &run);
  for (size_t cut = 0; cut < whole.len; cut++) {
    struct cul_codec part = {.at = whole.data, .end = whole.data + cut};
    struct cul_remote_run got = {0};
    cul_remote_pass_run(&part, &got);
    assert_false(cul_codec_is_done(&part));
    cul_remote_run_release(&got);
  }
  cul_buf_release(&body);
  cul_buf_release(&whole);
}

/* One static file that needs nothing there. */
static void is_small(void **state) {
  struct stat st;
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(CULPRIT_COVERAGE)
  skip(); /* those need their libraries */
#endif
  assert_int_equal(stat(BINARY_DIR "/libexec/culprit-worker", &st), 0);
  assert_true(st.st_size <= 3 << 20);
  assert_int_not_equal(system("readelf -d " BINARY_DIR
                              "/libexec/culprit-worker | grep -q NEEDED"),
                       0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_and_reports), cmocka_unit_test(asks_for_files),
      cmocka_unit_test(share_files),      cmocka_unit_test(installs),
      cmocka_unit_test(builds),           cmocka_unit_test(ends_runs),
      cmocka_unit_test(ends_its_trees),   cmocka_unit_test(is_killed),
      cmocka_unit_test(refuses_nonsense), cmocka_unit_test(refuses_damage),
      cmocka_unit_test(is_small),
  };
  signal(SIGPIPE, SIG_IGN);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
