/* Any bytes are a library that a frame lies in: its symbols, which are foreign
 * as the library is.  What is found is a name of the file, with an end. */
#include "../../runners/preload/names.c"

#include <stdio.h>

#include "fuzz.h"

static void check_readable(const char *symbol) {
  char out[24];
  cul_where_readable(symbol, out, sizeof out);
  fuzz_demand(memchr(out, 0, sizeof out) != NULL, "a name without an end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  char path[64];
  struct cul_where frames[2] = {{.address = 0x1010, .path = path},
                                {.address = 0x21010, .path = path}};
  char *text = cul_xstrndup((const char *)data, size);
  fd = fuzz_file(fd, data, size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  cul_where_name(frames, CUL_ARRAY_SIZE(frames));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(frames); i++) {
    fuzz_demand(memchr(frames[i].name, 0, sizeof frames[i].name) != NULL,
                "a name without an end");
    check_readable(frames[i].name);
  }
  check_readable(text);
  free(text);
  return 0;
}
