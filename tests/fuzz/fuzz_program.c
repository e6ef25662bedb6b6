/* Any bytes are a program: its head, its place in a loader's list of
 * libraries, its digest without paths and build ids. */
#include <stdio.h>

#include "../../runners/identity/built.h"
#include "../../runners/identity/closure.c"
#include "fuzz.h"

static void read_list(struct cul_bytes text) {
  struct cul_buf out = {0};
  const char *at = text.data, *end = at + text.len;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t len = (size_t)((stop ? stop : end) - at);
    take_line(at, len, &out);
    at += len + (stop != NULL);
  }
  cul_buf_release(&out);
}

static struct cul_digest digest_of(const char *path) {
  struct cul_hasher *h = cul_hasher_new();
  bool names_commit = false;
  cul_built_file(h, path, "/build", &names_commit);
  return cul_hasher_finish(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  struct cul_program program;
  struct cul_digest a, b;
  char path[64];
  fd = fuzz_file(fd, data, size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  cul_program_read(path, &program);
  fuzz_demand(memchr(program.interpreter, 0, sizeof program.interpreter),
              "the interpreter is no string");
  a = digest_of(path);
  b = digest_of(path);
  fuzz_demand(cul_digest_equal(&a, &b), "two digests of one file");
  read_list((struct cul_bytes){(const char *)data, size});
  return 0;
}
