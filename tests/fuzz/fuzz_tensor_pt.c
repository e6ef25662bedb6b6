/* The reader of tensors in format pt. */
#include "tensor_fuzz.h"

FUZZ_FORMAT(pt, NULL)
