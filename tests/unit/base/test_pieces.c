/* Texts in pieces: nothing lost, nothing in another order, lines as counted one
 * by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

#include "../../../base/pieces.h"

static uint32_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Of these bytes, one in eight is a line feed. */
static char *make(size_t len, uint64_t seed) {
  char *bytes = cul_xmalloc(len);
  for (size_t i = 0; i < len; i++)
    bytes[i] = "\nabcdefg"[next(&seed) % 8];
  return bytes;
}

static uint64_t lines_of(const struct cul_buf *text) {
  uint64_t n = 0;
  for (size_t i = 0; i < text->len; i++)
    n += text->data[i] == '\n';
  return n + (text->len && text->data[text->len - 1] != '\n');
}

static void check(struct cul_pieces *pieces, const struct cul_buf *wanted) {
  struct cul_pieces_reader reader = {.pieces = pieces};
  struct cul_buf got = {0};
  struct cul_bytes piece;
  while (cul_pieces_read(&reader, &piece)) {
    assert_true(piece.len > 0);
    cul_buf_add(&got, piece.data, piece.len);
  }
  assert_true(cul_bytes_equal(cul_buf_bytes(&got), cul_buf_bytes(wanted)));
  assert_int_equal(cul_pieces_len(pieces), wanted->len);
  assert_int_equal(cul_pieces_lines(pieces), lines_of(wanted));
  cul_buf_release(&got);
}

static void test_random(void **state) {
  enum { MOST = 20000 };
  char *bytes = make(MOST, 7);
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    uint64_t at = seed;
    struct cul_pieces pieces = {0};
    struct cul_buf wanted = {0};
    for (uint32_t n = next(&at) % 8; n > 0; n--) {
      size_t from = next(&at) % MOST, len = next(&at) % (MOST - from);
      len = next(&at) % 2 ? len : len % 40;
      cul_buf_add(&wanted, bytes + from, len);
      if (next(&at) % 3)
        cul_pieces_add(&pieces, bytes + from, len);
      else
        cul_buf_add(&pieces.own, bytes + from, len);
    }
    check(&pieces, &wanted);
    cul_pieces_flatten(&pieces);
    check(&pieces, &wanted);
    assert_int_equal(pieces.n, 0);
    cul_pieces_release(&pieces);
    cul_buf_release(&wanted);
  }
  free(bytes);
}

static void test_large_pieces_are_not_copied(void **state) {
  enum { LEN = 100000 };
  char *bytes = make(LEN, 1);
  struct cul_pieces pieces = {0};
  (void)state;
  cul_pieces_add(&pieces, bytes, LEN);
  cul_pieces_add(&pieces, bytes, 3);
  cul_pieces_add(&pieces, bytes, LEN / 2);
  assert_int_equal(pieces.own.len, 3);
  assert_int_equal(pieces.n, 2);
  cul_pieces_release(&pieces);
  free(bytes);
}

static void test_empty(void **state) {
  struct cul_pieces pieces = {0};
  (void)state;
  check(&pieces, &(struct cul_buf){0});
  cul_pieces_flatten(&pieces);
  cul_pieces_add(&pieces, "", 0);
  check(&pieces, &(struct cul_buf){0});
  cul_pieces_release(&pieces);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_large_pieces_are_not_copied),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
