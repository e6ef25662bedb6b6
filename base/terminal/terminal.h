/* What a terminal is, and what may be drawn on it. */
#ifndef CUL_BASE_TERMINAL_TERMINAL_H
#define CUL_BASE_TERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* How a command that works says so. */
enum cul_display {
  CUL_DISPLAY_AUTO,    /* a live line on a terminal, plain lines elsewhere */
  CUL_DISPLAY_LINE,    /* the same, on a terminal that calls itself dumb, too */
  CUL_DISPLAY_PLAIN,   /* plain lines */
  CUL_DISPLAY_JSON,    /* events.h */
  CUL_DISPLAY_NOTHING, /* what it has found, in the end */
};

/* The width of the terminal at fd; 80 where there is none. */
size_t cul_columns(int fd);
/* Is a line to be drawn there, again and again in the same place? */
bool cul_is_live(FILE *out, enum cul_display display);
/* Is it a terminal, and are attributes wanted (NO_COLOR, TERM)? */
bool cul_has_colour(FILE *out);

#endif
