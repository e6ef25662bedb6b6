/* What the runs of a job are kept from: how far the user wants it, what this
 * kernel gives, and what the tool turned out to need.  Plain data; it is asked
 * for and entered in runners/sandbox/sandbox.h. */
#ifndef CUL_BASE_SANDBOX_H
#define CUL_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

enum cul_sandbox_mode {
  CUL_SANDBOX_OFF,
  CUL_SANDBOX_AUTO,   /* what the kernel gives and the tool can do with */
  CUL_SANDBOX_STRICT, /* all of it, or no run */
};

enum cul_sandbox_part {
  /* A process, a mount and an IPC namespace, its own /proc: the end of the
   * guard is the end of all. */
  CUL_PART_PIDS = 1 << 0,
  /* In a user namespace, for who is not root. */
  CUL_PART_USERS = 1 << 1,
  /* Landlock: nothing outside can be traced, nor, since Linux 6.12, be sent a
   * signal. */
  CUL_PART_DOMAIN = 1 << 2,
  CUL_PART_WRITES = 1 << 3, /* Landlock: writes only where they belong */
  CUL_PART_WATCH = 1 << 4,  /* seccomp: culprit knows of a refused write */
  CUL_PART_READS = 1 << 5,  /* Landlock: reads only what the tool needs */
  CUL_PART_NET = 1 << 6,    /* a network of its own, which leads nowhere */
  CUL_PART_LIMITS = 1 << 7, /* of processes, memory, open files, file sizes */
  /* All mounts are read-only but where it may write: modes, owners, times,
   * attributes stay, too; and /dev/shm is the run's own, unless it shares it.
   */
  CUL_PART_MOUNTS = 1 << 8,
  /* In the stead of NET, and cheaper: no sockets at all, for a tool that was
   * seen to make none. */
  CUL_PART_SOCKETS = 1 << 9,
};
/* What holds writes back, or tells of one that was: they come and go as one. */
#define CUL_PARTS_WRITING (CUL_PART_WRITES | CUL_PART_WATCH | CUL_PART_MOUNTS)

/* Paths, absolute; owned. */
struct cul_paths {
  char **items;
  size_t n, room;
};
/* Append a copy, unless it is there. */
void cul_paths_add(struct cul_paths *paths, const char *path);
void cul_paths_release(struct cul_paths *paths);
/* Is path one of them, or below one? */
bool cul_paths_cover(const struct cul_paths *paths, const char *path);

enum { CUL_SANDBOX_NETWORKS = 64 };

struct cul_sandbox {
  enum cul_sandbox_mode mode;
  bool asked;            /* the kernel was; given and abi are known */
  uint32_t given;        /* parts that the kernel gives */
  int abi;               /* of Landlock; 0 = there is none */
  uint64_t memory_bytes; /* LIMITS: that a run may take; 0 = not yet known */
  uint32_t without;      /* parts that this tool cannot do with */
  char *why;             /* ... for that reason; NULL = none */
  bool compared;         /* with a run outside */
  bool learned;          /* writes and reads are known */
  bool alone;            /* ... and that it makes no socket of a network */
  size_t tried; /* MOUNTS: so many writes, and they can be; 0 = not yet */
  bool fixed;   /* the program is culprit's own, and what it executes is the
                   input: it writes to its own directories from the first
                   run on, and nothing is learnt; or a build, see
                   cul_sandbox_set_up_builds */
  bool apart;   /* what lies beside the directories of a run is another's */
  bool sealed;  /* from now on runs are of what nobody has tried before */
  struct cul_paths writes, reads; /* beside those of the run itself */
  struct cul_paths others; /* absolute, real: what holds one, or lies in one, is
                              nothing that the runs may change as a whole */
  struct cul_paths moves;  /* below each the tool renames between directories */
  int networks[CUL_SANDBOX_NETWORKS]; /* NET: descriptors of those that no run
                                         has now */
  size_t n_networks;
  uint64_t refused; /* candidates to which a write was refused */
  char *first;      /* the first such file; NULL = none */
};

struct cul_sandbox *cul_sandbox_new(enum cul_sandbox_mode mode);
void cul_sandbox_free(struct cul_sandbox *sandbox); /* or NULL */

/* "off", "auto", "strict". */
const char *cul_sandbox_name(enum cul_sandbox_mode mode);
/* False: no such word. */
bool cul_sandbox_parse(const char *word, enum cul_sandbox_mode *out);

/* The parts that the mode wants. */
uint32_t cul_sandbox_wanted(const struct cul_sandbox *sandbox);
/* Those in force for the next run; NULL: none. */
uint32_t cul_sandbox_parts(const struct cul_sandbox *sandbox);
/* Those that the mode wants, and this kernel does not give.  Root needs no
 * USERS. */
uint32_t cul_sandbox_missing(const struct cul_sandbox *sandbox);
/* "own processes, no network"; appended. */
void cul_parts_describe(uint32_t parts, struct cul_buf *out);
/* What holds, what this kernel lacks and what the tool cannot do with, one
 * phrase; appended. */
void cul_sandbox_describe(const struct cul_sandbox *sandbox,
                          struct cul_buf *out);
/* The last two alone; appended, or nothing where all holds. */
void cul_sandbox_describe_lacks(const struct cul_sandbox *sandbox,
                                struct cul_buf *out);
/* This tool cannot do with these parts; the first reason stays. */
void cul_sandbox_leave_out(struct cul_sandbox *sandbox, uint32_t parts,
                           const char *why);

#endif
