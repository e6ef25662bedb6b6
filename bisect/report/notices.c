/* Notices: see notices.h. */
#include "notices.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../base/buf.h"

enum { MOST_LINE = 512 };

void cul_notices_say(const struct cul_notices *notices, const char *format,
                     ...) {
  va_list args;
  char line[MOST_LINE];
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (notices->said)
    notices->said(notices->self, line);
}

void cul_notices_warn(struct cul_notices *notices, const char *format, ...) {
  va_list args;
  char line[MOST_LINE];
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  cul_notices_say(notices, "warning: %s", line);
  notices->warnings = cul_xreallocarray(
      notices->warnings, notices->n_warnings + 1, sizeof *notices->warnings);
  notices->warnings[notices->n_warnings++] = cul_xstrdup(line);
}

void cul_notices_release(struct cul_notices *notices) {
  for (size_t i = 0; i < notices->n_warnings; i++)
    free(notices->warnings[i]);
  free(notices->warnings);
}
