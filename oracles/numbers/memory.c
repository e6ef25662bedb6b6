/* Detects a command that uses more memory than a reference or a bound, or
 * memory that grows with the number of iterations. Measures the peak of the
 * largest process of the tree, as the kernel counts it. Peaks below culprit's
 * own memory at the start of the run cannot be measured: both sides then seem
 * equal, and no candidate is accepted because of it. */
#include "measured.h"

static double read_rss(const struct cul_record *record) {
  return (double)record->rss_bytes;
}

static const struct cul_gauge gauges[] = {
    {"rss", "peak memory", read_rss, NULL}, {NULL, NULL, NULL, NULL}};
static const struct cul_unit units[] = {
    {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"bytes", 1},
    {"GB", 1e9},      {"MB", 1e6},      {"kB", 1e3},      {"G", 1 << 30},
    {"M", 1 << 20},   {"K", 1 << 10},   {"B", 1},         {NULL, 0}};
static const struct cul_quantity quantity = {.kind = CUL_KIND_LARGER,
                                             .name = "memory",
                                             .metric = "bytes",
                                             .gauges = gauges,
                                             .units = units};

static bool memory_wanted(const struct cul_oracle_conf *conf) {
  return conf->measured.memory;
}

static int memory_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  return cul_measured_open(conf->rules, &conf->measured, &quantity, self, err);
}

const struct cul_oracle cul_oracle_memory = {
    .abi = CUL_ORACLE_ABI,
    .name = "memory",
    .summary =
        "more memory than a reference or a bound, or more in each iteration",
    .wanted = memory_wanted,
    .open = memory_open,
    .learn = cul_measured_learn,
    .judge = cul_measured_judge,
    .describe = cul_measured_describe,
    .close = cul_measured_close,
    .whole = true,
};
