/* Reading and writing a descriptor whole. */
#ifndef CUL_BASE_FILES_FD_H
#define CUL_BASE_FILES_FD_H

#include <stddef.h>

/* write(2) until all is written; 0 or -1 with errno. */
int cul_write_all(int fd, const void *data, size_t len);
/* read(2) exactly len bytes; 1: done; 0: the file ended first; -1 with
 * errno. */
int cul_read_all(int fd, void *data, size_t len);

#endif
