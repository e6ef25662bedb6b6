/* Two bundles' environments, JSON of strangers, up to zero bytes: what differs
 * between them is named, and nothing but what they say is looked at. */
#include "../../cli/commands/env.c"
#include "fuzz.h"

static json_t *take(struct fuzz_input *in) {
  struct cul_bytes text = fuzz_part(in);
  json_error_t why;
  return json_loadb(text.data, text.len, 0, &why);
}

/* What is said is not read. */
static void say_nowhere(const json_t *a, const json_t *b) {
  static FILE *nowhere;
  FILE *said = stdout;
  if (!nowhere)
    nowhere = fopen("/dev/null", "we");
  fuzz_demand(nowhere != NULL, "no /dev/null");
  stdout = nowhere;
  diff("", a, b);
  stdout = said;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  json_t *a = take(&in), *b = take(&in);
  if (a && b) {
    say_nowhere(a, b);
    json_decref(files_here(a));
  }
  json_decref(a);
  json_decref(b);
  return 0;
}
