/* Reads the CSV of Nsight Compute (ncu --csv): one row for each launch and
 * metric, or (--page raw) one row for each launch, with a column for each
 * metric and a row of units below the header.  Lines before the header
 * ("==PROF== ...", output of the program) are skipped.  A node is a kernel. */
#include <string.h>

#include "reader.h"

static bool ncu_sniff(struct cul_bytes head) {
  return cul_profile_has(head, "\"ID\",") &&
         cul_profile_has(head, "\"Kernel Name\",");
}

static bool is_sum(const char *name, enum cul_profile_class class) {
  if (strchr(name, '.'))
    return cul_text_ends(name, ".sum");
  return strcmp(name, "Duration") == 0 || strcmp(name, "Elapsed Cycles") == 0 ||
         class == CUL_PROFILE_COUNT;
}

static void add_value(struct cul_profile *out, struct cul_bytes kernel,
                      struct cul_bytes name, struct cul_bytes unit,
                      double value) {
  enum cul_profile_class class;
  double size = cul_profile_unit(unit, &class);
  uint32_t node = cul_profile_child(out, 0, kernel);
  uint32_t metric = cul_profile_metric(out, name, class);
  const char *known = out->metrics[metric].name;
  out->metrics[metric].mean = !is_sum(known, class);
  if (strcmp(known, "gpu__time_duration.sum") == 0 ||
      strcmp(known, "Duration") == 0)
    out->usual = metric;
  cul_profile_add(out, node, metric, 1, size * value, 0);
}

/* The columns of one table. */
struct table {
  size_t kernel, name, unit, value; /* SIZE_MAX: none */
  size_t n;                         /* number of columns */
};

static void read_row(const struct cul_csv *csv, const struct table *table,
                     struct cul_profile *out) {
  double value;
  if (cul_csv_number(csv->cells[table->value], &value))
    add_value(out, csv->cells[table->kernel], csv->cells[table->name],
              table->unit == SIZE_MAX ? (struct cul_bytes){0}
                                      : csv->cells[table->unit],
              value);
  else
    out->skipped++;
}

/* Copies of the rows of names and units of --page raw. */
struct wide {
  struct cul_csv names, units;
};

static void read_wide(const struct cul_csv *csv, const struct table *table,
                      const struct wide *wide, struct cul_profile *out) {
  double value;
  for (size_t i = table->kernel + 1; i < csv->n; i++)
    if (cul_csv_number(csv->cells[i], &value))
      add_value(out, csv->cells[table->kernel], wide->names.cells[i],
                i < wide->units.n ? wide->units.cells[i]
                                  : (struct cul_bytes){0},
                value);
}

/* Read the rows of one table; csv has just read its header. */
static int read_table(struct cul_csv *csv, struct cul_profile *out,
                      struct cul_err *err) {
  struct table table = {.kernel = cul_csv_column(csv, "Kernel Name"),
                        .name = cul_csv_column(csv, "Metric Name"),
                        .unit = cul_csv_column(csv, "Metric Unit"),
                        .value = cul_csv_column(csv, "Metric Value"),
                        .n = csv->n};
  bool narrow = table.name != SIZE_MAX && table.value != SIZE_MAX;
  struct wide wide = {0};
  if (!narrow) { /* parse the same row with a second reader, so that its cells
                    stay valid */
    wide.names = (struct cul_csv){.text = csv->text, .separator = ','};
    while (wide.names.line < csv->line && cul_csv_next(&wide.names))
      continue;
  }
  while (cul_csv_next(csv)) {
    bool unit =
        !narrow && !wide.units.n && csv->n == table.n && csv->cells[0].len == 0;
    if (cul_csv_is_cut(csv, table.n)) {
      cul_fail(err, CUL_EUSAGE, "write it again", "cut off in line %zu",
               csv->line);
      break;
    }
    if (unit) {
      wide.units = (struct cul_csv){.text = csv->text, .separator = ','};
      while (wide.units.line < csv->line && cul_csv_next(&wide.units))
        continue;
    } else if (csv->n != table.n) {
      out->skipped += csv->n > 1;
    } else if (narrow) {
      read_row(csv, &table, out);
    } else {
      read_wide(csv, &table, &wide, out);
    }
  }
  cul_csv_release(&wide.names);
  cul_csv_release(&wide.units);
  return err->code;
}

static int ncu_read(struct cul_bytes text, struct cul_profile *out,
                    struct cul_err *err) {
  struct cul_csv csv = {.text = text, .separator = ','};
  bool found = false;
  int rc = 0;
  while (!found && cul_csv_next(&csv))
    found = csv.n > 2 && cul_bytes_is(csv.cells[0], "ID") &&
            cul_csv_column(&csv, "Kernel Name") != SIZE_MAX;
  if (found)
    rc = read_table(&csv, out, err);
  else
    rc = cul_fail(err, CUL_EUSAGE, "write it again with ncu --csv",
                  "no header with the columns ID and Kernel Name");
  cul_csv_release(&csv);
  return rc;
}

const struct cul_profile_format cul_profile_ncu = {.name = "ncu",
                                                   .noun = "ncu CSV",
                                                   .part = "kernel",
                                                   .sniff = ncu_sniff,
                                                   .read = ncu_read};
