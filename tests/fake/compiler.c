/* A compiler that fails where its input holds certain words:
 *   fake-compiler [OPTION...] FILE
 *   --has WORD     fail only where FILE holds WORD (may be repeated: all)
 *   --lacks WORD   fail only where FILE does not hold WORD
 *   --every N F    fail in every N-th run only; F counts the runs
 *   --log F        append a line to F at every run
 *   --fatal TEXT   the failure: LLVM ERROR: TEXT, then abort (default)
 *   --segv         the failure: a segmentation fault
 *   --exit N       the failure: error: TEXT of --fatal, exit status N
 *   --hang         the failure: no end
 * Where it does not fail it exits 0 without output. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 16 };

enum manner { FATAL, SEGV, EXIT, HANG };

struct options {
  const char *has[MAX_WORDS], *lacks[MAX_WORDS];
  int n_has, n_lacks;
  const char *counter, *log, *text, *file;
  int every, status;
  enum manner manner;
};

static void fail(const char *what) {
  fprintf(stderr, "fake-compiler: %s: %s\n", what, strerror(errno));
  exit(99);
}

static const char *next(char **argv, int *i) {
  if (!argv[*i + 1]) {
    errno = EINVAL;
    fail(argv[*i]);
  }
  return argv[++*i];
}

/* One option; false where argv[*i] is none. */
static bool take_option(struct options *o, char **argv, int *i) {
  const char *name = argv[*i];
  if (!strcmp(name, "--has") && o->n_has < MAX_WORDS) {
    o->has[o->n_has++] = next(argv, i);
  } else if (!strcmp(name, "--lacks") && o->n_lacks < MAX_WORDS) {
    o->lacks[o->n_lacks++] = next(argv, i);
  } else if (!strcmp(name, "--every")) {
    o->every = (int)strtol(next(argv, i), NULL, 10);
    o->counter = next(argv, i);
  } else if (!strcmp(name, "--log")) {
    o->log = next(argv, i);
  } else if (!strcmp(name, "--fatal")) {
    o->text = next(argv, i);
  } else if (!strcmp(name, "--segv")) {
    o->manner = SEGV;
  } else if (!strcmp(name, "--exit")) {
    o->manner = EXIT;
    o->status = (int)strtol(next(argv, i), NULL, 10);
  } else if (!strcmp(name, "--hang")) {
    o->manner = HANG;
  } else {
    return false;
  }
  return true;
}

static void append_line(const char *path) {
  FILE *f = fopen(path, "a");
  if (!f || fputs("run\n", f) < 0 || fclose(f))
    fail(path);
}

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t cap = 0;
  ssize_t len;
  if (!f)
    fail(path);
  len = getdelim(&text, &cap, '\0', f);
  fclose(f);
  return len < 0 ? calloc(1, 1) : text;
}

/* This run's number, counted in a file. */
static long count_run(const char *path) {
  append_line(path);
  FILE *f = fopen(path, "r");
  long lines = 0;
  if (!f)
    fail(path);
  for (int c; (c = fgetc(f)) != EOF;)
    lines += c == '\n';
  fclose(f);
  return lines;
}

static bool fails(const struct options *o, const char *text) {
  for (int i = 0; i < o->n_has; i++)
    if (!strstr(text, o->has[i]))
      return false;
  for (int i = 0; i < o->n_lacks; i++)
    if (strstr(text, o->lacks[i]))
      return false;
  return o->every <= 1 || count_run(o->counter) % o->every == 0;
}

static void fail_as_asked(const struct options *o) {
  switch (o->manner) {
  case FATAL:
    fprintf(stderr, "LLVM ERROR: %s\n", o->text);
    abort();
  case SEGV:
    raise(SIGSEGV);
    break;
  case EXIT:
    fprintf(stderr, "%s:1:1: error: %s\n", o->file, o->text);
    exit(o->status);
  case HANG:
    for (;;)
      pause();
  }
}

int main(int argc, char **argv) {
  struct options o = {.text = "cannot lower this"};
  for (int i = 1; i < argc; i++)
    if (!take_option(&o, argv, &i))
      o.file = argv[i];
  if (!o.file) {
    fputs("usage: fake-compiler [OPTION...] FILE\n", stderr);
    return 2;
  }
  if (o.log)
    append_line(o.log);
  char *text = read_file(o.file);
  bool failing = fails(&o, text);
  free(text);
  if (failing)
    fail_as_asked(&o);
  return 0;
}
