/* Facts about operations that culprit takes from rules instead of asking a
 * verifier.  The *.rules files of this folder have one rule per operation.  The
 * head of core.rules describes the format; the user of the rules defines the
 * words (mutations/retype/rules/words.c).
 *
 * A fact needs a rule if no verifier checks it, or if trials (sets.h) cannot
 * find it: products of sizes, attributes with numbers of dimensions, dimensions
 * that must be removed together. */
#ifndef CUL_REDUCER_OPMODEL_RULES_H
#define CUL_REDUCER_OPMODEL_RULES_H

#include "../../base/buf.h"
#include "../../base/embedded.h"
#include "../../base/err.h"

/* The files of this folder. */
extern const struct cul_embedded cul_op_rule_files[];
extern const size_t cul_n_op_rule_files;

enum { CUL_OP_WORDS = 8, CUL_OP_ARGS = 8 };

/* A word and its arguments, such as "reduced=dimensions". */
struct cul_op_word {
  const void *meaning;           /* result of cul_op_meaning_fn */
  const char *text;              /* without the arguments */
  const char *args[CUL_OP_ARGS]; /* n_args of them are set */
  size_t n_args;
};
struct cul_op_rule {
  const char *name; /* of the operation; a name that ends in '.' is a prefix */
  const char *file;
  int line;
  struct cul_op_word words[CUL_OP_WORDS];
  size_t n_words;
};
struct cul_op_rules {
  struct cul_op_rule *rules; /* sorted by name after cul_op_rules_sort */
  size_t n, cap;
  char **texts; /* own the strings above */
  size_t n_texts;
};

/* The meaning of a word for the user of the rules; NULL: the word is unknown.
 */
typedef const void *cul_op_meaning_fn(const char *word);

/* Add the rules of a file.  CUL_EINTERNAL with "FILE:LINE: why" if a line is
 * malformed; the lines before it have been added.  file is borrowed as long as
 * the rules exist. */
CUL_MUST_CHECK int cul_op_rules_add(struct cul_op_rules *rules,
                                    const char *file, struct cul_bytes text,
                                    cul_op_meaning_fn *meaning,
                                    struct cul_err *err);
/* Call after the last file; rules can be found only from then on.
 * CUL_EINTERNAL if an operation has two rules. */
CUL_MUST_CHECK int cul_op_rules_sort(struct cul_op_rules *rules,
                                     struct cul_err *err);
/* The rule of the operation, else that of the longest prefix of its name that
 * ends in '.'; NULL: none. */
const struct cul_op_rule *cul_op_rules_find(const struct cul_op_rules *rules,
                                            struct cul_bytes name);
/* Free what it owns; {0} is fine. */
void cul_op_rules_release(struct cul_op_rules *rules);

#endif
