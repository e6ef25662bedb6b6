/* A session: what a worker process holds, a subject and all that is derived
 * from it, and the steps of its work.  Private to reducer/worker/. */
#ifndef CUL_REDUCER_WORKER_SESSION_H
#define CUL_REDUCER_WORKER_SESSION_H

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
/* Free the subject and all that is derived from it, and leave {0}. */
void cul_session_release(struct cul_session *session);

/* List the sites of one mutation, once per revision. */
CUL_MUST_CHECK int cul_session_list(struct cul_session *session,
                                    uint32_t mutation, struct cul_err *err);

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

/* A cul_wanted_fn that accepts every operation. */
bool cul_session_wants_all(const void *op);

#endif
