/* The reader of tensors in format npy. */
#include "tensor_fuzz.h"

FUZZ_FORMAT(npy, NULL)
