/* The types that cache, runners, oracles and probe share: what is run, and
 * what happened.  See docs/architecture.md. */
#ifndef CUL_BASE_RUN_H
#define CUL_BASE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "digest.h"

/* One substitution in an argument template: "@@" -> path of the candidate,
 * "@{out}" -> a directory, "@{opt}" -> the program of a cell ... */
struct cul_subst {
  const char *key, *value;
};

struct cul_command;
struct cul_environment;
struct cul_servers;

/* A point, built.  Runners know nothing else of a point. */
struct cul_artefact {
  struct cul_digest digest; /* of the exact bytes a tool can read */
  const struct cul_subst *subst;
  size_t n_subst;
  const char *dir;  /* the directory of its files; "" when none */
  const char *file; /* the candidate's base name inside dir; "" when none */
  int live_fd;      /* >= 0: a child holds it in memory; -1: files only */
  /* Where the command is part of the point: the probe runs this one.  NULL =
   * that of the request. */
  const struct cul_command *cmd;
  /* And the identity of its tool; NULL = that of the request.  Zero: not known
   * yet; the first run is traced, and what the probe is then told sets it. */
  struct cul_digest *tool;
  uint32_t run_flags; /* enum cul_request_flags, beside the request's */
};

/* How the candidate reaches the tool. */
enum cul_delivery {
  CUL_BY_PLACEHOLDER, /* "@@" somewhere in the arguments */
  CUL_BY_ARGUMENT,    /* appended as the last argument */
  CUL_BY_STDIN,       /* on standard input */
  CUL_BY_NAME,        /* under its own name in the working directory */
  CUL_BY_ALL,         /* argument, standard input and name at once (scripts) */
  CUL_BY_LINK,        /* as a link of that name in the command's cwd */
};

/* An argument template and where it runs.  All strings are borrowed and
 * live as long as the job. */
struct cul_command {
  const char *const *argv; /* NULL terminated; argv[0] as the user typed it */
  enum cul_delivery delivery;
  const char *cwd; /* working directory; NULL = the artefact's own dir */
  const struct cul_environment *environment; /* what is passed, and keyed; NULL
                                                = cul_environment_usual */
  const char *const *env; /* NULL terminated NAME=VALUE, set over that;
                             templates like the arguments; may be NULL */
  bool executable;        /* the candidate is a file that may be executed */
};

enum cul_request_flags {
  CUL_RUN_ALONE = 1 << 0,     /* nothing else runs meanwhile */
  CUL_RUN_SYMBOLIZE = 1 << 1, /* let the tool symbolize its stack dump */
  CUL_RUN_NO_CACHE = 1 << 2,  /* neither read nor store */
  CUL_RUN_TRACE = 1 << 3,     /* report every file executed or read */
  CUL_RUN_WHERE = 1 << 4,     /* a process that dies of a fault, and has no
                                 handler, prints its stack to standard error
                                 (runners/preload/where.c) */
  CUL_RUN_LIVE = 1 << 5,      /* by the process that holds the candidate: kept
                                 apart from runs on a file */
  CUL_RUN_RANDOMIZE = 1 << 6, /* let the kernel place what it loads by chance,
                                 as it does outside culprit */
  CUL_RUN_SERVED = 1 << 7,    /* forked from the tool as it stands before it
                                 looks at the candidate (runners/preload.h):
                                 kept apart from runs of its own */
  CUL_RUN_KEEP = 1 << 8,      /* memory that the tool frees is not handed out
                                 again (runners/preload/quarantine.c) */
  CUL_RUN_FILL = 1 << 9,      /* KEEP: and filled with what is no address */
  CUL_RUN_LAYOUT = 1 << 10,   /* in the first of CUL_N_LAYOUTS fixed heaps; the
                                 next bits: in another (preload/kept.c) */
  CUL_RUN_OUTSIDE = 1 << 16,  /* of the sandbox: is it the same there? */
  CUL_RUN_GIVEN = 1 << 17,    /* of the input as given: where the sandbox is not
                                 strict it writes where it likes */
};
#define CUL_N_LAYOUTS 3
#define CUL_RUN_LAYOUTS (((1U << CUL_N_LAYOUTS) - 1) * CUL_RUN_LAYOUT)

/* One run wanted.  Same role + artefact + attempt = same run. */
struct cul_request {
  const char *role; /* "suspect", "reference", "control" ... */
  const struct cul_command *cmd;
  struct cul_digest tool; /* identity of the tool; zero = not closed */
  uint32_t attempt, seed, flags;
  uint64_t wall_ms;   /* deadline; 0 = none */
  uint64_t cpu_ms;    /* RLIMIT_CPU, rounded up to seconds; 0 = none */
  uint64_t rss_bytes; /* RLIMIT_AS; 0 = none */
  uint64_t out_bytes; /* kept of stdout and of stderr each; 0 = 1 MiB */
  struct cul_servers *servers; /* SERVED: those to ask; borrowed */
  /* Device and inode of the directory that the run gets as TMPDIR; 0 = that of
   * its name.  Only that one is emptied, whatever has taken its name. */
  uint64_t tmp_dev, tmp_ino;
};

enum cul_end {
  CUL_EXITED,      /* status: exit code */
  CUL_SIGNALED,    /* status: signal number */
  CUL_DEADLINE,    /* wall_ms reached, see below; the tree was killed */
  CUL_LIMIT,       /* a resource limit of ours ended it; status: signal */
  CUL_NOT_STARTED, /* exec failed; status: errno; err says which program */
  CUL_MACHINE,     /* fork failed, out of memory ...; never stored; status:
                      errno, or ECHILD: the process that watched over it was
                      killed, and what it did is lost */
};

/* Which limit of ours it was.  What depends on the machine is not stored. */
enum cul_limit { CUL_LIMIT_TIME, CUL_LIMIT_MEMORY, CUL_LIMIT_PROCESSES };

/* Deadlines and load.  Time that the tree's tasks stand in a run queue, ready
 * to run while others have the processor, does not count as long as none of
 * them computes: a run meets its deadline when wall time less that reaches
 * wall_ms.  For a single-threaded tool that is, whatever the load, the time
 * that it would take on an idle machine, within the kernel's accounting (a few
 * ms); one with many threads has computed for wall_ms then, or more.  It
 * comes at the latest at ten times wall_ms, and is of unknown pace then.  Not
 * covered: waiting for a disk or a lock that the load holds, and processes of
 * the tree that ended before. */

/* What the tree did before it met its deadline, in the last quarter of the
 * time (0.2 to 2 s): computed, or none of its tasks could run, as 20 samples of
 * their states and the time that they computed tell (runners/tree/pace.h).  The
 * load does not matter: a task in the run queue can run, and so can one whose
 * output culprit has not read yet. */
enum cul_pace {
  CUL_PACE_UNKNOWN, /* no deadline met, or one that load may have caused */
  CUL_PACE_SPINNING,
  CUL_PACE_WAITING,
  CUL_PACE_MIXED, /* neither: both by turns, or that cannot be told */
};

/* Which command runs on a candidate.  Beside the one under test there may be a
 * reference, and what tells whether a difference of the two means anything. */
enum cul_run_role {
  CUL_ROLE_SUSPECT,
  CUL_ROLE_REFERENCE,      /* with fresh memory filled with one byte */
  CUL_ROLE_POISON,         /* the reference, filled with another one */
  CUL_ROLE_SUSPECT_POISON, /* the suspect, filled with the first */
  CUL_ROLE_CONTROL,        /* another way to run the reference */
  CUL_ROLE_WIDE,           /* the reference on the candidate in f64 */
  CUL_ROLE_CHECKED,        /* culprit's own run of it, with checks */
  CUL_N_ROLES
};

/* What happened.  Owns its bytes (see cul_record_release). */
struct cul_record {
  enum cul_end end;
  int status;
  struct cul_buf out, err; /* stdout, stderr; capped: head and tail are
                              kept, "\n[... N bytes cut ...]\n" between */
  struct cul_buf files;    /* CUL_RUN_TRACE: lines "x PATH\n" executed,
                              "r PATH\n" read, "p PATH\n" looked for (there
                              or not), "l PATH\n" a directory whose names
                              were read; sorted, unique, absolute;
                              "u PHRASE\n": what is not seen;
                              "w PATH\n": the program that a script handed
                              its arguments to; "! WHY\n": not closed;
                              "o PATH\n": made, changed or removed; "m
                              PATH\n": a directory below which a file went
                              from one directory to another; "n FAMILY\n":
                              a socket of a network was made.  Of any
                              run: "d PATH\n": that was to be changed, and the
                              sandbox did not let it */
  struct cul_buf outputs; /* the files under @{out}: see base/files/outputs.h */
  enum cul_run_role role; /* who ran; set by the probe, not stored */
  uint64_t wall_us, cpu_us; /* cpu: user + system, whole tree */
  enum cul_pace pace;       /* DEADLINE */
  enum cul_limit limit;     /* LIMIT */
  uint64_t rss_bytes;       /* peak of the largest process */
  uint64_t truncated;       /* bytes cut from out and err together */
  bool trace_closed;        /* CUL_RUN_TRACE: nothing escaped the tracer */
  bool cached;              /* came from the cache */
};

void cul_record_release(struct cul_record *record);
/* Why it was not started, or the machine ended it: the last line of err, behind
 * what the tool had said.  Borrowed. */
struct cul_bytes cul_record_why(const struct cul_record *record);

/* Expand one argument: every subst key inside it is replaced; "@@.ext" is the
 * path given for "@@" (the file already has its extension); "@@@@" is a
 * literal "@@"; unknown "@{x}" is EUSAGE.  `{...}` is left alone.
 * out: appended. */
CUL_MUST_CHECK int cul_expand(const char *arg, const struct cul_subst *subst,
                              size_t n_subst, struct cul_buf *out,
                              struct cul_err *err);
/* True where some argument holds the unescaped placeholder "@@". */
bool cul_has_placeholder(const char *const *argv);

#endif
