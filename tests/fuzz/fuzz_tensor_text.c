/* The reader of tensors in format text. */
#include "tensor_fuzz.h"

FUZZ_FORMAT(text, NULL)
