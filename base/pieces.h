/* A text that consists of pieces.  Large pieces are borrowed, so a text that is
 * mostly a copy of another one can be written and digested without copying. */
#ifndef CUL_BASE_PIECES_H
#define CUL_BASE_PIECES_H

#include <stdlib.h>

#include "buf.h"

/* {0} is empty and valid. */
struct cul_pieces {
  struct cul_buf
      own; /* small pieces and appended bytes, in the order of the text */
  struct cul_piece {
    size_t own; /* the number of bytes of own that precede the piece */
    struct cul_bytes bytes;
  } *items; /* borrowed pieces */
  size_t n, cap;
};

/* Reads the pieces of a text in order; initialise with {pieces}. */
struct cul_pieces_reader {
  const struct cul_pieces *pieces;
  size_t next, own;
};
/* The next piece, not empty, borrowed; false: there are no more. */
static inline bool cul_pieces_read(struct cul_pieces_reader *reader,
                                   struct cul_bytes *piece) {
  const struct cul_pieces *pieces = reader->pieces;
  bool more = reader->next < pieces->n;
  size_t end = more ? pieces->items[reader->next].own : pieces->own.len;
  *piece = (struct cul_bytes){pieces->own.data + reader->own, 0};
  if (end > reader->own) {
    piece->len = end - reader->own;
    reader->own = end;
    return true;
  }
  if (!more)
    return false;
  *piece = pieces->items[reader->next++].bytes;
  return true;
}

static inline size_t cul_pieces_len(const struct cul_pieces *pieces) {
  size_t len = pieces->own.len;
  for (size_t i = 0; i < pieces->n; i++)
    len += pieces->items[i].bytes.len;
  return len;
}

/* Shorter pieces are copied, because each piece costs a call when the text is
 * written. */
enum { CUL_PIECES_LEAST = 4096 };

/* Append a piece of a text that outlives pieces; it may be borrowed. */
static inline void cul_pieces_add(struct cul_pieces *pieces, const char *data,
                                  size_t len) {
  if (len < CUL_PIECES_LEAST)
    cul_buf_add(&pieces->own, data, len);
  else
    CUL_XADD(pieces->items, pieces->n, pieces->cap) =
        (struct cul_piece){pieces->own.len, {data, len}};
}

/* Append a copy of the text to out. */
static inline void cul_pieces_copy(const struct cul_pieces *pieces,
                                   struct cul_buf *out) {
  struct cul_pieces_reader reader = {.pieces = pieces};
  struct cul_bytes piece;
  cul_buf_reserve(out, cul_pieces_len(pieces));
  while (cul_pieces_read(&reader, &piece))
    cul_buf_add(out, piece.data, piece.len);
}

/* Copy all pieces into own. */
static inline void cul_pieces_flatten(struct cul_pieces *pieces) {
  struct cul_buf all = {0};
  if (pieces->n == 0)
    return;
  cul_pieces_copy(pieces, &all);
  cul_buf_release(&pieces->own);
  pieces->own = all;
  pieces->n = 0;
}
/* The same; returns the text, borrowed. */
static inline struct cul_bytes cul_pieces_flat(struct cul_pieces *pieces) {
  cul_pieces_flatten(pieces);
  return cul_buf_bytes(&pieces->own);
}

/* Borrowed bytes as a text in pieces, not to be released. */
static inline struct cul_pieces cul_pieces_of(struct cul_bytes bytes) {
  return (struct cul_pieces){
      .own = {.data = (char *)bytes.data, .len = bytes.len}};
}

/* Sixteen bytes at a time. */
static inline uint64_t cul_pieces_count_feeds(struct cul_bytes text) {
  typedef uint8_t lanes __attribute__((vector_size(16)));
  uint64_t n = 0;
  size_t at = 0;
  while (text.len - at >= sizeof(lanes)) {
    lanes sum = {0};
    for (int i = 0; i < 255 && text.len - at >= sizeof sum; i++) {
      lanes bytes;
      memcpy(&bytes, text.data + at, sizeof bytes);
      sum -= (lanes)(bytes == '\n'); /* a lane is -1 if its bytes are equal */
      at += sizeof bytes;
    }
    for (size_t i = 0; i < sizeof sum; i++)
      n += sum[i];
  }
  for (; at < text.len; at++)
    n += text.data[at] == '\n';
  return n;
}

/* The number of lines; the last one need not end in a line feed. */
static inline uint64_t cul_pieces_lines(const struct cul_pieces *pieces) {
  struct cul_pieces_reader reader = {.pieces = pieces};
  struct cul_bytes piece;
  char last = '\n';
  uint64_t n = 0;
  while (cul_pieces_read(&reader, &piece)) {
    n += cul_pieces_count_feeds(piece);
    last = piece.data[piece.len - 1];
  }
  return n + (last != '\n');
}

static inline void cul_pieces_release(struct cul_pieces *pieces) {
  cul_buf_release(&pieces->own);
  free(pieces->items);
  *pieces = (struct cul_pieces){0};
}

#endif
