/* The reader of tensors in format npz. */
#include "tensor_fuzz.h"

FUZZ_FORMAT(npz, NULL)
