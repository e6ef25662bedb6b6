/* The heap of a worker of texts: what it asks of the kernel is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include "../../../reducer/worker/heap.h"

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Address space that is reserved, as by a sanitizer, and not in memory. */
static void reserved_space_costs_nothing(void **state) {
  const size_t size = (size_t)8 << 40;
  void *reserved = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  struct cul_heap heap = {0};
  double start = processor_seconds();
  (void)state;
  if (reserved == MAP_FAILED)
    skip();
  for (int candidate = 0; candidate < 20; candidate++)
    cul_heap_hold(&heap);
  assert_true(processor_seconds() - start < 0.5);
  cul_heap_let_go(&heap);
  munmap(reserved, size);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reserved_space_costs_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
