/* Directories that are kept from job to job. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../base/files/depot.h"
#include "../../../base/files/file.h"

static char top[] = "/tmp/culprit-test-XXXXXX";
static struct cul_err err;

static void open_depot(struct cul_depot *depot, uint64_t most) {
  char *dir = cul_xasprintf("%s/a/depot", top);
  assert_int_equal(cul_depot_open(depot, dir, &err), 0);
  depot->most_bytes = most;
  free(dir);
}

static enum cul_depot_state enter(struct cul_depot *depot, const char *name,
                                  int *lock) {
  enum cul_depot_state state;
  assert_int_equal(cul_depot_enter(depot, name, &state, lock, &err), 0);
  return state;
}

static bool is_there(const struct cul_depot *depot, const char *name,
                     const char *ending) {
  char *dir = cul_depot_path(depot, name);
  char *path = cul_xasprintf("%s%s", dir, ending);
  bool there = access(path, F_OK) == 0;
  free(path);
  free(dir);
  return there;
}

/* An entry with a file of so many bytes, used so long ago. */
static void make(struct cul_depot *depot, const char *name, size_t bytes,
                 time_t ago_s) {
  char *dir = cul_depot_path(depot, name);
  char *file = cul_xasprintf("%s/file", dir);
  char *mark = cul_xasprintf("%s.made", dir);
  char *text = cul_xcalloc(1, bytes + 1);
  struct timespec times[2] = {{time(NULL) - ago_s, 0}, {time(NULL) - ago_s, 0}};
  uint64_t most = depot->most_bytes;
  int lock;
  assert_int_equal(enter(depot, name, &lock), CUL_DEPOT_EMPTY);
  assert_int_equal(cul_file_replace_step(file, text, bytes, 0600, &err), 0);
  depot->most_bytes = 0;
  assert_int_equal(cul_depot_end(depot, name, true, lock, &err), 0);
  depot->most_bytes = most;
  assert_int_equal(utimensat(AT_FDCWD, mark, times, 0), 0);
  free(text);
  free(mark);
  free(file);
  free(dir);
}

static void is_made_once(void **state) {
  struct cul_depot depot, other;
  int lock, lock2;
  (void)state;
  open_depot(&depot, 0);
  open_depot(&other, 0);
  assert_int_equal(enter(&depot, "x-1", &lock), CUL_DEPOT_EMPTY);
  assert_int_equal(enter(&other, "x-1", &lock2), CUL_DEPOT_BUSY);
  assert_int_equal(lock2, -1);
  assert_int_equal(cul_depot_end(&depot, "x-1", true, lock, &err), 0);
  assert_int_equal(enter(&depot, "x-1", &lock), CUL_DEPOT_READY);
  assert_int_equal(enter(&other, "x-1", &lock2), CUL_DEPOT_READY);
  close(lock);
  close(lock2);
  cul_depot_close(&depot);
  cul_depot_close(&other);
}

static void what_cannot_be_made_leaves_nothing(void **state) {
  struct cul_depot depot;
  int lock;
  (void)state;
  open_depot(&depot, 0);
  assert_int_equal(enter(&depot, "y", &lock), CUL_DEPOT_EMPTY);
  assert_true(is_there(&depot, "y", ""));
  assert_int_equal(cul_depot_end(&depot, "y", false, lock, &err), 0);
  assert_false(is_there(&depot, "y", ""));
  /* Its process was killed: it is begun anew. */
  assert_int_equal(enter(&depot, "y", &lock), CUL_DEPOT_EMPTY);
  close(lock);
  assert_int_equal(enter(&depot, "y", &lock), CUL_DEPOT_EMPTY);
  assert_int_equal(cul_depot_end(&depot, "y", true, lock, &err), 0);
  cul_depot_close(&depot);
}

static void the_bound_spares_what_is_in_use(void **state) {
  struct cul_depot depot;
  int used, lock;
  (void)state;
  open_depot(&depot, 250 << 10);
  make(&depot, "oldest", 100 << 10, 3000);
  assert_int_equal(enter(&depot, "oldest", &used), CUL_DEPOT_READY);
  make(&depot, "older", 100 << 10, 2000);
  make(&depot, "old", 100 << 10, 1000);
  assert_int_equal(enter(&depot, "old", &lock), CUL_DEPOT_READY);
  assert_true(is_there(&depot, "oldest", ".made"));
  assert_false(is_there(&depot, "older", ""));
  assert_true(is_there(&depot, "old", ".made"));
  close(used);
  close(lock);
  cul_depot_close(&depot);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(top) ? 0 : -1;
}

static int tear_down(void **state) {
  char *remove = cul_xasprintf("rm -rf %s", top);
  int rc = system(remove);
  (void)state;
  free(remove);
  return rc;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_made_once),
      cmocka_unit_test(what_cannot_be_made_leaves_nothing),
      cmocka_unit_test(the_bound_spares_what_is_in_use),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
