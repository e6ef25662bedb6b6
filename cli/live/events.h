/* Progress for programs: JSON objects on standard error, one per line
 * (docs/formats.md). */
#ifndef CUL_CLI_LIVE_EVENTS_H
#define CUL_CLI_LIVE_EVENTS_H

#include <jansson.h>

/* Print an event.  object: taken over; NULL: print nothing. */
void cul_event(json_t *object);

#endif
