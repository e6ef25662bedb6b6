/* Option tables: parsing, help, man page and completion come from one table. */
#ifndef CUL_BASE_OPTIONS_OPT_H
#define CUL_BASE_OPTIONS_OPT_H

#include <stdint.h>

#include "../buf.h"

enum cul_opt_type {
  CUL_OPT_FLAG,    /* bool */
  CUL_OPT_STRING,  /* const char *: borrowed from argv */
  CUL_OPT_INT,     /* int64_t; min..max */
  CUL_OPT_SECONDS, /* double, > 0; "90", "1.5", "2m", "1h" */
  CUL_OPT_REAL,    /* double, finite and >= 0 */
  CUL_OPT_LIST,    /* struct cul_strings: may be given more than once */
  CUL_OPT_TABLE, /* includes the rows of `table` here; their offsets count from
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
  int64_t min, max;  /* INT only; both 0 = any, max 0 = min or more */
  const char *value; /* name of the value in help: "FILE", "N"; or NULL */
  const char *words; /* permitted words, separated by blanks; or NULL */
  const char *help;  /* one sentence without a final dot; one that ends in a
                        colon is followed by the words */
  const char *group; /* its heading in help; of a TABLE: the heading of rows
                        that have none; NULL: "Other options" */
  bool main;         /* shown first in help, before the groups */
  bool shared; /* a configuration file next to the input may set it: the option
                  names no program and no output file, and grants no permission
                */
  bool writes; /* the value names a plain file that is replaced */
  const struct cul_opt *table; /* TABLE only */
};

/* A row of a table or of a nested table. */
struct cul_opt_row {
  const struct cul_opt *opt;
  const char *group;
};

/* All rows that a user can give, in order; heap, the caller frees it. */
struct cul_opt_row *cul_opt_rows(const struct cul_opt *table, size_t *n);

/* The arguments of a command line that are not options. */
struct cul_operands {
  const char **items; /* caller's array of max; filled, borrowed from argv */
  int max, n;
  int after; /* index of the first argument after "--", or argc */
};

/* Parse argv[1..argc) into the struct at conf by the table.  Options and
 * operands may be mixed; "--" ends both.  Returns 0, or EUSAGE with a message
 * that names the nearest option. */
CUL_MUST_CHECK int cul_opt_parse(const struct cul_opt *table, void *conf,
                                 int argc, char **argv,
                                 struct cul_operands *operands,
                                 struct cul_err *err);

/* Check that the option accepts value.  Errors: EUSAGE, as cul_opt_parse. */
CUL_MUST_CHECK int cul_opt_check(const struct cul_opt *opt, const char *value,
                                 struct cul_err *err);
/* Does argv[1..argc) give this option of the table, before "--"? */
bool cul_opt_is_given(const struct cul_opt *table, const struct cul_opt *opt,
                      int argc, char **argv);
/* Call tell with each option that argv[1..argc) gives before "--", in order;
 * value: NULL for a flag. */
void cul_opt_each_given(const struct cul_opt *table, int argc, char **argv,
                        void (*tell)(void *self, const struct cul_opt *opt,
                                     const char *value),
                        void *self);
/* The first operand, and the first word after "--"; borrowed, NULL: none. */
void cul_opt_peek(const struct cul_opt *table, int argc, char **argv,
                  const char **operand, const char **after);

/* The option's help with its permitted words; the caller frees it. */
char *cul_opt_sentence(const struct cul_opt *opt);

/* Set in conf the flags and strings of `common` that are given before "--", and
 * remove those that the command's own table lacks from argv[1..*argc).  A
 * string without a value becomes "".  All other errors are left to
 * cul_opt_parse. */
void cul_opt_take_common(const struct cul_opt *common, void *conf,
                         const struct cul_opt *table, int *argc, char **argv);

/* The table as help, `columns` wide: the main rows, then the rest by group. */
void cul_opt_help(const struct cul_opt *table, size_t columns,
                  struct cul_buf *out);
/* Append text, wrapped at blanks and ended by a newline.  The current line is
 * already at column `indent`; further lines are indented to it. */
void cul_opt_wrap(struct cul_buf *out, const char *text, size_t indent,
                  size_t columns);

#endif
