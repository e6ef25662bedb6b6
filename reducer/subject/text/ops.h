/* MLIR in a text: operations, blocks and functions, without a parser.
 *
 * An operation is an item (see text.h) whose line starts with its name, or with
 * its results and its name: "%r = a.b", "a.b", "\"a.b\"(", "return".  Aliases,
 * labels, lines of long lists and of file metadata are not operations.
 *
 * The form mlir-text is for MLIR that no parser here reads.  It has the tokens,
 * lines and items of the form text, is measured in operations, and is checked:
 * a value or block that is used stays defined, a block keeps its terminator. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_OPS_H
#define CUL_REDUCER_SUBJECT_TEXT_OPS_H

#include "text.h"

struct cul_text_names {
  /* Per token: the token that defines its name (a definition: itself), or
   * CUL_TEXT_NONE. */
  uint32_t *def;
  /* Uses of the definition t: uses[first_use[t]] to uses[first_use[t + 1]]
   * (not included), ascending, without t itself. */
  uint32_t *first_use, *uses;
  /* Per definition: the name is defined more than once in the text. */
  bool *shared;
  uint32_t clash; /* a name defined a second time in one scope, or NONE */
  struct cul_nvfuser_shapes *shapes; /* nvFuser: once asked for */
};

/* Names of the text as parsed, without edits; computed once per revision,
 * borrowed. */
const struct cul_text_names *cul_text_names(struct cul_text *text);
/* Use number i of the definition, ascending; false: it has fewer uses. */
bool cul_text_use(struct cul_text *text, uint32_t def, uint32_t i,
                  uint32_t *use);
void cul_text_names_free(struct cul_text_names *names);

/* LLVM IR requires that numbered names (%0, 5:, @1) count up without a gap.
 * Renumber the remaining values, blocks and globals, with all their uses.  A
 * block without a label takes a number, as in LLVM's parser.  Does nothing in
 * other languages, and if no number has to change. */
void cul_text_renumber(struct cul_text *text);

/* Is word the name of a value in nvFuser's definitions: T1, S2, V3? */
bool cul_text_is_value(struct cul_bytes word);

/* Is the token the name of an attribute or type: #map, !t; in LLVM IR !0, #0?
 */
bool cul_text_is_alias(const struct cul_text *text, uint32_t token);

/* The results that a line defines: tokens [first, *end) before its "=" are
 * names and commas; false if it defines none. */
bool cul_text_results(const struct cul_text *text, uint32_t line,
                      uint32_t *end);

/* MLIR: the only result that the item defines, or CUL_TEXT_NONE. */
uint32_t cul_text_only_result(const struct cul_text *text, uint32_t item);
/* MLIR: the type of the value that token def defines, guessed from the usual
 * forms; for "%x:2 = ..." that of the result with this number.  out:
 * overwritten; false and empty if no type is found. */
bool cul_text_type_of_result(struct cul_text *text, uint32_t def,
                             uint32_t number, struct cul_buf *out);
/* MLIR: the n of "%x:n =" or of the single "%x =", from token def on. */
uint32_t cul_text_results_of(const struct cul_text *text, uint32_t def);
/* MLIR: the number in "%x#1"; *number: 0 if there is no suffix.  Returns
 * whether there is one. */
bool cul_text_result_number(const struct cul_text *text, uint32_t use,
                            uint32_t *number);
/* MLIR: "(" of the parameters if the line is the header of a function, else
 * CUL_TEXT_NONE. */
uint32_t cul_text_header(const struct cul_text *text, uint32_t line);

/* Was the subject opened in the mlir-text form? */
bool cul_text_is_mlir(const struct cul_text *text);

/* The token with the name of the item's operation, or CUL_TEXT_NONE. */
uint32_t cul_text_op(const struct cul_text *text, uint32_t item);
/* The item of the module that encloses everything else, or CUL_TEXT_NONE if the
 * text has no such item. */
uint32_t cul_text_whole_module(const struct cul_text *text);
/* Operations on live lines; the module counts, even if it is implicit. */
uint64_t cul_text_count_ops(const struct cul_text *text);
/* Operations of one item, everything inside included; at least 1. */
uint32_t cul_text_item_ops(const struct cul_text *text, uint32_t item);

/* Does the item contain other items? */
bool cul_text_has_children(const struct cul_text *text, uint32_t item);

/* Facts about blocks, learnt from a whole text (see blocks.c). */
struct cul_text_habits;
struct cul_text_habits *cul_text_learn(const struct cul_text *text);
void cul_text_habits_free(struct cul_text_habits *habits);
/* Does the operation end its block? */
bool cul_text_is_terminator(const struct cul_text *text,
                            const struct cul_text_habits *habits,
                            uint32_t item);
/* Does each block end as the blocks of operations of that name do in the input?
 * If not, *line is a line of the block. */
bool cul_text_blocks_end(const struct cul_text *text,
                         const struct cul_text_habits *habits, uint32_t *line);

/* A function, pretty or generic. */
struct cul_text_function {
  uint32_t item;
  uint32_t symbol; /* the token with its name; NONE: not found */
  /* The list of its arguments: "(" of "@f(" or of "^bb0("; NONE where a
   * generic function has no block argument yet. */
  uint32_t arguments;
  uint32_t type; /* generic: "(" after "function_type ="; else NONE */
  uint32_t body; /* the "{" of its body; NONE: a declaration */
};
/* Is this item a function? */
bool cul_text_function(const struct cul_text *text, uint32_t item,
                       struct cul_text_function *out);
/* The innermost function around item, or item itself. */
bool cul_text_function_around(const struct cul_text *text, uint32_t item,
                              struct cul_text_function *out);

/* Append "name: type" as a parameter of the function, with the words that may
 * precede it: in the form of token def if that is a parameter, else of the
 * function's first parameter, or of a parameter of another function of its
 * kind.  function NULL: "name: type". */
void cul_text_write_parameter(const struct cul_text *text,
                              const struct cul_text_function *function,
                              uint32_t def, struct cul_bytes name,
                              struct cul_bytes type, struct cul_buf *out);
/* The first result among the parameters, "out o: T": its first token, and its
 * type; false: none. */
bool cul_text_result_port(const struct cul_text *text, uint32_t open,
                          uint32_t *first, uint32_t *type);

/* Element k of the list that opens at `open`: tokens [*first, *end). */
bool cul_text_element(const struct cul_text *text, uint32_t open, uint32_t k,
                      uint32_t *first, uint32_t *end);
/* The number of elements. */
uint32_t cul_text_elements(const struct cul_text *text, uint32_t open);
/* The same for tokens [from, to) without enclosing brackets. */
bool cul_text_element_of(const struct cul_text *text, uint32_t from,
                         uint32_t to, uint32_t k, uint32_t *first,
                         uint32_t *end);
uint32_t cul_text_elements_of(const struct cul_text *text, uint32_t from,
                              uint32_t to);
/* Erase the element [first, end) and the comma after it, or the comma before it
 * if it is the last remaining one.  Returns whether that changed anything. */
bool cul_text_erase_element(struct cul_text *text, uint32_t first,
                            uint32_t end);

#endif
