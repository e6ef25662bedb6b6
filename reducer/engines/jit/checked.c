/* Runs with several numbers for poison: see checked.h. */
#include "checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../base/files/fd.h"
#include "../../../base/files/file.h"
#include "../sound/sound.h"

/* With negative numbers, and both ends of the range. */
static const unsigned char choices[] = {0x5b, 0xa4, 0x00, 0xff};

/* Run once(arg), with its standard output captured in memory. */
static int capture(int (*once)(void *arg, struct cul_err *err), void *arg,
                   struct cul_buf *out, struct cul_err *err) {
  off_t size;
  int saved, rc, memory = memfd_create("culprit", MFD_CLOEXEC);
  if (memory < 0)
    return cul_fail(err, CUL_EENV, "free some memory",
                    "no memory for what is printed");
  fflush(stdout);
  saved = dup(STDOUT_FILENO);
  dup2(memory, STDOUT_FILENO);
  rc = once(arg, err);
  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  size = lseek(memory, 0, SEEK_END);
  lseek(memory, 0, SEEK_SET);
  cul_buf_reserve(out, (size_t)size);
  if (size > 0 && cul_read_all(memory, out->data, (size_t)size) == 1)
    out->data[out->len = (size_t)size] = '\0';
  close(memory);
  return rc;
}

int cul_jit_checked(int (*once)(void *arg, struct cul_err *err), void *arg,
                    struct cul_err *err) {
  struct cul_buf first = {0};
  char *met;
  int rc;
  cul_sound_set(choices[0]);
  rc = capture(once, arg, &first, err);
  met = rc == 0 && cul_sound_met() ? cul_xstrdup(cul_sound_met()) : NULL;
  for (size_t i = 1; met && i < CUL_ARRAY_SIZE(choices); i++) {
    struct cul_buf other = {0};
    struct cul_err ignored = {0};
    cul_sound_set(choices[i]);
    if (capture(once, arg, &other, &ignored) != 0 || other.len != first.len ||
        (first.len && memcmp(other.data, first.data, first.len) != 0))
      cul_sound_end(met);
    cul_buf_release(&other);
  }
  if (rc == 0)
    fwrite(cul_buf_str(&first), 1, first.len, stdout);
  free(met);
  cul_buf_release(&first);
  return rc;
}
