/* What targets share: the input cut into parts, demands on what is read. */
#ifndef CUL_TESTS_FUZZ_H
#define CUL_TESTS_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_demand(bool holds, const char *what) {
  if (!holds)
    cul_bug("%s", what);
}

/* An error tells what is wrong. */
static inline void fuzz_demand_words(int rc, const struct cul_err *err) {
  fuzz_demand(rc == 0 || (rc < 0 && err->what[0]), "an error without words");
}

/* Parts of the input end at zero bytes; behind the last one all are empty. */
struct fuzz_input {
  const char *at;
  size_t left;
};

static inline struct fuzz_input fuzz_input(const uint8_t *data, size_t size) {
  return (struct fuzz_input){(const char *)data, size};
}

static inline struct cul_bytes fuzz_part(struct fuzz_input *in) {
  const char *stop = in->left ? memchr(in->at, 0, in->left) : NULL;
  size_t n = stop ? (size_t)(stop - in->at) : in->left;
  struct cul_bytes part = {in->at, n};
  in->at += n + (stop != NULL);
  in->left -= n + (stop != NULL);
  return part;
}

/* The same as a string; heap. */
static inline char *fuzz_text(struct fuzz_input *in) {
  struct cul_bytes part = fuzz_part(in);
  char *text = cul_xmalloc(part.len + 1);
  if (part.len)
    memcpy(text, part.data, part.len);
  text[part.len] = '\0';
  return text;
}

static inline uint8_t fuzz_byte(struct fuzz_input *in) {
  if (!in->left)
    return 0;
  in->left--;
  return (uint8_t)*in->at++;
}

/* The bytes as a file without a name; fd: of the call before, -1 at first. */
static inline int fuzz_file(int fd, const void *data, size_t size) {
  if (fd < 0)
    fd = memfd_create("fuzz", MFD_CLOEXEC);
  fuzz_demand(fd >= 0 && ftruncate(fd, (off_t)size) == 0 &&
                  (size == 0 || pwrite(fd, data, size, 0) == (ssize_t)size),
              "no memory file");
  return fd;
}

#endif
