/* Text in a sealed memory file: see sealed.h. */
#include "sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../again.h"
#include "../status.h"
#include "fd.h"

enum { SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW };

/* Write the text.  An interrupt by the user stops it (-1 with errno ECANCELED),
 * unless it began after the interrupt: then it is needed to end the job
 * properly. */
static int write_text(int fd, struct cul_bytes text) {
  enum { PART = 8 << 20 };
  bool before = cul_status_interrupted();
  for (size_t at = 0, n; at < text.len; at += n) {
    n = text.len - at < PART ? text.len - at : PART;
    if (at > 0 && !before && cul_status_interrupted())
      return errno = ECANCELED, -1;
    if (cul_write_all(fd, text.data + at, n) < 0)
      return -1;
  }
  return 0;
}

/* A memory file with the text and a '\0', sealed; -1 with errno. */
static int store(struct cul_bytes text) {
  int fd = memfd_create("culprit-text", MFD_CLOEXEC | MFD_ALLOW_SEALING), error;
  if (fd < 0 || (write_text(fd, text) == 0 && cul_write_all(fd, "", 1) == 0 &&
                 fcntl(fd, F_ADD_SEALS, SEALS) == 0))
    return fd;
  error = errno;
  close(fd);
  errno = error;
  return -1;
}

/* The peer that sent the descriptor may have been damaged by its input. */
static bool is_sealed(int fd, uint64_t len) {
  struct stat st;
  int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &st) == 0 &&
         (uint64_t)st.st_size == len + 1;
}

struct cul_bytes cul_sealed_map(int fd, uint64_t len) {
  void *map = MAP_FAILED;
  if (is_sealed(fd, len))
    map = mmap(NULL, (size_t)len + 1, PROT_READ, MAP_PRIVATE, fd, 0);
  return map == MAP_FAILED ? (struct cul_bytes){NULL, 0}
                           : (struct cul_bytes){map, (size_t)len};
}

int cul_sealed_make(struct cul_bytes text, struct cul_sealed *out,
                    struct cul_err *err) {
  unsigned n = 0;
  *out = (struct cul_sealed){.fd = -1};
  while ((out->fd = store(text)) < 0)
    if (!cul_wait_again(n++, errno))
      break;
  if (out->fd >= 0)
    out->bytes = cul_sealed_map(out->fd, text.len);
  if (out->bytes.data)
    return 0;
  if (errno == ECANCELED)
    cul_fail(err, CUL_EINTR, "", "interrupted while keeping the text");
  else
    cul_fail(err, CUL_EENV, "end other programs", "no memory for the text: %s",
             strerror(errno));
  if (out->fd >= 0)
    close(out->fd);
  out->fd = -1;
  return err->code;
}

void cul_sealed_release(struct cul_sealed *text) {
  if (!text->bytes.data)
    return;
  munmap((void *)text->bytes.data, text->bytes.len + 1);
  close(text->fd);
  *text = (struct cul_sealed){.fd = -1};
}
