/* Types of other dialects, in text: a builtin type inside a wrapper of other
 * words.
 *
 *   !flow.dispatch.tensor<readonly:tensor<4x8xf32>>   tensor<4x8xf32>
 *   !ttg.memdesc<4x8xf16, #ttg.., mutable>            tensor<4x8xf16>
 *   !torch.vtensor<[4,8],f32>                         tensor<4x8xf32>
 *   !tt.ptr<f32>                                      f32
 *   tensor<4x!tt.ptr<f32>>                            tensor<4xf32>
 *
 * The words of the wrapper do not matter; no dialect is named here. */
#ifndef CUL_REDUCER_SUBJECT_IR_WRAPPER_H
#define CUL_REDUCER_SUBJECT_IR_WRAPPER_H

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
bool cul_ir_hole_has_lists(const struct cul_ir_hole *hole);

#endif
