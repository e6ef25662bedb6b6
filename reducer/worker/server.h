/* Inside a worker process: its state and the steps of its work.  Private to
 * the worker_*.c files. */
#ifndef CUL_REDUCER_WORKER_SERVER_H
#define CUL_REDUCER_WORKER_SERVER_H

#include "../mutations/mutation.h"
#include "heap.h"
#include "worker.h"
#include <stdatomic.h>

/* Shared by all forks of a program: one candidate waits, no other. */
struct cul_session_wait {
  atomic_bool over;
};
/* What ps(1) shows of the process. */
struct cul_session_role {
  char *program, *room; /* the command line's words, size bytes; NULL: none
                           may change */
  size_t size;
  struct cul_session_wait *wait; /* NULL: no candidate waits for a debugger */
};

/* The subject and what is known of it. */
struct cul_session {
  const struct cul_subject_kind *kind;
  void *prepared;                        /* for the first open, or NULL */
  struct cul_subject *subject;           /* NULL: nothing opened yet */
  const struct cul_mutation **mutations; /* those that can edit it; list.h
                                            order */
  size_t n_mutations;
  const struct cul_mutation *plugin; /* of --mutation: tried behind them; or
                                        NULL */
  struct cul_sites *sites;           /* per mutation; valid where listed */
  bool *listed;
  struct cul_heap heap;
  uint32_t n_begun; /* candidates */
  void *warm;       /* what an engine has prepared; or NULL */
  struct cul_session_role role;
};

/* From now on `ps -o comm` shows name (15 bytes), `ps -o args` the program and
 * what it does. */
void cul_session_say_role(const struct cul_session *session, const char *name,
                          const char *what);

/* Do what opening a subject begins with, for the kind that takes long.  The
 * words argc, argv of main are where the process says what it is. */
void cul_session_prepare(struct cul_session *session, int argc, char **argv);
/* Parse text into an empty session.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_session_open(struct cul_session *session,
                                    struct cul_reading how,
                                    struct cul_bytes text, struct cul_err *err);
void cul_session_release(struct cul_session *session);

/* List the sites of one mutation, once per revision. */
CUL_MUST_CHECK int cul_session_list(struct cul_session *session,
                                    uint32_t mutation, struct cul_err *err);

/* What each site of the mutation, listed, leaves that is novel.  Heap. */
struct cul_novel *cul_session_novel(const struct cul_session *session,
                                    uint32_t mutation);

/* Apply edits, grouped by mutation; *applied counts those that did
 * something.  Sites of all mutations used are listed before the first edit. */
CUL_MUST_CHECK int cul_session_apply(struct cul_session *session,
                                     const struct cul_edit *edits, size_t n,
                                     size_t *applied, struct cul_err *err);

/* The subject changed for good: all site lists are void. */
void cul_session_forget(struct cul_session *session);

/* Append what the tool will read; *size is measured from it.  Not edited: as
 * a person wants to read it. */
void cul_session_write(struct cul_session *session, bool edited,
                       struct cul_buf *out, struct cul_size *size);

/* Load the plugin of --mutation.  Errors: EUSAGE (also: none is loaded in this
 * program). */
CUL_MUST_CHECK int cul_session_plug(struct cul_session *session,
                                    const char *path, struct cul_err *err);

/* Serve requests on CUL_WIRE_FD until the client is gone. */
void cul_session_serve(struct cul_session *session);

/* A cul_wanted_fn: of every operation. */
bool cul_session_wants_all(const void *op);

struct cul_wire_msg;
/* CUL_LIVE_RUN: fork a supervisor that runs an engine on the subject. */
void cul_session_live(struct cul_session *session,
                      const struct cul_wire_msg *msg);
/* CUL_WIRE_WARM: prepare for runs of these words, each ended by '\0'. */
void cul_session_warm(struct cul_session *session, struct cul_buf *words);
/* The program `--run ENGINE ... FILE`. */
int cul_session_run_file(int argc, char **argv);

/* Prepare a process that talks on CUL_WIRE_FD for a bad end: a fatal signal
 * or exit() sends the last words, and the process ends when the client goes
 * away, whatever it does at that time. */
void cul_words_install(void);
/* The same for a fresh child: its own standard error, its own socket. */
void cul_words_inherit(void);

struct cul_trial_conf {
  enum cul_form form; /* as opened */
  const char *name;   /* of the mutation, or "all" */
  size_t most;        /* sites of each */
  const char *keep;   /* directory for the results, valid or not; or NULL */
  uint64_t seed;      /* 0 = sites evenly spread, and subsets; else by chance */
};

/* Try mutations, each trial in a child; print counts as JSON lines.  Results
 * kept are NUMBER.mlir, and lines "NUMBER MUTATION OUTCOME WHY", tabs between,
 * in the file index. */
CUL_MUST_CHECK int cul_session_try(struct cul_session *session,
                                   const struct cul_trial_conf *conf,
                                   struct cul_err *err);

/* The command line for tests and people: --apply, --print, --list. */
int cul_session_command(int argc, char **argv);

#endif
