/* Reads the log of a build. */
#ifndef CUL_BISECT_BUILD_BUILD_LOG_H
#define CUL_BISECT_BUILD_BUILD_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Does a tool's output report a failure of the machine? */
bool cul_is_trouble(const char *text);
/* Write the first line that reports an error, else the last line with words, to
 * out; without blanks at its ends, cut to size. */
void cul_first_error(const char *text, char *out, size_t size);

#endif
