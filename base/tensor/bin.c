/* Raw bytes with a shape and a type from the user, and the syntax of both. */
#include <string.h>

#include "literal.h"
#include "tensor.h"

int cul_tensor_hint_parse(const char *text, struct cul_tensor_hint *out,
                          struct cul_err *err) {
  struct cul_literal in = {text, text + strlen(text)};
  uint64_t dim;
  *out = (struct cul_tensor_hint){0};
  for (;;) {
    const char *before = in.at;
    if (!cul_literal_number(&in, &dim) || !cul_literal_char(&in, 'x')) {
      in.at = before;
      break;
    }
    if (out->rank == CUL_TENSOR_MAX_RANK)
      return cul_fail(err, CUL_EUSAGE, "join dimensions",
                      "\"%.40s\": more than 16 dimensions", text);
    out->dims[out->rank++] = dim;
  }
  out->has_dtype =
      cul_dtype_parse(in.at, (size_t)(in.end - in.at), &out->dtype);
  out->has_shape = out->rank > 0;
  if (out->has_dtype)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "write it like 2x3xf32, or f32 alone; types: f64 f32 f16 "
                  "bf16 f8E4M3FN f8E5M2 f8E4M3FNUZ f8E5M2FNUZ i1 to i64, si8, "
                  "ui8 ..., index, complex<f32>, complex<f64>",
                  "\"%.40s\" is not a tensor type", text);
}

static int read_bin(struct cul_bytes bytes, const struct cul_tensor_hint *hint,
                    struct cul_tensors *out, struct cul_err *err) {
  struct cul_tensor *tensor;
  uint64_t need;
  uint64_t flat;
  size_t rank = hint->rank;
  const uint64_t *dims = hint->dims;
  if (!hint->has_dtype)
    return cul_fail(err, CUL_EUSAGE, "give them with --type 2x3xf32",
                    "raw bytes without a shape and a type");
  if (!hint->has_shape) {
    flat = bytes.len / cul_dtype_info(hint->dtype)->size;
    rank = 1;
    dims = &flat;
  }
  if (cul_tensor_room(hint->dtype, rank, dims, bytes.len, &need, err) < 0)
    return err->code;
  if (need != bytes.len)
    return cul_fail(err, CUL_EUSAGE, "give the shape that was written",
                    "%zu byte%s, but the shape needs %llu", bytes.len,
                    cul_s(bytes.len), (unsigned long long)need);
  if (cul_tensors_add(out, "", hint->dtype, rank, dims, &tensor, err) < 0)
    return err->code;
  if (need)
    memcpy(tensor->data, bytes.data, need);
  return 0;
}

const struct cul_tensor_format cul_tensor_bin = {
    .name = "raw bytes", .ends = ".bin .raw", .read = read_bin};
