/* Fuzzes the text subject and every text mutation: lossless, well nested,
 * linear, and edits that parse to what was promised. */
#include "../unit/text/text_invariants.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint64_t seed = cul_digest_of(data, size).w[0];
  size_t n = 0;
  while (cul_mutations[n])
    n++;
  check_parse((const char *)data, size);
  /* Not all of them each time: more inputs are worth more. */
  for (size_t i = 0; i < 3; i++, seed /= n)
    check_one((const char *)data, size, cul_mutations[seed % n], seed);
  return 0;
}
