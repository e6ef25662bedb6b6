/* How languages spell what texts consist of: declarations, expressions, bodies
 * of functions, branches.  One table, a file for each language; who edits texts
 * asks it and knows none. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_LANGUAGE_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_LANGUAGE_H

#include "../text.h"

struct cul_text_declarations;

/* An item of one statement, "name = expression", without commas outside
 * brackets, and the tokens that read the name. */
struct cul_text_assignment {
  uint32_t name;
  uint32_t first, end; /* tokens of the expression */
  uint32_t *uses;      /* heap */
  size_t n_uses, cap_uses;
};

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

/* Where values of one type can stand in for each other. */
struct cul_text_values {
  /* Bytes that all values of the type have in common; out: overwritten; false:
   * the type is not known. */
  bool (*type)(struct cul_text *text, uint32_t def, uint32_t number,
               struct cul_buf *out);
  /* The only result of the item, or CUL_TEXT_NONE; NULL: what stands before its
   * "=" are results. */
  uint32_t (*result)(struct cul_text *text, uint32_t item);
  /* So many definitions before the statement are looked at for the last one of
   * a type: always, or only where several results are replaced and no operand
   * fits. */
  uint32_t before;
  bool always;
  bool distinct; /* an operand that is read twice counts once */
};

/* What is NULL, the language has not, or it is not known. */
struct cul_text_language {
  const char *name; /* of struct cul_lang */
  const struct cul_text_edges *edges;
  const struct cul_text_values *values;
  /* Add all declarations, by cul_text_declares. */
  void (*declarations)(const struct cul_text *text,
                       struct cul_text_declarations *all);
  /* Does the token, a name, get its value there? */
  bool (*defines)(const struct cul_text *text, uint32_t token);
  /* The item assigns an expression to a name, and all that reads it is known:
   * out is that, uses included, which the caller frees. */
  bool (*assignment)(const struct cul_text *text, uint32_t item,
                     struct cul_text_assignment *out);
  /* The item is a function: how many tokens its body has; drop: let it go, the
   * function is declared then, or empty.  0: it is no function, it has no body,
   * or nothing is left to drop. */
  uint32_t (*body)(struct cul_text *text, uint32_t item, bool drop);
  /* In place of body, where one stands in braces behind "@f(...)": write the
   * header from token `first` up to the brace as that of a declaration. */
  void (*declare)(struct cul_text *text, uint32_t first, uint32_t brace);
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

#endif
