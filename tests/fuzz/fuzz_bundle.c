/* The report of a foreign bundle, as `replay` and `env` read it. */
#include "../../cli/commands/replay.c"
#include "fuzz.h"

volatile int cul_interrupted;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct replay replay = {0};
  struct cul_err err = {0};
  struct cul_signature sig = {0};
  int rc;
  replay.report = json_loadb((const char *)data, size, 0, NULL);
  if (!replay.report)
    return 0;
  rc = read_command(&replay, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0) {
    read_environment(&replay);
    read_oracle(&replay, "/nowhere");
    heap_of(replay.report);
    compare(replay.report, &sig);
    expected(replay.report);
  }
  release(&replay);
  return 0;
}
