/* How languages spell what mutations of texts edit: declarations, expressions,
 * bodies of functions, branches.  One table, a file for each language; a
 * mutation asks it and knows none. */
#ifndef CUL_REDUCER_MUTATIONS_LANGUAGE_LANGUAGE_H
#define CUL_REDUCER_MUTATIONS_LANGUAGE_LANGUAGE_H

#include "sites.h"

struct cul_text_declarations;

/* How blocks branch to each other; words with a space on both sides of each. */
struct cul_text_edges {
  const char *branches[3]; /* what names of branches end with, first that with
                              one target */
  const char *condition;   /* what the name of a branch loses with the other
                              of two targets; or NULL: nothing */
  const char *nowhere;     /* what ends a block instead; NULL: none is known */
  const char *merges;      /* of the line before a branch that names where its
                              ways meet, and a loop's next round; or NULL */
  const char *phis;        /* of values by edge; or NULL */
};

/* One result of a statement, and what can stand in for it: so many are tried.
 */
enum { CUL_TEXT_STAND_INS = 4, CUL_TEXT_RESULTS = 256 };
struct cul_text_result {
  uint32_t def, number; /* the name's token, and %x#number of that */
  uint32_t rank;        /* among those of its type */
  uint32_t with[CUL_TEXT_STAND_INS]; /* tokens */
  uint32_t n;
  struct cul_buf type;
};
struct cul_text_results {
  struct cul_text_result items[CUL_TEXT_RESULTS + 1];
  uint32_t n;
};
struct cul_text_result *cul_text_add_result(struct cul_text_results *results,
                                            uint32_t def, uint32_t number);

/* What is NULL, the language has not, or it is not known. */
struct cul_text_language {
  const char *name; /* of struct cul_lang */
  const struct cul_text_edges *edges;
  /* Add all declarations, by cul_text_declares. */
  void (*declarations)(const struct cul_text *text,
                       struct cul_text_declarations *all);
  /* Does the token, a name, get its value there? */
  bool (*defines)(const struct cul_text *text, uint32_t token);
  /* The item is a function: let its body go, it is declared then, or empty;
   * how many tokens that are.  0: it is none, or has no body. */
  uint32_t (*weigh_body)(struct cul_text *text, uint32_t item);
  bool (*drop_body)(struct cul_text *text, uint32_t item);
  /* In how many ways what reads the results of the item can read what was there
   * before; results: overwritten.  0: one that is read has no other of its
   * type.
   */
  uint32_t (*stand_ins)(struct cul_text *text, uint32_t item,
                        struct cul_text_results *results);
  /* What stands on the line, blank or not, is known as a whole: edits of what
   * any text has, of tokens and lists, leave it as it is, or erase it. */
  bool (*owns)(const struct cul_text *text, uint32_t line);
  /* Make the text whole again where an edit erased what others need. */
  void (*fix_up)(struct cul_text *text);
};

extern const struct cul_text_language cul_text_c, cul_text_python,
    cul_text_nvfuser, cul_text_mlir, cul_text_llvm, cul_text_spirv,
    cul_text_ptx;

/* Never NULL: a language that is not known has nothing. */
const struct cul_text_language *cul_text_language(const struct cul_text *text);

/* Add each of two targets of a branch as a range of tokens: where languages
 * that have edges write no commas. */
void cul_text_add_targets(struct cul_text *text, struct cul_sites *out);

/* ---- for languages ---- */

/* "@f(...) {": the brace that opens the body of the function which is the item,
 * or CUL_TEXT_NONE. */
uint32_t cul_text_braces(const struct cul_text *text, uint32_t item);
/* Erase what a brace encloses, with it; of CUL_TEXT_NONE nothing. */
bool cul_text_erase_braces(struct cul_text *text, uint32_t brace);
/* weigh_body of such functions. */
uint32_t cul_text_weigh_body(struct cul_text *text, uint32_t item);

/* Make edges whole again where an edit erased blocks, targets or branches. */
void cul_text_fix_up_edges(struct cul_text *text);

#endif
