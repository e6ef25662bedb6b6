/* Between the files of beneath.h. */
#ifndef CUL_BASE_BENEATH_PRIVATE_H
#define CUL_BASE_BENEATH_PRIVATE_H

#include <fcntl.h>
#include <stdbool.h>

/* How a directory is opened whose entries are wanted. */
enum { CUL_BENEATH_LIST = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Open a directory of ours that may not be read: its owner may read, write and
 * search it from then on. */
int cul_beneath_unlock(int dir, const char *name);
/* The same of one that is open; was anything to be done, and is it? */
bool cul_beneath_repair(int fd);

#endif
