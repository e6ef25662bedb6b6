/* Failure signatures, read from the texts of a record.
 *
 * Read from a record by rules kept as data (oracles/signature/): kind,
 * normalised text, innermost pass, frames.  Pure: starts no process and reads
 * no file, except the user's rule directory when the rules are made. */
#ifndef CUL_ORACLES_SIGNATURE_SIGNATURE_H
#define CUL_ORACLES_SIGNATURE_SIGNATURE_H

#include "../../base/run.h"

enum cul_kind {
  CUL_KIND_NONE,           /* exit 0 and nothing to report */
  CUL_KIND_SIGNAL,         /* died of a signal, without a better text */
  CUL_KIND_ASSERTION,      /* assert, CHECK */
  CUL_KIND_FATAL,          /* LLVM ERROR: ... */
  CUL_KIND_UNREACHABLE,    /* UNREACHABLE executed */
  CUL_KIND_VERIFIER,       /* the verifier's error, see below */
  CUL_KIND_DIAGNOSTIC,     /* error: ..., exit != 0 */
  CUL_KIND_SANITIZER,      /* ASan, UBSan, TSan, MSan report */
  CUL_KIND_EXCEPTION,      /* uncaught Python or C++ exception */
  CUL_KIND_ABORT,          /* another library gives up: LOG(FATAL), malloc */
  CUL_KIND_DEVICE,         /* a GPU or NPU, or its driver, reports a fault */
  CUL_KIND_TIMEOUT,        /* deadline */
  CUL_KIND_EXIT,           /* exit != 0 without any known text */
  CUL_KIND_MEMORY,         /* out of memory */
  CUL_KIND_MISMATCH,       /* wrong numbers, reported by a test */
  CUL_KIND_NONDETERMINISM, /* runs that differ from each other */
  CUL_KIND_SLOWER,         /* measured */
  CUL_KIND_LARGER,         /* measured: memory */
  CUL_KIND_INFRASTRUCTURE, /* network, disk, a lost worker: only in logs */
};
/* VERIFIER is recognized by its form ("'d.op' op requires ...", "does not
 * dominate").  One record cannot tell whether a pass broke the module or the
 * input was invalid already: the texts are equal.  A caller that seeks a
 * VERIFIER failure must check that the candidate itself verifies. */

#define CUL_SIG_MAX_FRAMES 32
#define CUL_SIG_MAX_ANCHORS 24
#define CUL_SIG_MAX_ERRORS 16
#define CUL_SIG_VERSION 27 /* of rules and lists: part of every key */

enum cul_frame_role {
  CUL_FRAME_RELEVANT, /* may be to blame */
  CUL_FRAME_TRAP,     /* how the process died: handlers, abort, libc */
  CUL_FRAME_HELPER,   /* generic code called with a wrong argument:
                         Operation::create, llvm::cast, std:: */
  CUL_FRAME_ASKED,    /* printing on behalf of a relevant frame */
  CUL_FRAME_OUTER,    /* drivers around the pass, and all their callers */
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

/* The load address of a named function, which makes the addresses of two runs
 * comparable. */
struct cul_anchor {
  uint64_t module, id; /* digests: of the module's name; of the module's and the
                          function's full name */
  uint64_t address;
};

/* The position of an error line. */
enum cul_error_place {
  CUL_ERROR_BEFORE, /* before the message*/
  CUL_ERROR_BEHIND, /* right after the message, about the same place in the
                       input */
  CUL_ERROR_AFTER,  /* further after, or in the other stream */
};

/* A line that reports an error, other than the message. */
struct cul_error_line {
  char raw[240];  /* as printed, without the place in the input; may be cut */
  char text[240]; /* normalised; may be cut */
  uint64_t id;    /* digest of the whole normalised text */
  enum cul_error_place place; /* of its first occurrence */
};

/* The error lines other than the message, in order, each text once; without
 * warnings, notes and remarks. */
struct cul_errors {
  struct cul_error_line lines[CUL_SIG_MAX_ERRORS];
  size_t n;
  /* number, from 1, of the last of these before the message: the reason that a
   * pattern gives before its driver fails; 0 = none */
  size_t lead;
  bool known; /* false: not searched for, as in a log */
  bool cut;   /* there are more than MAX_ERRORS */
};

struct cul_signature {
  enum cul_kind kind; /* how the run ended */
  /* of a log: kind of the message, where that explains an end of another kind;
   * else NONE */
  enum cul_kind cause;
  int status;        /* signal number (SIGNAL, FATAL ...; 0 = not known) or exit
                        code */
  int signal;        /* that the process died of; 0 = it exited */
  char title[256];   /* one line for people: text, pass, first frame */
  char text[512];    /* normalised message; "" when none */
  char raw[512];     /* the message as printed */
  char printed[512]; /* the whole lines that hold it, as printed but for the
                        directories of files; "" when no rule read it */
  char pass[160];    /* innermost pass; "" when not known */
  char input[400];   /* the object that the tool worked on according to a stack
                        dump: function and command; "" if unknown */
  bool late;  /* of a log: the error may belong to earlier work, see struct
                 cul_log_failure; its frames then show only the reporter */
  bool words; /* the text is a guess, because no rule matches: the most specific
                 line (words.h) */
  bool guess; /* of a log: the kind is a guess as well */
  int weight; /* of that line: enum cul_weight */
  char spot[96]; /* FILE:LINE at its start; "" when none */
  char file[80]; /* source file of the tool that the failure names */
  uint32_t line; /* its line (assertion, innermost Python frame); 0 = none */
  struct cul_frame frames[CUL_SIG_MAX_FRAMES]; /* innermost first */
  size_t n_frames;
  struct cul_anchor anchors[CUL_SIG_MAX_ANCHORS];
  size_t n_anchors;
  struct cul_errors errors;
  char rule[64];                /* name of the rule that gave the text; or "" */
  struct cul_digest key;        /* same binary: kind, text, pass, frames */
  struct cul_digest key_across; /* across binaries: names only */
};

struct cul_rules; /* compiled rules and lists */

/* The built-in rules.  If $CULPRIT_RULES names a directory, its files replace
 * the built-in ones of the same name, and all others that end in .rules,
 * .frames, .norm or .lines are added.  Errors: EINTERNAL (a built-in rule does
 * not compile), EUSAGE (the directory; a user's rule: file, line, reason). */
CUL_MUST_CHECK int cul_rules_new(struct cul_rules **out, struct cul_err *err);
/* The same with an explicit directory; NULL = built-in only. */
CUL_MUST_CHECK int cul_rules_load(const char *dir, struct cul_rules **out,
                                  struct cul_err *err);
void cul_rules_free(struct cul_rules *rules);

/* Run every example of every rule, list and substitution.  failures: one line
 * for each failing example, and for each entry without a positive or a negative
 * example.  Returns the number of examples run. */
size_t cul_rules_check(const struct cul_rules *rules, struct cul_buf *failures);

/* Read the signature of a record.  Never fails: texts that no rule matches give
 * SIGNAL or EXIT and, without a stack, the most specific line of the output as
 * text.  Linear in the record's size. */
void cul_signature_read(const struct cul_rules *rules,
                        const struct cul_record *record,
                        struct cul_signature *out);

/* The output of runs that do not fail in the way of interest. */
struct cul_prints;
struct cul_prints *cul_prints_new(void);
void cul_prints_free(struct cul_prints *prints);
void cul_prints_add(const struct cul_rules *rules, struct cul_prints *prints,
                    const struct cul_record *record);
/* As cul_signature_read, but a line that `others` contains is never the guessed
 * text of a failure.  others: may be NULL. */
void cul_signature_read_beside(const struct cul_rules *rules,
                               const struct cul_record *record,
                               const struct cul_prints *others,
                               struct cul_signature *out);

/* Write the line by which a tool rejects its command line, as printed, to out;
 * "" and false if there is none. */
bool cul_rejection_read(const struct cul_rules *rules,
                        const struct cul_record *record, char *out, size_t n);

/* The failure in a log: a text without a record of how the run ended. */
struct cul_log_failure {
  struct cul_signature sig;
  bool found; /* a rule matches a message, or there is a stack */
  bool late;  /* the error may have happened long before it was reported, so the
                 frames are meaningless */
  bool any_exit; /* the rule holds for a tool that exits 0, too */
  bool deadly;   /* the message or some other line reports a process's death */
  bool of_test;  /* the title needs the name of the test */
  bool hollow;   /* the message says that something failed, not what */
  size_t at;     /* offset of the message in the text; 0 if there is none */
};
/* Read a log.  The rules marked "only log" apply, too.  text: without colours
 * and carriage returns. */
void cul_signature_read_log(const struct cul_rules *rules,
                            struct cul_bytes text, struct cul_log_failure *out);

/* The part of a log that one test of a harness printed (harness.rules). */
struct cul_section {
  size_t start, end; /* with the line that begins it */
  char name[240];    /* of the test */
  const char *by;    /* the rule that began it; lives as long as the rules */
  bool listed;       /* a line of a summary is all there is */
  bool made;         /* a target that was not made */
  bool repeated;     /* an attempt after which the test was run again */
};
/* Make a line of the log the guessed text of a signature without a message; see
 * words in struct cul_signature.  raw: as printed; text: normalised. */
void cul_signature_guess(const struct cul_rules *rules, const char *raw,
                         const char *text, struct cul_signature *sig);
/* Is it the name of a test?  It is not for what pytest reports outside of
 * tests: "ERROR collecting FILE"; nor if it is empty. */
bool cul_names_test(const char *test);
/* If the frame that sig's title names is a function that says nothing, such as
 * main(), let the title name the test instead.  Returns whether it did. */
bool cul_signature_name_test(const struct cul_rules *rules, const char *test,
                             struct cul_signature *sig);
/* Find the failed tests, in order; heap, caller frees (NULL for none).  Returns
 * the number of tests. */
size_t cul_sections_find(const struct cul_rules *rules, struct cul_bytes text,
                         struct cul_section **out);
/* The part of text that the failed test printed to which the offset belongs,
 * or, if `passed`, that of a test that passed, to the line that says so;
 * borrowed from text.  Empty: it belongs to none. */
struct cul_bytes cul_section_around(const struct cul_rules *rules,
                                    struct cul_bytes text, size_t at,
                                    bool passed);
/* Cut a text where the failure of one process ends and that of another begins:
 * heap, caller frees; the parts are borrowed from text, and all of it.  Returns
 * their number, at least 1. */
size_t cul_incidents_find(const struct cul_rules *rules, struct cul_bytes text,
                          struct cul_bytes **out);
/* Does the line only report that another process failed, as a launcher's
 * exception does? */
bool cul_is_echo(const struct cul_rules *rules, const char *line);
/* Does a log end with success, in spite of earlier errors?  It does if a line
 * after the message reports success and no later line reports a failure.  A
 * death of the process is a failure whatever follows, unless a line reports
 * another attempt and the last verdict is good.  told: the facts read from the
 * text. */
bool cul_is_success(const struct cul_rules *rules, struct cul_bytes text,
                    const struct cul_log_failure *told);
/* Remove the prefix that a harness writes before every line: out is text
 * without it; false, with out unchanged, if there is none. */
bool cul_sections_unwrap(const struct cul_rules *rules, struct cul_bytes text,
                         struct cul_buf *out);
/* Append the substitutions that turned sig's message into its text, one line
 * each with the result. */
void cul_signature_explain_text(const struct cul_rules *rules,
                                const struct cul_signature *sig,
                                struct cul_buf *out);
/* A digest of all rules and lists, to identify those that made a stored key. */
struct cul_digest cul_rules_digest(const struct cul_rules *rules);

/* Same failure of the same binary.  Compared are kind, end (signal or exit
 * status), text, pass and source line (if both are known), the failing frame
 * and the first three relevant frames as module + offset; unnamed frames count.
 * After these, up to the driver, one stack may have more or fewer frames, but
 * no different function.  Load addresses may differ: offsets are compared
 * exactly if the two stacks share a named function of the module, else by their
 * place in the page (12 bits) and by a constant distance.  A stack without
 * names is compared with a symbolized one by the addresses alone.
 *
 * If a message identifies the failure, not a place in the tool (diagnostic,
 * verifier error, LLVM ERROR, exception, exit status), the error lines before
 * the message count as well.  a is the sought failure.
 *
 * First, the last error line before the message must be the same in both, or
 * missing in both.  It is the reason that a pattern gives before its driver
 * prints "failed to legalize": with that final line alone, failures with
 * different reasons would be equal.
 *
 * Second, the other error lines of b before its message must be among those of
 * a, and so must the line right after it, if it is about the same place of the
 * input (for tools whose last line no rule matches).  Lines of a may be missing
 * in b, except the reason: an input of many functions that each fail shrinks to
 * the one that fails first.  Later lines are not compared: which functions fail
 * after the first is random if they are compiled in parallel.  The order of
 * lines does not matter.
 *
 * why: which part differs, a phrase of at most n bytes; may be NULL.
 * Equal failures have equal keys, unless one of them was symbolized.  Keys are
 * coarser than this comparison: they ignore error lines other than the message,
 * so that one bug is one bucket for inputs that show others, too. */
bool cul_signature_same(const struct cul_signature *a,
                        const struct cul_signature *b, char *why, size_t n);
/* Same failure across binaries: compares names only, ignores unnamed frames,
 * and of the error lines only the last one before the message.  If neither side
 * has a name or a message, as cul_signature_same. */
bool cul_signature_same_across(const struct cul_signature *a,
                               const struct cul_signature *b, char *why,
                               size_t n);

/* Did the tool choose its exit status together with its message?  No if it ran
 * out of memory, where the status is random, or if the failure is measured. */
bool cul_signature_chooses_status(const struct cul_signature *sig);

/* The kind of sig's message: that of the cause, where the run ended in another
 * way. */
enum cul_kind cul_signature_message_kind(const struct cul_signature *sig);
/* The kind that a title puts before the message: that of the message for an
 * assertion or another fatal message that a diagnostic explains, else sig's. */
enum cul_kind cul_signature_label(const struct cul_signature *sig);

/* The error line that counts in addition to the message: the last one before
 * it.  NULL if there is none, or if the failure is identified by its place. */
const struct cul_error_line *
cul_signature_lead(const struct cul_signature *sig);

/* Does the text of a crash or a timeout contain no reason?  In a log, a
 * progress line is not a reason: it distinguishes crashes, but is not a title.
 */
bool cul_signature_is_silent(const struct cul_signature *sig);

/* Does its stack identify a place, that is, have a relevant frame?  After
 * memory corruption it may have none. */
bool cul_signature_tells_place(const struct cul_signature *sig);

/* Does the object that the tool worked on identify one case: is it a function
 * whose name is not a default name of some tool? */
bool cul_signature_tells_input(const struct cul_rules *rules,
                               const struct cul_signature *sig);

/* The word for a kind: "signal", "assertion", "LLVM ERROR", "unreachable",
 * "verifier error", "diagnostic" ... */
const char *cul_kind_name(enum cul_kind kind);
/* Describe the failure for people in a few sentences (several lines). */
void cul_signature_describe(const struct cul_signature *sig,
                            struct cul_buf *out);

#endif
