/* The imports at the head of a Python script, and which commands run one. */
#include "../../../runners/imports.c"
#include "runner_fixture.h"

static void finds(const char *script, bool whole, size_t n, const char *want) {
  struct cul_buf out = {0};
  struct cul_bytes text = {script, strlen(script)};
  assert_int_equal(find_imports(text, whole, &out), n);
  assert_string_equal(cul_buf_str(&out), want);
  cul_buf_release(&out);
}

static void the_head_alone(void **state) {
  (void)state;
  finds("", true, 0, "");
  finds("import a\nx = 1\nimport b\n", true, 1, "import a\n");
  finds("\xef\xbb\xbf# a\n\n'''b\n\\'''c'''  # d\n  \nimport a", true, 1,
        "import a\n");
  finds("from __future__ import a\nfrom b import c\n", true, 1,
        "from __future__ import a\nfrom b import c\n");
  finds("from a import (b,  # )\n  c)\nimport d, \\\n e as f\nimport\n", true,
        2, "from a import (b,  # )\n  c)\nimport d, \\\n e as f\n");
  finds("import a\r\nimport b\r\n", true, 2, "import a\r\nimport b\r\n");
}

/* Whatever else stands in a line, or before it, may change what follows. */
static void nothing_else(void **state) {
  (void)state;
  finds("import a; b()\n", true, 0, "");
  finds("import a\nimport b; c = 1\n", true, 1, "import a\n");
  finds("if a:\n  import b\n", true, 0, "");
  finds("  import a\n", true, 0, "");
  finds("f'{a()}'\nimport b\n", true, 0, "");
  finds("'a' + b()\nimport c\n", true, 0, "");
  finds("'a\nimport b\n", true, 0, "");
  finds("imports = 1\nimport a\n", true, 0, "");
  finds("import a = 'b'\n", true, 0, "");
  finds("from a import (b\n", true, 0, "");
}

/* Settings of variables to strings, which imports may read. */
static void settings(void **state) {
  static const char set[] = "import os\nos.environ[\"A\"] = 'b' \"c\" # d\n"
                            "os.environ.setdefault('E', \"f\")\nimport g\n";
  (void)state;
  finds(set, true, 2, set);
  finds("import os\nos.environ['A']='b'\n", true, 1, "import os\n");
  finds("import os\nos.environ['A'] = b\nimport c\n", true, 1, "import os\n");
  finds("import os\nos.environ['A'] += 'b'\nimport c\n", true, 1,
        "import os\n");
  finds("import os\nos.environ['A'] = 'b' + c()\nimport d\n", true, 1,
        "import os\n");
  finds("import os\nos.environ['A'] = 'b'.c\nimport d\n", true, 1,
        "import os\n");
  finds("import os\nos.environ['A'] = f'b'\nimport d\n", true, 1,
        "import os\n");
}

/* A statement that the cut may go through does not count. */
static void cut(void **state) {
  (void)state;
  finds("import a\nimport b", false, 1, "import a\n");
  finds("import a\nimport b\\", false, 1, "import a\n");
  finds("import a\nfrom b import (c,\n", false, 1, "import a\n");
}

static size_t runs(const struct scratch *s, const char *first,
                   const char *second, const char *third) {
  char *argv[] = {(char *)first, (char *)second, (char *)third, (char *)"more",
                  NULL};
  struct cul_buf out = {0};
  size_t n;
  n = cul_imports_of(argv, at(s, "a.py"), &out);
  cul_buf_release(&out);
  return n;
}

static void only_where_python_runs_it(void **state) {
  struct scratch *s = *state;
  char path[256];
  snprintf(path, sizeof path, "%s", at(s, "a.py"));
  put_file(path, "import b\n", 0600);
  assert_int_equal(runs(s, "python3", path, "a"), 1);
  assert_int_equal(runs(s, "env", "/usr/bin/python3.11", path), 1);
  assert_int_equal(runs(s, "python", "-u", path), 1);
  assert_int_equal(runs(s, "python", "-x", path), 0);
  assert_int_equal(runs(s, "python", "compile.py", path), 0);
  assert_int_equal(runs(s, "ipython", "-u", path), 0);
  assert_int_equal(runs(s, "python", "-u", "other.py"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_head_alone),
      cmocka_unit_test(nothing_else),
      cmocka_unit_test(settings),
      cmocka_unit_test(cut),
      cmocka_unit_test_setup_teardown(only_where_python_runs_it, scratch_setup,
                                      scratch_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
