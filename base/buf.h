/* Memory that aborts when it runs out, growing byte buffers, byte slices. */
#ifndef CUL_BASE_BUF_H
#define CUL_BASE_BUF_H

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "err.h"

/* As malloc/calloc/realloc/strdup, but never NULL: out of memory aborts. */
void *cul_xmalloc(size_t size);
void *cul_xcalloc(size_t n, size_t size);
/* n * size with overflow checked. */
void *cul_xreallocarray(void *old, size_t n, size_t size);
/* Make room for one more after n items of this size; *cap doubles where it is
 * full.  Returns the items, which may have moved. */
void *cul_xgrow(void *items, size_t n, size_t *cap, size_t size);
/* Append an item to a growing array of n items; evaluates to the new item, to
 * assign to. */
#define CUL_XADD(items, n, cap)                                                \
  (*((items) = cul_xgrow(items, n, &(cap), sizeof *(items)), &(items)[(n)++]))
/* Locals that are released where their scope ends, the last one first: of
 * `struct type` by type_release, pointers to the heap by free.  Give them a
 * value where they are declared:
 *   CUL_OWNED(cul_buf) text = {0};
 *   CUL_HEAP char *name = NULL; */
#define CUL_OWNED(type) __attribute__((cleanup(type##_release))) struct type
#define CUL_HEAP __attribute__((cleanup(cul_free_at)))
/* Free what the pointer at `at` points to. */
void cul_free_at(void *at);
char *cul_xstrdup(const char *text);
char *cul_xstrndup(const char *text, size_t n);
/* sprintf into fresh memory; caller frees. */
char *cul_xasprintf(const char *fmt, ...) CUL_PRINTF(1, 2);
char *cul_xvasprintf(const char *fmt, va_list args) CUL_PRINTF(1, 0);

/* The plural ending of a noun that follows n: "%zu run%s". */
static inline const char *cul_s(uint64_t n) { return n == 1 ? "" : "s"; }

/* A borrowed sequence of bytes; not terminated. */
struct cul_bytes {
  const char *data; /* may be NULL when len == 0 */
  size_t len;
};

static inline bool cul_bytes_equal(struct cul_bytes a, struct cul_bytes b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}
static inline bool cul_bytes_start(struct cul_bytes a, const char *with) {
  size_t n = strlen(with);
  return a.len >= n && (n == 0 || memcmp(a.data, with, n) == 0);
}
/* Does the text contain the word? */
bool cul_bytes_hold(struct cul_bytes text, const char *word);
static inline bool cul_bytes_end(struct cul_bytes a, const char *with) {
  size_t n = strlen(with);
  return a.len >= n && (n == 0 || memcmp(a.data + a.len - n, with, n) == 0);
}
static inline bool cul_text_ends(const char *text, const char *with) {
  return cul_bytes_end((struct cul_bytes){text, strlen(text)}, with);
}
/* A text without the byte order mark that it may begin with. */
static inline struct cul_bytes cul_bytes_behind_mark(struct cul_bytes text) {
  size_t n = cul_bytes_start(text, "\xef\xbb\xbf") ? 3 : 0;
  return n ? (struct cul_bytes){text.data + n, text.len - n} : text;
}
static inline bool cul_bytes_is(struct cul_bytes a, const char *text) {
  return a.len == strlen(text) && cul_bytes_start(a, text);
}

/* Caller frees. */
static inline char *cul_bytes_copy(struct cul_bytes a) {
  return cul_xstrndup(a.data, a.len);
}
/* The bytes after the last c; all of a if it has no c. */
struct cul_bytes cul_bytes_behind(struct cul_bytes a, char c);
/* Parse a number of up to 18 digits; false if number contains anything else. */
bool cul_bytes_whole(struct cul_bytes number, uint64_t *value);
/* Is word in words, which has a space on both sides of each? */
bool cul_bytes_among(struct cul_bytes word, const char *words);

/* A growing buffer.  {0} is empty and valid.  data, when not NULL, is always
 * followed by one '\0' that len does not count. */
struct cul_buf {
  char *data;
  size_t len, cap;
};

/* Make room for at least `more` bytes beyond len. */
void cul_buf_reserve(struct cul_buf *buf, size_t more);
/* Inline, because texts are built from pieces of a few bytes. */
static inline void cul_buf_add(struct cul_buf *buf, const void *data,
                               size_t len) {
  if (len >= buf->cap - buf->len)
    cul_buf_reserve(buf, len);
  if (len)
    memcpy(buf->data + buf->len, data, len);
  buf->len += len;
  buf->data[buf->len] = '\0';
}
static inline void cul_buf_addc(struct cul_buf *buf, char c) {
  cul_buf_add(buf, &c, 1);
}
void cul_buf_adds(struct cul_buf *buf, const char *text);
void cul_buf_addf(struct cul_buf *buf, const char *fmt, ...) CUL_PRINTF(2, 3);
/* len = 0, memory kept. */
void cul_buf_clear(struct cul_buf *buf);
void cul_buf_release(struct cul_buf *buf);
/* The text, never NULL; borrowed, valid until the next change. */
const char *cul_buf_str(const struct cul_buf *buf);
struct cul_bytes cul_buf_bytes(const struct cul_buf *buf);
/* Move the text out (never NULL, caller frees); buf becomes empty. */
char *cul_buf_take(struct cul_buf *buf);

#endif
