/* The imports at the head of a Python script, which its interpreter can make
 * before it opens the script (runners/preload.h). */
#ifndef CUL_RUNNERS_IMPORTS_H
#define CUL_RUNNERS_IMPORTS_H

#include "../base/buf.h"

/* The import statements of the script above its first statement that is neither
 * an import nor a string (a docstring), as they stand there, each with a
 * newline.  Nothing else runs before them, so a run of the script begins by
 * running exactly these.  whole: false if the script continues after the bytes.
 * Returns how many there are besides those from __future__. */
size_t cul_imports_find(struct cul_bytes script, bool whole,
                        struct cul_buf *out);
/* The imports of the file `path`, if the words of a command (NULL terminated)
 * have a Python interpreter run it: "python3 -u PATH ...".  Returns how many
 * there are; 0 also if the file cannot be read or has too many of them. */
size_t cul_imports_of(char *const *argv, const char *path, struct cul_buf *out);

#endif
