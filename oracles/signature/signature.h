/* Failure signatures: what a record's texts say about the failure.
 *
 * Read from a record by rules kept as data (oracles/signature/): kind,
 * normalised text, innermost pass, frames.  Pure; no process; the only file
 * ever read is a user's own rule directory, when the rules are made. */
#ifndef CUL_ORACLES_SIGNATURE_SIGNATURE_H
#define CUL_ORACLES_SIGNATURE_SIGNATURE_H

#include "../../base/run.h"

enum cul_kind {
  CUL_KIND_NONE,           /* exit 0 and nothing to report */
  CUL_KIND_SIGNAL,         /* died of a signal, no better text */
  CUL_KIND_ASSERTION,      /* assert, CHECK */
  CUL_KIND_FATAL,          /* LLVM ERROR: ... */
  CUL_KIND_UNREACHABLE,    /* UNREACHABLE executed */
  CUL_KIND_VERIFIER,       /* the verifier's error, see below */
  CUL_KIND_DIAGNOSTIC,     /* error: ..., exit != 0 */
  CUL_KIND_SANITIZER,      /* ASan, UBSan, TSan, MSan report */
  CUL_KIND_EXCEPTION,      /* uncaught Python or C++ exception */
  CUL_KIND_TIMEOUT,        /* deadline */
  CUL_KIND_EXIT,           /* exit != 0 without any known text */
  CUL_KIND_MEMORY,         /* out of memory */
  CUL_KIND_MISMATCH,       /* wrong numbers, where a test says so */
  CUL_KIND_NONDETERMINISM, /* of runs compared with one another */
  CUL_KIND_SLOWER,         /* measured */
  CUL_KIND_LARGER,         /* measured: memory */
};
/* VERIFIER is known by its form ("'d.op' op requires ...", "does not
 * dominate").  One record cannot tell whether a pass broke the module or the
 * input was invalid already: the texts are equal.  Who seeks a VERIFIER
 * failure must check that the candidate itself verifies. */

#define CUL_SIG_MAX_FRAMES 32
#define CUL_SIG_MAX_ANCHORS 24
#define CUL_SIG_MAX_ERRORS 16
#define CUL_SIG_VERSION 8 /* of rules and lists: part of every key */

enum cul_frame_role {
  CUL_FRAME_RELEVANT, /* may be to blame */
  CUL_FRAME_TRAP,     /* how the process died: handlers, abort, libc */
  CUL_FRAME_HELPER,   /* generic code that is handed what is wrong:
                         Operation::create, llvm::cast, std:: */
  CUL_FRAME_ASKED,    /* printing that a relevant frame asked for */
  CUL_FRAME_OUTER,    /* drivers around the pass, and all outside them */
};

struct cul_frame {
  char name[200];  /* function without arguments, templates, clones; "" when
                      unnamed */
  char module[80]; /* base name of the object or source file; may be "" */
  uint64_t offset; /* 0 = unknown */
  bool relative;   /* offset counts from the module's load address; else it
                      is the address as printed */
  enum cul_frame_role role;
};

/* The start of a named function as loaded: what makes the addresses of two
 * runs comparable. */
struct cul_anchor {
  uint64_t module, id; /* digests: of the module's name; of it and the
                          function's full name */
  uint64_t address;
};

/* Where an error line stands. */
enum cul_error_place {
  CUL_ERROR_BEFORE, /* the message */
  CUL_ERROR_BEHIND, /* right behind the message, of the same place in the input
                     */
  CUL_ERROR_AFTER,  /* further behind, or in the other stream */
};

/* A line that reports an error, beside the message. */
struct cul_error_line {
  char raw[240];  /* as printed, without the place in the input; may be cut */
  char text[240]; /* normalised; may be cut */
  uint64_t id;    /* digest of the whole normalised text */
  enum cul_error_place place; /* where it stands first */
};

struct cul_signature {
  enum cul_kind kind;
  int status;      /* signal number (SIGNAL, FATAL ...; 0 = not known) or exit
                      code */
  int signal;      /* the process died of; 0 = it exited */
  char title[256]; /* one line for people: text, pass, first frame */
  char text[512];  /* normalised message; "" when none */
  char raw[512];   /* the message as printed */
  char pass[160];  /* innermost pass; "" when not known */
  char input[400]; /* what a stack dump says was worked on: function and
                      command; "" when not known */
  bool words;      /* no rule knows the text: it is a guess, the line that says
                      most (words.h) */
  int weight;      /* of that line: enum cul_weight */
  char spot[96];   /* FILE:LINE at its start; "" when none */
  char file[80];   /* of the tool's sources: the line that the failure names */
  uint32_t line;   /* (assertion, innermost Python frame); 0 = none */
  struct cul_frame frames[CUL_SIG_MAX_FRAMES]; /* innermost first */
  size_t n_frames;
  struct cul_anchor anchors[CUL_SIG_MAX_ANCHORS];
  size_t n_anchors;
  /* The error lines beside the message, in order, each text once.  Warnings,
   * notes and remarks are none. */
  struct cul_error_line errors[CUL_SIG_MAX_ERRORS];
  size_t n_errors;
  size_t lead; /* which of them, from 1, is the last one before the message
                  first stands; 0 = none: the reason that a pattern gives
                  before its driver fails */
  bool errors_known;            /* false: nobody looked, as in a log */
  bool errors_cut;              /* there are more than fit */
  char rule[64];                /* name of the rule that gave the text; or "" */
  struct cul_digest key;        /* same binary: kind, text, pass, frames */
  struct cul_digest key_across; /* across binaries: names only */
};

struct cul_rules; /* compiled rules and lists */

/* The built-in rules.  Where $CULPRIT_RULES names a directory, its files
 * replace the built-in ones of the same name, and its local.rules,
 * local.frames and local.norm are added.  Errors: EINTERNAL (a built-in rule
 * does not compile), EUSAGE (a rule of the user's: file, line, reason). */
CUL_MUST_CHECK int cul_rules_new(struct cul_rules **out, struct cul_err *err);
/* The same with an explicit directory; NULL = built-in only. */
CUL_MUST_CHECK int cul_rules_load(const char *dir, struct cul_rules **out,
                                  struct cul_err *err);
void cul_rules_free(struct cul_rules *rules);
/* From now on reading a text ends early when the user asks to end; for those
 * who then use nothing of what was read. */
void cul_rules_give_up(struct cul_rules *rules, bool gives_up);

/* Run every example of every rule, list and substitution.  failures: one
 * line per example that does not hold, or per entry that lacks a positive or
 * a negative one.  Returns how many examples were run. */
size_t cul_rules_check(const struct cul_rules *rules, struct cul_buf *failures);

/* Read the signature of a record.  Never fails: what is not understood gives
 * SIGNAL or EXIT, and where there is no stack either, the line of the output
 * that says most as text.  Linear in the record's size. */
void cul_signature_read(const struct cul_rules *rules,
                        const struct cul_record *record,
                        struct cul_signature *out);

/* What runs print that do not fail as the one in question does. */
struct cul_prints;
struct cul_prints *cul_prints_new(void);
void cul_prints_free(struct cul_prints *prints);
void cul_prints_add(const struct cul_rules *rules, struct cul_prints *prints,
                    const struct cul_record *record);
/* As cul_signature_read: a line that such runs print is no text of a failure
 * that no rule knows.  others: may be NULL. */
void cul_signature_read_beside(const struct cul_rules *rules,
                               const struct cul_record *record,
                               const struct cul_prints *others,
                               struct cul_signature *out);

/* The line by which a tool refuses its command line, as printed, into out; ""
 * and false where it prints none. */
bool cul_rejection_read(const struct cul_rules *rules,
                        const struct cul_record *record, char *out, size_t n);

/* What a log says: a text alone, of which nobody recorded how the run ended.
 */
struct cul_told {
  struct cul_signature sig;
  bool found; /* a rule knows a message, or there is a stack */
  bool late;  /* the error may have happened long before it was reported: the
                 frames say nothing */
  size_t at;  /* where the message stands in the text; 0 where there is none */
};
/* Read one.  The rules marked "only log" hold as well.  text: without colours
 * and carriage returns. */
void cul_signature_read_log(const struct cul_rules *rules,
                            struct cul_bytes text, struct cul_told *out);

/* The part of a log that one test of a harness printed (harness.rules). */
struct cul_section {
  size_t start, end; /* with the line that begins it */
  char name[240];    /* of the test */
  const char *by;    /* the rule that began it; lives as long as the rules */
};
/* The tests that failed, in order; heap, caller frees (NULL for none).
 * Returns how many. */
size_t cul_sections_find(const struct cul_rules *rules, struct cul_bytes text,
                         struct cul_section **out);
/* What a harness writes before every line is cut off: out is text without it;
 * false where there is none, and out stays as it is. */
bool cul_sections_unwrap(const struct cul_rules *rules, struct cul_bytes text,
                         struct cul_buf *out);
/* The substitutions that made sig's text of its message, one line each with the
 * result. */
void cul_signature_explain_text(const struct cul_rules *rules,
                                const struct cul_signature *sig,
                                struct cul_buf *out);
/* A digest of all rules and lists: what a stored key was made with. */
struct cul_digest cul_rules_digest(const struct cul_rules *rules);

/* Same failure of the same binary: kind, end (signal or exit status), text,
 * pass and source line (where both know it), the place that failed and the
 * first three relevant frames as module + offset; unnamed frames count. Behind
 * these, up to the driver, the way may be longer or shorter, but no function in
 * it may be another. Load addresses may differ: offsets are compared exactly
 * where the two stacks share a named function of the module, else by their
 * place in the page (12 bits) and by a constant distance. A stack without names
 * is compared with one that a symbolizer named by the addresses alone.
 *
 * Where a message tells the failure, not a place in the tool (diagnostic,
 * verifier error, LLVM ERROR, exception, exit status), what the tool said
 * before that message counts as well.  a is what is sought:
 *   - the last error line before the message is the same in both, or missing in
 *     both.  It is the reason that a pattern gives before its driver says
 * "failed to legalize": behind one last line stand as many failures as there
 * are reasons;
 *   - the other error lines of b that stand before its message are among those
 * of a, and so is the line right behind it where both are about one place of
 * the input (a tool whose last line no rule knows to be one). Lines of a may be
 * missing in b, but for the reason: an input of many functions that each fail
 * shrinks to the one that fails first.  What follows after is not compared:
 * which functions come to fail after the first is chance where they are
 * compiled in parallel.  Equal sets of lines are equal in any order.
 *
 * why: which part differs, a phrase of at most n bytes; may be NULL.
 * Equal failures have equal keys, unless one of them was symbolized; keys are
 * coarser than this comparison: they know nothing of the error lines beside the
 * message, so that one bug is one bucket over inputs that show others too. */
bool cul_signature_same(const struct cul_signature *a,
                        const struct cul_signature *b, char *why, size_t n);
/* Same failure across binaries: names only, unnamed frames ignored, of the
 * error lines only the last one before the message.  Where neither side has a
 * name or a message, as cul_signature_same. */
bool cul_signature_same_across(const struct cul_signature *a,
                               const struct cul_signature *b, char *why,
                               size_t n);

/* Is the exit status a choice of the tool's, made with its message?  Without
 * memory it is chance, and what is measured has none of its own. */
bool cul_signature_chooses_status(const struct cul_signature *sig);

/* The error line that counts with the message: the last one before it.  NULL
 * where there is none, or where the place tells the failure. */
const struct cul_error_line *
cul_signature_lead(const struct cul_signature *sig);

/* Does its stack tell a place: is one of its frames relevant?  Where memory was
 * destroyed, none may be. */
bool cul_signature_tells_place(const struct cul_signature *sig);

/* The word for a kind: "signal", "assertion", "LLVM ERROR", "unreachable",
 * "verifier error", "diagnostic" ... */
const char *cul_kind_name(enum cul_kind kind);
/* The failure in a few sentences for people (several lines). */
void cul_signature_describe(const struct cul_signature *sig,
                            struct cul_buf *out);

#endif
