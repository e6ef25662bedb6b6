/* runners/preload/names.h: names of a large library, from the whole table and
 * from the sorted one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <link.h>
#include <mlir-c/IR.h>

#include "../../../base/buf.h"
#include "../../../runners/preload/names.h"

enum { FRAMES = 2000 };

/* The largest library that is loaded, and how much of memory it takes. */
struct library {
  char path[4096];
  uintptr_t base, end;
};

static int find_largest(struct dl_phdr_info *info, size_t size, void *arg) {
  struct library *library = arg;
  uintptr_t end = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz > end)
      end = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
  if (info->dlpi_name[0] == '/' && end > library->end &&
      strlen(info->dlpi_name) < sizeof library->path) {
    strcpy(library->path, info->dlpi_name);
    library->base = info->dlpi_addr;
    library->end = end;
  }
  return 0;
}

/* All over the library, and a little behind its end. */
static struct cul_where *make_frames(const struct library *library) {
  struct cul_where *frames = cul_xcalloc(FRAMES, sizeof *frames);
  for (size_t i = 0; i < FRAMES; i++) {
    frames[i].path = library->path;
    frames[i].base = library->base;
    frames[i].address = library->base + (library->end + (1 << 20)) / FRAMES * i;
  }
  return frames;
}

static void test_sorted_names_are_the_same(void **state) {
  struct library library = {.end = 0};
  struct cul_where *whole, *sorted;
  size_t named = 0;
  (void)state;
  mlirContextDestroy(mlirContextCreate()); /* so it is linked */
  dl_iterate_phdr(find_largest, &library);
  assert_true(library.end > 16 << 20);
  whole = make_frames(&library);
  sorted = make_frames(&library);
  cul_where_name(whole, FRAMES);
  cul_where_name(sorted, 0);
  assert_string_equal(sorted[0].name, "");
  cul_where_name(sorted, FRAMES);
  for (size_t i = 0; i < FRAMES; i++) {
    assert_string_equal(whole[i].name, sorted[i].name);
    named += whole[i].name[0] != '\0';
  }
  assert_true(named > FRAMES / 10);
  free(whole);
  free(sorted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sorted_names_are_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
