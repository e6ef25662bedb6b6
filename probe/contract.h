/* Contracts: how a reducer hands its candidate to a test script, and what the
 * script's exit status means to it.  A script written for any of them works
 * unmodified under --contract NAME; most work without, by the contract "all".
 *
 * Words after "--" precede the candidate (--test-arg of llvm-reduce and
 * circt-reduce, the test parameters of mlir-reduce).  If one of them contains
 * @@, the candidate is passed there and nowhere else (@@ of treereduce). */
#ifndef CUL_PROBE_CONTRACT_H
#define CUL_PROBE_CONTRACT_H

#include "../base/run.h"
#include "../oracles/oracle.h"

struct cul_contract {
  const char *name;    /* as given to --contract */
  const char *summary; /* whose contract it is */
  enum cul_delivery delivery;
  bool fresh; /* runs in a directory that contains only the candidate; else
                 where culprit was started */
  bool alone; /* one run at a time unless -j allows more, as in the reducer; the
                 script may rely on this */
  bool shell; /* the script may be a string for sh -c instead of a file */
  enum cul_sense sense; /* UNKNOWN: determined by a run on an empty subject */
  const char *file;     /* the candidate's fixed name; NULL = the input's */
};

/* The table, from list.h; ends with NULL. */
extern const struct cul_contract *const cul_contracts[];

/* NULL for name gives "all".  Errors: EUSAGE, the advice lists the names. */
CUL_MUST_CHECK int cul_contract_find(const char *name,
                                     const struct cul_contract **out,
                                     struct cul_err *err);

/* Do all candidates share one place, the directory where culprit was started
 * (CUL_BY_LINK)?  Then there is one run at a time.  contract may be NULL. */
bool cul_contract_shares(const struct cul_contract *contract);
/* Check that this place is free.  Remains of an earlier job do not count.
 * Errors: EUSAGE. */
CUL_MUST_CHECK int cul_contract_check_place(const struct cul_contract *contract,
                                            struct cul_err *err);
/* Remove links into dir from that place. */
void cul_contract_clear_place(const struct cul_contract *contract,
                              const char *dir);

/* The argv of script under the contract, with words (NULL terminated, may be
 * NULL), and how the candidate is delivered.  *argv: heap, NULL terminated; the
 * caller frees its first member and the array (cul_contract_free), the other
 * members are borrowed.  Errors: EUSAGE (no such file, not executable). */
CUL_MUST_CHECK int
cul_contract_argv(const struct cul_contract *contract, const char *script,
                  const char *const *words, const char ***argv,
                  enum cul_delivery *delivery, struct cul_err *err);
/* The string for sh -c in such an argv; NULL where it starts a file. */
const char *cul_contract_string(const char *const *argv);
void cul_contract_free(const char **argv);

#endif
