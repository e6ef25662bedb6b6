/* Makes the installations of a job's cells: each is made before the cell's
 * command runs in it, and may turn out to be unavailable. */
#ifndef CUL_BISECT_MATRIX_INSTALLER_H
#define CUL_BISECT_MATRIX_INSTALLER_H

#include <jansson.h>

#include "../../base/buf.h"

struct cul_hosts;
struct cul_install;

struct cul_installation {
  /* NAME=VALUE, overriding the command's; NULL terminated, one heap block, the
   * caller frees it; NULL: see why */
  const char *const *env;
  char *why;               /* why it is unavailable; heap */
  struct cul_hosts *hosts; /* the machines for its runs; borrowed until leave;
                              NULL = as for the target */
  const struct cul_install *install; /* the installation that its runs need
                                        there; borrowed as long as the job; or
                                        NULL */
};

struct cul_installer {
  void *self;
  /* Make the installation with these values of the axes and keep it until leave
   * has been called as often.  Errors: those that end the job. */
  int (*enter)(void *self, const uint32_t *at, struct cul_installation *out,
               struct cul_err *err);
  void (*leave)(void *self, const uint32_t *at);
  /* Append lines of a shell script that make it below "$here" if missing, and
   * lines of a function's body that activate it. */
  void (*script)(void *self, const uint32_t *at, struct cul_buf *make,
                 struct cul_buf *enter);
  /* Add information other than the cells to the report; may be NULL.  cut: the
   * job was cut, so do no further work.  Errors: those that end the job. */
  int (*complete)(void *self, json_t *report, bool cut, struct cul_err *err);
};

#endif
