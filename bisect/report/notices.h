/* What a bisection tells while it works; warnings stand in its report, too. */
#ifndef CUL_BISECT_REPORT_NOTICES_H
#define CUL_BISECT_REPORT_NOTICES_H

#include <stddef.h>

struct cul_notices {
  void *self;
  void (*said)(void *self, const char *line); /* NULL: nobody listens */
  char **warnings;
  size_t n_warnings;
};

/* Say a line, without its end; it is cut at 511 bytes. */
void cul_notices_say(const struct cul_notices *notices, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Say "warning: LINE", and keep the line. */
void cul_notices_warn(struct cul_notices *notices, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cul_notices_release(struct cul_notices *notices);

#endif
