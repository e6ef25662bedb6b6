/* The engine "program" at work.  Private to program*.c. */
#ifndef CUL_REDUCER_ENGINES_PROGRAM_JOB_H
#define CUL_REDUCER_ENGINES_PROGRAM_JOB_H

#include "trace.h"

struct cul_program_options {
  const char *entry, *show, *keep, *from, *to, *inputs;
  int64_t seed, extent, trace, inside;
  bool flow, needs, plain;
};

struct cul_program {
  struct cul_ir *ir;
  struct cul_program_options options;
  struct cul_feed_conf feed;
  MlirOperation entry;
  struct cul_flow flow;
  struct cul_shown shown;
  struct cul_fed *fed;
  size_t n_fed;
};

/* Of the function of entry. */
MlirOperation cul_program_end(const struct cul_program *p);
/* The value comes from outside, once: named by kind and number. */
void cul_program_add_fed(struct cul_program *p, MlirValue value,
                         const char *kind, size_t number);
/* What comes from outside is read, in front of everything. */
CUL_MUST_CHECK int cul_program_feed(struct cul_program *p, struct cul_err *err);
/* The arguments, which nothing uses any more, are gone; so is what was
 * returned. */
CUL_MUST_CHECK int cul_program_become_main(struct cul_program *p,
                                           struct cul_err *err);
/* Operations [from, to) of the flow go, but those that are kept (a set; or
 * NULL). */
CUL_MUST_CHECK int cul_program_discard(struct cul_program *p, uint32_t from,
                                       uint32_t to, const struct cul_map *kept,
                                       struct cul_err *err);
/* options.keep, and needs: a segment, and what it takes from outside. */
CUL_MUST_CHECK int cul_program_keep(struct cul_program *p, struct cul_err *err);

#endif
