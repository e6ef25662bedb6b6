/* See status.h. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

#include "clock.h"

static struct cul_status status;
static struct cul_status_viewer viewer;
static const volatile int *asked;
static unsigned said; /* reported ones: bits, 1 << enum cul_transient */

void cul_status_view(const struct cul_status_viewer *who) {
  viewer = who ? *who : (struct cul_status_viewer){0};
  if (!status.since_us)
    status.since_us = cul_now_us();
}

void cul_status_task(const char *fmt, ...) {
  va_list args;
  cul_status_make_way();
  status = (struct cul_status){.since_us = cul_now_us()};
  va_start(args, fmt);
  vsnprintf(status.task, sizeof status.task, fmt, args);
  va_end(args);
}

void cul_status_runs_left(uint64_t n) { status.of = status.runs + n; }

void cul_status_run_started(uint64_t limit_ms) {
  status.running++;
  status.limit_us = limit_ms * 1000;
  status.started_us = cul_now_us();
}

void cul_status_run_ended(uint64_t took_us) {
  if (status.running)
    status.running--;
  status.runs += took_us > 0;
  if (took_us)
    status.last_us = took_us;
}

void cul_status_beat(void) {
  if (viewer.beat)
    viewer.beat(viewer.self, &status);
}

void cul_status_note(uint64_t left_us, const char *fmt, ...) {
  char line[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  if (viewer.note)
    viewer.note(viewer.self, line, left_us);
}

void cul_status_transient(enum cul_transient kind, const char *fmt, ...) {
  char line[1024];
  va_list args;
  if (said & 1U << kind)
    return;
  said |= 1U << kind;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  if (viewer.note)
    viewer.note(viewer.self, line, UINT64_MAX);
}

void cul_status_make_way(void) {
  if (viewer.make_way)
    viewer.make_way(viewer.self);
}

void cul_status_watch(const volatile int *flag) { asked = flag; }

bool cul_status_interrupted(void) { return asked && *asked; }
