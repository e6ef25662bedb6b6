/* IREE's tools as a command calls them: what one side's iree-compile prints of
 * a module, and what its iree-run-module computes. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_TOOLS_H
#define CUL_REDUCER_NUMBERS_DISPATCH_TOOLS_H

#include "../../probe/target/stand_ins.h"
#include "../../systems/trace.h"
#include "divergence_job.h"
#include "mlir_words.h"

/* The most that is read of a print, in MiB. */
enum { CUL_DISPATCH_MOST_MIB = 256 };

/* The command of a role: its tools, and its trace.  dispatch_sides.c fills and
 * releases it. */
struct cul_dispatch_side {
  enum cul_run_role role;
  const char *name;
  char *dir; /* of the scripts; heap */
  struct cul_stand_ins stand_ins;
  struct cul_mlir_words argv; /* the command with them, NULL behind it */
  /* the words of the tools, program first */
  struct cul_mlir_words words[CUL_N_STOOD_IN];
  struct cul_trace trace;
  struct cul_buf flow; /* the module at phase "flow"; cul_dispatch_flow */
};

/* The command of a role; borrowed from the target. */
const struct cul_command *cul_dispatch_command(struct cul_divergence_job *job,
                                               enum cul_run_role role);
/* Run a command on text, and count the run for the role.  Errors: those of
 * runs. */
CUL_MUST_CHECK int cul_dispatch_run(struct cul_divergence_job *job,
                                    const struct cul_command *command,
                                    const struct cul_buf *text,
                                    enum cul_run_role role,
                                    struct cul_record *record,
                                    struct cul_err *err);
/* Append the message of a run that failed: a line of its own, not of the
 * trace. */
void cul_dispatch_add_message(const char *log, struct cul_buf *out);

/* Append the words of the side's iree-compile without input and output. */
void cul_dispatch_add_compile(const struct cul_dispatch_side *side,
                              struct cul_buf *out);
/* Append the words of its iree-run-module without the module and what is
 * printed; inputs: with its function and inputs. */
void cul_dispatch_add_run(const struct cul_dispatch_side *side, bool inputs,
                          struct cul_buf *out);

/* Run a script; "$1" is a file that holds module.  Errors: EUSAGE if it fails;
 * those of runs. */
CUL_MUST_CHECK int cul_dispatch_script(struct cul_divergence_job *job,
                                       const struct cul_dispatch_side *side,
                                       const struct cul_buf *script,
                                       const struct cul_buf *module,
                                       struct cul_record *record,
                                       struct cul_err *err);
/* Append what the side's iree-compile prints of the input with these flags.
 * Errors: those of cul_dispatch_script, as of all below. */
CUL_MUST_CHECK int cul_dispatch_print(struct cul_divergence_job *job,
                                      const struct cul_dispatch_side *side,
                                      const char *flags, struct cul_buf *out,
                                      struct cul_err *err);
/* Fill side->flow, unless it is known. */
CUL_MUST_CHECK int cul_dispatch_flow(struct cul_divergence_job *job,
                                     struct cul_dispatch_side *side,
                                     struct cul_err *err);

/* A module to compile and run. */
struct cul_dispatch_request {
  const struct cul_dispatch_side *side;
  const char *from; /* the flag that names its phase; "" = the first */
  const struct cul_buf *module;
  /* of its function @main, as words; NULL = the side's own function is called
   * on the side's own inputs */
  const char *arguments;
  size_t n; /* of its results */
};
/* Add its n results, in order. */
CUL_MUST_CHECK int cul_dispatch_call(struct cul_divergence_job *job,
                                     const struct cul_dispatch_request *of,
                                     struct cul_tensors *out,
                                     struct cul_err *err);

/* Forgive an optional step: what it cannot do (EUSAGE) is kept in *why, heap.
 * Returns the other errors. */
CUL_MUST_CHECK int cul_dispatch_excuse(int rc, char **why, struct cul_err *err);

#endif
