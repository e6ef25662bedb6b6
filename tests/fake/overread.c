/* A tool that looks behind the end of a table where FILE says "use":
 * fake-overread FILE.  What lies there are its counts of the text, and of one
 * text in 16 they are taken for an address that is none. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 3, BEHIND = ENTRIES + 1 };

__attribute__((noinline)) static int look_up(const char *const *table,
                                             size_t i) {
  return table[i] ? *table[i] : 0;
}

static uint64_t digest(const char *text) {
  uint64_t sum = 14695981039346656037u;
  for (; *text; text++)
    sum = (sum ^ (unsigned char)*text) * 1099511628211u;
  return (sum ^ sum >> 29) * 11400714819323198485u >> 40;
}

int main(int argc, char **argv) {
  static char text[65536];
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  const char **table = calloc(ENTRIES, sizeof *table);
  volatile uint64_t *counts = calloc(ENTRIES, sizeof *counts);
  volatile size_t at = BEHIND;
  if (!table || !counts)
    return 2;
  text[n] = '\0';
  counts[0] = digest(text) % 16 ? 0 : UINT64_C(1) << 63 | n;
  return strstr(text, "use") ? look_up(table, at) & 1 : 0;
}
