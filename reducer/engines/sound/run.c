/* The functions that checks in compiled code call: see sound.h.  The choice
 * cannot be passed to them, so it is a global (tests/lint/exempt). */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/buf.h"
#include "sound.h"

static unsigned char chosen = 0x5b;
static char *met; /* heap; NULL: none */

/* The addresses of the globals without a value that this run has got. */
static struct cul_buf globals;

void cul_sound_set(unsigned char byte) {
  chosen = byte;
  globals.len = 0;
  free(met);
  met = NULL;
}

const char *cul_sound_met(void) { return met; }

void cul_sound_end(const char *what) {
  fprintf(stderr, "error: undefined behaviour: %s\n", what);
  fflush(stderr);
  _exit(CUL_JIT_UNSOUND);
}

/* Returns a message made by tell() in sound.c, "arith.shli of i32 by {}, at
 * x.mlir:3:8", with the number in place of {}.  Heap. */
static char *say(const char *text, int64_t number) {
  const char *mark = strstr(text, "{}");
  if (!mark)
    return cul_xstrdup(text);
  return cul_xasprintf("%.*s%lld%s", (int)(mark - text), text,
                       (long long)number, mark + 2);
}

static void undefined(int64_t bad, int64_t text, int64_t number) {
  if (bad)
    cul_sound_end(say((const char *)(uintptr_t)text, number));
}

static int64_t poison(int64_t bad, int64_t text, int64_t number) {
  uint64_t out;
  memset(&out, chosen, sizeof out);
  if (bad && !met)
    met = say((const char *)(uintptr_t)text, number);
  return (int64_t)out;
}

static void raise_one(int64_t bad, int64_t exception, int64_t ignored) {
  (void)ignored;
  if (bad)
    feraiseexcept((int)exception);
}

static void fill(int64_t memory, int64_t bytes, int64_t byte) {
  memset((void *)(uintptr_t)memory, (int)byte, (size_t)bytes);
}

/* A global without a value has the chosen bytes in each run, until it is
 * written to. */
static void fresh(int64_t memory, int64_t bytes, int64_t ignored) {
  (void)ignored;
  if (bytes <= 0) /* its address may be that of another global */
    return;
  for (size_t at = 0; at < globals.len; at += sizeof memory)
    if (memcmp(globals.data + at, &memory, sizeof memory) == 0)
      return;
  cul_buf_add(&globals, &memory, sizeof memory);
  memset((void *)(uintptr_t)memory, chosen, (size_t)bytes);
  if (!met)
    met = cul_xstrdup("a global without a value");
}

const struct cul_jit_symbol cul_sound_symbols[] = {
    {"culprit_undefined", (void *)undefined},
    {"culprit_poison", (void *)poison},
    {"culprit_raise", (void *)raise_one},
    {"culprit_fill", (void *)fill},
    {"culprit_fresh", (void *)fresh},
    {NULL, NULL}};
