/* What the log of a build says. */
#ifndef CUL_BISECT_BUILD_BUILD_LOG_H
#define CUL_BISECT_BUILD_BUILD_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Does what a tool printed say that the machine failed it? */
bool cul_is_trouble(const char *text);
/* The first line that names an error, else the last one that says something;
 * without blanks at its ends, cut where it does not fit. */
void cul_first_error(const char *text, char *out, size_t size);

#endif
