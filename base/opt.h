/* Option tables: one table gives parsing, help, man page and completion. */
#ifndef CUL_BASE_OPT_H
#define CUL_BASE_OPT_H

#include <stdint.h>

#include "buf.h"

enum cul_opt_type {
  CUL_OPT_FLAG,    /* bool */
  CUL_OPT_STRING,  /* const char *: borrowed from argv */
  CUL_OPT_INT,     /* int64_t; min..max */
  CUL_OPT_SECONDS, /* double, > 0; "90", "1.5", "2m", "1h" */
  CUL_OPT_REAL,    /* double, finite and >= 0 */
  CUL_OPT_LIST,    /* struct cul_strings: may be given more than once */
  CUL_OPT_TABLE,   /* the rows of `table` stand here; their offsets count from
                      the struct at `offset`; tables nest */
};

struct cul_strings {
  const char **items; /* heap; the strings are borrowed from argv */
  size_t n;
};

struct cul_opt {
  const char *name; /* long name without dashes; NULL ends the table */
  char letter;      /* short form, or 0 */
  enum cul_opt_type type;
  size_t offset;     /* of the field inside the options struct */
  int64_t min, max;  /* INT only; both 0 = any */
  const char *value; /* name of the value in help: "FILE", "N"; or NULL */
  const char *help;  /* one sentence without a final dot */
  const struct cul_opt *table; /* TABLE only */
};

/* What a command line holds beside options. */
struct cul_operands {
  const char **items; /* caller's array of max; filled, borrowed from argv */
  int max, n;
  int after; /* index of the first argument behind "--", or argc */
};

/* Parse argv[1..argc) into the struct at conf by the table.  Options may
 * stand among operands; "--" ends both.  Returns 0, or EUSAGE with a message
 * that names the nearest option. */
CUL_MUST_CHECK int cul_opt_parse(const struct cul_opt *table, void *conf,
                                 int argc, char **argv,
                                 struct cul_operands *operands,
                                 struct cul_err *err);

/* The table as help lines, two columns, 80 wide. */
void cul_opt_help(const struct cul_opt *table, struct cul_buf *out);

#endif
