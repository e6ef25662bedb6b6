/* Any bytes are a tensor file: a reader survives them, and what it reads has
 * all its elements. */
#ifndef CUL_TESTS_TENSOR_FUZZ_H
#define CUL_TESTS_TENSOR_FUZZ_H

#include "../../base/tensor/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline int fuzz_format(const struct cul_tensor_format *format,
                              const char *type, const uint8_t *data,
                              size_t size) {
  struct cul_tensors tensors = {0};
  struct cul_tensor_hint hint = {0};
  struct cul_bytes bytes = {(const char *)data, size};
  struct cul_err err = {0};
  volatile cul_number sum = 0; /* every element has to be read */
  int rc = type ? cul_tensor_hint_parse(type, &hint, &err) : 0;
  if (format->sniff)
    format->sniff(bytes);
  if (rc == 0)
    rc = format->read(bytes, &hint, &tensors, &err);
  if (rc < 0 && (!err.what[0] || !err.advice[0]))
    cul_bug("an error that says nothing");
  for (size_t i = 0; i < tensors.n && rc == 0; i++)
    for (uint64_t k = 0; k < tensors.items[i].n; k += 1 + k / 64)
      sum += cul_tensor_get(&tensors.items[i], k, 0);
  cul_tensors_release(&tensors);
  return 0;
}

#define FUZZ_FORMAT(name, type)                                                \
  extern const struct cul_tensor_format cul_tensor_##name;                     \
  int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {               \
    return fuzz_format(&cul_tensor_##name, type, data, size);                  \
  }

#endif
