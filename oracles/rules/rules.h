/* Internals of the signature reader: compiled rule files.  Private to oracles/.
 *
 * The files of oracles/signature, by extension:
 *   .rules   patterns of the texts of failures
 *   .frames  lists of functions and modules
 *   .norm    substitutions that remove random parts of a text
 *   .lines   weights of output lines of tools that no rule covers
 * The formats are described at the head of llvm.rules, trap.frames, text.norm
 * and words.lines. */
#ifndef CUL_ORACLES_RULES_RULES_H
#define CUL_ORACLES_RULES_RULES_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "../../base/embedded.h"
#include "../common/regex.h"
#include "../signature/signature.h"

/* An example of a rule, and its expected result. */
struct cul_example {
  char *text;
  char *gives; /* expected text or pass; NULL = a match is enough */
  bool positive;
};

struct cul_examples {
  struct cul_example *items;
  size_t n;
};

/* Rules of harness.rules: how a test's part of a log begins and ends. */
enum cul_rule_part {
  CUL_PART_NONE,
  CUL_PART_TEST,     /* a test begins; its end has the result */
  CUL_PART_FAILING,  /* the output of a test that failed begins */
  CUL_PART_FAILED,   /* a test ends, and has failed */
  CUL_PART_PASSED,   /* a test ends well */
  CUL_PART_END,      /* a test ends */
  CUL_PART_GOOD,     /* until the next such end, the tests shown have passed */
  CUL_PART_REPEATED, /* ... the tests shown were run again */
  CUL_PART_MADE,     /* a target was not made; its output precedes this */
  CUL_PART_STARTED,  /* a test begins; more output follows if it fails */
  CUL_PART_LISTED,   /* a test that failed, in a summary */
  CUL_PART_PREFIX,   /* a prefix of every line; from here on none is a test's */
  CUL_PART_DIED,     /* the last line of a process that died */
  /* From here on of a CI service, on lines with their prefixes: */
  CUL_PART_JOB,         /* a job begins */
  CUL_PART_STEP,        /* a step begins */
  CUL_PART_STEP_OUTPUT, /* behind the heading of a step: its output begins */
  CUL_PART_STEP_ERROR,  /* a step reports an error */
  CUL_PART_STEP_FAILED, /* the step has failed */
  CUL_PART_CLEANUP,     /* what follows collects and cleans up */
  CUL_PART_JOB_ENDED,   /* the job ended; well, if no step failed */
  CUL_PART_JOB_PASSED,  /* the job passed */
};

struct cul_rule {
  char *name;
  enum cul_kind kind;
  bool pass;     /* gives the pass, not the failure */
  bool input;    /* gives the object that the tool worked on, not the failure */
  bool error;    /* gives a line that reports an error; each match counts */
  bool any_exit; /* applies also at exit 0 */
  bool last;     /* the last match counts, not the first */
  bool log;      /* applies only if the end of the run is not known */
  bool late;     /* see cul_log_failure */
  bool cause;    /* in a log, explains a death that follows it */
  bool native;   /* the text contains the place; a Python stack shows only the
                    caller */
  bool of_test;  /* the title needs the name of the test */
  enum cul_rule_part part;
  int rank;         /* the highest wins, then the earliest match */
  int above, below; /* lines around the hit that the expression may see */
  int status;       /* signal number that the text implies; 0 = none */
  char *find; /* a line must contain this before the expression is tried */
  char *match, *text;
  char *frame; /* template of the function to blame if no stack shows it */
  struct cul_regex *regex; /* of match */
  struct cul_examples examples;
  const char *file;
  int line;
};

struct cul_norm {
  char *name, *match, *with;
  uint32_t kinds;          /* bit per enum cul_kind */
  struct cul_regex *regex; /* of match */
  struct cul_examples examples;
};

enum cul_line_kind {
  CUL_LINE_CLOSING = 1, /* never names the failure */
  CUL_LINE_WEAK,        /* used only if there is no other line */
  CUL_LINE_TELLING,     /* reports that something failed */
  CUL_LINE_PLACE,       /* begins with FILE:LINE: */
  CUL_LINE_REJECTED,    /* the tool rejects its command line */
  CUL_LINE_ECHO,        /* reports that another process failed */
  CUL_LINE_SUCCESS,     /* a run ends well */
  CUL_LINE_NEUTRAL,     /* neither names the failure nor reports an end */
  CUL_LINE_REPORT,      /* of a log: an error of a compiler or a tool */
  CUL_LINE_RAISED,      /* of a log: names the class of an exception */
  CUL_LINE_OUTPUT,      /* of a log: the output of a failed test follows */
  CUL_LINE_SOURCE,      /* of a log: an error in the source of a language */
  CUL_LINE_BENIGN,      /* of a log: an error that the program tolerates */
  CUL_LINE_DONE,     /* of a log: a step succeeded; alone it is weak evidence */
  CUL_LINE_STATUS,   /* of a log: asks for the status; the next line answers */
  CUL_LINE_GUESS,    /* of a log: its words suggest a kind of failure */
  CUL_LINE_HOLLOW,   /* of a log: a message that says only that it failed */
  CUL_LINE_CODE,     /* of a log: contains a runtime's number of its failure */
  CUL_LINE_RETRY,    /* of a log: what failed is, or was, tried again */
  CUL_LINE_FAILED,   /* of a log: a harness ends, and some tests failed */
  CUL_LINE_IGNORED,  /* of a log: the error above it does not count */
  CUL_LINE_UNRAISED, /* of a log: nor does the traceback below it */
  CUL_LINE_WARNED,   /* of a log: nor does the warning that begins here */
  CUL_LINE_FORGIVES, /* of a log: nor does what the last command printed */
  CUL_LINE_EXPECTED, /* of a log: what its piece of work printed was to fail */
  CUL_LINE_PIECE,    /* of a log: another piece of work begins, or has ended */
  CUL_LINE_OPENS,    /* of a log: what runs now is told to be good ... */
  CUL_LINE_CLOSES,   /* of a log: ... here */
  CUL_LINE_COMMAND,  /* of a log: a shell shows the command that it runs */
  CUL_LINE_TOLERANT, /* of a log: ... and will ignore that it fails */
  CUL_LINE_LOCAL,    /* of a log: about a server on the same machine */
  CUL_LINE_PEER,     /* of a log: $1 is the server that cannot be reached */
  CUL_LINE_WAITS,    /* of a log: another process of the group did not come */
  CUL_LINE_AGAIN,    /* of a log: says of the failure that it reports that it
                        will be tried again */
};

struct cul_line_rule {
  char *name, *match;
  enum cul_line_kind kind;
  enum cul_kind suggests;  /* of GUESS lines */
  struct cul_regex *regex; /* of match */
  struct cul_examples examples;
  int line; /* of the file */
};

enum cul_list_id {
  CUL_LIST_TRAP,
  CUL_LIST_HELPER,
  CUL_LIST_STOP,
  CUL_LIST_NOISE,
  CUL_LIST_SENTINEL,
  CUL_LIST_DEFAULT,
  CUL_LIST_GENERIC,
  CUL_N_LISTS,
};

/* One line of a list: a name, or the start of names. */
struct cul_pattern {
  char *text; /* without the '*' */
  size_t len;
  bool prefix, module;
};

struct cul_list {
  struct cul_pattern *items; /* sorted by text */
  size_t n;
  struct cul_examples examples;
};

struct cul_literals; /* finds many strings in one pass: literals.c */

struct cul_rules {
  struct cul_rule *rules;
  size_t n_rules;
  struct cul_norm *norms;
  size_t n_norms;
  struct cul_list lists[CUL_N_LISTS];
  struct cul_line_rule *lines;
  size_t n_lines;
  struct cul_literals *literals; /* word i = rules[i].find */
  pcre2_match_context *limits;
  struct cul_digest custom; /* of the user's rule files; zero = none */
};

/* The files of signature/. */
extern const struct cul_embedded cul_rule_files[];
extern const size_t cul_n_rule_files;

/* rules_parse.c: add one file to rules.  Errors: code, with file and line. */
int cul_rules_parse(struct cul_rules *rules, const char *file,
                    struct cul_bytes text, enum cul_code code,
                    struct cul_err *err);
/* Find name, or module, in a list. */
bool cul_list_has(const struct cul_list *list, const char *text, bool module);
/* place.c: how a title calls the place of sig, a relevant frame of which is
 * `frame`: its function, or, if that is a function of Python that says nothing,
 * the test that called it or else its file.  Borrowed; "": unknown.  *generic:
 * the function says nothing. */
const char *cul_frame_place(const struct cul_rules *rules,
                            const struct cul_signature *sig,
                            const struct cul_frame *frame, bool *generic);

/* literals.c: an Aho-Corasick automaton over words[0..n). */
struct cul_literals *cul_literals_new(const char *const *words, size_t n);
void cul_literals_free(struct cul_literals *literals);
/* Let scans end early when the user interrupts; for callers that then discard
 * the matches. */
void cul_literals_give_up(struct cul_literals *literals, bool gives_up);
/* Called at every occurrence; end: offset just after the word. */
typedef void cul_literal_hit(void *arg, size_t word, size_t end);
void cul_literals_scan(const struct cul_literals *literals,
                       struct cul_bytes text, cul_literal_hit *hit, void *arg);

/* scan.c: the best rule, the pass and the input in the texts of a record. */
struct cul_match {
  const struct cul_rule *rule; /* NULL = none */
  int source;                  /* 0 = stderr, 1 = stdout */
  size_t start, end;           /* offsets of the match */
  struct cul_buf raw, text;    /* as printed; normalised */
  bool hollow;         /* says only that it failed, or was tried again */
  bool echo;           /* only reports that another process ended */
  bool of_rule;        /* the text is in words of the rule's */
  struct cul_buf line; /* if it is: the line as printed */
  char frame[200];     /* see struct cul_rule */
};
/* Anything that a rule for failures matched. */
struct cul_said {
  const struct cul_rule *rule;
  size_t start;
  char *raw;
};
/* A line that reports an error. */
struct cul_error_match {
  int source;
  size_t start; /* of its line */
  size_t word;  /* of the rule's match; the place precedes it */
  char *raw;    /* its text */
};
struct cul_matches {
  struct cul_match failure, pass, input;
  struct cul_match cause; /* the first; in logs alone */
  struct cul_match end;   /* the last that tells a signal; in logs alone */
  struct cul_said *said;  /* each message; in logs alone */
  size_t n_said;
  struct cul_error_match *errors; /* stderr's first, each text's in order */
  size_t n_errors;
};
/* Which rules are tried. */
struct cul_match_scope {
  int min_rank;     /* rules of lower rank are not tried */
  bool exited_zero; /* only rules that apply also at exit 0 */
  bool log;         /* also rules for logs */
  bool errors;      /* also rules that give error lines */
  bool parts;       /* also rules of harnesses */
};
void cul_match_texts(const struct cul_rules *rules,
                     const struct cul_bytes texts[2],
                     const struct cul_match_scope *asked,
                     struct cul_matches *out);
void cul_matches_release(struct cul_matches *matches);
/* scan.c: how much of a text is understood: the ranks of all rules that match,
 * and the frames of its stacks.  Comparable between two forms of one text. */
size_t cul_understood(const struct cul_rules *rules, struct cul_bytes text);

/* errors.c: read the error lines other than sig's message into sig.  Call it
 * after the message was read. */
void cul_errors_read(const struct cul_rules *rules,
                     const struct cul_bytes texts[2],
                     const struct cul_matches *found,
                     struct cul_signature *sig);
/* errors.c: add a line that follows sig's message, before all others. */
void cul_errors_follow(struct cul_signature *sig, const char *raw,
                       const char *text);
/* errors.c: see cul_signature_same.  If they differ: the part that differs, and
 * its two texts. */
struct cul_errors_differ {
  const char *what, *a, *b;
};
bool cul_errors_same(const struct cul_signature *a,
                     const struct cul_signature *b,
                     struct cul_errors_differ *differ);
/* The same for only the line right before the message. */
bool cul_errors_same_lead(const struct cul_signature *a,
                          const struct cul_signature *b,
                          struct cul_errors_differ *differ);

/* normalise.c: append text without its random parts, for failures of kind. */
void cul_normalise(const struct cul_rules *rules, enum cul_kind kind,
                   const char *text, size_t len, struct cul_buf *out);

/* symbol.c: the bare name of a demangled function: no return type,
 * arguments, template arguments, anonymous namespaces, clones. */
void cul_symbol_clean(const char *text, size_t len, char *out, size_t size);
/* The last part of such a name in lower case, without '_': names of one meaning
 * are written in many ways.  May be cut; returns its length. */
size_t cul_symbol_plain(const char *name, char *out, size_t size);

/* demangle.c: append the readable form of a mangled C++ or Rust name; false if
 * text is none, or not understood. */
bool cul_demangle(const char *text, size_t len, struct cul_buf *out);

/* frames.c: read the stack of a text into sig's frames and anchors, with
 * roles.  python: read tracebacks instead of native stacks.  Returns true if
 * the stack is an endless recursion. */
bool cul_frames_read(const struct cul_rules *rules, struct cul_bytes text,
                     bool python, struct cul_signature *sig);
/* frames.c: the first n_max relevant frames; returns how many. */
size_t cul_frames_relevant(const struct cul_signature *sig, bool named,
                           const struct cul_frame **out, size_t n_max);
/* Parse a frame that is printed on one line; false if the line is none. */
struct cul_raw_frame {
  int index;                               /* -1 = the form has no numbers */
  struct cul_bytes symbol, module;         /* borrowed; module: a path */
  uint64_t address, within, module_offset; /* within: "NAME + N" */
  uint64_t line;                           /* of a Python frame; 0 = unknown */
  bool has_within, has_module_offset, python;
  bool source;  /* module is a source file */
  bool placed;  /* a place in the sources is printed */
  bool plain;   /* symbol is the name as it is, of another language than C++ */
  bool counter; /* printed apart from the stack, which may hold it */
  bool last_first; /* the innermost frame of its stack is printed last */
};
bool cul_frame_parse(struct cul_bytes line, struct cul_raw_frame *out);
/* frames_python.c: read the first traceback of text, innermost frame first,
 * into out[most]; returns the number of frames. */
size_t cul_python_frames(struct cul_bytes text, struct cul_raw_frame *out,
                         size_t most);

/* place.c: read into sig the source line that an assertion or a native rule
 * names. */
void cul_place_read(const struct cul_bytes texts[2],
                    const struct cul_match *match, struct cul_signature *sig);
/* place.c: the last line with words that does not belong to a stack dump; empty
 * if there is none. */
struct cul_bytes cul_last_words(struct cul_bytes text);
/* place.c: does the line have words, and not belong to a stack dump? */
bool cul_has_words(struct cul_bytes line);

/* same.c: compute the keys of a finished signature. */
void cul_signature_seal(const struct cul_rules *rules,
                        struct cul_signature *sig);

#endif
