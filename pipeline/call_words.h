/* The words of a shell's command that say which function of a module is run,
 * and on what: flags of the tools that run one. */
#ifndef CUL_PIPELINE_CALL_WORDS_H
#define CUL_PIPELINE_CALL_WORDS_H

#include "../base/buf.h"

struct cul_call_words {
  char *entry;     /* heap: the function; NULL = the only one */
  char *arguments; /* heap: "2x3xf32=1 2 3 4 5 6", one a line; "" = none */
};

/* False: no tool that is known here runs something, several do, or what one
 * gets does not stand in its words (a file); out is then empty. */
bool cul_call_words(const char *text, struct cul_call_words *out);
void cul_call_words_release(struct cul_call_words *call);

#endif
