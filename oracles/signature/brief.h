/* Shortens a message for a title.  What a message is about stands at its begin,
 * and the reason often at its end ("Command [...] died with SIGSEGV", "call of
 * f(...): got shape [2, 2]"), so the middle is left out. */
#ifndef CUL_ORACLES_SIGNATURE_BRIEF_H
#define CUL_ORACLES_SIGNATURE_BRIEF_H

#include "../../base/buf.h"

/* Append the message, shortened to about `most` bytes (a last word may be
 * whole): lists in brackets become "first, ..." or "...", longest first; then
 * the first whole sentences are kept, if they say enough; then words give way
 * to " ... " behind two thirds of the room.  cut: the message has lost its end
 * already. */
void cul_brief(struct cul_bytes message, size_t most, bool cut,
               struct cul_buf *out);

#endif
