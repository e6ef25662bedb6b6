/* bisect/artefacts: what makes two builds the same to a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../bisect/build/artefacts.h"

/* Two build directories. */
struct place {
  char root[32];
  char *dir[2];
};

static int set_up(void **state) {
  struct place *place = cul_xcalloc(1, sizeof *place);
  struct cul_err err = {0};
  strcpy(place->root, "/tmp/culprit-test-XXXXXX");
  assert_non_null(mkdtemp(place->root));
  for (int i = 0; i < 2; i++) {
    place->dir[i] = cul_xasprintf("%s/%02d", place->root, i);
    assert_int_equal(cul_mkdirs(place->dir[i], 0700, &err), 0);
  }
  *state = place;
  return 0;
}

static int tear_down(void **state) {
  struct place *place = *state;
  cul_rmtree(place->root);
  free(place->dir[0]);
  free(place->dir[1]);
  free(place);
  return 0;
}

static void put(const struct place *place, int i, const char *name,
                const char *data, size_t len) {
  char *path = cul_xasprintf("%s/%s", place->dir[i], name);
  struct cul_err err = {0};
  assert_int_equal(cul_file_write(path, data, len, 0755, &err), 0);
  free(path);
}

static void put_text(const struct place *place, int i, const char *name,
                     const char *text) {
  put(place, i, name, text, strlen(text));
}

static struct cul_artefacts *open_with(const char *arg) {
  static const char *argv[2];
  const struct cul_artefacts_conf conf = {.test = {{1, 2}}, .argv = argv};
  argv[0] = arg;
  return cul_artefacts_new(&conf);
}

/* What such a run read elsewhere. */
#define OUTSIDE "a /lib/x\n"

/* What a run in directory i read. */
static bool learn(struct cul_artefacts *a, const struct place *place, int i,
                  const char *commit, struct cul_digest *out) {
  struct cul_built_in build = {place->dir[i], commit, "", NULL};
  char *files =
      cul_xasprintf("r %s/data\nx %s/tool\n", place->dir[i], place->dir[i]);
  bool known = cul_artefacts_learn(a, files, OUTSIDE, &build, out);
  free(files);
  return known;
}

static bool find(struct cul_artefacts *a, const struct place *place, int i,
                 struct cul_digest *out) {
  struct cul_built_in build = {place->dir[i], "bbbb", NULL, NULL};
  struct cul_buf outside = {0};
  bool found = cul_artefacts_find(a, &build, out, &outside);
  assert_string_equal(cul_buf_str(&outside), found ? OUTSIDE : "");
  cul_buf_release(&outside);
  return found;
}

static void test_same_and_other(void **state) {
  struct place *place = *state;
  struct cul_artefacts *a = open_with("./tool");
  struct cul_digest one, two;
  for (int i = 0; i < 2; i++) {
    put_text(place, i, "tool", "#!/bin/sh\n");
    put_text(place, i, "data", place->dir[i]); /* its own path */
    put_text(place, i, "unread", i ? "a" : "b");
  }
  assert_false(find(a, place, 1, &two));
  assert_true(learn(a, place, 0, "aaaa", &one));
  assert_true(find(a, place, 1, &two));
  assert_memory_equal(&one, &two, sizeof one);
  put_text(place, 1, "data", "more");
  assert_false(find(a, place, 1, &two));
  assert_true(learn(a, place, 1, "bbbb", &two));
  assert_memory_not_equal(&one, &two, sizeof one);
  put_text(place, 1, "data", place->dir[1]); /* reverted */
  assert_true(find(a, place, 1, &two));
  assert_memory_equal(&one, &two, sizeof one);
  cul_artefacts_free(a);
}

/* A file that the test asks for, or a directory that it reads, may be in one
 * commit and not in the other. */
static void test_what_was_looked_for(void **state) {
  struct place *place = *state;
  struct cul_artefacts *a = open_with("./tool");
  struct cul_built_in build = {place->dir[0], "aaaa", NULL, NULL};
  struct cul_digest one, two;
  char *files = cul_xasprintf("l %s/cases\np %s/flag\nx %s/tool\n",
                              place->dir[0], place->dir[0], place->dir[0]);
  for (int i = 0; i < 2; i++) {
    char *cases = cul_xasprintf("%s/cases", place->dir[i]);
    struct cul_err err = {0};
    assert_int_equal(cul_mkdirs(cases, 0700, &err), 0);
    put_text(place, i, "tool", "#!/bin/sh\n");
    put_text(place, i, "cases/one", "1");
    free(cases);
  }
  assert_true(cul_artefacts_learn(a, files, OUTSIDE, &build, &one));
  assert_true(find(a, place, 1, &two));
  put_text(place, 1, "flag", "");
  assert_false(find(a, place, 1, &two));
  put_text(place, 0, "flag", "");
  assert_true(cul_artefacts_learn(a, files, OUTSIDE, &build, &one));
  assert_true(find(a, place, 1, &two));
  put_text(place, 1, "cases/two", "2");
  assert_false(find(a, place, 1, &two));
  free(files);
  cul_artefacts_free(a);
}

static void test_build_id(void **state) {
  static const char note[] = "\177ELF....\4\0\0\0\24\0\0\0\3\0\0\0GNU\0";
  struct place *place = *state;
  struct cul_artefacts *a = open_with("./tool");
  struct cul_digest one, two;
  for (int i = 0; i < 2; i++) {
    char elf[sizeof note - 1 + 20 + 4];
    memcpy(elf, note, sizeof note - 1);
    memset(elf + sizeof note - 1, 'a' + i, 20);
    memcpy(elf + sizeof elf - 4, "code", 4);
    put(place, i, "tool", elf, sizeof elf);
    put_text(place, i, "data", "");
  }
  assert_true(learn(a, place, 0, "aaaa", &one));
  assert_true(find(a, place, 1, &two));
  cul_artefacts_free(a);
}

/* Tests that look at the commit's name, or at nothing of the build. */
static void test_not_told(void **state) {
  struct place *place = *state;
  struct cul_artefacts *a = open_with("fetch-$CULPRIT_COMMIT");
  struct cul_digest one, two;
  struct cul_built_in build = {place->dir[0], "aaaa", NULL, NULL};
  for (int i = 0; i < 2; i++) {
    put_text(place, i, "tool", "#!/bin/sh\n");
    put_text(place, i, "data", "");
  }
  assert_true(learn(a, place, 0, "aaaa", &one));
  assert_true(learn(a, place, 0, "bbbb", &two));
  assert_memory_not_equal(&one, &two, sizeof one);
  assert_false(cul_artefacts_learn(a, "x /bin/sh\n", "", &build, &one));
  cul_artefacts_free(a);
  a = open_with("./tool");
  put_text(place, 0, "tool", "#!/bin/sh\nfetch $CULPRIT_COMMIT\n");
  assert_true(learn(a, place, 0, "aaaa", &one));
  assert_true(learn(a, place, 0, "bbbb", &two));
  assert_memory_not_equal(&one, &two, sizeof one);
  cul_artefacts_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_same_and_other, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_what_was_looked_for, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_build_id, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_not_told, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
