/* Detects a command that takes longer than a reference or a bound.  Measures
 * the processor time of the whole tree, which load changes little, or the
 * quantity of --by: "kernels" is the time between events on a GPU, which the
 * engine "jit" prints with --time-kernels; a regular expression reads a value
 * that the command itself measured. */
#include "measured.h"

static double read_cpu(const struct cul_record *record) {
  return (double)record->cpu_us;
}

static double read_wall(const struct cul_record *record) {
  return (double)record->wall_us;
}

static const struct cul_gauge gauges[] = {
    {"cpu", "processor time", read_cpu, NULL},
    {"wall", "wall time", read_wall, NULL},
    {"kernels", "time in kernels", NULL, "^kernels: (\\S+) us$"},
    {NULL, NULL, NULL, NULL}};
static const struct cul_unit units[] = {
    {"m", 60e6}, {"s", 1e6}, {"ms", 1e3}, {"us", 1}, {NULL, 0}};
static const struct cul_quantity quantity = {.kind = CUL_KIND_SLOWER,
                                             .name = "slower",
                                             .metric = "time",
                                             .gauges = gauges,
                                             .units = units};

static bool slower_wanted(const struct cul_oracle_conf *conf) {
  return conf->measured.slower;
}

static int slower_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  return cul_measured_open(conf->rules, &conf->measured, &quantity, self, err);
}

const struct cul_oracle cul_oracle_slower = {
    .abi = CUL_ORACLE_ABI,
    .name = "slower",
    .summary = "longer than a reference takes, or than a bound",
    .wanted = slower_wanted,
    .open = slower_open,
    .learn = cul_measured_learn,
    .judge = cul_measured_judge,
    .describe = cul_measured_describe,
    .close = cul_measured_close,
    .whole = true,
};
