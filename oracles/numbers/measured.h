/* Shared by the measuring oracles, slower and memory.
 *
 * A pair is a run of the command and one of the reference, in the order A B B A
 * A B B A ..., so that drift affects both equally; its value is the ratio, or
 * the difference per iteration.  Without a reference, a pair is a single run.
 * The input's first pair warms up caches and does not count.  paired.h has the
 * statistical tests.  The bound for candidates is the share conf->keep of the
 * input's excess, or conf->above, whichever is more. */
#ifndef CUL_ORACLES_NUMBERS_MEASURED_H
#define CUL_ORACLES_NUMBERS_MEASURED_H

#include "../oracle.h"

/* A unit for bounds and printed values: "ms" has size 1000 if "us" has 1. */
struct cul_unit {
  const char *name;
  double size;
};

/* How a quantity is read from a record. */
struct cul_gauge {
  const char *by;                                  /* its name for --by */
  const char *noun;                                /* "processor time" */
  double (*read)(const struct cul_record *record); /* or NULL: */
  /* PCRE2; its first group is the value that the command prints */
  const char *printed;
};

struct cul_quantity {
  enum cul_kind kind;
  const char *name;               /* of the option: "slower" */
  const char *metric;             /* of profiles: "time" */
  const struct cul_gauge *gauges; /* by NULL ends it; the first is the default;
                                     --by may also be a regular expression, or
                                     a profile (struct cul_measured_by) */
  const struct cul_unit *units;   /* name NULL ends it; largest first */
};

/* The functions of such an oracle; rules and conf must outlive it.  Errors of
 * open: EUSAGE (conf->by, above). */
CUL_MUST_CHECK int cul_measured_open(const struct cul_rules *rules,
                                     const struct cul_measured_conf *conf,
                                     const struct cul_quantity *quantity,
                                     void **self, struct cul_err *err);
int cul_measured_learn(void *self, const struct cul_record *records, size_t n,
                       struct cul_wants *more, struct cul_verdict *verdict,
                       struct cul_err *err);
int cul_measured_judge(const void *self, const struct cul_record *records,
                       size_t n, struct cul_wants *more,
                       struct cul_verdict *verdict, struct cul_err *err);
void cul_measured_describe(const void *self, struct cul_buf *out);
void cul_measured_close(void *self);

/* The source of the measured number, if it is not in the record itself. */
struct cul_measured_by {
  const char *printed; /* PCRE2: finds it in the command's output; or NULL */
  /* A profile (base/profile/profile.h), by "profile[METRIC]:FILE:PATH", where
   * "[METRIC]" and ":PATH" may be missing, or "hatchet:PATH", which is
   * "profile:*.hatchet:PATH".  FILE: a pattern for the name of a file that the
   * command writes into @{out}, the last one counts, or "-": standard output;
   * NULL: none.  The number is the sum over the call paths that end with PATH,
   * with what lies below them. */
  char *file, *metric; /* heap; metric: as named; NULL: the quantity's own */
  const char *path;    /* "": the whole profile */
  double size; /* of the unit in which the number is measured, in that of the
                  profile (nanoseconds, bytes) */
};
const struct cul_measured_by *cul_measured_by(const void *self);
/* The bound as a line, after learning: a run is above it if suspect > factor *
 * reference + more; without a reference, reference is 0. */
void cul_measured_line(const void *self, double *factor, double *more);

#endif
