/* Members of tar archives, as ustar, pax and GNU write them: POSIX.1-2001,
 * "pax Interchange Format", and the manual of GNU tar. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

enum {
  BLOCK = 512,
  NAME = 0, /* offsets and lengths of a header's fields */
  N_NAME = 100,
  SIZE = 124,
  N_SIZE = 12,
  SUM = 148,
  N_SUM = 8,
  TYPE = 156,
  MAGIC = 257,
  PREFIX = 345,
  N_PREFIX = 155,
};

/* Octal digits after blanks, up to a blank or a zero; false where there are
 * others. */
static bool octal(const char *field, size_t len, size_t *out) {
  size_t i = 0;
  *out = 0;
  while (i < len && field[i] == ' ')
    i++;
  for (; i < len && field[i] && field[i] != ' '; i++) {
    if (field[i] < '0' || field[i] > '7')
      return false;
    *out = *out << 3 | (size_t)(field[i] - '0');
  }
  return true;
}

/* Is there a header, with the sum of its bytes? */
static bool is_header(const char *block) {
  size_t want, sum = 0;
  if (memcmp(block + MAGIC, "ustar", 5) != 0 ||
      !octal(block + SUM, N_SUM, &want))
    return false;
  for (size_t i = 0; i < BLOCK; i++)
    sum += i >= SUM && i < SUM + N_SUM ? ' ' : (unsigned char)block[i];
  return sum == want;
}

bool cul_is_tar(struct cul_bytes raw) {
  return raw.len >= BLOCK && is_header(raw.data);
}

/* "path=" of a pax header: records "LENGTH KEY=VALUE\n". */
static char *path_of_pax(struct cul_bytes records) {
  char *path = NULL;
  size_t at = 0;
  while (at < records.len) {
    const char *record = records.data + at;
    size_t len = 0, i = 0, left = records.len - at;
    for (; i < left && record[i] >= '0' && record[i] <= '9' && len < left; i++)
      len = len * 10 + (size_t)(record[i] - '0');
    if (i == 0 || len > left || len < i + 2)
      break;
    if (len > i + 6 && !memcmp(record + i, " path=", 6)) {
      free(path);
      path = cul_xstrndup(record + i + 6, len - i - 7);
    }
    at += len;
  }
  return path;
}

static char *name_of(const char *block) {
  const char *prefix = block + PREFIX;
  size_t n = strnlen(prefix, N_PREFIX);
  if (memcmp(block + MAGIC, "ustar\0", 6) != 0) /* GNU's: no prefix there */
    n = 0;
  return cul_xasprintf("%.*s%s%.*s", (int)n, prefix, n ? "/" : "", N_NAME,
                       block + NAME);
}

/* One entry; *name is that of the next one, where a header before it said so.
 */
static void take_entry(const char *block, struct cul_bytes data, char **name,
                       const struct cul_tar *to) {
  char type = block[TYPE];
  char *own;
  if (type == 'x' || type == 'L') {
    free(*name);
    *name = type == 'x' ? path_of_pax(data) : cul_xstrndup(data.data, data.len);
    return;
  }
  own = *name ? *name : name_of(block);
  *name = NULL;
  if (type == '0' || type == '\0' || type == '7')
    to->member(to->self, own, data);
  free(own);
}

bool cul_untar(struct cul_bytes raw, const struct cul_tar *to) {
  size_t at = 0, size;
  char *name = NULL;
  bool whole = true;
  while (whole && at + BLOCK <= raw.len && raw.data[at]) {
    const char *block = raw.data + at;
    at += BLOCK;
    whole = is_header(block) && octal(block + SIZE, N_SIZE, &size) &&
            size <= raw.len - at;
    if (!whole)
      break;
    take_entry(block, (struct cul_bytes){raw.data + at, size}, &name, to);
    size = (size + BLOCK - 1) / BLOCK * BLOCK;
    at += size <= raw.len - at ? size : raw.len - at;
  }
  free(name);
  return whole && at < raw.len; /* zeros end it */
}
