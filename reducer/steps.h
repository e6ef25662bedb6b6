/* The steps of a reduce job besides its search and its end, one file each. */
#ifndef CUL_REDUCER_STEPS_H
#define CUL_REDUCER_STEPS_H

#include "job/job.h"

#endif
