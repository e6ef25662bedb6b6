/* Statements of MLIR in a text: the lists of their operands, results and types,
 * and the terminators and calls that pass the results of a function or of a
 * block.  This understands the pretty and the generic form. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_STATEMENT_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_STATEMENT_H

#include "../ops.h"

/* Tokens [first, end) with commas between them. */
struct cul_text_list {
  uint32_t first, end;
  /* An arrow, a colon or a word that is erased with the list once no element is
   * left; NONE: "()" remains. */
  uint32_t lead;
};
/* Element k. */
static inline bool cul_text_list_element(const struct cul_text *text,
                                         struct cul_text_list list, uint32_t k,
                                         uint32_t *first, uint32_t *end) {
  return cul_text_element_of(text, list.first, list.end, k, first, end);
}
/* The list that opens at `open`. */
static inline struct cul_text_list cul_text_list_in(const struct cul_text *text,
                                                    uint32_t open) {
  return (struct cul_text_list){open + 1, text->tokens[open].match,
                                CUL_TEXT_NONE};
}

/* The parts of the line of an operation, in either form; a list that is absent
 * ends at 0:
 *   %names = op @symbol(operands) : (taken) -> (given)
 *   %names = op operands : taken -> given { */
struct cul_text_statement {
  bool generic;
  struct cul_text_list names, operands, taken, given;
};
/* Read the statement that refers to a symbol there; false: it is no
 * operation. */
bool cul_text_read_user(const struct cul_text *text, uint32_t use,
                        struct cul_text_statement *out);

/* The results of a function, or of an operation whose blocks yield them. */
struct cul_text_returned {
  uint32_t item, n;
  struct cul_text_list types;
  const char *ends;                 /* name of the terminators that pass them */
  uint32_t symbol;                  /* of a function: its name; else NONE */
  struct cul_text_statement yields; /* the operation, if it is no function */
  struct cul_text_list carried;     /* of a loop: "%x = %a" of its iter_args */
};
/* Find them; false if a terminator passes another number of values. */
bool cul_text_find_returned(const struct cul_text *text, uint32_t item,
                            struct cul_text_returned *out);
/* Read the next terminator of this name in item's blocks after item *at; false:
 * there is none. */
bool cul_text_next_end(const struct cul_text *text, uint32_t item,
                       const char *called, uint32_t *at,
                       struct cul_text_statement *out);

#endif
