/* The types that cache, runners, oracles and probe share: what is run, and its
 * outcome.  See docs/architecture.md. */
#ifndef CUL_BASE_RUN_H
#define CUL_BASE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "digest.h"
#include "stay.h"

/* One substitution in an argument template: "@@" -> path of the candidate,
 * "@{out}" -> a directory, "@{opt}" -> the program of a cell ... */
struct cul_subst {
  const char *key, *value;
};

struct cul_command;
struct cul_elsewhere;
struct cul_environment;
struct cul_hosts;
struct cul_install;
struct cul_role;
struct cul_servers;

/* A built point: all that runners receive of a point. */
struct cul_artefact {
  struct cul_digest digest; /* of exactly the bytes that a tool can read */
  const struct cul_subst *subst;
  size_t n_subst;
  const char *dir;  /* the directory of its files; "" when none */
  const char *file; /* the candidate's base name inside dir; "" when none */
  int live_fd; /* >= 0: a child process holds it in memory; -1: files only */
  /* The command, where it is part of the point; NULL = that of the request. */
  const struct cul_command *cmd;
  /* The identity of that command's tool; NULL = that of the request.  Zero: not
   * known yet; the first run is traced, and its result sets it. */
  struct cul_digest *tool;
  /* The commands of the other roles (CUL_N_ROLES, by role), where they are part
   * of the point; NULL = those of the job. */
  const struct cul_role *roles;
  uint32_t run_flags; /* enum cul_request_flags, added to the request's */
  /* The records of an earlier judgement of it, or of one of the same meaning;
   * borrowed.  Where suspect and reference say again, byte by byte, what they
   * said there, the roles that only say whether the comparison means something
   * would, too, and are not asked. */
  const struct cul_record *known;
  size_t n_known; /* 0: nothing is known */
  /* The directory of its files is on the machine of a worker
   * (runners/remote/hosts.h); NULL: it is here, or was sent. */
  const struct cul_elsewhere *elsewhere;
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

/* An argument template and the place where it runs.  All strings are borrowed
 * and live as long as the job. */
struct cul_command {
  const char *const *argv; /* NULL terminated; argv[0] as the user typed it */
  enum cul_delivery delivery;
  const char *cwd; /* working directory; NULL = the artefact's own dir */
  /* the variables that are passed, and keyed; NULL = cul_environment_usual */
  const struct cul_environment *environment;
  /* NULL terminated NAME=VALUE, override those variables; templates like the
   * arguments; may be NULL */
  const char *const *env;
  bool executable; /* the candidate is a file that may be executed */
  /* the directory of "@{inputs}" as given, and the digest of its files: part of
   * the tool's identity; NULL = none */
  const char *inputs;
  struct cul_hosts *hosts; /* where it runs (runners/remote/hosts.h); NULL = on
                              this machine */
  const struct cul_install *install; /* with hosts: what it needs there; or
                                        NULL */
};

/* A call of a program in a record: its directory, its path and its arguments
 * from argv[1] on, with CUL_CALL_NEXT between them; CUL_CALL_LINE stands for a
 * newline. */
#define CUL_CALL_NEXT '\x1f'
#define CUL_CALL_LINE '\x1e'

enum cul_request_flags {
  CUL_RUN_ALONE = 1 << 0,     /* nothing else runs at the same time */
  CUL_RUN_SYMBOLIZE = 1 << 1, /* let the tool symbolize its stack dump */
  CUL_RUN_NO_CACHE = 1 << 2,  /* neither read nor write the cache */
  CUL_RUN_TRACE = 1 << 3,     /* report every file executed or read */
  CUL_RUN_WHERE =
      1 << 4, /* a process without a handler that dies of a fault prints its
                 stack to standard error (runners/preload/where.c) */
  CUL_RUN_LIVE = 1 << 5, /* run by the process that holds the candidate; keyed
                            apart from runs on a file */
  CUL_RUN_RANDOMIZE =
      1
      << 6, /* leave address space randomization on, as it is outside culprit */
  CUL_RUN_SERVED =
      1 << 7, /* forked from the tool just before it looks at the candidate
                 (runners/preload.h); keyed apart from ordinary runs */
  CUL_RUN_KEEP = 1 << 8, /* memory that the tool frees is never reused
                            (runners/preload/quarantine.c) */
  CUL_RUN_FILL = 1 << 9, /* with KEEP: freed memory is filled with a byte that
                            makes no valid address */
  CUL_RUN_LAYOUT =
      1 << 10, /* use the first of CUL_N_LAYOUTS fixed heap layouts; the next
                  bits select the others (runners/preload/quarantine.c) */
  CUL_RUN_OUTSIDE =
      1 << 16,             /* run outside the sandbox, to compare the results */
  CUL_RUN_GIVEN = 1 << 17, /* run of the input as given: unless the sandbox is
                              strict it may write anywhere */
  CUL_RUN_ABROAD = 1 << 18 /* with TRACE: what is only looked for below the
                              artefact's directory is left out, and all that is
                              below other places where the run may write */
};
#define CUL_N_LAYOUTS 3
#define CUL_RUN_LAYOUTS (((1U << CUL_N_LAYOUTS) - 1) * CUL_RUN_LAYOUT)

/* A request for one run.  Same role, artefact and attempt = same run. */
struct cul_request {
  const char *role; /* "suspect", "reference", "control" ... */
  const struct cul_command *cmd;
  /* identity of the tool; zero = not completely known (not closed) */
  struct cul_digest tool;
  /* the base name under which the tool gets the candidate, part of the run's
   * key unless the candidate comes on standard input; NULL: any.  Borrowed. */
  const char *file;
  uint32_t attempt, seed, flags;
  uint64_t wall_ms;   /* deadline; 0 = none */
  uint64_t cpu_ms;    /* RLIMIT_CPU, rounded up to seconds; 0 = none */
  uint64_t rss_bytes; /* RLIMIT_AS; 0 = none */
  uint64_t out_bytes; /* kept of stdout and of stderr each; 0 = 1 MiB */
  /* How to recognize a hang before the deadline; such a run is not stored.
   * Borrowed; NULL: only by the deadline.  Runs on other machines ignore it. */
  const struct cul_stay_wish *stay;
  struct cul_servers *servers; /* SERVED: the fork servers to use; borrowed */
  /* Device and inode of the directory that the run gets as TMPDIR; 0 = the one
   * with its name.  Only this directory is emptied, whatever a tool has put in
   * its place. */
  uint64_t tmp_dev, tmp_ino;
};

enum cul_end {
  CUL_EXITED,   /* status: exit code */
  CUL_SIGNALED, /* status: signal number */
  CUL_DEADLINE, /* wall_ms reached, see below; the tree was killed */
  CUL_LIMIT,    /* a resource limit set by culprit ended it; status: signal */
  CUL_NOT_STARTED, /* exec failed; status: errno; err says which program */
  CUL_MACHINE, /* fork failed, out of memory ...; never stored; status: errno,
                  or ECHILD: its supervisor was killed, and the outcome is
                  lost */
};

/* Which limit ended the run.  Outcomes that depend on the machine are not
 * stored. */
enum cul_limit { CUL_LIMIT_TIME, CUL_LIMIT_MEMORY, CUL_LIMIT_PROCESSES };

/* Deadlines and load.  Time during which tasks of the tree wait in a run queue,
 * and none of them computes, does not count: a run meets its deadline when wall
 * time less that waiting time reaches wall_ms.  For a single-threaded tool this
 * is, whatever the load, the time that it would take on an idle machine, within
 * the kernel's accounting (a few ms); a tool with many threads has then
 * computed for wall_ms or more.  The deadline ends the run at ten times wall_ms
 * at the latest, with an unknown pace.  Not covered: waiting for a disk or a
 * lock that other load holds, and processes of the tree that ended before. */

/* What the tree did in the last quarter of the time before its deadline (0.2 to
 * 2 s; the last half, if the deadline is shorter than 0.4 s): it computed, or
 * none of its tasks could run.  20 samples of the tasks' states and the time
 * that they computed decide (runners/tree/pace.h).  Load does not matter: a
 * task in the run queue counts as able to run, and so does one whose output
 * culprit has not read yet. */
enum cul_pace {
  CUL_PACE_UNKNOWN, /* no deadline met, or one that load may have caused */
  CUL_PACE_SPINNING,
  CUL_PACE_WAITING,
  CUL_PACE_MIXED, /* both in turn, or undetermined */
};

/* Which command runs on a candidate.  Besides the command under test there may
 * be a reference, and runs that show whether a difference between the two is
 * significant. */
enum cul_run_role {
  CUL_ROLE_SUSPECT,
  CUL_ROLE_REFERENCE,      /* with fresh memory and the stack filled with one
                              byte */
  CUL_ROLE_POISON,         /* the reference, filled with another byte, at
                              randomized addresses */
  CUL_ROLE_SUSPECT_POISON, /* the suspect, filled with the first byte */
  CUL_ROLE_CONTROL,        /* another way to run the reference */
  CUL_ROLE_WIDE,           /* the reference on the candidate in f64 */
  CUL_ROLE_CHECKED, /* culprit's own execution of the candidate, with checks */
  CUL_ROLE_OWN,     /* culprit's own execution in f64, with fresh memory filled
                       with a third byte */
  CUL_ROLE_SUSPECT_REFILLED, /* as SUSPECT_POISON, filled with the other byte:
                                only what the memory holds differs, not where it
                                lies */
  CUL_N_ROLES
};
/* The byte that fills fresh memory in a role's run, in decimal; NULL: none. */
static inline const char *cul_role_fill(enum cul_run_role role) {
  if (role == CUL_ROLE_POISON || role == CUL_ROLE_SUSPECT_REFILLED)
    return "170";
  return role == CUL_ROLE_REFERENCE || role == CUL_ROLE_SUSPECT_POISON ? "85"
                                                                       : NULL;
}
/* Is it the suspect, with or without filled memory? */
static inline bool cul_role_is_suspect(enum cul_run_role role) {
  return role == CUL_ROLE_SUSPECT || role == CUL_ROLE_SUSPECT_POISON ||
         role == CUL_ROLE_SUSPECT_REFILLED;
}

/* The outcome of a run.  Owns its bytes (see cul_record_release). */
struct cul_record {
  enum cul_end end;
  int status;
  struct cul_buf out, err; /* stdout, stderr; capped: head and tail are
                              kept, "\n[... N bytes cut ...]\n" between */
  /* CUL_RUN_TRACE: lines "x PATH\n" executed, "r PATH\n" read, "p PATH\n"
   * looked for (there or not), "l PATH\n" a directory whose names were read, "t
   * PATH\n" a file whose times were asked for (besides another line or not);
   * sorted, unique, absolute; "u PHRASE\n": an input that the trace does not
   * see; "w PATH\n": the program that a script handed its arguments to; "!
   * WHY\n": not closed; "o PATH\n": made, changed or removed; "b PATH\n": this
   * and read, too; "k PATH\n": to be made, but there already; "m PATH\n": a
   * directory below which a file went from one directory to another; "n
   * FAMILY\n": a socket of a network was made; "a CALL\n": a program that was
   * executed (CUL_CALL_NEXT); with ABROAD, "s PATH\tHEX...\n": a file below the
   * artefact's directory that a process read first, and the first 32 bits of
   * the digests of the names, in that directory, of all that such processes
   * read there.  Of a run
   * on another machine also "f DIGEST NAME\n", "h DIGEST\n" and "e DIGEST\n"
   * (cul_identity_see).  Of any run: "d PATH\n": a change that the sandbox
   * refused */
  struct cul_buf files;
  struct cul_buf outputs; /* the files under @{out}: see base/files/outputs.h */
  /* the command that ran; set by the probe, not stored */
  enum cul_run_role role;
  /* the text of the candidate, while an oracle is asked that reads it
   * (cul_oracle_conf.quotes); set by the probe, not stored, borrowed */
  struct cul_bytes candidate;
  uint64_t wall_us, cpu_us; /* cpu: user + system, whole tree */
  enum cul_pace pace;       /* DEADLINE */
  enum cul_limit limit;     /* LIMIT */
  struct cul_stayed stayed; /* request->stay; not stored */
  uint64_t rss_bytes;       /* peak of the largest process */
  uint64_t truncated;       /* bytes cut from out and err together */
  bool full; /* of a run here: at its end no room was left on the file system of
                its TMPDIR or of its directory */
  bool trace_closed; /* CUL_RUN_TRACE: nothing escaped the tracer */
  bool cached;       /* came from the cache */
};

void cul_record_release(struct cul_record *record);
/* Why the run was not started, or why the machine ended it: the last line of
 * err, after the tool's own output.  Borrowed. */
struct cul_bytes cul_record_why(const struct cul_record *record);

/* Expand one argument: every subst key inside it is replaced; "@@.ext" is the
 * path given for "@@" (the file already has its extension); "@@@@" is a
 * literal "@@"; unknown "@{x}" is EUSAGE.  `{...}` is left alone.
 * out: appended. */
CUL_MUST_CHECK int cul_expand(const char *arg, const struct cul_subst *subst,
                              size_t n_subst, struct cul_buf *out,
                              struct cul_err *err);
/* Does any argument contain the unescaped placeholder "@@"? */
bool cul_has_placeholder(const char *const *argv);

#endif
