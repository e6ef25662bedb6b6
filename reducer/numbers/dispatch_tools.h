/* Call IREE's tools with the words that a command gives them: iree-compile to
 * print a module, iree-run-module to compute its results. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_TOOLS_H
#define CUL_REDUCER_NUMBERS_DISPATCH_TOOLS_H

#include "../../probe/target/stand_ins.h"
#include "../../systems/trace.h"
#include "divergence_job.h"
#include "mlir_words.h"

/* The most output that is read of a run, in MiB. */
enum { CUL_DISPATCH_MOST_MIB = 256 };

/* The command of a role: its tools, and its trace.  dispatch_sides.c fills and
 * releases it. */
struct cul_dispatch_side {
  enum cul_run_role role;
  const char *name;
  char *dir; /* of the scripts; heap */
  /* the words of the tools, program first */
  struct cul_mlir_words words[CUL_N_STOOD_IN];
  struct cul_trace trace;
  bool untraced;       /* dispatches inside control flow are not in the trace */
  struct cul_buf flow; /* the module at phase "flow": cul_dispatch_flow */
};

/* The command of a role; borrowed from the target. */
const struct cul_command *cul_dispatch_command(struct cul_divergence_job *job,
                                               enum cul_run_role role);
/* Run a command on text, and count the run for the role.  It has more time than
 * a run of the command itself.  Errors: those of runs. */
CUL_MUST_CHECK int cul_dispatch_run(struct cul_divergence_job *job,
                                    const struct cul_command *command,
                                    const struct cul_buf *text,
                                    enum cul_run_role role,
                                    struct cul_record *record,
                                    struct cul_err *err);
/* Append why a run failed: its deadline, or the line of its log with the error,
 * the first that has the form of an error, else the last that is not part of
 * the trace. */
void cul_dispatch_add_message(const struct cul_record *record,
                              struct cul_buf *out);

/* Append the words of the side's iree-compile without input and output. */
void cul_dispatch_add_compile(const struct cul_dispatch_side *side,
                              struct cul_buf *out);
/* Append the words of its iree-run-module without those for the module and the
 * outputs.  inputs: keep those for the function and its inputs. */
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
/* Append the output of the side's iree-compile for the job's input and these
 * flags.  Errors, here and below: those of cul_dispatch_script. */
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
  /* words of iree-run-module that give @main its inputs; NULL: call the side's
   * own function on the side's own inputs */
  const char *arguments;
  size_t n; /* number of results */
};
/* Compile and run it, and add its n results to out, in order. */
CUL_MUST_CHECK int cul_dispatch_call(struct cul_divergence_job *job,
                                     const struct cul_dispatch_request *of,
                                     struct cul_tensors *out,
                                     struct cul_err *err);

/* Ignore the EUSAGE of an optional step: put err's message into *why, heap, and
 * return 0.  Returns any other rc unchanged. */
CUL_MUST_CHECK int cul_dispatch_excuse(int rc, char **why, struct cul_err *err);

#endif
