/* Errors: see err.h. */
#include "err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "visible.h"

void cul_vphrase(char *out, size_t size, const char *fmt, va_list args) {
  static const char gap[] = " ... ";
  char whole[4096];
  int printed = vsnprintf(whole, sizeof whole, fmt, args);
  size_t len = printed < 0 ? 0 : strlen(whole), head, tail;
  if (len < size || size <= sizeof gap) {
    snprintf(out, size, "%s", printed < 0 ? "" : whole);
    return;
  }
  /* The rest is shared, and no character of UTF-8 is halved. */
  head = (size - sizeof gap) / 2;
  tail = len - (size - sizeof gap - head);
  while (head && ((unsigned char)whole[head] & 0xc0) == 0x80)
    head--;
  while (((unsigned char)whole[tail] & 0xc0) == 0x80)
    tail++;
  snprintf(out, size, "%.*s%s%s", (int)head, whole, gap, whole + tail);
}

void cul_phrase(char *out, size_t size, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  cul_vphrase(out, size, fmt, args);
  va_end(args);
}

static int fail(struct cul_err *err, enum cul_code code, const char *advice,
                const char *fmt, va_list args) {
  err->code = code;
  err->of_command = err->changed = false;
  cul_vphrase(err->what, sizeof err->what, fmt, args);
  snprintf(err->advice, sizeof err->advice, "%s", advice);
  return code;
}

int cul_fail(struct cul_err *err, enum cul_code code, const char *advice,
             const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fail(err, code, advice, fmt, args);
  va_end(args);
  return code;
}

int cul_fail_command(struct cul_err *err, const char *advice, const char *fmt,
                     ...) {
  va_list args;
  va_start(args, fmt);
  fail(err, CUL_EENV, advice, fmt, args);
  va_end(args);
  err->of_command = true;
  return CUL_EENV;
}

int cul_fail_in(struct cul_err *err, const char *fmt, ...) {
  char what[sizeof err->what], context[sizeof err->what];
  va_list args;
  va_start(args, fmt);
  cul_vphrase(context, sizeof context, fmt, args);
  va_end(args);
  cul_phrase(what, sizeof what, "%s: %s", context, err->what);
  memcpy(err->what, what, sizeof what);
  return err->code;
}

int cul_exit_status(int code) {
  switch ((enum cul_code)code) {
  case CUL_OK:
    return 0;
  case CUL_EUSAGE:
    return 2;
  case CUL_ENOFAIL:
    return 3;
  case CUL_EFLAKY:
    return 4;
  case CUL_EBUDGET:
    return 5;
  case CUL_EENV:
  case CUL_ELOST:
    return 6;
  case CUL_EDIFFER:
    return 7;
  case CUL_EFOUND:
    return 8;
  case CUL_ESEVERAL:
    return 9;
  case CUL_EINTR:
    return 130;
  case CUL_EINTERNAL:
  case CUL_ECHILD:
    return 1;
  }
  return 1;
}

/* A global: memory may run out below any function. */
static bool quiet;

void cul_no_memory_quietly(void) { quiet = true; }

/* quick_exit, not exit(3): handlers of exit(3) need memory, or belong to the
 * parent of a fork. The quick_exit handlers of workers, supervisors and pools
 * report the end. */
void cul_no_memory(size_t bytes) {
  char asked[64] = "", text[256];
  int n;
  if (bytes)
    snprintf(asked, sizeof asked, " (%zu bytes were asked for)", bytes);
  n = snprintf(text, sizeof text,
               "culprit: out of memory%s\n  allow more memory, or give fewer "
               "workers (-j); then run the same command again\n",
               asked);
  if (!quiet && write(STDERR_FILENO, text, (size_t)n) < 0)
    quick_exit(1);
  quick_exit(6);
}

void cul_bug(const char *fmt, ...) {
  va_list args;
  fputs("culprit: internal error: ", stderr);
  va_start(args, fmt);
  cul_vsay(stderr, fmt, args);
  va_end(args);
  fputs("\n  all files written so far are intact; please report this\n",
        stderr);
  abort();
}
