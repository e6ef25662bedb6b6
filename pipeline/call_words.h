/* Reads the function that a shell command calls, and its arguments, from the
 * flags of the command. */
#ifndef CUL_PIPELINE_CALL_WORDS_H
#define CUL_PIPELINE_CALL_WORDS_H

#include "../base/buf.h"

struct cul_call_words {
  char *entry;     /* heap: the function; NULL = the only one */
  char *arguments; /* heap: "2x3xf32=1 2 3 4 5 6", one per line; "" = none; of
                      an argument in a file "<PATH" or "2x3xf32=<PATH" */
  bool files;      /* some argument is in a file */
};

/* Relative paths of files begin with the directory of a "cd" in the text.
 * False, with empty out: text runs no known tool, or several, or has arguments
 * that are not understood here. */
bool cul_call_words(const char *text, struct cul_call_words *out);
void cul_call_words_release(struct cul_call_words *call);

#endif
