/* The sandbox of one run: the restrictions that its supervisor (guard) sets up
 * before it starts the tool, and those that the tool's process adds before
 * exec.
 *
 * With namespaces, the guard is the first process of its PID namespace: orphans
 * of the tool become its children, all processes end when the guard ends, and
 * no process inside can name, stop or kill the guard, culprit or another run.
 * Landlock keeps the tool from tracing those processes and, on new enough
 * kernels, also from signalling them without namespaces. */
#ifndef CUL_RUNNERS_SANDBOX_SANDBOX_H
#define CUL_RUNNERS_SANDBOX_SANDBOX_H

#include "../../base/buf.h"
#include "../../base/err.h"
#include "../../base/sandbox.h"
#include <sys/types.h>

/* The box of one run; made before the fork. */
struct cul_box {
  uint32_t parts; /* enum cul_sandbox_part; 0 = none */
  int abi;        /* of Landlock */
  bool apart;     /* MOUNTS: each of its own paths is mounted separately */
  bool memory;    /* MOUNTS: /dev/shm is private, and empty */
  int network; /* NET: 1 + a descriptor of the network to enter; 0: a new one */
  uint64_t memory_bytes; /* LIMITS: of all processes together; 0 = unknown */
  uid_t uid;
  gid_t gid;
  const struct cul_paths *writes, *reads; /* of the job; borrowed */
  /* WATCH: what cul_sandbox_spares of it is refused; borrowed */
  const struct cul_sandbox *spares;
  struct cul_paths own; /* of the run */
  /* MOUNTS: all paths that stay writable, none inside another */
  struct cul_paths places;
};

/* Fork into the namespaces of the box's parts; PIDS includes the namespaces for
 * System V IPC and for the host name.  sibling: the process becomes a child of
 * the caller's parent.  Returns as fork(2). */
pid_t cul_box_fork(const struct cul_box *box, bool sibling);
/* Make an isolated network namespace with loopback up; returns a descriptor, or
 * -1 with errno (only root may).  The caller stays in its own namespace. */
int cul_box_make_network(void);
/* The first call in the child of cul_box_fork: set up the box.  0, or -1 with
 * errno. */
int cul_box_enter(const struct cul_box *box);
/* Make the Landlock rules of the tool's domain; a descriptor for
 * cul_box_restrict, or -1: no rules are needed, or errno. */
int cul_box_rules(const struct cul_box *box);
/* In the tool's process, give up what file rules do not cover.  In any box:
 * io_uring, which opens files unseen by the trace; programs use ordinary calls
 * where it is missing (ENOSYS).  If writes are restricted: root's capabilities
 * over the machine (clock, modules, devices, network; capabilities(7)) and the
 * user's keyrings.  If the tool has only its own network: sockets of any other
 * network, and those with names in the file system.  Async-signal-safe.  0, or
 * -1 with errno. */
int cul_box_give_up(const struct cul_box *box);
/* In the tool's process, last before exec: enforce the rules.  rules: -1 =
 * none.  Async-signal-safe.  0, or -1 with errno. */
int cul_box_restrict(int rules);

/* LIMITS: processes of a run, and open files of a process. */
enum { CUL_BOX_PROCESSES = 4096, CUL_BOX_FILES = 64 * 1024 };

/* Find out once what this kernel supports.  Starts one or two processes and
 * opens a few kernel files. */
void cul_sandbox_ask(struct cul_sandbox *sandbox);
/* cul_sandbox_ask, unless done already.  Errors: EENV (mode strict, and a part
 * is missing). */
CUL_MUST_CHECK int cul_sandbox_check(struct cul_sandbox *sandbox,
                                     struct cul_err *err);
/* Permit later runs of the tool to write, or read, where a run on the input as
 * given did: in the same directory or, if path is in a cache, anywhere in that
 * cache.  env: the tool's. */
enum cul_write {
  CUL_WRITE_ONLY,
  CUL_WRITE_READ_BACK, /* it read there what it wrote */
  CUL_WRITE_KEPT       /* it would have made what was there already; counts in a
                          cache only, where another input has another name */
};
struct cul_environment;
void cul_sandbox_add_write(struct cul_sandbox *sandbox,
                           const struct cul_environment *env, const char *path,
                           enum cul_write write);
void cul_sandbox_add_read(struct cul_sandbox *sandbox,
                          const struct cul_environment *env, const char *path);
/* Permit runs to write to the existing caches of compilers and package
 * managers: values of variables named *CACHE*, each directory in
 * $XDG_CACHE_HOME or ~/.cache, and those in caches.list.  A missing cache that
 * caches.list or a variable named *CACHE_DIR names is made if its parent
 * belongs to the user alone.  Excluded is any cache that contains, or lies in,
 * one of `others` (absolute).  Directories beside those of a run belong to
 * other runs. */
void cul_sandbox_add_caches(struct cul_sandbox *sandbox,
                            const struct cul_environment *env,
                            const struct cul_paths *others);
/* The same for a sandbox of builds: from the first build on they write only to
 * their own directories and to these caches. */
void cul_sandbox_set_up_builds(struct cul_sandbox *sandbox,
                               const struct cul_environment *env,
                               const struct cul_paths *others);
/* Record that writes and reads cannot be observed, and why. */
void cul_sandbox_unknown(struct cul_sandbox *sandbox, const char *why);
/* The parts that a kernel supports, from Landlock's abi, the namespaces that
 * work (0, PIDS, or PIDS and USERS) and whether net, watch and mounts work. */
uint32_t cul_sandbox_given(int abi, uint32_t namespaces, bool net, bool watch,
                           bool mounts);
/* Make the box of a run; release it. */
void cul_box_init(struct cul_box *box, const struct cul_sandbox *sandbox);
/* Call it when the box's own paths are known: computes its places, and tests
 * once per job and set of paths that they can be mounted.  tmp: the run's
 * TMPDIR.  shares: the command names a file in /dev/shm, so /dev/shm is
 * shared.  Errors: EENV (mode strict, and they cannot be mounted). */
CUL_MUST_CHECK int cul_box_settle(struct cul_box *box,
                                  struct cul_sandbox *sandbox, const char *tmp,
                                  bool shares, struct cul_err *err);
/* NET: making and ending a network takes longer than many tools run, so root
 * keeps networks for reuse.  One run uses a network at a time; its sockets end
 * with its processes.  Call cul_box_give_network when the run and all its
 * processes have ended. */
void cul_box_take_network(struct cul_box *box, struct cul_sandbox *sandbox);
void cul_box_give_network(struct cul_box *box, struct cul_sandbox *sandbox);
void cul_box_release(struct cul_box *box);

#endif
