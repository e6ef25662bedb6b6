/* Messages of a bisection while it works; warnings are also part of its
 * report. */
#ifndef CUL_BISECT_REPORT_NOTICES_H
#define CUL_BISECT_REPORT_NOTICES_H

#include <stddef.h>

struct cul_notices {
  void *self;
  void (*said)(void *self, const char *line); /* NULL: no listener */
  char **warnings;
  size_t n_warnings;
};

/* Report a line, given without a newline; it is cut at 511 bytes. */
void cul_notices_say(const struct cul_notices *notices, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Report "warning: LINE", and keep the line for the report. */
void cul_notices_warn(struct cul_notices *notices, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cul_notices_release(struct cul_notices *notices);

#endif
