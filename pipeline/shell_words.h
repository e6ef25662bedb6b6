/* The words of a shell command: parses just enough of the grammar to remove a
 * flag ("Shell Command Language" of POSIX). */
#ifndef CUL_PIPELINE_SHELL_WORDS_H
#define CUL_PIPELINE_SHELL_WORDS_H

#include "../base/buf.h"

struct cul_shell_word {
  size_t from, to;  /* its bytes, quotes included */
  uint32_t command; /* number of the simple command it belongs to */
  bool redirection; /* the file of a < or > */
};

struct cul_shell_words {
  struct cul_shell_word *items; /* heap */
  size_t n, cap;
  uint32_t n_commands;
};

/* false, with empty out: the text contains syntax that is not supported here
 * (substitutions, here-documents, comments, open quotes). */
bool cul_shell_words(const char *text, struct cul_shell_words *out);
void cul_shell_words_release(struct cul_shell_words *words);

/* A word as a program receives it (heap); handles simple escapes and quotes. */
char *cul_shell_unquote(const char *text, size_t len);

#endif
