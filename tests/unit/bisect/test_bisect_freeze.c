/* Lists of packages: what pip freeze prints, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../../bisect/packages/freeze.h"

static void test_list(void **state) {
  static const char text[] = "# made by pip\n"
                             "\n"
                             "Zope.Interface==5.0  # of a\n"
                             "numpy==1.26.4 \\\n"
                             "    --hash=sha256:0123 \\\n"
                             "    --hash=sha256:4567\n"
                             "  iree_base__compiler == 3.2\r\n"
                             "own @ https://example.org/own.zip#sha256=1\n"
                             "extra[all]==1; python_version > '3'";
  static const char *const want[][2] = {
      {"extra", "extra[all]==1; python_version > '3'"},
      {"iree-base-compiler", "iree_base__compiler == 3.2"},
      {"numpy", "numpy==1.26.4"},
      {"own", "own @ https://example.org/own.zip#sha256=1"},
      {"zope-interface", "Zope.Interface==5.0"}};
  struct cul_freeze_list list;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_freeze_read("a.txt", text, &list, &err), 0);
  assert_int_equal(list.n, CUL_ARRAY_SIZE(want));
  for (size_t i = 0; i < list.n; i++) {
    assert_string_equal(list.entries[i].name, want[i][0]);
    assert_string_equal(list.entries[i].text, want[i][1]);
  }
  cul_freeze_list_release(&list);
}

static void refuse(const char *text, const char *what, const char *advice) {
  struct cul_freeze_list list;
  struct cul_err err = {0};
  assert_int_equal(cul_freeze_read("a.txt", text, &list, &err), CUL_EUSAGE);
  if (!strstr(err.what, what) || !strstr(err.advice, advice))
    fail_msg("%s: %s (%s)", text, err.what, err.advice);
  cul_freeze_list_release(&list);
}

static void test_none(void **state) {
  (void)state;
  refuse("a==1\nnumpy>=2\n", "a.txt line 2: \"numpy>=2\"", "NAME==VERSION");
  refuse("-e git+https://example.org/a#egg=a\n", "line 1", "NAME @ URL");
  refuse("--index-url https://example.org\n", "line 1", "--index-url");
  refuse("==1\n", "line 1", "pip freeze");
  refuse("My_Tool==1\nmy-tool==2\n", "my-tool appears twice", "leave");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_list),
      cmocka_unit_test(test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
