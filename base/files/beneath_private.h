/* Shared by the files that implement beneath.h. */
#ifndef CUL_BASE_FILES_BENEATH_PRIVATE_H
#define CUL_BASE_FILES_BENEATH_PRIVATE_H

#include <fcntl.h>
#include <stdbool.h>

/* Flags that open a directory to list its entries. */
enum { CUL_BENEATH_LIST = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

#endif
