/* A plan: one run, expanded and ready for execve.  culprit makes it before the
 * fork, so that the child neither allocates nor fails on a template. */
#ifndef CUL_RUNNERS_PLAN_H
#define CUL_RUNNERS_PLAN_H

#include "../base/run.h"
#include "sandbox/sandbox.h"

struct cul_plan {
  char *path;  /* the program, absolute; NULL = not found */
  char **argv; /* argv[0] is reserved for "/bin/sh"; the command is argv + 1 */
  char **envp;
  char *cwd;       /* working directory of the tool; NULL = culprit's */
  char *link;      /* target of the link to make in cwd; or NULL */
  char *input;     /* file on standard input; NULL = /dev/null */
  const char *tmp; /* private TMPDIR; borrowed */
  uint64_t tmp_dev, tmp_ino; /* of the request */
  uint64_t wall_ms;          /* deadline; 0 = none */
  uint64_t cpu_s;            /* RLIMIT_CPU; 0 = none */
  uint64_t as_bytes;         /* RLIMIT_AS; 0 = none */
  struct cul_stay_wish stay; /* {0}: nothing is asked */
  bool trace, abroad;        /* CUL_RUN_TRACE, CUL_RUN_ABROAD */
  bool randomize;            /* leave address space randomization on */
  /* Not NULL: the tool's process calls this instead of executing a program; the
   * result is the exit status. */
  int (*body)(void *arg);
  void *arg; /* borrowed */
  /* The body does not return: it resumes the process's earlier state, including
   * its descriptors. */
  bool resumes;
  struct cul_servers *servers; /* of the request */
  struct cul_sandbox *sandbox; /* of the environment; borrowed; NULL = none */
  struct cul_box box;          /* the part of it in force for this run */
};

/* Expand the request for the artefact.  Release the plan also after an error.
 * Errors: EUSAGE (template, delivery without a candidate). */
CUL_MUST_CHECK int cul_plan_init(struct cul_plan *plan,
                                 const struct cul_artefact *artefact,
                                 const struct cul_request *request,
                                 const char *tmp, struct cul_err *err);
void cul_plan_release(struct cul_plan *plan);

/* The absolute path that execvp would start for the name, with the PATH of the
 * command's environment.  A relative name with a slash is resolved from
 * culprit's working directory, or from the command's cwd if it exists only
 * there.  Caller frees; NULL when there is none. */
char *cul_plan_program(const struct cul_command *cmd, const char *name);

#endif
