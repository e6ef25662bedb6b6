/* A matrix as a table, for people: see matrix.h.  Rows are the values of all
 * axes but the last, whose values are the columns. */
#include <stdlib.h>
#include <string.h>

#include "../../base/page/markup.h"
#include "../../base/visible.h"
#include "../report/fields.h"
#include "matrix.h"

struct table {
  char **cells; /* rows * columns; the first row and column are headings */
  size_t rows, columns;
};

/* The mark of a cell: FAILS 1/3 if its runs disagree. */
static char *mark_of(const json_t *cell) {
  const char *answer = cul_field_text(cell, "answer");
  long long fails = cul_field_number(cell, "fails"),
            runs = cul_field_number(cell, "runs");
  if (strcmp(answer, "same failure") == 0)
    return fails == runs ? cul_xstrdup("FAILS")
                         : cul_xasprintf("FAILS %lld/%lld", fails, runs);
  if (strcmp(answer, "other failure") == 0)
    return cul_xstrdup("other");
  return cul_xstrdup(strcmp(answer, "passes") == 0 ? "passes" : "?");
}

/* The values of all axes but the last, joined. */
static char *row_name(const json_t *report, const json_t *cell) {
  const json_t *axes = json_object_get(report, "axes");
  const json_t *values = json_object_get(cell, "values");
  struct cul_buf out = {0};
  for (size_t k = 0; k + 1 < json_array_size(axes); k++) {
    const char *name = cul_field_text(json_array_get(axes, k), "name");
    cul_buf_addf(&out, "%s%s=%s", k ? ", " : "", name,
                 cul_field_text(values, name));
  }
  return cul_buf_take(&out);
}

static struct table table_of(const json_t *report) {
  const json_t *axes = json_object_get(report, "axes");
  const json_t *cells = json_object_get(report, "cells");
  const json_t *last = json_array_get(axes, json_array_size(axes) - 1);
  const json_t *values = json_object_get(last, "values");
  size_t n = json_array_size(values);
  size_t rows = n > 0 ? json_array_size(cells) / n : 0;
  struct table table = {.rows = rows + 1, .columns = n + 1};
  table.cells = cul_xcalloc(table.rows * table.columns, sizeof *table.cells);
  table.cells[0] = cul_xstrdup("");
  for (size_t c = 0; c < n; c++)
    table.cells[c + 1] =
        cul_xasprintf("%s=%s", cul_field_text(last, "name"),
                      cul_field_string(json_array_get(values, c)));
  for (size_t r = 0; r < rows; r++) {
    char **row = table.cells + (r + 1) * table.columns;
    row[0] = row_name(report, json_array_get(cells, r * n));
    for (size_t c = 0; c < n; c++)
      row[c + 1] = mark_of(json_array_get(cells, r * n + c));
  }
  return table;
}

static void release_table(struct table *table) {
  for (size_t i = 0; i < table->rows * table->columns; i++)
    free(table->cells[i]);
  free(table->cells);
}

static size_t width_of(const struct table *table, size_t column) {
  size_t width = 0;
  for (size_t r = 0; r < table->rows; r++) {
    size_t n = strlen(table->cells[r * table->columns + column]);
    width = n > width ? n : width;
  }
  return width;
}

/* bar: the text before, between and after the columns. */
static void say_row(const struct table *table, size_t row, const char *bar,
                    struct cul_buf *out) {
  cul_buf_adds(out, bar);
  for (size_t c = 0; c < table->columns; c++)
    cul_buf_addf(out, " %-*s %s", (int)width_of(table, c),
                 table->cells[row * table->columns + c], bar);
  while (out->len && out->data[out->len - 1] == ' ')
    out->len--;
  cul_buf_addc(out, '\n');
}

/* page: as items of a list in Markdown. */
static void say_others(const json_t *report, bool page, struct cul_buf *out) {
  const json_t *cells = json_object_get(report, "cells"), *cell;
  size_t i;
  json_array_foreach(cells, i, cell) {
    bool other = strcmp(cul_field_text(cell, "answer"), "other failure") == 0;
    bool unknown = strcmp(cul_field_text(cell, "answer"), "unresolved") == 0;
    struct cul_buf words = {0};
    if (!other && !unknown)
      continue;
    cul_field_pairs(json_object_get(cell, "values"), "=", &words);
    cul_buf_addf(&words, ": %s", cul_field_text(cell, other ? "title" : "why"));
    cul_buf_adds(out, page ? "\n- " : "otherwise: ");
    if (page)
      cul_markdown_words(cul_buf_str(&words), out);
    else
      cul_buf_add(out, words.data, words.len);
    cul_buf_addc(out, '\n');
    cul_buf_release(&words);
  }
}

void cul_matrix_say(const json_t *report, struct cul_buf *out) {
  const json_t *runs = json_object_get(report, "runs");
  struct table table = table_of(report);
  cul_field_sought(
      report, cul_field_text(json_object_get(report, "signature"), "title"),
      out);
  cul_buf_addc(out, '\n');
  for (size_t r = 0; r < table.rows; r++)
    say_row(&table, r, "", out);
  release_table(&table);
  cul_buf_addf(out, "\nblame:     %s\n",
               cul_field_text(json_object_get(report, "blame"), "sentence"));
  say_others(report, false, out);
  if (json_is_true(json_object_get(report, "flaky")))
    cul_buf_adds(out, "flaky:     equal runs ended differently\n");
  cul_buf_addf(out, "runs:      %lld, and %lld known\n",
               cul_field_number(runs, "executed"),
               cul_field_number(runs, "cached"));
}

/* Escape the cells as words of Markdown. */
static void escape_cells(struct table *table) {
  for (size_t i = 0; i < table->rows * table->columns; i++) {
    struct cul_buf text = {0};
    cul_markdown_words(table->cells[i], &text);
    free(table->cells[i]);
    table->cells[i] = cul_buf_take(&text);
  }
}

void cul_matrix_page(const json_t *report, struct cul_buf *out) {
  struct table table = table_of(report);
  escape_cells(&table);
  cul_buf_adds(out, "**");
  cul_markdown_words(
      cul_field_text(json_object_get(report, "signature"), "title"), out);
  cul_buf_adds(out, "**\n\n");
  say_row(&table, 0, "|", out);
  for (size_t c = 0; c < table.columns; c++)
    cul_buf_adds(out, c ? "---|" : "|---|");
  cul_buf_addc(out, '\n');
  for (size_t r = 1; r < table.rows; r++)
    say_row(&table, r, "|", out);
  release_table(&table);
  cul_buf_addc(out, '\n');
  cul_markdown_words(
      cul_field_text(json_object_get(report, "blame"), "sentence"), out);
  cul_buf_adds(out, ".\n");
  say_others(report, true, out);
  cul_visible_make(out);
}
