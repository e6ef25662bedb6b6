/* Shared by the system call filters.  See seccomp(2). */
#ifndef CUL_RUNNERS_TRACE_SECCOMP_H
#define CUL_RUNNERS_TRACE_SECCOMP_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The machine's native system call numbers; 0: not known. */
#if defined __x86_64__
#define CUL_NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define CUL_NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#define CUL_NATIVE_ARCH 0
#endif

/* Set in the call numbers of x32, which are otherwise native. */
#define CUL_X32_BIT 0x40000000

/* Install the filter.  Without privileges this needs no_new_privs, which
 * remains set. flags: SECCOMP_FILTER_FLAG_*.  As seccomp(2);
 * async-signal-safe. */
static inline int cul_seccomp_set(const struct sock_fprog *program,
                                  unsigned long flags) {
  int rc = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
  if (rc >= 0 || errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    return rc;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
}

#endif
