/* The live line: see gauge.h.  Its pieces have a fixed order.  If all fit in
 * their long form, they are printed in it.  Otherwise they are printed in the
 * short form, without the least important ones if necessary. */
#include "gauge.h"

#include <stdio.h>
#include <string.h>

#include "../visible.h"

enum piece { DOING, BY, BAR, LEFT, BYTES, RUNS, RATE, WORKERS, TIME, ETA, N };

/* The order in which pieces are left out. */
static const enum piece order[] = {BYTES, TIME, BY,  WORKERS, RATE,
                                   BAR,   RUNS, ETA, DOING};

/* The width of UTF-8 text in columns: its code points. */
static size_t columns_of(const char *text, size_t len) {
  size_t n = 0;
  for (size_t i = 0; i < len; i++)
    n += ((unsigned char)text[i] & 0xc0) != 0x80;
  return n;
}

/* The number of bytes that fit into `columns` columns. */
static size_t fitting(const struct cul_buf *text, size_t columns) {
  size_t at = 0, n = 0;
  while (at < text->len) {
    n += ((unsigned char)text->data[at] & 0xc0) != 0x80;
    if (n > columns)
      break;
    at++;
  }
  return at;
}

void cul_gauge_time(double seconds, struct cul_buf *out) {
  if (seconds < 55)
    cul_buf_addf(out, "%d s", seconds < 5 ? 5 : 5 * (int)(seconds / 5 + 0.5));
  else if (seconds < 59.5 * 60)
    cul_buf_addf(out, "%.0f min", seconds < 60 ? 1 : seconds / 60);
  else if (seconds < 9.5 * 3600)
    cul_buf_addf(out, "%.1f h", seconds / 3600);
  else
    cul_buf_addf(out, "%.0f h", seconds / 3600);
}

static void add_bytes(uint64_t bytes, struct cul_buf *out) {
  if (bytes < 10000)
    cul_buf_addf(out, "%llu B", (unsigned long long)bytes);
  else if (bytes < 10000 * 1000)
    cul_buf_addf(out, "%.0f kB", (double)bytes / 1e3);
  else
    cul_buf_addf(out, "%.0f MB", (double)bytes / 1e6);
}

/* Draw a bar, in units of an eighth of a block. */
static void add_blocks(size_t eighths, size_t cells,
                       struct cul_gauge_line *line, bool blocks) {
  static const char *const parts[] = {"\u258f", "\u258e", "\u258d", "\u258c",
                                      "\u258b", "\u258a", "\u2589"};
  struct cul_buf *out = &line->text;
  size_t n = eighths / 8;
  line->bar = out->len;
  for (size_t i = 0; i < n; i++)
    cul_buf_adds(out, blocks ? "\u2588" : "#");
  if (eighths % 8 && n < cells) {
    cul_buf_adds(out, blocks ? parts[eighths % 8 - 1] : "#");
    n++;
  }
  line->full = out->len;
  for (; n < cells; n++)
    cul_buf_adds(out, blocks ? "\u2591" : ".");
  line->bar_end = out->len;
}

/* The bar shows the share that is left; while anything is left it is not
 * empty. */
static void add_bar(const struct cul_gauge *gauge, size_t cells,
                    struct cul_gauge_line *line) {
  double part = gauge->of ? (double)gauge->left / (double)gauge->of : 0;
  size_t eighths = (size_t)((part > 1 ? 1 : part) * 8 * (double)cells + 0.5);
  if (eighths == 0 && gauge->left > 0)
    eighths = 1;
  cul_buf_adds(&line->text, " [");
  add_blocks(eighths, cells, line, gauge->blocks);
  cul_buf_addc(&line->text, ']');
}

static void add_left(const struct cul_gauge *gauge, bool brief,
                     struct cul_buf *out) {
  cul_buf_addf(out, "%s%llu", out->len ? " " : "",
               (unsigned long long)gauge->left);
  if (gauge->of)
    cul_buf_addf(out, brief ? "/%llu" : " of %llu",
                 (unsigned long long)gauge->of);
  cul_buf_addf(out, " %s", gauge->unit);
}

static void add_work(const struct cul_gauge *gauge, enum piece piece,
                     bool brief, struct cul_buf *out) {
  unsigned long long runs = gauge->runs, cached = gauge->cached;
  if (piece == RUNS)
    cul_buf_addf(out, brief ? " %llu+%llu runs" : "  %llu runs + %llu cached",
                 runs, cached);
  else if (piece == RATE)
    cul_buf_addf(out, brief ? " %.*f/s" : "  %.*f candidates/s",
                 gauge->rate < 9.95, gauge->rate);
  else if (piece == WORKERS)
    cul_buf_addf(out, brief ? " %u/%u busy" : "  %u of %u workers", gauge->busy,
                 gauge->workers);
}

static void add_times(const struct cul_gauge *gauge, enum piece piece,
                      bool brief, struct cul_buf *out) {
  if (piece == TIME) {
    cul_buf_addf(out, gauge->seconds < 60 ? "  %.0f s" : "  %.0f min",
                 gauge->seconds < 60 ? gauge->seconds : gauge->seconds / 60);
  } else if (gauge->eta_s > 0) {
    cul_buf_adds(out, gauge->at_least ? brief ? " >" : "  at least "
                      : brief         ? " ~"
                                      : "  about ");
    cul_gauge_time(gauge->eta_s, out);
    cul_buf_adds(out, " left");
  }
}

static void add_piece(const struct cul_gauge *gauge, enum piece piece,
                      bool brief, size_t cells, struct cul_gauge_line *line) {
  struct cul_buf *out = &line->text;
  switch (piece) {
  case DOING:
    cul_visible_line(gauge->doing, out);
    line->head = out->len;
    return;
  case BY:
    if (gauge->by) {
      cul_buf_adds(out, " (");
      cul_visible_line(gauge->by, out);
      cul_buf_addc(out, ')');
    }
    return;
  case BAR:
    if (gauge->of)
      add_bar(gauge, cells, line);
    return;
  case LEFT:
    add_left(gauge, brief, out);
    return;
  case BYTES:
    if (gauge->bytes) {
      cul_buf_adds(out, ", ");
      add_bytes(gauge->bytes, out);
    }
    return;
  case TIME:
  case ETA:
    add_times(gauge, piece, brief, out);
    return;
  default:
    add_work(gauge, piece, brief, out);
  }
}

/* Lay out the line without the pieces in `gone` (bits). */
static size_t lay_out(const struct cul_gauge *gauge, unsigned gone, bool brief,
                      size_t cells, struct cul_gauge_line *line) {
  cul_buf_clear(&line->text);
  line->head = 0;
  for (int piece = 0; piece < N; piece++) {
    if (piece == BAR)
      line->bar = line->full = line->bar_end = line->text.len;
    if (!(gone & 1U << piece))
      add_piece(gauge, (enum piece)piece, brief, cells, line);
  }
  return columns_of(line->text.data, line->text.len);
}

void cul_gauge_line(const struct cul_gauge *gauge, size_t columns,
                    struct cul_gauge_line *line) {
  enum { WIDE = 20, NARROW = 10 };
  size_t room = columns > 1 ? columns - 1 : 1, n;
  unsigned gone = 0;
  bool brief = lay_out(gauge, 0, false, WIDE, line) > room;
  n = brief ? lay_out(gauge, 0, true, NARROW, line) : 0;
  for (size_t i = 0; n > room && i < CUL_ARRAY_SIZE(order); i++) {
    gone |= 1U << order[i];
    n = lay_out(gauge, gone, true, NARROW, line);
  }
  if (n <= room)
    return;
  n = fitting(&line->text, room);
  line->text.data[n] = '\0';
  line->text.len = n;
}

double cul_gauge_time_left(const struct cul_gauge_work *work, bool *at_least) {
  const double first_s = 60, shortest_s = 30;
  uint64_t points =
      work->points > work->done ? work->points - work->done : work->points;
  double left_s;
  *at_least = false;
  if (work->seconds < first_s || work->rate <= 0 || points == 0 ||
      work->unknown * 3 > work->turns)
    return 0;
  left_s =
      (double)points * work->turns / (work->turns - work->unknown) / work->rate;
  if (work->limit_s > 0 && left_s > work->limit_s)
    return work->limit_s;
  *at_least = work->grows || work->more_phases || work->since_step < 2 * points;
  return *at_least && left_s < shortest_s ? 0 : left_s;
}
