/* Own cpu per candidate, split into its steps.
 *
 * usage: bench-candidate FORM FILE [N [MUTATION...]]
 * Builds N candidates (default 200) of each mutation (of none and four usual
 * ones where none is named), one random site each,
 * one after the other, and writes the valid ones to a file, as a job does.
 * Per candidate: "all" is the cpu time, user and system, of this process, the
 * worker and its children to their last page given back (perf_event_open,
 * inherited); the steps are what the child measured; "rest" is all less the
 * steps: fork, messages, writing, exit.  No tool is run. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "child.h"

static const char *const usual[] = {"erase", "value-to-argument",
                                    "value-to-zero", "drop-attributes"};

struct bench {
  struct cul_worker *worker;
  struct cul_listed *sites;
  size_t n_sites, n, n_valid, n_died;
  uint64_t seed;
  double steps[CUL_N_CHILD_STEPS]; /* microseconds, summed */
  char *path;
};

struct counters {
  int cpu, faults;
};

struct totals {
  double cpu_ms, faults;
};

static int open_counter(uint64_t config) {
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                 .size = sizeof attr,
                                 .config = config,
                                 .inherit = 1};
  int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
  if (fd < 0) {
    perror("perf_event_open (see /proc/sys/kernel/perf_event_paranoid)");
    exit(6);
  }
  return fd;
}

static double read_counter(int fd) {
  uint64_t value = 0;
  return read(fd, &value, sizeof value) == sizeof value ? (double)value : 0;
}

static struct cul_edit pick(struct bench *bench) {
  const struct cul_listed *site;
  bench->seed = bench->seed * 6364136223846793005u + 1442695040888963407u;
  site = &bench->sites[(bench->seed >> 33) % bench->n_sites];
  return (struct cul_edit){site->mutation, site->site};
}

static void candidate(struct bench *bench) {
  struct cul_child *child;
  struct cul_child_built built;
  struct cul_err err = {0};
  struct cul_edit edit = {0};
  if (bench->n_sites)
    edit = pick(bench);
  if (cul_worker_begin(bench->worker, &edit, bench->n_sites ? 1 : 0, &child,
                       &err) < 0)
    die(&err);
  if (cul_child_built(child, &built, &err) < 0) {
    bench->n_died++;
  } else {
    for (size_t i = 0; i < CUL_N_CHILD_STEPS; i++)
      bench->steps[i] += built.cpu_us[i];
    bench->n_valid += built.valid;
    if (built.valid)
      write_child(child, bench->path);
  }
  cul_child_drop(child);
}

/* Children end on their own time: let the last one. */
static struct totals read_totals(const struct counters *counters) {
  usleep(50000);
  return (struct totals){read_counter(counters->cpu) / 1e6,
                         read_counter(counters->faults)};
}

static void run(struct bench *bench, const struct counters *counters,
                const char *name) {
  struct totals before = read_totals(counters), after;
  double n = (double)bench->n, steps = 0;
  bench->n_valid = bench->n_died = 0;
  memset(bench->steps, 0, sizeof bench->steps);
  for (size_t i = 0; i < bench->n; i++)
    candidate(bench);
  after = read_totals(counters);
  printf("%-24s %6zu %6zu %5zu %7.3f", name, bench->n_sites, bench->n_valid,
         bench->n_died, (after.cpu_ms - before.cpu_ms) / n);
  for (size_t i = 0; i < CUL_N_CHILD_STEPS; i++) {
    steps += bench->steps[i];
    printf(" %7.3f", bench->steps[i] / 1e3 / n);
  }
  printf(" %7.3f %7.0f\n", (after.cpu_ms - before.cpu_ms - steps / 1e3) / n,
         (after.faults - before.faults) / n);
}

static void run_mutation(struct bench *bench, const struct counters *counters,
                         const char *name) {
  struct cul_err err = {0};
  const struct cul_mutation_info *mutations;
  size_t n;
  uint32_t m = 0;
  free(bench->sites);
  bench->sites = NULL;
  mutations = cul_worker_mutations(bench->worker, &n);
  while (m < n && strcmp(mutations[m].name, name) != 0)
    m++;
  if (m == n) {
    printf("%-24s not for this form\n", name);
    return;
  }
  if (cul_worker_sites(bench->worker, &m, 1, 60000, &bench->sites,
                       &bench->n_sites, &err) < 0)
    die(&err);
  if (bench->n_sites)
    run(bench, counters, name);
  else
    printf("%-24s no sites\n", name);
}

static void open_session(struct bench *bench, enum cul_form form,
                         const char *path) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  struct cul_size size;
  struct cul_workers workers;
  cul_workers_init(&workers, NULL);
  if (cul_file_read(path, 0, &text, &err) < 0 ||
      cul_worker_open(&workers, (struct cul_reading){form, .check = true},
                      cul_buf_bytes(&text), 60000, &bench->worker, &err) < 0)
    die(&err);
  cul_worker_size(bench->worker, &size);
  printf("%s, %s: %llu operations, %llu bytes; milliseconds per candidate\n"
         "%-24s %6s %6s %5s %7s %7s %7s %7s %7s %7s %7s\n",
         path, cul_form_name(form), (unsigned long long)size.ops,
         (unsigned long long)size.bytes, "mutation", "sites", "valid", "died",
         "all", "apply", "check", "print", "digest", "rest", "faults");
  cul_buf_release(&text);
  cul_workers_release(&workers);
}

int main(int argc, char **argv) {
  struct bench bench = {.seed = 1, .n = 200};
  struct counters counters;
  enum cul_form form;
  if (argc < 3 || !cul_form_parse(argv[1], &form)) {
    fprintf(stderr, "usage: bench-candidate FORM FILE [N [MUTATION...]]\n");
    return 2;
  }
  if (argc > 3)
    bench.n = strtoul(argv[3], NULL, 10);
  /* Before the worker starts: it inherits them. */
  counters = (struct counters){open_counter(PERF_COUNT_SW_TASK_CLOCK),
                               open_counter(PERF_COUNT_SW_PAGE_FAULTS)};
  open_session(&bench, form, argv[2]);
  bench.path = cul_xasprintf("/tmp/bench-candidate-%d.mlir", (int)getpid());
  if (argc <= 4)
    run(&bench, &counters, "(none)");
  for (size_t i = 0; argc <= 4 && i < CUL_ARRAY_SIZE(usual); i++)
    run_mutation(&bench, &counters, usual[i]);
  for (int i = 4; i < argc; i++)
    run_mutation(&bench, &counters, argv[i]);
  cul_worker_close(bench.worker);
  unlink(bench.path);
  free(bench.path);
  free(bench.sites);
  return 0;
}
