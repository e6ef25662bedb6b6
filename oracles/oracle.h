/* Oracles judge records.  They are pure functions: an oracle runs nothing, it
 * requests runs and judges their records. */
#ifndef CUL_ORACLES_ORACLE_H
#define CUL_ORACLES_ORACLE_H

#include "../base/options/opt.h"
#include "../base/run.h"
#include "../base/tensor/compare.h"
#include "signature/signature.h"

#define CUL_ORACLE_ABI 3

enum cul_answer {
  CUL_SAME,       /* the sought failure */
  CUL_PASSES,     /* no failure */
  CUL_OTHER,      /* another failure, which is recorded */
  CUL_UNRESOLVED, /* a deadline, a limit: cannot tell */
  CUL_INVALID,    /* rejected before a run */
  CUL_BROKEN,     /* the test itself cannot run */
};
const char *cul_answer_name(enum cul_answer answer);

struct cul_verdict {
  enum cul_answer answer;
  double confidence;        /* 0..1 */
  struct cul_signature sig; /* of the last record, where one was read */
  char why[200];            /* one phrase */
};

/* A further run that an oracle wants; these members differ from the first
 * request. */
struct cul_want {
  enum cul_run_role role;  /* selects the command; most oracles use only one */
  uint32_t attempt, flags; /* cul_request_flags */
  double wall_factor;      /* deadline, times the first's; 0 = 1 */
};
#define CUL_MAX_WANTS 8
struct cul_wants {
  struct cul_want want[CUL_MAX_WANTS];
  size_t n; /* 0 = none: the answer is final */
};

/* The meaning of a script's exit status.  In all senses 125 means "cannot
 * tell", 126 and 127 "could not run". */
enum cul_sense {
  CUL_SENSE_UNKNOWN, /* not yet determined; judged as ZERO */
  CUL_SENSE_ZERO,    /* 0: the failure shows */
  CUL_SENSE_NONZERO, /* any other: the failure shows */
  CUL_SENSE_BISECT,  /* as NONZERO, but from 128 on the script is broken */
};

/* "unknown", "zero", "nonzero", "bisect"; and the reverse (unknown for other
 * names and NULL). */
const char *cul_sense_name(enum cul_sense sense);
enum cul_sense cul_sense_parse(const char *name);

/* Configuration of the script oracle. */
struct cul_script_conf {
  bool wanted;          /* --script */
  enum cul_sense sense; /* may be set after open */
  int also;             /* --also-interesting N; 0 = not given */
};

/* Configuration of the mismatch oracle, which compares the suspect with a
 * reference. */
struct cul_mismatch_conf {
  bool wanted;    /* --mismatch */
  bool control;   /* --control: there is a second reference */
  bool wide;      /* there is a reference in f64 */
  bool checked;   /* there is a run that stops at undefined behaviour */
  bool own;       /* there is a run of culprit's own in f64 */
  bool unguarded; /* nothing looks for undefined behaviour in the reference,
                     beyond its runs with other fresh memory and addresses */
  bool silent;    /* --prints-nothing: the failure is that no numbers come */
  /* --assume-defined: the undefined behaviour of the original does not count */
  bool assume_defined;
  /* --ignore: text that is not read for numbers (cul_varied_ignored); NULL =
     none */
  const char *ignore;
  /* nothing set: allow what rounding explains */
  struct cul_tolerance_conf tolerance;
};

/* Configuration of the nondeterminism oracle. */
struct cul_nondeterminism_conf {
  bool wanted;        /* --nondeterminism */
  const char *ignore; /* --ignore: permitted differences; NULL = none */
};

/* Configuration of the measuring oracles (numbers/measured.h). */
struct cul_measured_conf {
  bool slower, memory; /* --slower, --memory */
  bool reference;      /* ... than a reference, which is given */
  const char *by;      /* --by: the quantity measured; NULL = the default */
  const char *above;   /* --above: the bound; NULL = none */
  double keep;         /* --keep: share of the excess; < 0 = usual */
  uint64_t iterations; /* --iterations N: the suspect does 2 N, the
                          reference N; 0 = not given */
};

/* Configuration of the decorator for flaky failures (repeat.h): how often the
 * original is run. */
struct cul_repeat_conf {
  uint32_t runs; /* --repeat N; 0 = auto */
  /* after this many runs of the original without a fail, there is no failure; 0
   * = CUL_RATE_SILENT, for slow runs CUL_RATE_FEW */
  uint32_t silent;
  bool brief; /* make no more runs if the first ones do not fail, unless runs is
                 set; may change after open */
};

/* When the crash oracle considers a run endless.  All except the limit may
 * change after open. */
struct cul_hang_conf {
  /* a run that lasts longer is a timeout, if one is sought; 0 before open:
   * 20 s, or the user's timeout */
  uint64_t limit_ms;
  bool provisional; /* a timeout need not be confirmed */
  bool hasty;  /* the first run gets limit_ms: if it still computes, it is a
                  timeout */
  bool waited; /* a hasty run was waiting at its end */
  bool whole;  /* no run is known to hang before its deadline */
};

/* How the crash oracle recognizes the same crash. */
struct cul_crash_conf {
  bool across;      /* candidates are judged by other builds of the tool */
  uint32_t layouts; /* run flags: fixed heap layouts to try if a plain run does
                       not show the failure; may change after open */
  const char *candidate;    /* base name of its file; NULL = unknown */
  const char *const *fixed; /* base names of files that are the same for all
                               candidates, NULL terminated; or NULL */
};

/* What the user asks to preserve; filled from the command line. */
struct cul_oracle_conf {
  const struct cul_rules *rules; /* borrowed */
  const char *match;             /* --match: PCRE2 on stdout and stderr */
  /* with match: lines of output that quote the candidate do not count
   * (cul_record.candidate); set where the input is read in a form, which may
   * change it after open */
  bool quotes;
  int exit_code;      /* --exit N; -1 = not given */
  int signal;         /* --signal; 0 = not given */
  bool any_crash;     /* --any-crash */
  bool all_of;        /* --all-of: everything that is asked for must hold */
  const char *plugin; /* --oracle FILE.so; NULL = not given */
  struct cul_script_conf script;
  struct cul_mismatch_conf mismatch;
  struct cul_nondeterminism_conf nondeterminism;
  struct cul_measured_conf measured;
  bool any_class;      /* --any-class: accept another class of mismatch or
                          nondeterminism */
  uint64_t timeout_ms; /* deadline of the first run */
  struct cul_repeat_conf repeat;
  struct cul_hang_conf hang;
  struct cul_crash_conf crash;
};

/* Unless --timeout defines a timeout, a first run that succeeds but computed
 * for hang.limit_ms or longer is one too.  Returns how long such a run
 * computed, microseconds; 0: no timeout. */
uint64_t cul_late_us(const struct cul_oracle_conf *conf,
                     const struct cul_record *first);

/* One way to decide "the same failure".  conf must outlive self. */
struct cul_oracle {
  uint32_t abi;
  const char *name, *summary;
  /* Does conf ask for this oracle?  The first in list.h that returns true is
   * chosen; the crash oracle is last and accepts everything. */
  bool (*wanted)(const struct cul_oracle_conf *conf);
  /* Compile the configuration (regular expressions ...). Errors: EUSAGE. */
  int (*open)(const struct cul_oracle_conf *conf, void **self,
              struct cul_err *err);
  /* Classify the original from its records (at least one).  May request more
   * runs in *more.  verdict: SAME = there is a failure to preserve; PASSES =
   * nothing fails; BROKEN = the tool or script cannot run; UNRESOLVED = the
   * runs disagree (confidence = share of the majority). */
  int (*learn)(void *self, const struct cul_record *records, size_t n,
               struct cul_wants *more, struct cul_verdict *verdict,
               struct cul_err *err);
  /* Judge a candidate from its records. */
  int (*judge)(const void *self, const struct cul_record *records, size_t n,
               struct cul_wants *more, struct cul_verdict *verdict,
               struct cul_err *err);
  /* Append one sentence with what will be preserved. */
  void (*describe)(const void *self, struct cul_buf *out);
  void (*close)(void *self);
  /* The oracle compares or measures runs: its answer is about all runs of a
   * point together.  The decorator for flaky failures (repeat.h) then passes
   * all calls through, and the records exclude traced runs, which are slower
   * and have fixed addresses. */
  bool whole;
  /* After learn: accept this failure as sought, too, because the original shows
   * it.  NULL: failures are not recognized by their signature. */
  void (*take)(void *self, const struct cul_signature *sig);
  /* Take a run that does not fail as the original does: its text then does not
   * identify the failure.  Effective from the next learn, which must follow.
   * NULL: failures are not recognized by printed text. */
  void (*contrast)(void *self, const struct cul_record *record);
};

extern const struct cul_oracle *const cul_oracles[]; /* NULL ends it */
/* The oracle that conf asks for; never NULL. */
const struct cul_oracle *cul_oracle_choose(const struct cul_oracle_conf *conf);

/* SIGSEGV, SEGV, segv or 11 -> 11; 0 if unknown.  And the reverse. */
int cul_signal_number(const char *name);
const char *cul_signal_name(int number);

#endif
