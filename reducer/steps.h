/* The reduce job, for reduce.c; this header declares nothing itself. */
#ifndef CUL_REDUCER_STEPS_H
#define CUL_REDUCER_STEPS_H

#include "job/job.h"

#endif
