/* The target of a job: the input, the tool under test, and the failure.
 *
 * Every job begins alike: read the input, make a working directory, find out
 * what the tool is (its identity), run it, and classify what happened. */
#ifndef CUL_PROBE_TARGET_TARGET_H
#define CUL_PROBE_TARGET_TARGET_H

#include "../../base/environment.h"
#include "../../oracles/repeat.h"
#include "../../runners/identity/identity.h"
#include "../contract.h"
#include "../probe.h"
#include "../workplace.h"

/* How the tool is started while candidates are tried. */
enum cul_start {
  CUL_START_AUTO,   /* SHARED where it starts slowly, else OWN */
  CUL_START_OWN,    /* for each run by itself */
  CUL_START_SHARED, /* once for many (runners/preload.h), where it can wait */
};

/* The tensors that the tool or the engine reads. */
struct cul_inputs_conf {
  const char *dir;    /* --inputs DIR: "@{inputs}"; NULL = none */
  const char *values; /* --values: their kind, for the engine; or NULL */
  int64_t seeds;      /* --seeds: how many of the engine's; 0 = 1 */
};

struct cul_cache_conf {
  const char *path; /* NULL = the user's cache */
  bool off;
};

/* What the user gave; strings are borrowed for the job's time. */
struct cul_target_conf {
  const char *input;       /* file to work on */
  const char *name;        /* the candidate's in every run; NULL = input's */
  const char *const *argv; /* command template, NULL terminated; or NULL.  With
                              a script: words for it */
  const char *script;      /* --script FILE; NULL = none */
  const char *passes;     /* --passes PIPELINE: instead of a command; or NULL */
  const char *contract;   /* --contract NAME of the script; NULL = "all" */
  const char *device;     /* --device: the engine compiles for it; or NULL */
  const char *ref_passes; /* --ref-passes: of the reference; or NULL */
  const char *reference;  /* --ref: a shell command, @@ the file; NULL = none */
  const char *control;    /* --control: another one; NULL = none */
  const char *wide;       /* the reference in f64: another one; NULL = what can
                             be made of reference */
  struct cul_inputs_conf inputs;
  const char *want; /* --want DIR: what the reference would write into
                       @{out}, of the input as given; NULL = none */
  struct cul_oracle_conf oracle;
  double timeout_s;     /* --timeout; 0 = 60 */
  uint64_t deadline_us; /* --max-time, of the whole job, on cul_now_us(); 0 =
                           none */
  int workers;          /* -j; 0 = number of cores */
  enum cul_start start; /* while searching: see cul_target_serve */
  bool installed; /* the program comes with what each run is made in: none need
                     be here */
  bool even_if_empty; /* see cul_target_demand_cause */
  bool with_command;  /* the command is reduced, too: what fails whatever
                         the input holds may be a failure of its words */
  struct cul_cache_conf cache;
  struct cul_environment_conf environment; /* of all that is run */
  const volatile int *interrupted;
};

/* The input: read once, named as in every run. */
struct cul_target_subject {
  struct cul_buf text;  /* what is reduced: the input's bytes, at first */
  struct cul_buf given; /* the input's, where text has since been replaced */
  char *path;           /* of the input, absolute */
  char *file;           /* candidate's base name, in every run */
  bool executable;      /* somebody may execute the input: so may candidates */
};

/* The tool under test: what is run, in what, and what it consists of. */
struct cul_target_tool {
  struct cul_command command; /* as given */
  struct cul_command shorter; /* what runs instead, once it was replaced */
  char **shorter_argv;        /* its arguments, one block; or NULL */
  struct cul_environment *environment; /* of all that is run */
  struct cul_identity identity;
  bool recalled; /* identity known from an earlier job */
};

/* The tool is a script that follows a contract. */
struct cul_target_script {
  const struct cul_contract *contract; /* NULL = it is a command */
  const char **argv;                   /* see cul_contract_argv; or NULL */
};

/* The tool is culprit's own program, which runs --passes or for --device. */
struct cul_target_engine {
  char *program;     /* or NULL */
  char **argv;       /* its words, one block; NULL = it is another tool */
  char patience[32]; /* with --timeout: for a kernel; or "" */
  char *seeds;       /* conf->inputs.seeds in digits; or NULL */
  char *values;      /* instead of conf->inputs.values; or NULL */
};

/* What is behind "@{inputs}". */
struct cul_target_inputs {
  char *dir;  /* absolute path; or NULL */
  char *name; /* what they are, where they are others than those given; part of
                 every candidate then; or NULL */
};

/* The command of a role beside the suspect's; see cul_target_open_roles. */
struct cul_role_command {
  struct cul_command command;
  const char *argv[4];
  char *text;   /* what the shell gets */
  char **words; /* or what the engine gets; one block */
};
/* Those of all roles. */
struct cul_role_commands {
  struct cul_role_command of[CUL_N_ROLES];
  char *golden; /* copies conf->want to @{out}; or NULL */
};

/* Memory that was freed is used, and that makes the failure. */
struct cul_use {
  bool known, found;
  struct cul_signature first; /* where it is used first */
};

/* Other places in which the failure, a fault of memory, shows too; see
 * cul_target_seek_place. */
struct cul_target_places {
  struct cul_signature *taken; /* heap array of n */
  uint32_t n;
  struct cul_use use; /* of the original; asked for there */
};

struct cul_target {
  const struct cul_target_conf *conf;
  struct cul_target_subject subject;
  struct cul_target_tool tool;
  struct cul_target_script script;
  struct cul_target_engine engine;
  struct cul_target_inputs inputs;
  struct cul_role_commands roles;
  struct cul_workplace place; /* removed at release */
  const char *dir;            /* its directory */
  struct cul_cache *cache;    /* or NULL */
  char *note;                 /* something to tell the user; or NULL */
  char *found;                /* the same, found out by classifying; or NULL */
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
/* Find the tool's identity without running it, from an earlier job.  On
 * success target->probe.request.tool is set where it could be. */
CUL_MUST_CHECK int cul_target_recall(struct cul_target *target,
                                     struct cul_err *err);
/* Run the input (traced where the identity is not known yet) until the
 * oracle has classified it.  target->original holds records and verdict.
 * Does not judge: a verdict other than SAME is no error here. */
CUL_MUST_CHECK int cul_target_classify(struct cul_target *target,
                                       struct cul_err *err);
/* The same, for a job that proves its result: a tool that still computes after
 * oracle_conf.hang.limit_ms is taken for one that never ends, where nothing
 * says how long a timeout is; oracle_conf.hang.hasty tells.  Anything else, and
 * one that waits, has all the time of classify. */
CUL_MUST_CHECK int cul_target_classify_soon(struct cul_target *target,
                                            struct cul_err *err);
/* ... which was wrong: anew, with all the time. */
CUL_MUST_CHECK int cul_target_classify_again(struct cul_target *target,
                                             struct cul_err *err);
/* A step of it: nothing has run yet.  Run the input, placed, traced, and, where
 * another run of it will be wanted and a worker is free, untraced beside that;
 * the runs that count become those of target->original. */
struct cul_placed;
CUL_MUST_CHECK int cul_target_trace(struct cul_target *target,
                                    const struct cul_placed *placed,
                                    struct cul_err *err);
/* What runs from here on is nothing that the user has run: in a sandbox of mode
 * auto it may write only where the input as given made the tool write. */
void cul_target_seal(struct cul_target *target);
/* Should one of the first two runs go outside of the sandbox? */
bool cul_target_wants_outside(const struct cul_target *target);
/* A step of cul_target_classify, which has judged: where the failure does not
 * show, or not always, a run goes outside of the sandbox.  Where
 * that ends otherwise, and again so, the sandbox loses what makes the
 * difference, and *left: classify anew. */
CUL_MUST_CHECK int cul_target_compare_outside(struct cul_target *target,
                                              struct cul_placed *placed,
                                              bool *left, struct cul_err *err);
/* A later run contradicts the first ones, which agreed: measure how often the
 * original fails.  Afterwards as after classify. */
CUL_MUST_CHECK int cul_target_doubt(struct cul_target *target,
                                    struct cul_err *err);
/* A timeout is sought.  on: candidates get a deadline that follows the runs
 * which end, and to meet it once will do; what is found must be proven by a
 * run without it.  off: the whole deadline, and a hit is confirmed. */
void cul_target_hurry(struct cul_target *target, bool on);
/* Another failure of a candidate, a fault of memory.  Is it the sought one, in
 * another place?  *found, and candidates that show it fail.  So it is where
 * both use memory that was freed, first in the same place, and fail as they do
 * because it holds something else by then: a run each with that memory kept and
 * filled, and kept as it was.  Or where the original shows it too, in six runs
 * at most in which nothing but the addresses of memory differ, and the
 * candidate, in twelve, what is sought. */
CUL_MUST_CHECK int cul_target_seek_place(struct cul_target *target,
                                         const struct cul_signature *sig,
                                         struct cul_bytes candidate,
                                         bool *found, struct cul_err *err);
/* text shows the failure, a fault of memory.  Does that depend on what lies
 * there by chance: does it fail otherwise with empty lines behind it?  Then
 * candidates that do not show it in a plain run are judged in each fixed heap
 * too (oracle_conf.crash.layouts) in which text shows it and what is almost
 * empty (small, where its len is not 0) shows no fault.  *found: there is one.
 * Three runs where it does not depend, nine more where it does. */
CUL_MUST_CHECK int cul_target_seek_layouts(struct cul_target *target,
                                           struct cul_bytes text,
                                           struct cul_bytes small, bool *found,
                                           struct cul_err *err);
/* Is the failure told by many runs together (cul_oracle.whole)? */
bool cul_target_whole(const struct cul_target *target);
/* Does the original fail only sometimes?  rate: how often; may be NULL. */
bool cul_target_flaky(const struct cul_target *target, struct cul_rate *rate);
/* The error for a classification that a job cannot start from: ENOFAIL,
 * EFLAKY or EENV with advice; 0 when there is a failure to work on. */
CUL_MUST_CHECK int cul_target_demand_failure(const struct cul_target *target,
                                             struct cul_err *err);
/* Classified, and there is a failure to work on: does it depend on the input?
 * A least valid subject is run, and, where that does not pass, an empty one.
 * Where the failure is told by words (cul_signature.words), what they print
 * otherwise is no part of it from now on: target->original is judged anew.
 * Nothing is asked for a script (cul_target_find_sense does), with conf->want,
 * nor with conf->even_if_empty where nothing is told by words. Errors: ENOFAIL
 * where one of them fails the same, with the advice that fits (with
 * conf->with_command only where something is wrong with the command); as
 * cul_target_demand_failure. */
CUL_MUST_CHECK int cul_target_demand_cause(struct cul_target *target,
                                           struct cul_err *err);
/* That error; subject: what fails the same, "an empty file". */
int cul_target_fail_idle(const struct cul_target *target, const char *subject,
                         struct cul_err *err);
/* Is what is preserved a guess from what the tool prints? */
bool cul_target_guesses(const struct cul_target *target);
/* The section of the input, where it is a crash reproducer: without its
 * pipeline a subject of --run-reproducer runs nothing.  Appended. */
void cul_target_add_section(const struct cul_target *target,
                            struct cul_buf *text);
/* Classified: from now on a search may share starts of the tool, where conf
 * and the failure allow it (cul_probe.service), and where conf does not say,
 * the tool is a Python program, or one of much code that small takes longer to
 * start than to compile (may be empty: not known).  text: a candidate that
 * fails; it is run so first. */
CUL_MUST_CHECK int cul_target_serve(struct cul_target *target,
                                    struct cul_bytes text,
                                    struct cul_bytes small,
                                    struct cul_err *err);
void cul_target_release(struct cul_target *target);

struct cul_placed;
CUL_MUST_CHECK int cul_target_know_roles(struct cul_target *target,
                                         const struct cul_placed *placed,
                                         struct cul_err *err);
/* Is it known what all of them run? */
bool cul_target_knows_roles(const struct cul_target *target);

/* From now on all roles of the engine run on these inputs (engines/recipe.h);
 * NULL: as the user has it. */
void cul_target_set_values(struct cul_target *target, const char *values);
/* From now on "@{inputs}" is this directory, whose content the name tells;
 * NULL: what the user gave. */
void cul_target_set_inputs(struct cul_target *target, const char *dir,
                           const char *name);
/* The arguments that the engine then hands to this module's function, one a
 * line, appended; nothing where it cannot say.  Errors: of the run. */
CUL_MUST_CHECK int cul_target_show_inputs(struct cul_target *target,
                                          struct cul_bytes text,
                                          struct cul_buf *out,
                                          struct cul_err *err);

/* The EUSAGE of a script that calls an empty subject interesting. */
int cul_target_fail_blind(struct cul_err *err);

/* Where the command, or the input, is part of what is reduced: from now on
 * this one takes the place of what was given.  argv: NULL terminated, one heap
 * block, taken.  text: moved out of. */
void cul_target_replace_command(struct cul_target *target, char **argv);
void cul_target_subject_replace(struct cul_target_subject *subject,
                                struct cul_buf *text);
/* Back to what was given. */
void cul_target_restore(struct cul_target *target);
/* The command as it stands; borrowed, until the next replacement. */
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

/* An artefact of `text` in slot directory number `slot` of the target:
 * written there, with its substitutions.  storage keeps the strings. */
struct cul_placed {
  struct cul_artefact art;
  struct cul_subst subst[4];
  const struct cul_held *place; /* borrowed */
  char *dir, *path, *out;
  bool executable;         /* as the target's input */
  const char *inputs_name; /* of the target; borrowed */
};
CUL_MUST_CHECK int cul_target_place(const struct cul_target *target, int slot,
                                    struct cul_placed *placed,
                                    struct cul_err *err);
/* A descriptor of the candidate's file, new and empty, to be written; the
 * caller's.  What a tool left in place of it, or of its directory, is gone, and
 * nothing that a link leads to is touched.  Errors: EENV. */
CUL_MUST_CHECK int cul_placed_create(const struct cul_placed *placed, int *fd,
                                     struct cul_err *err);
/* Write text as the placed candidate and set the digest. */
CUL_MUST_CHECK int cul_placed_fill(struct cul_placed *placed,
                                   struct cul_bytes text, struct cul_err *err);
void cul_placed_release(struct cul_placed *placed);

/* Slots beside the workers': the original, and, from OTHER on, one-off texts.
 */
enum { CUL_SLOT_ORIGINAL = CUL_MAX_SLOTS, CUL_SLOT_OTHER };

/* Judge one text against the learnt failure (or learn it).  A test that
 * cannot run is an error here, and one of whose runs nothing is known: EENV. */
CUL_MUST_CHECK int cul_target_judge(struct cul_target *target,
                                    struct cul_bytes text, bool learn,
                                    struct cul_judged *out,
                                    struct cul_err *err);
/* The same for n texts, not learning: see cul_probe_judge_all. */
struct cul_text {
  struct cul_bytes bytes;
  uint32_t run_flags; /* of all its runs */
};
CUL_MUST_CHECK int cul_target_judge_all(struct cul_target *target,
                                        const struct cul_text *texts, size_t n,
                                        enum cul_until until,
                                        struct cul_judged *out,
                                        struct cul_err *err);
/* Run text afresh until it has failed `fails` times (see cul_repeat_measure).
 * The verdict's signature is that of the first fail. */
CUL_MUST_CHECK int cul_target_measure(struct cul_target *target,
                                      struct cul_bytes text, uint32_t fails,
                                      struct cul_judged *out,
                                      struct cul_err *err);
/* In how many of its runs the original, or what was measured, failed. */
struct cul_rate cul_judged_rate(const struct cul_judged *judged);

#endif
