/* safetensors: a length, a JSON header with types, shapes and offsets, and the
 * data. */
#include <jansson.h>
#include <string.h>

#include "literal.h"
#include "tensor.h"

enum { MAX_HEADER = 100 << 20 };

static uint64_t header_length(struct cul_bytes bytes) {
  uint64_t len = 0;
  memcpy(&len, bytes.data, sizeof len);
  return len;
}

static bool sniff(struct cul_bytes bytes) {
  return bytes.len >= 10 && header_length(bytes) <= MAX_HEADER &&
         bytes.data[8] == '{';
}

static int damaged(struct cul_err *err, const char *name, const char *what) {
  return cul_fail(err, CUL_EUSAGE, "write the file again",
                  "tensor \"%.80s\": %s", name, what);
}

static int read_shape(const json_t *shape, size_t *rank, uint64_t *dims,
                      const char *name, struct cul_err *err) {
  *rank = json_array_size(shape);
  if (!json_is_array(shape) || *rank > CUL_TENSOR_MAX_RANK)
    return damaged(err, name, "no shape, or one of more than 16 dimensions");
  for (size_t d = 0; d < *rank; d++) {
    const json_t *dim = json_array_get(shape, d);
    if (!json_is_integer(dim))
      return damaged(err, name, "a dimension that is not a number");
    if (json_integer_value(dim) < 0)
      return damaged(err, name, "the shape has a negative dimension");
    dims[d] = (uint64_t)json_integer_value(dim);
  }
  return 0;
}

/* The bytes between the two offsets. */
static int read_span(const json_t *offsets, struct cul_bytes data,
                     struct cul_bytes *out, const char *name,
                     struct cul_err *err) {
  const json_t *first = json_array_get(offsets, 0);
  const json_t *last = json_array_get(offsets, 1);
  json_int_t a = json_integer_value(first), b = json_integer_value(last);
  if (json_array_size(offsets) != 2 || !json_is_integer(first) ||
      !json_is_integer(last) || a < 0 || b < a)
    return damaged(err, name,
                   "data_offsets are not two numbers in ascending order");
  if ((uint64_t)b > data.len)
    return cul_fail(err, CUL_EUSAGE, "was it copied whole? write it again",
                    "tensor \"%.80s\": cut off: it ends at byte %lld of the "
                    "data, and there are %zu",
                    name, (long long)b, data.len);
  *out = (struct cul_bytes){data.data + a, (size_t)(b - a)};
  return 0;
}

static int read_one(const char *name, const json_t *entry,
                    struct cul_bytes data, struct cul_tensors *out,
                    struct cul_err *err) {
  const char *type = json_string_value(json_object_get(entry, "dtype"));
  uint64_t dims[CUL_TENSOR_MAX_RANK], need;
  struct cul_tensor *tensor;
  struct cul_bytes span = {0};
  enum cul_dtype dtype;
  size_t rank;
  if (!type || !cul_dtype_parse(type, strlen(type), &dtype))
    return cul_fail(err, CUL_EUSAGE, "convert it before it is written",
                    "tensor \"%.80s\": type \"%.40s\" is not known", name,
                    type ? type : "(none)");
  if (read_shape(json_object_get(entry, "shape"), &rank, dims, name, err) < 0 ||
      read_span(json_object_get(entry, "data_offsets"), data, &span, name,
                err) < 0)
    return err->code;
  if (cul_tensor_room(dtype, rank, dims, span.len, &need, err) < 0)
    return cul_fail_in(err, "tensor \"%.80s\"", name);
  if (need != span.len)
    return damaged(err, name, "more bytes than its shape needs");
  if (cul_tensors_add(out, name, dtype, rank, dims, &tensor, err) < 0)
    return err->code;
  if (need)
    memcpy(tensor->data, span.data, need);
  return 0;
}

static int read_safetensors(struct cul_bytes bytes,
                            const struct cul_tensor_hint *hint,
                            struct cul_tensors *out, struct cul_err *err) {
  uint64_t len = bytes.len >= 8 ? header_length(bytes) : 0;
  struct cul_bytes data;
  json_error_t why;
  json_t *header, *entry;
  const char *name;
  int rc = 0;
  (void)hint;
  if (bytes.len < 8 || len > bytes.len - 8 || len > MAX_HEADER)
    return cul_fail(err, CUL_EUSAGE, "was it copied whole? write it again",
                    "not a safetensors file, or its header is incomplete");
  header = json_loadb(bytes.data + 8, len, JSON_REJECT_DUPLICATES, &why);
  if (!json_is_object(header)) {
    json_decref(header);
    return cul_fail(err, CUL_EUSAGE, "write the file again",
                    "the header is not a JSON object: %s", why.text);
  }
  data = (struct cul_bytes){bytes.data + 8 + len, bytes.len - 8 - len};
  json_object_foreach(header, name, entry) {
    if (rc == 0 && strcmp(name, "__metadata__") != 0)
      rc = read_one(name, entry, data, out, err);
  }
  json_decref(header);
  return rc;
}

const struct cul_tensor_format cul_tensor_safetensors = {.name = "safetensors",
                                                         .ends = ".safetensors",
                                                         .sniff = sniff,
                                                         .read =
                                                             read_safetensors};
