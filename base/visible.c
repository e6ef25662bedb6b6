/* Escapes of foreign text: see visible.h. */
#include "visible.h"

#include <stdlib.h>

enum { ESCAPED = 16 }; /* "\U000e0041" and a terminator */

/* The code point at the start of text; *n: its bytes. 0xFFFFFFFF: not UTF-8,
 * one byte. Overlong forms and surrogates are not UTF-8. */
static uint32_t decode(struct cul_bytes text, size_t *n) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)text.data;
  uint32_t point = at[0];
  size_t len = point < 0x80             ? 1
               : (point & 0xe0) == 0xc0 ? 2
               : (point & 0xf0) == 0xe0 ? 3
               : (point & 0xf8) == 0xf0 ? 4
                                        : 0;
  *n = 1;
  if (len == 1)
    return point;
  if (len == 0 || len > text.len)
    return UINT32_MAX;
  point &= 0x7fU >> len;
  for (size_t i = 1; i < len; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return UINT32_MAX;
    point = point << 6 | (at[i] & 0x3f);
  }
  if (point < least[len] || point > 0x10ffff ||
      (point >= 0xd800 && point <= 0xdfff))
    return UINT32_MAX;
  *n = len;
  return point;
}

/* Does the code point control the terminal, or hide? */
static bool acts(uint32_t point) {
  static const uint32_t ranges[][2] = {
      {0x00, 0x08},      {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},
      {0x61c, 0x61c},    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},
      {0x2060, 0x206f},  {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff},
      {0xe0000, 0xe007f}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ranges); i++)
    if (point >= ranges[i][0] && point <= ranges[i][1])
      return true;
  return false;
}

static const char *escape(uint32_t point, unsigned char byte, char *out) {
  if (point == UINT32_MAX || point < 0x80)
    snprintf(out, ESCAPED, "\\x%02x", byte);
  else if (point <= 0xffff)
    snprintf(out, ESCAPED, "\\u%04x", point);
  else
    snprintf(out, ESCAPED, "\\U%08x", point);
  return out;
}

static struct cul_bytes rest_of(struct cul_bytes text, size_t from) {
  return (struct cul_bytes){text.data + from, text.len - from};
}

/* Are these eight bytes all printed characters of ASCII? */
static bool is_plain(const char *s) {
  const uint64_t ones = UINT64_MAX / 0xff;
  uint64_t x;
  memcpy(&x, s, sizeof x);
  return (((x - 0x20 * ones) | (x + ones) | x) & 0x80 * ones) == 0;
}

size_t cul_visible_prefix(struct cul_bytes text) {
  size_t at = 0, n;
  while (at < text.len) {
    if (text.len - at >= 8 && is_plain(text.data + at)) {
      at += 8;
      continue;
    }
    unsigned char byte = (unsigned char)text.data[at];
    uint32_t point;
    if ((byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t') {
      at++;
      continue;
    }
    point = decode(rest_of(text, at), &n);
    if (point == UINT32_MAX || acts(point))
      break;
    at += n;
  }
  return at;
}

/* Receives the pieces. */
typedef void (*sink)(void *self, const char *data, size_t len);

static void walk(struct cul_bytes text, sink take, void *self) {
  char escaped[ESCAPED];
  while (text.len) {
    size_t n = cul_visible_prefix(text);
    uint32_t point;
    if (n)
      take(self, text.data, n);
    text = rest_of(text, n);
    if (text.len == 0)
      break;
    point = decode(text, &n);
    escape(point, (unsigned char)text.data[0], escaped);
    take(self, escaped, strlen(escaped));
    text = rest_of(text, n);
  }
}

static void to_buf(void *self, const char *data, size_t len) {
  cul_buf_add(self, data, len);
}

static void to_stream(void *self, const char *data, size_t len) {
  (void)!fwrite(data, 1, len, self);
}

void cul_visible_add(struct cul_bytes text, struct cul_buf *out) {
  walk(text, to_buf, out);
}

void cul_visible_line(const char *text, struct cul_buf *out) {
  while (*text) {
    size_t n = strcspn(text, "\n\t");
    cul_visible_add((struct cul_bytes){text, n}, out);
    text += n;
    if (*text)
      cul_buf_adds(out, *text++ == '\n' ? "\\n" : "\\t");
  }
}

void cul_visible_make(struct cul_buf *text) {
  struct cul_buf out = {0};
  if (cul_visible_prefix(cul_buf_bytes(text)) == text->len)
    return;
  cul_visible_add(cul_buf_bytes(text), &out);
  cul_buf_release(text);
  *text = out;
}

void cul_visible_json(const char *json, struct cul_buf *out) {
  struct cul_bytes text = {json, strlen(json)};
  while (text.len) {
    size_t n = cul_visible_prefix(text);
    uint32_t point;
    cul_buf_add(out, text.data, n);
    text = rest_of(text, n);
    if (text.len == 0)
      break;
    point = decode(text, &n);
    if (point == UINT32_MAX)
      point = 0xfffd;
    if (point > 0xffff)
      cul_buf_addf(out, "\\u%04x\\u%04x", 0xd7c0 + (point >> 10),
                   0xdc00 + (point & 0x3ff));
    else
      cul_buf_addf(out, "\\u%04x", point);
    text = rest_of(text, n);
  }
}

int cul_vsay(FILE *out, const char *fmt, va_list args) {
  char few[1024], *text = few;
  va_list again;
  int n;
  va_copy(again, args);
  n = vsnprintf(few, sizeof few, fmt, args);
  if (n >= (int)sizeof few) {
    text = malloc((size_t)n + 1);
    if (text)
      vsnprintf(text, (size_t)n + 1, fmt, again);
    else /* as much as fits */
      text = few, n = (int)sizeof few - 1;
  }
  va_end(again);
  if (n > 0)
    walk((struct cul_bytes){text, (size_t)n}, to_stream, out);
  if (text != few)
    free(text);
  return ferror(out) ? -1 : n;
}

int cul_say(FILE *out, const char *fmt, ...) {
  va_list args;
  int n;
  va_start(args, fmt);
  n = cul_vsay(out, fmt, args);
  va_end(args);
  return n;
}

int cul_say_text(FILE *out, const char *text) {
  walk((struct cul_bytes){text, strlen(text)}, to_stream, out);
  return ferror(out) ? EOF : 0;
}
