/* Tensors in memory: see tensor.h. */
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

/* Compute elements and bytes of a shape; false if they exceed the limits. */
static bool count(enum cul_dtype dtype, size_t rank, const uint64_t *dims,
                  uint64_t *n) {
  uint64_t total = 1, bytes;
  bool empty = false;
  for (size_t i = 0; i < rank; i++)
    empty |= dims[i] == 0;
  for (size_t i = 0; i < rank && !empty; i++)
    if (__builtin_mul_overflow(total, dims[i], &total))
      return false;
  *n = empty ? 0 : total;
  return !__builtin_mul_overflow(*n, cul_dtype_info(dtype)->size, &bytes) &&
         bytes <= CUL_TENSOR_MAX_BYTES;
}

int cul_tensors_add(struct cul_tensors *tensors, const char *name,
                    enum cul_dtype dtype, size_t rank, const uint64_t *dims,
                    struct cul_tensor **out, struct cul_err *err) {
  struct cul_tensor *tensor;
  uint64_t n;
  if (rank > CUL_TENSOR_MAX_RANK)
    return cul_fail(err, CUL_EUSAGE, "reshape it before it is written",
                    "a tensor of %zu dimensions; %d at most are read", rank,
                    CUL_TENSOR_MAX_RANK);
  if (!count(dtype, rank, dims, &n))
    return cul_fail(err, CUL_EUSAGE,
                    "is the header damaged? write the tensor in parts",
                    "a shape asks for more than %llu GiB",
                    (unsigned long long)(CUL_TENSOR_MAX_BYTES >> 30));
  if (tensors->n >= CUL_TENSOR_MAX_COUNT)
    return cul_fail(err, CUL_EUSAGE, "split it up",
                    "more than %d tensors in one place", CUL_TENSOR_MAX_COUNT);
  tensors->items =
      cul_xreallocarray(tensors->items, tensors->n + 1, sizeof *tensors->items);
  tensor = &tensors->items[tensors->n++];
  *tensor = (struct cul_tensor){
      .name = cul_xstrdup(name), .dtype = dtype, .rank = rank, .n = n};
  if (rank)
    memcpy(tensor->dims, dims, rank * sizeof *dims);
  tensor->data = cul_xcalloc(n, cul_dtype_info(dtype)->size);
  *out = tensor;
  return 0;
}

const struct cul_tensor *cul_tensors_find(const struct cul_tensors *tensors,
                                          const char *name) {
  for (size_t i = 0; i < tensors->n; i++)
    if (strcmp(tensors->items[i].name, name) == 0)
      return &tensors->items[i];
  return NULL;
}

void cul_tensors_move(struct cul_tensors *to, struct cul_tensors *from,
                      const char *prefix) {
  to->items = cul_xreallocarray(to->items, to->n + from->n, sizeof *to->items);
  for (size_t i = 0; i < from->n; i++) {
    struct cul_tensor *tensor = &from->items[i];
    char *name = *tensor->name && *prefix
                     ? cul_xasprintf("%s/%s", prefix, tensor->name)
                     : cul_xasprintf("%s%s", prefix, tensor->name);
    free(tensor->name);
    tensor->name = name;
    to->items[to->n++] = *tensor;
  }
  free(from->items);
  *from = (struct cul_tensors){0};
}

void cul_tensors_release(struct cul_tensors *tensors) {
  for (size_t i = 0; i < tensors->n; i++) {
    free(tensors->items[i].name);
    free(tensors->items[i].data);
    free(tensors->items[i].text);
  }
  free(tensors->items);
  *tensors = (struct cul_tensors){0};
}

unsigned cul_tensor_parts(const struct cul_tensor *tensor) {
  return cul_dtype_info(tensor->dtype)->kind == CUL_IS_COMPLEX ? 2 : 1;
}

static unsigned char *place_of(const struct cul_tensor *tensor, uint64_t i,
                               unsigned part) {
  const struct cul_dtype_info *info = cul_dtype_info(tensor->dtype);
  return tensor->data + i * info->size +
         part * (size_t)cul_dtype_info(info->part)->size;
}

cul_number cul_tensor_get(const struct cul_tensor *tensor, uint64_t i,
                          unsigned part) {
  return cul_dtype_load(cul_dtype_info(tensor->dtype)->part,
                        place_of(tensor, i, part));
}

void cul_tensor_set(struct cul_tensor *tensor, uint64_t i, unsigned part,
                    cul_number value) {
  cul_dtype_store(cul_dtype_info(tensor->dtype)->part, value,
                  place_of(tensor, i, part));
}

void cul_tensor_index(const struct cul_tensor *tensor, uint64_t i,
                      uint64_t *out) {
  for (size_t d = tensor->rank; d-- > 0;) {
    out[d] = i % tensor->dims[d];
    i /= tensor->dims[d];
  }
}

void cul_tensor_add_index(const struct cul_tensor *tensor, uint64_t i,
                          struct cul_buf *out) {
  uint64_t index[CUL_TENSOR_MAX_RANK];
  cul_tensor_index(tensor, i, index);
  cul_buf_addc(out, '[');
  for (size_t d = 0; d < tensor->rank; d++)
    cul_buf_addf(out, "%s%llu", d ? ", " : "", (unsigned long long)index[d]);
  cul_buf_addc(out, ']');
}

/* Digits that tell all numbers of f32, and of f64, apart. */
enum { DIGITS = 9, MOST_DIGITS = 17 };

static void add_value(const struct cul_tensor *tensor, uint64_t i, int digits,
                      struct cul_buf *out) {
  cul_number value = cul_tensor_get(tensor, i, 0);
  if (cul_dtype_info(tensor->dtype)->kind == CUL_IS_INT)
    cul_buf_addf(out, "%.0Lf", value);
  else
    cul_buf_addf(out, "%.*Lg", digits, value);
  if (cul_tensor_parts(tensor) > 1)
    cul_buf_addf(out, "%+.*Lgj", digits, cul_tensor_get(tensor, i, 1));
}

void cul_tensor_add_value(const struct cul_tensor *tensor, uint64_t i,
                          struct cul_buf *out) {
  add_value(tensor, i, DIGITS, out);
}

void cul_tensor_add_pair(const struct cul_tensor *got,
                         const struct cul_tensor *want, uint64_t i,
                         struct cul_buf *out) {
  struct cul_buf one = {0}, other = {0};
  int digits = DIGITS;
  add_value(got, i, DIGITS, &one);
  add_value(want, i, DIGITS, &other);
  if (strcmp(cul_buf_str(&one), cul_buf_str(&other)) == 0)
    digits = MOST_DIGITS;
  cul_buf_adds(out, "got ");
  add_value(got, i, digits, out);
  cul_buf_adds(out, ", want ");
  add_value(want, i, digits, out);
  cul_buf_release(&one);
  cul_buf_release(&other);
}

void cul_tensor_type(const struct cul_tensor *tensor, struct cul_buf *out) {
  for (size_t d = 0; d < tensor->rank; d++)
    cul_buf_addf(out, "%llux", (unsigned long long)tensor->dims[d]);
  cul_buf_adds(out, cul_dtype_info(tensor->dtype)->name);
}
