/* The machine that a job runs on, for its report. */
#ifndef CUL_PROBE_SYSTEM_H
#define CUL_PROBE_SYSTEM_H

#include <jansson.h>

/* {"os", "kernel", "machine", "cores", "nvidia_driver", "amd_driver"}; null for
 * unknown values.  A new reference. */
json_t *cul_report_system(void);

#endif
