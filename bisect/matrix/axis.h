/* Axes: named lists of values with which a command is run.
 *
 * --axis NAME=V1,V2,... gives the values of @{NAME}, oldest first; --axis
 * NAME=@FILE reads them from a file, one per line.  A cell is one value of each
 * axis.  A value LABEL:=TEXT is called LABEL and stands for TEXT.  Pure, except
 * for that file. */
#ifndef CUL_BISECT_MATRIX_AXIS_H
#define CUL_BISECT_MATRIX_AXIS_H

#include <stdint.h>

#include "../../base/buf.h"
#include "../../base/err.h"

struct cul_axis {
  char *name;
  char **values; /* as they are called */
  char **texts;  /* what they stand for; NULL: all as they are called; each
                    NULL: as it is called */
  uint32_t n;
  const char *equals; /* between name and value; NULL: "=" */
};

struct cul_axes {
  struct cul_axis *axes;
  size_t n;
};
#define CUL_MAX_AXES 16

/* Parse the values of n options --axis.  Errors: EUSAGE (no name, a reserved
 * name, a duplicate value, an empty label, no value; no such file).  Release
 * out in any case. */
CUL_MUST_CHECK int cul_axes_read(const char *const *specs, size_t n,
                                 struct cul_axes *out, struct cul_err *err);
void cul_axes_release(struct cul_axes *axes);

/* Set used[i] of each axis i that argv (NULL terminated) contains. */
void cul_axes_note_used(const struct cul_axes *axes, const char *const *argv,
                        bool used[CUL_MAX_AXES]);
/* The argv of a cell, with every @{NAME} replaced; at: the index of each axis'
 * value.  Heap, one block. */
char **cul_axes_argv(const struct cul_axes *axes, const uint32_t *at,
                     const char *const *argv);
/* Append "a=x, b=y". */
void cul_axes_name(const struct cul_axes *axes, const uint32_t *at,
                   struct cul_buf *out);
/* Append "a=x". */
void cul_axis_name(const struct cul_axis *axis, uint32_t at,
                   struct cul_buf *out);

#endif
