/* Reads the start of a line as times, numbers, words and brackets: see
 * shape.h. */
#include "shape.h"

#include <ctype.h>
#include <string.h>

enum {
  MOST_BYTES = 200, /* of a line that is looked at */
  MOST_DEEP = 4,    /* open brackets */
};

/* ---- times ---- */

static size_t digits(const char *s, const char *end) {
  size_t n = 0;
  while (s + n < end && isdigit((unsigned char)s[n]))
    n++;
  return n;
}

static bool is_one(const char *s, const char *end, const char *of) {
  for (; s < end && *of; of++)
    if (*s == *of)
      return true;
  return false;
}

/* "12:30:01", "0:12.34", "12:30:01.123456789+02:00". */
static size_t match_clock(const char *s, const char *end) {
  const char *at = s;
  size_t n = digits(at, end);
  bool whole = false;
  if (n < 1 || n > 3 || !is_one(at + n, end, ":"))
    return 0;
  at += n + 1;
  if (digits(at, end) != 2)
    return 0;
  at += 2;
  if (is_one(at, end, ":") && digits(at + 1, end) >= 2) {
    at += 1 + digits(at + 1, end);
    whole = true;
  }
  if (is_one(at, end, ".,") && digits(at + 1, end) >= 1) {
    at += 1 + digits(at + 1, end);
    whole = true;
  }
  if (!whole)
    return 0;
  if (is_one(at, end, "Z"))
    at++;
  else if (is_one(at, end, "+-") && digits(at + 1, end) == 4)
    at += 5;
  else if (is_one(at, end, "+-") && digits(at + 1, end) == 2 &&
           is_one(at + 3, end, ":") && digits(at + 4, end) == 2)
    at += 6;
  if (end - at >= 3 && at[0] == ' ' && strchr("AP", at[1]) && at[2] == 'M')
    at += 3;
  return (size_t)(at - s);
}

/* "2031-02-03", "02/03/2031", "02-03". */
static size_t match_date(const char *s, const char *end) {
  const char *at = s;
  size_t n = digits(at, end);
  char sep;
  if ((n != 4 && n != 2) || !is_one(at + n, end, "-/."))
    return 0;
  sep = at[n];
  at += n + 1;
  if (digits(at, end) != 2)
    return 0;
  at += 2;
  if (at + 1 < end && *at == sep && digits(at + 1, end) >= 2)
    return (size_t)(at + 1 + digits(at + 1, end) - s);
  return n == 2 ? (size_t)(at - s) : 0;
}

/* A date and what stands between it and the time of day. */
static size_t match_dated(const char *s, const char *end) {
  size_t n = match_date(s, end), clock;
  if (!n) {
    n = digits(s, end);
    if (n != 8 || end - s < 9 || !strchr("T-_ ", s[8]))
      return 0;
    clock = digits(s + 9, end) == 6 ? 6 : match_clock(s + 9, end);
    return clock ? 9 + clock + is_one(s + 9 + clock, end, "Z") : 0;
  }
  if (!is_one(s + n, end, "T _:"))
    return 0;
  clock = match_clock(s + n + 1, end);
  return clock ? n + 1 + clock : 0;
}

static size_t blanks(const char *s, const char *end) {
  size_t n = 0;
  while (s + n < end && s[n] == ' ')
    n++;
  return n;
}

/* "Jan ", "Tue, " */
static size_t match_name(const char *s, const char *end) {
  size_t n = 3;
  if (end - s < 5 || !isupper((unsigned char)s[0]) ||
      !islower((unsigned char)s[1]) || !islower((unsigned char)s[2]))
    return 0;
  n += s[n] == ',';
  return blanks(s + n, end) ? n + blanks(s + n, end) : 0;
}

/* "Tue Jan  2 12:30:01 2031", "Jan 02 12:30:01". */
static size_t match_named(const char *s, const char *end) {
  const char *at = s;
  size_t n;
  for (int i = 0; i < 2; i++)
    at += match_name(at, end);
  n = digits(at, end);
  if (at == s || n < 1 || n > 2 || !blanks(at + n, end))
    return 0;
  at += n + blanks(at + n, end);
  at += match_name(at, end);
  if (digits(at, end) == 4 && is_one(at + 4, end, " "))
    at += 5;
  n = match_clock(at, end);
  if (!n)
    return 0;
  at += n;
  if (is_one(at, end, " ") && digits(at + 1, end) == 4)
    at += 5;
  return (size_t)(at - s);
}

/* "E0602 17:07:56.123456": the level, month and day in one word. */
static size_t match_level(const char *s, const char *end) {
  size_t clock;
  if (!isupper((unsigned char)*s) || digits(s + 1, end) != 4 ||
      !is_one(s + 5, end, " "))
    return 0;
  clock = match_clock(s + 6, end);
  return clock ? 6 + clock : 0;
}

size_t cul_shape_time(struct cul_bytes line) {
  const char *s = line.data, *end = s + line.len;
  size_t n = 0;
  if (s == end)
    return 0;
  if (isdigit((unsigned char)*s)) {
    n = match_dated(s, end);
    n = n ? n : match_clock(s, end);
  } else if (isupper((unsigned char)*s)) {
    n = match_level(s, end);
    n = n ? n : match_named(s, end);
  }
  return n && s + n < end && isalnum((unsigned char)s[n]) ? 0 : n;
}

/* ---- shapes ---- */

struct shaper {
  const char *start, *s, *end;
  uint64_t shape, key;
  char open[MOST_DEEP]; /* the bracket that closes each open one */
  size_t n_open;
  enum cul_shape_class class;
  struct cul_cut *out;
  size_t n;
};

static uint64_t mix(uint64_t hash, unsigned char c) {
  return (hash ^ c) * 0x100000001b3u;
}

static void put(struct shaper *h, char shape, char key) {
  h->shape = mix(h->shape, (unsigned char)shape);
  h->key = mix(h->key, (unsigned char)key);
}

/* A fraction is a measure: "3.25", "[ 8271.267459]". */
static size_t fraction(const struct shaper *h) {
  size_t n = digits(h->s, h->end), m;
  if (!n || !is_one(h->s + n, h->end, ".,"))
    return 0;
  m = digits(h->s + n + 1, h->end);
  n += 1 + m;
  return m >= 2 && !is_one(h->s + n, h->end, ".") ? n : 0;
}

/* A word of letters and digits. */
static void take_word(struct shaper *h) {
  const char *s = h->s;
  bool lower = false, upper = false, number = false;
  while (h->s < h->end && isalnum((unsigned char)*h->s)) {
    lower = lower || islower((unsigned char)*h->s);
    upper = upper || isupper((unsigned char)*h->s);
    number = number || isdigit((unsigned char)*h->s);
    h->s++;
  }
  if ((!lower && upper) || (h->s - s == 1 && lower)) {
    put(h, number ? 'X' : 'L', number ? 'X' : 'L');
    return;
  }
  for (bool was = false; s < h->s; s++) {
    bool is = isdigit((unsigned char)*s) != 0;
    if (!is || !was)
      h->shape = mix(h->shape, is ? '0' : (unsigned char)*s);
    h->key = mix(h->key, (unsigned char)*s);
    was = is;
  }
}

/* At the start of a word? */
static bool is_fresh(const struct shaper *h) {
  return h->s == h->start || is_one(h->s - 1, h->s, " \t[(<|:]");
}

static void raise_class(struct shaper *h, enum cul_shape_class class) {
  h->class = h->class < class ? class : h->class;
}

static void take_bracket(struct shaper *h, char c) {
  char close = c == '[' ? ']' : c == '(' ? ')' : c == '{' ? '}' : '>';
  if (c == '[' || c == '(' || c == '{' || c == '<') {
    if (h->n_open < MOST_DEEP)
      h->open[h->n_open] = is_fresh(h) ? close : '\0';
    h->n_open++;
  } else if (c != ']' && c != ')' && c != '}' && c != '>') {
    return;
  } else if (h->n_open) {
    h->n_open--;
    if (h->n_open == 0 && h->open[0] == c && c != '}')
      raise_class(h, CUL_SHAPE_TAG);
  } else if (c == '>') { /* "name> " */
    raise_class(h, CUL_SHAPE_TAG);
  }
}

static void add_cut(struct shaper *h, const char *at) {
  if (h->n < CUL_MOST_CUTS)
    h->out[h->n++] = (struct cul_cut){.shape = h->shape,
                                      .key = h->key,
                                      .at = (size_t)(at - h->start),
                                      .end = (size_t)(h->s - h->start),
                                      .class = h->class};
}

static void take_blanks(struct shaper *h) {
  const char *at = h->s;
  while (h->s < h->end && (*h->s == ' ' || *h->s == '\t'))
    h->s++;
  if (at == h->start) /* numbers may be aligned */
    return;
  add_cut(h, at);
  put(h, ' ', ' ');
}

/* May a prefix end behind this mark, with no blank between? */
static bool ends_behind(const struct shaper *h, char c) {
  if (h->s == h->end)
    return true;
  if (*h->s == ' ' || *h->s == '\t')
    return false;
  if (c == ':')
    return !isdigit((unsigned char)*h->s) && *h->s != ':' && *h->s != '/' &&
           *h->s != '\\';
  return h->n_open == 0 && (c == ']' || c == ')' || c == '>' || c == '|');
}

static void take_mark(struct shaper *h) {
  char c = *h->s;
  bool bar = c == '|' && h->s > h->start && h->s[-1] == ' ';
  take_bracket(h, c);
  if (bar)
    raise_class(h, CUL_SHAPE_TAG);
  put(h, c, c);
  h->s++;
  if (ends_behind(h, c))
    add_cut(h, h->s);
}

size_t cul_shape_cuts(struct cul_bytes line,
                      struct cul_cut out[CUL_MOST_CUTS]) {
  size_t len = line.len < MOST_BYTES ? line.len : MOST_BYTES;
  struct shaper h = {.start = line.data,
                     .s = line.data,
                     .end = line.data + len,
                     .shape = 0xcbf29ce484222325u,
                     .key = 0xcbf29ce484222325u,
                     .out = out};
  while (h.s < h.end && h.n < CUL_MOST_CUTS) {
    size_t n =
        is_fresh(&h)
            ? cul_shape_time((struct cul_bytes){h.s, (size_t)(h.end - h.s)})
            : 0;
    if (n) {
      put(&h, 'T', 'T');
      h.class = CUL_SHAPE_TIME;
      h.s += n;
    } else if (isdigit((unsigned char)*h.s) && (n = fraction(&h)) != 0) {
      h.s += n;
      put(&h, 'F', 'F');
    } else if (isalnum((unsigned char)*h.s)) {
      take_word(&h);
    } else if (*h.s == ' ' || *h.s == '\t') {
      take_blanks(&h);
      continue;
    } else {
      take_mark(&h);
      continue;
    }
    if (h.s == h.end)
      add_cut(&h, h.s);
  }
  return h.n;
}
