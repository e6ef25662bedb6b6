/* Axes: named lists of values with which a command is run.
 *
 * --axis NAME=V1,V2,... gives the values of @{NAME}, oldest first; --axis
 * NAME=@FILE reads them from a file, one per line.  A cell is one value of each
 * axis.  A value LABEL:=TEXT is shown as LABEL and replaced by TEXT; a word
 * that consists only of placeholders of empty texts is left out of the command.
 *
 * --axis @FILE offers the axes of a file, --axis @NAME those of the built-in
 * NAME.axes; docs/bisect-versions.md describes the format.  Offered axes that
 * no command contains are left out.  Pure, except for reading files. */
#ifndef CUL_BISECT_MATRIX_AXIS_H
#define CUL_BISECT_MATRIX_AXIS_H

#include <stdint.h>

#include "../../base/buf.h"
#include "../../base/embedded.h"
#include "../../base/err.h"

struct cul_axis {
  char *name;
  char **values; /* labels */
  char **texts;  /* by value: the text in commands; NULL: the label.  The array
                    may be NULL */
  uint32_t n;
  const char *equals; /* between name and value; NULL: "=" */
  bool offered;       /* by a file */
};

struct cul_axes {
  struct cul_axis *axes;
  size_t n;
};
#define CUL_MAX_AXES 16

/* The files of this folder, NAME.axes. */
extern const struct cul_embedded cul_axis_files[];
extern const size_t cul_n_axis_files;

/* Parse the values of n options --axis.  commands: those that must contain
 * them, NULL terminated, as is each command; NULL: all axes are kept.  Errors:
 * EUSAGE (no name, a reserved name, a duplicate axis or value, an empty label,
 * no value; a missing file, or a malformed line, with its path and number; no
 * command contains an axis that is given by itself, or any axis of a file; more
 * than CUL_MAX_AXES are left).  Release out in any case. */
CUL_MUST_CHECK int cul_axes_read(const char *const *specs, size_t n,
                                 const char *const *const *commands,
                                 struct cul_axes *out, struct cul_err *err);
void cul_axes_release(struct cul_axes *axes);

/* Does argv (NULL terminated) contain any of the axes? */
bool cul_axes_are_in(const struct cul_axes *axes, const char *const *argv);
/* The argv of a cell, with every @{NAME} replaced; at: the index of each axis'
 * value.  It may have no words.  Heap, one block. */
char **cul_axes_argv(const struct cul_axes *axes, const uint32_t *at,
                     const char *const *argv);
/* Append "a=x, b=y". */
void cul_axes_name(const struct cul_axes *axes, const uint32_t *at,
                   struct cul_buf *out);
/* Append "a=x". */
void cul_axis_name(const struct cul_axis *axis, uint32_t at,
                   struct cul_buf *out);

#endif
