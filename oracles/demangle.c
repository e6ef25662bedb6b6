/* Mangled names: those of C++ and the older ones of Rust by the C++ library's
 * demangler, Rust's newer ones (v0) by their paths. */
#include "rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 4096, MAX_DEPTH = 32 };

/* Itanium C++ ABI; in libstdc++. */
char *__cxa_demangle(const char *name, char *out, size_t *size, int *status);

/* "::h0123456789abcdef" at the end: the hash of an older Rust name. */
static void drop_hash(struct cul_buf *out) {
  size_t n = out->len;
  if (n < 19 || memcmp(out->data + n - 19, "::h", 3) != 0)
    return;
  for (size_t i = n - 16; i < n; i++)
    if (!isxdigit((unsigned char)out->data[i]))
      return;
  out->len = n - 19;
  out->data[out->len] = '\0';
}

static bool demangle_cxx(const char *name, struct cul_buf *out) {
  int status = 0;
  char *plain = __cxa_demangle(name, NULL, NULL, &status);
  if (plain)
    cul_buf_adds(out, plain);
  free(plain);
  drop_hash(out);
  return plain != NULL;
}

/* ---- Rust v0: RFC 2603 ---- */

struct v0 {
  const char *s, *end, *start;
  struct cul_buf *out;
  int depth;
};

static bool take(struct v0 *p, char c) {
  if (p->s == p->end || *p->s != c)
    return false;
  p->s++;
  return true;
}

static size_t digit_of(unsigned char c) {
  if (isdigit(c))
    return (size_t)(c - '0');
  return (size_t)(islower(c) ? c - 'a' + 10 : c - 'A' + 36);
}

/* Digits and letters up to '_': a number in base 62, one less than it counts.
 */
static bool base_62(struct v0 *p, size_t *out) {
  size_t value = 0;
  if (take(p, '_')) {
    *out = 0;
    return true;
  }
  for (; p->s < p->end && *p->s != '_'; p->s++) {
    unsigned char c = (unsigned char)*p->s;
    if (!isalnum(c) || value > SIZE_MAX / 64)
      return false;
    value = value * 62 + digit_of(c);
  }
  *out = value + 1;
  return take(p, '_');
}

/* [s NUMBER] [u] LENGTH [_] BYTES; nothing is written of an empty one. */
static bool identifier(struct v0 *p, bool first) {
  size_t len = 0, ignored;
  if (take(p, 's') && !base_62(p, &ignored))
    return false;
  take(p, 'u');
  if (p->s == p->end || !isdigit((unsigned char)*p->s))
    return false;
  while (p->s < p->end && isdigit((unsigned char)*p->s) && len < MAX_NAME)
    len = len * 10 + (size_t)(*p->s++ - '0');
  take(p, '_');
  if (len > (size_t)(p->end - p->s))
    return false;
  if (len && !first)
    cul_buf_adds(p->out, "::");
  cul_buf_add(p->out, p->s, len);
  p->s += len;
  return true;
}

static bool path(struct v0 *p);

/* A path that stands further in front. */
static bool back_reference(struct v0 *p) {
  struct v0 there = *p;
  size_t at;
  bool ok;
  if (!base_62(p, &at) || at >= (size_t)(p->s - p->start))
    return false;
  there.s = p->start + at;
  ok = path(&there);
  return ok;
}

static bool nested(struct v0 *p) {
  bool closure;
  if (p->s == p->end)
    return false;
  closure = *p->s++ == 'C';
  if (!path(p) || !identifier(p, false))
    return false;
  if (closure)
    cul_buf_adds(p->out, "::lambda");
  return true;
}

/* Of an impl the type's path is the name. */
static bool implementation(struct v0 *p) {
  size_t ignored, len = p->out->len;
  if (take(p, 's') && !base_62(p, &ignored))
    return false;
  if (!path(p))
    return false;
  p->out->len = len; /* the module that the impl stands in */
  return path(p);
}

static bool path(struct v0 *p) {
  bool ok;
  if (p->s == p->end || p->depth++ > MAX_DEPTH || p->out->len > MAX_NAME)
    return false;
  switch (*p->s++) {
  case 'C':
    ok = identifier(p, true);
    break;
  case 'N':
    ok = nested(p);
    break;
  case 'I': /* generic arguments follow: they are not part of a name */
  case 'Y':
    ok = path(p);
    break;
  case 'M':
  case 'X':
    ok = implementation(p);
    break;
  case 'B':
    ok = back_reference(p);
    break;
  default:
    ok = false;
  }
  p->depth--;
  return ok;
}

static bool demangle_v0(const char *name, size_t len, struct cul_buf *out) {
  struct v0 p = {name + 2, name + len, name + 2, out, 0};
  if (path(&p))
    return true;
  cul_buf_clear(out);
  return false;
}

bool cul_demangle(const char *text, size_t len, struct cul_buf *out) {
  char *name;
  bool ok;
  while (len > 3 && text[0] == '_' && text[1] == '_') { /* as on macOS */
    text++;
    len--;
  }
  if (len < 4 || len > MAX_NAME || text[0] != '_' ||
      (text[1] != 'Z' && text[1] != 'R') || memchr(text, ' ', len))
    return false;
  name = cul_xstrndup(text, len);
  ok = text[1] == 'Z' ? demangle_cxx(name, out) : demangle_v0(name, len, out);
  free(name);
  return ok;
}
