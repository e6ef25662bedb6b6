/* The live line of a long search: what is done, how much is left, how fast it
 * goes; as much of it as a terminal is wide. */
#ifndef CUL_BASE_TERMINAL_GAUGE_H
#define CUL_BASE_TERMINAL_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "../buf.h"

/* What it shows; strings are borrowed, and may be anybody's. */
struct cul_gauge {
  const char *doing;     /* in plain words */
  const char *by;        /* the mutation; NULL: none */
  const char *unit;      /* of what is left: "operations" */
  uint64_t left, of;     /* of these; of = 0: that is not known */
  uint64_t bytes;        /* of the best; 0: not known */
  uint64_t runs, cached; /* done, and found in the store */
  double rate;           /* candidates a second */
  unsigned busy, workers;
  double seconds; /* so far */
  double eta_s;   /* to go; 0: nobody knows */
  bool at_least;  /* it is, and more where something is still found */
  bool blocks;    /* the terminal shows UTF-8 */
};

/* A line without its end.  Offsets in text: [0, head) says what is done;
 * [bar, full) is the part of the bar that is left, [full, bar_end) what is
 * gone; without a bar all three are the same. */
struct cul_gauge_line {
  struct cul_buf text;
  size_t head, bar, full, bar_end;
};

/* The line in at most `columns` - 1 columns, as the cursor stands behind it:
 * what matters least is left out first.  line: cleared. */
void cul_gauge_line(const struct cul_gauge *gauge, size_t columns,
                    struct cul_gauge_line *line);

/* What a search still has to ask until nothing more is found, if nothing is. */
struct cul_gauge_work {
  uint64_t points;         /* of the turns that are known */
  unsigned turns, unknown; /* turns to come; those of unknown length */
  uint64_t done;           /* points asked in the present turn */
  uint64_t since_step;     /* points asked since something was found */
  bool grows;              /* growing edits follow, whose number is unknown */
  bool more_phases;        /* the present phase is not the last */
  double rate;    /* points a second, over the last minute; 0: unknown */
  double seconds; /* so far, without pauses */
  double limit_s; /* a limit ends the job by then; 0: none does */
};

/* Seconds to go.  0, unknown: in the first minute, while more than a
 * third of the turns are of unknown length, and for a time below 30 s to which
 * more may be added.  *at_least: more may be added, because growing edits or
 * another phase follow, or because something was found lately. */
double cul_gauge_time_left(const struct cul_gauge_work *work, bool *at_least);

/* Append "40 s", "2 min", "1.5 h": as exact as a guess is. */
void cul_gauge_time(double seconds, struct cul_buf *out);

#endif
