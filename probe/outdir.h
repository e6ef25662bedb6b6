/* A directory of results, in which culprit chooses the names: a bundle, what
 * extract and triage write.
 *
 * Nothing of the user is lost there, and one job writes to it at a time:
 * DIR/.culprit-files lists the files that jobs wrote, with their digests, and
 * while a job works, each file that it is about to write.  A file that has a
 * name which the job may write, and that is not listed or has changed since, is
 * the user's: the job is refused before it starts.  The lock
 * is on the directory itself. */
#ifndef CUL_PROBE_OUTDIR_H
#define CUL_PROBE_OUTDIR_H

#include <stdbool.h>

#include "../base/err.h"

struct cul_outdir_conf {
  const char *dir;    /* NULL: no directory, and the object is NULL */
  const char *option; /* that names it, for messages: "--bundle" */
  /* Patterns of the names that the job may write, NULL terminated: # is a
   * number, % some characters other than '.' and '/', * any other than '/',
   * @ at the end one that the command line names.
   * Below a directory: "inputs/" and a pattern.  None: the directory is only
   * locked. */
  const char *const *names;
  const char *output; /* a file of the user's choice (-o), or NULL */
  char *const *words; /* the command line: files that it names are kept */
  bool stays;         /* results of earlier jobs stay */
};

struct cul_outdir;

/* Make the directory where it is missing, and lock it.  Except the names,
 * strings are borrowed until the directory is closed.  Errors: EUSAGE (a file
 * of the user would be replaced, no directory), EENV (another job writes there;
 * no room). */
CUL_MUST_CHECK int cul_outdir_open(struct cul_outdir **out,
                                   const struct cul_outdir_conf *conf,
                                   struct cul_err *err);
/* Remove what earlier jobs wrote, before this one writes a complete bundle.
 * Files of this job, logs and those named on the command line are kept. */
void cul_outdir_clear(struct cul_outdir *outdir);
/* Has this job written a file there? */
bool cul_outdir_has_new(struct cul_outdir *outdir);
/* List the files.  If this job wrote some, remove those of earlier jobs, unless
 * they stay; a directory that was made for it and is empty is removed. */
void cul_outdir_close(struct cul_outdir *outdir);

#endif
