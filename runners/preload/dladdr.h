/* Caches the results of dladdr(3) for all forks of a server. */
#ifndef CUL_RUNNERS_PRELOAD_DLADDR_H
#define CUL_RUNNERS_PRELOAD_DLADDR_H

/* Begin to cache, for this process and its forks.  No module may be loaded from
 * now on.  Without memory for the cache, nothing is cached. */
void cul_dladdr_share(void);

#endif
