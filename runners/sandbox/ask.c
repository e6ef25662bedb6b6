/* Finds out what this kernel supports by trying: version numbers are not
 * enough, because containers and distributions forbid features that the kernel
 * has.  See sandbox.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "landlock.h"
#include "sandbox.h"

/* ---- the default memory limit ---- */

static uint64_t read_number(const char *path) {
  char text[64] = "";
  FILE *f = fopen(path, "re");
  if (f && !fgets(text, sizeof text, f))
    text[0] = '\0';
  if (f)
    fclose(f);
  return strtoull(text, NULL, 10); /* "max": 0, no limit */
}

/* A line of /proc/self/cgroup, "N:CONTROLLERS:PATH"; 0: no limit. */
static uint64_t limit_of_line(char *line) {
  char path[512];
  char *controllers = strchr(line, ':'), *group;
  if (!controllers || !(group = strchr(controllers + 1, ':')))
    return 0;
  *group++ = '\0';
  group[strcspn(group, "\n")] = '\0';
  if (!controllers[1])
    snprintf(path, sizeof path, "/sys/fs/cgroup%.400s/memory.max", group);
  else if (strcmp(controllers + 1, "memory") == 0)
    snprintf(path, sizeof path,
             "/sys/fs/cgroup/memory%.400s/memory.limit_in_bytes", group);
  else
    return 0;
  return read_number(path);
}

static uint64_t memory_bytes(void) {
  struct sysinfo machine;
  char line[600];
  uint64_t most = sysinfo(&machine) == 0
                      ? (uint64_t)machine.totalram * machine.mem_unit
                      : 0;
  FILE *f = fopen("/proc/self/cgroup", "re");
  while (f && fgets(line, sizeof line, f)) {
    uint64_t limit = limit_of_line(line);
    if (limit && (!most || limit < most))
      most = limit;
  }
  if (f)
    fclose(f);
  return most;
}

/* Bytes: three quarters of the memory of the machine or of the control group;
 * 0 = unknown. */
static uint64_t default_memory(void) { return memory_bytes() / 4 * 3; }

/* Can namespaces be created, and do they work? */
static bool works_box(const struct cul_box *box) {
  char yes = 1;
  bool told;
  int ends[2];
  pid_t pid;
  if (pipe2(ends, O_CLOEXEC))
    return false;
  pid = cul_box_fork(box, false);
  if (pid == 0)
    _exit(cul_box_enter(box) || getpid() != 1 || write(ends[1], &yes, 1) != 1
              ? 1
              : 0);
  close(ends[1]);
  /* signals are handled elsewhere */
  while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
  told = pid > 0 && TEMP_FAILURE_RETRY(read(ends[0], &yes, 1)) == 1;
  close(ends[0]);
  return told;
}

static bool works(uint32_t parts) {
  return works_box(
      &(struct cul_box){.parts = parts, .uid = geteuid(), .gid = getegid()});
}

/* Try without a user namespace first, as root needs none, and files keep their
 * owners then. */
static uint32_t find_namespaces(void) {
  const uint32_t with_users = CUL_PART_PIDS | CUL_PART_USERS;
  if (geteuid() == 0 && works(CUL_PART_PIDS))
    return CUL_PART_PIDS;
  return works(with_users) ? with_users : 0;
}

static int landlock_abi(void) {
  long abi =
      syscall(SYS_landlock_create_ruleset, NULL, 0, CUL_LANDLOCK_VERSION);
  return abi > 0 ? (int)abi : 0;
}

/* Does the kernel support filters that report calls (Linux 5.5)? */
static bool has_notifications(void) {
  struct seccomp_notif_sizes sizes;
  uint32_t action = SECCOMP_RET_USER_NOTIF;
  return syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0 &&
         syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

uint32_t cul_sandbox_given(int abi, uint32_t namespaces, bool net, bool watch,
                           bool mounts) {
  uint32_t given = CUL_PART_LIMITS | namespaces;
  if (net)
    given |= CUL_PART_NET;
  if (abi > 0)
    given |= CUL_PART_DOMAIN | CUL_PART_READS;
  /* Without the truncate right, a write rule has a gap; a refused write that is
   * not reported could be taken for the failure. */
  if (abi >= CUL_LANDLOCK_ABI_TRUNCATE && watch)
    given |= CUL_PART_WRITES | CUL_PART_WATCH;
  if (mounts && namespaces && watch)
    given |= CUL_PART_MOUNTS | CUL_PART_WATCH;
  return given;
}

void cul_sandbox_ask(struct cul_sandbox *sandbox) {
  bool strict = sandbox->mode == CUL_SANDBOX_STRICT;
  uint32_t namespaces;
  if (sandbox->asked || sandbox->mode == CUL_SANDBOX_OFF)
    return;
  namespaces = find_namespaces();
  sandbox->abi = landlock_abi();
  if (!sandbox->memory_bytes)
    sandbox->memory_bytes = default_memory();
  sandbox->given = cul_sandbox_given(
      sandbox->abi, namespaces,
      strict && namespaces && works(namespaces | CUL_PART_NET),
      has_notifications(), namespaces && works(namespaces | CUL_PART_MOUNTS));
  sandbox->asked = true;
}

int cul_sandbox_check(struct cul_sandbox *sandbox, struct cul_err *err) {
  uint32_t missing;
  struct cul_buf words = {0};
  cul_sandbox_ask(sandbox);
  missing = cul_sandbox_missing(sandbox);
  if (sandbox->mode != CUL_SANDBOX_STRICT)
    return 0;
  if (sandbox->without)
    return cul_fail(
        err, CUL_EENV, "--sandbox=auto runs it without this restriction",
        "--sandbox=strict: the files that the tool needs are not known: %s",
        sandbox->why);
  if (!missing)
    return 0;
  cul_parts_describe(missing, &words);
  cul_fail(err, CUL_EENV,
           "use --sandbox=auto, which works without it; or, in a container, "
           "allow namespaces",
           "--sandbox=strict: there is no %s here", cul_buf_str(&words));
  cul_buf_release(&words);
  return err->code;
}

void cul_box_init(struct cul_box *box, const struct cul_sandbox *sandbox) {
  *box = (struct cul_box){.parts = cul_sandbox_parts(sandbox)};
  if (!box->parts)
    return;
  box->abi = sandbox->abi;
  box->apart = sandbox->apart;
  box->memory_bytes = sandbox->memory_bytes;
  box->uid = geteuid();
  box->gid = getegid();
  box->writes = &sandbox->writes;
  box->reads = &sandbox->reads;
  box->spares = sandbox;
}

/* The parent of tmp if it is private to this user and contains more than one
 * writable place of the run, else NULL.  It is made one place, so that renames
 * between those places stay on one mount. */
static char *private_parent(const struct cul_box *box, const char *tmp) {
  char *real = realpath(tmp, NULL), *slash = real ? strrchr(real, '/') : NULL;
  struct stat st;
  size_t inside = 0;
  if (slash)
    *slash = '\0';
  for (size_t i = 0; slash && i < box->own.n; i++)
    inside += strncmp(box->own.items[i], real, (size_t)(slash - real)) == 0 &&
              box->own.items[i][slash - real] == '/';
  if (inside > 1 && stat(real, &st) == 0 && st.st_uid == geteuid() &&
      (st.st_mode & 0777) == 0700)
    return real;
  free(real);
  return NULL;
}

static bool is_inside_other(const struct cul_paths *all, size_t at) {
  for (size_t i = 0; i < all->n; i++) {
    size_t n = strlen(all->items[i]);
    if (i != at && strncmp(all->items[at], all->items[i], n) == 0 &&
        all->items[at][n] == '/')
      return true;
  }
  return false;
}

static const char shared_memory[] = "/dev/shm";

static bool is_in_shared_memory(const struct cul_paths *paths) {
  const struct cul_paths all = {(char *[]){(char *)shared_memory}, 1, 1};
  for (size_t i = 0; paths && i < paths->n; i++)
    if (cul_paths_cover(&all, paths->items[i]))
      return true;
  return false;
}

/* Decide how the run uses /dev/shm.  Usually it gets a private one that ends
 * with the run, so that nothing need be permitted.  If the tool uses files
 * there that others made, or if the job itself is there, it is an ordinary
 * directory.  Without mounts, only builds and programs of culprit may write
 * there, because for a tool it is known what it makes there. */
static void find_memory(struct cul_box *box, const struct cul_sandbox *sandbox,
                        bool shares) {
  if (shares || is_in_shared_memory(box->writes) ||
      is_in_shared_memory(box->reads) || is_in_shared_memory(&box->own))
    return;
  box->memory = box->parts & CUL_PART_MOUNTS;
  if (box->memory || sandbox->fixed)
    cul_paths_add(&box->own, shared_memory);
}

static void add_all(struct cul_paths *to, const struct cul_paths *from) {
  for (size_t i = 0; from && i < from->n; i++)
    cul_paths_add(to, from->items[i]);
}

static void find_places(struct cul_box *box, const char *tmp) {
  struct cul_paths all = {0};
  char *parent = box->apart ? NULL : private_parent(box, tmp);
  if (parent)
    cul_paths_add(&all, parent);
  add_all(&all, &box->own);
  add_all(&all, box->writes);
  for (size_t i = 0; i < all.n; i++)
    if (!is_inside_other(&all, i) &&
        !(box->memory && strcmp(all.items[i], shared_memory) == 0))
      cul_paths_add(&box->places, all.items[i]);
  cul_paths_release(&all);
  free(parent);
}

/* Is everything below dir on one mount?  A private /dev/shm is a mount. */
static bool is_one_mount(const struct cul_box *box, const char *dir) {
  const struct cul_paths one = {(char *[]){(char *)dir}, 1, 1};
  return cul_paths_cover(&box->places, dir) ||
         (box->memory && is_in_shared_memory(&one));
}

/* Why the mounts would break the tool, as a phrase, or NULL: rename and link
 * fail between two mounts. */
static char *find_hindrance(const struct cul_box *box,
                            const struct cul_sandbox *sandbox) {
  for (size_t i = 0; i < sandbox->moves.n; i++)
    if (!is_one_mount(box, sandbox->moves.items[i]))
      return cul_xasprintf("it renames files from one directory below %s to "
                           "another",
                           sandbox->moves.items[i]);
  return works_box(box)
             ? NULL
             : cul_xstrdup("a directory where it writes cannot be mounted");
}

int cul_box_settle(struct cul_box *box, struct cul_sandbox *sandbox,
                   const char *tmp, bool shares, struct cul_err *err) {
  char *why;
  int rc = 0;
  find_memory(box, sandbox, shares);
  if (!(box->parts & CUL_PART_MOUNTS))
    return 0;
  find_places(box, tmp);
  if (sandbox->tried == sandbox->writes.n + 1)
    return 0;
  sandbox->tried = sandbox->writes.n + 1;
  why = find_hindrance(box, sandbox);
  if (why && sandbox->mode == CUL_SANDBOX_STRICT)
    rc = cul_fail(err, CUL_EENV,
                  "--sandbox=auto runs it without this restriction",
                  "--sandbox=strict: no read-only mounts: %s", why);
  else if (why)
    cul_sandbox_leave_out(sandbox, CUL_PART_MOUNTS, why);
  if (why) {
    box->parts &= ~(uint32_t)CUL_PART_MOUNTS;
    box->memory = false;
  }
  free(why);
  return rc;
}

void cul_box_take_network(struct cul_box *box, struct cul_sandbox *sandbox) {
  if ((box->parts & (CUL_PART_NET | CUL_PART_USERS)) != CUL_PART_NET ||
      box->network)
    return;
  if (sandbox->n_networks)
    box->network = sandbox->networks[--sandbox->n_networks] + 1;
  else
    box->network = cul_box_make_network() + 1;
}

void cul_box_give_network(struct cul_box *box, struct cul_sandbox *sandbox) {
  if (!box->network || sandbox->n_networks == CUL_SANDBOX_NETWORKS)
    return;
  sandbox->networks[sandbox->n_networks++] = box->network - 1;
  box->network = 0;
}

void cul_box_release(struct cul_box *box) {
  if (box->network)
    close(box->network - 1);
  cul_paths_release(&box->places);
  cul_paths_release(&box->own);
  *box = (struct cul_box){0};
}
