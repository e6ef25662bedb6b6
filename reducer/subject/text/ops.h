/* MLIR in a text: operations, blocks and functions, without a parser.
 *
 * An operation is an item (see text.h) whose line starts with its name, results
 * before that aside: "%r = a.b", "a.b", "\"a.b\"(", "return".  Aliases, labels,
 * lines of long lists and of file metadata are none.
 *
 * The mlir-text form is MLIR that no parser here reads.  The same tokens, lines
 * and items as the text form, measured in operations, and checked: a value,
 * block or alias that is used stays defined, a block keeps its terminator. */
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

/* Of the text as parsed, edits aside; computed once per revision, borrowed. */
const struct cul_text_names *cul_text_names(struct cul_text *text);
/* Use number i of the definition, ascending; false: there are fewer. */
bool cul_text_use(struct cul_text *text, uint32_t def, uint32_t i,
                  uint32_t *use);
void cul_text_names_free(struct cul_text_names *names);

/* LLVM IR: its numbered names (%0, 5:, @1) must count up without a hole. Number
 * what is left anew: values, blocks and globals, with all their uses.  Does
 * nothing in other languages, and where no number has to change.  A block
 * without a label takes a number as it does in the parser of LLVM. */
void cul_text_renumber(struct cul_text *text);

/* Is it the name of a value in nvFuser's definitions: T1, S2, V3? */
bool cul_text_is_value(struct cul_bytes word);

/* A name of an attribute or type: #map, !t; of LLVM IR !0, #0. */
bool cul_text_is_alias(const struct cul_text *text, uint32_t token);

/* The results that a line defines: tokens [first, *end) before its "=" are
 * names and commas; false where it defines none. */
bool cul_text_results(const struct cul_text *text, uint32_t line,
                      uint32_t *end);

/* MLIR: the only result that the item defines, or CUL_TEXT_NONE. */
uint32_t cul_text_only_result(const struct cul_text *text, uint32_t item);
/* MLIR: the type of what token def defines, guessed from the usual forms; of
 * "%x:2 = ..." that of the result with this number.  out: overwritten; false
 * and empty where there is none. */
bool cul_text_type_of_result(struct cul_text *text, uint32_t def,
                             uint32_t number, struct cul_buf *out);
/* MLIR: the n of "%x:n =" or of the single "%x =", from token def on. */
uint32_t cul_text_results_of(const struct cul_text *text, uint32_t def);
/* MLIR: %x#1 uses result 1; *number: 0 where there is no such suffix.  Returns
 * whether there is. */
bool cul_text_result_number(const struct cul_text *text, uint32_t use,
                            uint32_t *number);
/* MLIR: "(" of the parameters where the line is the header of a function, else
 * CUL_TEXT_NONE. */
uint32_t cul_text_header(const struct cul_text *text, uint32_t line);

/* Was the subject opened in the mlir-text form? */
bool cul_text_is_mlir(const struct cul_text *text);

/* The token that names the operation which is this item, or CUL_TEXT_NONE. */
uint32_t cul_text_op(const struct cul_text *text, uint32_t item);
/* The item of the module that everything else stands in, or CUL_TEXT_NONE:
 * none is written. */
uint32_t cul_text_whole_module(const struct cul_text *text);
/* Operations on live lines; the module counts, written or not. */
uint64_t cul_text_count_ops(const struct cul_text *text);
/* Operations of one item, everything inside included; at least 1. */
uint32_t cul_text_item_ops(const struct cul_text *text, uint32_t item);

/* Does anything stand inside the item? */
bool cul_text_has_children(const struct cul_text *text, uint32_t item);

/* What is known of blocks, learnt from a whole text (see blocks.c). */
struct cul_text_habits;
struct cul_text_habits *cul_text_learn(const struct cul_text *text);
void cul_text_habits_free(struct cul_text_habits *habits);
/* Does the operation end its block? */
bool cul_text_is_terminator(const struct cul_text *text,
                            const struct cul_text_habits *habits,
                            uint32_t item);
/* Does each block end as those of such operations did?  Else false, and the
 * line of the block in *line. */
bool cul_text_blocks_end(const struct cul_text *text,
                         const struct cul_text_habits *habits, uint32_t *line);

/* A function, pretty or generic. */
struct cul_text_function {
  uint32_t item;
  uint32_t symbol; /* the token with its name; NONE: not found */
  /* The list of its arguments: "(" of "@f(" or of "^bb0("; NONE where a
   * generic function has no block argument yet. */
  uint32_t arguments;
  uint32_t type; /* generic: "(" behind "function_type ="; else NONE */
  uint32_t body; /* the "{" of its body; NONE: a declaration */
};
/* Is this item a function? */
bool cul_text_function(const struct cul_text *text, uint32_t item,
                       struct cul_text_function *out);
/* The innermost function around item, or item itself. */
bool cul_text_function_around(const struct cul_text *text, uint32_t item,
                              struct cul_text_function *out);

/* Append "name: type" as a parameter of the function, words before it too: as
 * token def is written where that is one itself, else as the function's first
 * one, or that of another function of its kind.  function NULL: "name: type".
 */
void cul_text_write_parameter(const struct cul_text *text,
                              const struct cul_text_function *function,
                              uint32_t def, struct cul_bytes name,
                              struct cul_bytes type, struct cul_buf *out);
/* The first result among the parameters, "out o: T": where it starts, and its
 * type; false: there is none. */
bool cul_text_result_port(const struct cul_text *text, uint32_t open,
                          uint32_t *first, uint32_t *type);

/* Element k of the list that opens at `open`: tokens [*first, *end). */
bool cul_text_element(const struct cul_text *text, uint32_t open, uint32_t k,
                      uint32_t *first, uint32_t *end);
/* How many there are. */
uint32_t cul_text_elements(const struct cul_text *text, uint32_t open);
/* The same of tokens [from, to), without brackets around. */
bool cul_text_element_of(const struct cul_text *text, uint32_t from,
                         uint32_t to, uint32_t k, uint32_t *first,
                         uint32_t *end);
uint32_t cul_text_elements_of(const struct cul_text *text, uint32_t from,
                              uint32_t to);
/* The element [first, end) goes, and the comma behind it; where it is the last
 * one left, the comma before it.  Whether that changed anything. */
bool cul_text_erase_element(struct cul_text *text, uint32_t first,
                            uint32_t end);

#endif
