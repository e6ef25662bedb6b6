/* What a run costs beyond the tool itself: the process runner against plain
 * fork + exec + wait, in pairs of one each, in turn.
 *
 *   bench-runner [PAIRS [BALLAST_MB [PROGRAM]]]
 *
 * Prints the medians in microseconds, the median of the paired differences
 * and of the paired ratios.  BALLAST_MB: memory that culprit itself holds
 * while it forks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/file.h"
#include "../runners/runner.h"

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

static double run_process(const char *program, const char *tmp,
                          uint32_t flags) {
  const char *const argv[] = {program, NULL};
  const struct cul_command cmd = {.argv = argv, .cwd = "/"};
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
    ours[i] = run_process(program, tmp, flags);
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
  rmdir(tmp);
  free(memory);
  return 0;
}
