/* Reads the CSV of tracy's csvexport: a row for each zone, with the total, the
 * number of calls and their standard deviation, or (-u) a row for each call. */
#include <math.h>
#include <string.h>

#include "reader.h"

static bool tracy_sniff(struct cul_bytes head) {
  return cul_bytes_start(head, "name") && head.len > 13 &&
         memcmp(head.data + 5, "src_file", 8) == 0 &&
         (cul_profile_has(head, "total_ns") ||
          cul_profile_has(head, "exec_time_ns"));
}

/* Indices of columns; SIZE_MAX: none. */
struct table {
  size_t total, counts, deviation, each, n;
};

static void read_row(const struct cul_csv *csv, const struct table *table,
                     struct cul_profile *out) {
  bool sum = table->total != SIZE_MAX;
  uint32_t node = cul_profile_child(out, 0, csv->cells[0]);
  uint32_t metric =
      cul_profile_metric(out, (struct cul_bytes){"time", 4}, CUL_PROFILE_TIME);
  double value, n = 1, deviation = NAN;
  if (!cul_csv_number(csv->cells[sum ? table->total : table->each], &value)) {
    out->skipped++;
    return;
  }
  if (!sum) {
    cul_profile_add(out, node, metric, 1, value, 0);
    return;
  }
  if (table->counts == SIZE_MAX ||
      !cul_csv_number(csv->cells[table->counts], &n) || n < 1)
    n = 1;
  if (table->deviation == SIZE_MAX || n < 2 ||
      !cul_csv_number(csv->cells[table->deviation], &deviation))
    deviation = NAN;
  cul_profile_add(out, node, metric, n, value / n,
                  (n - 1) * deviation * deviation);
}

static int tracy_read(struct cul_bytes text, struct cul_profile *out,
                      struct cul_err *err) {
  struct cul_csv csv = {.text = text, .separator = text.data[4]};
  struct table table = {0};
  int rc = 0;
  if (cul_csv_next(&csv))
    table = (struct table){.total = cul_csv_column(&csv, "total_ns"),
                           .counts = cul_csv_column(&csv, "counts"),
                           .deviation = cul_csv_column(&csv, "std_ns"),
                           .each = cul_csv_column(&csv, "exec_time_ns"),
                           .n = csv.n};
  if (table.total == SIZE_MAX && table.each == SIZE_MAX)
    rc = cul_fail(err, CUL_EUSAGE, "write it again with csvexport",
                  "no column total_ns or exec_time_ns in its first line");
  while (rc == 0 && cul_csv_next(&csv)) {
    bool cut = cul_csv_is_cut(&csv, table.n);
    if (csv.n == table.n && !cut)
      read_row(&csv, &table, out);
    else if (csv.n > 1 || csv.cells[0].len)
      rc = cul_fail(err, CUL_EUSAGE, "write it again",
                    "line %zu has %zu cells, the first line %zu%s", csv.line,
                    csv.n, table.n, cut ? ": it is cut off" : "");
  }
  cul_csv_release(&csv);
  return rc;
}

const struct cul_profile_format cul_profile_tracy = {.name = "tracy",
                                                     .noun =
                                                         "csvexport of tracy",
                                                     .part = "zone",
                                                     .sniff = tracy_sniff,
                                                     .read = tracy_read};
