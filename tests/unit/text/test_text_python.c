/* What certainly is no Python is told, and nothing that Python reads. */
#include <ftw.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../../base/files/file.h"
#include "../../../reducer/subject/text/language/python_syntax.h"
#include "text_invariants.h"

static bool wrong(struct cul_bytes bytes, uint32_t *at) {
  struct cul_text *text = cul_text_parse(bytes, cul_lang_named("python"));
  bool is = cul_text_python_wrong(text, at);
  cul_text_free((struct cul_subject *)text);
  return is;
}

static bool is_wrong(const char *python) {
  uint32_t at_byte;
  return wrong((struct cul_bytes){python, strlen(python)}, &at_byte);
}

static void test_no_python(void **state) {
  static const char *const texts[] = {"x = \n",
                                      "x = a +\n",
                                      "x = * / b\n",
                                      "f(a b)\n",
                                      "f(, a)\n",
                                      "f(a, = b)\n",
                                      "f(a +)\n",
                                      "x = a.\n",
                                      "x = [a\n",
                                      "x = a)\n",
                                      "if a\n  b\n",
                                      "if a:\nb\n",
                                      "a\n  b\n",
                                      "if a:\n    b\n  c\n",
                                      "def f():\n",
                                      "x = 1 2\n",
                                      "x = a 'b'\n",
                                      "x = a return\n",
                                      "x = a if else b\n",
                                      "for x in :\n  y\n",
                                      "x = not\n",
                                      "f(a = )\n",
                                      "x = y[, 1]\n",
                                      "== 3\n",
                                      "x = (a and)\n",
                                      "a {b}\n",
                                      "x = .\n",
                                      "lambda)\n",
                                      "if :\n  x\n",
                                      "x = a 1\n"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(texts); i++)
    if (!is_wrong(texts[i]))
      fail_msg("taken for Python: %s", texts[i]);
}

static void test_python(void **state) {
  static const char *const texts[] = {
      "x = a if b else -c\n",
      "if a: from . import b; c = .5\n",
      "match x:\n  case 'a' | 1 if y: pass\n  case _: pass\n",
      "def f(a, /, *, b: int = 3, **c) -> 'd':\n  return *a, b\n",
      "x[::2, ..., :, 1:] = y[:-1]\n",
      "x = f\"{a[\"b c\"]}\"\n",
      "x = 'a' f'b' \"c\"\n",
      "for x, in y: print(x, file=z)\nelse: pass\n",
      "x = [a for a in b if not a not in c]\n",
      "x = lambda *a, k=1: (yield)\n",
      "@a.b(c)\nasync def f():\n  await g\n",
      "x **= 2; y //= 3; z @= a; w >>= 1\n",
      "if (a and\n  b):\n    c = (\n1)\n",
      "x = a \\\n  + b\n",
      "x = 'a\\\nb c'\n",
      "if (n := 3) is not None: x: int = 1if n else 2\n",
      "if a:\n\tb\n        c\n",
      "try:\n  a\nexcept* (B, C) as d:\n  pass\n",
      "x = a.match(1).type; print(type, match)\n",
      "def f[T: int](a): ...\n",
      "name, = a\n",
      "x = {**a, 'b': ~c, 1: not d}\n"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(texts); i++)
    if (is_wrong(texts[i]))
      fail_msg("not taken for Python: %s", texts[i]);
}

static size_t n_files, n_refused;

static int visit(const char *path, const struct stat *status, int type,
                 struct FTW *at) {
  size_t len = strlen(path);
  struct cul_buf bytes = {0};
  struct cul_err err = {0};
  uint32_t at_byte;
  (void)status, (void)at;
  /* Tests and templates hold what is no Python, or Python 2. */
  if (type != FTW_F || len < 3 || strcmp(path + len - 3, ".py") != 0 ||
      strstr(path, "/tests/") || strstr(path, "/test/") ||
      strstr(path, "lib2to3"))
    return 0;
  assert_int_equal(cul_file_read(path, 0, &bytes, &err), 0);
  n_files++;
  if (wrong(cul_buf_bytes(&bytes), &at_byte)) {
    print_error("%s: byte %u: not taken for Python\n", path, at_byte);
    n_refused++;
  }
  cul_buf_release(&bytes);
  return 0;
}

/* Python's own library, where it is installed. */
static void test_library(void **state) {
  glob_t found = {0};
  (void)state;
  if (glob("/usr/lib/python3*", 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++)
      assert_int_equal(nftw(found.gl_pathv[i], visit, 16, FTW_PHYS), 0);
  globfree(&found);
  if (n_files == 0)
    skip();
  assert_int_equal(n_refused, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_python),
      cmocka_unit_test(test_python),
      cmocka_unit_test(test_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
