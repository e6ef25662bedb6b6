/* The places of runs while somebody puts links where they are: a process that
 * a tool of an earlier run left behind, say.  What the links lead to is neither
 * read as an output, nor written, nor removed, and the next run works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/files/beneath.h"
#include "../../../base/files/fd.h"
#include "../../../base/files/file.h"
#include "../../../base/files/outputs.h"
#include "../../../base/status.h"
#include "../../../probe/target/target.h"
#include "../../../probe/trial.h"

enum { RUNS = 200 };

static const char candidate[] = "in.txt", precious_text[] = "precious\n";

/* The names that a run's directories have, by the slot. */
static const char *const names[] = {"w", "o", "t"};
enum { NAMES = sizeof names / sizeof *names };

struct scene {
  char top[64];
  char *precious;
  struct cul_target target;
  struct cul_command command;
  char *tmp;
  pid_t swapper;
};

static void write_file(const char *dir, const char *name, const char *text) {
  char *path = cul_xasprintf("%s/%s", dir, name);
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(cul_write_all(fd, text, strlen(text)), 0);
  close(fd);
  free(path);
}

static char *slot_dir(const char *dir, const char *name) {
  return cul_xasprintf("%s/%s%03d", dir, name, CUL_SLOT_OTHER);
}

/* Files of somebody's, by the names that culprit's have. */
static void fill_precious(const char *dir) {
  write_file(dir, candidate, precious_text);
  for (size_t i = 0; i < NAMES; i++) {
    char *below = slot_dir(dir, names[i]);
    assert_int_equal(mkdir(below, 0700), 0);
    write_file(below, candidate, precious_text);
    write_file(below, "other", precious_text);
    free(below);
  }
}

/* All that dir holds, as text, and no more files than there were. */
static bool is_precious(const char *dir) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  size_t entries = 0;
  bool same = true;
  DIR *list = opendir(dir);
  while (list && readdir(list))
    entries++;
  closedir(list);
  same = entries == 2 + 1 + NAMES;
  for (size_t i = 0; i < NAMES; i++)
    for (int other = 0; other < 2; other++) {
      char *below = slot_dir(dir, names[i]);
      char *path = cul_xasprintf("%s/%s", below, other ? "other" : candidate);
      cul_buf_clear(&text);
      same = same && cul_file_read(path, 0, &text, &err) == 0 &&
             strcmp(cul_buf_str(&text), precious_text) == 0;
      free(path);
      free(below);
    }
  cul_buf_release(&text);
  return same;
}

static int set_up(void **state) {
  static const char *const argv[] = {"/bin/cat", "@@", "@{out}/none", NULL};
  struct scene *s = cul_xcalloc(1, sizeof *s);
  struct cul_err err = {0};
  snprintf(s->top, sizeof s->top, "/tmp/culprit-places-XXXXXX");
  assert_non_null(mkdtemp(s->top));
  assert_int_equal(setenv("TMPDIR", s->top, 1), 0);
  s->precious = cul_xasprintf("%s/precious", s->top);
  assert_int_equal(mkdir(s->precious, 0700), 0);
  fill_precious(s->precious);
  s->target.subject.file = cul_xstrdup(candidate);
  assert_int_equal(cul_workplace_open(&s->target.place, &err), 0);
  s->target.dir = s->target.place.dir;
  s->target.probe.place = &s->target.place.held;
  s->target.probe.runner = cul_runner_find("process");
  s->command = (struct cul_command){.argv = argv, .cwd = "/"};
  s->tmp = slot_dir(s->target.dir, "t");
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  struct scene *s = *state;
  bool kept, gone;
  if (s->swapper > 0) {
    kill(s->swapper, SIGKILL);
    waitpid(s->swapper, NULL, 0);
  }
  kept = is_precious(s->precious);
  cul_workplace_close(&s->target.place);
  kept = kept && is_precious(s->precious);
  free(s->target.subject.file);
  free(s->tmp);
  free(s->precious);
  cul_rmtree(s->top);
  gone = access(s->top, F_OK) < 0;
  free(s);
  return kept && gone ? 0 : -1;
}

/* One run from the placing of its candidate to what is kept of it; true where
 * the tool read what was placed. */
static bool run(struct scene *s, struct cul_record *record) {
  static const char text[] = "a candidate\n";
  struct cul_bytes bytes = {text, sizeof text - 1};
  struct cul_request request = {
      .role = "suspect", .cmd = &s->command, .wall_ms = 20000};
  struct cul_placed placed = {0};
  struct cul_err err = {0};
  int rc = cul_target_place(&s->target, CUL_SLOT_OTHER, &placed, &err);
  bool ran;
  if (rc == 0)
    rc = cul_placed_fill(&placed, bytes, &err);
  if (rc == 0)
    cul_trial_tidy(&s->target.probe, &placed.art, &s->command);
  if (rc == 0)
    rc = cul_probe_wait(&s->target.probe, s->target.probe.runner, &placed.art,
                        &request, s->tmp, record, &err);
  if (rc == 0)
    cul_trial_collect(&s->target.probe, &placed.art, &s->command, record);
  ran = rc == 0 && strcmp(cul_buf_str(&record->out), text) == 0;
  cul_placed_release(&placed);
  return ran;
}

/* Change path into a link to what, and back. */
static void swap(const char *top, const char *path, const char *what) {
  char *beside = cul_xasprintf("%s/beside", top);
  if (symlink(what, beside) == 0 &&
      renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
    usleep(100);
    (void)!renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_EXCHANGE);
  } else if (rename(path, beside) == 0) { /* a file system without exchange */
    (void)!symlink(what, path);
    usleep(100);
    (void)!unlink(path);
    (void)!rename(beside, path);
  }
  (void)!unlink(beside);
  (void)!rmdir(beside);
  free(beside);
}

/* Swap the place itself, or what is in it. */
static pid_t start_swapper(const struct scene *s, bool above) {
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  alarm(120);
  for (;;) {
    if (above)
      swap(s->top, s->target.dir, s->precious);
    for (size_t i = 0; !above && i < NAMES; i++) {
      char *path = slot_dir(s->target.dir, names[i]);
      char *to = slot_dir(s->precious, names[i]);
      swap(s->top, path, to);
      free(to);
      free(path);
    }
    usleep(200);
  }
}

static void run_often(struct scene *s) {
  int worked = 0;
  for (int i = 0; i < RUNS; i++) {
    struct cul_record record = {0};
    worked += run(s, &record);
    cul_record_release(&record);
  }
  assert_in_range(worked, 1, RUNS);
}

static void test_directory_above_is_swapped(void **state) {
  struct scene *s = *state;
  s->swapper = start_swapper(s, true);
  run_often(s);
}

static void test_directories_are_swapped(void **state) {
  struct scene *s = *state;
  s->swapper = start_swapper(s, false);
  run_often(s);
}

/* ---- what a tool may leave in place of each ---- */

typedef void leave_fn(const char *path, const char *precious);

static void leave_link(const char *path, const char *precious) {
  assert_int_equal(symlink(precious, path), 0);
}
static void leave_dangling(const char *path, const char *precious) {
  char *none = cul_xasprintf("%s/none", precious);
  assert_int_equal(symlink(none, path), 0);
  free(none);
}
static void leave_hard_link(const char *path, const char *precious) {
  char *file = cul_xasprintf("%s/%s", precious, candidate);
  assert_int_equal(link(file, path), 0);
  free(file);
}
static void leave_fifo(const char *path, const char *precious) {
  (void)precious;
  assert_int_equal(mkfifo(path, 0600), 0);
}
static void leave_directory(const char *path, const char *precious) {
  char *below = cul_xasprintf("%s/link", path);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(symlink(precious, below), 0);
  assert_int_equal(chmod(path, 0), 0);
  free(below);
}
static void leave_nothing(const char *path, const char *precious) {
  (void)path;
  (void)precious;
}

static leave_fn *const leavers[] = {leave_link,      leave_dangling,
                                    leave_hard_link, leave_fifo,
                                    leave_directory, leave_nothing};

static void check_run(struct scene *s) {
  struct cul_record record = {0};
  alarm(60);
  assert_true(run(s, &record));
  assert_int_equal(record.outputs.len, 0); /* nothing was put out */
  cul_record_release(&record);
  alarm(0);
}

static void test_next_run_works(void **state) {
  struct scene *s = *state;
  check_run(s);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(leavers); i++)
    for (size_t k = 0; k <= NAMES; k++) {
      char *dir = slot_dir(s->target.dir, names[k < NAMES ? k : 0]);
      char *path =
          k < NAMES ? cul_xstrdup(dir) : cul_xasprintf("%s/%s", dir, candidate);
      cul_rmtree(path);
      leavers[i](path, s->precious);
      check_run(s);
      free(path);
      free(dir);
    }
}

/* The directory of all of them is gone, or is not the one of its name. */
static void test_place_is_removed(void **state) {
  struct scene *s = *state;
  struct cul_record record = {0};
  char *aside = cul_xasprintf("%s.aside", s->target.dir);
  cul_rmtree(s->target.dir);
  check_run(s);
  assert_int_equal(rename(s->target.dir, aside), 0);
  assert_int_equal(symlink(s->precious, s->target.dir), 0);
  assert_false(run(s, &record)); /* the tool reads elsewhere */
  cul_record_release(&record);
  assert_true(is_precious(s->precious));
  cul_workplace_close(&s->target.place);
  assert_int_equal(rmdir(aside), 0); /* nothing was left in it */
  free(aside);
}

/* A job that runs alone has the same paths each time; a name that is taken, by
 * a job or by anybody else, is left alone. */
static void test_names_are_the_same(void **state) {
  struct scene *s = *state;
  struct cul_workplace again = {0}, beside = {0};
  struct cul_err err = {0};
  char *first = cul_xstrdup(s->target.place.dir);
  assert_int_equal(cul_workplace_open(&beside, &err), 0);
  assert_string_not_equal(beside.dir, first);
  cul_workplace_close(&beside);
  cul_workplace_close(&s->target.place);
  assert_int_equal(cul_workplace_open(&again, &err), 0);
  assert_string_equal(again.dir, first);
  cul_workplace_close(&again);
  assert_int_equal(symlink(s->precious, first), 0);
  assert_int_equal(cul_workplace_open(&s->target.place, &err), 0);
  assert_string_not_equal(s->target.place.dir, first);
  assert_int_equal(unlink(first), 0);
  assert_true(is_precious(s->precious));
  free(first);
}

/* Of what stands in the directory of outputs, plain files are kept alone. */
static void test_only_files_are_outputs(void **state) {
  static const char *const argv[] = {
      "/bin/sh",
      "-c",
      "cat \"$0\"; cd \"$1\" && echo kept >file && mkdir dir && mkfifo fifo && "
      "ln -s \"$2/in.txt\" link && ln -s \"$2\" dirlink",
      "@@",
      "@{out}",
      "PRECIOUS",
      NULL};
  struct scene *s = *state;
  const char *own[CUL_ARRAY_SIZE(argv)];
  struct cul_record record = {0};
  struct cul_output_file file;
  size_t at = 0;
  memcpy(own, argv, sizeof own);
  own[5] = s->precious;
  s->command.argv = own;
  alarm(60);
  assert_true(run(s, &record));
  alarm(0);
  assert_true(cul_outputs_next(cul_buf_bytes(&record.outputs), &at, &file));
  assert_string_equal(file.name, "file");
  assert_int_equal(file.bytes.len, 5);
  assert_false(cul_outputs_next(cul_buf_bytes(&record.outputs), &at, &file));
  cul_record_release(&record);
}

/* A user who interrupts does not wait until a large candidate is written, which
 * no run would read. */
static void test_interrupt_ends_a_long_write(void **state) {
  enum { LEN = 64 << 20 };
  struct scene *s = *state;
  struct cul_bytes text = {cul_xcalloc(LEN, 1), LEN};
  struct cul_placed placed = {0};
  struct cul_err err = {0};
  volatile int asked = 1;
  assert_int_equal(cul_target_place(&s->target, CUL_SLOT_OTHER, &placed, &err),
                   0);
  cul_status_watch(&asked);
  assert_int_equal(cul_placed_fill(&placed, text, &err), CUL_EINTR);
  asked = 0;
  assert_int_equal(cul_placed_fill(&placed, text, &err), 0);
  cul_status_watch(NULL);
  cul_placed_release(&placed);
  free((void *)text.data);
}

/* ---- the end of a first run that hangs ---- */

struct cul_run {
  bool in_flight, hung_up;
};

static struct cul_run endless[CUL_MAX_WORKERS];
static size_t n_endless;
static int cancelled_too_soon;

static int begin(const struct cul_artefact *artefact,
                 const struct cul_request *request, const char *tmp,
                 struct cul_run **out, struct cul_err *err) {
  (void)artefact, (void)request, (void)tmp, (void)err;
  *out = &endless[n_endless++];
  **out = (struct cul_run){.in_flight = true};
  return 0;
}

static size_t no_fds(const struct cul_run *run, struct pollfd *out,
                     size_t max) {
  (void)run, (void)out, (void)max;
  return 0;
}

static int never_ends(struct cul_run *run, struct cul_record *out, bool *done,
                      struct cul_err *err) {
  (void)run, (void)out, (void)err;
  return *done = false, 0;
}

static void hang_up(struct cul_run *run) { run->hung_up = true; }

static void cancel(struct cul_run *run) {
  run->in_flight = false;
  for (size_t i = 0; i < n_endless; i++)
    cancelled_too_soon += endless[i].in_flight && !endless[i].hung_up;
}

/* Cancelling a run waits for its processes: all runs are asked to end before
 * culprit waits for the first. */
static void test_first_runs_end_at_once(void **state) {
  static const struct cul_runner runner = {.name = "endless",
                                           .start = begin,
                                           .fds = no_fds,
                                           .advance = never_ends,
                                           .cancel = cancel,
                                           .hang_up = hang_up};
  static const char text[] = "a candidate\n";
  struct scene *s = *state;
  struct cul_placed placed = {0};
  struct cul_err err = {0};
  volatile int asked = 1;
  n_endless = 0;
  cancelled_too_soon = 0;
  s->target.probe.runner = &runner;
  s->target.probe.workers = 2;
  s->target.probe.interrupted = &asked;
  assert_int_equal(cul_sealed_make((struct cul_bytes){text, sizeof text - 1},
                                   &s->target.subject.text, &err),
                   0);
  assert_int_equal(
      cul_target_place(&s->target, CUL_SLOT_ORIGINAL, &placed, &err), 0);
  assert_int_equal(cul_target_trace(&s->target, &placed, &err), CUL_EINTR);
  assert_int_equal(n_endless, 2);
  assert_int_equal(cancelled_too_soon, 0);
  cul_placed_release(&placed);
  cul_sealed_release(&s->target.subject.text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_interrupt_ends_a_long_write),
      TEST(test_first_runs_end_at_once),
      TEST(test_directory_above_is_swapped),
      TEST(test_directories_are_swapped),
      TEST(test_next_run_works),
      TEST(test_place_is_removed),
      TEST(test_names_are_the_same),
      TEST(test_only_files_are_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
