/* See pulse.h. */
#include "pulse.h"

#include <string.h>
#include <sys/ioctl.h>

#include "../buf.h"
#include "../visible.h"

static const uint64_t second = 1000 * 1000;

void cul_pulse_init(struct cul_pulse *pulse, FILE *out, bool live,
                    unsigned columns, uint64_t now_us) {
  *pulse = (struct cul_pulse){.out = out,
                              .live = live,
                              .columns = columns,
                              .quiet_us = live ? second / 2 : 30 * second,
                              .worth_us = live ? second : 30 * second,
                              .redraw_us = live ? second / 10 : 30 * second,
                              .shown_us = now_us};
}

static double seconds(uint64_t us) { return (double)us / 1e6; }

/* "3.1 s of at most 60 s".  Elapsed time beyond the limit is not the run's own:
 * the machine is busy. */
static void describe_time(const struct cul_status *status, uint64_t now_us,
                          struct cul_buf *out) {
  uint64_t elapsed = now_us - status->started_us;
  cul_buf_addf(out, ", %.1f s", seconds(elapsed));
  if (!status->limit_us)
    return;
  cul_buf_addf(out,
               seconds(status->limit_us) < 100 ? " of at most %.3g s"
                                               : " of at most %.0f s",
               seconds(status->limit_us));
  if (elapsed > status->limit_us + second)
    cul_buf_adds(out, ", less what other processes take");
}

/* "run 2 of 5, 3.1 s of at most 60 s" */
static void describe_runs(const struct cul_status *status, uint64_t now_us,
                          struct cul_buf *out) {
  unsigned long long first = status->runs + 1;
  unsigned long long last = status->runs + status->running;
  if (status->running == 1)
    cul_buf_addf(out, "run %llu", first);
  else
    cul_buf_addf(out, "runs %llu to %llu", first, last);
  if (status->of >= last)
    cul_buf_addf(out, " of %llu", (unsigned long long)status->of);
  describe_time(status, now_us, out);
}

/* "mlir-opt on a.mlir: run 2, 3.1 s (run 1: 3.0 s)" */
static void describe(const struct cul_status *status, uint64_t now_us,
                     struct cul_buf *out) {
  cul_visible_line(status->task, out); /* a file name may contain a newline */
  if (status->task[0])
    cul_buf_adds(out, ": ");
  if (status->running)
    describe_runs(status, now_us, out);
  else
    cul_buf_addf(out, "%llu run%s, %.1f s", (unsigned long long)status->runs,
                 cul_s(status->runs), seconds(now_us - status->since_us));
  if (status->running && status->last_us)
    cul_buf_addf(out, " (run %llu: %.1f s)", (unsigned long long)status->runs,
                 seconds(status->last_us));
}

/* The number of bytes of the line that fit, in whole characters. */
static int fitting(const struct cul_buf *line, size_t room) {
  size_t n = line->len < room ? line->len : room;
  while (n > 0 && n < line->len &&
         ((unsigned char)line->data[n] & 0xc0) == 0x80)
    n--;
  return (int)n;
}

/* Asked each time: the width of a terminal may change at any moment. */
static size_t room_of(const struct cul_pulse *pulse,
                      const struct cul_buf *line) {
  struct winsize size;
  size_t columns = pulse->columns;
  if (ioctl(fileno(pulse->out), TIOCGWINSZ, &size) == 0 && size.ws_col)
    columns = size.ws_col;
  return columns > 1 ? columns - 1 : line->len;
}

static void tell(struct cul_pulse *pulse, const char *line, uint64_t now_us) {
  cul_pulse_make_way(pulse, now_us);
  cul_say(pulse->out, "%s\n", line);
  fflush(pulse->out);
}

/* Leave the cursor at the start: later output overwrites the line. */
static void draw(struct cul_pulse *pulse, const struct cul_buf *line) {
  fputs("\r\033[K", pulse->out);
  cul_say(pulse->out, "%.*s", fitting(line, room_of(pulse, line)), line->data);
  fputs("\r", pulse->out);
  fflush(pulse->out);
  pulse->drawn = true;
}

void cul_pulse_beat(struct cul_pulse *pulse, const struct cul_status *status,
                    bool at_once, uint64_t now_us) {
  struct cul_buf line = {0};
  uint64_t wait = pulse->drawn ? pulse->redraw_us : pulse->quiet_us;
  if (!at_once && now_us - pulse->shown_us < wait)
    return;
  pulse->shown_us = now_us;
  cul_buf_adds(&line, "running ");
  describe(status, now_us, &line);
  if (pulse->live && !at_once)
    draw(pulse, &line);
  else
    tell(pulse, cul_buf_str(&line), now_us);
  cul_buf_release(&line);
}

void cul_pulse_note(struct cul_pulse *pulse, const char *line, uint64_t left_us,
                    uint64_t now_us) {
  if (left_us >= pulse->worth_us)
    tell(pulse, line, now_us);
}

void cul_pulse_make_way(struct cul_pulse *pulse, uint64_t now_us) {
  pulse->shown_us = now_us;
  if (!pulse->drawn)
    return;
  pulse->drawn = false;
  fputs("\r\033[K", pulse->out);
  fflush(pulse->out);
}
