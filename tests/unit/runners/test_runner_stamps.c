/* Files of a tool that change while a job runs. */
#include "runner_fixture.h"

#include "../../../runners/identity/identity.h"
#include "../../../runners/identity/stamps.h"

static const struct cul_command command = {0};

static void write_text(struct scratch *s, const char *name, const char *text) {
  struct cul_err err = {0};
  assert_int_equal(cul_file_write(at(s, name), text, strlen(text), 0644, &err),
                   0);
}

/* In place, so that a reader may see a part. */
static void overwrite(struct scratch *s, const char *name, const char *text) {
  FILE *file = fopen(at(s, name), "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* Stamps of the files as they are now. */
static struct cul_stamps stamps_of(struct scratch *s, const char *const *names,
                                   size_t n) {
  struct cul_stamps stamps = {0};
  struct cul_identity id = {0};
  for (size_t i = 0; i < n; i++) {
    struct cul_digest digest;
    struct cul_err err = {0};
    char hex[CUL_DIGEST_HEX];
    assert_int_equal(cul_file_digest(at(s, names[i]), &digest, &err), 0);
    cul_buf_addf(&id.files, "%s %s\n", cul_digest_hex(&digest, hex),
                 at(s, names[i]));
    id.n_files++;
  }
  cul_stamps_add(&stamps, &command, &id);
  cul_identity_release(&id);
  return stamps;
}

static bool hold(struct cul_stamps *stamps, struct cul_err *err) {
  int rc;
  *err = (struct cul_err){0};
  rc = cul_stamps_check(stamps, true, err);
  assert_true(rc == 0 || rc == CUL_EENV);
  assert_int_equal(rc, err->code);
  assert_int_equal(cul_stamps_hold(stamps), rc == 0);
  return rc == 0;
}

static const char *const two[] = {"a", "b"};

static void unchanged(void **state) {
  struct scratch *s = *state;
  struct cul_stamps stamps, none = {0};
  struct cul_err err;
  write_text(s, "a", "one");
  write_text(s, "b", "two");
  stamps = stamps_of(s, two, 2);
  assert_int_equal(stamps.n, 2);
  assert_true(hold(&stamps, &err));
  assert_true(hold(&none, &err));
  /* Another name, or a permission, is none of the tool's. */
  assert_int_equal(link(at(s, "a"), at(s, "c")), 0);
  assert_int_equal(chmod(at(s, "b"), 0600), 0);
  assert_true(hold(&stamps, &err));
  cul_stamps_release(&stamps);
}

static void changed(void **state) {
  struct scratch *s = *state;
  struct cul_stamps stamps;
  struct cul_err err;
  write_text(s, "a", "one");
  write_text(s, "b", "two");
  stamps = stamps_of(s, two, 2);
  usleep(150 * 1000); /* a clock tick of the file system */
  assert_true(hold(&stamps, &err));
  write_text(s, "b", "TWO");
  assert_false(hold(&stamps, &err));
  assert_non_null(strstr(err.what, "/b changed while the job ran"));
  /* Answers in between are of another tool, even if it comes back. */
  write_text(s, "b", "two");
  assert_false(hold(&stamps, &err));
  cul_stamps_release(&stamps);
}

/* Daemons renew files, and caches their times. */
static void written_anew(void **state) {
  struct scratch *s = *state;
  struct cul_stamps stamps;
  struct cul_err err;
  write_text(s, "a", "one");
  stamps = stamps_of(s, two, 1);
  usleep(20 * 1000); /* a clock tick of the kernel */
  write_text(s, "a", "one");
  assert_true(hold(&stamps, &err));
  overwrite(s, "a", "one");
  assert_true(hold(&stamps, &err));
  overwrite(s, "a", "ONE");
  assert_false(hold(&stamps, &err));
  cul_stamps_release(&stamps);
}

/* As soon as it was read, before the clock moves on. */
static void changed_at_once(void **state) {
  struct scratch *s = *state;
  struct cul_stamps stamps;
  struct cul_err err;
  write_text(s, "a", "one");
  stamps = stamps_of(s, two, 1);
  write_text(s, "a", "ONE");
  usleep(150 * 1000);
  assert_false(hold(&stamps, &err));
  cul_stamps_release(&stamps);
}

static void removed(void **state) {
  struct scratch *s = *state;
  struct cul_stamps stamps;
  struct cul_err err;
  write_text(s, "a", "one");
  stamps = stamps_of(s, two, 1);
  assert_int_equal(unlink(at(s, "a")), 0);
  assert_false(hold(&stamps, &err));
  assert_non_null(strstr(err.what, "/a was removed while the job ran"));
  cul_stamps_release(&stamps);
}

static void permission(void **state) {
  struct scratch *s = *state;
  struct cul_stamps stamps;
  struct cul_err err;
  write_text(s, "a", "one");
  stamps = stamps_of(s, two, 1);
  assert_int_equal(chmod(at(s, "a"), 0755), 0);
  assert_false(hold(&stamps, &err));
  cul_stamps_release(&stamps);
}

/* Two tools that read one file must have read the same. */
static void two_tools(void **state) {
  struct scratch *s = *state;
  struct cul_stamps stamps;
  struct cul_identity id = {.n_files = 1};
  struct cul_err err;
  write_text(s, "a", "one");
  stamps = stamps_of(s, two, 1);
  cul_buf_addf(&id.files, "%032d %s\n", 7, at(s, "a"));
  cul_stamps_add(&stamps, &command, &id);
  assert_int_equal(stamps.n, 1);
  assert_false(hold(&stamps, &err));
  cul_identity_release(&id);
  cul_stamps_release(&stamps);
}

#define TEST(f)                                                                \
  cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(unchanged),       TEST(changed), TEST(written_anew),
      TEST(changed_at_once), TEST(removed), TEST(permission),
      TEST(two_tools),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
