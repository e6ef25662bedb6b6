/* Types of other dialects, for the retype engine: what stands in their text is
 * read as a builtin type in a wrapper of words.
 *
 *   !flow.dispatch.tensor<readonly:tensor<4x8xf32>>   tensor<4x8xf32>
 *   !ttg.memdesc<4x8xf16, #ttg.., mutable>            tensor<4x8xf16>
 *   !torch.vtensor<[4,8],f32>                         tensor<4x8xf32>
 *   !tt.ptr<f32>                                      f32
 *   tensor<4x!tt.ptr<f32>>                            tensor<4xf32>
 *
 * Which words surround it does not matter: no dialect is named here. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_GRAPH_WRAPPER_H
#define CUL_REDUCER_MUTATIONS_RETYPE_GRAPH_WRAPPER_H

#include "../../../subject/ir/ir.h"

/* How a type stands in a text. */
enum cul_retype_syntax {
  CUL_RETYPE_BUILTIN, /* tensor<4x8xf32>, f32 */
  CUL_RETYPE_SIZES,   /* 4x8xf32 */
  CUL_RETYPE_LIST     /* [4,8],f32 */
};
/* text[from, to) is the type; NULL: all of it is. */
struct cul_retype_hole {
  const char *text; /* borrowed from the subject */
  size_t from, to;
  enum cul_retype_syntax syntax;
};

struct cul_retype_wrapper {
  MlirType shaped;  /* with sizes, without the wrapper; or null */
  MlirType element; /* bare */
  struct cul_retype_hole around, around_element;
};
/* Where the part of the text that begins at `at` ends: a ',' or a bracket
 * outside of all those opened in it. */
size_t cul_retype_part_end(const char *text, size_t at);
/* False: type has no wrapper, or one that is not understood. */
bool cul_retype_wrapper_of(struct cul_ir *ir, MlirType type,
                           struct cul_retype_wrapper *out);
/* The text with another type in its hole; null where it does not parse. */
MlirType cul_retype_fill(struct cul_ir *ir, const struct cul_retype_hole *hole,
                         MlirType type);
/* Does the text around it count dimensions too, in lists or attributes? */
bool cul_retype_hole_has_lists(const struct cul_retype_hole *hole);

#endif
