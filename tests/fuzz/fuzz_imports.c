/* The head of a Python script, in which culprit looks for imports: whatever the
 * script is, lines of it are found, and no more where it is cut. */
#include "../../runners/imports.c"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct cul_bytes text = {(const char *)data, size};
  struct cul_buf whole = {0}, cut = {0};
  size_t n = find_imports(text, true, &whole);
  size_t n_cut = find_imports(text, false, &cut);
  fuzz_demand(n_cut <= n && cut.len <= whole.len && whole.len <= size + 1,
              "imports that the script lacks");
  fuzz_demand(cut.len == 0 || memcmp(cut.data, whole.data, cut.len) == 0,
              "other imports where the script is cut");
  cul_buf_release(&whole);
  cul_buf_release(&cut);
  return 0;
}
