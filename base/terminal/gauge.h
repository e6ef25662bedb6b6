/* The live line of a long search: what it does, how much is left and how fast
 * it proceeds, shortened to the width of the terminal. */
#ifndef CUL_BASE_TERMINAL_GAUGE_H
#define CUL_BASE_TERMINAL_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "../buf.h"

/* The data to show; strings are borrowed, and may be foreign text. */
struct cul_gauge {
  const char *doing;     /* the activity in plain words */
  const char *by;        /* the mutation; NULL: none */
  const char *unit;      /* the unit of `left`: "operations" */
  uint64_t left, of;     /* left of `of` units; of = 0: unknown */
  uint64_t bytes;        /* size of the best candidate; 0: unknown */
  uint64_t runs, cached; /* executed runs, and results found in the store */
  double rate;           /* candidates a second */
  unsigned busy, workers;
  double seconds; /* elapsed time */
  double eta_s;   /* remaining time; 0: unknown */
  bool at_least;  /* eta_s is a lower bound: more findings would add to it */
  bool blocks;    /* the terminal shows UTF-8 */
};

/* A line without a newline.  Offsets in text: [0, head) is the activity; [bar,
 * full) is the part of the bar that is left, [full, bar_end) the part that is
 * done.  Without a bar, these three are equal. */
struct cul_gauge_line {
  struct cul_buf text;
  size_t head, bar, full, bar_end;
};

/* Write the line in at most `columns` - 1 columns, which leaves one for the
 * cursor; the least important pieces are omitted first.  line: overwritten. */
void cul_gauge_line(const struct cul_gauge *gauge, size_t columns,
                    struct cul_gauge_line *line);

/* The work that is left if the search finds nothing more. */
struct cul_gauge_work {
  uint64_t points; /* in the turns of known length */
  unsigned turns,
      unknown; /* turns that are left, and those of unknown length among them */
  uint64_t done;       /* points asked in the current turn */
  uint64_t since_step; /* points asked since the last accepted candidate */
  bool grows;          /* an unknown number of growing edits follows */
  bool more_phases;    /* the current phase is not the last */
  double rate;         /* points per second, over the last minute; 0: unknown */
  double seconds;      /* elapsed time without pauses */
  double limit_s;      /* the time limit of the job; 0: none */
};

/* The remaining seconds, or 0 for unknown: in the first minute, while more than
 * a third of the turns have an unknown length, and for a result below 30 s that
 * is only a lower bound.  *at_least: the result is a lower bound, because
 * growing edits or another phase follow, or because something was found
 * recently. */
double cul_gauge_time_left(const struct cul_gauge_work *work, bool *at_least);

/* Append a rounded duration: "40 s", "2 min", "1.5 h". */
void cul_gauge_time(double seconds, struct cul_buf *out);

#endif
