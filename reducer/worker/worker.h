/* The worker, seen from the main program: a process that holds the parsed
 * subject and forks one child per candidate.
 *
 * culprit itself never links libMLIR.  A worker is its own executable
 * (libexec): culprit-worker-mlir, culprit-worker-text.  Client and server
 * talk over a socket pair; the wire format is private to worker.c and
 * server.c.  The server lists sites; a child applies edits, checks,
 * prints, digests, answers BUILT and waits for WRITE, ADOPT or DROP.  An
 * adopted child goes on as the worker: the state that was tested is the
 * state that is kept, and a mutation that crashes costs one candidate. */
#ifndef CUL_REDUCER_WORKER_WORKER_H
#define CUL_REDUCER_WORKER_WORKER_H

#include <sys/types.h>

#include "../../runners/runner.h"
#include "../subject/subject.h"

struct cul_worker; /* one live worker process */
struct cul_child;  /* one candidate in the making */

/* One edit: valid for the revision its sites were listed on. */
struct cul_edit {
  uint32_t mutation; /* index into cul_worker_mutations */
  uint32_t site;
};

/* A mutation as the worker reports it (the main program does not link
 * those that need MLIR). */
struct cul_mutation_info {
  char name[48];
  char summary[120];
  uint32_t kinds, phase, flags; /* as struct cul_mutation */
};

/* Names a mutation, for those who work on culprit: its first candidate waits
 * for a debugger (docs/development.md).  No tool sees it. */
#define CUL_WAIT_VARIABLE "CULPRIT_WAIT_CHILD"

/* The worker programs of a job.  Each is started once, and what was started
 * is forked for every worker that is opened: its libraries are loaded and
 * bound once (bench-worker prints what that saves). */
enum { CUL_N_WORKER_PROGRAMS = 2 };
struct cul_workers {
  char *program_dir;                         /* where libexec/ is; owned */
  const struct cul_environment *environment; /* of the programs; borrowed; NULL
                                                = that of this process */
  const char *plugin; /* of --mutation, for texts; borrowed; or NULL */
  int sockets[CUL_N_WORKER_PROGRAMS]; /* of those started; else -1 */
  struct cul_patience patience; /* with all that is opened from now on; zero:
                                   only each step's own deadline */
};
/* program_dir: copied; NULL: cul_program_dir().  Starts nothing. */
void cul_workers_init(struct cul_workers *workers, const char *program_dir);
/* Start the program for form, so that it is ready when it is needed.  Does not
 * wait; what goes wrong is told by cul_worker_open. */
void cul_workers_start(struct cul_workers *workers, enum cul_form form);
/* Ends the programs; workers that were opened go on.  Zeroed or released
 * before is fine. */
void cul_workers_release(struct cul_workers *workers);

/* Open the text in a new worker.  deadline_ms: for the parse.
 * Errors: EUSAGE (does not parse; what holds the diagnostic), ECHILD (the
 * parser died; what says of which signal), ELOST (it was killed, three times),
 * EENV (no such program), those of the patience. */
CUL_MUST_CHECK int cul_worker_open(struct cul_workers *workers,
                                   struct cul_reading how,
                                   struct cul_bytes text, uint64_t deadline_ms,
                                   struct cul_worker **out,
                                   struct cul_err *err);
/* The path of the worker program for form; NULL when it is not there.
 * Caller frees. */
char *cul_worker_program(const char *program_dir, enum cul_form form);
/* Ends the process.  Children still held are dropped.  NULL is fine. */
void cul_worker_close(struct cul_worker *worker);

/* The mutations that can edit this subject, in list.h order; borrowed. */
const struct cul_mutation_info *
cul_worker_mutations(const struct cul_worker *worker, size_t *n);

/* Size of the current revision. */
void cul_worker_size(const struct cul_worker *worker, struct cul_size *out);

/* List the sites of the given mutations for the current revision, in that
 * order.  *out: heap array of *n, caller frees.  Errors: ECHILD (a mutation's
 * listing died or took more than deadline_ms; the worker is then gone),
 * ELOST (it was killed). */
CUL_MUST_CHECK int cul_worker_sites(struct cul_worker *worker,
                                    const uint32_t *mutations,
                                    size_t n_mutations, uint64_t deadline_ms,
                                    struct cul_listed **out, size_t *n,
                                    struct cul_err *err);

/* Begin a candidate: the current revision with edits applied (n = 0: the
 * identity candidate).  Edits are applied grouped by mutation, in list
 * order.  Errors: ECHILD, ELOST (the worker is gone). */
CUL_MUST_CHECK int cul_worker_begin(struct cul_worker *worker,
                                    const struct cul_edit *edits, size_t n,
                                    struct cul_child **out,
                                    struct cul_err *err);

/* Where the operations of the current revision come from: lines as in struct
 * cul_subject_kind; empty where the kind of subject does not know.
 * Errors: ECHILD. */
CUL_MUST_CHECK int cul_worker_origins(struct cul_worker *worker,
                                      struct cul_buf *out, struct cul_err *err);

/* What operations require: the questions that are due for the verifier of the
 * tool, struct cul_question with its text behind each, appended to out, that
 * this mutation waits for (UINT32_MAX: of all there is to know); none where all
 * is known that can be.  libMLIR is asked on the way, where it is the one that
 * knows.  Errors: ECHILD, ELOST. */
CUL_MUST_CHECK int cul_worker_ask(struct cul_worker *worker, uint32_t mutation,
                                  uint64_t deadline_ms, struct cul_buf *out,
                                  struct cul_err *err);
/* The answers to all of them: an enum cul_ruling in a byte for each. */
CUL_MUST_CHECK int cul_worker_tell(struct cul_worker *worker,
                                   struct cul_bytes answers,
                                   struct cul_err *err);
/* Append what is known of the operations of this name (NULL: of none). */
CUL_MUST_CHECK int cul_worker_explain(struct cul_worker *worker,
                                      const char *name, struct cul_asked *asked,
                                      struct cul_buf *out, struct cul_err *err);

/* Can its candidates be run where they are held?  Only modules whose dialects
 * are known. */
bool cul_worker_is_live(const struct cul_worker *worker);

/* Candidates will be run live (runners/live.h) with these words, NULL
 * terminated: prepare for it.  Where that is not possible, nothing is
 * prepared, and that is no error.  Errors: ECHILD (the worker is gone). */
CUL_MUST_CHECK int cul_worker_warm(struct cul_worker *worker,
                                   const char *const *words,
                                   struct cul_err *err);

/* The steps of a child, for measurements. */
enum cul_child_step {
  CUL_STEP_APPLY, /* edits, with the listing of sites not listed yet */
  CUL_STEP_CHECK,
  CUL_STEP_PRINT,
  CUL_STEP_DIGEST,
  CUL_N_CHILD_STEPS
};

/* What a child answers. */
struct cul_child_built {
  bool valid;     /* false: see why */
  size_t applied; /* edits that did something */
  struct cul_size size;
  struct cul_digest digest; /* of the exact bytes that WRITE writes */
  uint64_t rss_bytes;       /* peak of the child: what an adopted worker
                               would hold */
  uint32_t cpu_us[CUL_N_CHILD_STEPS];
  char why[160]; /* not valid: first reason */
};

/* Readable when the child has answered, or died.  Once it has answered, also
 * where a live run of the candidate is asked for (runners/live.h). */
int cul_child_fd(const struct cul_child *child);
/* Wait until then.  Errors: ECHILD (deadline_ms are over), those of the
 * patience with the worker. */
CUL_MUST_CHECK int cul_child_wait(const struct cul_child *child,
                                  uint64_t deadline_ms, struct cul_err *err);
/* The answer; call when the fd is readable.  Errors: ECHILD (died: what says
 * of which signal), ELOST (was killed, or could not be made); the child must
 * still be dropped. */
CUL_MUST_CHECK int cul_child_built(struct cul_child *child,
                                   struct cul_child_built *out,
                                   struct cul_err *err);
/* Write the candidate to an open file, which is empty; path: its name, for
 * errors.  Errors: ECHILD, EENV (disk). */
CUL_MUST_CHECK int cul_child_write(struct cul_child *child, int fd,
                                   const char *path, struct cul_err *err);
/* The same as text, appended. */
CUL_MUST_CHECK int cul_child_text(struct cul_child *child, struct cul_buf *out,
                                  struct cul_err *err);
/* Another worker whose current revision is the child's state; the child and
 * its own worker worker stay as they are.  Call after BUILT, not while it is
 * run live.  Errors: ECHILD (the child died), EENV. */
CUL_MUST_CHECK int cul_worker_branch(const struct cul_worker *worker,
                                     struct cul_child *child,
                                     struct cul_worker **out,
                                     struct cul_err *err);
/* End the child (also one that hangs) and free. NULL is fine. */
void cul_child_drop(struct cul_child *child);

/* The child becomes the worker, its state the current revision; the old
 * process ends.  All site lists and other children of worker are void (drop
 * them).  Frees child.  Errors: ECHILD. */
CUL_MUST_CHECK int cul_worker_adopt(struct cul_worker *worker,
                                    struct cul_child *child,
                                    struct cul_err *err);

#endif
