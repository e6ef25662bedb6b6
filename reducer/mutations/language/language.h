/* How languages spell what mutations of texts edit: declarations, expressions,
 * bodies of functions, branches.  One table, a file for each language; a
 * mutation asks it and knows none. */
#ifndef CUL_REDUCER_MUTATIONS_LANGUAGE_LANGUAGE_H
#define CUL_REDUCER_MUTATIONS_LANGUAGE_LANGUAGE_H

#include "sites.h"

struct cul_text_declarations;

/* "br condition, target, target": tokens. */
struct cul_text_branch {
  uint32_t word;
  uint32_t commas[2]; /* before either target */
  uint32_t end;       /* behind the second target */
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
  /* Add all declarations, by cul_text_declares. */
  void (*declarations)(const struct cul_text *text,
                       struct cul_text_declarations *all);
  /* Does the token, a name, get its value there? */
  bool (*defines)(const struct cul_text *text, uint32_t token);
  /* The item is a function: let its body go, it is declared then, or empty;
   * how many tokens that are.  0: it is none, or has no body. */
  uint32_t (*weigh_body)(struct cul_text *text, uint32_t item);
  bool (*drop_body)(struct cul_text *text, uint32_t item);
  /* In how many ways the branch on the line can go; let it go one of them. */
  uint32_t (*branch)(const struct cul_text *text, uint32_t line,
                     struct cul_text_branch *out);
  bool (*fold)(struct cul_text *text, const struct cul_text_branch *branch,
               uint32_t way);
  /* In how many ways what reads the results of the item can read what was there
   * before; results: overwritten.  0: one that is read has no other of its
   * type.
   */
  uint32_t (*stand_ins)(struct cul_text *text, uint32_t item,
                        struct cul_text_results *results);
  /* Make the text whole again where an edit erased what others need. */
  void (*fix_up)(struct cul_text *text);
};

extern const struct cul_text_language cul_text_c, cul_text_python,
    cul_text_mlir, cul_text_llvm, cul_text_spirv, cul_text_ptx;

/* Never NULL: a language that is not known has nothing. */
const struct cul_text_language *cul_text_language(const struct cul_text *text);

/* ---- for languages ---- */

/* "@f(...) {": the brace that opens the body of the function which is the item,
 * or CUL_TEXT_NONE. */
uint32_t cul_text_braces(const struct cul_text *text, uint32_t item);
/* Erase what a brace encloses, with it; of CUL_TEXT_NONE nothing. */
bool cul_text_erase_braces(struct cul_text *text, uint32_t brace);
/* weigh_body of such functions. */
uint32_t cul_text_weigh_body(struct cul_text *text, uint32_t item);

/* What a branch with two targets is, or 0. */
uint32_t cul_text_branch(const struct cul_text *text, uint32_t line,
                         struct cul_text_branch *out);
/* Only one target is left. */
void cul_text_take_branch(struct cul_text *text,
                          const struct cul_text_branch *b, uint32_t target);

#endif
