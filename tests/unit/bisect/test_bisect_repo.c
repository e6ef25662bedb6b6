/* bisect/repo: repositories of strangers, which hold what no git makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <git2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../bisect/history/repo.h"

/* A bare repository, written to as git never would. */
struct place {
  char root[32];
  git_repository *git;
  struct cul_repo *repo;
};

static int set_up(void **state) {
  struct place *place = cul_xcalloc(1, sizeof *place);
  struct cul_err err = {0};
  strcpy(place->root, "/tmp/culprit-test-XXXXXX");
  assert_non_null(mkdtemp(place->root));
  git_libgit2_init();
  assert_int_equal(git_repository_init(&place->git, place->root, 1), 0);
  assert_int_equal(cul_repo_open(place->root, &place->repo, &err), 0);
  *state = place;
  return 0;
}

static int tear_down(void **state) {
  struct place *place = *state;
  cul_repo_close(place->repo);
  git_repository_free(place->git);
  git_libgit2_shutdown();
  cul_rmtree(place->root);
  free(place);
  return 0;
}

static git_oid write_object(const struct place *place, git_object_t kind,
                            struct cul_bytes bytes) {
  git_odb *odb;
  git_oid oid;
  assert_int_equal(git_repository_odb(&odb, place->git), 0);
  assert_int_equal(git_odb_write(&oid, odb, bytes.data, bytes.len, kind), 0);
  git_odb_free(odb);
  return oid;
}

static git_oid write_blob(const struct place *place, const char *text,
                          size_t len) {
  return write_object(place, GIT_OBJECT_BLOB, (struct cul_bytes){text, len});
}

static void add_entry(struct cul_buf *tree, const char *mode_and_name,
                      const git_oid *oid) {
  cul_buf_add(tree, mode_and_name, strlen(mode_and_name) + 1);
  cul_buf_add(tree, oid->id, sizeof oid->id);
}

/* A commit of the tree's entries, which are released. */
static git_oid write_commit(const struct place *place, struct cul_buf *entries,
                            const char *when) {
  struct cul_buf text = {0};
  char hex[GIT_OID_HEXSZ + 1];
  git_oid oid = write_object(place, GIT_OBJECT_TREE, cul_buf_bytes(entries));
  cul_buf_addf(&text, "tree %s\nauthor A <a@b> %s\ncommitter A <a@b> %s\n\nx\n",
               git_oid_tostr(hex, sizeof hex, &oid), when, when);
  oid = write_object(place, GIT_OBJECT_COMMIT, cul_buf_bytes(&text));
  cul_buf_release(&text);
  cul_buf_release(entries);
  return oid;
}

static struct cul_commit_id id_of(const git_oid *oid) {
  struct cul_commit_id id;
  memcpy(id.raw, oid->id, sizeof id.raw);
  return id;
}

/* ---- what a commit moves ---- */

/* A submodule and a file. */
static git_oid write_state(const struct place *place, const char *mode_and_name,
                           const char *text, size_t len) {
  struct cul_buf entries = {0};
  git_oid file = write_blob(place, text, len), module;
  memset(module.id, 1, sizeof module.id);
  add_entry(&entries, mode_and_name, &file);
  add_entry(&entries, "160000 sub", &module);
  return write_commit(place, &entries, "1 +0000");
}

/* Does the file count as changed, beside the submodule that stays? */
static bool moves_file(const struct place *place, const char *mode_and_name,
                       const char *text, size_t len) {
  git_oid old = write_state(place, "100644 a", "P\0old", 5);
  git_oid new = write_state(place, mode_and_name, text, len);
  const struct cul_commit_id from = id_of(&old), to = id_of(&new);
  const struct cul_commits_pins none = {NULL, 0};
  struct cul_moves moves;
  struct cul_err err = {0};
  bool others;
  assert_int_equal(cul_repo_moved(place->repo, &from, &to, &none, &moves, &err),
                   0);
  others = moves.others;
  cul_moves_release(&moves);
  return others;
}

static void test_moved(void **state) {
  const struct place *place = *state;
  assert_false(moves_file(place, "100644 a", "P\0old", 5));
  assert_true(moves_file(place, "100644 a", "Q\0old", 5));
  /* Behind a zero byte, too; and a right alone. */
  assert_true(moves_file(place, "100644 a", "P\0new", 5));
  assert_true(moves_file(place, "100755 a", "P\0old", 5));
}

/* ---- submodules in submodules ---- */

/* A commit that has the one before as its submodules, n times over. */
static git_oid write_nested(const struct place *place, int depth, int n) {
  static const char modules[] = "[submodule \"a\"]\n\tpath = a\n\turl = ./\n"
                                "[submodule \"b\"]\n\tpath = b\n\turl = ./\n";
  git_oid file = write_blob(place, modules, strlen(modules));
  struct cul_buf entries = {0};
  git_oid at = write_commit(place, &entries, "1 +0000");
  for (int i = 0; i < depth; i++) {
    add_entry(&entries, "100644 .gitmodules", &file);
    for (int k = 0; k < n; k++)
      add_entry(&entries, k ? "160000 b" : "160000 a", &at);
    at = write_commit(place, &entries, "1 +0000");
  }
  return at;
}

static int count_modules(const struct place *place, const git_oid *at,
                         size_t *n, struct cul_err *err) {
  const struct cul_repo_revision revision = {.commit = id_of(at)};
  struct cul_modules modules;
  int rc = cul_repo_modules(place->repo, &revision, &modules, err);
  *n = modules.n;
  cul_modules_release(&modules);
  return rc;
}

static void test_nested(void **state) {
  const struct place *place = *state;
  struct cul_err err = {0};
  git_oid at = write_nested(place, 3, 2);
  size_t n;
  assert_int_equal(count_modules(place, &at, &n, &err), 0);
  assert_int_equal(n, 2 + 4 + 8);
  at = write_nested(place, 30, 2); /* 2^31 - 2 */
  assert_int_equal(count_modules(place, &at, &n, &err), CUL_ECHILD);
  assert_non_null(strstr(err.what, "more than 10000"));
  at = write_nested(place, 120, 1);
  assert_int_equal(count_modules(place, &at, &n, &err), CUL_ECHILD);
  assert_non_null(strstr(err.what, "nested deeper than 100"));
}

/* ---- dates ---- */

static void assert_date(const struct place *place, const char *when,
                        const char *want) {
  struct cul_buf entries = {0};
  git_oid oid = write_commit(place, &entries, when);
  const struct cul_commit_id id = id_of(&oid);
  struct cul_commit_about about;
  struct cul_err err = {0};
  assert_int_equal(cul_repo_about(place->repo, &id, &about, &err), 0);
  assert_string_equal(about.date, want);
  cul_commit_about_release(&about);
}

static void test_date(void **state) {
  const struct place *place = *state;
  assert_date(place, "1700000000 +0130", "2023-11-14T23:43:20+01:30");
  assert_date(place, "99999999999999999 +0000", "@99999999999999999");
  assert_date(place, "9223372036854775000 +1400", "@9223372036854775000");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_moved, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_nested, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_date, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
