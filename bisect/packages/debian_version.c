/* Versions of Debian packages: see debs.h. */
#include <ctype.h>
#include <stdlib.h>

#include "debs.h"

/* The rank of a character: "~" is before the end, letters before all others. */
static int rank(const char *at, const char *end) {
  unsigned char c = at < end ? (unsigned char)*at : 0;
  if (at >= end || isdigit(c))
    return 0;
  return c == '~' ? -1 : isalpha(c) ? c : c + 256;
}

static const char *skip_zeros(const char *at, const char *end) {
  while (at < end && *at == '0')
    at++;
  return at;
}

static size_t digits(const char *at, const char *end) {
  size_t n = 0;
  while (at + n < end && isdigit((unsigned char)at[n]))
    n++;
  return n;
}

/* Compare non-numbers and numbers in turns. */
static int order(struct cul_bytes one, struct cul_bytes other) {
  const char *a = one.data, *a_end = a + one.len;
  const char *b = other.data, *b_end = b + other.len;
  while (a < a_end || b < b_end) {
    size_t m, n;
    int diff;
    while ((a < a_end && !isdigit((unsigned char)*a)) ||
           (b < b_end && !isdigit((unsigned char)*b))) {
      diff = rank(a, a_end) - rank(b, b_end);
      if (diff)
        return diff;
      a += a < a_end;
      b += b < b_end;
    }
    a = skip_zeros(a, a_end);
    b = skip_zeros(b, b_end);
    m = digits(a, a_end);
    n = digits(b, b_end);
    diff = m != n ? (m > n) - (m < n) : m ? memcmp(a, b, m) : 0;
    if (diff)
      return diff;
    a += m;
    b += n;
  }
  return 0;
}

struct parts {
  unsigned long epoch;
  struct cul_bytes upstream, revision;
};

static struct parts cut(const char *text) {
  const char *colon = strchr(text, ':'), *from = colon ? colon + 1 : text;
  const char *dash = strrchr(from, '-'), *end = from + strlen(from);
  struct parts out = {.epoch = colon ? strtoul(text, NULL, 10) : 0};
  out.upstream = (struct cul_bytes){from, (size_t)((dash ? dash : end) - from)};
  out.revision = dash ? (struct cul_bytes){dash + 1, (size_t)(end - dash - 1)}
                      : (struct cul_bytes){end, 0};
  return out;
}

int cul_debian_compare(const char *a, const char *b) {
  struct parts one = cut(a), other = cut(b);
  int diff = (one.epoch > other.epoch) - (one.epoch < other.epoch);
  if (!diff)
    diff = order(one.upstream, other.upstream);
  return diff ? diff : order(one.revision, other.revision);
}
