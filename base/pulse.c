/* See pulse.h. */
#include "pulse.h"

#include <string.h>

#include "buf.h"
#include "visible.h"

static const uint64_t second = 1000 * 1000;

void cul_pulse_init(struct cul_pulse *pulse, FILE *out, bool live,
                    unsigned columns, uint64_t now_us) {
  *pulse = (struct cul_pulse){.out = out,
                              .live = live,
                              .columns = columns,
                              .quiet_us = live ? second : 30 * second,
                              .redraw_us = live ? second / 10 : 30 * second,
                              .shown_us = now_us};
}

static double seconds(uint64_t us) { return (double)us / 1e6; }

/* "mlir-opt on a.mlir: run 2, 3.1 s (run 1: 3.0 s)" */
static void describe(const struct cul_status *status, uint64_t now_us,
                     struct cul_buf *out) {
  unsigned long long first = status->runs + 1;
  cul_visible_line(status->task, out); /* a file's name may have two lines */
  if (status->task[0])
    cul_buf_adds(out, ": ");
  if (status->running == 1)
    cul_buf_addf(out, "run %llu, %.1f s", first,
                 seconds(now_us - status->started_us));
  else if (status->running > 1)
    cul_buf_addf(out, "runs %llu to %llu, %.1f s", first,
                 first + status->running - 1,
                 seconds(now_us - status->started_us));
  else
    cul_buf_addf(out, "%llu run%s, %.1f s", (unsigned long long)status->runs,
                 cul_s(status->runs), seconds(now_us - status->since_us));
  if (status->running && status->last_us)
    cul_buf_addf(out, " (run %llu: %.1f s)", (unsigned long long)status->runs,
                 seconds(status->last_us));
}

/* As many bytes of the line as fit, and no part of a character. */
static int fitting(const struct cul_buf *line, size_t room) {
  size_t n = line->len < room ? line->len : room;
  while (n > 0 && n < line->len &&
         ((unsigned char)line->data[n] & 0xc0) == 0x80)
    n--;
  return (int)n;
}

void cul_pulse_beat(struct cul_pulse *pulse, const struct cul_status *status,
                    uint64_t now_us) {
  struct cul_buf line = {0};
  uint64_t wait = pulse->drawn ? pulse->redraw_us : pulse->quiet_us;
  if (now_us - pulse->shown_us < wait)
    return;
  pulse->shown_us = now_us;
  cul_buf_adds(&line, "running ");
  describe(status, now_us, &line);
  if (pulse->live) {
    /* The cursor waits in front: what comes next takes the line's place. */
    size_t room = pulse->columns > 1 ? pulse->columns - 1 : line.len;
    fputs("\r\033[K", pulse->out);
    cul_say(pulse->out, "%.*s", fitting(&line, room), line.data);
    fputs("\r", pulse->out);
    pulse->drawn = true;
  } else {
    cul_say(pulse->out, "%s\n", line.data);
  }
  fflush(pulse->out);
  cul_buf_release(&line);
}

void cul_pulse_tell(struct cul_pulse *pulse, const struct cul_status *status,
                    uint64_t now_us) {
  struct cul_buf line = {0};
  cul_buf_adds(&line, "running ");
  describe(status, now_us, &line);
  cul_pulse_note(pulse, cul_buf_str(&line), UINT64_MAX, now_us);
  cul_buf_release(&line);
}

void cul_pulse_note(struct cul_pulse *pulse, const char *line, uint64_t left_us,
                    uint64_t now_us) {
  if (left_us < pulse->quiet_us)
    return;
  cul_pulse_make_way(pulse, now_us);
  cul_say(pulse->out, "%s\n", line);
  fflush(pulse->out);
}

void cul_pulse_make_way(struct cul_pulse *pulse, uint64_t now_us) {
  pulse->shown_us = now_us;
  if (!pulse->drawn)
    return;
  pulse->drawn = false;
  fputs("\r\033[K", pulse->out);
  fflush(pulse->out);
}
