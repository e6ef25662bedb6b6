/* What a run costs beyond the tool itself: the process runner against plain
 * fork + exec + wait, in pairs of one each, in turn; then the runner in a
 * sandbox against the runner without.
 *
 *   bench-runner [PAIRS [BALLAST_MB [PROGRAM]]]
 *
 * Prints the medians in microseconds, the median of the paired differences
 * and of the paired ratios; of the sandboxes the best of five such rounds.  At
 * the end the same of builds: one that does nothing, and one that writes files.
 * BALLAST_MB: memory that culprit itself holds while it forks. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/environment.h"
#include "../base/files/file.h"
#include "../runners/identity/build.h"
#include "../runners/sandbox/sandbox.h"

static double run_plain(const char *program) {
  uint64_t start = cul_now_us();
  pid_t pid = fork();
  if (pid == 0) {
    execl(program, program, (char *)NULL);
    _exit(127);
  }
  waitpid(pid, NULL, 0);
  return (double)(cul_now_us() - start);
}

static double run_process(const char *program, const char *tmp, uint32_t flags,
                          const struct cul_environment *environment) {
  const char *const argv[] = {program, NULL};
  const struct cul_command cmd = {
      .argv = argv, .cwd = "/", .environment = environment};
  const struct cul_request request = {
      .cmd = &cmd, .wall_ms = 60000, .flags = flags};
  const struct cul_artefact nothing = {.dir = "", .file = "", .live_fd = -1};
  struct cul_record record;
  struct cul_err err = {0};
  uint64_t start = cul_now_us();
  if (cul_run_wait(cul_runner_find("process"), &nothing, &request, tmp, NULL,
                   &record, &err)) {
    fprintf(stderr, "%s\n", err.what);
    exit(1);
  }
  cul_record_release(&record);
  return (double)(cul_now_us() - start);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v, size_t n) {
  qsort(v, n, sizeof *v, compare);
  return v[n / 2];
}

static void measure(const char *program, const char *tmp, size_t pairs,
                    uint32_t flags, const char *label) {
  double *plain = cul_xcalloc(pairs, sizeof *plain);
  double *ours = cul_xcalloc(pairs, sizeof *ours);
  double *more = cul_xcalloc(pairs, sizeof *more);
  double *ratio = cul_xcalloc(pairs, sizeof *ratio);
  for (size_t i = 0; i < pairs; i++) {
    plain[i] = run_plain(program);
    ours[i] = run_process(program, tmp, flags, NULL);
    more[i] = ours[i] - plain[i];
    ratio[i] = ours[i] / plain[i];
  }
  printf("%-8s plain %.0f us, runner %.0f us, difference %.0f us, "
         "ratio %.2f\n",
         label, median(plain, pairs), median(ours, pairs), median(more, pairs),
         median(ratio, pairs));
  free(plain);
  free(ours);
  free(more);
  free(ratio);
}

struct cost {
  double without, within, more;
};

/* What is known of the tool. */
enum known { NOTHING, FILES, NO_SOCKETS };

static struct cul_environment *environment_of(enum cul_sandbox_mode mode,
                                              enum known known) {
  const struct cul_environment_conf conf = {.sandbox = mode};
  struct cul_environment *environment;
  struct cul_err err = {0};
  if (cul_environment_new(&conf, &environment, &err) < 0)
    exit(2);
  cul_environment_sandbox(environment)->sealed = known >= FILES;
  cul_environment_sandbox(environment)->learned = known >= FILES;
  cul_environment_sandbox(environment)->alone = known == NO_SOCKETS;
  return environment;
}

static struct cost compare_pairs(const char *program, const char *tmp,
                                 size_t pairs, const struct cul_environment *on,
                                 const struct cul_environment *off) {
  double *without = cul_xcalloc(pairs, sizeof *without);
  double *within = cul_xcalloc(pairs, sizeof *within);
  double *more = cul_xcalloc(pairs, sizeof *more);
  struct cost cost;
  for (size_t i = 0; i < pairs; i++) {
    without[i] = run_process(program, tmp, 0, off);
    within[i] = run_process(program, tmp, 0, on);
    more[i] = within[i] - without[i];
  }
  cost = (struct cost){median(without, pairs), median(within, pairs),
                       median(more, pairs)};
  free(without);
  free(within);
  free(more);
  return cost;
}

static void measure_sandbox(const char *program, const char *tmp, size_t pairs,
                            enum cul_sandbox_mode mode, enum known known,
                            const char *label) {
  enum { ROUNDS = 5 };
  struct cul_environment *off = environment_of(CUL_SANDBOX_OFF, NOTHING);
  struct cul_environment *on = environment_of(mode, known);
  struct cost best = {0};
  struct cul_buf parts = {0};
  for (int i = 0; i < ROUNDS; i++) {
    struct cost cost = compare_pairs(program, tmp, pairs, on, off);
    if (i == 0 || cost.more < best.more)
      best = cost;
  }
  cul_parts_describe(cul_sandbox_parts(cul_environment_sandbox(on)), &parts);
  printf("%-8s off %.0f us, on %.0f us, difference %.0f us (%s)\n", label,
         best.without, best.within, best.more, cul_buf_str(&parts));
  cul_buf_release(&parts);
  cul_environment_free(on);
  cul_environment_free(off);
}

static double run_build(const char *script, const char *dir, const char *tmp,
                        const struct cul_environment *environment) {
  static const char *const none[] = {NULL};
  struct cul_build build = {.script = script,
                            .dir = dir,
                            .tmp = tmp,
                            .env = none,
                            .environment = environment,
                            .log = open("/dev/null", O_WRONLY | O_CLOEXEC)};
  struct cul_record record = {0};
  struct cul_err err = {0};
  uint64_t start = cul_now_us();
  double took;
  if (cul_build_run(&build, NULL, &record, &err) < 0 || record.status)
    exit(2);
  took = (double)(cul_now_us() - start);
  cul_record_release(&record);
  close(build.log);
  return took;
}

/* A build with its sandbox and without, one after the other. */
static void measure_build(const char *script, const char *root, size_t pairs,
                          const char *label) {
  struct cul_environment *off = environment_of(CUL_SANDBOX_OFF, NOTHING);
  struct cul_environment *on = environment_of(CUL_SANDBOX_AUTO, NOTHING);
  char *dir = cul_xasprintf("%s/dir", root), *tmp = cul_xasprintf("%s/t", root);
  double *without = cul_xcalloc(pairs, sizeof *without);
  double *within = cul_xcalloc(pairs, sizeof *within);
  double *more = cul_xcalloc(pairs, sizeof *more);
  const struct cul_paths others = {0};
  cul_sandbox_set_up_builds(cul_environment_sandbox(on), on, &others);
  if (mkdir(dir, 0700) || mkdir(tmp, 0700))
    exit(2);
  for (size_t i = 0; i < pairs; i++) {
    without[i] = run_build(script, dir, tmp, off);
    within[i] = run_build(script, dir, tmp, on);
    more[i] = within[i] - without[i];
  }
  printf("%-8s off %.0f us, on %.0f us, difference %.0f us (%zu caches)\n",
         label, median(without, pairs), median(within, pairs),
         median(more, pairs), cul_environment_sandbox(on)->writes.n);
  rmdir(tmp);
  rmdir(dir);
  free(without);
  free(within);
  free(more);
  free(dir);
  free(tmp);
  cul_environment_free(on);
  cul_environment_free(off);
}

int main(int argc, char **argv) {
  size_t pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
  size_t ballast = (argc > 2 ? strtoul(argv[2], NULL, 10) : 0) << 20;
  const char *program = argc > 3 ? argv[3] : "/bin/true";
  char tmp[] = "/tmp/bench-runner-XXXXXX";
  char *memory = cul_xmalloc(ballast + 1);
  memset(memory, 1, ballast + 1);
  if (!pairs || !mkdtemp(tmp))
    return 2;
  measure(program, tmp, pairs, 0, "plain");
  measure(program, tmp, pairs, CUL_RUN_TRACE, "traced");
  measure_sandbox(program, tmp, pairs, CUL_SANDBOX_AUTO, NOTHING, "auto");
  measure_sandbox(program, tmp, pairs, CUL_SANDBOX_AUTO, FILES, "writes");
  measure_sandbox(program, tmp, pairs, CUL_SANDBOX_STRICT, NO_SOCKETS,
                  "strict");
  measure_sandbox(program, tmp, pairs, CUL_SANDBOX_STRICT, FILES, "network");
  measure_build("true", tmp, pairs, "build");
  measure_build("for i in {1..100}; do echo >$i; done; rm *", tmp, pairs,
                "100 files");
  rmdir(tmp);
  free(memory);
  return 0;
}
