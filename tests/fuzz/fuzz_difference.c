/* Two texts, the first up to a zero byte: what differs between them, in words;
 * between a text and itself nothing does. */
#include "../../reducer/results/difference.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  struct cul_bytes fails = fuzz_part(&in), passes = {in.at, in.left};
  struct cul_buf out = {0};
  cul_difference_describe(fails, fails, &out);
  fuzz_demand(out.len == 0, "a text differs from itself");
  cul_difference_describe(fails, passes, &out);
  cul_difference_describe(passes, fails, &out);
  cul_buf_release(&out);
  return 0;
}
