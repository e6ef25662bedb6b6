/* Subjects: what is reduced.  Everything here runs inside a worker process
 * only: the library that parses is the library under suspicion. */
#ifndef CUL_REDUCER_SUBJECT_SUBJECT_H
#define CUL_REDUCER_SUBJECT_SUBJECT_H

#include "../../base/buf.h"
#include "../../base/digest.h"

/* Form: how a subject is read and written. */
enum cul_form {
  CUL_FORM_NATIVE,  /* all upstream dialects, pretty */
  CUL_FORM_GENERIC, /* all upstream dialects, generic */
  CUL_FORM_LLVM,   /* LLVM IR, imported to and exported from the llvm dialect */
  CUL_FORM_OPAQUE, /* no dialects, generic */
  CUL_FORM_MLIR_TEXT, /* operations by lines and braces, no parser */
  CUL_FORM_TEXT,      /* brackets, lines, tokens */
};
#define CUL_N_FORMS 6
const char *
cul_form_name(enum cul_form form); /* "native", "native-generic"... */
/* What cul_size.ops counts, n of them: "operation", "operations", "token" or
 * "tokens". */
const char *cul_form_unit(enum cul_form form, uint64_t n);
bool cul_form_parse(const char *name, enum cul_form *out);
uint32_t cul_form_bits(enum cul_form form); /* the cul_subject_bits of a form */

/* How a text is opened, and printed again. */
struct cul_reading {
  enum cul_form form;
  bool check;   /* false where the failure may be one of the parser or verifier:
                   candidates are then not verified */
  bool located; /* MLIR: what is printed has its locations */
  uint8_t language; /* texts: see cul_lang_number; 0: guessed from the text.  A
                       job's texts are of one language, also when little is
                       left to tell it by */
};

/* Bits of cul_mutation.kinds and of a subject: who can be edited by what. */
enum cul_subject_bits {
  CUL_SUBJECT_NATIVE = 1 << 0,
  CUL_SUBJECT_OPAQUE = 1 << 1,
  CUL_SUBJECT_TEXT = 1 << 2,
  CUL_SUBJECT_MLIR_TEXT = 1 << 3,
  CUL_SUBJECT_TEXTS = CUL_SUBJECT_TEXT | CUL_SUBJECT_MLIR_TEXT,
  CUL_SUBJECT_MLIR = CUL_SUBJECT_NATIVE | CUL_SUBJECT_OPAQUE,
};

struct cul_size {
  uint64_t ops;   /* operations of the generic form, module included; text:
                     tokens */
  uint64_t bytes; /* of what is written */
  uint64_t lines;
  uint64_t command; /* while two are compared: bytes of the command that runs,
                       where that is reduced too */
  uint64_t numbers; /* MLIR, as text too: sum of those in it, names apart: what
                       is simpler of two of one size; see state.c */
};

struct cul_subject; /* each kind has its own; see the kind's header */

/* What an edit leaves that was never seen in the subject: two such things, 0
 * where there are fewer.  Most tools reject most of it, for a reason that has
 * nothing to do with what is sought; another edit with one of them fares
 * alike. */
struct cul_novel {
  uint32_t what[2];
};
/* Only that: alone the edit is nothing, but others may go with it, as one of
 * two brackets with the other. */
#define CUL_NOVEL_ALONE 1

/* What stands at a site, so that its like is found in another subject: what
 * are alike in all have both numbers in common, what are of one name the first.
 * Zeros: not known. */
struct cul_like {
  uint32_t name, shape;
};

/* One listed site. */
struct cul_listed {
  uint32_t mutation, site; /* the edit */
  uint32_t weight;
  uint32_t parent;        /* index into this list, or CUL_SITE_NONE */
  uint32_t group;         /* unique over the list */
  struct cul_novel novel; /* what the edit alone leaves */
  struct cul_like like;   /* of ranges: what stands there */
};

/* What a verifier says of a question: is the operation accepted with the change
 * that is asked about?  Unknown: it was not asked, or died of it. */
enum cul_ruling { CUL_UNKNOWN, CUL_REFUSED, CUL_ACCEPTED };

/* A question for the verifier of the tool, followed by len bytes: the body of a
 * module in generic form that holds what is asked about; none: it cannot be
 * asked. */
struct cul_question {
  struct cul_digest name; /* the same wherever the same is asked */
  uint64_t len;
};

/* Is it asked which parts of the types of this operation (its handle) change
 * together? */
typedef bool cul_wanted_fn(const void *op);

/* How much was asked of a subject and those that became it. */
struct cul_asked {
  uint64_t classes;            /* of operations that differ to a verifier */
  uint64_t questions, unknown; /* of them */
  uint64_t us, first_us;       /* that answers took; cul_now_us() when the first
                                  question was put, 0: none was */
};

/* How one kind of subject works.  One const struct per file, in list.h. */
struct cul_subject_kind {
  const char *name, *summary;
  uint32_t bits; /* which enum cul_subject_bits it can be opened as */
  /* Do what an open() would begin with, in a process that is forked for each;
   * NULL: nothing.  What it gives is for one open(). */
  void *(*prepare)(void);
  /* Parse text (borrowed for the call).  prepared: from prepare(), or NULL.
   * Errors: EUSAGE with the first diagnostic and its line. */
  int (*open)(struct cul_bytes text, struct cul_reading how, void *prepared,
              struct cul_subject **out, struct cul_err *err);
  /* Put in order what any edit may have left; NULL: nothing to do.  Called
   * once all edits of a candidate are applied. */
  void (*fix)(struct cul_subject *subject);
  /* Is the edited subject valid?  why: first reason, at most n bytes. */
  bool (*valid)(struct cul_subject *subject, char *why, size_t n);
  /* Append what the tool will read.  Deterministic. */
  void (*write)(struct cul_subject *subject, struct cul_buf *out);
  /* Many candidates of this subject, as it is now, will be written: prepare
   * for it.  When it was opened, and after each accepted edit.  NULL:
   * nothing to prepare. */
  void (*keep)(struct cul_subject *subject);
  /* As write, as a person wants to read it; no edit was made.  NULL: the same
   * text. */
  void (*present)(struct cul_subject *subject, struct cul_buf *out);
  /* Set out->ops; bytes and lines are counted from what write() gives. */
  void (*measure)(struct cul_subject *subject, struct cul_size *out);
  /* Append one line per operation, in the order written, the whole module
   * left out: the operation, a tab, and where the text that was opened has
   * it from, as MLIR prints a location without "loc()"; nothing behind the tab
   * for what an edit made, or where that is known, the location of the
   * operation it was made for, another tab, and that operation's name.  NULL:
   * this kind knows no origins. */
  void (*origins)(struct cul_subject *subject, struct cul_buf *out);
  /* n edits will be made, each alone on the subject as it is, and taken back.
   * NULL, also as the answer: this kind, or this subject, knows nothing
   * novel. */
  void *(*try)(struct cul_subject *subject, size_t n);
  /* One was made: what it left (out is zero); and it is taken back. */
  void (*tried)(void *trial, struct cul_novel *out);
  void (*end_try)(void *trial);
  /* What stands at place, that of a site of a mutation with CUL_MUT_RANGE.
   * NULL: not known. */
  struct cul_like (*like)(struct cul_subject *subject, void *place);
  /* What operations require (opmodel/opmodel.h); NULL: this kind does not ask.
   * Append the questions that are due, each a struct cul_question; none: what
   * can be known is known.  wanted: NULL: of attributes.  Then told: one enum
   * cul_ruling in a byte for each, in order. */
  void (*questions)(struct cul_subject *subject, cul_wanted_fn *wanted,
                    struct cul_buf *out);
  void (*told)(struct cul_subject *subject, struct cul_bytes answers);
  /* Append what is known of the operations of this name, in words. */
  void (*explain)(struct cul_subject *subject, const char *name,
                  struct cul_buf *out);
  void (*asked)(const struct cul_subject *subject, struct cul_asked *out);
  void (*free)(struct cul_subject *subject);
};

/* First member of every kind's struct. */
struct cul_subject_head {
  const struct cul_subject_kind *kind;
  uint32_t bits; /* exactly one enum cul_subject_bits: how it was opened */
};

extern const struct cul_subject_kind *const cul_subject_kinds[]; /* NULL ends */
/* The kind of this worker that opens form, or NULL. */
const struct cul_subject_kind *cul_subject_kind_for(enum cul_form form);

#endif
