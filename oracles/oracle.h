/* Oracles: records -> verdict.  Pure functions; an oracle never runs
 * anything: it asks for runs, and judges their records. */
#ifndef CUL_ORACLES_ORACLE_H
#define CUL_ORACLES_ORACLE_H

#include "../base/options/opt.h"
#include "../base/run.h"
#include "../base/tensor/compare.h"
#include "signature/signature.h"

#define CUL_ORACLE_ABI 2

enum cul_answer {
  CUL_SAME,       /* the sought failure */
  CUL_PASSES,     /* no failure */
  CUL_OTHER,      /* another failure */
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

/* One more run an oracle wants: differs from the first request in these. */
struct cul_want {
  enum cul_run_role role;  /* whose command; most oracles know only one */
  uint32_t attempt, flags; /* cul_request_flags */
  double wall_factor;      /* deadline, times the first's; 0 = 1 */
};
#define CUL_MAX_WANTS 8
struct cul_wants {
  struct cul_want want[CUL_MAX_WANTS];
  size_t n; /* 0 = no more: the answer stands */
};

/* What the exit status of a script says.  125 means "cannot tell", 126 and 127
 * that it could not run, in all of them. */
enum cul_sense {
  CUL_SENSE_UNKNOWN, /* to be found out; judged as ZERO */
  CUL_SENSE_ZERO,    /* 0: the failure shows */
  CUL_SENSE_NONZERO, /* any other: the failure shows */
  CUL_SENSE_BISECT,  /* as NONZERO, but from 128 on the script is broken */
};

/* "unknown", "zero", "nonzero", "bisect"; and back (unknown for others, and
 * for NULL). */
const char *cul_sense_name(enum cul_sense sense);
enum cul_sense cul_sense_parse(const char *name);

/* Of the script oracle. */
struct cul_script_conf {
  bool wanted;          /* --script */
  enum cul_sense sense; /* may be set after open */
  int also;             /* --also-interesting N; 0 = not given */
};

/* Of the mismatch oracle: the suspect against a reference. */
struct cul_mismatch_conf {
  bool wanted;  /* --mismatch */
  bool control; /* --control: there is another reference */
  bool wide;    /* there is a reference in f64 */
  bool checked; /* there is a run that ends where it is undefined */
  struct cul_tolerance_conf tolerance; /* nothing set: what rounding explains */
};

/* Of the nondeterminism oracle. */
struct cul_nondeterminism_conf {
  bool wanted;        /* --nondeterminism */
  const char *ignore; /* --ignore: what may differ; NULL = nothing */
};

/* Of the oracles that measure (numbers/measured.h). */
struct cul_measured_conf {
  bool slower, memory; /* --slower, --memory */
  bool reference;      /* ... than a reference that there is */
  const char *by;      /* --by: what is measured; NULL = the usual */
  const char *above;   /* --above: the bound; NULL = none */
  double keep;         /* --keep: share of the excess; < 0 = usual */
  uint64_t iterations; /* --iterations N: the suspect does 2 N, the
                          reference N; 0 = not given */
};

/* How often the original is run, of the decorator of flaky failures
 * (repeat.h). */
struct cul_repeat_conf {
  uint32_t runs;   /* --repeat N; 0 = auto */
  uint32_t silent; /* runs of the original without a fail after which there is
                      none; 0 = CUL_RATE_SILENT, of slow ones CUL_RATE_FEW */
};

/* When the crash oracle takes a run for one that never ends.  All but the limit
 * may change after open. */
struct cul_hang_conf {
  uint64_t limit_ms; /* not ended by then: a timeout, where one is sought */
  bool provisional;  /* a timeout need not be confirmed */
  bool hasty;  /* the first run has limit_ms: what computes on is a timeout */
  bool waited; /* a hasty run had waited at its end */
};

/* How the crash oracle tells the same crash. */
struct cul_crash_conf {
  bool across;      /* candidates are judged by other builds of the tool */
  uint32_t layouts; /* run flags: fixed heaps; where a plain run does not show
                       the failure, one in any of them may; may change after
                       open */
  const char *candidate;    /* base name of its file; NULL = unknown */
  const char *const *fixed; /* base names of files that are the same whatever
                               is judged, NULL terminated; or NULL */
};

/* What the user asked to preserve; filled by the command line. */
struct cul_oracle_conf {
  const struct cul_rules *rules; /* borrowed */
  const char *match;             /* --match: PCRE2 on stdout and stderr */
  int exit_code;                 /* --exit N; -1 = not given */
  int signal;                    /* --signal; 0 = not given */
  bool any_crash;                /* --any-crash */
  bool all_of;                   /* --all-of: all that is asked for holds */
  const char *plugin;            /* --oracle FILE.so; NULL = not given */
  struct cul_script_conf script;
  struct cul_mismatch_conf mismatch;
  struct cul_nondeterminism_conf nondeterminism;
  struct cul_measured_conf measured;
  bool any_class;      /* --any-class: another kind of wrong will do, of a
                          mismatch and of nondeterminism */
  uint64_t timeout_ms; /* deadline of the first run */
  struct cul_repeat_conf repeat;
  struct cul_hang_conf hang;
  struct cul_crash_conf crash;
};

/* Where --timeout does not say what a timeout is, a first run that ends well
 * but has computed for hang.limit_ms by then is one too.  Returns for how long
 * it computed, in microseconds; 0: it is none. */
uint64_t cul_late_us(const struct cul_oracle_conf *conf,
                     const struct cul_record *first);

/* One way to decide "the same failure".  conf outlives self. */
struct cul_oracle {
  uint32_t abi;
  const char *name, *summary;
  /* True where conf asks for this oracle.  The first in list.h that says so
   * is taken; the crash oracle stands last and takes everything. */
  bool (*wanted)(const struct cul_oracle_conf *conf);
  /* Compile what conf says (regex ...). Errors: EUSAGE. */
  int (*open)(const struct cul_oracle_conf *conf, void **self,
              struct cul_err *err);
  /* Classify the original from its records (at least one).  May want more
   * runs.  verdict: SAME = there is a failure to preserve; PASSES = nothing
   * fails; BROKEN = the tool or script cannot run; UNRESOLVED = the runs
   * disagree (confidence = share of the majority). */
  int (*learn)(void *self, const struct cul_record *records, size_t n,
               struct cul_wants *more, struct cul_verdict *verdict,
               struct cul_err *err);
  /* Judge a candidate from its records. */
  int (*judge)(const void *self, const struct cul_record *records, size_t n,
               struct cul_wants *more, struct cul_verdict *verdict,
               struct cul_err *err);
  /* What will be preserved, one sentence appended to out. */
  void (*describe)(const void *self, struct cul_buf *out);
  void (*close)(void *self);
  /* It compares or measures runs: what it says is of all runs of a point
   * together.  The decorator of flaky failures (repeat.h) hands everything
   * through, and a traced run, which is slower and has fixed addresses, is
   * not among the records. */
  bool whole;
  /* Classified: from now on this failure is the sought one too, for the
   * original shows it.  NULL: failures are not told by their signature. */
  void (*take)(void *self, const struct cul_signature *sig);
  /* A run that does not fail as the original does: what it prints is no part
   * of the failure.  Counts from the next learn on, which is to follow.  NULL:
   * failures are not told by what is printed. */
  void (*contrast)(void *self, const struct cul_record *record);
};

extern const struct cul_oracle *const cul_oracles[]; /* NULL ends it */
/* The oracle conf asks for; never NULL. */
const struct cul_oracle *cul_oracle_choose(const struct cul_oracle_conf *conf);

/* SIGSEGV, SEGV, segv or 11 -> 11; 0 where unknown.  And back. */
int cul_signal_number(const char *name);
const char *cul_signal_name(int number);

#endif
