/* Filters of system calls: what their users share.  See seccomp(2). */
#ifndef CUL_RUNNERS_TRACE_SECCOMP_H
#define CUL_RUNNERS_TRACE_SECCOMP_H

#include <linux/audit.h>
#include <linux/filter.h>

/* The machine's own numbers of calls; 0: none are known. */
#if defined __x86_64__
#define CUL_NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define CUL_NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#define CUL_NATIVE_ARCH 0
#endif

/* Set in the numbers of x32, which are native ones otherwise. */
#define CUL_X32_BIT 0x40000000

/* Take the filter on; without privilege that needs no_new_privs, which stays.
 * flags: SECCOMP_FILTER_FLAG_*.  As seccomp(2); async-signal-safe. */
int cul_seccomp_set(const struct sock_fprog *program, unsigned long flags);

#endif
