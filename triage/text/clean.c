/* Encodings, colours and control characters of logs: see clean.h. */
#include "clean.h"

#include <string.h>

enum {
  MAX_SEQUENCE = 512, /* maximal bytes of an escape sequence */
  SAMPLE = 4096,
};

enum utf16 { NOT_UTF16, LITTLE, BIG };

static enum utf16 utf16_of(struct cul_bytes raw) {
  const unsigned char *s = (const unsigned char *)raw.data;
  size_t n = raw.len < SAMPLE ? raw.len : SAMPLE, zeros[2] = {0, 0};
  if (n >= 2 && s[0] == 0xff && s[1] == 0xfe)
    return LITTLE;
  if (n >= 2 && s[0] == 0xfe && s[1] == 0xff)
    return BIG;
  if (!memchr(s, 0, n))
    return NOT_UTF16;
  for (size_t i = 0; i < n; i++)
    zeros[i & 1] += s[i] == 0;
  if (n >= 8 && zeros[1] > n * 2 / 5 && zeros[0] <= n / 50)
    return LITTLE;
  if (n >= 8 && zeros[0] > n * 2 / 5 && zeros[1] <= n / 50)
    return BIG;
  return NOT_UTF16;
}

static void put_code(struct cul_buf *out, uint32_t code) {
  unsigned char bytes[4];
  size_t n = 0;
  if (code < 0x80) {
    bytes[n++] = (unsigned char)code;
  } else if (code < 0x800) {
    bytes[n++] = (unsigned char)(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    bytes[n++] = (unsigned char)(0xe0 | code >> 12);
    bytes[n++] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
  } else {
    bytes[n++] = (unsigned char)(0xf0 | code >> 18);
    bytes[n++] = (unsigned char)(0x80 | (code >> 12 & 0x3f));
    bytes[n++] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
  }
  if (code >= 0x80)
    bytes[n++] = (unsigned char)(0x80 | (code & 0x3f));
  cul_buf_add(out, bytes, n);
}

static void from_utf16(struct cul_bytes raw, bool big, struct cul_buf *out) {
  const unsigned char *s = (const unsigned char *)raw.data;
  cul_buf_reserve(out, raw.len);
  for (size_t i = 0; i + 1 < raw.len; i += 2) {
    uint32_t unit = big ? (uint32_t)(s[i] << 8 | s[i + 1])
                        : (uint32_t)(s[i + 1] << 8 | s[i]);
    if (unit >= 0xd800 && unit < 0xdc00 && i + 3 < raw.len) {
      uint32_t low = big ? (uint32_t)(s[i + 2] << 8 | s[i + 3])
                         : (uint32_t)(s[i + 3] << 8 | s[i + 2]);
      if (low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        i += 2;
      }
    }
    if (unit >= 0xd800 && unit < 0xe000)
      unit = 0xfffd;
    if (unit != 0xfeff)
      put_code(out, unit);
  }
}

/* The length of the UTF-8 character at s; 0: not UTF-8. */
static size_t character(const unsigned char *s, size_t left) {
  size_t n = s[0] < 0x80                    ? 1
             : s[0] >= 0xc2 && s[0] < 0xe0  ? 2
             : s[0] >= 0xe0 && s[0] < 0xf0  ? 3
             : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                            : 0;
  if (n == 0 || n > left)
    return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
      (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
    return 0;
  return n;
}

bool cul_is_binary(struct cul_bytes raw) {
  size_t n = raw.len < SAMPLE ? raw.len : SAMPLE, odd = 0, foreign = 0;
  if (utf16_of(raw) != NOT_UTF16)
    return false;
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)raw.data[i];
    size_t length;
    if (c >= 0x20 && c < 0x7f)
      continue;
    length = character((const unsigned char *)raw.data + i, n - i);
    odd += c == 0 || (c < 0x20 && !strchr("\t\n\r\f\b\x1b\a", c));
    foreign += c >= 0x80 && length == 0;
    i += length > 1 ? length - 1 : 0;
  }
  return odd > n / 8 + 1 || (odd > n / 20 + 1 && foreign > n / 8);
}

/* The length of the terminal sequence that begins with the escape at s. */
static size_t sequence(const char *s, size_t left) {
  size_t i = 2, most = left < MAX_SEQUENCE ? left : MAX_SEQUENCE;
  if (left < 2)
    return left;
  if (s[1] == '[') {
    while (i < most && i < 32 && (s[i] < '@' || s[i] > '~') && s[i] != '\n')
      i++;
    return i < left && s[i] != '\n' ? i + 1 : i;
  }
  if (!strchr("]_P^X", s[1]))
    return s[1] == '(' && left > 2 ? 3 : 2;
  for (; i < most && s[i] != '\n'; i++) {
    if (s[i] == '\a')
      return i + 1;
    if (s[i] == '\x1b' && i + 1 < left && s[i + 1] == '\\')
      return i + 2;
  }
  return 2;
}

/* Is it a byte order mark, or the zero width space that pages put between
 * words? */
static bool is_invisible(const char *s, size_t n) {
  return n == 3 &&
         (!memcmp(s, "\xef\xbb\xbf", 3) || !memcmp(s, "\xe2\x80\x8b", 3));
}

/* Process a byte that is not plain; returns the number of bytes consumed. */
static size_t put_special(const char *s, size_t left, struct cul_buf *out) {
  unsigned char c = (unsigned char)*s;
  size_t n;
  if (c == '\x1b')
    return sequence(s, left);
  if (c == '\r') {
    if (left < 2 || s[1] != '\n')
      cul_buf_addc(out, '\n');
    return 1;
  }
  if (c < 0x20 || c == 0x7f)
    return 1;
  n = character((const unsigned char *)s, left);
  if (n) {
    if (!is_invisible(s, n))
      cul_buf_add(out, s, n);
    return n;
  }
  put_code(out, c < 0xa0 ? 0xfffd : c);
  return 1;
}

static bool plain(char c) {
  return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
}

static void clean_bytes(struct cul_bytes raw, struct cul_buf *out) {
  size_t i = 0;
  cul_buf_reserve(out, raw.len);
  cul_buf_add(out, "", 0); /* terminate the text even if it is empty */
  while (i < raw.len) {
    size_t start = i;
    while (i < raw.len && plain(raw.data[i]))
      i++;
    cul_buf_add(out, raw.data + start, i - start);
    if (i < raw.len)
      i += put_special(raw.data + i, raw.len - i, out);
  }
}

void cul_clean(struct cul_bytes raw, struct cul_buf *out) {
  enum utf16 form = utf16_of(raw);
  struct cul_buf text = {0};
  if (form == NOT_UTF16) {
    clean_bytes(raw, out);
    return;
  }
  from_utf16(raw, form == BIG, &text);
  clean_bytes(cul_buf_bytes(&text), out);
  cul_buf_release(&text);
}
