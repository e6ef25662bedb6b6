/* Leads: other failures met on the way.  Which they are, and how often each was
 * met, must not depend on who finishes first (decisions follow from it, see
 * cul_reduce_seek_places): what an answer shows waits until the search learns
 * that answer, and is forgotten where it never does. */
#ifndef CUL_REDUCER_LEADS_H
#define CUL_REDUCER_LEADS_H

#include "reduce.h"

/* The candidate in a slot, asked for by a ticket of the search that runs now,
 * fails otherwise: its signature, and its text where no lead shows it. */
void cul_leads_wait(struct cul_reduce *job, int slot, uint64_t ticket,
                    const struct cul_signature *sig);
/* The search has learnt the "no" to that ticket, in its own order. */
void cul_leads_learnt(struct cul_reduce *job, uint64_t ticket);
/* The search is over: what waits still never counts. */
void cul_leads_forget(struct cul_reduce *job);
/* It is no other failure. */
void cul_leads_drop(struct cul_reduce *job, size_t lead);
/* At the end of a job. */
void cul_leads_release(struct cul_reduce *job);

#endif
