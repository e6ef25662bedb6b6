/* A set of file names with what was seen of each file. */
#ifndef CUL_RUNNERS_TRACE_FILESET_H
#define CUL_RUNNERS_TRACE_FILESET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum cul_file_flags {
  CUL_FILE_READ = 1 << 0,
  CUL_FILE_EXECUTED = 1 << 1,
  CUL_FILE_FRESH = 1 << 2,  /* was not there when first seen */
  CUL_FILE_LOOKED = 1 << 3, /* somebody asked whether it is there */
  CUL_FILE_LISTED = 1 << 4, /* a directory whose names somebody read */
};

struct cul_file {
  char *name;
  char *real; /* the same without links; NULL where it is not asked for */
  unsigned flags;
  struct stat seen; /* when first put */
};

/* {0} is empty and valid. */
struct cul_fileset {
  struct cul_file *items; /* open addressing; name NULL = free */
  size_t n, room;
};

/* The entry of that name, made (zero but for its name) where there is none;
 * *added may be NULL.  Valid until the next put. */
struct cul_file *cul_fileset_put(struct cul_fileset *set, const char *name,
                                 bool *added);
/* The entry, or NULL. */
const struct cul_file *cul_fileset_find(const struct cul_fileset *set,
                                        const char *name);
/* Move the entries to the front, sorted by name; then only release is
 * allowed. */
void cul_fileset_sort(struct cul_fileset *set);
void cul_fileset_release(struct cul_fileset *set);

#endif
