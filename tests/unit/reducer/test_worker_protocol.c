/* A real worker of the text kind, driven through its client. */
#include "worker_helper.h"

#include <sys/wait.h>

#include "../../../reducer/worker/talk.h"

static const char sample[] = "one\ntwo {\n  three\n}\nfour\n";

static void test_open_tells_size_and_mutations(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const struct cul_mutation_info *infos;
  struct cul_size size;
  size_t n;
  (void)state;
  cul_worker_size(worker, &size);
  assert_int_equal(size.ops, 6);
  assert_int_equal(size.bytes, sizeof sample - 1);
  assert_int_equal(size.lines, 5);
  infos = cul_worker_mutations(worker, &n);
  assert_int_equal(n, N_TEST_MUTATIONS);
  assert_string_equal(infos[ERASE_LINES].name, "text-erase-lines");
  assert_string_equal(infos[DIE].summary, "ends badly");
  assert_int_equal(infos[DIE].kinds, CUL_SUBJECT_TEXT);
  assert_int_equal(infos[DIE].phase, CUL_PHASE_DELTA);
  cul_worker_close(worker);
}

static void test_no_program(void **state) {
  struct cul_worker *worker = NULL;
  struct cul_workers workers;
  struct cul_err err = {0};
  (void)state;
  cul_workers_init(&workers, "/nonexistent");
  cul_workers_start(&workers, CUL_FORM_TEXT);
  assert_int_equal(
      cul_worker_open(&workers,
                      (struct cul_reading){CUL_FORM_TEXT, .check = true},
                      bytes_of(sample), 1000, &worker, &err),
      CUL_EENV);
  assert_non_null(strstr(err.what, "culprit-worker-text"));
  assert_non_null(strstr(err.advice, "install culprit again"));
  assert_null(worker);
  cul_workers_release(&workers);
}

static void test_sites_of_two_mutations(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const uint32_t wanted[] = {DIE, ERASE_LINES};
  struct cul_listed *listed = NULL;
  struct cul_err err = {0};
  size_t n = 0;
  (void)state;
  assert_int_equal(cul_worker_sites(worker, wanted, 2, 1000, &listed, &n, &err),
                   0);
  assert_int_equal(n, 7 + 5);
  assert_int_equal(listed[0].mutation, DIE);
  assert_int_equal(listed[7].mutation, ERASE_LINES);
  assert_int_equal(listed[7].site, 0);
  assert_int_equal(listed[8].weight, 2);
  assert_int_equal(listed[8].parent, CUL_SITE_NONE);
  assert_true(listed[8].group != listed[0].group);
  free(listed);
  cul_worker_close(worker);
}

static void test_identity_and_edits(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  /* Neither sorted nor unique. */
  const struct cul_edit edits[] = {
      {ERASE_LINES, 4}, {ERASE_LINES, 0}, {ERASE_LINES, 4}};
  struct cul_child_built built, same;
  struct cul_digest digest = cul_digest_of(sample, sizeof sample - 1);
  struct cul_child *child, *identity;
  struct cul_buf text = {0};
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(build(worker, NULL, 0, &identity, &same, &err), 0);
  assert_true(same.valid);
  assert_int_equal(same.applied, 0);
  assert_in_range(same.rss_bytes, 100 << 10, 100 << 20);
  assert_true(cul_digest_equal(&same.digest, &digest));
  assert_int_equal(build(worker, edits, 3, &child, &built, &err), 0);
  assert_true(built.valid);
  assert_int_equal(built.applied, 2);
  assert_int_equal(built.size.lines, 3);
  assert_int_equal(built.size.ops, 4);
  read_child(child, &text);
  assert_string_equal(cul_buf_str(&text), "two {\n  three\n}\n");
  digest = cul_digest_of(text.data, text.len);
  assert_true(cul_digest_equal(&built.digest, &digest));
  assert_int_equal(built.size.bytes, text.len);
  cul_buf_clear(&text);
  read_child(identity, &text);
  assert_string_equal(cul_buf_str(&text), sample);
  cul_buf_release(&text);
  cul_child_drop(child);
  cul_child_drop(identity);
  cul_worker_close(worker);
}

static void test_write_error(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  struct cul_child_built built;
  struct cul_child *child;
  struct cul_err err = {0};
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  (void)state;
  assert_int_equal(build(worker, NULL, 0, &child, &built, &err), 0);
  assert_int_equal(cul_child_write(child, full, "/dev/full", &err), CUL_EENV);
  assert_non_null(strstr(err.what, "/dev/full: No space left"));
  assert_string_equal(err.advice, "make room on the disk");
  assert_int_equal(cul_child_write(child, null, "/dev/null", &err), 0);
  close(full);
  close(null);
  cul_child_drop(child);
  cul_worker_close(worker);
}

/* The file of a candidate is that of the one before: nothing of that stays. */
static void test_write_over_longer(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const struct cul_edit edit = {ERASE_LINES, 0};
  char path[] = "/tmp/test-worker-XXXXXX";
  struct cul_child_built built;
  struct cul_child *longer, *shorter;
  struct cul_buf text = {0};
  struct cul_err err = {0};
  int fd = mkstemp(path);
  (void)state;
  assert_true(fd >= 0);
  assert_int_equal(build(worker, NULL, 0, &longer, &built, &err), 0);
  assert_int_equal(build(worker, &edit, 1, &shorter, &built, &err), 0);
  assert_in_range(built.size.bytes, 1, sizeof sample - 2);
  assert_int_equal(cul_child_write(longer, fd, path, &err), 0);
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  assert_int_equal(cul_child_write(shorter, fd, path, &err), 0);
  close(fd);
  assert_int_equal(cul_file_read(path, 0, &text, &err), 0);
  assert_int_equal(text.len, built.size.bytes);
  assert_int_equal(unlink(path), 0);
  cul_buf_release(&text);
  cul_child_drop(longer);
  cul_child_drop(shorter);
  cul_worker_close(worker);
}

/* Lines of 60 bytes, too many to be copied for each candidate. */
static void make_large(struct cul_buf *out) {
  for (int i = 0; out->len < (9 << 20); i++)
    cul_buf_addf(out, "line %08d of a text of %*s\n", i, 32, "no language");
}

static void check_pieces(struct cul_child *child, size_t n, size_t own,
                         const struct cul_buf *wanted) {
  struct cul_pieces pieces = {0};
  struct cul_buf text = {0};
  struct cul_err err = {0};
  assert_int_equal(cul_child_pieces(child, &pieces, &err), 0);
  assert_int_equal(pieces.n, n);
  assert_int_equal(pieces.own.len, own);
  assert_true(cul_bytes_equal(cul_pieces_flat(&pieces), cul_buf_bytes(wanted)));
  assert_int_equal(cul_child_text(child, &text, &err), 0);
  assert_true(cul_bytes_equal(cul_buf_bytes(&text), cul_buf_bytes(wanted)));
  cul_buf_release(&text);
  cul_pieces_release(&pieces);
}

/* What a candidate has of the input is not sent, unless the client does not
 * keep that: shared. */
static void check_large(struct cul_workers *workers, struct cul_bytes bytes,
                        bool shared) {
  struct cul_worker *worker = NULL;
  const struct cul_edit edit = {ERASE_LINES, 1000};
  const size_t at = 1000 * 60;
  struct cul_child_built built;
  struct cul_child *identity, *child;
  struct cul_buf wanted = {0};
  struct cul_err err = {0};
  assert_int_equal(cul_worker_open(workers,
                                   (struct cul_reading){.form = CUL_FORM_TEXT},
                                   bytes, 60000, &worker, &err),
                   0);
  assert_int_equal(build(worker, NULL, 0, &identity, &built, &err), 0);
  assert_int_equal(build(worker, &edit, 1, &child, &built, &err), 0);
  cul_buf_add(&wanted, bytes.data, bytes.len);
  check_pieces(identity, shared, shared ? 0 : bytes.len, &wanted);
  wanted.len = at;
  cul_buf_add(&wanted, bytes.data + at + 60, bytes.len - at - 60);
  check_pieces(child, shared ? 2 : 0, shared ? 0 : wanted.len, &wanted);
  /* What was accepted is a text of its own. */
  assert_int_equal(cul_worker_adopt(worker, child, &err), 0);
  assert_int_equal(build(worker, NULL, 0, &child, &built, &err), 0);
  check_pieces(child, 0, wanted.len, &wanted);
  cul_child_drop(child);
  cul_child_drop(identity);
  cul_worker_close(worker);
  cul_buf_release(&wanted);
}

static void test_large_parts_are_not_sent(void **state) {
  struct cul_workers workers;
  struct cul_sealed input;
  struct cul_buf text = {0};
  struct cul_err err = {0};
  (void)state;
  make_large(&text);
  assert_int_equal(cul_sealed_make(cul_buf_bytes(&text), &input, &err), 0);
  cul_workers_init(&workers, TEST_SHOP_DIR);
  workers.input = &input;
  check_large(&workers, input.bytes, true);
  check_large(&workers, cul_buf_bytes(&text), false);
  cul_workers_release(&workers);
  cul_sealed_release(&input);
  cul_buf_release(&text);
}

/* What a damaged child sends as its text: parts, bytes of the memory file, and
 * the size that it had sent before. */
struct damage {
  struct cul_wire_part parts[3];
  size_t n;
  const char *written;
  uint64_t bytes;
  int rc; /* of cul_child_pieces */
};

static struct cul_wire_msg hear(int sock, uint32_t type) {
  struct cul_wire_msg msg;
  if (cul_wire_recv(sock, &msg) != 1 || msg.type != type)
    _exit(1);
  return msg;
}

/* Be a worker program, its worker and the child in one. */
static void be_damaged(int sock, const struct damage *damage) {
  struct cul_wire_opened opened = {.size.bytes = damage->bytes};
  struct cul_child_built built = {.valid = true, .size.bytes = damage->bytes};
  struct cul_wire_msg worker = hear(sock, CUL_WIRE_FORK), child, show;
  int32_t done = 0;
  cul_wire_send(sock, CUL_WIRE_BRANCHED, &done, sizeof done, -1);
  hear(worker.fds[0], CUL_WIRE_OPEN);
  cul_wire_send(worker.fds[0], CUL_WIRE_OPENED, &opened, sizeof opened, -1);
  child = hear(worker.fds[0], CUL_WIRE_BEGIN);
  cul_wire_send(child.fds[0], CUL_WIRE_BUILT, &built, sizeof built, -1);
  show = hear(child.fds[0], CUL_WIRE_SHOW);
  if (write(show.fds[0], damage->written, strlen(damage->written)) < 0)
    _exit(1);
  cul_wire_send(child.fds[0], CUL_WIRE_SHOWN, damage->parts,
                damage->n * sizeof *damage->parts, -1);
  _exit(0);
}

static void fork_damaged(struct cul_workers *workers,
                         const struct damage *damage) {
  struct cul_err err = {0};
  int pair[2];
  pid_t pid;
  cul_workers_init(workers, TEST_SHOP_DIR);
  assert_int_equal(cul_wire_pair(pair, &err), 0);
  pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    close(pair[0]);
    be_damaged(pair[1], damage);
  }
  close(pair[1]);
  workers->sockets[1] = pair[0]; /* the program for texts */
}

static void check_damaged(const struct cul_sealed *input,
                          const struct damage *damage) {
  struct cul_workers workers;
  struct cul_worker *worker = NULL;
  struct cul_child *child;
  struct cul_child_built built;
  struct cul_pieces pieces = {0};
  struct cul_err err = {0};
  fork_damaged(&workers, damage);
  workers.input = input;
  assert_int_equal(cul_worker_open(&workers,
                                   (struct cul_reading){.form = CUL_FORM_TEXT},
                                   input->bytes, 10000, &worker, &err),
                   0);
  assert_int_equal(build(worker, NULL, 0, &child, &built, &err), 0);
  assert_int_equal(cul_child_pieces(child, &pieces, &err), damage->rc);
  if (damage->rc == 0)
    assert_int_equal(cul_pieces_len(&pieces), damage->bytes);
  else
    assert_true(pieces.n == 0 && pieces.own.len == 0);
  cul_pieces_release(&pieces);
  cul_child_drop(child);
  cul_worker_close(worker);
  cul_workers_release(&workers);
  assert_true(wait(NULL) > 0);
}

/* A damaged child cannot make the client read outside of the input, nor write
 * more than the candidate's size. */
static void test_damaged_parts_are_refused(void **state) {
  const uint64_t own = CUL_WIRE_WRITTEN;
  const struct damage all[] = {
      {{{0, 4}, {own, 2}, {6, 4}}, 3, "xy", 10, 0},
      {{{8, 3}}, 1, "", 3, CUL_ECHILD},            /* behind the end */
      {{{11, 1}}, 1, "", 1, CUL_ECHILD},           /* starts behind it */
      {{{1, UINT64_MAX}}, 1, "", 1, CUL_ECHILD},   /* the sum overflows */
      {{{3, 0}, {own, 1}}, 2, "x", 1, CUL_ECHILD}, /* empty */
      {{{own, 3}}, 1, "xy", 3, CUL_ECHILD},        /* not written */
      {{{own, 1}}, 1, "xy", 1, CUL_ECHILD},        /* not named */
      {{{own, 2}, {own, UINT64_MAX}}, 2, "xy", 2, CUL_ECHILD},
      {{{0, 10}, {0, 10}, {0, 10}}, 3, "", 10, CUL_ECHILD}, /* too many */
      {{{0, 4}}, 1, "", 10, CUL_ECHILD},                    /* too few */
  };
  struct cul_sealed input;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_sealed_make(bytes_of("0123456789"), &input, &err), 0);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(all); i++)
    check_damaged(&input, &all[i]);
  cul_sealed_release(&input);
}

static void test_unknown_site_is_refused(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const struct cul_edit edits[] = {{ERASE_LINES, 5}}, other[] = {{99, 0}};
  struct cul_child_built built;
  struct cul_child *child;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(build(worker, edits, 1, &child, &built, &err), 0);
  assert_false(built.valid);
  assert_string_equal(built.why, "text-erase-lines has no site 5");
  cul_child_drop(child);
  assert_int_equal(build(worker, other, 1, &child, &built, &err), 0);
  assert_false(built.valid);
  cul_child_drop(child);
  cul_worker_close(worker);
}

static void add_lines(struct cul_buf *text, int n) {
  for (int i = 0; i < n; i++)
    cul_buf_addf(text, "line %d\n", i);
}

/* Every accepted candidate becomes the worker; 200 times over. */
static void test_adopt_chain(void **state) {
  struct cul_buf text = {0}, left = {0};
  const struct cul_edit first_line = {ERASE_LINES, 0};
  struct cul_worker *worker;
  struct cul_child_built built;
  struct cul_child *child;
  struct cul_err err = {0};
  struct cul_size size;
  size_t fds;
  (void)state;
  add_lines(&text, 201);
  worker = open_session(TEST_SHOP_DIR, text.data);
  fds = count_fds();
  for (int i = 0; i < 200; i++) {
    assert_int_equal(build(worker, &first_line, 1, &child, &built, &err), 0);
    assert_int_equal(cul_worker_adopt(worker, child, &err), 0);
    cul_worker_size(worker, &size);
    assert_int_equal(size.lines, 200 - i);
  }
  assert_int_equal(count_fds(), fds);
  expect_workers(1);
  assert_int_equal(build(worker, NULL, 0, &child, &built, &err), 0);
  read_child(child, &left);
  assert_string_equal(cul_buf_str(&left), "line 200\n");
  cul_child_drop(child);
  cul_worker_close(worker);
  cul_buf_release(&text);
  cul_buf_release(&left);
}

static void expect_text(struct cul_worker *worker, const char *expected) {
  struct cul_child_built built;
  struct cul_child *child;
  struct cul_buf text = {0};
  struct cul_err err = {0};
  assert_int_equal(build(worker, NULL, 0, &child, &built, &err), 0);
  read_child(child, &text);
  assert_string_equal(cul_buf_str(&text), expected);
  cul_buf_release(&text);
  cul_child_drop(child);
}

/* A candidate that is a worker, too: each of the three goes its own way, and
 * the branch outlives the others. */
static void test_branch(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const struct cul_edit first_line = {ERASE_LINES, 0};
  const uint32_t wanted[] = {ERASE_LINES};
  struct cul_worker *branch = NULL;
  struct cul_child_built built;
  struct cul_child *child, *next;
  struct cul_listed *listed = NULL;
  struct cul_err err = {0};
  struct cul_size size;
  size_t n = 0;
  (void)state;
  assert_int_equal(build(worker, &first_line, 1, &child, &built, &err), 0);
  assert_int_equal(cul_worker_branch(worker, child, &branch, &err), 0);
  cul_worker_size(branch, &size);
  assert_int_equal(size.lines, 4);
  assert_int_equal(cul_worker_sites(branch, wanted, 1, 1000, &listed, &n, &err),
                   0);
  assert_int_equal(n, 4);
  assert_int_equal(build(branch, &first_line, 1, &next, &built, &err), 0);
  assert_int_equal(cul_worker_adopt(branch, next, &err), 0);
  expect_text(branch, "  three\n}\nfour\n");
  expect_text(worker, sample);
  assert_int_equal(cul_worker_adopt(worker, child, &err), 0);
  expect_text(worker, "two {\n  three\n}\nfour\n");
  cul_worker_close(worker);
  expect_text(branch, "  three\n}\nfour\n");
  cul_worker_close(branch);
  expect_workers(0);
  free(listed);
}

/* Nothing of a branch is left when its candidate could not be had. */
static void test_branch_of_the_dead(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const struct cul_edit dies = {DIE, ABORT};
  struct cul_worker *branch = NULL;
  struct cul_child_built built;
  struct cul_child *child;
  struct cul_err err = {0};
  size_t fds = count_fds();
  (void)state;
  assert_int_equal(build(worker, &dies, 1, &child, &built, &err), CUL_ECHILD);
  assert_int_equal(cul_worker_branch(worker, child, &branch, &err), CUL_ELOST);
  assert_null(branch);
  cul_child_drop(child);
  assert_int_equal(count_fds(), fds);
  cul_worker_close(worker);
}

/* Bodies too long for a packet: the text, the sites, the edits. */
/* The worker's answer to a fork has its length checked. */
static void test_fork_without_answer(void **state) {
  struct cul_peer here = {.sock = -1}, out = {.sock = -1}, there = {.sock = -1};
  struct cul_err err = {0};
  int pair[2];
  (void)state;
  assert_int_equal(cul_wire_pair(pair, &err), 0);
  here.sock = pair[0];
  there.sock = pair[1];
  assert_int_equal(cul_wire_say(&there, CUL_WIRE_BRANCHED,
                                (struct cul_bytes){NULL, 0}, -1, &err),
                   0);
  assert_int_equal(cul_wire_fork(&here, CUL_WIRE_BRANCH, &out, &err),
                   CUL_ELOST);
  assert_non_null(strstr(err.what, "no answer to a fork"));
  assert_int_equal(out.sock, -1);
  close(pair[0]);
  close(pair[1]);
}

static void test_long_messages(void **state) {
  enum { N = 20000 };
  const uint32_t wanted[] = {ERASE_LINES};
  struct cul_buf text = {0}, left = {0};
  struct cul_edit *edits = cul_xcalloc(N, sizeof *edits);
  struct cul_listed *listed = NULL;
  struct cul_child_built built;
  struct cul_worker *worker;
  struct cul_child *child;
  struct cul_err err = {0};
  size_t n = 0;
  (void)state;
  add_lines(&text, N);
  worker = open_session(TEST_SHOP_DIR, text.data);
  assert_int_equal(cul_worker_sites(worker, wanted, 1, 5000, &listed, &n, &err),
                   0);
  assert_int_equal(n, N);
  for (uint32_t i = 0; i < N; i++) {
    assert_int_equal(listed[i].site, i);
    edits[i] = (struct cul_edit){ERASE_LINES, i};
  }
  assert_int_equal(build(worker, edits, N - 1, &child, &built, &err), 0);
  assert_int_equal(built.applied, N - 1);
  read_child(child, &left);
  assert_string_equal(cul_buf_str(&left), "line 19999\n");
  cul_child_drop(child);
  cul_worker_close(worker);
  free(edits);
  free(listed);
  cul_buf_release(&text);
  cul_buf_release(&left);
}

/* Nothing is left behind: descriptors here, processes there. */
static void test_no_leaks(void **state) {
  size_t fds = count_fds();
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  struct cul_child *children[20];
  struct cul_err err = {0};
  struct cul_child_built built;
  (void)state;
  for (size_t i = 0; i < 20; i++)
    children[i] = begin(worker, NULL, 0);
  for (size_t i = 0; i < 20; i++)
    assert_int_equal(cul_child_built(children[i], &built, &err), 0);
  expect_workers(21);
  for (size_t i = 0; i < 20; i++)
    cul_child_drop(children[i]);
  expect_workers(1);
  cul_worker_close(worker);
  expect_workers(0);
  assert_int_equal(count_fds(), fds);
  cul_worker_close(NULL);
  cul_child_drop(NULL);
}

static void test_fd_is_readable_when_built(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  struct cul_child *child = begin(worker, NULL, 0);
  struct pollfd ready = {.fd = cul_child_fd(child), .events = POLLIN};
  struct cul_child_built built;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(poll(&ready, 1, 5000), 1);
  assert_int_equal(cul_child_built(child, &built, &err), 0);
  assert_int_equal(poll(&ready, 1, 50), 0);
  cul_child_drop(child);
  cul_worker_close(worker);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open_tells_size_and_mutations),
      cmocka_unit_test(test_no_program),
      cmocka_unit_test(test_sites_of_two_mutations),
      cmocka_unit_test(test_identity_and_edits),
      cmocka_unit_test(test_write_error),
      cmocka_unit_test(test_write_over_longer),
      cmocka_unit_test(test_large_parts_are_not_sent),
      cmocka_unit_test(test_damaged_parts_are_refused),
      cmocka_unit_test(test_unknown_site_is_refused),
      cmocka_unit_test(test_adopt_chain),
      cmocka_unit_test(test_branch),
      cmocka_unit_test(test_branch_of_the_dead),
      cmocka_unit_test(test_fork_without_answer),
      cmocka_unit_test(test_long_messages),
      cmocka_unit_test(test_no_leaks),
      cmocka_unit_test(test_fd_is_readable_when_built),
  };
  return cmocka_run_group_tests_name("worker_protocol", tests, mark_processes,
                                     NULL);
}
