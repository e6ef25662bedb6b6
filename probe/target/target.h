/* The target of a job: the input, the tool under test, and the failure.
 *
 * Every job begins in the same way: read the input, make a working directory,
 * determine the tool's identity, run the tool, and classify the outcome. */
#ifndef CUL_PROBE_TARGET_TARGET_H
#define CUL_PROBE_TARGET_TARGET_H

#include "../../base/environment.h"
#include "../../base/files/sealed.h"
#include "../../base/pieces.h"
#include "../../oracles/repeat.h"
#include "../../runners/identity/identity.h"
#include "../contract.h"
#include "../probe.h"
#include "../workplace.h"

/* How the tool is started for candidates. */
enum cul_start {
  CUL_START_AUTO,   /* SHARED if it starts slowly, else OWN */
  CUL_START_EXEC,   /* as AUTO, but never in-process (inside.h) */
  CUL_START_OWN,    /* once for each run */
  CUL_START_SHARED, /* once for many runs (runners/preload.h), if the tool can
                       wait */
};

/* The tensors that the tool or the engine reads. */
struct cul_inputs_conf {
  const char *dir;    /* --inputs DIR: "@{inputs}"; NULL = none */
  const char *values; /* --values: their kind, for the engine; or NULL */
  int64_t seeds;      /* --seeds: how many of the engine's; 0 = 1 */
};

/* What gives the right results.  Strings are borrowed. */
struct cul_ref_conf {
  const char *passes;  /* --ref-passes: of the reference; or NULL */
  const char *command; /* --ref: a shell command, @@ the file; NULL = none */
  const char *control; /* --control: another one; NULL = none */
  const char *wide;    /* the reference in f64: another command; NULL = culprit
                          derives it from command */
  const char *want; /* --want DIR: the files that the reference would write into
                       @{out} for the input as given; NULL = none */
};

/* The user's configuration; strings are borrowed for the life of the job. */
struct cul_target_conf {
  const char *input; /* file to work on */
  const char *name;  /* the candidate's name in every run; NULL = input's */
  const char *const *argv; /* command template, NULL terminated; or NULL.  With
                              a script: its arguments */
  const char *script;      /* --script FILE; NULL = none */
  const char *passes;   /* --passes PIPELINE: instead of a command; or NULL */
  const char *contract; /* --contract NAME of the script; NULL = "all" */
  const char *device;   /* --device: the engine compiles for it; or NULL */
  struct cul_ref_conf ref;
  struct cul_inputs_conf inputs;
  struct cul_oracle_conf oracle;
  double timeout_s;     /* --timeout; 0 = 60 */
  uint64_t deadline_us; /* --max-time, end of the whole job, on cul_now_us(); 0
                           = none */
  int workers;          /* -j; 0 = number of cores */
  enum cul_start start; /* while searching: see cul_target_serve */
  bool elsewhere;     /* commands name hosts of their own (cul_command.hosts) */
  bool installed;     /* each run's installation has the program, which need not
                         exist on this machine */
  bool even_if_empty; /* see cul_target_demand_cause */
  bool with_command;  /* the command is reduced, too: a failure that does not
                         depend on the input may come from its words */
  struct cul_cache_conf cache;
  struct cul_environment_conf environment; /* of all that is run */
  const volatile int *interrupted;
};

/* The input: read once, under the same name in every run. */
struct cul_target_subject {
  /* the text that is reduced: at first the input's bytes */
  struct cul_sealed text;
  struct cul_sealed given; /* the input's bytes, once text has been replaced */
  char *path;              /* of the input, absolute */
  char *file;              /* candidate's base name, in every run */
  bool executable; /* the input has an execute permission; so do candidates */
};

/* The tool under test: its command, environment and identity. */
struct cul_target_tool {
  struct cul_command command; /* as given */
  /* its replacement (cul_target_replace_command) */
  struct cul_command shorter;
  char **shorter_argv;                 /* its arguments, one block; or NULL */
  struct cul_environment *environment; /* of all that is run */
  struct cul_identity identity;
  bool recalled;           /* identity known from an earlier job */
  struct cul_hosts *hosts; /* where its runs are made; NULL = here */
};

/* The tool is a script that follows a contract. */
struct cul_target_script {
  const struct cul_contract *contract; /* NULL = it is a command */
  const char **argv;                   /* see cul_contract_argv; or NULL */
};

/* The tool is culprit's own program, for --passes or --device. */
struct cul_target_engine {
  char *program;     /* or NULL */
  char **argv;       /* its words, one block; NULL = it is another tool */
  char patience[32]; /* time limit of a kernel, with --timeout; or "" */
  char *seeds;       /* conf->inputs.seeds in digits; or NULL */
  char *values;      /* instead of conf->inputs.values; or NULL */
};

/* The value of "@{inputs}". */
struct cul_target_inputs {
  char *given; /* of the commands: absolute path, and digest of the files */
  char *dir;   /* that, or another one; or NULL */
  char *name;  /* identifies the inputs if they are not those given, and is then
                  part of every candidate's digest; or NULL */
};

/* The runs in-process: see inside.h. */
struct cul_target_inside {
  char *program;             /* the engine's; or NULL */
  char **words[CUL_N_ROLES]; /* of probe.inside; heap, each */
  char *why;                 /* why there are none; or NULL */
  bool wrong; /* the command contradicted a result: none are made any more */
};

/* The command of a role other than the suspect. */
struct cul_role_command {
  struct cul_command command;
  const char *argv[4];
  char *text;   /* the shell command */
  bool widens;  /* text runs the reference on the candidate in f64, and prints
                   no bounds */
  char **words; /* or the arguments of the engine; one block */
  struct cul_identity identity; /* of its tool, where it has one of its own */
};
/* The commands of all roles. */
struct cul_role_commands {
  struct cul_role_command of[CUL_N_ROLES];
  char *golden; /* copies conf->want to @{out}; or NULL */
};

/* Result of the test whether a use of freed memory causes the failure. */
struct cul_use {
  bool known, found;
  struct cul_signature first; /* the first use */
};

/* Other places at which the same memory fault appears; see
 * cul_target_seek_place. */
struct cul_target_places {
  struct cul_signature *taken; /* heap array of n */
  uint32_t n;
  struct cul_use use; /* of the original; determined there */
};

struct cul_target {
  const struct cul_target_conf *conf;
  struct cul_target_subject subject;
  struct cul_target_tool tool;
  struct cul_target_script script;
  struct cul_target_engine engine;
  struct cul_target_inside inside;
  struct cul_target_inputs inputs;
  struct cul_role_commands roles;
  struct cul_stamps stamps;   /* of the files of all its tools */
  struct cul_workplace place; /* removed at release */
  const char *dir;            /* its directory */
  struct cul_cache *cache;    /* or NULL */
  char *note;                 /* a note to the user; or NULL */
  char *found;                /* a note from classification; or NULL */
  struct cul_rules *rules;
  struct cul_oracle_conf oracle_conf;
  const struct cul_oracle *oracle; /* chosen; probe.oracle is the decorator
                                      around it (oracles/repeat.h) */
  struct cul_probe probe;          /* ready to use */
  bool classified;
  struct cul_judged original; /* classification of the input */
  struct cul_target_places places;
};

/* Read and check everything that can be checked without a run.
 * Errors: EUSAGE (input missing, empty ..., no command), EENV (no room, tool
 * not found). */
CUL_MUST_CHECK int cul_target_open(struct cul_target *target,
                                   const struct cul_target_conf *conf,
                                   struct cul_err *err);
/* Recall the tool's identity from an earlier job, without a run.  If it is
 * found, target->probe.request.tool is set. */
CUL_MUST_CHECK int cul_target_recall(struct cul_target *target,
                                     struct cul_err *err);
/* Run the input (traced if the identity is not known yet) until the oracle
 * has classified it.  target->original holds records and verdict.  A verdict
 * other than SAME is no error here. */
CUL_MUST_CHECK int cul_target_classify(struct cul_target *target,
                                       struct cul_err *err);
/* The same, for a job that proves its result: unless the user defined a
 * timeout, a tool that still computes after oracle_conf.hang.limit_ms counts as
 * one that never ends, and oracle_conf.hang.hasty is set.  All other tools,
 * including those that wait, have the full time. */
CUL_MUST_CHECK int cul_target_classify_soon(struct cul_target *target,
                                            struct cul_err *err);
/* Classify again with the full time, after that assumption was wrong. */
CUL_MUST_CHECK int cul_target_classify_again(struct cul_target *target,
                                             struct cul_err *err);
/* The first step of classification.  Run the placed input traced and, if a
 * second run will be wanted and a worker is free, also untraced in parallel.
 * The runs that count become those of target->original. */
struct cul_placed;
CUL_MUST_CHECK int cul_target_trace(struct cul_target *target,
                                    const struct cul_placed *placed,
                                    struct cul_err *err);
/* From here on runs are on candidates that the user has never run: in sandbox
 * mode auto they may write only where the tool wrote on the input as given. */
void cul_target_seal(struct cul_target *target);
/* Should one of the first two runs be made outside the sandbox? */
bool cul_target_wants_outside(const struct cul_target *target);
/* A step of cul_target_classify, after judging: if the failure does not always
 * appear, make a run outside the sandbox.  If the outcome differs, twice,
 * remove from the sandbox the parts that make the difference and set *left:
 * classify anew. */
CUL_MUST_CHECK int cul_target_compare_outside(struct cul_target *target,
                                              struct cul_placed *placed,
                                              bool *left, struct cul_err *err);
/* The judged runs of a command on the input, and their oracle; borrowed. */
struct cul_learnt {
  const struct cul_judged *judged;
  const struct cul_command *command;
  const struct cul_oracle *oracle;
  void *oracle_self; /* of it */
};
/* The last step of cul_target_classify, for a failure that always appears.
 * Runs get a copy of the input, without the files beside it.  If their absence
 * may cause the failure, compare it with runs on the input in its own
 * directory; note in target->found if these fail in another way. */
CUL_MUST_CHECK int cul_target_compare_in_place(struct cul_target *target,
                                               const struct cul_learnt *learnt,
                                               struct cul_err *err);
/* A later run contradicts the first ones, which agreed: measure how often the
 * original fails.  The state is then as after cul_target_classify. */
CUL_MUST_CHECK int cul_target_doubt(struct cul_target *target,
                                    struct cul_err *err);
/* For a sought timeout.  on: candidates get an adaptive deadline and hitting it
 * once is enough; the result must be proven by a run with the full deadline.
 * off: candidates get the full deadline, and a hit is confirmed. */
void cul_target_hurry(struct cul_target *target, bool on);
/* Is a candidate's different failure, a memory fault, the sought one at another
 * place?  Then *found is set, and candidates that show it count as failing.
 * First test: both use freed memory, first at the same place, and fail because
 * of its later content (one run each with freed memory kept and filled, and
 * kept unchanged).  Second test: the original shows the candidate's failure in
 * six runs at most in which only memory addresses differ, and the candidate
 * shows the sought one in twelve. */
CUL_MUST_CHECK int cul_target_seek_place(struct cul_target *target,
                                         const struct cul_signature *sig,
                                         struct cul_bytes candidate,
                                         bool *found, struct cul_err *err);
/* text shows the failure, a memory fault.  Does the failure depend on chance
 * content of memory: does it change when empty lines are appended to text?
 * Then candidates that do not show it in a plain run are also judged in each
 * fixed heap layout (oracle_conf.crash.layouts) in which text shows it and an
 * almost empty input (small, if its len is not 0) shows no fault.  *found:
 * there is such a layout.  Takes three runs if the failure does not depend on
 * it, else nine more. */
CUL_MUST_CHECK int cul_target_seek_layouts(struct cul_target *target,
                                           struct cul_bytes text,
                                           struct cul_bytes small, bool *found,
                                           struct cul_err *err);
/* The smallest valid text of the input's language; static storage.  The failure
 * does not show on it. */
struct cul_bytes cul_target_empty_subject(const struct cul_target *target);
/* Is the failure judged by many runs together (cul_oracle.whole)? */
bool cul_target_whole(const struct cul_target *target);
/* Does the original fail only sometimes?  rate: how often; may be NULL. */
bool cul_target_flaky(const struct cul_target *target, struct cul_rate *rate);
/* Return 0 if the classification found a failure to work on; else ENOFAIL,
 * EFLAKY or EENV with advice. */
CUL_MUST_CHECK int cul_target_demand_failure(const struct cul_target *target,
                                             struct cul_err *err);
/* Check that the failure found depends on the input, by running a minimal valid
 * subject and, if that does not pass, an empty one.  If the failure is
 * identified by words (cul_signature.words), lines that these runs print no
 * longer count, and target->original is judged anew.  Does nothing for a script
 * (cul_target_find_sense does this), with conf->want, and with
 * conf->even_if_empty unless the failure is identified by words.  Errors:
 * ENOFAIL with advice where one of these subjects shows the same failure (with
 * conf->with_command only if the command itself is wrong); those of
 * cul_target_demand_failure. */
CUL_MUST_CHECK int cul_target_demand_cause(struct cul_target *target,
                                           struct cul_err *err);
/* Report ENOFAIL for such a failure.  subject: the subject that also shows it,
 * e.g. "an empty file". */
int cul_target_fail_idle(const struct cul_target *target, const char *subject,
                         struct cul_err *err);
/* Was the preserved failure guessed from the tool's output? */
bool cul_target_guesses(const struct cul_target *target);
/* If the input is a crash reproducer, append its pipeline section to text:
 * without it, --run-reproducer runs nothing. */
void cul_target_add_section(const struct cul_target *target,
                            struct cul_buf *text);
/* After classification: let the search share starts of the tool
 * (cul_probe.service) if conf and the failure allow it.  With CUL_START_AUTO
 * this needs a tool that is a Python program, or a large program that takes
 * longer to start than to compile `small` (may be empty: not known).  text: a
 * failing candidate, which is run in this way first.  held: a worker holds the
 * candidates as modules, so that the search may do without the tool
 * (inside.h). */
CUL_MUST_CHECK int cul_target_serve(struct cul_target *target, bool held,
                                    const struct cul_pieces *text,
                                    struct cul_bytes small,
                                    struct cul_err *err);
/* End in-process runs: undo cul_target_enter (inside.h), so that from now on
 * the command runs. */
void cul_target_leave(struct cul_target *target);
void cul_target_release(struct cul_target *target);
/* Open the places that conf->environment names; NULL: it names none. */
CUL_MUST_CHECK int cul_target_hosts(const struct cul_target_conf *conf,
                                    struct cul_hosts **out,
                                    struct cul_err *err);
/* cul_patience.left of a struct cul_target_conf, for work before its target is
 * open.  Errors: EINTR, EBUDGET (its deadline). */
int cul_target_left(const void *conf, struct cul_err *err);

/* Find the identity of each role's tool: recall it from an earlier job, or, if
 * placed is not NULL, trace a run on it. */
struct cul_placed;
CUL_MUST_CHECK int cul_target_know_roles(struct cul_target *target,
                                         const struct cul_placed *placed,
                                         struct cul_err *err);
/* Are the tools of all roles known? */
bool cul_target_knows_roles(const struct cul_target *target);

/* From now on all roles of the engine use these input values
 * (reducer/engines/plan/recipe.h); NULL: those of the user. */
void cul_target_set_values(struct cul_target *target, const char *values);
/* From now on "@{inputs}" is this directory, and name identifies its content;
 * NULL: the user's directory. */
void cul_target_set_inputs(struct cul_target *target, const char *dir,
                           const char *name);
/* Append the arguments that the engine passes to this module's function, one
 * per line; nothing if the engine cannot print them.  Errors: those of the
 * run. */
CUL_MUST_CHECK int cul_target_show_inputs(struct cul_target *target,
                                          struct cul_bytes text,
                                          struct cul_buf *out,
                                          struct cul_err *err);

/* Report EUSAGE for a script that accepts an empty subject as interesting. */
int cul_target_fail_blind(struct cul_err *err);

/* Replace the given command, or input, if it is part of the reduction.
 * argv: NULL terminated, one heap block, taken over.  text: its content is
 * moved out. */
void cul_target_replace_command(struct cul_target *target, char **argv);
CUL_MUST_CHECK int
cul_target_subject_replace(struct cul_target_subject *subject,
                           struct cul_bytes text, struct cul_err *err);
/* Restore the given command and input. */
void cul_target_restore(struct cul_target *target);
/* The current command; borrowed until the next replacement. */
const struct cul_command *cul_target_command(const struct cul_target *target);
/* The bytes of the input as it was given. */
struct cul_bytes
cul_target_subject_given(const struct cul_target_subject *subject);
/* The given command with other arguments, which are borrowed. */
struct cul_command cul_target_variant(const struct cul_target *target,
                                      char *const *argv);
/* As cul_target_judge, not learning, under other arguments; NULL = those given.
 */
CUL_MUST_CHECK int cul_target_judge_under(struct cul_target *target,
                                          char *const *argv,
                                          struct cul_bytes text,
                                          struct cul_judged *out,
                                          struct cul_err *err);

/* A candidate in the directory of a slot of the target, with its substitutions;
 * owns the strings. */
struct stat;
struct cul_placed {
  struct cul_artefact art;
  struct cul_subst subst[4];
  const struct cul_held *place; /* borrowed */
  char *dir, *path, *out;
  bool executable;              /* as the target's input */
  bool is_large;                /* its release removes the file */
  const char *inputs_name;      /* the target's; borrowed */
  struct cul_patience patience; /* with a long write; of the job */
};
CUL_MUST_CHECK int cul_target_place(const struct cul_target *target, int slot,
                                    struct cul_placed *placed,
                                    struct cul_err *err);
/* A descriptor of the candidate's file, new, empty and open for writing; the
 * caller closes it.  Whatever a tool left in place of the file or of its
 * directory is removed; targets of links are not touched.  left: the result of
 * fstat(2) once the last candidate was written; if nobody has changed the file
 * since, it is opened as it is, to be written from its beginning and cut to
 * its new length.  NULL or {0}: it is new in any case; {0} afterwards.  Errors:
 * EENV. */
CUL_MUST_CHECK int cul_placed_create(const struct cul_placed *placed,
                                     struct stat *left, int *fd,
                                     struct cul_err *err);
/* Write text as the placed candidate and set the digest.  Errors: EENV; EINTR,
 * EBUDGET: the user interrupts a long write, or the job's time is over. */
CUL_MUST_CHECK int cul_placed_fill_pieces(struct cul_placed *placed,
                                          const struct cul_pieces *text,
                                          struct cul_err *err);
/* The same of bytes. */
CUL_MUST_CHECK static inline int cul_placed_fill(struct cul_placed *placed,
                                                 struct cul_bytes bytes,
                                                 struct cul_err *err) {
  struct cul_pieces text = cul_pieces_of(bytes);
  return cul_placed_fill_pieces(placed, &text, err);
}
/* Also removes the file of a large text; others stay until their slot is used
 * again. */
void cul_placed_release(struct cul_placed *placed);

/* Slots besides those of the workers: the original, the long run (long_run.h)
 * and, from OTHER on, single texts. */
enum { CUL_SLOT_ORIGINAL = CUL_MAX_SLOTS, CUL_SLOT_LONG, CUL_SLOT_OTHER };

/* Judge one text against the learned failure (or learn it).  A test that cannot
 * run, or whose outcome is unknown, is an error: EENV. */
CUL_MUST_CHECK int cul_target_judge(struct cul_target *target,
                                    struct cul_bytes text, bool learn,
                                    struct cul_judged *out,
                                    struct cul_err *err);
/* The same for n texts, not learning: see cul_probe_judge_all. */
struct cul_text {
  struct cul_bytes bytes;
  uint32_t run_flags;              /* of all its runs */
  const struct cul_pieces *pieces; /* instead of bytes; borrowed; or NULL */
  /* an earlier judgement of the text, or of one that means the same; borrowed;
   * or NULL: see cul_artefact.known */
  const struct cul_judged *known;
};
CUL_MUST_CHECK int cul_target_judge_all(struct cul_target *target,
                                        const struct cul_text *texts, size_t n,
                                        enum cul_until until,
                                        struct cul_judged *out,
                                        struct cul_err *err);
/* Run text anew until it has failed `fails` times (see cul_repeat_measure).
 * The verdict's signature is that of the first failing run. */
CUL_MUST_CHECK int cul_target_measure(struct cul_target *target,
                                      struct cul_bytes text, uint32_t fails,
                                      struct cul_judged *out,
                                      struct cul_err *err);
/* The number of runs, and of failing runs, of the original or of a measured
 * text. */
struct cul_rate cul_judged_rate(const struct cul_judged *judged);

#endif
