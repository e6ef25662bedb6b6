/* Runs the tests of a directory, each file under one command. */
#ifndef CUL_TRIAGE_READ_SUITE_H
#define CUL_TRIAGE_READ_SUITE_H

#include "../triage.h"

/* Run t->conf->run, a shell string with @@, on every file of the inputs, as
 * many at a time as workers; failing files become members.  In directories,
 * files that compilers read are used, except those in "Inputs".  Errors: EUSAGE
 * (an input is missing, no @@, no test), EENV (the command cannot be run),
 * EINTR. */
CUL_MUST_CHECK int cul_triage_suite(struct cul_triage *t, struct cul_err *err);

#endif
