/* Records in the store: what comes back, and what counts as the same run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/environment.h"
#include "../../../base/files/file.h"
#include "../../../cache/cache.h"

struct place {
  char dir[64];
  char *path;
  struct cul_cache *cache;
};

static void reopen(struct place *place) {
  struct cul_err err = {0};
  char *note = NULL;
  cul_cache_close(place->cache);
  assert_int_equal(cul_cache_open(place->path, &place->cache, &note, &err), 0);
  assert_null(note);
}

static int setup(void **state) {
  struct place *place = cul_xcalloc(1, sizeof(*place));
  strcpy(place->dir, "/tmp/cul-cache-XXXXXX");
  assert_non_null(mkdtemp(place->dir));
  place->path = cul_xasprintf("%s/cache.db", place->dir);
  reopen(place);
  *state = place;
  return 0;
}

static int teardown(void **state) {
  struct place *place = *state;
  cul_cache_close(place->cache);
  cul_rmtree(place->dir);
  free(place->path);
  free(place);
  return 0;
}

static const char *const argv_one[] = {"tool", "-x", "@@", NULL};
static const char *const argv_two[] = {"tool", "-x", "@@", "", NULL};
static const char *const argv_joined[] = {"tool", "-x@@", NULL};
static const char *const env_one[] = {"A=1", NULL};
static const char *const env_two[] = {"A=2", NULL};

static const struct cul_command plain_command = {
    .argv = argv_one,
    .delivery = CUL_BY_PLACEHOLDER,
    .cwd = "/",
    .env = env_one,
};

struct key {
  struct cul_digest artefact;
  struct cul_command command;
  struct cul_request request;
};

static void plain_key(struct key *key) {
  memset(key, 0, sizeof(*key));
  key->artefact = (struct cul_digest){{1, 2}};
  key->command = plain_command;
  key->request.role = "suspect";
  key->request.cmd = &key->command;
  key->request.tool = (struct cul_digest){{3, 4}};
  key->request.wall_ms = 1000;
}

static void text(struct cul_buf *buf, const char *bytes, size_t len) {
  *buf = (struct cul_buf){0};
  cul_buf_add(buf, bytes, len);
}

static void full_record(struct cul_record *record) {
  memset(record, 0, sizeof(*record));
  record->end = CUL_SIGNALED;
  record->status = 11;
  text(&record->out, "a\0b\n", 4);
  text(&record->err, "\xff\xfe", 2);
  text(&record->files, "r /a\nx /b\n", 10);
  record->wall_us = 0x123456789a;
  record->cpu_us = 0xfedcba9876543210;
  record->pace = CUL_PACE_WAITING;
  record->rss_bytes = 1;
  record->truncated = 12345;
  record->trace_closed = true;
}

static void put(struct place *place, const struct key *key,
                const struct cul_record *record) {
  struct cul_err err = {0};
  assert_int_equal(
      cul_cache_put(place->cache, &key->artefact, &key->request, record, &err),
      0);
}

static bool get(struct place *place, const struct key *key,
                struct cul_record *out) {
  struct cul_err err = {0};
  bool found = false;
  assert_int_equal(cul_cache_get(place->cache, &key->artefact, &key->request,
                                 out, &found, &err),
                   0);
  return found;
}

static bool has(struct place *place, const struct key *key) {
  struct cul_record record;
  bool found = get(place, key, &record);
  cul_record_release(&record);
  return found;
}

static void put_end(struct place *place, const struct key *key,
                    enum cul_end end, int status) {
  struct cul_record record = {.end = end, .status = status};
  put(place, key, &record);
}

static void same_bytes(const struct cul_buf *a, const struct cul_buf *b) {
  assert_int_equal(a->len, b->len);
  if (a->len)
    assert_memory_equal(a->data, b->data, a->len);
}

static void check_same(const struct cul_record *a, const struct cul_record *b) {
  assert_int_equal(a->end, b->end);
  assert_int_equal(a->status, b->status);
  same_bytes(&a->out, &b->out);
  same_bytes(&a->err, &b->err);
  same_bytes(&a->files, &b->files);
  assert_true(a->wall_us == b->wall_us);
  assert_true(a->cpu_us == b->cpu_us);
  assert_int_equal(a->pace, b->pace);
  assert_true(a->rss_bytes == b->rss_bytes);
  assert_true(a->truncated == b->truncated);
  assert_int_equal(a->trace_closed, b->trace_closed);
}

static void test_every_field_comes_back(void **state) {
  struct place *place = *state;
  struct key key;
  struct cul_record record, back;
  plain_key(&key);
  full_record(&record);
  put(place, &key, &record);
  for (int pass = 0; pass < 2; pass++) {
    /* First from what waits, then from the file. */
    assert_true(get(place, &key, &back));
    check_same(&record, &back);
    assert_true(back.cached);
    cul_record_release(&back);
    reopen(place);
  }
  cul_record_release(&record);
}

static void test_every_end_and_status(void **state) {
  struct place *place = *state;
  static const enum cul_end kept[] = {CUL_EXITED, CUL_SIGNALED, CUL_DEADLINE,
                                      CUL_LIMIT};
  static const enum cul_end dropped[] = {CUL_NOT_STARTED, CUL_MACHINE};
  static const int status[] = {0, 1, 127, 255, -1, INT32_MAX, INT32_MIN};
  struct key key;
  struct cul_record back;
  plain_key(&key);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kept); i++) {
    for (size_t j = 0; j < CUL_ARRAY_SIZE(status); j++) {
      key.request.attempt++;
      put_end(place, &key, kept[i], status[j]);
      assert_true(get(place, &key, &back));
      assert_int_equal(back.end, kept[i]);
      assert_int_equal(back.status, status[j]);
      cul_record_release(&back);
    }
  }
  for (size_t i = 0; i < CUL_ARRAY_SIZE(dropped); i++) {
    key.request.attempt++;
    put_end(place, &key, dropped[i], 0);
    assert_false(has(place, &key));
  }
}

enum { N_CHANGES = 16 };

/* One item of the key at a time. */
static void change(struct key *key, int which) {
  struct cul_command *cmd = &key->command;
  struct cul_request *request = &key->request;
  request->cmd = cmd;
  switch (which) {
  case 0:
    key->artefact.w[0]++;
    break;
  case 1:
    key->artefact.w[1]++;
    break;
  case 2:
    cmd->argv = argv_two;
    break;
  case 3:
    cmd->argv = argv_joined;
    break;
  case 4:
    cmd->delivery = CUL_BY_STDIN;
    break;
  case 5:
    cmd->cwd = NULL;
    break;
  case 6:
    cmd->cwd = "";
    break;
  case 7:
    cmd->env = env_two;
    break;
  case 8:
    cmd->env = NULL;
    break;
  case 9:
    request->role = "reference";
    break;
  case 10:
    request->attempt++;
    break;
  case 11:
    request->seed++;
    break;
  case 12:
    request->flags |= CUL_RUN_SYMBOLIZE;
    break;
  case 13:
    request->tool.w[0]++;
    break;
  case 14:
    request->tool.w[1]++;
    break;
  case 15:
    request->file = "other.mlir";
    break;
  }
}

static void test_each_item_of_the_key_counts(void **state) {
  struct place *place = *state;
  struct key key;
  plain_key(&key);
  put_end(place, &key, CUL_EXITED, 0);
  for (int i = 0; i < N_CHANGES; i++) {
    struct key other;
    plain_key(&other);
    change(&other, i);
    assert_false(has(place, &other));
    put_end(place, &other, CUL_EXITED, 100 + i);
  }
  for (int i = 0; i < N_CHANGES; i++) {
    struct key other;
    struct cul_record back;
    plain_key(&other);
    change(&other, i);
    assert_true(get(place, &other, &back));
    assert_int_equal(back.status, 100 + i);
    cul_record_release(&back);
  }
}

static void test_inherited_value_counts(void **state) {
  struct place *place = *state;
  struct key key;
  plain_key(&key);
  unsetenv("CUL_TEST_KEY");
  put_end(place, &key, CUL_EXITED, 0);
  setenv("CUL_TEST_KEY", "", 1);
  assert_false(has(place, &key));
  put_end(place, &key, CUL_EXITED, 1);
  setenv("CUL_TEST_KEY", "1", 1);
  assert_false(has(place, &key));
  unsetenv("CUL_TEST_KEY");
  assert_true(has(place, &key));
  setenv("SHLVL", "7", 1); /* nobody passes it */
  assert_true(has(place, &key));
  unsetenv("SHLVL");
}

static void test_a_given_environment_counts(void **state) {
  static const char *const set[] = {"CUL_TEST_KEY=1"};
  const struct cul_environment_conf conf = {.set = set, .n_set = 1};
  struct place *place = *state;
  struct cul_environment *environment;
  struct cul_err err = {0};
  struct key key, other;
  plain_key(&key);
  plain_key(&other);
  assert_int_equal(cul_environment_new(&conf, &environment, &err), 0);
  other.command.environment = environment;
  put_end(place, &key, CUL_EXITED, 0);
  assert_false(has(place, &other));
  put_end(place, &other, CUL_EXITED, 1);
  assert_true(has(place, &other));
  setenv("CUL_TEST_KEY", "1", 1); /* the same environment */
  put_end(place, &key, CUL_EXITED, 2);
  unsetenv("CUL_TEST_KEY");
  assert_true(has(place, &key));
  cul_environment_free(environment);
}

static void test_limits_do_not_count(void **state) {
  struct place *place = *state;
  struct key key;
  plain_key(&key);
  put_end(place, &key, CUL_EXITED, 0);
  key.request.wall_ms = 7;
  key.request.cpu_ms = 8;
  key.request.rss_bytes = 9;
  key.request.out_bytes = 10;
  key.request.flags = CUL_RUN_ALONE;
  assert_true(has(place, &key));
  key.request.wall_ms = 0;
  assert_true(has(place, &key));
}

static void test_deadline_serves_no_longer_one(void **state) {
  struct place *place = *state;
  struct key key;
  plain_key(&key);
  put_end(place, &key, CUL_DEADLINE, 0);
  assert_true(has(place, &key));
  key.request.wall_ms = 999;
  assert_true(has(place, &key));
  key.request.wall_ms = 0;
  assert_false(has(place, &key));
  key.request.wall_ms = 1001;
  assert_false(has(place, &key));
  /* A later one replaces it; an earlier one does not. */
  key.request.wall_ms = 5000;
  put_end(place, &key, CUL_DEADLINE, 0);
  key.request.wall_ms = 10;
  put_end(place, &key, CUL_DEADLINE, 0);
  key.request.wall_ms = 5000;
  assert_true(has(place, &key));
  /* And an end replaces both, for good. */
  key.request.wall_ms = 9000;
  put_end(place, &key, CUL_EXITED, 0);
  key.request.wall_ms = 20000;
  assert_true(has(place, &key));
}

static void test_limit_serves_no_larger_one(void **state) {
  struct place *place = *state;
  struct key key;
  plain_key(&key);
  key.request.cpu_ms = 2000;
  key.request.rss_bytes = 1 << 20;
  put_end(place, &key, CUL_LIMIT, 24);
  assert_true(has(place, &key));
  key.request.cpu_ms = 2001;
  assert_false(has(place, &key));
  key.request.cpu_ms = 1000;
  key.request.rss_bytes = (1 << 20) + 1;
  assert_false(has(place, &key));
  key.request.rss_bytes = 0;
  assert_false(has(place, &key));
}

static void test_cut_output_serves_no_larger_one(void **state) {
  struct place *place = *state;
  struct key key;
  struct cul_record record = {.truncated = 1};
  plain_key(&key);
  key.request.out_bytes = 4096;
  put(place, &key, &record);
  assert_true(has(place, &key));
  key.request.out_bytes = 0;
  assert_false(has(place, &key));
  key.request.out_bytes = 100;
  assert_true(has(place, &key));
}

static void test_trace_wants_a_traced_run(void **state) {
  struct place *place = *state;
  struct key key;
  plain_key(&key);
  put_end(place, &key, CUL_EXITED, 0);
  key.request.flags = CUL_RUN_TRACE;
  assert_false(has(place, &key));
  put_end(place, &key, CUL_EXITED, 0);
  assert_true(has(place, &key));
  key.request.flags = 0;
  assert_true(has(place, &key));
}

static void test_no_cache_and_open_identity(void **state) {
  struct place *place = *state;
  struct key key;
  plain_key(&key);
  key.request.flags = CUL_RUN_NO_CACHE;
  put_end(place, &key, CUL_EXITED, 0);
  assert_false(has(place, &key));
  key.request.flags = 0;
  assert_false(has(place, &key));
  put_end(place, &key, CUL_EXITED, 0);
  assert_true(has(place, &key));
  key.request.flags = CUL_RUN_NO_CACHE;
  assert_false(has(place, &key));
  key.request.flags = 0;
  key.request.tool = (struct cul_digest){{0, 0}};
  put_end(place, &key, CUL_EXITED, 0);
  assert_false(has(place, &key));
}

static void test_hits_and_misses(void **state) {
  struct place *place = *state;
  struct key key;
  struct cul_cache_stats stats;
  struct cul_err err = {0};
  plain_key(&key);
  assert_false(has(place, &key));
  put_end(place, &key, CUL_EXITED, 0);
  assert_true(has(place, &key));
  assert_true(has(place, &key));
  assert_int_equal(cul_cache_stat(place->cache, &stats, &err), 0);
  assert_int_equal(stats.hits, 2);
  assert_int_equal(stats.misses, 1);
  assert_int_equal(stats.records, 1);
  assert_int_equal(stats.memos, 0);
  assert_true(stats.bytes >= 4096);
}

static void test_large_output(void **state) {
  struct place *place = *state;
  struct key key;
  struct cul_record record = {0}, back;
  size_t len = 6 << 20;
  plain_key(&key);
  cul_buf_reserve(&record.out, len);
  for (size_t i = 0; i < len; i++)
    cul_buf_addc(&record.out, (char)(i * 2654435761u >> 24));
  put(place, &key, &record);
  reopen(place);
  assert_true(get(place, &key, &back));
  check_same(&record, &back);
  cul_record_release(&back);
  cul_record_release(&record);
}

static void test_none_is_a_store_too(void **state) {
  struct place none = {.cache = NULL};
  struct key key;
  (void)state;
  plain_key(&key);
  put_end(&none, &key, CUL_EXITED, 0);
  assert_false(has(&none, &key));
}

static bool holds(void *self) { return *(const bool *)self; }

/* The tool changed before the records of its runs were written: none is. */
static void test_guarded(void **state) {
  struct place *place = *state;
  struct cul_err err = {0};
  struct key key;
  bool same = true;
  plain_key(&key);
  cul_cache_guard(place->cache, holds, &same);
  put_end(place, &key, CUL_EXITED, 0);
  assert_int_equal(cul_cache_flush(place->cache, &err), 0);
  assert_true(has(place, &key));
  same = false;
  for (uint32_t attempt = 1; attempt < 3; attempt++) {
    key.request.attempt = attempt;
    put_end(place, &key, CUL_EXITED, 0);
    assert_int_equal(cul_cache_flush(place->cache, &err), 0);
    same = true; /* what it says later does not count */
  }
  reopen(place);
  for (uint32_t attempt = 0; attempt < 3; attempt++) {
    key.request.attempt = attempt;
    assert_int_equal(has(place, &key), attempt == 0);
  }
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_every_field_comes_back),
      CASE(test_every_end_and_status),
      CASE(test_each_item_of_the_key_counts),
      CASE(test_inherited_value_counts),
      CASE(test_a_given_environment_counts),
      CASE(test_limits_do_not_count),
      CASE(test_deadline_serves_no_longer_one),
      CASE(test_limit_serves_no_larger_one),
      CASE(test_cut_output_serves_no_larger_one),
      CASE(test_trace_wants_a_traced_run),
      CASE(test_no_cache_and_open_identity),
      CASE(test_hits_and_misses),
      CASE(test_large_output),
      CASE(test_none_is_a_store_too),
      CASE(test_guarded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
