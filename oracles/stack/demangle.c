/* Demangles names: C++ and older Rust names by the C++ library's demangler,
 * newer Rust names (v0) by their paths. */
#include "../rules/rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 4096, MAX_DEPTH = 32, MAX_STEPS = 1024 };

/* Itanium C++ ABI; part of libstdc++. */
char *__cxa_demangle(const char *name, char *out, size_t *size, int *status);

/* ---- C++ ---- */

/* Names refer back to their own parts, so a few hundred bytes can expand to
 * gigabytes: a name is demangled only if its result is surely shorter than
 * this. */
enum { MAX_PLAIN = 1 << 20 };

/* An upper bound on the length of the readable form. Every part counts with the
 * longest word that one letter can denote; every reference to an earlier part
 * counts with all text before it, unless it refers to a prefix of the nested
 * name at the start. */
struct bound {
  const char *s;
  size_t total;
  size_t known[8],
      n_known;         /* lengths of the first parts that can be referred to */
  size_t n_parameters; /* number of T_ references */
};

static void grow(struct bound *b, size_t by) {
  if (__builtin_add_overflow(b->total, by, &b->total))
    b->total = SIZE_MAX;
}

/* Parse a length and that many letters; false: there are none. They are
 * appended to out, which may be NULL. */
static bool bound_word(struct bound *b, struct cul_buf *out, size_t *size) {
  char *end;
  unsigned long long n;
  if (!isdigit((unsigned char)*b->s))
    return false;
  n = strtoull(b->s, &end, 10);
  *size = strnlen(end, n < MAX_NAME ? (size_t)n : MAX_NAME);
  if (out && out->len)
    cul_buf_adds(out, "::");
  if (out)
    cul_buf_add(out, end, *size);
  b->s = end + *size;
  return true;
}

/* Parse _ZN4mlir4Pass...: each word but the last can be referred to. */
static void bound_prefix(struct bound *b, struct cul_buf *out) {
  size_t size = 0, sum = 0;
  if (strncmp(b->s, "_ZN", 3) != 0)
    return;
  b->s += 3;
  b->s += strspn(b->s, "rVKRO");
  while (bound_word(b, out, &size)) {
    sum += size + 2;
    grow(b, size + 2);
    if (b->n_known < CUL_ARRAY_SIZE(b->known) && *b->s != 'E')
      b->known[b->n_known++] = sum;
  }
}

/* Parse S_, S3_, T_, T1_; false: no reference. */
static bool bound_reference(struct bound *b) {
  const char *end = b->s + 1;
  size_t number = 0;
  if (*b->s != 'S' && *b->s != 'T')
    return false;
  for (; isdigit((unsigned char)*end) || isupper((unsigned char)*end); end++)
    if (number < MAX_NAME)
      number = number * 36 + 1;
  if (*end != '_')
    return false;
  b->n_parameters += *b->s == 'T';
  /* S_ is the first part, S0_ the second. */
  if (number == 1)
    number = (size_t)(isdigit((unsigned char)b->s[1]) ? b->s[1] - '0'
                                                      : b->s[1] - 'A' + 10) +
             1;
  grow(b, *b->s == 'S' && number < b->n_known ? b->known[number] : b->total);
  b->s = end + 1;
  return true;
}

/* The bound for name; prefix: the words at its start are appended, or NULL. */
static size_t bound_of(const char *name, struct cul_buf *prefix) {
  enum { LONGEST = 80 }; /* Ss: std::basic_string<char, ...> */
  struct bound b = {.s = name};
  size_t size = 0, packs = 0;
  bool conversion = strstr(name, "cv") != NULL;
  bound_prefix(&b, prefix);
  while (*b.s)
    if (bound_word(&b, NULL, &size)) {
      grow(&b, size + 2);
    } else if (!bound_reference(&b)) {
      packs += strncmp(b.s, "Dp", 2) == 0 || strncmp(b.s, "sp", 2) == 0;
      /* A constructor is written as the word before it. */
      grow(&b, *b.s == 'S' || *b.s == 'C' || *b.s == 'D' ? LONGEST + size : 20);
      b.s++;
    }
  /* A pack is written once for each member; the parameters of a conversion
   * follow its name. */
  while (packs-- && b.total < MAX_PLAIN)
    b.total *= 16;
  return conversion && b.total < MAX_PLAIN ? b.total * (1 + b.n_parameters)
                                           : b.total;
}

static bool demangle_cxx(const char *name, struct cul_buf *out) {
  int status = 0;
  char *plain;
  if (bound_of(name, NULL) > MAX_PLAIN) { /* use the words at the start */
    size_t before = out->len;
    bound_of(name, out);
    return out->len > before;
  }
  plain = __cxa_demangle(name, NULL, NULL, &status);
  if (plain)
    cul_buf_adds(out, plain);
  free(plain);
  return plain != NULL;
}

/* ---- Rust v0: RFC 2603 ---- */

struct v0 {
  const char *s, *end, *start;
  struct cul_buf *out;
  int depth, *steps; /* steps: few bytes with references can need many */
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

/* Parse digits and letters up to '_': a base-62 number plus 1; "_" alone is
 * 0. */
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

/* Parse [s NUMBER] [u] LENGTH [_] BYTES; an empty identifier writes nothing. */
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
static bool type(struct v0 *p);

/* Parse an earlier path or type that is referred to. */
static bool back_reference(struct v0 *p) {
  struct v0 there = *p;
  size_t at;
  bool ok;
  if (!base_62(p, &at) || at >= (size_t)(p->s - p->start))
    return false;
  there.s = p->start + at;
  ok = type(&there);
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

/* Parse something that is no part of the name. */
static bool skip(struct v0 *p, bool (*what)(struct v0 *)) {
  size_t len = p->out->len;
  bool ok = what(p);
  if (p->out->len > len)
    p->out->data[p->out->len = len] = '\0';
  return ok;
}

static bool number(struct v0 *p) {
  size_t ignored;
  return base_62(p, &ignored);
}

/* The name of an impl is the path of its type; the module that contains it, and
 * the trait (of) are dropped. */
static bool implementation(struct v0 *p, bool of) {
  if (take(p, 's') && !number(p))
    return false;
  return skip(p, path) && type(p) && (!of || skip(p, path));
}

/* Parse a value: a reference to one, or its type, and hexadecimal digits. */
static bool value(struct v0 *p) {
  if (take(p, 'B'))
    return number(p);
  if (take(p, 'p'))
    return true;
  if (!type(p))
    return false;
  take(p, 'n');
  while (p->s < p->end && isxdigit((unsigned char)*p->s))
    p->s++;
  return take(p, '_');
}

static bool argument(struct v0 *p) {
  if (take(p, 'L'))
    return number(p);
  return take(p, 'K') ? value(p) : type(p);
}

/* Parse items up to 'E'. */
static bool all(struct v0 *p, bool (*item)(struct v0 *)) {
  while (!take(p, 'E'))
    if (!item(p))
      return false;
  return true;
}

static bool arguments(struct v0 *p) { return all(p, argument); }

static bool function(struct v0 *p) {
  if (take(p, 'G') && !number(p))
    return false;
  take(p, 'U');
  if (take(p, 'K') && !take(p, 'C') && !identifier(p, true))
    return false;
  return all(p, type) && type(p);
}

static bool dynamic_trait(struct v0 *p) {
  if (!path(p))
    return false;
  while (take(p, 'p'))
    if (!identifier(p, true) || !type(p))
      return false;
  return true;
}

static bool dynamic(struct v0 *p) {
  return (!take(p, 'G') || number(p)) && all(p, dynamic_trait) &&
         take(p, 'L') && number(p);
}

/* Parse a type; of those that are no paths, the paths within are the name. */
static bool compound(struct v0 *p) {
  if (p->s == p->end)
    return false;
  if (islower((unsigned char)*p->s)) { /* such as u8 */
    p->s++;
    return true;
  }
  switch (*p->s++) {
  case 'A':
    return type(p) && value(p);
  case 'R':
  case 'Q':
    return (!take(p, 'L') || number(p)) && type(p);
  case 'S':
  case 'P':
  case 'O':
    return type(p);
  case 'T':
    return all(p, type);
  case 'F':
    return function(p);
  case 'D':
    return dynamic(p);
  default:
    p->s--;
    return path(p);
  }
}

static bool type(struct v0 *p) {
  bool ok;
  if (p->depth++ > MAX_DEPTH || (*p->steps)++ > MAX_STEPS)
    return false;
  ok = compound(p);
  p->depth--;
  return ok;
}

static bool path(struct v0 *p) {
  bool ok;
  if (p->s == p->end || p->depth++ > MAX_DEPTH || p->out->len > MAX_NAME ||
      (*p->steps)++ > MAX_STEPS)
    return false;
  switch (*p->s++) {
  case 'C':
    ok = identifier(p, true);
    break;
  case 'N':
    ok = nested(p);
    break;
  case 'I':
    ok = path(p) && skip(p, arguments);
    break;
  case 'Y':
    ok = type(p) && skip(p, path);
    break;
  case 'M':
  case 'X':
    ok = implementation(p, p->s[-1] == 'X');
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
  int steps = 0;
  struct v0 p = {name + 2, name + len, name + 2, out, 0, &steps};
  if (path(&p))
    return true;
  cul_buf_clear(out);
  return false;
}

bool cul_demangle(const char *text, size_t len, struct cul_buf *out) {
  char *name;
  bool ok;
  while (len > 3 && text[0] == '_' &&
         text[1] == '_') { /* extra underscore, as on macOS */
    text++;
    len--;
  }
  if (len < 4 || len > MAX_NAME || text[0] != '_' ||
      (text[1] != 'Z' && text[1] != 'R') || memchr(text, ' ', len) ||
      memchr(text, '\0', len))
    return false;
  name = cul_xstrndup(text, len);
  ok = text[1] == 'Z' ? demangle_cxx(name, out) : demangle_v0(name, len, out);
  free(name);
  return ok;
}
