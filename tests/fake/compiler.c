/* A compiler that fails where its input holds certain words:
 *   fake-compiler [OPTION...] FILE
 *   --has WORD     fail only where FILE holds WORD (may be repeated: all)
 *   --lacks WORD   fail only where FILE does not hold WORD
 *   --like REGEX   fail only where FILE matches it (POSIX extended; a dot is
 *                  any character, the end of a line too)
 *   --unlike REGEX fail only where FILE does not match it
 *   --needs A B    fail only where FILE holds no A, or B too
 *   --defined      fail only where each %name in FILE is defined: before "=" or
 *                  ":", as a label "name:", or on a line with "define"
 *   --every N F    fail in every N-th run only; F counts the runs
 *   --spare N F    pass in every N-th run; F counts the runs
 *   --rarer WORD N  with --every: every N-th run only where FILE lacks WORD
 *   --flaky P SEED F
 *                  fail in P % of the runs, by a random number drawn from
 *                  SEED and the run's number; F counts the runs
 *   --burn MS      take so much processor time first, fail or not
 *   --late         ... when the file has been read
 *   --log F        append a line to F at every run
 *   --digests F    append a digest of FILE's bytes to F once it is read
 *   --fatal TEXT   the failure: LLVM ERROR: TEXT, then abort (default)
 *   --segv         the failure: a segmentation fault
 *   --exit N       the failure: error: TEXT of --fatal, exit status N
 *   --hang         the failure: no end, waiting
 *   --spin         the failure: no end, computing
 * Where it does not fail it exits 0 without output. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_WORDS = 16 };

enum manner { FATAL, SEGV, EXIT, HANG, SPIN };

struct options {
  const char *has[MAX_WORDS], *lacks[MAX_WORDS], *like[MAX_WORDS];
  const char *unlike[MAX_WORDS], *needs[MAX_WORDS][2];
  int n_has, n_lacks, n_like, n_unlike, n_needs;
  const char *counter, *log, *digests, *text, *file;
  const char *rarer;
  int every, every_rarer, spare, percent, status, burn_ms;
  bool defined, late;
  unsigned long long seed;
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
  } else if (!strcmp(name, "--like") && o->n_like < MAX_WORDS) {
    o->like[o->n_like++] = next(argv, i);
  } else if (!strcmp(name, "--unlike") && o->n_unlike < MAX_WORDS) {
    o->unlike[o->n_unlike++] = next(argv, i);
  } else if (!strcmp(name, "--needs") && o->n_needs < MAX_WORDS) {
    o->needs[o->n_needs][0] = next(argv, i);
    o->needs[o->n_needs++][1] = next(argv, i);
  } else if (!strcmp(name, "--defined")) {
    o->defined = true;
  } else if (!strcmp(name, "--every")) {
    o->every = (int)strtol(next(argv, i), NULL, 10);
    o->counter = next(argv, i);
  } else if (!strcmp(name, "--spare")) {
    o->spare = (int)strtol(next(argv, i), NULL, 10);
    o->counter = next(argv, i);
  } else if (!strcmp(name, "--rarer")) {
    o->rarer = next(argv, i);
    o->every_rarer = (int)strtol(next(argv, i), NULL, 10);
  } else if (!strcmp(name, "--flaky")) {
    o->percent = (int)strtol(next(argv, i), NULL, 10);
    o->seed = strtoull(next(argv, i), NULL, 10);
    o->counter = next(argv, i);
  } else if (!strcmp(name, "--burn")) {
    o->burn_ms = (int)strtol(next(argv, i), NULL, 10);
  } else if (!strcmp(name, "--late")) {
    o->late = true;
  } else if (!strcmp(name, "--log")) {
    o->log = next(argv, i);
  } else if (!strcmp(name, "--digests")) {
    o->digests = next(argv, i);
  } else if (!strcmp(name, "--fatal")) {
    o->text = next(argv, i);
  } else if (!strcmp(name, "--segv")) {
    o->manner = SEGV;
  } else if (!strcmp(name, "--exit")) {
    o->manner = EXIT;
    o->status = (int)strtol(next(argv, i), NULL, 10);
  } else if (!strcmp(name, "--hang")) {
    o->manner = HANG;
  } else if (!strcmp(name, "--spin")) {
    o->manner = SPIN;
  } else {
    return false;
  }
  return true;
}

static void append_line(const char *path, const char *line) {
  FILE *f = fopen(path, "a");
  if (!f || fprintf(f, "%s\n", line) < 0 || fclose(f))
    fail(path);
}

/* FNV-1a, 64 bits. */
static void append_digest(const char *path, const char *text) {
  unsigned long long digest = 0xcbf29ce484222325;
  char line[17];
  for (; *text; text++)
    digest = (digest ^ (unsigned char)*text) * 0x100000001b3;
  snprintf(line, sizeof line, "%016llx", digest);
  append_line(path, line);
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

/* This run's number, counted in the bytes of a file: where an append ends is
 * known without a race. */
static long count_run(const char *path) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
  off_t end = fd >= 0 && write(fd, "x", 1) == 1 ? lseek(fd, 0, SEEK_CUR) : -1;
  if (end < 0)
    fail(path);
  close(fd);
  return (long)end;
}

/* A number below 100 that follows from seed and run (splitmix64). */
static int draw(unsigned long long seed, unsigned long long run) {
  unsigned long long z = seed * 0xd1342543de82ef95 + run * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (int)((z ^ (z >> 31)) % 100);
}

static bool matches(const char *regex, const char *text) {
  regex_t compiled;
  int rc = regcomp(&compiled, regex, REG_EXTENDED);
  if (rc) {
    errno = EINVAL;
    fail(regex);
  }
  rc = regexec(&compiled, text, 0, NULL, 0);
  regfree(&compiled);
  return rc == 0;
}

/* How many bytes of a name stand here. */
static size_t name_len(const char *at) {
  size_t n = 0;
  while (isalnum((unsigned char)at[n]) || at[n] == '_')
    n++;
  return n;
}

/* Is what stands at `at`, n bytes behind a "%" or at the start of a line,
 * defined there? */
static bool defines(const char *text, const char *at, size_t n) {
  const char *line = at, *after = at + n + strspn(at + n, " ");
  while (line > text && line[-1] != '\n')
    line--;
  if (at[-1] != '%')
    return at == line && *after == ':';
  return *after == '=' || at[n] == ':' || !strncmp(line, "define", 6);
}

static bool is_defined(const char *text, const char *name, size_t n) {
  for (const char *at = text + 1; (at = strchr(at, *name)); at++)
    if (name_len(at) == n && !memcmp(at, name, n) && defines(text, at, n))
      return true;
  return false;
}

static bool all_defined(const char *text) {
  for (const char *at = text; (at = strchr(at, '%')); at++)
    if (!is_defined(text, at + 1, name_len(at + 1)))
      return false;
  return true;
}

/* Does the text hold what it must, and nothing that it must not? */
static bool is_sought(const struct options *o, const char *text) {
  for (int i = 0; i < o->n_has; i++)
    if (!strstr(text, o->has[i]))
      return false;
  for (int i = 0; i < o->n_lacks; i++)
    if (strstr(text, o->lacks[i]))
      return false;
  for (int i = 0; i < o->n_like; i++)
    if (!matches(o->like[i], text))
      return false;
  for (int i = 0; i < o->n_unlike; i++)
    if (matches(o->unlike[i], text))
      return false;
  for (int i = 0; i < o->n_needs; i++)
    if (strstr(text, o->needs[i][0]) && !strstr(text, o->needs[i][1]))
      return false;
  return !o->defined || all_defined(text);
}

static bool fails(const struct options *o, const char *text) {
  int every = o->rarer && !strstr(text, o->rarer) ? o->every_rarer : o->every;
  if (!is_sought(o, text))
    return false;
  if (o->percent)
    return draw(o->seed, (unsigned long long)count_run(o->counter)) <
           o->percent;
  if (o->spare > 0)
    return count_run(o->counter) % o->spare != 0;
  return every <= 1 || count_run(o->counter) % every == 0;
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
  case SPIN:
    for (volatile unsigned long n = 0;; n++)
      ;
  }
}

static void burn(long ms) {
  while (clock() < (clock_t)ms * (CLOCKS_PER_SEC / 1000))
    ;
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
    append_line(o.log, "run");
  if (!o.late)
    burn(o.burn_ms);
  char *text = read_file(o.file);
  if (o.digests)
    append_digest(o.digests, text);
  if (o.late)
    burn(o.burn_ms);
  bool failing = fails(&o, text);
  free(text);
  if (failing)
    fail_as_asked(&o);
  return 0;
}
