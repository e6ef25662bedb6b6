/* The state of a worker process and the steps of its work.  Private to the
 * worker's own files. */
#ifndef CUL_REDUCER_WORKER_SERVER_H
#define CUL_REDUCER_WORKER_SERVER_H

#include "../mutations/mutation.h"
#include "heap.h"
#include "literals.h"
#include "worker.h"
#include <stdatomic.h>

/* The wait for a debugger, shared by all forks of a program, so that only one
 * candidate waits. */
struct cul_session_wait {
  atomic_bool over;
};
/* What ps(1) shows of the process. */
struct cul_session_role {
  char *program, *room; /* room: the words of the command line, size bytes;
                           NULL: they must not be changed */
  size_t size;
  struct cul_session_wait *wait; /* NULL: no candidate waits for a debugger */
};

/* The subject and everything derived from it. */
struct cul_session {
  const struct cul_subject_kind *kind;
  void *prepared;              /* for the first open, or NULL */
  struct cul_subject *subject; /* NULL: nothing opened yet */
  /* those that can edit it; list.h order */
  const struct cul_mutation **mutations;
  size_t n_mutations;
  const struct cul_mutation *plugin; /* of --mutation; tried last; or NULL */
  char *entries;           /* as struct cul_subject_kind; heap, or NULL */
  struct cul_sites *sites; /* per mutation; valid where listed */
  bool *listed;
  struct cul_literals literals; /* cut out of the text that was opened */
  struct cul_bytes shared;      /* that text, where the client keeps it, too */
  struct cul_heap heap;
  uint32_t n_begun; /* candidates, until code_shared */
  bool code_shared; /* code.h */
  void *warm;       /* what an engine has prepared; or NULL */
  struct cul_session_role role;
};

/* Make `ps -o comm` show name (15 bytes), and `ps -o args` the program and
 * what. */
void cul_session_say_role(const struct cul_session *session, const char *name,
                          const char *what);

/* Do the first steps of opening a subject in advance, for the kind that takes
 * long.  argc, argv: the words of main, which cul_session_say_role overwrites.
 */
void cul_session_prepare(struct cul_session *session, int argc, char **argv);
/* Parse text into an empty session.  cut: without its large literals
 * (literals.h).  The text must live as long as the session if session->literals
 * then has some, or if the subject borrows it.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_session_open(struct cul_session *session,
                                    struct cul_reading how,
                                    struct cul_bytes text, bool cut,
                                    struct cul_err *err);
void cul_session_release(struct cul_session *session);

/* List the sites of one mutation, once per revision. */
CUL_MUST_CHECK int cul_session_list(struct cul_session *session,
                                    uint32_t mutation, struct cul_err *err);

/* The novelty that each site of the listed mutation leaves.  Heap. */
struct cul_novel *cul_session_novel(const struct cul_session *session,
                                    uint32_t mutation);

/* Apply edits, grouped by mutation.  *applied: the number that did something.
 * The sites of all mutations used are listed before the first edit. */
CUL_MUST_CHECK int cul_session_apply(struct cul_session *session,
                                     const struct cul_edit *edits, size_t n,
                                     size_t *applied, struct cul_err *err);

/* Discard all site lists; the subject has changed for good. */
void cul_session_forget(struct cul_session *session);

/* Append what the tool will read, with placeholders for the literals that were
 * cut, in pieces that live as long as the subject is not changed, and measure
 * its *size without placeholders.  If not edited, print the subject in the form
 * that a person wants to read. */
void cul_session_write(struct cul_session *session, bool edited,
                       struct cul_pieces *out, struct cul_size *size);

/* Load the plugin of --mutation.  Errors: EUSAGE (also if this program loads no
 * plugins). */
CUL_MUST_CHECK int cul_session_plug(struct cul_session *session,
                                    const char *path, struct cul_err *err);

/* Serve requests on CUL_WIRE_FD until the client is gone. */
void cul_session_serve(struct cul_session *session);

/* A cul_wanted_fn that accepts every operation. */
bool cul_session_wants_all(const void *op);

struct cul_wire_msg;
/* CUL_LIVE_RUN: fork a supervisor that runs an engine on the subject. */
void cul_session_live(struct cul_session *session,
                      const struct cul_wire_msg *msg);
/* CUL_WIRE_WARM: prepare for runs of these words, each ended by '\0'. */
void cul_session_warm(struct cul_session *session, struct cul_buf *words);
/* The command line `--run ENGINE ... FILE`. */
int cul_session_run_file(int argc, char **argv);

/* Install handlers in a process that talks on CUL_WIRE_FD.  A fatal signal or
 * exit() sends the last words; and the process ends when the client is gone,
 * whatever it is doing. */
void cul_words_install(void);
/* Do the same in a fresh child, which has its own standard error and socket. */
void cul_words_inherit(void);

struct cul_trial_conf {
  enum cul_form form; /* form in which the subject is opened */
  const char *name;   /* name of the mutation, or "all" */
  size_t most;        /* maximum number of sites of each mutation */
  const char *keep;   /* directory for the results, valid or not; or NULL */
  uint64_t seed;      /* 0 = evenly spread sites, and subsets; else random */
};

/* Try mutations, each trial in a child, and print counts as JSON lines.  Kept
 * results are NUMBER.mlir; the file `index` has a line "NUMBER MUTATION OUTCOME
 * WHY", separated by tabs, for each. */
CUL_MUST_CHECK int cul_session_try(struct cul_session *session,
                                   const struct cul_trial_conf *conf,
                                   struct cul_err *err);

/* The command line for tests and people: --apply, --print, --list. */
int cul_session_command(int argc, char **argv);

#endif
