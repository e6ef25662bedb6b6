/* Reads the JSON of google-benchmark (--benchmark_format=json).  Each
 * repetition of a benchmark is a sample.  If only aggregates were written,
 * "mean" and "stddev" stand for the repetitions. */
#include <math.h>
#include <string.h>

#include "reader.h"

static bool benchmark_sniff(struct cul_bytes head) {
  return cul_profile_begins(head, '{') &&
         cul_profile_has(head, "\"context\"") &&
         cul_profile_has(head, "\"benchmarks\"");
}

static const char *string_of(const json_t *entry, const char *key) {
  const char *text = json_string_value(json_object_get(entry, key));
  return text ? text : "";
}

/* Is the key one of those that describe an entry?  All others are counters. */
static bool is_about(const char *key) {
  static const char *const keys[] = {"family_index",
                                     "per_family_instance_index",
                                     "repetitions",
                                     "repetition_index",
                                     "threads",
                                     "iterations",
                                     "cv",
                                     "rms",
                                     "cpu_coefficient",
                                     "real_coefficient"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(keys); i++)
    if (strcmp(key, keys[i]) == 0)
      return true;
  return false;
}

static uint32_t node_of(const json_t *entry, struct cul_profile *out) {
  const char *name = string_of(entry, "run_name");
  if (!*name)
    name = string_of(entry, "name");
  return cul_profile_child(out, 0, (struct cul_bytes){name, strlen(name)});
}

/* Add the numbers of an entry.  deviation: the entry with the standard
 * deviations of n repetitions, or NULL. */
static void add_numbers(const json_t *entry, const json_t *deviation, double n,
                        struct cul_profile *out) {
  const char *unit = string_of(entry, "time_unit"), *key;
  uint32_t node = node_of(entry, out);
  const json_t *value;
  json_object_foreach((json_t *)(uintptr_t)entry, key, value) {
    bool time = strcmp(key, "real_time") == 0 || strcmp(key, "cpu_time") == 0;
    enum cul_profile_class class;
    double size =
        cul_profile_unit((struct cul_bytes){unit, strlen(unit)}, &class);
    double spread = size * json_number_value(json_object_get(deviation, key));
    uint32_t metric;
    if (json_is_null(value))
      out->skipped++;
    if (!json_is_number(value) || is_about(key))
      continue;
    metric = cul_profile_metric(out, (struct cul_bytes){key, strlen(key)},
                                time ? CUL_PROFILE_TIME : CUL_PROFILE_OTHER);
    out->metrics[metric].mean = true;
    size = time ? size : 1;
    if (!deviation)
      cul_profile_add(out, node, metric, n, size * json_number_value(value),
                      n > 1 ? NAN : 0);
    else
      cul_profile_add(out, node, metric, n, size * json_number_value(value),
                      (n - 1) * spread * spread);
  }
}

static bool is_aggregate(const json_t *entry) {
  return strcmp(string_of(entry, "run_type"), "aggregate") == 0;
}

/* Note that a benchmark failed or was skipped; false: neither. */
static bool note_failure(const json_t *entry, struct cul_profile *out) {
  bool error = json_is_true(json_object_get(entry, "error_occurred"));
  const char *why = string_of(entry, error ? "error_message" : "skip_message");
  struct cul_profile_node *node;
  if (!error && !json_is_true(json_object_get(entry, "skipped")))
    return false;
  node = &out->nodes[node_of(entry, out)];
  if (!node->failure)
    node->failure = cul_xasprintf("%s%s%.300s", error ? "error" : "skipped",
                                  *why ? ": " : "", why);
  return true;
}

/* Add a "mean" row, with the "stddev" row among the three rows after it. */
static void add_aggregate(const json_t *all, size_t at, const char *last,
                          struct cul_profile *out) {
  const json_t *entry = json_array_get(all, at), *deviation = NULL;
  const char *run = string_of(entry, "run_name");
  double n = json_number_value(json_object_get(entry, "repetitions"));
  if (strcmp(string_of(entry, "aggregate_name"), "mean") != 0 ||
      strcmp(run, last) == 0)
    return;
  for (size_t i = at + 1; i < at + 4 && !deviation; i++) {
    const json_t *other = json_array_get(all, i);
    if (strcmp(string_of(other, "run_name"), run) == 0 &&
        strcmp(string_of(other, "aggregate_name"), "stddev") == 0)
      deviation = other;
  }
  add_numbers(entry, deviation, n >= 1 ? n : 1, out);
}

static int benchmark_read(struct cul_bytes text, struct cul_profile *out,
                          struct cul_err *err) {
  json_t *json = cul_profile_json(text, NULL, err);
  const json_t *all = json_object_get(json, "benchmarks"), *entry;
  const char *last = ""; /* name of the benchmark of the last repetition */
  size_t i;
  int rc = 0;
  if (!json)
    return err->code;
  if (!json_is_array(all))
    rc = cul_fail(err, CUL_EUSAGE, "write it again",
                  "\"benchmarks\" is not a list");
  json_array_foreach(all, i, entry) {
    if (note_failure(entry, out)) {
      out->skipped++;
    } else if (is_aggregate(entry)) {
      add_aggregate(all, i, last, out);
    } else {
      last = string_of(entry, "run_name");
      add_numbers(entry, NULL, 1, out);
    }
  }
  json_decref(json);
  return rc;
}

const struct cul_profile_format cul_profile_benchmark = {
    .name = "benchmark",
    .noun = "google-benchmark result",
    .part = "benchmark",
    .apart = true,
    .json = true,
    .sniff = benchmark_sniff,
    .read = benchmark_read};
