/* Properties of a terminal. */
#ifndef CUL_BASE_TERMINAL_TERMINAL_H
#define CUL_BASE_TERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* How a command shows its progress. */
enum cul_display {
  CUL_DISPLAY_AUTO,    /* a live line on a terminal, plain lines elsewhere */
  CUL_DISPLAY_LINE,    /* the same, also on a terminal with TERM=dumb */
  CUL_DISPLAY_PLAIN,   /* plain lines */
  CUL_DISPLAY_JSON,    /* events.h */
  CUL_DISPLAY_NOTHING, /* only the final result */
};

/* The width of the terminal at fd; 80 if fd is no terminal. */
size_t cul_columns(int fd);
/* Should out show a live line, redrawn in place? */
bool cul_is_live(FILE *out, enum cul_display display);
/* Is out a terminal on which attributes are allowed (NO_COLOR, TERM)? */
bool cul_has_colour(FILE *out);

#endif
