/* The child's half of a trace: the seccomp filter and its listener.  The
 * filter is seccomp's classic BPF; see seccomp(2) and seccomp_unotify(2). */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/err.h"
#include "calls.h"
#include "seccomp.h"
#include "trace.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* Linux 6.6; the same number on all architectures. */
#define CALL_FCHMODAT2 452
/* Linux 6.13. */
#define CALL_SETXATTRAT 463
#define CALL_REMOVEXATTRAT 466
/* Linux 6.17. */
#define CALL_FILE_SETATTR 469

const struct cul_trace_call cul_trace_table[] = {
    {SYS_execve, CUL_CALL_EXEC, CUL_CHANGE_NO},
    {SYS_execveat, CUL_CALL_EXECAT, CUL_CHANGE_NO},
    {SYS_openat, CUL_CALL_OPENAT, CUL_CHANGE_BY_FLAGS},
    {SYS_openat2, CUL_CALL_OPENAT2, CUL_CHANGE_YES},
    {SYS_renameat2, CUL_CALL_NAMEAT, CUL_CHANGE_YES},
    {SYS_renameat, CUL_CALL_NAMEAT, CUL_CHANGE_YES},
    {SYS_linkat, CUL_CALL_HARDAT, CUL_CHANGE_YES},
    {SYS_symlinkat, CUL_CALL_LINKAT, CUL_CHANGE_YES},
    {SYS_mkdirat, CUL_CALL_MAKEAT, CUL_CHANGE_YES},
    {SYS_mknodat, CUL_CALL_MAKEAT, CUL_CHANGE_YES},
    {SYS_unlinkat, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {SYS_truncate, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_fchmodat, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {CALL_FCHMODAT2, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {SYS_fchownat, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {SYS_utimensat, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {CALL_SETXATTRAT, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {CALL_REMOVEXATTRAT, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {CALL_FILE_SETATTR, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {SYS_setxattr, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_lsetxattr, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_removexattr, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_lremovexattr, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_fchmod, CUL_CALL_OPEN_FILE, CUL_CHANGE_YES},
    {SYS_fchown, CUL_CALL_OPEN_FILE, CUL_CHANGE_YES},
    {SYS_fsetxattr, CUL_CALL_OPEN_FILE, CUL_CHANGE_YES},
    {SYS_fremovexattr, CUL_CALL_OPEN_FILE, CUL_CHANGE_YES},
    {SYS_statx, CUL_CALL_STATAT, CUL_CHANGE_NO},
    {SYS_newfstatat, CUL_CALL_STATAT, CUL_CHANGE_NO},
    {SYS_faccessat, CUL_CALL_LOOKAT, CUL_CHANGE_NO},
    {SYS_faccessat2, CUL_CALL_LOOKAT, CUL_CHANGE_NO},
    {SYS_readlinkat, CUL_CALL_LOOKAT, CUL_CHANGE_NO},
    {SYS_socket, CUL_CALL_SOCKET, CUL_CHANGE_NO},
    {SYS_connect, CUL_CALL_CONNECT, CUL_CHANGE_NO},
#ifdef SYS_open /* aarch64 has only the calls above */
    {SYS_open, CUL_CALL_OPEN, CUL_CHANGE_BY_FLAGS},
    {SYS_creat, CUL_CALL_CREAT, CUL_CHANGE_YES},
    {SYS_rename, CUL_CALL_NAME, CUL_CHANGE_YES},
    {SYS_link, CUL_CALL_HARD, CUL_CHANGE_YES},
    {SYS_symlink, CUL_CALL_LINK, CUL_CHANGE_YES},
    {SYS_mkdir, CUL_CALL_MAKE, CUL_CHANGE_YES},
    {SYS_mknod, CUL_CALL_MAKE, CUL_CHANGE_YES},
    {SYS_rmdir, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_unlink, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_chmod, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_chown, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_lchown, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_utime, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_utimes, CUL_CALL_CHANGE, CUL_CHANGE_YES},
    {SYS_futimesat, CUL_CALL_CHANGEAT, CUL_CHANGE_YES},
    {SYS_stat, CUL_CALL_STAT, CUL_CHANGE_NO},
    {SYS_lstat, CUL_CALL_STAT, CUL_CHANGE_NO},
    {SYS_access, CUL_CALL_LOOK, CUL_CHANGE_NO},
    {SYS_readlink, CUL_CALL_LOOK, CUL_CHANGE_NO},
#endif
    {SYS_clone3, CUL_CALL_CLONE3, CUL_CHANGE_NO},
    {SYS_chroot, CUL_CALL_MOUNTS, CUL_CHANGE_NO},
    {SYS_pivot_root, CUL_CALL_MOUNTS, CUL_CHANGE_NO},
    {SYS_setns, CUL_CALL_MOUNTS, CUL_CHANGE_NO},
    {SYS_mount, CUL_CALL_MOUNTS, CUL_CHANGE_NO},
    {SYS_move_mount, CUL_CALL_MOUNTS, CUL_CHANGE_NO},
    {SYS_io_uring_setup, CUL_CALL_HIDDEN, CUL_CHANGE_NO},
    {SYS_open_by_handle_at, CUL_CALL_HIDDEN, CUL_CHANGE_NO},
};
const size_t cul_n_trace_calls = CUL_ARRAY_SIZE(cul_trace_table);

enum { MAX_FILTER = 224 };

/* The calls that are reported. */
enum calls {
  ALL,
  CHANGES, /* those that may change files */
  GUARDED, /* and those that may do so unread: the trace refuses them */
};

/* Byte offsets into struct seccomp_data; the low half of args[0] on a little
 * endian machine. */
#define AT_NR offsetof(struct seccomp_data, nr)
#define AT_ARCH offsetof(struct seccomp_data, arch)
#define AT_FLAGS offsetof(struct seccomp_data, args)

/* Add the test for one call of the table to the filter.  Returns the number of
 * instructions. */
static size_t add_call(const struct cul_trace_call *call, enum calls calls,
                       struct sock_filter *out) {
  const bool hides = calls == GUARDED && cul_trace_hides(call);
  const bool changes = calls != ALL;
  const unsigned nr = (unsigned)call->nr;
  unsigned flags = AT_FLAGS + (call->kind == CUL_CALL_OPENAT ? 2 : 1) * 8;
  struct sock_filter always[] = {
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  struct sock_filter by_flags[] = {
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
               O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (changes && call->change == CUL_CHANGE_NO && !hides)
    return 0;
  if (changes && call->change == CUL_CHANGE_BY_FLAGS) {
    memcpy(out, by_flags, sizeof by_flags);
    return CUL_ARRAY_SIZE(by_flags);
  }
  memcpy(out, always, sizeof always);
  return CUL_ARRAY_SIZE(always);
}

/* Write the filter, which reports calls and refuses none: what a run may do
 * does not depend on what is reported (../sandbox/powers.c).  A call of another
 * architecture (int 0x80) has other numbers: the trace is told of each, and
 * knows then that it does not see everything. */
static size_t build_filter(enum calls calls, struct sock_filter *out) {
  const bool changes = calls != ALL;
  size_t n = 0;
  struct sock_filter head[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_ARCH),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CUL_NATIVE_ARCH, 1, 0),
      BPF_STMT(BPF_RET | BPF_K,
               calls == CHANGES ? SECCOMP_RET_ALLOW : SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_NR),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, CUL_X32_BIT, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  /* Report clone and unshare only if they make a mount namespace. */
  struct sock_filter tail[] = {
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_FLAGS),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWNS, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_filter rest = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  memcpy(out, head, sizeof head);
  n += CUL_ARRAY_SIZE(head);
  for (size_t i = 0; i < cul_n_trace_calls; i++)
    n += add_call(&cul_trace_table[i], calls, out + n);
  if (changes) {
    out[n] = rest;
    return n + 1;
  }
  memcpy(out + n, tail, sizeof tail);
  return n + CUL_ARRAY_SIZE(tail);
}

/* Without WAIT_KILLABLE_RECV (Linux 5.19) a signal restarts a reported call. */
static int install_filter(enum calls calls) {
  const unsigned long listen = SECCOMP_FILTER_FLAG_NEW_LISTENER;
  struct sock_filter filter[MAX_FILTER];
  struct sock_fprog program = {(unsigned short)build_filter(calls, filter),
                               filter};
  int fd;
  if (CUL_NATIVE_ARCH == 0)
    return -1;
  fd = cul_seccomp_set(&program,
                       listen | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  return fd < 0 && errno == EINVAL ? cul_seccomp_set(&program, listen) : fd;
}

int cul_trace_install(int socket, const struct cul_plan *plan) {
  int listener = install_filter(plan->trace              ? ALL
                                : cul_trace_guards(plan) ? GUARDED
                                                         : CHANGES);
  char space[CMSG_SPACE(sizeof listener)] = {0}, byte = 0;
  struct iovec data = {&byte, 1};
  struct msghdr msg = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = space,
                       .msg_controllen = sizeof space};
  struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
  if (listener < 0)
    return 0;
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof listener);
  memcpy(CMSG_DATA(c), &listener, sizeof listener);
  return sendmsg(socket, &msg, 0) == 1 ? 0 : -1;
}
