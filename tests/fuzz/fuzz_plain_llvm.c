/* LLVM IR in plain form: it has no more bytes. */
#include "../../reducer/finish/plain_llvm.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_bytes text = {(const char *)data, size};
  CUL_OWNED(cul_buf) plain = {0};
  cul_plain_llvm(text, &plain);
  fuzz_demand(plain.len <= size, "plain text is longer");
  return 0;
}
