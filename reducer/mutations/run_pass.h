/* Compiler passes as mutations: one site, the whole module. */
#ifndef CUL_REDUCER_MUTATIONS_RUN_PASS_H
#define CUL_REDUCER_MUTATIONS_RUN_PASS_H

#include "mutation.h"

/* One site. */
int cul_run_pass_sites(struct cul_subject *subject, struct cul_sites *out,
                       struct cul_err *err);
/* Run the pipeline, textual: "builtin.module(cse)".  *applied: 1 where it
 * succeeded.  Operations are freed and made: no place listed before is valid
 * afterwards.  Native subjects only; the pass may crash. */
int cul_run_pass(struct cul_subject *subject, const char *pipeline,
                 size_t *applied);

/* The same, but only where some operation's name starts with prefix and is not
 * `but` (may be NULL), terminators aside. */
int cul_run_pass_where(struct cul_subject *subject, const char *prefix,
                       const char *but, struct cul_sites *out);

#endif
