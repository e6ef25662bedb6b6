/* Entering a sandbox, in the guard and in the tool's process: see sandbox.h.
 * Nothing here allocates. */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/files/file.h"
#include "landlock.h"

/* ---- mounts ---- */

/* The mounts of a sandbox.
 *
 * Landlock has no right for modes, owners, times and attributes of files; a
 * read-only mount refuses changes of all of them.  Places that stay writable
 * are first detached as mount trees, and attached again after everything else
 * was made read-only; read-only parts inside them stay read-only.  Device
 * nodes, sockets and pipes can still be written through a read-only mount. */

#ifndef SYS_open_tree /* Linux 5.2 and 5.12; the same on all machines */
#define SYS_open_tree 428
#define SYS_move_mount 429
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

/* The argument of mount_setattr(2), which older headers lack. */
struct attributes {
  uint64_t set, clear, propagation, userns;
};
enum {
  CLONE_TREE = 1,
  WHOLE_TREE = 0x8000, /* AT_RECURSIVE */
  FROM_DESCRIPTOR = 4, /* MOVE_MOUNT_F_EMPTY_PATH */
  READ_ONLY = 1,
  NO_DEVICES = 4
};

static int take_tree(const char *path) {
  return (int)syscall(SYS_open_tree, AT_FDCWD, path,
                      CLONE_TREE | O_CLOEXEC | WHOLE_TREE);
}

static int put_tree(int tree, const char *path) {
  return (int)syscall(SYS_move_mount, tree, "", AT_FDCWD, path,
                      FROM_DESCRIPTOR);
}

static int add_attribute(int dir, const char *path, unsigned flags,
                         uint64_t which) {
  const struct attributes attributes = {.set = which};
  return (int)syscall(SYS_mount_setattr, dir, path, flags, &attributes,
                      sizeof attributes);
}

static int freeze(int dir, const char *path, unsigned flags) {
  return add_attribute(dir, path, flags, READ_ONLY);
}

/* Make the settings of the machine read-only, which a tool could change as
 * root. */
static int freeze_settings(void) {
  static const char *const paths[] = {"/proc/sys", "/proc/sysrq-trigger"};
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(paths) && rc == 0; i++) {
    int tree = take_tree(paths[i]);
    if (tree < 0 && errno == ENOENT)
      continue;
    rc = tree < 0 || freeze(tree, "", AT_EMPTY_PATH | WHOLE_TREE) ||
                 put_tree(tree, paths[i])
             ? -1
             : 0;
    if (tree >= 0)
      close(tree);
  }
  return rc;
}

/* Enter the working directory again: the process is still in the old mount. */
static int enter_again(void) {
  char here[PATH_MAX];
  return getcwd(here, sizeof here) && here[0] == '/' ? chdir(here) : 0;
}

/* Detach the places as mount trees.  A missing place needs none.  nodev: a
 * device node that a run creates could be the disk. */
static int take_trees(const struct cul_paths *places, int *trees) {
  for (size_t i = 0; i < places->n; i++) {
    trees[i] = take_tree(places->items[i]);
    if (trees[i] < 0 ? errno != ENOENT && errno != ENOTDIR
                     : add_attribute(trees[i], "", AT_EMPTY_PATH, NO_DEVICES))
      return -1;
  }
  return 0;
}

static int put_trees(const struct cul_paths *places, const int *trees) {
  for (size_t i = 0; i < places->n; i++)
    if (trees[i] >= 0 && put_tree(trees[i], places->items[i]))
      return -1;
  return 0;
}

/* Mount a private /dev/shm, which ends with its last process. */
static int mount_memory(const struct cul_box *box) {
  char options[64];
  int n = snprintf(options, sizeof options, "mode=1777");
  if (box->memory_bytes)
    snprintf(options + n, sizeof options - (size_t)n, ",size=%llu",
             (unsigned long long)box->memory_bytes);
  return mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, options) &&
                 errno != ENOENT && errno != ENOTDIR
             ? -1
             : 0;
}

/* Part of entering the box: make all mounts read-only except the box's places;
 * the settings of the machine are below a new /proc.  Returns 0, or -1 with
 * errno. */
static int box_freeze(const struct cul_box *box) {
  const struct cul_paths *places = &box->places;
  int *trees = malloc((places->n + 1) * sizeof *trees), rc = -1, error;
  if (!trees)
    return -1;
  memset(trees, -1, (places->n + 1) * sizeof *trees);
  if (take_trees(places, trees) == 0 &&
      freeze(AT_FDCWD, "/", WHOLE_TREE) == 0 && put_trees(places, trees) == 0 &&
      (!box->memory || mount_memory(box) == 0))
    rc = enter_again();
  error = errno;
  for (size_t i = 0; i < places->n; i++)
    if (trees[i] >= 0)
      close(trees[i]);
  free(trees);
  errno = error;
  return rc;
}

static int box_freeze_settings(const struct cul_box *box) {
  return box->parts & CUL_PART_USERS ? 0 : freeze_settings();
}

/* ---- sandbox ---- */

/* In the child: enter the network namespace, or a new one.  If both fail, the
 * run is lost and repeated. */
static void enter_network(int network) {
  if (setns(network, CLONE_NEWNET) && unshare(CLONE_NEWNET))
    _exit(1);
}

pid_t cul_box_fork(const struct cul_box *box, bool sibling) {
  const uint32_t parts = box->parts;
  const bool enters = (parts & CUL_PART_NET) && box->network;
  unsigned long flags = SIGCHLD | (sibling ? CLONE_PARENT : 0);
  pid_t pid;
  if (parts & CUL_PART_PIDS)
    flags |= CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
  if (parts & CUL_PART_USERS)
    flags |= CLONE_NEWUSER;
  if ((parts & CUL_PART_NET) && !enters)
    flags |= CLONE_NEWNET;
  if (flags == SIGCHLD && !enters)
    return fork();
  pid = (pid_t)syscall(SYS_clone, flags, 0L, 0L, 0L, 0L);
  if (pid == 0 && enters)
    enter_network(box->network - 1);
  return pid;
}

static int write_text(const char *path, const char *text) {
  int fd = TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_CLOEXEC)), error;
  ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
  error = errno;
  if (fd >= 0)
    close(fd);
  errno = error;
  return n < 0 ? -1 : 0;
}

/* The user keeps its id; all other ids are unmapped (nobody). */
static int map_users(const struct cul_box *box) {
  char users[64], groups[64];
  snprintf(users, sizeof users, "%lu %lu 1", (unsigned long)box->uid,
           (unsigned long)box->uid);
  snprintf(groups, sizeof groups, "%lu %lu 1", (unsigned long)box->gid,
           (unsigned long)box->gid);
  if (write_text("/proc/self/setgroups", "deny") && errno != ENOENT)
    return -1;
  return write_text("/proc/self/uid_map", users) ||
                 write_text("/proc/self/gid_map", groups)
             ? -1
             : 0;
}

/* Private mounts of the namespace, and its /proc, which shows process ids as
 * the tool sees them. */
static int change_mounts(const struct cul_box *box) {
  const bool frozen = box->parts & CUL_PART_MOUNTS;
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
    return -1;
  if (frozen && box_freeze(box))
    return -1;
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
    return -1;
  return frozen ? box_freeze_settings(box) : 0;
}

/* Enable the loopback interface. */
static int raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int rc = fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &request);
  if (fd >= 0)
    close(fd);
  return rc;
}

/* Return to the network namespace of this process, which exists and may be
 * entered. */
static void go_home(int network) {
  unsigned n = 0;
  while (setns(network, CLONE_NEWNET))
    if (!cul_wait_again(n++, errno))
      abort();
}

/* Disable TIME_WAIT, so that a port is free as soon as its process has
 * ended. */
static int forget_connections(void) {
  return write_text("/proc/sys/net/ipv4/tcp_max_tw_buckets", "0");
}

int cul_box_make_network(void) {
  static const char own[] = "/proc/self/ns/net";
  int home = TEMP_FAILURE_RETRY(open(own, O_RDONLY | O_CLOEXEC)), made = -1;
  if (home < 0)
    return -1;
  if (unshare(CLONE_NEWNET) == 0) {
    if (raise_loopback() == 0 && forget_connections() == 0)
      made = TEMP_FAILURE_RETRY(open(own, O_RDONLY | O_CLOEXEC));
    go_home(home);
  }
  close(home);
  return made;
}

int cul_box_enter(const struct cul_box *box) {
  if ((box->parts & CUL_PART_USERS) && map_users(box))
    return -1;
  if ((box->parts & CUL_PART_PIDS) && change_mounts(box))
    return -1;
  return (box->parts & CUL_PART_NET) && !box->network ? raise_loopback() : 0;
}

/* Does the error, such as a lack of descriptors or memory, not show whether the
 * path exists? */
static bool is_untold(int error) {
  return error != ENOENT && error != ENOTDIR && error != EACCES &&
         error != ELOOP && error != ENAMETOOLONG;
}

/* Permit rights below path.  A missing path needs no rule.  If a path cannot be
 * opened for another reason, -1 with errno: otherwise the tool would be refused
 * a permitted access. */
static int allow(int rules, const char *path, uint64_t rights,
                 uint64_t handled) {
  struct cul_landlock_path rule = {rights & handled, -1};
  struct stat st;
  unsigned n = 0;
  int rc = 0, error;
  while ((rule.fd = TEMP_FAILURE_RETRY(open(path, O_PATH | O_CLOEXEC))) < 0 &&
         cul_wait_again(n++, errno))
    ;
  if (rule.fd < 0)
    return is_untold(errno) ? -1 : 0;
  if (fstat(rule.fd, &st) == 0 && !S_ISDIR(st.st_mode))
    rule.files &= CUL_FS_OF_FILES;
  if (rule.files)
    rc =
        (int)syscall(SYS_landlock_add_rule, rules, CUL_LANDLOCK_PATH, &rule, 0);
  error = errno;
  close(rule.fd);
  errno = error;
  /* Landlock has no rules for some kinds of files: such a file gets none. */
  return rc < 0 && error != EINVAL && error != EBADFD ? -1 : 0;
}

static int allow_all(int rules, const struct cul_paths *paths, uint64_t rights,
                     uint64_t handled) {
  int rc = 0;
  for (size_t i = 0; paths && i < paths->n && rc == 0; i++)
    rc = allow(rules, paths->items[i], rights, handled);
  return rc;
}

/* Permit existing devices and /proc, which has its own access control. */
static int allow_files(int rules, const struct cul_box *box, uint64_t handled) {
  static const char *const systems[] = {"/bin", "/sbin", "/lib", "/lib64",
                                        "/usr", "/etc",  "/sys"};
  static const char *const devices[] = {"/dev", "/proc"};
  const uint64_t all = CUL_FS_READS | CUL_FS_WRITES;
  const uint64_t use = CUL_FS_READS | CUL_FS_WRITE_FILE | CUL_FS_TRUNCATE;
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(systems) && rc == 0; i++)
    rc = allow(rules, systems[i], CUL_FS_READS, handled);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(devices) && rc == 0; i++)
    rc = allow(rules, devices[i], use, handled);
  if (rc < 0 || allow_all(rules, box->reads, CUL_FS_READS, handled) ||
      allow_all(rules, box->writes, all, handled))
    return -1;
  return allow_all(rules, &box->own, all, handled);
}

/* A domain must handle a right: on kernels without scopes, handle one that no
 * tool uses (to make block devices). */
static struct cul_landlock_rules handled_of(const struct cul_box *box) {
  struct cul_landlock_rules handled = {0};
  if (box->parts & CUL_PART_WRITES)
    handled.files |= CUL_FS_WRITES;
  if (box->parts & CUL_PART_READS)
    handled.files |= CUL_FS_READS;
  if (box->abi >= CUL_LANDLOCK_ABI_SCOPES)
    handled.scopes = CUL_LANDLOCK_SCOPE_SIGNAL;
  if (!handled.files && !handled.scopes)
    handled.files = CUL_FS_MAKE_BLOCK;
  return handled;
}

int cul_box_rules(const struct cul_box *box) {
  const uint32_t files = CUL_PART_WRITES | CUL_PART_READS;
  struct cul_landlock_rules handled = handled_of(box);
  int rules;
  errno = 0;
  if (!(box->parts & (files | CUL_PART_DOMAIN)))
    return -1;
  rules =
      (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  if (rules < 0)
    return -1;
  if ((box->parts & files) && allow_files(rules, box, handled.files)) {
    int error = errno;
    close(rules);
    errno = error;
    return -1;
  }
  return rules;
}

/* Root can enter a domain without no_new_privs, which would disable set-user-ID
 * programs. */
int cul_box_restrict(int rules) {
  if (rules < 0)
    return 0;
  if (syscall(SYS_landlock_restrict_self, rules, 0) == 0)
    return 0;
  if (errno != EPERM || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    return -1;
  return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}
