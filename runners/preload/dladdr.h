/* What dladdr(3) says is remembered for all forks of a server. */
#ifndef CUL_RUNNERS_PRELOAD_DLADDR_H
#define CUL_RUNNERS_PRELOAD_DLADDR_H

/* From now on, for this process and those it forks: no module is loaded but
 * those that are.  Where there is no memory nothing is remembered. */
void cul_dladdr_share(void);

#endif
