/* The reader of tensors in format safetensors. */
#include "tensor_fuzz.h"

FUZZ_FORMAT(safetensors, NULL)
