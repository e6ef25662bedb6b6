/* Suggestions for mistyped words: see nearest.h. */
#include "nearest.h"

#include <stdint.h>
#include <string.h>

#include "../err.h"

enum { MOST = 40 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The number of edits that turn a into b: one character inserted, deleted or
 * replaced, or two neighbours exchanged (optimal string alignment). */
static size_t distance(const char *a, const char *b) {
  size_t rows[3][MOST + 1], n = strlen(b);
  size_t *before = rows[0], *last = rows[1], *row = rows[2];
  if (n > MOST || strlen(a) > MOST)
    return SIZE_MAX;
  for (size_t j = 0; j <= n; j++)
    last[j] = j;
  for (size_t i = 1; a[i - 1]; i++) {
    size_t *spare = before;
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]),
                     least(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
    row = spare;
  }
  return last[n];
}

void cul_nearest_try(struct cul_nearest *nearest, const char *name) {
  size_t len = strlen(nearest->typed), cost;
  if (len < 3)
    return;
  if (strncmp(name, nearest->typed, len) == 0) {
    nearest->several = nearest->name && nearest->cost == 0;
    nearest->name = name;
    nearest->cost = 0;
    return;
  }
  cost = distance(nearest->typed, name);
  if (cost > len / 3 || (nearest->name && cost >= nearest->cost))
    return;
  nearest->name = name;
  nearest->cost = cost;
}
