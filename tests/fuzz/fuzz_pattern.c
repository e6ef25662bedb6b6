/* A user's regular expression on any text: found in bounded time, or an
 * error that says why not. */
#include "../../oracles/common/pattern.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  char *expression = fuzz_text(&in);
  struct cul_bytes text = {in.at, in.left};
  struct cul_pattern *pattern = NULL;
  struct cul_buf out = {0};
  struct cul_err err = {0};
  double number;
  int rc = cul_pattern_new("match", expression, &pattern, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0) {
    int found = cul_pattern_find(pattern, text, NULL);
    bool has = cul_pattern_number(pattern, text, &number);
    fuzz_demand(!has || found == 1, "a number where nothing is found");
    cul_pattern_replace(pattern, text, "<>", &out);
    fuzz_demand(found != 0 || out.len == text.len,
                "nothing is found, and something is replaced");
    cul_pattern_free(pattern);
  }
  cul_buf_release(&out);
  free(expression);
  return 0;
}
