/* Reads tables of Nsight Systems (nsys stats --format csv): summaries with the
 * total, the number of calls and the standard deviation for each name, and
 * traces with a duration for each call.  If a file has several tables, the rows
 * of all but the first are below a node with the name of their report. */
#include <math.h>
#include <string.h>

#include "reader.h"

static const char *const totals[] = {
    "Total Time (ns)", "Total Time (us)", "Total Time (ms)", "Total Time (s)",
    "Duration (ns)",   "Duration (us)",   "Duration (ms)",   "Duration (s)",
    "Total (MB)",      "Total (KB)"};
static const char *const calls[] = {"Instances", "Num Calls", "Count",
                                    "Operations"};
static const char *const names[] = {"Name", "Range", "Operation", "Kernel Name",
                                    "Event Type"};

static bool nsys_sniff(struct cul_bytes head) {
  bool total = false, name = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(totals); i++)
    total = total || cul_profile_has(head, totals[i]);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    name = name || cul_profile_has(head, names[i]);
  return total && name && cul_profile_has(head, ",");
}

struct table {
  size_t total, calls, deviation, name; /* indices of columns; SIZE_MAX: none */
  size_t n;
  enum cul_profile_class class;
  double size;
  uint32_t above; /* the parent node of its rows */
};

static size_t column_of(const struct cul_csv *csv, const char *const *words,
                        size_t n) {
  size_t at = SIZE_MAX;
  for (size_t i = 0; i < n && at == SIZE_MAX; i++)
    at = cul_csv_column(csv, words[i]);
  return at;
}

/* Is the row a header?  *table: its columns. */
static bool read_header(const struct cul_csv *csv, struct table *table) {
  struct cul_bytes title;
  *table =
      (struct table){.total = column_of(csv, totals, CUL_ARRAY_SIZE(totals)),
                     .calls = column_of(csv, calls, CUL_ARRAY_SIZE(calls)),
                     .deviation = SIZE_MAX,
                     .name = column_of(csv, names, CUL_ARRAY_SIZE(names)),
                     .n = csv->n};
  if (table->total == SIZE_MAX || table->name == SIZE_MAX)
    return false;
  title = csv->cells[table->total];
  table->size = cul_profile_unit_in(&title, &table->class);
  for (size_t i = 0; i < csv->n; i++)
    if (cul_bytes_start(csv->cells[i], "StdDev ("))
      table->deviation = i;
  return true;
}

static bool cell_number(const struct cul_csv *csv, size_t column, double *out) {
  return column != SIZE_MAX && cul_csv_number(csv->cells[column], out);
}

static void read_row(const struct cul_csv *csv, const struct table *table,
                     struct cul_profile *out) {
  bool time = table->class == CUL_PROFILE_TIME;
  const char *what = time ? "time" : "bytes";
  double total, n = 1, deviation = NAN;
  uint32_t metric, node;
  if (!cell_number(csv, table->total, &total)) {
    out->skipped++;
    return;
  }
  if (!cell_number(csv, table->calls, &n) || n < 1)
    n = 1;
  if (!cell_number(csv, table->deviation, &deviation))
    deviation = NAN;
  node = cul_profile_child(out, table->above, csv->cells[table->name]);
  metric = cul_profile_metric(out, (struct cul_bytes){what, strlen(what)},
                              table->class);
  deviation *= table->size;
  cul_profile_add(out, node, metric, n, table->size * total / n,
                  n > 1                      ? (n - 1) * deviation * deviation
                  : table->calls == SIZE_MAX ? 0
                                             : NAN);
}

/* The name of the report in "Processing [FILE.sqlite] with
 * [DIR/cuda_gpu_kern_sum.py]...". */
static struct cul_bytes report_of(struct cul_bytes line) {
  struct cul_bytes name = cul_bytes_behind(line, '[');
  const char *dot;
  if (!cul_bytes_start(line, "Processing ["))
    return (struct cul_bytes){0};
  name = cul_bytes_behind(name, '/');
  dot = name.len ? memchr(name.data, '.', name.len) : NULL;
  name.len = dot ? (size_t)(dot - name.data) : name.len;
  return name;
}

static int nsys_read(struct cul_bytes text, struct cul_profile *out,
                     struct cul_err *err) {
  struct cul_csv csv = {.text = text, .separator = ','};
  struct table table = {0}, header;
  struct cul_buf report = {0};
  size_t tables = 0;
  int rc = 0;
  while (rc == 0 && cul_csv_next(&csv)) {
    struct cul_bytes name = report_of(csv.cells[0]);
    if (name.len) {
      cul_buf_clear(&report);
      cul_buf_add(&report, name.data, name.len);
    } else if (read_header(&csv, &header)) {
      table = header;
      if (++tables > 1 && report.len == 0)
        cul_buf_addf(&report, "table %zu", tables);
      if (tables > 1)
        table.above = cul_profile_child(out, 0, cul_buf_bytes(&report));
      cul_buf_clear(&report);
    } else if (tables && cul_csv_is_cut(&csv, table.n)) {
      rc = cul_fail(err, CUL_EUSAGE, "write it again", "cut off in line %zu",
                    csv.line);
    } else if (tables && csv.n == table.n) {
      read_row(&csv, &table, out);
    } else {
      out->skipped += tables && csv.n > 1;
    }
  }
  if (rc == 0 && !tables)
    rc =
        cul_fail(err, CUL_EUSAGE, "write it again with nsys stats --format csv",
                 "no header with a time and a name");
  cul_buf_release(&report);
  cul_csv_release(&csv);
  return rc;
}

const struct cul_profile_format cul_profile_nsys = {.name = "nsys",
                                                    .noun = "nsys table",
                                                    .part = "name",
                                                    .sniff = nsys_sniff,
                                                    .read = nsys_read};
