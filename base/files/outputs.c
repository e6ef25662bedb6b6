/* The files of a run packed into one byte string: name, NUL, length in 8 bytes,
 * content. */
#include "outputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "file.h"

static uint64_t add_file(int dir, const char *name, struct cul_buf *out) {
  struct cul_buf text = {0};
  struct stat st;
  int fd = cul_beneath_open(dir, name, O_RDONLY, 0);
  size_t room =
      out->len < CUL_OUTPUTS_MAX_BYTES ? CUL_OUTPUTS_MAX_BYTES - out->len : 0;
  uint64_t len, left_out = 0;
  if (fd < 0) /* only an unreadable plain file counts as left out */
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                   S_ISREG(st.st_mode)
               ? (uint64_t)st.st_size + 1
               : 0;
  if (fstat(fd, &st) < 0 || (uint64_t)st.st_size > room ||
      cul_read_rest(fd, room + 1, &text) < 0) {
    left_out = (uint64_t)st.st_size + 1;
  } else {
    len = text.len;
    cul_buf_add(out, name, strlen(name) + 1);
    cul_buf_add(out, &len, sizeof len);
    cul_buf_add(out, text.data, text.len);
  }
  cul_buf_release(&text);
  close(fd);
  return left_out;
}

uint64_t cul_outputs_collect_in(int dir, struct cul_buf *out) {
  struct dirent **entries = NULL;
  uint64_t left_out = 0;
  int n = scandirat(dir, ".", &entries, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    left_out += add_file(dir, entries[i]->d_name, out);
    free(entries[i]);
  }
  free(entries);
  return left_out;
}

uint64_t cul_outputs_collect(const char *path, struct cul_buf *out) {
  int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  uint64_t left_out = dir < 0 ? 0 : cul_outputs_collect_in(dir, out);
  if (dir >= 0)
    close(dir);
  return left_out;
}

bool cul_outputs_next(struct cul_bytes outputs, size_t *at,
                      struct cul_output_file *file) {
  const char *name = outputs.data + *at, *end;
  size_t left;
  uint64_t len;
  if (*at >= outputs.len || !(end = memchr(name, 0, outputs.len - *at)))
    return false;
  left = outputs.len - (size_t)(end + 1 - outputs.data);
  if (left < sizeof len)
    return false;
  memcpy(&len, end + 1, sizeof len);
  if (len > left - sizeof len)
    return false;
  *file = (struct cul_output_file){name, {end + 1 + sizeof len, (size_t)len}};
  *at = (size_t)(end + 1 - outputs.data) + sizeof len + (size_t)len;
  return true;
}
