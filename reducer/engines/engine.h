/* Engines: what a workshop runs itself, in a process of its own: on a module
 * that it holds in memory, or on a file where it is started as a program:
 *
 *   culprit-workshop-mlir --run ENGINE [options] FILE
 *
 * One const struct per file, in list.h. */
#ifndef CUL_REDUCER_ENGINES_ENGINE_H
#define CUL_REDUCER_ENGINES_ENGINE_H

#include "../../runners/live.h"
#include "../subject/subject.h"

struct cul_engine {
  const char *name, *summary;
  const struct cul_opt *opts; /* of its words, for help */
  /* Run on the subject, which is lost to it; the process ends afterwards, or
   * dies in it.  argv: the words behind --run, its name first, the file's
   * last.  warm: what warm() gave for the same engine, or NULL.  Returns the
   * exit status. */
  int (*run)(struct cul_subject *subject, void *warm, int argc, char **argv);
  /* Prepare for many runs of these words on subjects like this one, which is
   * only read.  May die: it is tried elsewhere first.  NULL: it cannot. */
  void *(*warm)(struct cul_subject *subject, int argc, char **argv);
};

extern const struct cul_engine *const cul_engines[]; /* NULL ends */
const struct cul_engine *cul_engine_find(const char *name);

#endif
