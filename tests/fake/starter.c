/* fake-starter LOG HOW FILE: starts, then looks at FILE and does what it says.
 *
 * LOG gets one byte per start.  HOW, what it holds when it comes to FILE:
 * nothing; handler of SIGUSR1; line read of LOG.lines; thread, child, pipe,
 * shared memory, file being written, file in TMPDIR; or it has printed, never
 * opens FILE by libc, or sleeps before.  FILE: exit N, say WORD, die N (a
 * signal), sleep, line (the next one of LOG.lines), where (what loaded it),
 * name LIBRARY:SYMBOL (what dladdr says of it, twice). */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *stay(void *unused) {
  (void)unused;
  pause();
  return NULL;
}

static void handle(int sig) {
  (void)sig;
  if (write(1, "handled\n", 8) != 8)
    _exit(9);
}

static FILE *open_beside(const char *log, const char *ending,
                         const char *mode) {
  char path[512];
  snprintf(path, sizeof path, "%s%s", log, ending);
  return fopen(path, mode);
}

/* Without a buffer: the place in the file is the kernel's. */
static void read_line(FILE *lines, char *out, size_t size) {
  setvbuf(lines, NULL, _IONBF, 0);
  if (!fgets(out, (int)size, lines))
    out[0] = '\0';
}

static void hold(const char *how, const char *log, FILE **lines) {
  static pthread_t thread;
  char line[64];
  int ends[2];
  if (strcmp(how, "handler") == 0) {
    signal(SIGUSR1, handle);
  } else if (strcmp(how, "line") == 0) {
    *lines = open_beside(log, ".lines", "r");
    read_line(*lines, line, sizeof line);
  } else if (strcmp(how, "thread") == 0) {
    pthread_create(&thread, NULL, stay, NULL);
  } else if (strcmp(how, "child") == 0) {
    if (fork() == 0)
      stay(NULL);
  } else if (strcmp(how, "pipe") == 0) {
    if (pipe(ends))
      exit(9);
  } else if (strcmp(how, "shared") == 0) {
    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  } else if (strcmp(how, "writing") == 0) {
    open_beside(log, ".out", "w");
  } else if (strcmp(how, "temporary") == 0) {
    fclose(open_beside(getenv("TMPDIR"), "/left", "w"));
  } else if (strcmp(how, "printed") == 0) {
    puts("hello");
    fflush(stdout);
  } else if (strcmp(how, "sleep") == 0) {
    sleep(100);
  }
}

/* Of the byte behind the symbol's first, and of no function. */
static void name_twice(char *rest) {
  char *symbol = strchr(rest, ':');
  const char *at;
  Dl_info info;
  if (!symbol)
    exit(2);
  *symbol++ = '\0';
  at = dlsym(dlopen(rest, RTLD_NOW), symbol);
  for (int i = 0; i < 2; i++)
    if (at && dladdr(at + 1, &info) && info.dli_sname)
      printf("%s %s %td\n", strrchr(info.dli_fname, '/') + 1, info.dli_sname,
             at + 1 - (const char *)info.dli_saddr);
  printf("%d\n", dladdr(rest, &info));
}

static void obey(const char *word, char *rest, FILE *lines) {
  char line[64];
  const char *loaded = getenv("LD_PRELOAD");
  if (strcmp(word, "exit") == 0)
    exit((int)strtol(rest, NULL, 10));
  if (strcmp(word, "die") == 0)
    raise((int)strtol(rest, NULL, 10));
  if (strcmp(word, "sleep") == 0)
    sleep(100);
  if (strcmp(word, "name") == 0)
    name_twice(rest);
  if (strcmp(word, "say") == 0)
    printf("%s\n", rest);
  if (strcmp(word, "where") == 0)
    printf("%s %s\n", loaded ? loaded : "-",
           getenv("CULPRIT_SERVER") ? "server" : "-");
  if (strcmp(word, "line") == 0) {
    read_line(lines, line, sizeof line);
    fputs(line, stdout);
  }
}

int main(int argc, char **argv) {
  char text[64] = "", word[64] = "", rest[64] = "";
  FILE *lines = NULL, *file;
  int fd;
  if (argc != 4)
    return 2;
  fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0 || write(fd, "x", 1) != 1)
    return 2;
  close(fd);
  hold(argv[2], argv[1], &lines);
  if (strcmp(argv[2], "never") == 0)
    return 0;
  file = fopen(argv[3], "r");
  if (!file || !fgets(text, sizeof text, file))
    return 2;
  sscanf(text, "%63s %63s", word, rest);
  obey(word, rest, lines);
  return 0;
}
