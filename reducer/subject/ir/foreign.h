/* Types and attributes of other dialects, which are read and edited as text.
 *
 * A type may be a builtin type inside a wrapper of other words:
 *
 *   !flow.dispatch.tensor<readonly:tensor<4x8xf32>>   tensor<4x8xf32>
 *   !ttg.memdesc<4x8xf16, #ttg.., mutable>            tensor<4x8xf16>
 *   !torch.vtensor<[4,8],f32>                         tensor<4x8xf32>
 *   !tt.ptr<f32>                                      f32
 *   tensor<4x!tt.ptr<f32>>                            tensor<4xf32>
 *
 * The words of the wrapper do not matter; no dialect is named here. */
#ifndef CUL_REDUCER_SUBJECT_IR_FOREIGN_H
#define CUL_REDUCER_SUBJECT_IR_FOREIGN_H

#include <string.h>

#include "ir.h"

/* How a type is written in a text. */
enum cul_ir_syntax {
  CUL_IR_SYNTAX_BUILTIN, /* tensor<4x8xf32>, f32 */
  CUL_IR_SYNTAX_SIZES,   /* 4x8xf32 */
  CUL_IR_SYNTAX_LIST     /* [4,8],f32 */
};
/* The place of an inner type in the text of a type: text[from, to); text NULL:
 * nothing surrounds the inner type, it is the whole type. */
struct cul_ir_hole {
  const char *text; /* borrowed from the subject */
  size_t from, to;
  enum cul_ir_syntax syntax;
};

struct cul_ir_wrapper {
  MlirType shaped; /* the inner type with sizes; null: it has none */
  /* its element type, or the inner type itself, without a wrapper of its own */
  MlirType element;
  struct cul_ir_hole around, around_element;
};
/* Read the wrapper of a type.  False: it has none, or an unknown form. */
bool cul_ir_wrapper_of(struct cul_ir *ir, MlirType type,
                       struct cul_ir_wrapper *out);
/* The type whose hole contains another type; null: its text does not parse. */
MlirType cul_ir_wrapper_fill(struct cul_ir *ir, const struct cul_ir_hole *hole,
                             MlirType type);
/* The end of the part of the text that begins at `at`: a ',' or a bracket
 * outside all brackets opened in the part. */
size_t cul_ir_part_end(const char *text, size_t at);
/* Does the surrounding text count dimensions too, in lists or attributes? */
static inline bool cul_ir_hole_has_lists(const struct cul_ir_hole *hole) {
  return hole->text && strpbrk(hole->text + hole->to, "#[\"");
}

enum { CUL_IR_MOST_FIELDS = 64 };
/* The fields of a struct without a name.  text, borrowed, begins with
 * "struct<", without the dialect, as it does inside other types of LLVM; the
 * fields are between text[from] and the end. */
struct cul_ir_fields {
  const char *text;
  size_t from, n;
};
/* Read the fields of a struct of LLVM; false: the type is none, has a name, or
 * has more than CUL_IR_MOST_FIELDS. */
bool cul_ir_fields_of(struct cul_ir *ir, MlirType type,
                      struct cul_ir_fields *out);
/* The text of the struct without the fields in gone; heap. */
char *cul_ir_fields_without(const struct cul_ir_fields *fields,
                            const bool *gone);

typedef void cul_ir_type_fn(struct cul_ir *ir, MlirType type, void *arg);
/* Call fn once for each type of a value, and each that is an attribute. */
void cul_ir_each_type(struct cul_ir *ir, cul_ir_type_fn *fn, void *arg);
/* Replace the text `old` by `made` in the types of op's results and of the
 * arguments of its blocks, and in its attributes, but not in the attribute
 * `except`.  What does not parse afterwards stays.  Returns whether anything
 * was changed. */
bool cul_ir_retext(struct cul_ir *ir, MlirOperation op, const char *old,
                   const char *made, const char *except);

/* Lists of numbers in the text of an attribute:
 *
 *   WORD  one number or a list after WORD: "offset_dims = [1, 2]"
 *   #0b   the dimension b in the first of the brackets, such as
 *         "[b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1]"
 *   #0    the dimensions 0, 1, ... there
 *
 * Read one into out[CUL_NUMBERS_MAX]; returns how many there are. */
size_t cul_ir_text_numbers(const char *text, const char *list, int64_t *out);
/* Append the text with these numbers instead; an entry that is CUL_NUMBER_GONE
 * is left out.  Nothing if there is no such list. */
void cul_ir_text_write_numbers(const char *text, const char *list,
                               const int64_t *now, size_t n,
                               struct cul_buf *out);

/* The text of a layout of Triton for a value with this rank, after the
 * dimensions in gone were removed: a slice of it.  Nested slices,
 * "slice<{dim = 1, parent = slice<{dim = 2, parent = base}>}>", have lost
 * dimension 2 first.  Heap; NULL: it cannot be read. */
char *cul_ir_text_sliced(const char *text, size_t rank, const bool *gone);

#endif
