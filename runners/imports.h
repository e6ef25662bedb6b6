/* The imports at the head of a Python script, which its interpreter can make
 * before it opens the script (runners/preload.h). */
#ifndef CUL_RUNNERS_IMPORTS_H
#define CUL_RUNNERS_IMPORTS_H

#include "../base/buf.h"

/* The import statements of the script `path` above its first statement that is
 * no import, no string (a docstring) and no setting of a variable to a string
 * (os.environ["NAME"] = "VALUE", os.environ.setdefault), as they stand there,
 * with the settings before the last of them, each with a newline, if the words
 * of a command (NULL terminated) have a Python interpreter run it: "python3 -u
 * PATH ...".  Nothing else runs before them, so a run of the script begins by
 * running exactly these.  Returns how many there are besides those from
 * __future__; 0 also if the file cannot be read. */
size_t cul_imports_of(char *const *argv, const char *path, struct cul_buf *out);

#endif
