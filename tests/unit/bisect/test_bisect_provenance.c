/* The commit that a package names, in its version, its files, its metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../base/files/file.h"
#include "../../../bisect/packages/provenance.h"

#define COMMIT "2e8738e81cb205197eb636440038d0c4e37b6f4d"
#define OTHER "00000000111111112222222233333333aaaaaaaa"

static void check(char *got, const char *want) {
  if (want) {
    assert_non_null(got);
    assert_string_equal(got, want);
  } else {
    assert_null(got);
  }
  free(got);
}

static void test_text(void **state) {
  (void)state;
  check(cul_provenance_of_text("REVISIONS = {\"X\": \"" COMMIT "\"}\n"),
        COMMIT);
  check(cul_provenance_of_text("digest = '" OTHER "'\ngit_version = '" COMMIT
                               "'\n"),
        COMMIT);
  check(cul_provenance_of_text("digest = '" OTHER "'"), OTHER);
  check(cul_provenance_of_text("a" COMMIT " " COMMIT "0 x_" COMMIT), NULL);
  check(cul_provenance_of_text("version = '1.0'\n"), NULL);
  check(cul_provenance_of_text(""), NULL);
}

static void test_version(void **state) {
  (void)state;
  check(cul_provenance_of_version("2.1.0a0+git1a2b3c4"), "1a2b3c4");
  check(cul_provenance_of_version("1.0.dev3+g0123456789"), "0123456789");
  check(cul_provenance_of_version("0.4.31.dev20240829+5e418f5ab"), "5e418f5ab");
  check(cul_provenance_of_version("2.1.0+cu118.gitabcdef0"), "abcdef0");
  check(cul_provenance_of_version("2.1.0+cu118"), NULL);
  check(cul_provenance_of_version("1.0+20250101"), NULL);
  check(cul_provenance_of_version("1.0+gnu"), NULL);
  check(cul_provenance_of_version("1.0"), NULL);
  check(cul_provenance_of_version("1.0+"), NULL);
}

static void test_repository(void **state) {
  (void)state;
  check(cul_provenance_repository(
            "Name: x\nProject-URL: homepage, https://example.org/\n"
            "Project-URL: repository, https://github.com/a/b\n\nbody"),
        "https://github.com/a/b");
  check(cul_provenance_repository(
            "Home-page: https://github.com/a/b\n"
            "Project-URL: Source, https://git.example.org/c/d/tree/main\n"),
        "https://git.example.org/c/d");
  check(cul_provenance_repository("Home-page: https://github.com/a/b/\n"),
        "https://github.com/a/b");
  check(cul_provenance_repository("Home-page: https://example.org/\n"), NULL);
  check(cul_provenance_repository(
            "Name: x\n\nProject-URL: Source, https://github.com/a/b\n"),
        NULL);
}

/* What a package's direct_url.json says becomes part of a command that is
 * shown: only an address does. */
static void test_direct_url(void **state) {
  static const struct {
    const char *url, *want;
  } cases[] = {{"https://github.com/a/b.git", "https://github.com/a/b.git"},
               {"--upload-pack=touch evil", NULL},
               {"ext::sh -c 'touch evil'", NULL}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cases); i++) {
    char root[] = "/tmp/cul-provenance-XXXXXX";
    struct cul_provenance from = {0};
    struct cul_err err = {0};
    char *info, *path;
    FILE *file;
    assert_non_null(mkdtemp(root));
    info =
        cul_xasprintf("%s/lib/python3.11/site-packages/x-1.0.dist-info", root);
    assert_int_equal(cul_mkdirs(info, 0700, &err), 0);
    path = cul_xasprintf("%s/direct_url.json", info);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"url\": \"%s\", \"vcs_info\": {\"commit_id\": \"%s\"}}",
            cases[i].url, COMMIT);
    fclose(file);
    cul_provenance_find(root, "x", "1.0", &from);
    assert_string_equal(from.commit, COMMIT);
    check(from.repository ? cul_xstrdup(from.repository) : NULL, cases[i].want);
    cul_provenance_release(&from);
    cul_rmtree(root);
    free(path);
    free(info);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_version),
      cmocka_unit_test(test_repository),
      cmocka_unit_test(test_direct_url),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
