/* The server side of a worker: it answers the requests of its client (wire.h).
 */
#ifndef CUL_REDUCER_WORKER_SERVER_H
#define CUL_REDUCER_WORKER_SERVER_H

#include "session.h"

/* Serve requests on CUL_WIRE_FD until the client is gone. */
void cul_session_serve(struct cul_session *session);

#endif
