/* Starting a workshop program.  Private to workshop.c. */
#ifndef CUL_REDUCER_SUBJECT_WORKSHOP_SPAWN_H
#define CUL_REDUCER_SUBJECT_WORKSHOP_SPAWN_H

#include "subject.h"

/* Start the workshop program for form; *sock: our end of its socket, owned by
 * the caller.  The process ends when that is closed; it is in a session of
 * its own (Ctrl-C is the main program's business), without address
 * randomisation, and not our child (nobody has to wait for it).
 * Errors: EENV (no such program). */
CUL_MUST_CHECK int cul_workshop_spawn(const char *program_dir,
                                      enum cul_form form, int *sock,
                                      struct cul_err *err);

#endif
