/* A text in pieces: large ones stay where they are, so that nothing is copied
 * to write or to digest a text that is mostly another one. */
#ifndef CUL_BASE_PIECES_H
#define CUL_BASE_PIECES_H

#include "buf.h"

/* {0} is empty and valid. */
struct cul_pieces {
  struct cul_buf own; /* what is added here directly, and small pieces; in the
                         order of the text */
  struct cul_piece {
    size_t own; /* so many bytes of own stand before it */
    struct cul_bytes bytes;
  } *items; /* borrowed pieces */
  size_t n, cap;
};

/* Append a part of a text that lives longer. */
void cul_pieces_add(struct cul_pieces *pieces, const char *data, size_t len);
/* Copy every piece: all is in own then. */
void cul_pieces_flatten(struct cul_pieces *pieces);
size_t cul_pieces_len(const struct cul_pieces *pieces);
/* Line feeds; one more where the last line has none. */
uint64_t cul_pieces_lines(const struct cul_pieces *pieces);
void cul_pieces_release(struct cul_pieces *pieces);

/* The text from its start: {pieces} reads the first. */
struct cul_pieces_reader {
  const struct cul_pieces *pieces;
  size_t next, own;
};
/* The next piece, not empty, borrowed; false: there are no more. */
bool cul_pieces_read(struct cul_pieces_reader *reader, struct cul_bytes *piece);

#endif
