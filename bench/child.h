/* What the benches of candidates share. */
#ifndef CUL_BENCH_CHILD_H
#define CUL_BENCH_CHILD_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../reducer/worker/worker.h"

static _Noreturn void die(const struct cul_err *err) {
  fprintf(stderr, "error: %s\n", err->what);
  exit(cul_exit_status(err->code));
}

/* As a reduce job places a candidate: a new file each time. */
static void write_child(struct cul_child *child, const char *path) {
  struct cul_err err = {0};
  int fd;
  unlink(path);
  fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 || cul_child_write(child, fd, path, &err) < 0)
    die(&err);
  close(fd);
}

#endif
