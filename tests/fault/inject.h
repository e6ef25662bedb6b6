/* What inject.c counts, in the file of INJECT_FILE; faults.py reads it too. */
#ifndef TESTS_FAULT_INJECT_H
#define TESTS_FAULT_INJECT_H

#include <stdint.h>

enum inject_role { MAIN, GUARD, START, FORK, WORKER, CHILD, N_ROLES };

/* clang-format off */
#define CLASS_NAMES                                                            \
  "malloc", "open", "read", "write", "fsync", "rename", "link", "unlink",      \
  "make", "fork", "pipe", "exec", "mmap", "truncate", "lock", "stat", "poll",  \
  "wait", "kill", "clock", "sandbox", "sqlite"
/* clang-format on */
enum inject_class {
  MALLOC, /* malloc, calloc, realloc */
  OPEN,   /* files and directories */
  READ,   /* read, pread, readv, recvmsg, readlink, readdir */
  WRITE,  /* write, pwrite, writev, sendmsg */
  FSYNC,  /* fsync, fdatasync */
  RENAME,
  LINK,   /* link, symlink */
  UNLINK, /* unlink, rmdir, remove */
  MAKE,   /* mkdir and temporary names */
  FORK_,  /* fork, vfork, clone */
  PIPE,   /* pipe, socketpair, eventfd, signalfd, memfd_create, dup */
  EXEC,
  MMAP,
  TRUNCATE,
  LOCK, /* flock, fcntl's locks */
  STAT, /* stat, access, realpath, statx */
  POLL,
  WAIT,
  KILL,
  CLOCK,
  SANDBOX, /* unshare, mount, setrlimit, chroot, Landlock */
  SQLITE,  /* a step, a prepared statement, an opened store */
  N_CLASSES
};

struct inject_file {
  uint64_t counts[N_ROLES][N_CLASSES];
  uint64_t any[N_CLASSES]; /* over all roles */
  int64_t jump_s[2];       /* of CLOCK_REALTIME, CLOCK_MONOTONIC */
  uint64_t fired;          /* how often something was done */
  int32_t main_pid, hit_pid;
  char hit[256]; /* the last: the call, and who called it */
};

#endif
