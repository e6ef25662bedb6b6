/* Functions for readers of profiles: building a profile, JSON, CSV, units. */
#ifndef CUL_BASE_PROFILE_READER_H
#define CUL_BASE_PROFILE_READER_H

#include <jansson.h>

#include "profile.h"

/* ---- building a profile ---- */

/* The child of that name, added if necessary. At a limit, parent is
 * returned. */
uint32_t cul_profile_child(struct cul_profile *profile, uint32_t parent,
                           struct cul_bytes name);
/* The metric of that name, added if necessary. */
uint32_t cul_profile_metric(struct cul_profile *profile, struct cul_bytes name,
                            enum cul_profile_class class);
/* Add n samples with this mean; squares: the sum of their squared deviations,
 * NaN: unknown.  A value that is not finite is counted as skipped. */
void cul_profile_add(struct cul_profile *profile, uint32_t node,
                     uint32_t metric, double n, double mean, double squares);

/* The size of a unit ("usecond", "us", "MB", "Kbyte/second") in nanoseconds or
 * bytes; 1 for other units.  *class: what it measures. */
double cul_profile_unit(struct cul_bytes unit, enum cul_profile_class *class);
/* The same for a unit in parentheses at the end of *name ("Total Time (ns)"),
 * which is removed from *name. */
double cul_profile_unit_in(struct cul_bytes *name,
                           enum cul_profile_class *class);

/* ---- JSON ---- */

/* Does the text begin, after white space, with this character? */
bool cul_profile_begins(struct cul_bytes text, char c);
bool cul_profile_has(struct cul_bytes text, const char *word);
/* Parse the value at *at and advance; at NULL: the whole text, at most 128 MiB,
 * is one value.  Returns NULL with the cause and place in err.  The caller
 * releases it with json_decref. */
json_t *cul_profile_json(struct cul_bytes text, size_t *at,
                         struct cul_err *err);

/* ---- CSV ---- */

struct cul_csv {
  struct cul_bytes text;
  size_t at, line; /* line: of the last row read, from 1 */
  char separator;
  struct cul_buf bytes;    /* the cells without quotes */
  struct cul_bytes *cells; /* borrowed from bytes, until the next row */
  size_t n, cap;
  bool open; /* the text ends inside quotes */
};

/* Read the next row (RFC 4180); false at the end. */
bool cul_csv_next(struct cul_csv *csv);
void cul_csv_release(struct cul_csv *csv);
/* Does the text end in the middle of this row, in a table with so many
 * columns? */
bool cul_csv_is_cut(const struct cul_csv *csv, size_t columns);
/* The column with this name among the cells of the row; SIZE_MAX: none. */
size_t cul_csv_column(const struct cul_csv *csv, const char *name);
/* Parse a cell as a number such as "1,234.5".  False: it is not a number. */
bool cul_csv_number(struct cul_bytes cell, double *out);

#endif
