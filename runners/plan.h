/* A plan: one run, expanded and ready for execve.  Made by culprit before the
 * fork, so that the forked side neither allocates nor fails on a template. */
#ifndef CUL_RUNNERS_PLAN_H
#define CUL_RUNNERS_PLAN_H

#include "../base/run.h"
#include "sandbox/sandbox.h"

struct cul_plan {
  char *path;  /* the program, absolute; NULL = not found */
  char **argv; /* argv[0] is room for "/bin/sh"; the command is argv + 1 */
  char **envp;
  char *cwd;       /* where the tool starts; NULL = where culprit stands */
  char *link;      /* file that a link in cwd leads to; or NULL */
  char *input;     /* file on standard input; NULL = /dev/null */
  const char *tmp; /* private TMPDIR; borrowed */
  uint64_t tmp_dev, tmp_ino; /* of the request */
  uint64_t wall_ms;          /* deadline; 0 = none */
  uint64_t cpu_s;            /* RLIMIT_CPU; 0 = none */
  uint64_t as_bytes;         /* RLIMIT_AS; 0 = none */
  bool trace;
  bool randomize; /* addresses by chance */
  /* Not NULL: this is called in the tool's process, instead of a program that
   * is executed; what it returns is the exit status. */
  int (*body)(void *arg);
  void *arg; /* borrowed */
  /* The body does not return: it goes on with what the process held before,
   * its descriptors included. */
  bool resumes;
  struct cul_servers *servers; /* of the request */
  struct cul_sandbox *sandbox; /* of the environment; borrowed; NULL = none */
  struct cul_box box;          /* what is left of it for this run */
};

/* Expand the request on the artefact.  Release also after an error.
 * Errors: EUSAGE (template, delivery without a candidate). */
CUL_MUST_CHECK int cul_plan_init(struct cul_plan *plan,
                                 const struct cul_artefact *artefact,
                                 const struct cul_request *request,
                                 const char *tmp, struct cul_err *err);
void cul_plan_release(struct cul_plan *plan);

/* The absolute path that execvp would start for the name, under the PATH that
 * the command's environment sets.  A relative name with a slash is the user's:
 * it counts from where culprit stands, or from the command's cwd when it is
 * only there.  Caller frees; NULL when there is none. */
char *cul_plan_program(const struct cul_command *cmd, const char *name);

#endif
