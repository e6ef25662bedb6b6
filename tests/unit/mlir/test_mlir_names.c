/* runners/preload: names of a large library, from the whole table and from the
 * sorted one; names of the program; the stack of a process that dies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mlir-c/IR.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/buf.h"
#include "../../../runners/preload/names.h"
#include "../../../runners/preload/stack.h"

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

static struct cul_where here(void) {
  struct cul_where frame = {.address = (uintptr_t)make_frames};
  Dl_info info;
  assert_true(dladdr((void *)frame.address, &info));
  frame.path = "program";
  frame.base = (uintptr_t)info.dli_fbase;
  return frame;
}

/* Once ready, the names of the program are known without its file. */
static void test_program_is_sorted(void **state) {
  struct cul_where before = here(), after = here();
  struct rlimit old, none;
  (void)state;
  cul_where_name(&before, 1);
  assert_string_equal(before.name, "make_frames");
  cul_stack_catch(false, true);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
  none = old;
  none.rlim_cur = 0;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  cul_where_name(&after, 1);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
  assert_string_equal(after.name, "make_frames");
}

static void test_readable(void **state) {
  static const struct {
    const char *symbol, *readable;
    bool whole;
  } names[] = {
      {"main", "main", true},
      {"_Z3fooi", "foo", true},
      {"_Z3fooIiEvT_", "foo", true},
      {"_ZN2ns3fooEv", "ns::foo", true},
      {"_ZNK2ns3Bar3fooEv", "ns::Bar::foo", true},
      {"_ZN2ns12_GLOBAL__N_13fooEv", "ns::(anonymous namespace)::foo", true},
      {"_ZN2ns3BarC2EPNS_2OpE", "ns::Bar", false},
      {"_ZN2ns3BarD0Ev", "ns::Bar", false},
      {"_ZN2ns3BarIiE3fooEv", "ns::Bar", false},
      {"_ZN2ns3BarclEi", "ns::Bar", false},
      {"_ZZN2ns3fooEvENKUlvE_clEv", "_ZZN2ns3fooEvENKUlvE_clEv", true},
  };
  char out[64];
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
    assert_int_equal(cul_where_readable(names[i].symbol, out, sizeof out),
                     names[i].whole);
    assert_string_equal(out, names[i].readable);
  }
  assert_false(cul_where_readable("_ZN2ns3fooEv", out, 6));
  assert_string_equal(out, "ns::f");
}

/* In a pipe of packets, which keeps writes apart. */
static void test_stack_is_one_write(void **state) {
  char text[1 << 16];
  int ends[2], status = 0;
  ssize_t n;
  pid_t pid;
  (void)state;
  assert_int_equal(pipe2(ends, O_DIRECT), 0);
  pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    signal(SIGABRT, SIG_DFL);
    prctl(PR_SET_DUMPABLE, 0); /* no core file */
    dup2(ends[1], STDERR_FILENO);
    cul_stack_catch(true, false);
    abort();
  }
  close(ends[1]);
  n = read(ends[0], text, sizeof text - 1);
  assert_true(n > 0);
  text[n] = '\0';
  assert_non_null(strstr(text, "#0 0x"));
  assert_non_null(strstr(text, "\n#1 0x"));
  assert_int_equal(text[n - 1], '\n');
  assert_int_equal(read(ends[0], text, sizeof text), 0);
  close(ends[0]);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sorted_names_are_the_same),
      cmocka_unit_test(test_program_is_sorted), cmocka_unit_test(test_readable),
      cmocka_unit_test(test_stack_is_one_write)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
