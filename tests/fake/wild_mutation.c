/* A plugin of --mutation that erases lines, and goes wrong in the way that
 * $WILD names. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mutations/plugin.h"

static int is(const char *way) {
  const char *wild = getenv("WILD");
  return wild && strcmp(wild, way) == 0;
}

static int list_lines(const char *text, size_t len, cul_mutation_add_fn *add,
                      void *to) {
  if (is("sites-abort"))
    abort();
  if (is("outside"))
    add(to, (struct cul_mutation_place){1, (uint32_t)len + 1});
  for (size_t at = 0, end; at < len; at = end) {
    const char *feed = memchr(text + at, '\n', len - at);
    end = feed ? (size_t)(feed - text) + 1 : len;
    add(to, (struct cul_mutation_place){(uint32_t)at, (uint32_t)end});
  }
  return is("sites-fail");
}

static int erase_lines(const char *text, size_t len,
                       const struct cul_mutation_place *places, size_t n,
                       cul_mutation_write_fn *write, void *to) {
  size_t at = 0;
  if (is("apply-abort"))
    abort();
  for (size_t i = 0; i < n; i++) {
    if (is("hang-at-kept") && strncmp(text + places[i].start, "kept", 4) == 0)
      pause();
    write(to, text + at, places[i].start - at);
    at = places[i].end;
  }
  write(to, text + at, len - at);
  return is("apply-fail");
}

CUL_MUTATION_PLUGIN("wild-lines", "erase lines, or go\twrong", list_lines,
                    erase_lines);
