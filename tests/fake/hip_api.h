/* The part of hip/hip_runtime_api.h that the fakes speak, for machines without
 * it: names and numbers of AMD's runtime interface. */
#ifndef CUL_TESTS_FAKE_HIP_API_H
#define CUL_TESTS_FAKE_HIP_API_H

#include <stddef.h>

typedef enum {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorNoDevice = 100,
  hipErrorNoBinaryForGpu = 209,
  hipErrorInvalidKernelFile = 218,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorAssert = 710,
  hipErrorLaunchFailure = 719,
  hipErrorUnknown = 999,
} hipError_t;
typedef enum { hipMemcpyHostToHost, hipMemcpyDefault = 4 } hipMemcpyKind;
enum { hipHostMallocPortable = 1, hipHostMallocMapped = 2 };
enum { hipStreamNonBlocking = 1, hipEventDisableTiming = 2 };

typedef void *hipDeviceptr_t, *hipModule_t, *hipFunction_t, *hipStream_t,
    *hipEvent_t;

#endif
