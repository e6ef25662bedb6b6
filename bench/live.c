/* A candidate run where it is held against one written and given to a tool.
 *
 * usage: bench-live FILE N COMMAND... -- ENGINE...
 * COMMAND is that of a job, with @@ for the file; ENGINE is what does the same
 * in-process, as the job's report.json has it (engine.words).  In turn N times:
 * the identity candidate is begun and run live; it is begun, written and run by
 * the command.  Prints cpu and wall time of each, from begin to the record, the
 * middle of N, their ratio, the middle of the N pairs, and candidates a second
 * of processor time.  bench/inside does so with cases of a corpus. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../runners/runner.h"
#include "child.h"

struct bench {
  struct cul_worker *worker;
  char dir[32], tmp[48], file[48];
  struct cul_command live, tool;
};

struct cost {
  double cpu, wall; /* milliseconds */
  enum cul_end end;
  int status;
};

static struct cost run(struct bench *bench, bool live) {
  struct cul_child *child;
  struct cul_child_built built;
  struct cul_record record = {0};
  struct cul_err err = {0};
  const struct cul_runner *runner = cul_runner_find(live ? "live" : "process");
  struct cul_artefact art = {.dir = bench->dir, .file = "m.mlir"};
  struct cul_request request = {.role = "suspect",
                                .cmd = live ? &bench->live : &bench->tool,
                                .wall_ms = 60000};
  uint64_t start = cul_now_us();
  struct cost cost;
  if (cul_worker_begin(bench->worker, NULL, 0, &child, &err) < 0 ||
      cul_child_built(child, &built, &err) < 0)
    die(&err);
  art.live_fd = live ? cul_child_fd(child) : -1;
  if (!live)
    write_child(child, bench->file);
  if (cul_run_wait(runner, &art, &request, bench->tmp, NULL, &record, &err) < 0)
    die(&err);
  cost = (struct cost){(double)record.cpu_us / 1e3,
                       (double)(cul_now_us() - start) / 1e3, record.end,
                       record.status};
  for (int i = 0; i < CUL_N_CHILD_STEPS; i++)
    cost.cpu += built.cpu_us[i] / 1e3;
  cul_child_drop(child);
  cul_record_release(&record);
  return cost;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double middle(double *values, size_t n) {
  qsort(values, n, sizeof *values, compare);
  return values[n / 2];
}

static void measure(struct bench *bench, size_t n) {
  enum { LIVE_CPU, TOOL_CPU, CPU, LIVE_WALL, TOOL_WALL, WALL, ROWS };
  double *rows[ROWS];
  struct cost live, tool;
  for (int i = 0; i < ROWS; i++)
    rows[i] = cul_xcalloc(n, sizeof *rows[i]);
  for (size_t i = 0; i < n; i++) {
    live = run(bench, true);
    tool = run(bench, false);
    rows[LIVE_CPU][i] = live.cpu, rows[TOOL_CPU][i] = tool.cpu;
    rows[LIVE_WALL][i] = live.wall, rows[TOOL_WALL][i] = tool.wall;
    rows[CPU][i] = tool.cpu / live.cpu;
    rows[WALL][i] = tool.wall / live.wall;
  }
  printf("ends: live %d/%d, tool %d/%d\n", live.end, live.status, tool.end,
         tool.status);
  printf("cpu ms:  live %.2f, tool %.2f, ratio %.1f\n",
         middle(rows[LIVE_CPU], n), middle(rows[TOOL_CPU], n),
         middle(rows[CPU], n));
  printf("per second of cpu: live %.0f, tool %.1f\n",
         1000 / middle(rows[LIVE_CPU], n), 1000 / middle(rows[TOOL_CPU], n));
  printf("wall ms: live %.2f, tool %.2f, ratio %.1f\n",
         middle(rows[LIVE_WALL], n), middle(rows[TOOL_WALL], n),
         middle(rows[WALL], n));
  for (int i = 0; i < ROWS; i++)
    free(rows[i]);
}

/* The words up to "--", or all; NULL terminated, in place. */
static const char *const *take_words(char **words, char ***rest) {
  char **at = words;
  while (*at && strcmp(*at, "--") != 0)
    at++;
  *rest = *at ? at + 1 : at;
  *at = NULL;
  return (const char *const *)words;
}

static void open_session(struct bench *bench, const char *path) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  struct cul_workers workers;
  cul_workers_init(&workers, NULL);
  if (cul_file_read(path, 0, &text, &err) < 0 ||
      cul_worker_open(&workers,
                      (struct cul_reading){CUL_FORM_NATIVE, .check = true},
                      cul_buf_bytes(&text), 60000, &bench->worker, &err) < 0 ||
      cul_worker_warm(bench->worker, bench->live.argv, &err) < 0)
    die(&err);
  cul_buf_release(&text);
  cul_workers_release(&workers);
}

int main(int argc, char **argv) {
  struct bench bench = {.dir = "/tmp/culprit-bench-XXXXXX"};
  struct cul_err err = {0};
  char **engine;
  if (argc < 5 || atoi(argv[2]) < 1 || !mkdtemp(bench.dir)) {
    fprintf(stderr, "usage: bench-live FILE N COMMAND... -- ENGINE...\n");
    return 2;
  }
  snprintf(bench.tmp, sizeof bench.tmp, "%s/tmp", bench.dir);
  snprintf(bench.file, sizeof bench.file, "%s/m.mlir", bench.dir);
  if (cul_mkdirs(bench.tmp, 0700, &err) < 0)
    die(&err);
  bench.tool =
      (struct cul_command){.argv = take_words(argv + 3, &engine), .cwd = "."};
  bench.live =
      (struct cul_command){.argv = take_words(engine, &engine), .cwd = "."};
  open_session(&bench, argv[1]);
  measure(&bench, (size_t)atoi(argv[2]));
  cul_worker_close(bench.worker);
  cul_rmtree(bench.dir);
  return 0;
}
