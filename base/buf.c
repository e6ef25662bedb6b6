/* Memory and byte buffers: see buf.h. */
#include "buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory, size_t size) {
  if (!memory)
    cul_no_memory(size);
  return memory;
}

void *cul_xmalloc(size_t size) {
  return checked(malloc(size ? size : 1), size);
}

void *cul_xcalloc(size_t n, size_t size) {
  return checked(calloc(n ? n : 1, size ? size : 1), n * size);
}

static void *xrealloc(void *old, size_t size) {
  return checked(realloc(old, size ? size : 1), size);
}

void *cul_xreallocarray(void *old, size_t n, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(n, size, &total))
    cul_bug("array of %zu x %zu bytes", n, size);
  return xrealloc(old, total);
}

void *cul_xgrow(void *items, size_t n, size_t *cap, size_t size) {
  if (n < *cap)
    return items;
  *cap = *cap ? 2 * *cap : 64;
  return cul_xreallocarray(items, *cap, size);
}

void cul_free_at(void *at) {
  void *pointer;
  memcpy(&pointer, at, sizeof pointer);
  free(pointer);
}

char *cul_xstrdup(const char *text) {
  return checked(strdup(text), strlen(text));
}

char *cul_xstrndup(const char *text, size_t n) {
  return checked(strndup(text, n), n);
}

static void add_format(struct cul_buf *buf, const char *fmt, va_list args) {
  va_list again;
  int n;
  va_copy(again, args);
  n = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  if (n < 0)
    cul_bug("bad format: %s", fmt);
  cul_buf_reserve(buf, (size_t)n);
  vsnprintf(buf->data + buf->len, (size_t)n + 1, fmt, args);
  buf->len += (size_t)n;
}

char *cul_xvasprintf(const char *fmt, va_list args) {
  struct cul_buf buf = {0};
  add_format(&buf, fmt, args);
  return cul_buf_take(&buf);
}

char *cul_xasprintf(const char *fmt, ...) {
  va_list args;
  char *text;
  va_start(args, fmt);
  text = cul_xvasprintf(fmt, args);
  va_end(args);
  return text;
}

bool cul_bytes_whole(struct cul_bytes number, uint64_t *value) {
  *value = 0;
  if (number.len == 0 || number.len > 18)
    return false;
  for (size_t i = 0; i < number.len; i++) {
    if (number.data[i] < '0' || number.data[i] > '9')
      return false;
    *value = 10 * *value + (uint64_t)(number.data[i] - '0');
  }
  return true;
}

bool cul_bytes_among(struct cul_bytes word, const char *words) {
  char spaced[32] = " ";
  if (word.len + 3 > sizeof spaced)
    return false;
  memcpy(spaced + 1, word.data, word.len);
  memcpy(spaced + 1 + word.len, " ", 2);
  return strstr(words, spaced) != NULL;
}

void cul_buf_reserve(struct cul_buf *buf, size_t more) {
  size_t need;
  if (__builtin_add_overflow(buf->len, more, &need) || ++need == 0)
    cul_bug("buffer of %zu + %zu bytes", buf->len, more);
  if (need <= buf->cap)
    return;
  buf->cap = need < 64 ? 64 : need + need / 2;
  buf->data = xrealloc(buf->data, buf->cap);
}

void cul_buf_adds(struct cul_buf *buf, const char *text) {
  cul_buf_add(buf, text, strlen(text));
}

void cul_buf_addf(struct cul_buf *buf, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  add_format(buf, fmt, args);
  va_end(args);
}

void cul_buf_clear(struct cul_buf *buf) {
  buf->len = 0;
  if (buf->data)
    buf->data[0] = '\0';
}

void cul_buf_release(struct cul_buf *buf) {
  free(buf->data);
  *buf = (struct cul_buf){0};
}

const char *cul_buf_str(const struct cul_buf *buf) {
  return buf->data ? buf->data : "";
}

struct cul_bytes cul_buf_bytes(const struct cul_buf *buf) {
  return (struct cul_bytes){buf->data, buf->len};
}

char *cul_buf_take(struct cul_buf *buf) {
  char *text = buf->data ? buf->data : cul_xstrdup("");
  *buf = (struct cul_buf){0};
  return text;
}

struct cul_bytes cul_bytes_behind(struct cul_bytes a, char c) {
  const char *last = a.len ? memrchr(a.data, c, a.len) : NULL;
  size_t skip = last ? (size_t)(last + 1 - a.data) : 0;
  return (struct cul_bytes){a.data + skip, a.len - skip};
}

bool cul_bytes_hold(struct cul_bytes text, const char *word) {
  return text.len && memmem(text.data, text.len, word, strlen(word));
}
