/* The sandbox of one run: what its guard enters before it starts the tool, and
 * what the tool's process gives up before it becomes the tool.
 *
 * With namespaces the guard is the first process of its own: what the tool
 * leaves behind becomes the guard's child, the guard's end is the end of all,
 * and nothing inside can name, stop or kill the guard, culprit or another run.
 * Landlock keeps the tool from tracing them and, where the kernel is new
 * enough, from signalling them without namespaces too. */
#ifndef CUL_RUNNERS_SANDBOX_SANDBOX_H
#define CUL_RUNNERS_SANDBOX_SANDBOX_H

#include "../../base/buf.h"
#include "../../base/err.h"
#include "../../base/sandbox.h"
#include <sys/types.h>

/* Of one run; made before the fork. */
struct cul_box {
  uint32_t parts; /* enum cul_sandbox_part; 0 = none */
  int abi;        /* of Landlock */
  bool apart;     /* MOUNTS: its own paths are places of their own */
  bool memory;    /* MOUNTS: /dev/shm is its own, and empty */
  int network;    /* NET: 1 + a descriptor of one to enter; 0: a new one */
  uint64_t memory_bytes; /* LIMITS: of all processes together; 0 = unknown */
  uid_t uid;
  gid_t gid;
  const struct cul_paths *writes, *reads; /* of the job; borrowed */
  struct cul_paths own;                   /* of the run */
  struct cul_paths places; /* MOUNTS: all that stay writable, none in another */
};

/* Fork into the namespaces of the box's parts, PIDS with one for System V's
 * shared memory and queues and one for the machine's name; as fork(2). */
pid_t cul_box_fork(const struct cul_box *box);
/* A new network that leads nowhere, loopback up; a descriptor, or -1 with errno
 * (only root may).  The calling process stays in its own. */
int cul_box_make_network(void);
/* In that child, first: make it the box's.  0, or -1 with errno. */
int cul_box_enter(const struct cul_box *box);
/* True in the first process of a namespace of its own. */
bool cul_box_holds(const struct cul_box *box);
/* The rules of the tool's domain, ready to be taken on; a descriptor, or -1:
 * there are none, or errno. */
int cul_box_rules(const struct cul_box *box);
/* In the tool's process: where its writes are held back, root's powers over the
 * machine itself (clock, modules, devices, network; capabilities(7)) and the
 * user's keyrings; where it has no network but its own, sockets of any other,
 * those with names in the file system too.  Async-signal-safe.  0, or -1 with
 * errno. */
int cul_box_give_up(const struct cul_box *box);
/* In the tool's process, last before exec: take them on.  Async-signal-safe.
 * rules: -1 = none.
 * 0, or -1 with errno. */
int cul_box_restrict(int rules);

/* LIMITS: processes of a run, and files that one may hold open. */
enum { CUL_BOX_PROCESSES = 4096, CUL_BOX_FILES = 64 * 1024 };

/* What a run may take where nobody says it: three quarters of the machine's
 * memory, or of the control group's; 0 = unknown. */
uint64_t cul_sandbox_memory(void);
/* Ask this kernel once what it gives: one or two processes are started, and a
 * few files of the kernel's are opened. */
void cul_sandbox_ask(struct cul_sandbox *sandbox);
/* Ask it, where that was not done.  Errors: EENV (strict, and a part is
 * missing). */
CUL_MUST_CHECK int cul_sandbox_check(struct cul_sandbox *sandbox,
                                     struct cul_err *err);
/* Where the tool's runs are seen to write and read, by one on the input as it
 * was given: there its later runs may, in the same directory or, of a cache,
 * anywhere in that.  env: the tool's. */
struct cul_environment;
void cul_sandbox_add_write(struct cul_sandbox *sandbox,
                           const struct cul_environment *env, const char *path);
void cul_sandbox_add_read(struct cul_sandbox *sandbox,
                          const struct cul_environment *env, const char *path);
/* From now on runs may write to the caches of compilers and package managers
 * that are there: what a variable of the environment named *CACHE* holds, each
 * directory in $XDG_CACHE_HOME or ~/.cache, and those of caches.list; one that
 * a variable named *CACHE_DIR, or one of that list, names is made, where its
 * parent is a directory of the user's alone.  But to none that holds one of
 * these `others`, absolute, or lies in one.  What lies beside a run's own
 * directories is another's. */
void cul_sandbox_add_caches(struct cul_sandbox *sandbox,
                            const struct cul_environment *env,
                            const struct cul_paths *others);
/* The same, and it is one of builds: they write to their own directories, and
 * there, from the first one on. */
void cul_sandbox_set_up_builds(struct cul_sandbox *sandbox,
                               const struct cul_environment *env,
                               const struct cul_paths *others);
/* That cannot be seen, and why. */
void cul_sandbox_unknown(struct cul_sandbox *sandbox, const char *why);
/* What a kernel gives with which these parts work: abi of Landlock; namespaces:
 * 0, PIDS or PIDS and USERS; net, watch, mounts: whether. */
uint32_t cul_sandbox_given(int abi, uint32_t namespaces, bool net, bool watch,
                           bool mounts);
/* The box of a run; release it. */
void cul_box_init(struct cul_box *box, const struct cul_sandbox *sandbox);
/* Its own paths are known: find its places, and try once per job and set of
 * paths whether they can be mounted.  tmp: the run's TMPDIR.  shares: the
 * command names a file in /dev/shm, which it must find there.  Errors: EENV
 * (strict, and they cannot). */
CUL_MUST_CHECK int cul_box_settle(struct cul_box *box,
                                  struct cul_sandbox *sandbox, const char *tmp,
                                  bool shares, struct cul_err *err);
/* NET: making a network, and ending it, takes longer than many a tool runs.
 * Who is root keeps them: one run has one at a time, and what it made there
 * ends with its processes.  give: the run is over, and all that it started. */
void cul_box_take_network(struct cul_box *box, struct cul_sandbox *sandbox);
void cul_box_give_network(struct cul_box *box, struct cul_sandbox *sandbox);
void cul_box_release(struct cul_box *box);

#endif
