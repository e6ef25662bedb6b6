/* The triage job: failure logs go in, a short list of bugs comes out.
 *
 * A failure is one failed test of one log.  Its keys (key.h) say which bucket
 * it belongs to; a bucket is one bug.  With a database buckets keep their
 * numbers, and what people did to them, from run to run. */
#ifndef CUL_TRIAGE_TRIAGE_H
#define CUL_TRIAGE_TRIAGE_H

#include <jansson.h>

#include "../base/environment.h"
#include "../oracles/signature/signature.h"
#include "key.h"

/* Where the first bad commits of buckets are looked for: see
 * bisect/commits/commits.h. */
struct cul_triage_blame {
  const char *repo;        /* NULL: they are not looked for */
  const char *const *good; /* NULL ends it */
  const char *bad;
  const char *build; /* shell string; or NULL */
  const char *tool;  /* what a build makes, in place of a command's program;
                        NULL:  the command as it stands */
  const char *work;  /* directory of the builds; or NULL */
};

/* What the user asked for; strings are borrowed. */
struct cul_triage_conf {
  const char *const
      *inputs; /* directories, logs, packed logs, lists (.jsonl) */
  size_t n_inputs;
  const char *output; /* directory of the reports; NULL = none */
  const char *db;     /* file; NULL = nothing is remembered */
  const volatile int *interrupted;
  bool check;           /* run every member again that has a command */
  bool reduce;          /* and reduce one of each bucket */
  bool confirm;         /* and run what was reduced under other commands */
  double budget_s;      /* of each bucket, for reducing; 0 = no limit */
  uint64_t max_runs;    /* the same in runs */
  double timeout_s;     /* of a run; 0 = 60 */
  uint64_t deadline_us; /* of all, on cul_now_us(); 0 = none */
  int workers;          /* 0 = number of cores */
  bool no_cache;        /* see struct cul_target_conf */
  const char *cache;
  const char *run; /* a shell string with @@; inputs are test suites */
  struct cul_environment_conf environment; /* of all that is run */
  struct cul_triage_blame blame;
};

/* A signature that at least one failure has. */
struct cul_kind_of {
  struct cul_signature sig;
  struct cul_keys keys;
  bool corrupted; /* its frames are not looked at */
};

/* What became of running a member again. */
enum cul_checked {
  CUL_CHECK_NONE,
  CUL_CHECK_SAME,
  CUL_CHECK_OTHER,
  CUL_CHECK_PASSES,
  CUL_CHECK_FLAKY,
  CUL_CHECK_BROKEN, /* could not be run */
};

struct cul_member {
  char *log;       /* the file, or ARCHIVE!MEMBER */
  char *test;      /* its name in the log; "" */
  char *module;    /* NULL = not known */
  json_t *command; /* an array of words; NULL = not known */
  size_t kind;     /* index */
  char *damage;    /* why the log cannot be trusted; NULL = it can */
  bool late;       /* see struct cul_told */
  bool rerun;      /* its kind is that of a run of our own */
  char *excerpt;   /* of the log; NULL where others of the bucket have one */
  char *sample;    /* its part of the log; NULL but for one of each key */
  char *numbers;   /* of a mismatch: see heat.h; or NULL */
  struct cul_digest content; /* of that part */
  size_t bucket;             /* index */
  char *why;                 /* it stands in that bucket */
  bool joined;               /* not by its own key */
  enum cul_checked checked;
  char *check_note; /* or NULL */
};

enum cul_bucket_state {
  CUL_BUCKET_NEW,   /* not seen in an earlier run */
  CUL_BUCKET_KNOWN, /* seen before */
  CUL_BUCKET_FLAKY, /* seen, not seen and seen again, twice */
  CUL_BUCKET_GONE,  /* seen in an earlier run, not in this one */
};

/* One bug. */
struct cul_bucket {
  int64_t id;   /* "B12"; stable with a database */
  size_t kind;  /* of its best member; index */
  char *name;   /* given by hand; or NULL */
  char *link;   /* to an issue; or NULL */
  bool ignored; /* by hand */
  enum cul_bucket_state state;
  size_t *members; /* indices, in order of the logs */
  size_t n_members;
  int64_t *maybe; /* buckets that may be the same bug */
  size_t n_maybe;
  uint32_t *history; /* members in each earlier run, oldest first */
  size_t n_history;
  json_t *reduced; /* what --reduce found; or NULL */
};

/* What could not be read. */
struct cul_problem {
  char *name, *why;
};

struct cul_triage {
  const struct cul_triage_conf *conf;
  struct cul_rules *rules;
  struct cul_kind_of **kinds;
  size_t n_kinds;
  struct cul_member *members;
  size_t n_members;
  struct cul_bucket *buckets; /* worst first: new, then the largest */
  size_t n_buckets;
  struct cul_problem *problems;
  size_t n_problems, n_logs, n_skipped;
  bool refused;   /* the machine did not give a log (EIO ...) */
  size_t n_unrun; /* tests for which there was no time: what is not here
                     need not be gone */
  uint64_t bytes; /* of logs read */
  int64_t run;    /* number of this run; 1 without a database */
  struct cul_table *table; /* kinds by digest */
};

/* Begin.  t: caller's storage, filled also on error (release it).  Errors:
 * those of cul_rules_new. */
CUL_MUST_CHECK int cul_triage_open(struct cul_triage *t,
                                   const struct cul_triage_conf *conf,
                                   struct cul_err *err);
/* Is there time?  Errors: EBUDGET, EINTR. */
CUL_MUST_CHECK int cul_triage_time_left(const struct cul_triage_conf *conf,
                                        struct cul_err *err);
/* The earlier of the deadline of all and this one; each 0 = none. */
uint64_t cul_triage_until(const struct cul_triage_conf *conf, uint64_t end_us);
/* Read all logs.  Errors: EUSAGE (an input is missing, no log found), EINTR. */
CUL_MUST_CHECK int cul_triage_read(struct cul_triage *t, struct cul_err *err);

/* A key of an earlier run. */
struct cul_known {
  int64_t id;   /* the bucket it leads to */
  bool by_hand; /* a split: the whole stack and text decide */
  bool joined;  /* a class of another key; the whole stack and text decide */
  struct cul_kind_of kind;
};
/* Put the members into buckets: see key.h.  New ones have a negative number and
 * are NEW, those of an earlier run KNOWN; each member has a reason. */
void cul_triage_group(struct cul_triage *t, const struct cul_known *known,
                      size_t n_known);
/* order.c: worst first: new ones, then by the number of members.  New ones are
 * numbered in that order, from next_id. */
void cul_triage_order(struct cul_triage *t, int64_t next_id);
void cul_triage_release(struct cul_triage *t);
void cul_bucket_release(struct cul_bucket *bucket);
/* Bucket id may be the same bug; the first few are kept. */
void cul_bucket_suggest(struct cul_bucket *bucket, int64_t id);

/* extract.c: the failures of one text.  line: what a list says of it, borrowed;
 * NULL = nothing.  Returns how many. */
size_t cul_triage_add(struct cul_triage *t, const char *log,
                      struct cul_bytes raw, const json_t *line);
/* The same of a run of our own on the test at path, under a shell string; where
 * it did not fail, nothing. */
void cul_triage_add_record(struct cul_triage *t, const char *path,
                           const struct cul_record *record,
                           const char *command);
/* A failure whose signature is known already, from a list. */
bool cul_triage_add_known(struct cul_triage *t, const json_t *line);
/* What a run of our own showed takes the place of what the log says.  text:
 * what the tool printed; or NULL. */
void cul_triage_replace(struct cul_triage *t, struct cul_member *member,
                        const struct cul_signature *sig, const char *text);
/* A problem with a file; copied. */
void cul_triage_problem(struct cul_triage *t, const char *name,
                        const char *why);
/* Index of a kind, kept once. */
size_t cul_triage_copy_kind(struct cul_triage *t,
                            const struct cul_kind_of *kind);
/* What a failure is called whose log says nothing; caller frees. */
char *cul_member_own(const char *log, const char *test);

/* "new", "known" ... */
const char *cul_bucket_state_name(enum cul_bucket_state state);
const char *cul_checked_name(enum cul_checked checked);
/* The name given by hand, or the title. */
const char *cul_bucket_title(const struct cul_triage *t,
                             const struct cul_bucket *bucket);

#endif
