/* Reads the function that a shell command calls, and its arguments, from the
 * flags of the command. */
#ifndef CUL_PIPELINE_CALL_WORDS_H
#define CUL_PIPELINE_CALL_WORDS_H

#include "../base/buf.h"

struct cul_call_words {
  char *entry;     /* heap: the function; NULL = the only one */
  char *arguments; /* heap: "2x3xf32=1 2 3 4 5 6", one per line; "" = none */
};

/* False, with empty out: text runs no known tool, or several, or the arguments
 * of the call are in a file. */
bool cul_call_words(const char *text, struct cul_call_words *out);
void cul_call_words_release(struct cul_call_words *call);

#endif
