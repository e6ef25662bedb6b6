/* Between the files of beneath.h. */
#ifndef CUL_BASE_FILES_BENEATH_PRIVATE_H
#define CUL_BASE_FILES_BENEATH_PRIVATE_H

#include <fcntl.h>
#include <stdbool.h>

/* How a directory is opened whose entries are wanted. */
enum { CUL_BENEATH_LIST = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

#endif
