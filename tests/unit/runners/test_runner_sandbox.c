/* Sandboxes: what a kernel gives, what a tool's own run teaches, and what runs
 * can do in one.  What this kernel does not give is skipped and said. */
#include <sys/shm.h>

#include "runner_fixture.h"

#include "../../../base/environment.h"
#include "../../../runners/sandbox/sandbox.h"

#define HOSTILE BINARY_DIR "/fake/fake-hostile"

static struct cul_environment *environment_of(enum cul_sandbox_mode mode) {
  const struct cul_environment_conf conf = {.sandbox = mode};
  struct cul_environment *env = NULL;
  struct cul_err err = {0};
  assert_int_equal(cul_environment_new(&conf, &env, &err), 0);
  return env;
}

static void what_kernels_give(void **state) {
  const uint32_t users = CUL_PART_PIDS | CUL_PART_USERS;
  (void)state;
  assert_int_equal(cul_sandbox_given(0, 0, false, false, false),
                   CUL_PART_LIMITS);
  assert_int_equal(cul_sandbox_given(0, users, true, true, false),
                   CUL_PART_LIMITS | users | CUL_PART_NET);
  /* Landlock without truncate, or without a way to know who was refused: no
   * write rule. */
  assert_int_equal(cul_sandbox_given(2, 0, false, true, false),
                   CUL_PART_LIMITS | CUL_PART_DOMAIN | CUL_PART_READS);
  assert_int_equal(cul_sandbox_given(7, 0, false, false, false),
                   CUL_PART_LIMITS | CUL_PART_DOMAIN | CUL_PART_READS);
  assert_int_equal(cul_sandbox_given(3, CUL_PART_PIDS, false, true, false),
                   CUL_PART_LIMITS | CUL_PART_DOMAIN | CUL_PART_READS |
                       CUL_PART_WRITES | CUL_PART_WATCH | CUL_PART_PIDS);
  /* Mounts hold without Landlock, but only in a namespace. */
  assert_int_equal(cul_sandbox_given(0, users, false, true, true),
                   CUL_PART_LIMITS | users | CUL_PART_WATCH | CUL_PART_MOUNTS);
  assert_int_equal(cul_sandbox_given(0, 0, false, true, true), CUL_PART_LIMITS);
}

/* Auto goes on with what there is, strict does not. */
static void what_modes_want(void **state) {
  struct cul_sandbox sandbox = {.mode = CUL_SANDBOX_AUTO,
                                .asked = true,
                                .given = CUL_PART_LIMITS | CUL_PART_PIDS};
  struct cul_buf text = {0};
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_sandbox_parts(NULL), 0);
  assert_int_equal(cul_sandbox_parts(&sandbox),
                   CUL_PART_LIMITS | CUL_PART_PIDS);
  assert_int_equal(cul_sandbox_check(&sandbox, &err), 0);
  cul_sandbox_describe(&sandbox, &text);
  assert_string_equal(cul_buf_str(&text),
                      "auto: process namespace, limits; this machine gives no "
                      "Landlock domain, write rule, read-only mounts");
  cul_buf_release(&text);
  sandbox.mode = CUL_SANDBOX_STRICT;
  assert_int_equal(cul_sandbox_check(&sandbox, &err), CUL_EENV);
  sandbox.mode = CUL_SANDBOX_OFF;
  assert_int_equal(cul_sandbox_parts(&sandbox), 0);
  assert_int_equal(cul_sandbox_check(&sandbox, &err), 0);
}

/* Paths are held back by no rule before the tool's own run has shown them, and
 * in auto before there is something new to run. */
static void rules_come_with_what_is_known(void **state) {
  const uint32_t rules = CUL_PARTS_WRITING | CUL_PART_READS;
  const uint32_t networks = CUL_PART_NET | CUL_PART_SOCKETS;
  struct cul_sandbox sandbox = {
      .mode = CUL_SANDBOX_AUTO, .asked = true, .given = ~0U};
  (void)state;
  assert_int_equal(cul_sandbox_parts(&sandbox) & rules, 0);
  sandbox.learned = true;
  assert_int_equal(cul_sandbox_parts(&sandbox) & rules, 0);
  sandbox.sealed = true;
  assert_int_equal(cul_sandbox_parts(&sandbox) & rules, CUL_PARTS_WRITING);
  sandbox.mode = CUL_SANDBOX_STRICT;
  sandbox.sealed = false;
  assert_int_equal(cul_sandbox_parts(&sandbox) & rules, rules);
  assert_int_equal(cul_sandbox_parts(&sandbox) & networks, CUL_PART_NET);
  sandbox.alone = true;
  assert_int_equal(cul_sandbox_parts(&sandbox) & networks, CUL_PART_SOCKETS);
  sandbox.learned = false;
  assert_int_equal(cul_sandbox_parts(&sandbox) & networks, CUL_PART_NET);
  sandbox.learned = true;
  cul_sandbox_leave_out(&sandbox, CUL_PART_READS, "no reason");
  assert_int_equal(cul_sandbox_parts(&sandbox) & CUL_PART_READS, 0);
  free(sandbox.why);
}

static void where_it_wrote_it_may_write(void **state) {
  struct cul_environment *env;
  struct cul_sandbox *sandbox;
  char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
  (void)state;
  setenv("HOME", "/home/x", 1);
  setenv("CCACHE_DIR", "/var/tmp/ccache", 1);
  env = environment_of(CUL_SANDBOX_AUTO);
  sandbox = cul_environment_sandbox(env);
  cul_sandbox_add_write(sandbox, env, "/work/out/a.o", CUL_WRITE_ONLY);
  cul_sandbox_add_write(sandbox, env, "/work/out/sub/b.o", CUL_WRITE_ONLY);
  cul_sandbox_add_write(sandbox, env, "/etc/passwd", CUL_WRITE_ONLY);
  cul_sandbox_add_write(sandbox, env, "/home/x/.triton/cache/ab/c",
                        CUL_WRITE_ONLY);
  cul_sandbox_add_write(sandbox, env, "/home/x/.cache/sccache/d/e",
                        CUL_WRITE_ONLY);
  cul_sandbox_add_write(sandbox, env, "/var/tmp/ccache/7/f", CUL_WRITE_ONLY);
  assert_int_equal(sandbox->writes.n, 5);
  assert_string_equal(sandbox->writes.items[0], "/work/out");
  assert_string_equal(sandbox->writes.items[1], "/etc/passwd");
  assert_string_equal(sandbox->writes.items[2], "/home/x/.triton");
  assert_string_equal(sandbox->writes.items[3], "/home/x/.cache/sccache");
  assert_string_equal(sandbox->writes.items[4], "/var/tmp/ccache");
  assert_false(cul_paths_cover(&sandbox->writes, "/work/outer"));
  assert_true(cul_paths_cover(&sandbox->writes, "/work/out/sub"));
  /* What was to be made, and was there, tells of caches only. */
  cul_sandbox_add_write(sandbox, env, "/home/x/.kernels/cache/a1",
                        CUL_WRITE_KEPT);
  cul_sandbox_add_write(sandbox, env, "/home/x/.kernels", CUL_WRITE_KEPT);
  cul_sandbox_add_write(sandbox, env, "/work/elsewhere/a", CUL_WRITE_KEPT);
  cul_sandbox_add_write(sandbox, env, "/home/x/.local/share/a", CUL_WRITE_KEPT);
  cul_sandbox_add_write(sandbox, env, "/home/x/.config/a", CUL_WRITE_KEPT);
  cul_sandbox_add_write(sandbox, env, "/home/x/.cache", CUL_WRITE_KEPT);
  cul_sandbox_add_write(sandbox, env, "/home/x/.cache/tool", CUL_WRITE_KEPT);
  assert_int_equal(sandbox->writes.n, 6);
  assert_string_equal(sandbox->writes.items[5], "/home/x/.kernels/cache");
  cul_sandbox_add_write(sandbox, env, "/home/x/.cache/tool/a", CUL_WRITE_KEPT);
  assert_int_equal(sandbox->writes.n, 7);
  assert_string_equal(sandbox->writes.items[6], "/home/x/.cache/tool");
  /* A new name each time, where everything is. */
  cul_sandbox_add_write(sandbox, env, "/home/x/nobody-has-this",
                        CUL_WRITE_ONLY);
  assert_int_equal(sandbox->writes.n, 8);
  assert_string_equal(sandbox->writes.items[7], "/home/x");
  assert_true(
      cul_sandbox_guards(sandbox, "/home/x/thesis", &(struct timespec){0}));
  assert_false(cul_sandbox_guards(sandbox, "/home/x/.triton/thesis",
                                  &(struct timespec){0}));
  assert_false(
      cul_sandbox_guards(sandbox, "/etc/passwd", &(struct timespec){0}));
  assert_int_equal(sandbox->without, 0);
  /* No rule can say that for the root. */
  cul_sandbox_add_write(sandbox, env, "/nobody-has-this", CUL_WRITE_ONLY);
  assert_int_equal(sandbox->without, CUL_PARTS_WRITING);
  assert_string_equal(sandbox->why, "it makes files in /");
  cul_environment_free(env);
  unsetenv("CCACHE_DIR");
  if (home)
    setenv("HOME", home, 1);
  else
    unsetenv("HOME");
  free(home);
}

/* The mode is part of what is keyed, and so is what was left out of it. */
static void modes_have_keys(void **state) {
  struct cul_environment *off = environment_of(CUL_SANDBOX_OFF);
  struct cul_environment *on = environment_of(CUL_SANDBOX_AUTO);
  struct cul_digest usual = cul_environment_digest(NULL);
  struct cul_digest first = cul_environment_digest(off);
  struct cul_digest second = cul_environment_digest(on), third;
  (void)state;
  assert_true(cul_digest_equal(&usual, &first));
  assert_false(cul_digest_equal(&first, &second));
  cul_sandbox_leave_out(cul_environment_sandbox(on), CUL_PART_PIDS, "so");
  third = cul_environment_digest(on);
  assert_false(cul_digest_equal(&second, &third));
  cul_environment_free(off);
  cul_environment_free(on);
}

static const struct cul_record *run_in(struct scratch *s,
                                       const struct cul_environment *env,
                                       const char *const *argv) {
  const struct cul_command cmd = {.argv = argv, .environment = env};
  return run_with(s, &cmd, NULL);
}

/* Skips where the kernel does not give the part. */
static struct cul_environment *demand(enum cul_sandbox_mode mode,
                                      uint32_t parts) {
  struct cul_environment *env = environment_of(mode);
  struct cul_sandbox *sandbox = cul_environment_sandbox(env);
  cul_sandbox_ask(sandbox);
  if ((sandbox->given & parts) == parts)
    return env;
  print_message("skipped: this kernel does not give the parts %#x\n", parts);
  cul_environment_free(env);
  skip();
  return NULL;
}

static void a_run_is_what_it_was(void **state) {
  static const char *const argv[] = {
      "sh", "-c", "id -u; id -g; pwd; hostname; echo $TMPDIR; exit 5", NULL};
  struct cul_environment *off = environment_of(CUL_SANDBOX_OFF);
  struct cul_environment *on = environment_of(CUL_SANDBOX_AUTO);
  char *before = strdup(cul_buf_str(&run_in(*state, off, argv)->out));
  const struct cul_record *r = run_in(*state, on, argv);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 5);
  assert_string_equal(cul_buf_str(&r->out), before);
  free(before);
  cul_environment_free(off);
  cul_environment_free(on);
}

static void it_sees_itself_alone(void **state) {
  static const char *const argv[] = {
      "sh", "-c", "set -- /proc/[0-9]*; test $# -le 3 && readlink /proc/$$/exe",
      NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_PIDS);
  const struct cul_record *r = run_in(*state, env, argv);
  assert_int_equal(r->status, 0);
  assert_true(r->out.len > 1);
  cul_environment_free(env);
}

static void what_it_leaves_ends_with_it(void **state) {
  struct scratch *s = *state;
  const char *file = at(s, "dir/grown");
  const char *const argv[] = {HOSTILE, "daemon", file, "nothing", NULL};
  struct cul_environment *env = environment_of(CUL_SANDBOX_AUTO);
  struct stat first = {0}, then = {0};
  assert_int_equal(run_in(s, env, argv)->status, 0);
  (void)!stat(file, &first);
  usleep(300 * 1000);
  (void)!stat(file, &then);
  assert_int_equal(first.st_size, then.st_size);
  cul_environment_free(env);
}

/* It neither stops nor kills what watches it. */
static void its_guard_stands(void **state) {
  const char *const stop[] = {HOSTILE, "stop-parent", "nothing", NULL};
  const char *const seize[] = {HOSTILE, "seize-parent", "nothing", NULL};
  const char *const killer[] = {HOSTILE, "kill-parent", "nothing", NULL};
  const struct cul_request request = {.wall_ms = 500};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_PIDS);
  const struct cul_command stops = {.argv = stop, .environment = env};
  const struct cul_command seizes = {.argv = seize, .environment = env};
  assert_int_equal(run_with(*state, &stops, &request)->end, CUL_DEADLINE);
  assert_int_equal(run_with(*state, &seizes, &request)->end, CUL_DEADLINE);
  assert_int_equal(run_in(*state, env, killer)->end, CUL_EXITED);
  cul_environment_free(env);
}

/* A write that is refused is told, with the file's name. */
static void writes_are_refused_and_told(void **state) {
  struct scratch *s = *state;
  const char *file = at(s, "file"), *own = at(s, "dir/own");
  const char *const bad[] = {HOSTILE, "write", file, "nothing", NULL};
  const char *const good[] = {HOSTILE, "write", own, "nothing", NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_WRITES);
  struct cul_sandbox *sandbox = cul_environment_sandbox(env);
  char *refused;
  put_file(file, "mine\n", 0600);
  sandbox->learned = sandbox->sealed = true;
  refused = cul_record_refused(run_in(s, env, bad));
  assert_non_null(refused);
  assert_string_equal(refused, file);
  free(refused);
  assert_null(cul_record_refused(run_in(s, env, good)));
  assert_int_equal(access(own, F_OK), 0);
  cul_sandbox_add_write(sandbox, env, file, CUL_WRITE_ONLY);
  assert_null(cul_record_refused(run_in(s, env, bad)));
  cul_environment_free(env);
}

/* In a directory where the first run made a file, later runs make others and
 * change those, but nothing that was there before, unless it did. */
static void what_was_there_stays(void **state) {
  struct scratch *s = *state;
  const char *old = at(s, "there/old"), *made = at(s, "there/made");
  const char *const bad[] = {HOSTILE, "write", old, "nothing", NULL};
  const char *const gone[] = {"sh", "-c", "rm -r \"$0\"/there; true", s->root,
                              NULL};
  const char *const good[] = {HOSTILE, "write", made, "nothing", NULL};
  struct cul_environment *env;
  struct cul_sandbox *sandbox;
  char *refused;
  assert_int_equal(mkdir(at(s, "there"), 0700), 0);
  put_file(old, "mine\n", 0600);
  usleep(50 * 1000); /* the clock of file systems is coarse */
  env = demand(CUL_SANDBOX_AUTO, CUL_PART_WRITES);
  sandbox = cul_environment_sandbox(env);
  sandbox->learned = sandbox->sealed = true;
  cul_sandbox_add_write(sandbox, env, at(s, "there/first"), CUL_WRITE_ONLY);
  for (size_t i = 0; i < 2; i++) {
    refused = cul_record_refused(run_in(s, env, i ? gone : bad));
    assert_non_null(refused);
    assert_string_equal(refused, old);
    free(refused);
    assert_int_equal(access(old, F_OK), 0);
  }
  for (size_t i = 0; i < 2; i++)
    assert_null(cul_record_refused(run_in(s, env, good)));
  assert_int_equal(access(made, F_OK), 0);
  cul_sandbox_add_write(sandbox, env, old, CUL_WRITE_ONLY);
  assert_null(cul_record_refused(run_in(s, env, bad)));
  cul_environment_free(env);
}

/* Neither mode nor owner, times, attributes of a file that is not its own. */
static void metadata_stays(void **state) {
  struct scratch *s = *state;
  char dir[] = "/tmp/cul-foreign-XXXXXX";
  char *file = cul_xasprintf("%s/file", mkdtemp(dir));
  const char *own = at(s, "dir/own");
  const char *const bad[] = {HOSTILE, "touch", file, "nothing", NULL};
  const char *const good[] = {HOSTILE, "touch", own, "nothing", NULL};
  const char *const allowed[] = {HOSTILE, "touch-plainly", file, "nothing",
                                 NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_MOUNTS);
  struct cul_sandbox *sandbox = cul_environment_sandbox(env);
  struct stat before, after;
  char *refused;
  put_file(file, "mine\n", 0600);
  put_file(own, "its\n", 0600);
  sandbox->learned = sandbox->sealed = true;
  assert_int_equal(stat(file, &before), 0);
  refused = cul_record_refused(run_in(s, env, bad));
  assert_non_null(refused);
  assert_string_equal(refused, file);
  free(refused);
  assert_int_equal(stat(file, &after), 0);
  assert_memory_equal(&before.st_ctim, &after.st_ctim, sizeof before.st_ctim);
  assert_null(cul_record_refused(run_in(s, env, good)));
  assert_int_equal(stat(own, &after), 0);
  assert_int_equal(after.st_mode & 0777, 0777);
  cul_sandbox_add_write(sandbox, env, file, CUL_WRITE_ONLY);
  assert_null(cul_record_refused(run_in(s, env, allowed)));
  assert_int_equal(stat(file, &after), 0);
  assert_int_equal(after.st_mode & 0777, 0777);
  refused = cul_record_refused(run_in(s, env, bad)); /* it remounts */
  assert_non_null(refused);
  free(refused);
  cul_environment_free(env);
  cul_rmtree(dir);
  free(file);
}

/* What one run did with its network is nothing to the next one, which has the
 * same: a port of a closed connection is free. */
static const char port_script[] =
    "import socket\n"
    "s = socket.socket()\n"
    "s.bind(('127.0.0.1', 4711))\n"
    "s.listen(1)\n"
    "c = socket.create_connection(('127.0.0.1', 4711), 5)\n"
    "a = s.accept()[0]\n"
    "a.close()\n"
    "c.recv(1)\n";

static void networks_are_as_new(void **state) {
  const char *const argv[] = {"python3", "-c", port_script, NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_STRICT, CUL_PART_NET);
  struct cul_sandbox *sandbox = cul_environment_sandbox(env);
  for (int i = 0; i < 4; i++) {
    const struct cul_record *r = run_in(*state, env, argv);
    assert_string_equal(cul_buf_str(&r->err), "");
    assert_int_equal(r->status, 0);
    assert_int_equal(sandbox->n_networks,
                     sandbox->given & CUL_PART_USERS ? 0 : 1);
  }
  cul_environment_free(env);
}

/* TMPDIR and the working directory are on one mount. */
static void renames_work(void **state) {
  const char *const argv[] = {HOSTILE, "rename", "nothing", "nothing", NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_MOUNTS);
  struct cul_sandbox *sandbox = cul_environment_sandbox(env);
  sandbox->learned = sandbox->sealed = true;
  assert_int_equal(run_in(*state, env, argv)->status, 0);
  assert_int_equal(sandbox->without, 0);
  /* Between others it would not: there are no such mounts then. */
  cul_paths_add(&sandbox->moves, "/usr");
  sandbox->tried = 0;
  assert_int_equal(run_in(*state, env, argv)->status, 0);
  assert_int_equal(sandbox->without, CUL_PART_MOUNTS);
  cul_environment_free(env);
}

/* A tool that makes one file in /dev/shm, whose name it does not spell out, and
 * removes another. */
static const char shm_script[] =
    "d=/dev; rm -f $d/shm/cul-theirs-$0; echo evil >$d/shm/cul-evil-$0; "
    "cat $d/shm/cul-evil-$0 >&2";

/* /dev/shm is the run's own, and gone with it; where it shares a file there, it
 * is as any other directory. */
static void shared_memory_is_its_own(void **state) {
  struct scratch *s = *state;
  char *pid = cul_xasprintf("%d", (int)getpid());
  char *theirs = cul_xasprintf("/dev/shm/cul-theirs-%s", pid);
  char *evil = cul_xasprintf("/dev/shm/cul-evil-%s", pid);
  const char *const argv[] = {"sh", "-c", shm_script, pid, NULL};
  const char *const named[] = {"sh", "-c", shm_script, pid, theirs, NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_MOUNTS);
  struct cul_sandbox *sandbox = cul_environment_sandbox(env);
  const struct cul_record *r;
  char *refused;
  assert_int_equal(mknod(theirs, S_IFREG | 0600, 0), 0);
  sandbox->learned = sandbox->sealed = true;
  r = run_in(s, env, argv);
  assert_string_equal(cul_buf_str(&r->err), "evil\n");
  assert_null(cul_record_refused(r));
  assert_int_equal(access(evil, F_OK), -1);
  assert_int_equal(access(theirs, F_OK), 0);
  refused = cul_record_refused(run_in(s, env, named));
  assert_non_null(refused);
  assert_int_equal(access(evil, F_OK), -1);
  assert_int_equal(access(theirs, F_OK), 0);
  cul_sandbox_add_write(sandbox, env, theirs, CUL_WRITE_ONLY);
  assert_null(cul_record_refused(run_in(s, env, argv)));
  assert_int_equal(access(evil, F_OK), 0);
  assert_int_equal(access(theirs, F_OK), -1);
  unlink(evil);
  cul_environment_free(env);
  free(refused);
  free(theirs);
  free(evil);
  free(pid);
}

/* sem_open() links a file in /dev/shm under its name: that needs no /dev/shm of
 * others. */
static void semaphores_are_its_own(void **state) {
  char *pid = cul_xasprintf("%d", (int)getpid());
  char *left = cul_xasprintf("/dev/shm/cul-sem-%s", pid);
  const char *const argv[] = {
      "sh", "-c", "cd /dev; cd shm; echo >cul-new-$0; ln cul-new-$0 cul-sem-$0",
      pid, NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_MOUNTS);
  struct cul_sandbox *sandbox = cul_environment_sandbox(env);
  sandbox->learned = sandbox->sealed = true;
  cul_paths_add(&sandbox->moves, "/dev/shm");
  assert_int_equal(run_in(*state, env, argv)->status, 0);
  assert_int_equal(sandbox->without, 0);
  assert_int_equal(access(left, F_OK), -1);
  cul_environment_free(env);
  free(left);
  free(pid);
}

/* System V's shared memory is a run's own, too. */
static void segments_stay(void **state) {
  const char *const argv[] = {"sh", "-c", "ipcrm -a; ipcmk -M 4096", NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_PIDS);
  int id = shmget(IPC_PRIVATE, 4096, 0600);
  struct shmid_ds ds;
  assert_true(id >= 0);
  assert_int_equal(run_in(*state, env, argv)->status, 0);
  assert_int_equal(shmctl(id, IPC_STAT, &ds), 0);
  assert_int_equal(shmctl(id, IPC_RMID, NULL), 0);
  cul_environment_free(env);
}

/* Of files in /dev/shm, those that others made are told, and those are not that
 * the tree made itself, whatever becomes of them. */
static void own_memory_is_not_traced(void **state) {
  struct scratch *s = *state;
  char *pid = cul_xasprintf("%d", (int)getpid());
  char *theirs = cul_xasprintf("/dev/shm/cul-theirs-%s", pid), *line;
  const char *const argv[] = {"sh", "-c",
                              "cd /dev/shm && echo a >cul-a-$0 && ln cul-a-$0 "
                              "cul-b-$0 && mkdir cul-d-$0 && rm -r cul-?-$0",
                              pid, NULL};
  const char *const other[] = {"sh", "-c", shm_script, pid, NULL};
  const struct cul_request request = {.flags = CUL_RUN_TRACE};
  const struct cul_command cmd = {.argv = argv}, removes = {.argv = other};
  const struct cul_record *r = run_with(s, &cmd, &request);
  if (!r->trace_closed) {
    print_message("skipped: no trace here\n");
    skip();
  }
  assert_int_equal(r->status, 0);
  assert_null(strstr(cul_buf_str(&r->files), "o /dev/shm"));
  assert_int_equal(mknod(theirs, S_IFREG | 0600, 0), 0);
  r = run_with(s, &removes, &request);
  line = cul_xasprintf("o %s\n", theirs);
  assert_non_null(strstr(cul_buf_str(&r->files), line));
  assert_null(strstr(cul_buf_str(&r->files), "o /dev/shm/cul-evil"));
  free(line);
  line = cul_xasprintf("/dev/shm/cul-evil-%s", pid);
  unlink(line);
  free(line);
  free(theirs);
  free(pid);
}

/* Where runs have no /dev/shm of their own, what one makes there is told. */
static void shared_memory_is_traced_without_mounts(void **state) {
  char *pid = cul_xasprintf("%d", (int)getpid());
  char *line = cul_xasprintf("o /dev/shm/cul-a-%s\n", pid);
  const char *const argv[] = {
      "sh", "-c", "cd /dev/shm && echo >cul-a-$0 && rm cul-a-$0", pid, NULL};
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PART_MOUNTS);
  const struct cul_request request = {.flags = CUL_RUN_TRACE | CUL_RUN_GIVEN};
  const struct cul_command cmd = {.argv = argv, .environment = env};
  const struct cul_record *r = run_with(*state, &cmd, &request);
  bool traced = r->trace_closed, told = strstr(cul_buf_str(&r->files), line);
  cul_environment_sandbox(env)->without |= CUL_PART_MOUNTS;
  if (traced) {
    assert_false(told);
    r = run_with(*state, &cmd, &request);
    assert_non_null(strstr(cul_buf_str(&r->files), line));
  }
  cul_environment_free(env);
  free(line);
  free(pid);
  if (!traced) {
    print_message("skipped: no trace here\n");
    skip();
  }
}

/* What it is seen to change, made or removed, is in the trace. */
static void changes_are_traced(void **state) {
  struct scratch *s = *state;
  char *line = NULL;
  const char *const argv[] = {
      "sh", "-c",
      "mkdir \"$0/a\" && ln -s x \"$0/a/b\" && mv \"$0/a/b\" \"$0/a/c\" && rm "
      "-r \"$0/a\"",
      s->root, NULL};
  const struct cul_request request = {.flags = CUL_RUN_TRACE};
  const struct cul_command cmd = {.argv = argv};
  const struct cul_record *r = run_with(s, &cmd, &request);
  if (!r->trace_closed) {
    print_message("skipped: no trace here\n");
    skip();
  }
  for (const char *const *name = (const char *const[]){"a", "a/b", "a/c", NULL};
       *name; name++) {
    line = cul_xasprintf("o %s/%s\n", s->root, *name);
    assert_non_null(strstr(cul_buf_str(&r->files), line));
    free(line);
  }
}

/* What candidates are refused does not depend on whether they are traced, nor
 * on whether files in their places are guarded; a foreign refusal is told. */
static void calls_are_refused_alike(void **state) {
  static const char *const argv[] = {HOSTILE, "calls", "nothing", NULL};
  const struct cul_request traced = {.flags = CUL_RUN_TRACE};
  struct scratch *s = *state;
  struct cul_environment *env = demand(CUL_SANDBOX_AUTO, CUL_PARTS_WRITING);
  const struct cul_command cmd = {.argv = argv, .environment = env};
  struct cul_sandbox *sandbox = cul_environment_sandbox(env);
  char *keyed = cul_xasprintf("keyctl: %d\n", EPERM);
  char *mounted = cul_xasprintf("mount_setattr: %d\n", EPERM);
  sandbox->learned = sandbox->sealed = true;
  for (size_t i = 0; i < 2; i++) {
    char *plain, *refused;
    const struct cul_record *r = run_with(s, &cmd, NULL);
    assert_int_equal(r->end, CUL_EXITED);
    plain = strdup(cul_buf_str(&r->out));
    assert_non_null(strstr(plain, keyed));
    assert_non_null(strstr(plain, mounted));
    refused = cul_record_refused(r);
    r = run_with(s, &cmd, &traced);
    assert_string_equal(cul_buf_str(&r->out), plain);
    free(plain);
    plain = cul_record_refused(r);
    assert_int_equal(refused != NULL, i == 1);
    assert_string_equal(plain ? plain : "", refused ? refused : "");
    free(plain);
    free(refused);
    cul_sandbox_add_write(sandbox, env, at(s, "there/first"), CUL_WRITE_ONLY);
  }
  cul_environment_free(env);
  free(mounted);
  free(keyed);
}

int main(void) {
#define SCRATCH(f)                                                             \
  cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_kernels_give),
      cmocka_unit_test(what_modes_want),
      cmocka_unit_test(rules_come_with_what_is_known),
      cmocka_unit_test(where_it_wrote_it_may_write),
      cmocka_unit_test(modes_have_keys),
      SCRATCH(a_run_is_what_it_was),
      SCRATCH(it_sees_itself_alone),
      SCRATCH(what_it_leaves_ends_with_it),
      SCRATCH(its_guard_stands),
      SCRATCH(writes_are_refused_and_told),
      SCRATCH(what_was_there_stays),
      SCRATCH(metadata_stays),
      SCRATCH(networks_are_as_new),
      SCRATCH(renames_work),
      SCRATCH(changes_are_traced),
      SCRATCH(calls_are_refused_alike),
      SCRATCH(shared_memory_is_its_own),
      SCRATCH(semaphores_are_its_own),
      SCRATCH(segments_stay),
      SCRATCH(own_memory_is_not_traced),
      SCRATCH(shared_memory_is_traced_without_mounts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
