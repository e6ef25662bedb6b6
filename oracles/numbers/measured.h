/* What the oracles that measure share: slower, memory.
 *
 * A pair is a run of the command and one of the reference, in the order
 * A B B A A B B A ..., so that what drifts meets both alike; its value is the
 * ratio, or the difference per iteration.  Without a reference a single run is
 * the pair.  The input's first pair warms caches up and does not count.
 * paired.h has the tests.  What is sought is so much of the input's excess as
 * conf->keep says, or conf->above, whichever is more. */
#ifndef CUL_ORACLES_NUMBERS_MEASURED_H
#define CUL_ORACLES_NUMBERS_MEASURED_H

#include "../oracle.h"

/* A unit of a bound and of what is printed: "ms" is 1000 of us. */
struct cul_unit {
  const char *name;
  double size;
};

/* How a quantity is read from a record. */
struct cul_gauge {
  const char *by;                                  /* what --by calls it */
  const char *noun;                                /* "processor time" */
  double (*read)(const struct cul_record *record); /* or NULL: */
  const char *printed; /* PCRE2; its first group is printed by the command */
};

struct cul_quantity {
  enum cul_kind kind;
  const char *name;               /* of the option: "slower" */
  const struct cul_gauge *gauges; /* by NULL ends it; the first is the default;
                                     --by may also be a regular expression */
  const struct cul_unit *units;   /* name NULL ends it; largest first */
};

/* The steps of such an oracle; rules and conf outlive it.  Errors of open:
 * EUSAGE (conf->by, above). */
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

/* The PCRE2 expression that finds the number in what the command prints; NULL:
 * it is measured from outside.  Borrowed. */
const char *cul_measured_printed(const void *self);
/* The bound as a line, after learning: above it is where suspect > factor *
 * reference + more; without a reference that is 0. */
void cul_measured_line(const void *self, double *factor, double *more);

#endif
