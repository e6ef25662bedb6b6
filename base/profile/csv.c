/* CSV in profiles (RFC 4180): see reader.h. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

enum { MOST_DIGITS = 64 };

void cul_csv_release(struct cul_csv *csv) {
  cul_buf_release(&csv->bytes);
  free(csv->cells);
  csv->cells = NULL;
}

/* Append the cell at csv->at, without its quotes.  In a cell that does not
 * begin with a quote, quotes are ordinary characters. */
static void take_cell(struct cul_csv *csv) {
  const char *text = csv->text.data;
  size_t first = csv->at;
  bool quotes = csv->at < csv->text.len && text[csv->at] == '"';
  csv->open = false;
  for (; csv->at < csv->text.len; csv->at++) {
    char c = text[csv->at];
    if (quotes && c == '"' && csv->open && csv->at + 1 < csv->text.len &&
        text[csv->at + 1] == '"')
      cul_buf_addc(&csv->bytes, text[csv->at++]);
    else if (quotes && c == '"')
      csv->open = csv->at == first;
    else if (!csv->open && (c == csv->separator || c == '\n'))
      break;
    else if (csv->open || c != '\r')
      cul_buf_addc(&csv->bytes, c);
    csv->line += c == '\n';
  }
}

bool cul_csv_next(struct cul_csv *csv) {
  size_t from = 0;
  if (csv->at >= csv->text.len)
    return false;
  if (csv->line++ > 0)
    csv->at++; /* the newline that ended the last row */
  cul_buf_clear(&csv->bytes);
  csv->n = 0;
  if (csv->at >= csv->text.len)
    return false;
  for (;; csv->at++) {
    take_cell(csv);
    /* data is set below, because the bytes may move */
    CUL_XADD(csv->cells, csv->n, csv->cap) =
        (struct cul_bytes){NULL, csv->bytes.len - from};
    from = csv->bytes.len;
    if (csv->at >= csv->text.len || csv->text.data[csv->at] == '\n')
      break;
  }
  from = 0;
  for (size_t i = 0; i < csv->n; i++) {
    csv->cells[i].data = cul_buf_str(&csv->bytes) + from;
    from += csv->cells[i].len;
  }
  return true;
}

bool cul_csv_is_cut(const struct cul_csv *csv, size_t columns) {
  return csv->open ||
         (csv->at >= csv->text.len && csv->n > 1 && csv->n < columns);
}

size_t cul_csv_column(const struct cul_csv *csv, const char *name) {
  for (size_t i = 0; i < csv->n; i++)
    if (cul_bytes_is(csv->cells[i], name))
      return i;
  return SIZE_MAX;
}

bool cul_csv_number(struct cul_bytes cell, double *out) {
  char digits[MOST_DIGITS], *end;
  size_t n = 0;
  bool fraction = false;
  for (size_t i = 0; i < cell.len; i++) {
    char c = cell.data[i];
    size_t group = 0;
    fraction = fraction || c == '.';
    while (c == ',' && i + 1 + group < cell.len &&
           isdigit((unsigned char)cell.data[i + 1 + group]))
      group++;
    if (c == ',' && (group != 3 || fraction || i == 0))
      return false; /* not a group of thousands */
    if (c == ',')
      continue;
    if (!(isdigit((unsigned char)c) || memchr("+-.eE", c, 5)) ||
        n + 1 == MOST_DIGITS)
      return false;
    digits[n++] = c;
  }
  digits[n] = '\0';
  *out = strtod(digits, &end);
  return n && !*end && isfinite(*out);
}
