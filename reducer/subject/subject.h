/* Subjects: the module or text that is reduced.  This code runs only inside
 * worker processes, because the library that parses subjects is the library
 * under suspicion. */
#ifndef CUL_REDUCER_SUBJECT_SUBJECT_H
#define CUL_REDUCER_SUBJECT_SUBJECT_H

#include "../../base/buf.h"
#include "../../base/digest.h"
#include "../../base/pieces.h"

/* Form: how a subject is parsed and printed. */
enum cul_form {
  CUL_FORM_NATIVE,  /* all upstream dialects, pretty */
  CUL_FORM_GENERIC, /* all upstream dialects, generic */
  /* LLVM IR, imported into the llvm dialect and exported from it */
  CUL_FORM_LLVM,
  CUL_FORM_OPAQUE,    /* no dialects, generic */
  CUL_FORM_MLIR_TEXT, /* operations recognized by lines and braces, no parser */
  CUL_FORM_TEXT,      /* brackets, lines, tokens */
};
#define CUL_N_FORMS 6
const char *
cul_form_name(enum cul_form form); /* "native", "native-generic"... */
/* The unit of n cul_size.ops: "operation", "operations", "token" or
 * "tokens". */
const char *cul_form_unit(enum cul_form form, uint64_t n);
/* The form of a name of cul_form_name; false: there is none. */
bool cul_form_parse(const char *name, enum cul_form *out);
uint32_t cul_form_bits(enum cul_form form); /* of enum cul_subject_bits */

/* How a text is parsed and printed again. */
struct cul_reading {
  enum cul_form form;
  /* candidates are verified; false if the failure may be one of the parser or
   * verifier */
  bool check;
  bool located; /* MLIR: print locations */
  /* texts: see cul_lang_number; 0: guess from the text.  All texts of a job
   * have the same language, also when too little is left to guess it */
  uint8_t language;
  /* the text lives as long as the subject, which may borrow it */
  bool lives;
};

/* Bits of cul_mutation.kinds and of a subject: which mutations can edit which
 * subjects. */
enum cul_subject_bits {
  CUL_SUBJECT_NATIVE = 1 << 0,
  CUL_SUBJECT_OPAQUE = 1 << 1,
  CUL_SUBJECT_TEXT = 1 << 2,
  CUL_SUBJECT_MLIR_TEXT = 1 << 3,
  CUL_SUBJECT_TEXTS = CUL_SUBJECT_TEXT | CUL_SUBJECT_MLIR_TEXT,
  CUL_SUBJECT_MLIR = CUL_SUBJECT_NATIVE | CUL_SUBJECT_OPAQUE,
};

struct cul_size {
  /* operations of the generic form, the module included; form text: tokens */
  uint64_t ops;
  /* LLVM IR: operands of instructions that are not constants, and attributes
   * of functions and calls; else 0.  A constant is simpler even if its text is
   * longer, because the instruction that computed the operand can then often be
   * removed.  A function that lacks an attribute of the others is simpler, too,
   * although its attributes are printed once more then. */
  uint64_t values;
  uint64_t bytes; /* of the printed text */
  uint64_t lines;
  /* bytes of the command, if that is reduced too; set only while two sizes are
   * compared */
  uint64_t command;
  /* MLIR, also as text: sum of the numbers in it, without those in names; of
   * two results of one size the one with the smaller sum is simpler
   * (worker/session.c) */
  uint64_t numbers;
};

struct cul_subject; /* each kind defines its own struct */

/* Novelties: features of an edit's result that the subject never had.  At most
 * two; 0: none.  Most tools reject most novelties for reasons unrelated to the
 * sought failure, and then also reject other edits with the same novelty. */
struct cul_novel {
  uint32_t what[2];
};
/* This novelty means that the edit is useless alone, but may be combined, such
 * as the edit of one bracket with that of its partner. */
#define CUL_NOVEL_ALONE 1

/* Identifies the object at a site, to find a similar one in another subject.
 * Equal operation names give equal `name`; equal names and shapes also equal
 * `shape`.  Zeros: unknown. */
struct cul_like {
  uint32_t name, shape;
};

/* One listed site. */
struct cul_listed {
  uint32_t mutation, site; /* together, the edit */
  uint32_t weight;
  uint32_t parent;        /* index into this list, or CUL_SITE_NONE */
  uint32_t group;         /* unique in the list */
  struct cul_novel novel; /* novelties of the edit alone */
  struct cul_like like;   /* of ranges only */
};

/* A verifier's answer to a question: does it accept the operation with the
 * change in question?  Unknown: it was not asked, or died. */
enum cul_ruling { CUL_UNKNOWN, CUL_REFUSED, CUL_ACCEPTED };

/* A question for the tool's verifier, followed by len bytes: the body of a
 * module in generic form with the operation in question; len 0: it cannot be
 * asked. */
struct cul_question {
  struct cul_digest name; /* the same for the same question */
  uint64_t len;
};

/* Does the caller ask which parts of the types of this operation (its handle)
 * must change together? */
typedef bool cul_wanted_fn(const void *op);

/* Counts of questions about a subject and the revisions before it. */
struct cul_asked {
  /* classes of operations that a verifier distinguishes */
  uint64_t classes;
  uint64_t questions, unknown; /* questions; those without an answer */
  /* time of answers; cul_now_us() of the first question, 0: none */
  uint64_t us, first_us;
};

/* Trials of edits: what is new in each. */
struct cul_subject_trials {
  /* Begin trials: n edits will be made, each alone on the subject as it is, and
   * undone.  Returns NULL if this kind of subject has no novelties. */
  void *(*begin)(struct cul_subject *subject, size_t n);
  /* One edit was made: set out, which is zero, to its novelties, and undo the
   * edit. */
  void (*tried)(void *trial, struct cul_novel *out);
  void (*end)(void *trial);
};

/* What operations require, learnt by questions (opmodel/opmodel.h). */
struct cul_subject_model {
  /* Append the questions that are due, each a struct cul_question; none:
   * nothing more can be learnt.  wanted NULL: questions about attributes. */
  void (*questions)(struct cul_subject *subject, cul_wanted_fn *wanted,
                    struct cul_buf *out);
  /* The answers: one enum cul_ruling per question, in order, each a byte. */
  void (*told)(struct cul_subject *subject, struct cul_bytes answers);
  /* Append in words what is known about operations of this name. */
  void (*explain)(struct cul_subject *subject, const char *name,
                  struct cul_buf *out);
  void (*asked)(const struct cul_subject *subject, struct cul_asked *out);
};

/* A kind of subject.  One const struct per file, in list.h. */
struct cul_subject_kind {
  const char *name, *summary;
  /* mask of the enum cul_subject_bits as which it can be opened */
  uint32_t bits;
  /* Do what every open() begins with, in a process that is forked for each.
   * The result is for one open().  NULL: nothing to do. */
  void *(*prepare)(void);
  /* Parse text (borrowed for the call, or as how.lives allows).  prepared: from
   * prepare(), or NULL.  Errors: EUSAGE with the first diagnostic and its line.
   */
  int (*open)(struct cul_bytes text, struct cul_reading how, void *prepared,
              struct cul_subject **out, struct cul_err *err);
  /* Does the subject borrow the text that was opened?  NULL: it never does. */
  bool (*borrows)(const struct cul_subject *subject);
  /* The functions of these names, with blanks between, are entered from
   * outside: no valid candidate lacks one that the subject has.  Behind a name
   * may stand "=" and the types of the arguments that it is called with,
   * "2x3xf32", with commas between: a valid candidate takes these.  Called
   * after open().  NULL: nothing is known of functions. */
  void (*enter)(struct cul_subject *subject, const char *names);
  /* Repair what edits may have left.  Called once all edits of a candidate are
   * applied.  NULL: nothing to do. */
  void (*fix)(struct cul_subject *subject);
  /* Is the edited subject valid?  If not, why gets the first reason, at most n
   * bytes. */
  bool (*valid)(struct cul_subject *subject, char *why, size_t n);
  /* Append the text that the tool will read.  Deterministic. */
  void (*write)(struct cul_subject *subject, struct cul_buf *out);
  /* The same text in pieces, which are valid as long as the subject is not
   * changed.  NULL: one piece of what write appends. */
  void (*pieces)(struct cul_subject *subject, struct cul_pieces *out);
  /* Prepare for writing many candidates of this subject as it is now.  Called
   * after opening and after each accepted edit.  NULL: nothing to prepare. */
  void (*keep)(struct cul_subject *subject);
  /* As write, in a form for people; only before any edit.  NULL: the same text
   * as write. */
  void (*present)(struct cul_subject *subject, struct cul_buf *out);
  /* Set out->ops; the caller counts bytes and lines of the text. */
  void (*measure)(struct cul_subject *subject, struct cul_size *out);
  /* Append one line per operation except the module, in the order written: the
   * operation's name, a tab, and its location in the text that was opened, as
   * MLIR prints it without "loc()".  For an operation that an edit made, the
   * location is that of the operation it was made for, or empty, followed by a
   * tab and the name of that operation.  NULL: this kind knows no origins. */
  void (*origins)(struct cul_subject *subject, struct cul_buf *out);
  /* Identify what is at the place of a site of a mutation with CUL_MUT_RANGE.
   * NULL: not known. */
  struct cul_like (*like)(struct cul_subject *subject, void *place);
  const struct cul_subject_trials *trials; /* NULL: it has no novelties */
  const struct cul_subject_model *model;   /* NULL: it asks nothing */
  void (*free)(struct cul_subject *subject);
};

/* First member of every kind's struct. */
struct cul_subject_head {
  const struct cul_subject_kind *kind;
  uint32_t bits; /* exactly one enum cul_subject_bits: as which it was opened */
};

extern const struct cul_subject_kind *const cul_subject_kinds[]; /* NULL ends */
/* The kind of this worker that can open the form; NULL: none. */
const struct cul_subject_kind *cul_subject_kind_for(enum cul_form form);

#endif
