/* Drops the privileges of the tool's process that rules for files do not cover:
 * see sandbox.h. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/err.h"
#include "../trace/seccomp.h"
#include "sandbox.h"

#ifndef SYS_io_uring_setup /* Linux 5.1; the same on all machines */
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_mount_setattr /* Linux 5.12; the same */
#define SYS_mount_setattr 442
#endif

/* ---- of root: with these it changes the machine, not files ---- */

static const unsigned char powers[] = {
    CAP_SYS_TIME,
    CAP_WAKE_ALARM,
    CAP_SYS_MODULE,
    CAP_SYS_BOOT,
    CAP_SYS_RAWIO,
    CAP_MKNOD,
    CAP_SYS_PACCT,
    CAP_SYS_TTY_CONFIG,
    CAP_LINUX_IMMUTABLE,
    CAP_MAC_ADMIN,
    CAP_MAC_OVERRIDE,
    CAP_AUDIT_CONTROL,
    CAP_SYSLOG,
    CAP_NET_ADMIN,
    CAP_DAC_READ_SEARCH,
    CAP_AUDIT_READ,
    39 /* CAP_BPF, Linux 5.8 */
};

/* Drop these capabilities. A process without capabilities has nothing to
 * drop. */
static int drop_powers(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  uint32_t had = 0;
  if (syscall(SYS_capget, &header, data))
    return -1;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(powers); i++) {
    struct __user_cap_data_struct *word = &data[CAP_TO_INDEX(powers[i])];
    const uint32_t bit = CAP_TO_MASK(powers[i]);
    had |= word->permitted & bit;
    word->effective &= ~bit;
    word->permitted &= ~bit;
    word->inheritable &= ~bit;
    /* Also drop it from the bounding set, otherwise the next program that root
     * executes has it again.  EINVAL: the kernel does not know this capability;
     * EPERM: this user cannot have it. */
    if (prctl(PR_CAPBSET_DROP, powers[i], 0, 0, 0) && errno != EINVAL &&
        errno != EPERM)
      return -1;
  }
  return had ? (int)syscall(SYS_capset, &header, data) : 0;
}

/* ---- calls that reach objects other than files, or undo the sandbox ---- */

/* The calls that a restricted run is refused, whether or not it is traced: the
 * filter of a trace (../trace/filter.c) refuses nothing.  Of two filters, an
 * error is stronger than a report. */

#define AT_NR offsetof(struct seccomp_data, nr)
#define AT_ARCH offsetof(struct seccomp_data, arch)
#define AT_DOMAIN offsetof(struct seccomp_data, args)
#define AT_TYPE (offsetof(struct seccomp_data, args) + 8)
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))
/* Skip n instructions unless the loaded value is equal. */
#define UNLESS(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n)

/* Keyrings belong to a user or a session, not to a run.  Root could make the
 * sandbox's mounts writable again; Landlock refuses the other calls that change
 * mounts. */
static const struct sock_filter held_back[] = {
    UNLESS(SYS_add_key, 1),       REFUSE(EPERM),
    UNLESS(SYS_request_key, 1),   REFUSE(EPERM),
    UNLESS(SYS_keyctl, 1),        REFUSE(EPERM),
    UNLESS(SYS_mount_setattr, 1), REFUSE(EPERM),
};

/* The same for 32-bit programs: add_key, request_key, keyctl of i386. */
static const struct sock_filter held_back_foreign[] = {
    LOAD(AT_NR),   UNLESS(286, 1), REFUSE(EPERM), UNLESS(287, 1),
    REFUSE(EPERM), UNLESS(288, 1), REFUSE(EPERM), UNLESS(SYS_mount_setattr, 1),
    REFUSE(EPERM),
};

/* Sockets outside the run's own network namespace: those with a name in the
 * file system, to which no rule for files applies either, and those of a
 * virtual machine's host.  A connected socket pair reaches nothing else; a
 * datagram socket of a pair could send to any name. */
static const struct sock_filter networks[] = {
    UNLESS(AF_INET, 1),    RETURN(SECCOMP_RET_ALLOW),
    UNLESS(AF_INET6, 1),   RETURN(SECCOMP_RET_ALLOW),
    UNLESS(AF_NETLINK, 1), RETURN(SECCOMP_RET_ALLOW),
};
static const struct sock_filter no_pairs[] = {
    UNLESS(SYS_socketpair, 5),
    LOAD(AT_TYPE),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 15),
    UNLESS(SOCK_DGRAM, 1),
    REFUSE(EACCES),
    RETURN(SECCOMP_RET_ALLOW),
    UNLESS(SYS_io_uring_setup, 1), /* io_uring can also create sockets */
    REFUSE(ENOSYS),
};

/* The same for 32-bit programs: socketcall, socket, socketpair of i386. */
static const struct sock_filter no_foreign_sockets[] = {
    LOAD(AT_NR),    UNLESS(102, 1),
    REFUSE(EACCES), UNLESS(359, 1),
    REFUSE(EACCES), UNLESS(360, 1),
    REFUSE(EACCES), UNLESS(SYS_io_uring_setup, 1),
    REFUSE(ENOSYS),
};

/* Refuse only io_uring, with the call numbers of all architectures. */
static const struct sock_filter no_ring[] = {
    UNLESS(SYS_io_uring_setup, 1),
    REFUSE(ENOSYS),
};
static const struct sock_filter no_foreign_ring[] = {
    LOAD(AT_NR),
    UNLESS(SYS_io_uring_setup, 1),
    REFUSE(ENOSYS),
};

struct filter {
  struct sock_filter items[64];
  unsigned short n;
};

static void add(struct filter *filter, const struct sock_filter *items,
                size_t n) {
  memcpy(filter->items + filter->n, items, n * sizeof *items);
  filter->n += (unsigned short)n;
}
#define ADD(filter, ...)                                                       \
  do {                                                                         \
    const struct sock_filter items_[] = {__VA_ARGS__};                         \
    add(filter, items_, CUL_ARRAY_SIZE(items_));                               \
  } while (0)

/* networked: allow sockets of the run's own network. */
static void refuse_sockets(struct filter *filter, bool networked) {
  const size_t n = networked ? CUL_ARRAY_SIZE(networks) : 0;
  ADD(filter, UNLESS(SYS_socket, n + 2), LOAD(AT_DOMAIN));
  add(filter, networks, n);
  ADD(filter, REFUSE(EACCES));
  add(filter, no_pairs, CUL_ARRAY_SIZE(no_pairs));
}

/* held: writes are restricted. */
static int refuse_calls(bool held, bool sockets, bool networked) {
  struct filter f = {.n = 0};
  struct sock_fprog program = {0, f.items};
  const struct sock_filter *foreign =
      sockets ? no_foreign_sockets : no_foreign_ring;
  const size_t n_foreign = sockets ? CUL_ARRAY_SIZE(no_foreign_sockets)
                                   : CUL_ARRAY_SIZE(no_foreign_ring);
  const size_t n_held = held ? CUL_ARRAY_SIZE(held_back_foreign) : 0;
  ADD(&f, LOAD(AT_ARCH),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CUL_NATIVE_ARCH,
               (unsigned char)(1 + n_held + n_foreign), 0));
  add(&f, held_back_foreign, n_held);
  add(&f, foreign, n_foreign);
  ADD(&f, RETURN(SECCOMP_RET_ALLOW), LOAD(AT_NR));
  if (sockets)
    ADD(&f, BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, CUL_X32_BIT, 0, 1),
        REFUSE(ENOSYS));
  /* x32 has the same numbers, with a bit */
  ADD(&f, BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(unsigned)CUL_X32_BIT));
  if (held)
    add(&f, held_back, CUL_ARRAY_SIZE(held_back));
  if (sockets)
    refuse_sockets(&f, networked);
  else
    add(&f, no_ring, CUL_ARRAY_SIZE(no_ring));
  ADD(&f, RETURN(SECCOMP_RET_ALLOW));
  program.len = f.n;
  return cul_seccomp_set(&program, 0);
}

int cul_box_give_up(const struct cul_box *box) {
  const bool held = box->parts & (CUL_PART_WRITES | CUL_PART_MOUNTS);
  const bool networked = box->parts & CUL_PART_NET;
  const bool alone = networked || (box->parts & CUL_PART_SOCKETS);
  if (held && !(box->parts & CUL_PART_USERS) && drop_powers())
    return -1;
  if (CUL_NATIVE_ARCH == 0 || !box->parts)
    return 0;
  return refuse_calls(held, alone, networked);
}
