/* The state of the engine "program".  Private to program/. */
#ifndef CUL_REDUCER_ENGINES_PROGRAM_JOB_H
#define CUL_REDUCER_ENGINES_PROGRAM_JOB_H

#include "program.h"

struct cul_program_options {
  const char *entry, *show, *keep, *from, *to, *inputs;
  int64_t seed, extent, trace, inside, at, deep, before;
  bool flow, needs, plain, whole, no_memory;
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

#endif
