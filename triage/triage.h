/* The triage job: failure logs go in, a short list of bugs comes out.
 *
 * A failure is one failed test of one log.  Its keys (key.h) say which bucket
 * it belongs to; a bucket is one bug.  With a database, buckets keep their
 * numbers and the changes by hand from run to run. */
#ifndef CUL_TRIAGE_TRIAGE_H
#define CUL_TRIAGE_TRIAGE_H

#include <jansson.h>

#include "../base/environment.h"
#include "../oracles/signature/signature.h"
#include "../probe/workplace.h"
#include "key.h"

/* Where to search for the first bad commits of buckets: see
 * bisect/commits/commits.h. */
struct cul_triage_blame {
  const char *repo;        /* NULL: no search */
  const char *const *good; /* NULL terminated */
  const char *bad;
  const char *build; /* shell string; or NULL */
  const char *tool;  /* product of a build that replaces a command's program;
                        NULL: the command is unchanged */
  const char *work;  /* directory of the builds; or NULL */
};

/* What makes a triage end with CUL_EFOUND. */
enum cul_fail_on {
  CUL_FAIL_NEVER,
  CUL_FAIL_NEW,      /* a new bug */
  CUL_FAIL_RETURNED, /* a new one, or one that came back */
  CUL_FAIL_ANY, /* any that is not ignored, except infrastructure failures */
};

/* The user's configuration; strings are borrowed. */
struct cul_triage_conf {
  const char *const
      *inputs; /* directories, logs, packed logs, lists (.jsonl) */
  size_t n_inputs;
  const char *output; /* directory of the reports; NULL = none */
  const char *db;     /* file; NULL = nothing is stored */
  const volatile int *interrupted;
  bool check;           /* rerun every member that has a command */
  bool reduce;          /* and reduce one of each bucket */
  bool confirm;         /* and run the reduced inputs under other commands */
  double budget_s;      /* for reducing each bucket; 0 = no limit */
  uint64_t max_runs;    /* the same in runs */
  double timeout_s;     /* of a run; 0 = 60 */
  uint64_t deadline_us; /* of the whole job, on cul_now_us(); 0 = none */
  int workers;          /* 0 = number of cores */
  struct cul_cache_conf cache;
  enum cul_fail_on fail_on;
  const char *owners; /* file: who owns what, see report/owners.c; or NULL */
  const char *run;    /* a shell string with @@; inputs are test suites */
  struct cul_environment_conf environment; /* of all runs */
  size_t
      *part; /* environment.part, set by each of several processes; or NULL */
  struct cul_triage_blame blame;
};

/* A signature that at least one failure has. */
struct cul_kind_of {
  struct cul_signature sig;
  struct cul_keys keys;
  bool corrupted; /* its frames are ignored */
};

/* The result of rerunning a member. */
enum cul_checked {
  CUL_CHECK_NONE,
  CUL_CHECK_SAME,
  CUL_CHECK_OTHER,
  CUL_CHECK_PASSES,
  CUL_CHECK_FLAKY,
  CUL_CHECK_BROKEN, /* could not be run */
};

/* A line that may name a failure of which no rule knows. */
struct cul_guess {
  char *raw, *text; /* as printed; normalised */
  struct cul_digest id;
};

struct cul_member {
  char *log;       /* the file, or ARCHIVE!MEMBER */
  char *test;      /* its name in the log; may be "" */
  char *module;    /* NULL = not known */
  json_t *command; /* an array of words; NULL = not known */
  size_t kind;     /* index */
  char *damage;    /* why the log cannot be trusted; NULL = it can */
  bool late;       /* see struct cul_log_failure */
  bool rerun;      /* its kind is from a rerun by culprit */
  char *excerpt;   /* of the log; NULL if others of the bucket have one */
  char *sample;    /* its part of the log; kept for one member of each key, else
                      NULL */
  char *numbers;   /* of a mismatch: see heat.h; or NULL */
  struct cul_digest content; /* of that part */
  size_t bucket;             /* index */
  char *why;                 /* why it is in that bucket */
  bool joined;               /* it joined by another key than its own */
  enum cul_checked checked;
  char *check_note;          /* or NULL */
  struct cul_guess *guesses; /* lines that may name it, where no rule does */
  size_t n_guesses;
};

enum cul_bucket_state {
  CUL_BUCKET_NEW,      /* not seen in an earlier run */
  CUL_BUCKET_KNOWN,    /* seen before */
  CUL_BUCKET_RETURNED, /* seen before, but not in the last run */
  CUL_BUCKET_FLAKY,    /* seen, not seen and seen again, twice */
  CUL_BUCKET_GONE,     /* seen in an earlier run, not in this one */
};

/* One bug. */
struct cul_bucket {
  int64_t id;          /* "B12"; stable with a database */
  size_t kind;         /* of its best member; index */
  char *name;          /* given by hand; or NULL */
  char *link;          /* to an issue; or NULL */
  bool ignored;        /* by hand */
  bool infrastructure; /* a failure of the machine, network or CI service, not
                          of the code under test */
  enum cul_bucket_state state;
  size_t *members; /* indices, in order of the logs */
  size_t n_members;
  int64_t *maybe; /* buckets that may be the same bug */
  size_t n_maybe;
  uint32_t *history; /* members in each earlier run, oldest first */
  size_t n_history;
  int64_t first_seen, last_seen; /* when such a run began, s since 1970; this
                                    run counts; 0 = not known */
  json_t *reduced;               /* what --reduce found; or NULL */
};

/* An unreadable file. */
struct cul_problem {
  char *name, *why;
};

/* The source of a failure that was added, for its explanation. */
struct cul_heard {
  struct cul_bytes text; /* borrowed */
  size_t at;             /* offset of its message */
  const char *by;        /* rule that found its test; or NULL */
};

struct cul_triage {
  const struct cul_triage_conf *conf;
  /* called after each new member is appended; or NULL */
  void (*hear)(void *listener, const struct cul_heard *heard);
  void *listener;
  struct cul_rules *rules;
  struct cul_kind_of **kinds;
  size_t n_kinds;
  struct cul_member *members;
  size_t n_members;
  struct cul_bucket *buckets; /* worst first: new ones, then by size */
  size_t n_buckets;
  struct cul_problem *problems;
  size_t n_problems, n_logs, n_skipped;
  size_t n_passed; /* logs and tests without a failure */
  bool refused;    /* the machine failed to read a log (EIO ...) */
  size_t n_unrun;  /* tests for which there was no time, so missing buckets need
                      not be gone */
  uint64_t bytes;  /* of logs read */
  int64_t run;     /* number of this run; 1 without a database */
  struct cul_table *table; /* kinds by digest */
  struct cul_buf owners;   /* text of that file; empty = none */
};

/* Begin a triage.  t: caller's storage, filled also on error (release it).
 * Errors: those of cul_rules_new; EUSAGE (the file of owners). */
CUL_MUST_CHECK int cul_triage_open(struct cul_triage *t,
                                   const struct cul_triage_conf *conf,
                                   struct cul_err *err);
/* Is time left?  Errors: EBUDGET, EINTR. */
CUL_MUST_CHECK int cul_triage_time_left(const struct cul_triage_conf *conf,
                                        struct cul_err *err);
/* Read all logs.  Errors: EUSAGE (an input is missing, no log found), EINTR. */
CUL_MUST_CHECK int cul_triage_read(struct cul_triage *t, struct cul_err *err);

/* extract.c: where no rule knows a failure, choose the line that names it among
 * its guesses, when all logs are read: before cul_triage_group. */
void cul_triage_guess(struct cul_triage *t);
/* A key of an earlier run. */
struct cul_known {
  int64_t id;   /* the bucket of this key */
  bool merged;  /* it came from a bucket that became part of this one */
  bool by_hand; /* from a split: compare the whole stack and text */
  bool joined;  /* from a class of another key: compare the whole stack and text
                 */
  struct cul_kind_of kind;
};
/* Put the members into buckets: see key.h.  New ones have a negative number and
 * are NEW, those of an earlier run KNOWN; each member has a reason. */
void cul_triage_group(struct cul_triage *t, const struct cul_known *known,
                      size_t n_known);
/* order.c: sort buckets, worst first: new ones, then by the number of members.
 * New ones are numbered in that order from next_id. */
void cul_triage_order(struct cul_triage *t, int64_t next_id);
void cul_triage_release(struct cul_triage *t);
void cul_bucket_release(struct cul_bucket *bucket);
/* Record that bucket id may be the same bug; only the first few are kept. */
void cul_bucket_suggest(struct cul_bucket *bucket, int64_t id);

/* extract.c: add the failures of one text.  line: its entry in a list,
 * borrowed; NULL = none.  Returns the number of failures. */
size_t cul_triage_add(struct cul_triage *t, const char *log,
                      struct cul_bytes raw, const json_t *line);
/* The same for a file that may be no log: without a failure or test results, it
 * counts as skipped. */
void cul_triage_add_doubtful(struct cul_triage *t, const char *log,
                             struct cul_bytes raw);
/* The same for a run by culprit on the test at path under a shell command; adds
 * nothing if it did not fail. */
void cul_triage_add_record(struct cul_triage *t, const char *path,
                           const struct cul_record *record,
                           const char *command);
/* Add a failure whose signature is known from a list. */
bool cul_triage_add_known(struct cul_triage *t, const json_t *line);
/* Replace a member's failure from the log by that of a rerun.  text: the tool's
 * output; or NULL. */
void cul_triage_replace(struct cul_triage *t, struct cul_member *member,
                        const struct cul_signature *sig, const char *text);
/* Record a problem with a file; the strings are copied. */
void cul_triage_problem(struct cul_triage *t, const char *name,
                        const char *why);
/* The index of a kind, which is added if new. */
size_t cul_triage_copy_kind(struct cul_triage *t,
                            const struct cul_kind_of *kind);
/* The identification of a failure whose log has no information; caller
 * frees. */
char *cul_member_own(const char *log, const char *test);

/* "new", "known" ... */
const char *cul_bucket_state_name(enum cul_bucket_state state);
const char *cul_checked_name(enum cul_checked checked);
/* The name given by hand, or the title. */
const char *cul_bucket_title(const struct cul_triage *t,
                             const struct cul_bucket *bucket);

#endif
