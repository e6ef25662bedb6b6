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

#include "blocks.h"
#include "lists.h"
#include "names.h"
#include "text.h"
#include "types.h"

/* Is word the name of a value in nvFuser's definitions: T1, S2, V3? */
bool cul_text_is_value(struct cul_bytes word);

/* Is the token the name of an attribute or type: #map, !t; in LLVM IR !0, #0?
 */
bool cul_text_is_alias(const struct cul_text *text, uint32_t token);

/* The results that a line defines: tokens [first, *end) before its "=" are
 * names and commas; false if it defines none. */
bool cul_text_results(const struct cul_text *text, uint32_t line,
                      uint32_t *end);

/* Is the token a word without a sigil? */
bool cul_text_is_plain(const struct cul_text *text, uint32_t token);
/* Does this line define the symbol at token i?  Its first word decides: func
 * and global define one, call refers to one. */
bool cul_text_defines_symbol(const struct cul_text *text, uint32_t line,
                             uint32_t i);

/* MLIR: "(" of the parameters if the line is the header of a function, else
 * CUL_TEXT_NONE. */
uint32_t cul_text_header(const struct cul_text *text, uint32_t line);

/* Was the subject opened in the mlir-text form? */
static inline bool cul_text_is_mlir(const struct cul_text *text) {
  return text->head.bits == CUL_SUBJECT_MLIR_TEXT;
}

/* The token with the name of the item's operation, or CUL_TEXT_NONE. */
uint32_t cul_text_op(const struct cul_text *text, uint32_t item);
/* The item of the module that encloses everything else, or CUL_TEXT_NONE if the
 * text has no such item. */
uint32_t cul_text_whole_module(const struct cul_text *text);
/* Operations on live lines; the module counts, even if it is implicit. */
uint64_t cul_text_count_ops(const struct cul_text *text);

/* Does the item contain other items? */
bool cul_text_has_children(const struct cul_text *text, uint32_t item);

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

#endif
