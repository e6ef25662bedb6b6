/* Scripts that make installations: run as builds are, with the network, and
 * writing to their own directory, their TMPDIR and to caches alone.  A strict
 * sandbox is one of the tool's runs: here it is as auto. */
#ifndef CUL_BISECT_INSTALL_SCRIPTS_H
#define CUL_BISECT_INSTALL_SCRIPTS_H

#include "../../base/environment.h"
#include "../../probe/workplace.h"
#include "../../runners/runner.h"

struct cul_scripts {
  struct cul_workplace place;
  struct cul_environment *environment; /* of what is run */
  struct cul_patience patience;
};

/* kept: a directory that is none of theirs, absolute.  Errors: EENV, EUSAGE
 * (of environment).  Is to be released in any case. */
CUL_MUST_CHECK int cul_scripts_open(
    struct cul_scripts *scripts, const struct cul_environment_conf *environment,
    const char *kept, const struct cul_patience *patience, struct cul_err *err);
void cul_scripts_release(struct cul_scripts *scripts);

/* Run a script for bash in dir, which it may write to (NULL: it has only its
 * TMPDIR).  said: what it printed, appended.  *ok: it succeeded.  Errors: EENV
 * (the machine refuses it), those of patience. */
CUL_MUST_CHECK int cul_scripts_run(struct cul_scripts *scripts, const char *dir,
                                   const char *script, struct cul_buf *said,
                                   bool *ok, struct cul_err *err);
/* Why a script that makes an installation in dir failed, by what it said: *why,
 * heap, "cannot be installed: ...".  Errors: EENV: the machine failed it. */
CUL_MUST_CHECK int cul_scripts_fail(const char *dir, const char *said,
                                    char **why, struct cul_err *err);

#endif
