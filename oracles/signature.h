/* Failure signatures: what a record's texts say about the failure.
 *
 * Read from a record by rules kept as data (oracles/signature/): kind,
 * normalised text, innermost pass, frames.  Pure; no process, no file. */
#ifndef CUL_ORACLES_SIGNATURE_H
#define CUL_ORACLES_SIGNATURE_H

#include "../base/run.h"

enum cul_kind {
  CUL_KIND_NONE,        /* exit 0 and nothing to report */
  CUL_KIND_SIGNAL,      /* died of a signal, no better text */
  CUL_KIND_ASSERTION,   /* assert, CHECK */
  CUL_KIND_FATAL,       /* LLVM ERROR: ... */
  CUL_KIND_UNREACHABLE, /* UNREACHABLE executed */
  CUL_KIND_VERIFIER,    /* a pass left invalid IR: the verifier's error */
  CUL_KIND_DIAGNOSTIC,  /* error: ..., exit != 0 */
  CUL_KIND_SANITIZER,   /* ASan, UBSan, TSan, MSan report */
  CUL_KIND_EXCEPTION,   /* uncaught Python or C++ exception */
  CUL_KIND_TIMEOUT,     /* deadline */
  CUL_KIND_EXIT,        /* exit != 0 without any known text */
};

#define CUL_SIG_MAX_FRAMES 32
#define CUL_SIG_VERSION 1 /* of rules and lists: part of every key */

struct cul_frame {
  char name[200];  /* function without arguments, templates, clones; "" when
                      unnamed */
  char module[80]; /* base name of the object file; may be "" */
  uint64_t offset; /* in the module where it could be known; else address */
  bool irrelevant; /* on the irrelevant list: machinery, not the cause */
};

struct cul_signature {
  enum cul_kind kind;
  int status;         /* signal number (SIGNAL, FATAL ...) or exit code */
  char title[256];    /* one line for people: text, pass, first frame */
  char text[512];     /* normalised message; "" when none */
  char raw[512];      /* the message as printed */
  char pass[160];     /* innermost pass; "" when not known */
  struct cul_frame frames[CUL_SIG_MAX_FRAMES]; /* innermost first */
  size_t n_frames;
  char rule[64];      /* name of the rule that gave the text; or "" */
  struct cul_digest key;        /* same binary: kind, text, pass, frames */
  struct cul_digest key_across; /* across binaries: names only */
};

struct cul_rules; /* compiled rules and lists */

/* The built-in rules.  Errors: EINTERNAL (a rule does not compile). */
CUL_MUST_CHECK int cul_rules_new(struct cul_rules **out, struct cul_err *err);
void cul_rules_free(struct cul_rules *rules);

/* Read the signature of a record.  Never fails: what is not understood gives
 * SIGNAL or EXIT without text.  Linear in the record's size. */
void cul_signature_read(const struct cul_rules *rules,
                        const struct cul_record *record,
                        struct cul_signature *out);

/* Same failure of the same binary: kind, text, pass, and the first three
 * frames after the irrelevant list, as module+offset; unnamed frames count.
 * why: which part differs, a phrase of at most n bytes; may be NULL. */
bool cul_signature_same(const struct cul_signature *a,
                        const struct cul_signature *b, char *why, size_t n);
/* Same failure across binaries: names only, unnamed frames ignored. */
bool cul_signature_same_across(const struct cul_signature *a,
                               const struct cul_signature *b, char *why,
                               size_t n);

/* The word for a kind: "signal", "assertion", "LLVM ERROR", "unreachable",
 * "verifier error", "diagnostic" ... */
const char *cul_kind_name(enum cul_kind kind);
/* The failure in a few sentences for people (several lines). */
void cul_signature_describe(const struct cul_signature *sig,
                            struct cul_buf *out);

#endif
