/* Raw bytes; the first ones say the shape and the type. */
#include <string.h>

#include "tensor_fuzz.h"

extern const struct cul_tensor_format cul_tensor_bin;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char type[40];
  size_t n = 0;
  while (n < size && n < sizeof type - 1 && data[n] != '\n')
    n++;
  memcpy(type, data, n);
  type[n] = 0;
  return fuzz_format(&cul_tensor_bin, type, data + n + (n < size),
                     size - n - (n < size));
}
