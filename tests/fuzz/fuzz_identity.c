/* What a record says of the files that a tool used, as a job that comes later
 * finds it: any lines. */
#include "../../runners/identity/identity.c"

#include "../../systems/systems.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = cul_xstrndup((const char *)data, size);
  const char *at = text;
  struct trace t = {0};
  read_trace(&t, text, "/candidate");
  paths_sort(&t.paths);
  for (size_t i = 1; i < t.paths.n; i++)
    fuzz_demand(strcmp(t.paths.items[i - 1], t.paths.items[i]) < 0,
                "paths are not sorted");
  trace_release(&t);
  while (*at) {
    const char *before = at;
    struct cul_bytes path = cul_system_next_file(&at);
    fuzz_demand(at > before && path.data >= before &&
                    path.data + path.len <= at,
                "a path beyond its line");
  }
  free(text);
  return 0;
}
