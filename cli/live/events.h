/* Progress for programs: JSON objects on standard error, one a line
 * (docs/formats.md). */
#ifndef CUL_CLI_LIVE_EVENTS_H
#define CUL_CLI_LIVE_EVENTS_H

#include <jansson.h>

/* object: taken over; NULL: nothing is said. */
void cul_event(json_t *object);

#endif
