/* Traced runs: which files a tool executed and read. */
#include <sys/resource.h>

#include "../../../runners/trace/fileset.h"
#include "runner_fixture.h"

static const struct cul_record *trace(struct scratch *s,
                                      const char *const *argv) {
  const struct cul_request request = {.flags = CUL_RUN_TRACE};
  return run_with(s, &(struct cul_command){.argv = argv}, &request);
}

#define TRACE(s, ...) trace(s, (const char *const[]){__VA_ARGS__, NULL})

static bool has_line(const struct cul_record *r, char letter,
                     const char *path) {
  char line[512];
  const char *at, *text = cul_buf_str(&r->files);
  snprintf(line, sizeof line, "%c %s\n", letter, path);
  at = strstr(text, line);
  return at && (at == text || at[-1] == '\n');
}

/* As a part of the tool: what it changes and what it calls is another matter.
 */
static bool mentions(const struct cul_record *r, const char *text) {
  char *copy = cul_xstrdup(cul_buf_str(&r->files)), *out = copy;
  bool found;
  for (const char *line = cul_buf_str(&r->files); *line;) {
    size_t n = strcspn(line, "\n");
    n += line[n] == '\n';
    if (!strchr("aob", line[0])) {
      memcpy(out, line, n);
      out += n;
    }
    line += n;
  }
  *out = '\0';
  found = strstr(copy, text) != NULL;
  free(copy);
  return found;
}

/* A script that runs a program that loads a plugin and reads a file. */
static void script_program_plugin_data(void **state) {
  struct scratch *s = *state;
  char text[500];
  put_file(at(s, "data.txt"), "some data\n", 0600);
  snprintf(text, sizeof text,
           "#!/bin/sh\ncd %s\n%s plugin %s show data.txt\nexit 9\n", s->root,
           FAKE, PLUGIN(1));
  put_file(at(s, "script"), text, 0700);
  const struct cul_record *r = TRACE(s, at(s, "script"));
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 9);
  assert_out(r, "answer 1\nsome data\n");
  assert_true(r->trace_closed);
  assert_true(has_line(r, 'x', at(s, "script")));
  assert_true(has_line(r, 'x', "/bin/sh"));
  assert_true(has_line(r, 'x', FAKE));
  assert_true(has_line(r, 'r', PLUGIN(1)));
  assert_true(has_line(r, 'r', at(s, "data.txt")));
  assert_true(mentions(r, "libc.so.6\n"));
  assert_true(mentions(r, "ld-linux") || mentions(r, "/ld"));
}

/* Programs with their directories and arguments, in order, each call once. */
static void calls_of_programs(void **state) {
  struct scratch *s = *state;
  char text[500], call[700];
  snprintf(text, sizeof text,
           "cd %s; for i in 1 2; do \"%s\" 'a b' 'c\nd' ''; done; exit 3",
           s->root, FAKE);
  const struct cul_record *r = TRACE(s, "bash", "-c", text);
  snprintf(call, sizeof call,
           "a %s\x1f%s\x1f"
           "a b\x1f"
           "c\x1e"
           "d\x1f\n",
           s->root, FAKE);
  assert_non_null(strstr(cul_buf_str(&r->files), call));
  assert_null(strstr(strstr(cul_buf_str(&r->files), call) + 1, call));
  assert_non_null(strstr(cul_buf_str(&r->files), "/bash\x1f-c\x1f"));
}

static void lines_are_sorted_and_unique(void **state) {
  struct scratch *s = *state;
  const struct cul_record *r =
      TRACE(s, "sh", "-c", "ls /; ls /; cat /etc/*.conf");
  char *copy = cul_xstrdup(cul_buf_str(&r->files)), *rest = copy, *line;
  const char *last = "";
  int n = 0;
  while ((line = strsep(&rest, "\n")) && *line && *line != 'a') {
    assert_true(strcmp(last, line) < 0);
    assert_non_null(strchr("loprtux", line[0]));
    assert_true(line[0] == 'u' || line[2] == '/');
    last = line;
    n++;
  }
  assert_true(n > 4);
  free(copy);
}

static void relative_names(void **state) {
  struct scratch *s = *state;
  mkdir(at(s, "sub"), 0700);
  put_file(at(s, "sub/a"), "a", 0600);
  put_file(at(s, "sub/b"), "b", 0600);
  put_file(at(s, "sub/c"), "c", 0600);
  put_file(at(s, "sub/d"), "d", 0600);
  char text[400];
  snprintf(text, sizeof text,
           "import os\n"
           "os.chdir('%s')\n"
           "open('./sub//a').read()\n"
           "d = os.open('sub', os.O_RDONLY)\n"
           "os.open('b', os.O_RDONLY, dir_fd=d)\n"
           "open('/proc/self/cwd/sub/c').read()\n"
           "open(f'/proc/self/fd/{d}/d').read()\n",
           s->root);
  put_file(at(s, "script.py"), text, 0600);
  const struct cul_record *r = TRACE(s, "python3", "-S", at(s, "script.py"));
  assert_int_equal(r->status, 0);
  assert_true(r->trace_closed);
  assert_true(has_line(r, 'r', at(s, "script.py")));
  assert_true(has_line(r, 'r', at(s, "sub/a")));
  assert_true(has_line(r, 'r', at(s, "sub/b")));
  assert_true(has_line(r, 'r', at(s, "sub/c")));
  assert_true(has_line(r, 'r', at(s, "sub/d")));
}

/* Only what was there and stayed as it was is part of the tool. */
static void own_files_do_not_count(void **state) {
  struct scratch *s = *state;
  char text[1000];
  put_file(at(s, "log"), "before\n", 0600);
  put_file(at(s, "state"), "1\n", 0600);
  put_file(at(s, "config"), "c\n", 0600);
  snprintf(text, sizeof text,
           "#!/bin/sh\ncd %s\n"
           "echo line >>log; cat log\n"
           "echo made >made; cat made\n"
           "echo x >other; mv other moved; cat moved\n"
           "python3 -S -c 'import os; open(\"p\", \"w\").write(\"1\"); '"
           "'os.rename(\"p\", \"q\"); os.link(\"q\", \"l\")'; cat q l\n"
           "cat state; echo 2 >state.new; mv state.new state\n"
           "echo t >$TMPDIR/t; cat $TMPDIR/t\n"
           "cat config missing 2>/dev/null; cat /proc/self/stat >/dev/null\n",
           s->root);
  put_file(at(s, "script"), text, 0700);
  const struct cul_record *r = TRACE(s, at(s, "script"));
  assert_true(r->trace_closed);
  assert_true(has_line(r, 'r', at(s, "config")));
  assert_false(mentions(r, at(s, "log")));
  assert_false(mentions(r, at(s, "made")));
  assert_false(mentions(r, at(s, "moved")));
  assert_true(has_line(r, 'b', at(s, "log")));
  assert_true(has_line(r, 'b', at(s, "made")));
  assert_true(has_line(r, 'o', at(s, "state")));
  assert_false(has_line(r, 'b', at(s, "config")));
  assert_false(has_line(r, 'r', at(s, "q")));
  assert_false(has_line(r, 'r', at(s, "l")));
  assert_false(mentions(r, at(s, "state")));
  assert_true(has_line(r, 'p', at(s, "missing")));
  assert_false(mentions(r, s->tmp));
  assert_false(mentions(r, " /proc"));
  assert_false(mentions(r, " /dev"));
}

/* Whether a name is there decides, found or not; a directory's names do, where
 * the tree does not write. */
static void what_was_looked_for(void **state) {
  struct scratch *s = *state;
  char text[600];
  mkdir(at(s, "plugins"), 0700);
  mkdir(at(s, "out"), 0700);
  put_file(at(s, "there"), "x", 0600);
  put_file(at(s, "plugins/one"), "1", 0600);
  snprintf(text, sizeof text,
           "#!/bin/sh\ncd %s\n[ -e flag ]; [ -x there ]; no-such-program "
           "2>/dev/null\nls plugins out /tmp >out/log\nmkdir -p new\n"
           "mkdir -p out new\n"
           "echo 1 >new/a; [ -e new/a ]\n",
           s->root);
  put_file(at(s, "script"), text, 0700);
  const struct cul_record *r = TRACE(s, at(s, "script"));
  assert_true(r->trace_closed);
  assert_true(has_line(r, 'p', at(s, "flag")));
  assert_true(has_line(r, 'p', at(s, "there")));
  assert_true(mentions(r, "/no-such-program\n"));
  assert_true(has_line(r, 'l', at(s, "plugins")));
  assert_false(has_line(r, 'l', at(s, "out")));
  assert_false(has_line(r, 'l', "/tmp"));
  assert_true(mentions(r, "u which files come and go in /tmp\n"));
  assert_false(mentions(r, at(s, "new/a")));
  assert_true(has_line(r, 'k', at(s, "out")));
  assert_false(has_line(r, 'o', at(s, "out")));
  assert_true(has_line(r, 'o', at(s, "new")));
}

/* The times of a file are told by stat(2) alone, and of what it makes itself
 * they say nothing. */
static void whose_times_were_asked_for(void **state) {
  struct scratch *s = *state;
  char text[600];
  mkdir(at(s, "sub"), 0700);
  put_file(at(s, "old"), "1", 0600);
  put_file(at(s, "new"), "2", 0600);
  put_file(at(s, "read"), "3", 0600);
  put_file(at(s, "opened"), "4", 0600);
  snprintf(text, sizeof text,
           "#!/bin/sh\ncd %s\n[ old -nt new ]; [ none -nt sub ]; [ -s read ]\n"
           "read x <read; read x <opened; echo 1 >made; [ -s made ]\n",
           s->root);
  put_file(at(s, "script"), text, 0700);
  const struct cul_record *r = TRACE(s, at(s, "script"));
  assert_true(r->trace_closed);
  assert_true(has_line(r, 't', at(s, "old")));
  assert_true(has_line(r, 'p', at(s, "old")));
  assert_true(has_line(r, 't', at(s, "new")));
  assert_true(has_line(r, 't', at(s, "read")));
  assert_true(has_line(r, 'r', at(s, "read")));
  assert_false(has_line(r, 't', at(s, "opened")));
  assert_false(has_line(r, 't', at(s, "none")));
  assert_false(has_line(r, 't', at(s, "sub")));
  assert_false(has_line(r, 't', at(s, "made")));
}

static struct cul_digest lookup(const char *path) {
  struct cul_hasher *h = cul_hasher_new();
  cul_lookup_hash(h, -1, path);
  return cul_hasher_finish(h);
}

static bool same(struct cul_digest a, struct cul_digest b) {
  return cul_digest_equal(&a, &b);
}

/* What stat(2) tells of a file counts but for its times; of a directory its
 * size does not. */
static void a_look_tells_size_and_permissions(void **state) {
  struct scratch *s = *state;
  const struct timespec times[] = {{9, 0}, {9, 0}};
  char path[100], dir[100];
  snprintf(path, sizeof path, "%s", at(s, "flag"));
  snprintf(dir, sizeof dir, "%s", at(s, "sub"));
  struct cul_digest none = lookup(path), empty, full, directory;
  put_file(path, "", 0600);
  empty = lookup(path);
  put_file(path, "1\n", 0600);
  full = lookup(path);
  assert_false(same(none, empty));
  assert_false(same(empty, full));
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
  put_file(path, "2\n", 0600);
  assert_true(same(full, lookup(path)));
  assert_int_equal(chmod(path, 0400), 0);
  assert_false(same(full, lookup(path)));
  mkdir(dir, 0700);
  directory = lookup(dir);
  put_file(at(s, "sub/a"), "", 0600);
  assert_true(same(directory, lookup(dir)));
  assert_int_equal(chmod(dir, 0500), 0);
  assert_false(same(directory, lookup(dir)));
  assert_int_equal(chmod(dir, 0700), 0);
}

/* What answers is no file. */
static void servers_are_not_seen(void **state) {
  struct scratch *s = *state;
  const struct cul_record *r =
      TRACE(s, "python3", "-S", "-c",
            "import socket\n"
            "socket.socket().connect_ex(('127.0.0.1', 9))\n"
            "socket.socket(socket.AF_INET6).connect_ex(('::1', 9))\n"
            "socket.socket(socket.AF_UNIX).connect_ex('/run/no/such')\n");
  assert_true(r->trace_closed);
  assert_true(mentions(r, "u what the server at 127.0.0.1:9 answers\n"));
  assert_true(mentions(r, "u what the server at [::1]:9 answers\n"));
  assert_true(mentions(r, "u what the server at /run/no/such answers\n"));
}

/* Nor is what comes through a pipe, unless the tree made it. */
static void pipes_are_not_seen(void **state) {
  struct scratch *s = *state;
  char *line =
      cul_xasprintf("u what comes through the pipe %s\n", at(s, "pipe"));
  const struct cul_record *r;
  assert_int_equal(mkfifo(at(s, "pipe"), 0600), 0);
  r = TRACE(s, "sh", "-c", "(echo a | tee \"$0\" &) >/dev/null; cat \"$0\"",
            at(s, "pipe"));
  assert_true(mentions(r, line));
  assert_int_equal(unlink(at(s, "pipe")), 0);
  r = TRACE(s, "sh", "-c",
            "mkfifo \"$0\"; (echo a | tee \"$0\" &) >/dev/null; cat \"$0\"; rm "
            "\"$0\"",
            at(s, "pipe"));
  assert_false(mentions(r, line));
  free(line);
}

/* A file can be read under a second name, which the tree made. */
static void second_names_are_read(void **state) {
  struct scratch *s = *state;
  const struct cul_record *r;
  put_file(at(s, "first"), "", 0600);
  r = TRACE(s, "ln", at(s, "first"), at(s, "second"));
  assert_true(has_line(r, 'r', at(s, "first")));
}

#ifdef __x86_64__
/* getpid(2) with the number and the gate of i386. */
static void calls_of_others_escape(void **state) {
  struct scratch *s = *state;
  const struct cul_record *r =
      TRACE(s, "python3", "-S", "-c",
            "import ctypes, mmap\n"
            "m = mmap.mmap(-1, 4096, flags=0x62, prot=7)\n"
            "code = bytes.fromhex('b814000000cd80c3')\n"
            "m[:len(code)] = code\n"
            "at = ctypes.addressof(ctypes.c_char.from_buffer(m))\n"
            "ctypes.CFUNCTYPE(ctypes.c_int)(at)()\n");
  if (r->end == CUL_SIGNALED)
    skip(); /* a kernel without the calls of i386 */
  assert_false(r->trace_closed);
  assert_true(mentions(r, "! it makes calls of another architecture\n"));
}
#endif

/* Files there are somebody's, as anywhere else. */
static void shared_memory_counts(void **state) {
  struct scratch *s = *state;
  char path[64] = "/dev/shm/culprit-test-XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0)
    skip();
  close(fd);
  const struct cul_record *r = TRACE(s, "cat", path);
  assert_true(has_line(r, 'r', path));
  unlink(path);
}

/* Opened for writing too, but left alone: read like any other. */
static void read_write_but_unchanged(void **state) {
  struct scratch *s = *state;
  char text[200];
  put_file(at(s, "base"), "rows\n", 0600);
  snprintf(text, sizeof text, "open('%s', 'r+').read()", at(s, "base"));
  const struct cul_record *r = TRACE(s, "python3", "-S", "-c", text);
  assert_int_equal(r->status, 0);
  assert_true(has_line(r, 'r', at(s, "base")));
}

static void interpreter_chain(void **state) {
  struct scratch *s = *state;
  put_file(at(s, "tool.py"), "#!/usr/bin/env python3\nprint('py')\n", 0700);
  const struct cul_record *r = TRACE(s, at(s, "tool.py"));
  assert_out(r, "py\n");
  assert_true(has_line(r, 'x', at(s, "tool.py")));
  assert_true(has_line(r, 'x', "/usr/bin/env"));
  assert_true(mentions(r, "/python3\n"));
}

static void endings_are_exact(void **state) {
  struct scratch *s = *state;
  const struct cul_record *r = TRACE(s, FAKE, "segv");
  assert_int_equal(r->end, CUL_SIGNALED);
  assert_int_equal(r->status, SIGSEGV);
  assert_true(r->trace_closed);
  assert_true(has_line(r, 'x', FAKE));
  r = TRACE(s, FAKE, "exit", "77");
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 77);
  r = TRACE(s, "cul-no-such-tool");
  assert_int_equal(r->end, CUL_NOT_STARTED);
  const char *const argv[] = {FAKE, "sleep", "9999", NULL};
  const struct cul_request request = {.flags = CUL_RUN_TRACE, .wall_ms = 200};
  r = run_with(s, &(struct cul_command){.argv = argv}, &request);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_in_range(r->wall_us, 200000, 15000000);
}

static void daemons_are_traced_and_killed(void **state) {
  struct scratch *s = *state;
  const char *pid_file = at(s, "pid");
  const struct cul_record *r =
      TRACE(s, FAKE, "daemon", pid_file, "sleep", "50");
  assert_int_equal(r->end, CUL_EXITED);
  assert_true(r->trace_closed);
  assert_int_not_equal(pid_in(pid_file), 0);
  assert_false(alive(pid_in(pid_file)));
}

/* A traced tool may trace: the tracer is no debugger. */
static void a_debugger_works_inside(void **state) {
  if (access("/usr/bin/strace", X_OK))
    skip();
  const struct cul_record *r =
      TRACE(*state, "strace", "-f", "-o", "/dev/null", FAKE, "exit", "3");
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 3);
  assert_true(has_line(r, 'x', FAKE));
}

static void many_processes(void **state) {
  struct scratch *s = *state;
  put_file(at(s, "data"), "", 0600);
  char text[300];
  snprintf(text, sizeof text,
           "for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5; do cat %s; done)"
           " & done; wait",
           at(s, "data"));
  const struct cul_record *r = TRACE(s, "sh", "-c", text);
  assert_int_equal(r->status, 0);
  assert_true(r->trace_closed);
  assert_true(has_line(r, 'r', at(s, "data")));
}

static void the_wrapped_program(void **state) {
  struct scratch *s = *state;
  char text[300];
  snprintf(text, sizeof text,
           "#!/bin/sh\ndirname $0 >/dev/null\nexec %s \"$@\"\n", FAKE);
  put_file(at(s, "exec.sh"), text, 0700);
  const struct cul_record *r = TRACE(s, at(s, "exec.sh"), "print", "a b");
  assert_out(r, "a b\n");
  assert_true(has_line(r, 'w', FAKE));

  snprintf(text, sizeof text,
           "#!/usr/bin/env python3\nimport subprocess, sys\n"
           "sys.exit(subprocess.call(['%s', '-q'] + sys.argv[1:]))\n",
           FAKE);
  put_file(at(s, "call.py"), text, 0700);
  r = TRACE(s, at(s, "call.py"), "print", "c");
  assert_true(has_line(r, 'w', FAKE));

  snprintf(text, sizeof text, "#!/bin/sh\n%s print other\n", FAKE);
  put_file(at(s, "other.sh"), text, 0700);
  r = TRACE(s, at(s, "other.sh"), "print", "d");
  assert_true(has_line(r, 'x', FAKE));
  assert_false(mentions(r, "w /"));
  assert_false(mentions(TRACE(s, FAKE, "become", FAKE, "print", "e"), "w /"));
}

static void a_changed_root_is_an_escape(void **state) {
  struct scratch *s = *state;
  if (geteuid() != 0)
    skip();
  const struct cul_record *r =
      TRACE(s, "python3", "-S", "-c", "import os; os.chroot('/'); print('in')");
  assert_out(r, "in\n");
  assert_false(r->trace_closed);
  assert_true(mentions(r, "! it changes its view of the file system"));
}

/* Root gains nothing by it. */
static void gaining_rights_is_an_escape(void **state) {
  struct stat st;
  if (geteuid() == 0 || stat("/usr/bin/su", &st) || !(st.st_mode & S_ISUID))
    skip();
  const struct cul_record *r = TRACE(*state, "/usr/bin/su", "--help");
  assert_false(r->trace_closed);
  assert_true(mentions(r, "! it runs a program that gains privileges"));
}

static void untraced_runs_have_no_files(void **state) {
  const struct cul_record *r = RUN(*state, FAKE, "exit", "0");
  assert_int_equal(r->files.len, 0);
  assert_false(r->trace_closed);
}

/* What cannot be opened for want of descriptors is there all the same. */
static void nothing_is_missed_without_descriptors(void **state) {
  struct scratch *s = *state;
  struct cul_seen seen;
  struct cul_buf lines = {0};
  struct rlimit old, none;
  int first = dup(0);
  close(first);
  put_file(at(s, "data"), "some data\n", 0600);
  cul_seen_init(&seen, "/nowhere");
  getrlimit(RLIMIT_NOFILE, &old);
  none = (struct rlimit){(rlim_t)first, old.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  cul_seen_open(&seen, at(s, "data"), O_RDONLY);
  cul_seen_look(&seen, at(s, "none"), false);
  setrlimit(RLIMIT_NOFILE, &old);
  assert_null(seen.escape);
  cul_seen_print(&seen, NULL, &lines);
  assert_non_null(strstr(cul_buf_str(&lines), "/data\n"));
  assert_int_equal(
      strncmp(strstr(cul_buf_str(&lines), "/data\n") - strlen(s->root) - 2,
              "r ", 2),
      0);
  cul_buf_release(&lines);
  cul_seen_release(&seen);
}

#define TEST(f)                                                                \
  cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(script_program_plugin_data),
      TEST(lines_are_sorted_and_unique),
      TEST(calls_of_programs),
      TEST(relative_names),
      TEST(own_files_do_not_count),
      TEST(what_was_looked_for),
      TEST(whose_times_were_asked_for),
      TEST(a_look_tells_size_and_permissions),
      TEST(servers_are_not_seen),
      TEST(pipes_are_not_seen),
      TEST(second_names_are_read),
#ifdef __x86_64__
      TEST(calls_of_others_escape),
#endif
      TEST(shared_memory_counts),
      TEST(read_write_but_unchanged),
      TEST(interpreter_chain),
      TEST(endings_are_exact),
      TEST(daemons_are_traced_and_killed),
      TEST(a_debugger_works_inside),
      TEST(many_processes),
      TEST(the_wrapped_program),
      TEST(a_changed_root_is_an_escape),
      TEST(gaining_rights_is_an_escape),
      TEST(untraced_runs_have_no_files),
      TEST(nothing_is_missed_without_descriptors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
