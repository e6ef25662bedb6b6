/* Versions of Python packages: see pep440.h. */
#include "pep440.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_digit(const char *at) { return isdigit((unsigned char)*at); }

static bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

static bool read_number(const char **at, uint64_t *out) {
  uint64_t value = 0;
  if (!is_digit(*at))
    return false;
  for (; is_digit(*at); ++*at) {
    uint64_t digit = (uint64_t)(**at - '0');
    if (value > (UINT64_MAX - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  *out = value;
  return true;
}

/* Read a word of a list, in upper or lower case, after a separator or none.
 * -1: there is none. */
static int read_word(const char **at, const char *const *words) {
  const char *from = *at + is_separator(**at);
  for (int i = 0; words[i]; i++) {
    size_t n = strlen(words[i]);
    if (strncasecmp(from, words[i], n) == 0) {
      *at = from + n;
      return i;
    }
  }
  return -1;
}

/* Read the number that may follow a word: "1", ".1", "-1"; 0 if none does. */
static void read_behind(const char **at, uint64_t *out) {
  const char *from = *at + is_separator(**at);
  *out = 0;
  if (read_number(&from, out))
    *at = from;
}

static bool read_release(const char **at, struct cul_pep440 *out) {
  const char *from = *at;
  uint64_t number;
  size_t n = 0;
  if (!read_number(&from, &number))
    return false;
  if (*from == '!') {
    out->epoch = number;
    from++;
    if (!read_number(&from, &number))
      return false;
  }
  for (;;) {
    if (n == CUL_PEP440_PARTS)
      return false;
    out->release[n++] = number;
    if (*from != '.' || !is_digit(from + 1))
      break;
    from++;
    if (!read_number(&from, &number))
      return false;
  }
  while (n > 0 && out->release[n - 1] == 0)
    n--;
  out->n = n;
  *at = from;
  return true;
}

static void read_pre(const char **at, struct cul_pep440 *out) {
  /* longer words come before their prefixes: "alpha", "a" */
  static const char *const words[] = {"alpha",   "a",   "beta", "b", "rc",
                                      "preview", "pre", "c",    NULL};
  static const enum cul_pep440_pre kinds[] = {
      CUL_PEP440_ALPHA,     CUL_PEP440_ALPHA,     CUL_PEP440_BETA,
      CUL_PEP440_BETA,      CUL_PEP440_CANDIDATE, CUL_PEP440_CANDIDATE,
      CUL_PEP440_CANDIDATE, CUL_PEP440_CANDIDATE};
  int word = read_word(at, words);
  out->pre = CUL_PEP440_NO_PRE;
  if (word < 0)
    return;
  out->pre = kinds[word];
  read_behind(at, &out->pre_number);
}

static void read_post(const char **at, struct cul_pep440 *out) {
  static const char *const words[] = {"post", "rev", "r", NULL};
  const char *from = *at + 1;
  if (**at == '-' && read_number(&from, &out->post)) {
    out->has_post = true;
    *at = from;
  } else if (read_word(at, words) >= 0) {
    out->has_post = true;
    read_behind(at, &out->post);
  }
}

static bool read_local(const char **at, struct cul_pep440 *out) {
  const char *from = *at;
  if (*from != '+')
    return true;
  for (from++; isalnum((unsigned char)*from) || is_separator(*from); from++)
    ;
  out->local = (struct cul_bytes){*at + 1, (size_t)(from - *at - 1)};
  *at = from;
  return out->local.len > 0;
}

bool cul_pep440_parse(const char *text, struct cul_pep440 *out) {
  static const char *const dev[] = {"dev", NULL};
  *out = (struct cul_pep440){0};
  if (*text == 'v' || *text == 'V')
    text++;
  if (!read_release(&text, out))
    return false;
  read_pre(&text, out);
  read_post(&text, out);
  out->has_dev = read_word(&text, dev) >= 0;
  if (out->has_dev)
    read_behind(&text, &out->dev);
  return read_local(&text, out) && !*text;
}

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int order_release(const struct cul_pep440 *a,
                         const struct cul_pep440 *b) {
  for (size_t i = 0; i < a->n || i < b->n; i++) {
    int diff =
        order(i < a->n ? a->release[i] : 0, i < b->n ? b->release[i] : 0);
    if (diff)
      return diff;
  }
  return 0;
}

/* A development release of the release itself comes before its pre-releases. */
static int pre_rank(const struct cul_pep440 *version) {
  bool alone = version->pre == CUL_PEP440_NO_PRE && !version->has_post &&
               version->has_dev;
  return alone ? -1 : (int)version->pre;
}

static bool next_segment(struct cul_bytes *left, struct cul_bytes *out) {
  size_t n = 0;
  if (left->len == 0)
    return false;
  while (n < left->len && !is_separator(left->data[n]))
    n++;
  *out = (struct cul_bytes){left->data, n};
  n += n < left->len;
  *left = (struct cul_bytes){left->data + n, left->len - n};
  return true;
}

static bool is_number(struct cul_bytes text) {
  for (size_t i = 0; i < text.len; i++)
    if (!isdigit((unsigned char)text.data[i]))
      return false;
  return text.len > 0;
}

static int order_text(struct cul_bytes a, struct cul_bytes b) {
  int diff = strncasecmp(a.data, b.data, a.len < b.len ? a.len : b.len);
  return diff ? diff : order(a.len, b.len);
}

static struct cul_bytes without_zeros(struct cul_bytes text) {
  while (text.len > 1 && text.data[0] == '0')
    text = (struct cul_bytes){text.data + 1, text.len - 1};
  return text;
}

/* Compare numbers by value; they come after words. */
static int order_segment(struct cul_bytes a, struct cul_bytes b) {
  if (is_number(a) != is_number(b))
    return is_number(a) ? 1 : -1;
  if (!is_number(a))
    return order_text(a, b);
  a = without_zeros(a);
  b = without_zeros(b);
  return a.len != b.len ? order(a.len, b.len) : order_text(a, b);
}

static int order_local(struct cul_bytes a, struct cul_bytes b) {
  struct cul_bytes one = {0}, other = {0};
  for (;;) {
    bool more = next_segment(&a, &one), others = next_segment(&b, &other);
    int diff = more && others ? order_segment(one, other) : more - others;
    if (diff || !more)
      return diff;
  }
}

int cul_pep440_compare(const struct cul_pep440 *a, const struct cul_pep440 *b) {
  int diff = order(a->epoch, b->epoch);
  if (!diff)
    diff = order_release(a, b);
  if (!diff)
    diff = pre_rank(a) - pre_rank(b);
  if (!diff)
    diff = order(a->pre_number, b->pre_number);
  if (!diff)
    diff = a->has_post - b->has_post;
  if (!diff)
    diff = order(a->post, b->post);
  if (!diff)
    diff = b->has_dev - a->has_dev;
  if (!diff)
    diff = order(a->dev, b->dev);
  return diff ? diff : order_local(a->local, b->local);
}

bool cul_pep440_is_pre(const struct cul_pep440 *version) {
  return version->pre != CUL_PEP440_NO_PRE || version->has_dev;
}
