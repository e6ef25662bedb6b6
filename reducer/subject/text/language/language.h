/* The syntax of languages: declarations, expressions, bodies of functions,
 * branches.  A file for each language fills one table; mutations of texts use
 * only the table. */
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
  const char *branches[3]; /* suffixes of the names of branches, first that
                              with one target */
  const char *condition;   /* the part that a branch's name loses with the
                              other of two targets; or NULL: nothing */
  const char *unreachable; /* the statement that ends a block without a branch;
                              NULL: none is known */
  const char *merges;      /* of the line before a branch that names the block
                              where its paths meet, and a loop's next
                              iteration; or NULL */
  const char *phis;        /* of statements that choose a value by edge; or
                              NULL */
};

/* Values that can replace others of their type. */
struct cul_text_values {
  /* Bytes that all values of the type have in common; out: overwritten; false:
   * the type is unknown. */
  bool (*type)(struct cul_text *text, uint32_t def, uint32_t number,
               struct cul_buf *out);
  /* The only result of the item, or CUL_TEXT_NONE; NULL: the results are the
   * names before its "=". */
  uint32_t (*result)(struct cul_text *text, uint32_t item);
  /* How many definitions before the statement are searched for the last one of
   * a type: always, or only if several results are replaced and no operand
   * fits. */
  uint32_t before;
  bool always;
  bool distinct; /* an operand that is read twice counts once */
};

/* A NULL member: the language does not have this, or it is unknown. */
struct cul_text_language {
  const char *name; /* of struct cul_lang */
  const struct cul_text_edges *edges;
  const struct cul_text_values *values;
  /* Add all declarations, by cul_text_declares. */
  void (*declarations)(const struct cul_text *text,
                       struct cul_text_declarations *all);
  /* Does the token, a name, get its value here? */
  bool (*defines)(const struct cul_text *text, uint32_t token);
  /* Does the item assign an expression to a name whose readers are all known?
   * out: the assignment with its uses, which the caller frees. */
  bool (*assignment)(const struct cul_text *text, uint32_t item,
                     struct cul_text_assignment *out);
  /* The number of tokens of a function's body; drop: erase the body, which
   * leaves a declaration or an empty function.  0: the item is not a function,
   * it has no body, or nothing is left to drop. */
  uint32_t (*body)(struct cul_text *text, uint32_t item, bool drop);
  /* A replacement for body, for bodies in braces after "@f(...)": rewrite the
   * header, from token `first` up to the brace, as that of a declaration. */
  void (*declare)(struct cul_text *text, uint32_t first, uint32_t brace);
  /* Are the contents of the line, even if blank, understood as a whole?  Then
   * edits of tokens and lists that apply to any text either erase it or leave
   * it unchanged. */
  bool (*owns)(const struct cul_text *text, uint32_t line);
  /* Make the text consistent again if an edit erased a part that others need.
   */
  void (*fix_up)(struct cul_text *text);
  /* Once all edits of a candidate are made: erase what nothing needs any more,
   * and number what the language numbers.  Called only if the text was edited.
   */
  void (*finish)(struct cul_text *text);
  /* Is the text, as parsed, valid as far as its tokens show?  If not, *token is
   * one of the wrong tokens, or CUL_TEXT_NONE.  fault: what may be wrong. */
  bool (*holds)(struct cul_text *text, uint32_t *token);
  const char *fault;
  /* Are these bytes the language in a form that cannot be edited?  Errors:
   * EUSAGE with advice. */
  int (*refuse)(struct cul_bytes bytes, struct cul_err *err);
  /* The sum of all numbers after edits, where smaller ones are simpler. */
  uint64_t (*numbers)(const struct cul_text *text);
};

extern const struct cul_text_language cul_text_c, cul_text_python,
    cul_text_nvfuser, cul_text_mlir, cul_text_llvm, cul_text_spirv,
    cul_text_ptx;

/* Never NULL: for an unknown language all members are NULL. */
const struct cul_text_language *
cul_text_language_of(const struct cul_lang *lang);
/* The language of a text. */
static inline const struct cul_text_language *
cul_text_language(const struct cul_text *text) {
  return cul_text_language_of(text->lang);
}
/* `refuse` of all languages. */
int cul_text_refuse(struct cul_bytes bytes, struct cul_err *err);

#endif
