/* Where the cells of a job are installations: each is made before its command
 * runs in it, and may turn out not to be had. */
#ifndef CUL_BISECT_MATRIX_INSTALLER_H
#define CUL_BISECT_MATRIX_INSTALLER_H

#include <jansson.h>

#include "../../base/buf.h"

struct cul_installation {
  const char *const *env; /* NAME=VALUE over the command's; NULL ended, heap as
                             one block, the caller frees it; NULL: see why */
  char *why;              /* it cannot be had; heap */
};

struct cul_installer {
  void *self;
  /* Have the installation with these values of the axes, and keep it until
   * leave is called, as often.  Errors: what ends the job. */
  int (*enter)(void *self, const uint32_t *at, struct cul_installation *out,
               struct cul_err *err);
  void (*leave)(void *self, const uint32_t *at);
  /* Append lines of a shell script that make it, below "$here", where it is not
   * there; and lines of a function's body that go into it. */
  void (*script)(void *self, const uint32_t *at, struct cul_buf *make,
                 struct cul_buf *enter);
  /* Say in the report what is known beside its cells; may be NULL.  cut: the
   * job was, and nothing is to be found out.  Errors: what ends the job. */
  int (*complete)(void *self, json_t *report, bool cut, struct cul_err *err);
};

#endif
