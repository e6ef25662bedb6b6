/* shrink-array: shrink an array of LLVM or SPIR-V, in all types. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../subject/ir/foreign.h"
#include "../frame/each.h"

/* The next array in *text, such as "array<4 x f32" without what follows the
 * element type, as a text that stays; *text is moved behind its size. */
static const char *array_in(struct cul_ir *ir, const char **text,
                            int64_t *size) {
  static const char word[] = "array<";
  for (const char *at = *text; (at = strstr(at, word)); at++) {
    char *end;
    MlirStringRef array = {at, 0};
    *size = strtoll(at + strlen(word), &end, 10);
    if (end == at + strlen(word) || strncmp(end, " x ", 3) != 0)
      continue;
    array.length = (size_t)(end - at) + cul_ir_part_end(end, 0);
    *text = end;
    return mlirIdentifierStr(mlirIdentifierGet(ir->context, array)).data;
  }
  return NULL;
}

struct arrays {
  struct cul_map seen;
  struct cul_sites *out;
};

/* Each array in the text of the type is a site: its text and its new size. */
static void list_arrays(struct cul_ir *ir, MlirType type, void *arg) {
  struct arrays *arrays = arg;
  const char *text = cul_ir_type_text(ir, type), *array;
  for (int64_t size; (array = array_in(ir, &text, &size));) {
    if (size < 2 || cul_map_get(&arrays->seen, array))
      continue;
    cul_map_put(&arrays->seen, array, 1);
    cul_sites_add(arrays->out, (void *)array, 1, 1);
    if (size > 19) /* one digit less: half may have as many */
      cul_sites_add(arrays->out, (void *)array, (uint64_t)size / 10, 1);
    if (size > 3)
      cul_sites_add(arrays->out, (void *)array, (uint64_t)size / 2, 1);
  }
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  struct arrays arrays = {.out = out};
  cul_ir_each_type(ir, list_arrays, &arrays);
  cul_map_release(&arrays.seen);
}

/* Splats of literals follow; other literals do not fit afterwards. */
static void shrink(struct cul_ir *ir, const char *array, uint64_t size) {
  CUL_OWNED(cul_ir_list) list = {0};
  CUL_OWNED(cul_buf) made = {0}, old = {0}, splat = {0};
  const char *number = strchr(array, '<') + 1;
  int digits = (int)strcspn(number, " ");
  cul_buf_addf(&made, "array<%" PRIu64 "%s", size, number + digits);
  cul_buf_addf(&old, ": tensor<%.*sx", digits, number);
  cul_buf_addf(&splat, ": tensor<%" PRIu64 "x", size);
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++)
    if (cul_ir_retext(ir, list.items[i].op, array, made.data, ""))
      (void)cul_ir_retext(ir, list.items[i].op, old.data, splat.data, "");
}

static size_t shrink_all(struct cul_ir *ir, const struct cul_sites *sites,
                         const uint32_t *ids, size_t n) {
  for (size_t i = 0; i < n; i++)
    shrink(ir, sites->place[ids[i]], sites->detail[ids[i]]);
  return n;
}

CUL_EACH(shrink_array, .all = sites, .edit_all = shrink_all);
