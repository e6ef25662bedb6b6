/* Shows that work continues while nothing else is printed: on a terminal, one
 * live line after half a second; elsewhere a line every 30 seconds. */
#ifndef CUL_BASE_TERMINAL_PULSE_H
#define CUL_BASE_TERMINAL_PULSE_H

#include <stdbool.h>
#include <stdio.h>

#include "../status.h"

struct cul_pulse {
  FILE *out;
  bool live;         /* a terminal */
  unsigned columns;  /* width where the stream cannot be queried */
  uint64_t quiet_us; /* show the status after this long without output */
  uint64_t worth_us; /* work of this length is worth a note */
  uint64_t redraw_us;
  uint64_t shown_us; /* time of the last output */
  bool drawn;        /* the live line is on the screen */
};

/* now_us: time on cul_now_us(), here and below. */
void cul_pulse_init(struct cul_pulse *pulse, FILE *out, bool live,
                    unsigned columns, uint64_t now_us);
/* Show the status if it is due.  at_once: show it now, as a line of its own. */
void cul_pulse_beat(struct cul_pulse *pulse, const struct cul_status *status,
                    bool at_once, uint64_t now_us);
/* Print a line of its own, if the work that follows is long enough to be
 * noticed. */
void cul_pulse_note(struct cul_pulse *pulse, const char *line, uint64_t left_us,
                    uint64_t now_us);
/* Erase the live line before other output. */
void cul_pulse_make_way(struct cul_pulse *pulse, uint64_t now_us);

#endif
