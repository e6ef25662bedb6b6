/* The worker, as the main program sees it: a process that holds the parsed
 * subject and forks one child per candidate.
 *
 * culprit itself never links libMLIR.  Each worker is a separate executable in
 * libexec: culprit-worker-mlir, culprit-worker-text.  Client and server talk
 * over a socket pair; the wire format is private (wire.h).  The server lists
 * sites.  A child applies edits, checks, prints and digests the result, answers
 * BUILT and waits for WRITE, ADOPT or the end.  An adopted child becomes the
 * worker: the state that was tested is the state that is kept, and a mutation
 * that crashes costs one candidate. */
#ifndef CUL_REDUCER_WORKER_WORKER_H
#define CUL_REDUCER_WORKER_WORKER_H

#include <sys/types.h>

#include "../../base/files/sealed.h"
#include "../../runners/runner.h"
#include "../subject/subject.h"

struct cul_worker; /* one live worker process */
struct cul_child;  /* one candidate in the making */

/* One edit; valid for the revision on which its site was listed. */
struct cul_edit {
  uint32_t mutation; /* index into cul_worker_mutations */
  uint32_t site;
};

/* A mutation as the worker reports it.  The main program does not link the
 * mutations that need MLIR. */
struct cul_mutation_info {
  char name[48];
  char summary[120];
  uint32_t kinds, phase, flags; /* as struct cul_mutation */
};

/* Environment variable for developers of culprit: names a mutation whose first
 * candidate waits for a debugger (docs/development.md).  Tools do not see it.
 */
#define CUL_WAIT_VARIABLE "CULPRIT_WAIT_CHILD"

/* The worker programs of a job.  Each program is started once and then forked
 * for every worker that is opened, so that its libraries are loaded and bound
 * only once (bench-worker prints what this saves). */
enum { CUL_N_WORKER_PROGRAMS = 2 };
struct cul_workers {
  char *program_dir; /* directory of libexec/; owned */
  /* of the programs; borrowed; NULL = ours */
  const struct cul_environment *environment;
  const char *plugin; /* plugin of --mutation, for texts; borrowed; or NULL */
  /* of modules: functions that the command enters, and the types of their
   * arguments, as struct cul_subject_kind.enter; heap; or NULL */
  char *entries;
  const struct cul_sealed *input; /* a text that may be opened, which is then
                                     not copied and outlives the children;
                                     borrowed; or NULL */
  int sockets[CUL_N_WORKER_PROGRAMS]; /* of started programs; -1: not started */
  struct cul_patience patience; /* with all workers opened from now on; zero:
                                   only the deadline of each step */
};
/* program_dir: copied; NULL: cul_program_dir().  Starts no program. */
void cul_workers_init(struct cul_workers *workers, const char *program_dir);
/* Start the program for form in advance.  Does not wait; cul_worker_open
 * reports errors. */
void cul_workers_start(struct cul_workers *workers, enum cul_form form);
/* End the programs.  Workers that were opened continue.  workers may be zeroed
 * or already released. */
void cul_workers_release(struct cul_workers *workers);

/* Open the text in a new worker.  deadline_ms: for the parse.  Errors: EUSAGE
 * (the text does not parse; the message holds the diagnostic), ECHILD (the
 * parser died; the message names the signal), ELOST (it was killed, three
 * times), EENV (no such program), those of the patience. */
CUL_MUST_CHECK int cul_worker_open(struct cul_workers *workers,
                                   struct cul_reading how,
                                   struct cul_bytes text, uint64_t deadline_ms,
                                   struct cul_worker **out,
                                   struct cul_err *err);
/* The path of the worker program for form; NULL if it does not exist.  The
 * caller frees it. */
char *cul_worker_program(const char *program_dir, enum cul_form form);
/* End the process and drop the children still held.  NULL is fine. */
void cul_worker_close(struct cul_worker *worker);

/* The mutations that can edit this subject, in list.h order; borrowed. */
const struct cul_mutation_info *
cul_worker_mutations(const struct cul_worker *worker, size_t *n);

/* Size of the current revision. */
void cul_worker_size(const struct cul_worker *worker, struct cul_size *out);

/* List the sites of the given mutations for the current revision, in that
 * order.  *out: heap array of *n; the caller frees it.  Errors: ECHILD (listing
 * died or took more than deadline_ms; the worker is then gone), ELOST (it was
 * killed). */
CUL_MUST_CHECK int cul_worker_sites(struct cul_worker *worker,
                                    const uint32_t *mutations,
                                    size_t n_mutations, uint64_t deadline_ms,
                                    struct cul_listed **out, size_t *n,
                                    struct cul_err *err);

/* Begin a candidate: the current revision with edits applied (n = 0: the
 * identity candidate).  Edits are applied grouped by mutation, in list order.
 * Errors: ECHILD, ELOST (the worker is gone). */
CUL_MUST_CHECK int cul_worker_begin(struct cul_worker *worker,
                                    const struct cul_edit *edits, size_t n,
                                    struct cul_child **out,
                                    struct cul_err *err);

/* Append where the operations of the current revision come from: lines as in
 * struct cul_subject_kind; nothing if the kind of subject cannot tell.  Errors:
 * ECHILD. */
CUL_MUST_CHECK int cul_worker_origins(struct cul_worker *worker,
                                      struct cul_buf *out, struct cul_err *err);

/* Get the questions about what operations require that the tool's verifier must
 * answer before this mutation can be used (UINT32_MAX: all questions).  Appends
 * to out a struct cul_question, followed by its text, for each; none if
 * everything that can be known is known.  Questions that libMLIR can answer are
 * answered on the way.  Errors: ECHILD, ELOST. */
CUL_MUST_CHECK int cul_worker_ask(struct cul_worker *worker, uint32_t mutation,
                                  uint64_t deadline_ms, struct cul_buf *out,
                                  struct cul_err *err);
/* Send the answers to all these questions: an enum cul_ruling as a byte for
 * each. */
CUL_MUST_CHECK int cul_worker_tell(struct cul_worker *worker,
                                   struct cul_bytes answers,
                                   struct cul_err *err);
/* Append what is known of the operations of this name (NULL: nothing is
 * appended). */
CUL_MUST_CHECK int cul_worker_explain(struct cul_worker *worker,
                                      const char *name, struct cul_asked *asked,
                                      struct cul_buf *out, struct cul_err *err);

/* Can candidates be run in the process that holds them?  Only modules whose
 * dialects are known can. */
bool cul_worker_is_live(const struct cul_worker *worker);

/* Prepare for live runs (runners/live.h) of candidates with these words,
 * NULL-terminated.  If that is not possible, nothing is prepared; this is no
 * error.  Errors: ECHILD (the worker is gone). */
CUL_MUST_CHECK int cul_worker_warm(struct cul_worker *worker,
                                   const char *const *words,
                                   struct cul_err *err);

/* The steps of a child, for measurements. */
enum cul_child_step {
  CUL_STEP_APPLY, /* edits, and listing sites that were not listed */
  CUL_STEP_CHECK,
  CUL_STEP_PRINT,
  CUL_STEP_DIGEST,
  CUL_N_CHILD_STEPS
};

/* The answer of a child. */
struct cul_child_built {
  bool valid;     /* false: see why */
  bool is_cut;    /* large literals are not in the memory of the child, only in
                     the text of WRITE, so a live run would differ */
  size_t applied; /* number of edits that did something */
  struct cul_size size;
  struct cul_digest digest; /* of the exact bytes that WRITE writes */
  uint64_t rss_bytes; /* peak of the child: what it would hold once adopted */
  uint32_t cpu_us[CUL_N_CHILD_STEPS];
  char why[160]; /* not valid: the first reason */
};

/* A descriptor that is readable when the child has answered or died.  Once the
 * child has answered, live runs of the candidate are requested there too
 * (runners/live.h). */
int cul_child_fd(const struct cul_child *child);
/* Wait until cul_child_fd is readable.  Errors: ECHILD (deadline_ms have
 * passed), those of the patience with the worker. */
CUL_MUST_CHECK int cul_child_wait(const struct cul_child *child,
                                  uint64_t deadline_ms, struct cul_err *err);
/* Get the answer; call when the descriptor is readable.  Errors: ECHILD (it
 * died; the message names the signal), ELOST (it was killed, or could not be
 * made).  The child must still be dropped after an error. */
CUL_MUST_CHECK int cul_child_built(struct cul_child *child,
                                   struct cul_child_built *out,
                                   struct cul_err *err);
/* Write the candidate to fd, an empty open file.  path: its name, for errors.
 * Errors: ECHILD, EENV (disk). */
CUL_MUST_CHECK int cul_child_write(struct cul_child *child, int fd,
                                   const char *path, struct cul_err *err);
/* Set out, which is empty, to the candidate's text.  Large parts of the text
 * that was opened are borrowed from cul_workers.input, if it was that one.
 * Errors: as cul_child_write; nothing is set then. */
CUL_MUST_CHECK int cul_child_pieces(struct cul_child *child,
                                    struct cul_pieces *out,
                                    struct cul_err *err);
/* Append the candidate's text to out.  Errors: as cul_child_write. */
CUL_MUST_CHECK int cul_child_text(struct cul_child *child, struct cul_buf *out,
                                  struct cul_err *err);
/* Open another worker whose current revision is the child's state; the child
 * and its own worker stay as they are.  Call after BUILT, and not during a live
 * run of the child.  Errors: ECHILD (the child died), EENV. */
CUL_MUST_CHECK int cul_worker_branch(const struct cul_worker *worker,
                                     struct cul_child *child,
                                     struct cul_worker **out,
                                     struct cul_err *err);
/* End the child, even if it hangs, and free it.  NULL is fine. */
void cul_child_drop(struct cul_child *child);

/* Make the child the worker, with its state as the current revision; the old
 * process ends.  All site lists and the other children of worker become invalid
 * and must be dropped.  Frees child.  Errors: ECHILD. */
CUL_MUST_CHECK int cul_worker_adopt(struct cul_worker *worker,
                                    struct cul_child *child,
                                    struct cul_err *err);

#endif
