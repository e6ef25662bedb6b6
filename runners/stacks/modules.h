/* The executable mappings of another process, and the table of functions in
 * each (.eh_frame_hdr), both read from that process: its files may be in a
 * namespace of its own, or gone. */
#ifndef CUL_RUNNERS_STACKS_MODULES_H
#define CUL_RUNNERS_STACKS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cul_module {
  uint64_t start, end; /* of the executable mapping */
  uint64_t base;       /* where the file's first byte is mapped; 0: no file */
  uint64_t name;       /* hash of the file's base name; 0: no file */
  bool looked;         /* the rest is set */
  uint64_t header;     /* address of .eh_frame_hdr; 0: none */
  uint64_t table;      /* its sorted entries, 8 bytes each */
  uint32_t n;          /* of them */
};

struct cul_mappings {
  pid_t pid;
  uint64_t digest; /* of /proc/PID/maps */
  struct cul_module *items;
  size_t n;
};

/* Read n bytes at an address of the process.  False: not all are readable. */
bool cul_remote_read(pid_t pid, uint64_t address, void *out, size_t n);
/* Read up to n bytes, page by page; returns how many are readable. */
size_t cul_remote_read_some(pid_t pid, uint64_t address, void *out, size_t n);

/* Read the mappings of a process.  *changed: they are not those of the last
 * call.  False: the process is gone or may not be looked at. */
bool cul_mappings_read(struct cul_mappings *modules, pid_t pid, bool *changed);
/* The module of an address, with its table; NULL: no code is there. */
struct cul_module *cul_mappings_find(struct cul_mappings *modules,
                                     uint64_t address);
/* The entry of the function at that address: *start, and *fde, the address of
 * its description.  False: the table has none. */
bool cul_module_entry(pid_t pid, const struct cul_module *module,
                      uint64_t address, uint64_t *start, uint64_t *fde);
void cul_mappings_release(struct cul_mappings *modules);

#endif
