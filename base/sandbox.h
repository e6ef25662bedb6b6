/* The sandbox of a job's runs: the mode that the user chose, what this kernel
 * supports, and what the tool turned out to need.  Plain data;
 * runners/sandbox/sandbox.h probes the kernel and enters the sandbox. */
#ifndef CUL_BASE_SANDBOX_H
#define CUL_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "buf.h"

enum cul_sandbox_mode {
  CUL_SANDBOX_OFF,
  CUL_SANDBOX_AUTO,   /* all that the kernel supports and the tool tolerates */
  CUL_SANDBOX_STRICT, /* all parts, or no run */
};

enum cul_sandbox_part {
  /* A process, a mount and an IPC namespace, its own /proc: when the guard
   * ends, all its processes end. */
  CUL_PART_PIDS = 1 << 0,
  /* A user namespace, for users other than root. */
  CUL_PART_USERS = 1 << 1,
  /* Landlock: the tool can trace no process outside and, since Linux 6.12,
   * signal none. */
  CUL_PART_DOMAIN = 1 << 2,
  CUL_PART_WRITES = 1 << 3, /* Landlock: writes only to permitted places */
  CUL_PART_WATCH = 1 << 4, /* seccomp: refused writes are reported to culprit */
  CUL_PART_READS = 1 << 5, /* Landlock: reads only what the tool needs */
  CUL_PART_NET = 1 << 6,   /* a network namespace with no connection outside */
  CUL_PART_LIMITS = 1 << 7, /* of processes, memory, open files, file sizes */
  /* All mounts are read-only except where the run may write, so that modes,
   * owners, times and attributes cannot change either; /dev/shm is private to
   * the run, unless the run shares it. */
  CUL_PART_MOUNTS = 1 << 8,
  /* Replaces NET, and is cheaper: no sockets at all, for a tool that was seen
   * to make none. */
  CUL_PART_SOCKETS = 1 << 9,
};
/* The parts that refuse writes or report a refused one; they are used together
 * or not at all. */
#define CUL_PARTS_WRITING (CUL_PART_WRITES | CUL_PART_WATCH | CUL_PART_MOUNTS)

/* Paths, absolute; owned. */
struct cul_paths {
  char **items;
  size_t n, room;
};
/* Append a copy of path, unless paths has it. */
void cul_paths_add(struct cul_paths *paths, const char *path);
/* Insert a copy of path, unless paths has it; all of paths came by this call.
 */
void cul_paths_insert(struct cul_paths *paths, const char *path);
void cul_paths_release(struct cul_paths *paths);
/* Is path one of them, or below one? */
bool cul_paths_cover(const struct cul_paths *paths, const char *path);

enum { CUL_SANDBOX_NETWORKS = 64 };

/* What stays in directories that are opened because the tool changed files in
 * them, and later runs need other names there: all that was there before the
 * job, except what the first run changed, too. */
struct cul_spared {
  struct cul_paths opened;  /* the directories, which are among the writes */
  struct cul_paths changed; /* files that were there before (inserted) */
  struct timespec began; /* when the sandbox was made, before the first run */
};

struct cul_sandbox {
  enum cul_sandbox_mode mode;
  bool asked;            /* the kernel was probed; given and abi are known */
  uint32_t given;        /* parts that the kernel supports */
  int abi;               /* of Landlock; 0 = no Landlock */
  uint64_t memory_bytes; /* LIMITS: that a run may use; 0 = not yet known */
  uint32_t without;      /* parts that this tool does not tolerate */
  char *why;             /* the reason; NULL = none */
  bool compared; /* a run in the sandbox was compared with one outside */
  bool learned;  /* the writes and reads of the tool are known */
  bool alone;    /* learned, and the tool makes no network socket */
  size_t tried;  /* MOUNTS: this many writes were found to be mountable; 0 = not
                    yet tried */
  /* nothing is learned: the program is culprit's own and executes the input, so
   * it may write only to its own directories from the first run on; or it is a
   * build, see cul_sandbox_set_up_builds */
  bool fixed;
  bool apart;  /* directories beside those of a run belong to other runs */
  bool sealed; /* from now on runs use candidates that were never tried */
  struct cul_paths writes, reads; /* besides those of the run itself */
  struct cul_spared spared;
  /* absolute, real: a directory that contains one of these, or lies in one, is
   * never opened to writes as a whole */
  struct cul_paths others;
  struct cul_paths shared; /* files that a run writes and reads again, in no
                              cache: two runs at once would mix them up */
  struct cul_paths moves;  /* below each of these the tool renames files between
                              directories */
  int networks[CUL_SANDBOX_NETWORKS]; /* NET: descriptors of network namespaces
                                         that are free */
  size_t n_networks;
  uint64_t refused; /* candidates with a refused write */
  char *first;      /* the first such file; NULL = none */
};

struct cul_sandbox *cul_sandbox_new(enum cul_sandbox_mode mode);
void cul_sandbox_free(struct cul_sandbox *sandbox); /* sandbox may be NULL */

/* "off", "auto", "strict". */
const char *cul_sandbox_name(enum cul_sandbox_mode mode);
/* False: word is not a mode. */
bool cul_sandbox_parse(const char *word, enum cul_sandbox_mode *out);

/* The parts that the mode asks for. */
uint32_t cul_sandbox_wanted(const struct cul_sandbox *sandbox);
/* The parts in force for the next run; sandbox NULL: none. */
uint32_t cul_sandbox_parts(const struct cul_sandbox *sandbox);
/* The parts that the mode asks for and this kernel does not support.  Root does
 * not need USERS. */
uint32_t cul_sandbox_missing(const struct cul_sandbox *sandbox);
/* "own processes, no network"; appended. */
void cul_parts_describe(uint32_t parts, struct cul_buf *out);
/* Append one phrase: the parts in force, those that this kernel lacks and those
 * that the tool does not tolerate. */
void cul_sandbox_describe(const struct cul_sandbox *sandbox,
                          struct cul_buf *out);
/* Append the last two alone; nothing where all parts are in force. */
void cul_sandbox_describe_lacks(const struct cul_sandbox *sandbox,
                                struct cul_buf *out);
/* Permit runs to change everything at and below path. */
void cul_sandbox_permit(struct cul_sandbox *sandbox, const char *path);
/* The first run changed path, which lies in dir: permit runs to make files
 * below dir, and to change those and path. */
void cul_sandbox_open(struct cul_sandbox *sandbox, const char *dir,
                      const char *path);
/* Must runs not change a file with this real path, made at that time?  True for
 * those in opened directories that are older than the first run. */
bool cul_sandbox_guards(const struct cul_sandbox *sandbox, const char *real,
                        const struct timespec *at);
/* Is such a file there? */
bool cul_sandbox_spares(const struct cul_sandbox *sandbox, const char *real);
/* Record that this tool does not tolerate these parts; the first reason is
 * kept. */
void cul_sandbox_leave_out(struct cul_sandbox *sandbox, uint32_t parts,
                           const char *why);

#endif
