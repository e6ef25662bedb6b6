/* What is known of operations without asking anybody: rules as data, one line
 * an operation, in *.rules of this folder.  The format stands at the head of
 * core.rules; what a word means is the business of who follows the rules
 * (mutations/retype/rules/words.c).
 *
 * A rule is for what no verifier checks, or what experiments cannot see:
 * products of sizes, attributes that renumber, dimensions that go together. */
#ifndef CUL_REDUCER_OPMODEL_RULES_H
#define CUL_REDUCER_OPMODEL_RULES_H

#include "../../base/buf.h"
#include "../../base/embedded.h"
#include "../../base/err.h"

/* The files of this folder. */
extern const struct cul_embedded cul_op_rule_files[];
extern const size_t cul_n_op_rule_files;

enum { CUL_OP_WORDS = 8, CUL_OP_ARGS = 8 };

/* "reduced=dimensions": a word and what it is about. */
struct cul_op_word {
  const void *meaning;           /* as of cul_op_meaning_fn */
  const char *text;              /* without the arguments */
  const char *args[CUL_OP_ARGS]; /* the first n_args */
  size_t n_args;
};
struct cul_op_rule {
  const char *name; /* of the operation; ending in '.': all that begins so */
  const char *file;
  int line;
  struct cul_op_word words[CUL_OP_WORDS];
  size_t n_words;
};
struct cul_op_rules {
  struct cul_op_rule *rules; /* by name, once sorted */
  size_t n, cap;
  char **texts; /* what all strings above point into */
  size_t n_texts;
};

/* What a word means, to whom the rules are for; NULL: there is no such word. */
typedef const void *cul_op_meaning_fn(const char *word);

/* Add the rules of a file; CUL_EINTERNAL with "FILE:LINE: why" where a line is
 * not understood, and the lines in front of it have been added.  file is
 * borrowed for as long as the rules are. */
CUL_MUST_CHECK int cul_op_rules_add(struct cul_op_rules *rules,
                                    const char *file, struct cul_bytes text,
                                    cul_op_meaning_fn *meaning,
                                    struct cul_err *err);
/* All has been added: from now on rules can be found.  CUL_EINTERNAL where an
 * operation has two. */
CUL_MUST_CHECK int cul_op_rules_sort(struct cul_op_rules *rules,
                                     struct cul_err *err);
/* That of the operation, else of the longest beginning of its name that ends
 * in '.'; NULL: there is none. */
const struct cul_op_rule *cul_op_rules_find(const struct cul_op_rules *rules,
                                            struct cul_bytes name);
void cul_op_rules_release(struct cul_op_rules *rules);

#endif
