/* Candidates per second through a worker: begin, wait for BUILT, drop.
 *
 * usage: bench-worker FORM FILE [SECONDS [MUTATION...]]
 * For the identity and for each mutation (default: all of the form): one
 * random site per candidate, one candidate at a time and two; the middle time
 * from begin to BUILT. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../reducer/worker/worker.h"

#define MAX_OPEN 2
#define MAX_TIMES 200000

struct bench {
  struct cul_worker *worker;
  struct cul_listed *sites;
  size_t n_sites;
  uint64_t seed;
  uint32_t *times; /* microseconds from begin to BUILT */
  size_t n_times, n_invalid, n_died;
};

struct slot {
  struct cul_child *child;
  uint64_t begun;
};

static _Noreturn void die(const struct cul_err *err) {
  fprintf(stderr, "error: %s\n", err->what);
  exit(cul_exit_status(err->code));
}

static void begin(struct bench *bench, struct slot *slot) {
  struct cul_err err = {0};
  struct cul_edit edit = {0};
  if (bench->n_sites) {
    bench->seed = bench->seed * 6364136223846793005u + 1442695040888963407u;
    const struct cul_listed *site =
        &bench->sites[(bench->seed >> 33) % bench->n_sites];
    edit = (struct cul_edit){site->mutation, site->site};
  }
  slot->begun = cul_now_us();
  if (cul_worker_begin(bench->worker, &edit, bench->n_sites ? 1 : 0,
                       &slot->child, &err) < 0)
    die(&err);
}

static void finish(struct bench *bench, struct slot *slot) {
  struct cul_child_built built;
  struct cul_err err = {0};
  if (cul_child_built(slot->child, &built, &err) < 0)
    bench->n_died++;
  else
    bench->n_invalid += !built.valid;
  if (bench->n_times < MAX_TIMES)
    bench->times[bench->n_times++] = (uint32_t)(cul_now_us() - slot->begun);
  cul_child_drop(slot->child);
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* One row: `open` candidates at a time for so long. */
static void run(struct bench *bench, const char *name, int open,
                double seconds) {
  struct slot slots[MAX_OPEN];
  struct pollfd fds[MAX_OPEN];
  uint64_t start = cul_now_us(), now = start;
  bench->n_times = bench->n_invalid = bench->n_died = 0;
  for (int i = 0; i < open; i++)
    begin(bench, &slots[i]);
  while (now < start + (uint64_t)(seconds * 1e6)) {
    for (int i = 0; i < open; i++)
      fds[i] = (struct pollfd){cul_child_fd(slots[i].child), POLLIN, 0};
    poll(fds, (nfds_t)open, -1);
    for (int i = 0; i < open; i++)
      if (fds[i].revents) {
        finish(bench, &slots[i]);
        begin(bench, &slots[i]);
      }
    now = cul_now_us();
  }
  for (int i = 0; i < open; i++)
    cul_child_drop(slots[i].child);
  qsort(bench->times, bench->n_times, sizeof *bench->times, compare);
  printf("%-28s %8zu %4d %9.0f %9.3f %8zu %6zu\n", name, bench->n_sites, open,
         (double)bench->n_times * 1e6 / (double)(now - start),
         bench->n_times ? bench->times[bench->n_times / 2] / 1e3 : 0.0,
         bench->n_invalid, bench->n_died);
}

static void run_mutation(struct bench *bench, uint32_t mutation,
                         const char *name, double seconds) {
  struct cul_err err = {0};
  free(bench->sites);
  bench->sites = NULL;
  if (cul_worker_sites(bench->worker, &mutation, 1, 60000, &bench->sites,
                       &bench->n_sites, &err) < 0)
    die(&err);
  for (int open = 1; bench->n_sites && open <= MAX_OPEN; open++)
    run(bench, name, open, seconds);
}

static bool is_wanted(int argc, char **argv, const char *name) {
  for (int i = 4; i < argc; i++)
    if (strcmp(argv[i], name) == 0)
      return true;
  return argc <= 4;
}

/* The first worker starts the program, the others are forks of it. */
static void run_open(struct bench *bench, struct cul_workers *workers,
                     enum cul_form form, struct cul_bytes text) {
  struct cul_err err = {0};
  printf("opened after ms:");
  for (int i = 0; i < 4; i++) {
    uint64_t start = cul_now_us();
    cul_worker_close(bench->worker);
    if (cul_worker_open(workers, (struct cul_reading){form, .check = true},
                        text, 60000, &bench->worker, &err) < 0)
      die(&err);
    printf(" %.1f", (double)(cul_now_us() - start) / 1e3);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  struct bench bench = {.seed = 1};
  struct cul_buf text = {0};
  struct cul_err err = {0};
  enum cul_form form;
  const struct cul_mutation_info *mutations;
  double seconds = argc > 3 ? strtod(argv[3], NULL) : 1;
  size_t n;
  if (argc < 3 || !cul_form_parse(argv[1], &form)) {
    fprintf(stderr, "usage: bench-worker FORM FILE [SECONDS [MUTATION...]]\n");
    return 2;
  }
  struct cul_workers workers;
  cul_workers_init(&workers, NULL);
  if (cul_file_read(argv[2], 0, &text, &err) < 0)
    die(&err);
  run_open(&bench, &workers, form, cul_buf_bytes(&text));
  bench.times = cul_xcalloc(MAX_TIMES, sizeof *bench.times);
  printf("%-28s %8s %4s %9s %9s %8s %6s\n", "mutation", "sites", "open",
         "per s", "ms", "invalid", "died");
  for (int open = 1; open <= MAX_OPEN; open++)
    run(&bench, "(none)", open, seconds);
  mutations = cul_worker_mutations(bench.worker, &n);
  for (uint32_t i = 0; i < n; i++)
    if (is_wanted(argc, argv, mutations[i].name))
      run_mutation(&bench, i, mutations[i].name, seconds);
  cul_worker_close(bench.worker);
  free(bench.times);
  free(bench.sites);
  cul_workers_release(&workers);
  cul_buf_release(&text);
  return 0;
}
