/* Tickets of more searches than 16 bits can number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../base/err.h"
#include "../../../reducer/driver/ticket_row.h"

enum { SEARCHES = 70000, LIVE = 4, EACH = 5 };

/* The stage of a chain that a ticket belongs to, and its number there. */
static size_t find(const struct cul_ticket_row *live, uint64_t ticket,
                   uint64_t *inner) {
  size_t i = 0;
  while (i < LIVE && !(*inner = cul_ticket_row_find(&live[i], ticket)))
    i++;
  return i;
}

/* A few searches are asked in turns; each is replaced by the next one. */
static void test_every_ticket_is_its_own(void **state) {
  struct cul_ticket_row live[LIVE] = {0};
  uint64_t last = 0, before = 0;
  (void)state;
  for (size_t search = 0; search < SEARCHES; search++) {
    struct cul_ticket_row *new = &live[search % LIVE];
    uint64_t old = new->n ? cul_ticket_row_of(new, 1) : 0, inner;
    cul_ticket_row_release(new);
    for (uint64_t n = 1; n <= EACH; n++) {
      struct cul_ticket_row *turn = &live[(search + n % 2) % LIVE];
      uint64_t ticket = cul_ticket_row_give(turn, turn->n + 1, &last);
      assert_true(ticket > before);
      before = ticket;
      assert_ptr_equal(&live[find(live, ticket, &inner)], turn);
      assert_int_equal(inner, turn->n);
      assert_int_equal(cul_ticket_row_of(turn, inner), ticket);
    }
    assert_int_equal(find(live, old, &inner), LIVE);
  }
  assert_int_equal(last, (uint64_t)SEARCHES * EACH);
  for (size_t i = 0; i < LIVE; i++)
    cul_ticket_row_release(&live[i]);
}

/* One search with more points than that. */
static void test_many_points(void **state) {
  struct cul_ticket_row tickets = {0};
  uint64_t last = UINT64_C(1) << 48;
  (void)state;
  for (uint64_t n = 1; n <= SEARCHES; n++)
    assert_int_equal(cul_ticket_row_give(&tickets, n, &last),
                     (UINT64_C(1) << 48) + n);
  for (uint64_t n = 1; n <= SEARCHES; n++)
    assert_int_equal(cul_ticket_row_find(&tickets, (UINT64_C(1) << 48) + n), n);
  assert_int_equal(cul_ticket_row_find(&tickets, UINT64_C(1) << 48), 0);
  assert_int_equal(cul_ticket_row_find(&tickets, last + 1), 0);
  cul_ticket_row_release(&tickets);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_ticket_is_its_own),
      cmocka_unit_test(test_many_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
