/* Shows that work goes on where nothing else does: on a terminal one live line
 * after half a second, elsewhere a line after 30 seconds, and each further 30.
 */
#ifndef CUL_BASE_TERMINAL_PULSE_H
#define CUL_BASE_TERMINAL_PULSE_H

#include <stdbool.h>
#include <stdio.h>

#include "../status.h"

struct cul_pulse {
  FILE *out;
  bool live;         /* a terminal */
  unsigned columns;  /* where the stream is none that can be asked */
  uint64_t quiet_us; /* nothing has been shown for so long: show it */
  uint64_t worth_us; /* what takes so long is worth a note */
  uint64_t redraw_us;
  uint64_t shown_us; /* when something was shown last */
  bool drawn;        /* the live line stands there */
};

/* now_us: on cul_now_us(), here and below. */
void cul_pulse_init(struct cul_pulse *pulse, FILE *out, bool live,
                    unsigned columns, uint64_t now_us);
/* at_once: as a line of its own, whatever was shown last. */
void cul_pulse_beat(struct cul_pulse *pulse, const struct cul_status *status,
                    bool at_once, uint64_t now_us);
/* A line of its own, where what follows lasts long enough to be noticed. */
void cul_pulse_note(struct cul_pulse *pulse, const char *line, uint64_t left_us,
                    uint64_t now_us);
/* Wipe the live line: something else is shown now. */
void cul_pulse_make_way(struct cul_pulse *pulse, uint64_t now_us);

#endif
