/* A tool under test that does what its arguments say, one after another:
 *   print TEXT   complain TEXT   flood BYTES   echo-stdin   show FILE
 *   env NAME     cwd     argv0   limits        layout       signals
 *   spin         burn MS         sleep MS      append FILE  allocate BYTES
 *   exit N       signal N        segv
 *   spinners N   waiters N       so many threads of the kind, and go on
 *   heap N       what lies in, and up to 16 bytes behind, a fresh block of N
 *                bytes; that it grows, is zeroed and aligned as it should
 *   beyond N     read so far behind a block of 8,192 bytes
 *   doze MS      for ever: use the processor for so long, rest 50 times that
 *   relay        for ever: two threads in turns, one waits while one computes
 *   daemon FILE  a grandchild in its own session, holding standard output,
 *                that writes its number to FILE and sleeps
 *   child FILE   the same in our own group
 *   forks FILE   a chain of processes, each forking the next and ending
 *   plugin FILE  dlopen, call its `answer`, print the number
 *   run ARGS...  execute, wait, end as it ends
 *   become ARGS... execute in place */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
  fprintf(stderr, "fake tool: %s: %s\n", what, strerror(errno));
  exit(99);
}

static void append(const char *path, const char *text) {
  FILE *f = fopen(path, "a");
  if (!f || fputs(text, f) < 0 || fclose(f))
    fail(path);
}

static void copy_out(FILE *f) {
  char data[4096];
  size_t n;
  while ((n = fread(data, 1, sizeof data, f)) > 0)
    fwrite(data, 1, n, stdout);
}

static void show(const char *path) {
  FILE *f = fopen(path, "r");
  if (!f)
    fail(path);
  copy_out(f);
  fclose(f);
}

static void flood(long long bytes) {
  static char data[65536];
  memset(data, 'x', sizeof data);
  data[sizeof data - 1] = '\n';
  while (bytes > 0) {
    size_t n = bytes < (long long)sizeof data ? (size_t)bytes : sizeof data;
    if (fwrite(data, 1, n, stdout) != n)
      fail("flood");
    bytes -= (long long)n;
  }
}

static void report_self(const char *path) {
  char text[32];
  snprintf(text, sizeof text, "%d\n", (int)getpid());
  append(path, text);
}

static void linger(const char *path, int own_session) {
  pid_t pid = fork();
  if (pid < 0)
    fail("fork");
  if (pid) {
    waitpid(pid, NULL, 0);
    return;
  }
  if (own_session)
    setsid();
  pid = fork();
  if (pid)
    _exit(0);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  report_self(path);
  for (;;)
    pause();
}

static void fork_chain(const char *path) {
  if (fork())
    return;
  setsid();
  report_self(path);
  for (;;)
    if (fork())
      _exit(0);
}

static void show_limits(void) {
  struct rlimit core, cpu, as;
  getrlimit(RLIMIT_CORE, &core);
  getrlimit(RLIMIT_CPU, &cpu);
  getrlimit(RLIMIT_AS, &as);
  printf("core %lld cpu %lld as %lld\n", (long long)core.rlim_cur,
         (long long)cpu.rlim_cur, (long long)as.rlim_cur);
}

static void show_signals(void) {
  sigset_t mask;
  int odd = 0;
  sigprocmask(SIG_SETMASK, NULL, &mask);
  for (int n = 1; n < 32; n++) {
    struct sigaction act;
    if (sigismember(&mask, n) ||
        (sigaction(n, NULL, &act) == 0 && act.sa_handler != SIG_DFL))
      odd = n;
  }
  printf("signals %d\n", odd);
}

static void use_plugin(const char *path) {
  void *lib = dlopen(path, RTLD_NOW);
  int (*answer)(void);
  if (!lib) {
    fprintf(stderr, "fake tool: %s\n", dlerror());
    exit(99);
  }
  *(void **)&answer = dlsym(lib, "answer");
  printf("answer %d\n", answer());
}

static void run(char **argv) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    execvp(argv[0], argv);
    _exit(127);
  }
  waitpid(pid, &status, 0);
  exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void allocate(size_t bytes) {
  char *p = malloc(bytes);
  if (!p)
    exit(12);
  memset(p, 1, bytes);
  printf("allocated %d\n", p[bytes / 2]);
}

static void spin(void) {
  for (volatile unsigned long n = 0;; n++)
    ;
}

/* Use the processor for so long, however busy the machine is. */
static void burn(int ms) {
  while (clock() < (clock_t)ms * (CLOCKS_PER_SEC / 1000))
    ;
}

static void crash(void) {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}

static void *spin_thread(void *unused) {
  (void)unused;
  spin();
  return NULL;
}

static void *wait_thread(void *unused) {
  (void)unused;
  for (;;)
    pause();
  return NULL;
}

static void begin_threads(int n, void *body(void *)) {
  pthread_t thread;
  while (n-- > 0)
    if (pthread_create(&thread, NULL, body, NULL))
      fail("pthread_create");
}

/* In processor time of this thread. */
static void burn_own(int ms) {
  struct timespec from, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - from.tv_sec) * 1000 +
             (now.tv_nsec - from.tv_nsec) / 1000000 <
         ms);
}

static void doze(int ms) {
  for (;;) {
    burn_own(ms);
    usleep((useconds_t)ms * 1000 * 50);
  }
}

static void show_heap(size_t n) {
  unsigned char *block = malloc(n), *zero = calloc(n, 1), *more;
  void *aligned = NULL;
  size_t zeros = 0;
  if (!block || !zero || posix_memalign(&aligned, 256, n))
    fail("malloc");
  for (size_t i = 0; i < n; i++)
    zeros += zero[i] == 0;
  printf("%02x %02x", block[n / 2], ((volatile unsigned char *)block)[n + 15]);
  memset(block, 7, n);
  free(zero);
  more = realloc(block, 3 * n);
  printf(" %d %d %d %d\n", more && more[0] == 7 && more[n - 1] == 7, zeros == n,
         (uintptr_t)aligned % 256 == 0, malloc_usable_size(more) >= 3 * n);
}

static void read_beyond(size_t n) {
  volatile char *volatile block = calloc(8192, 1);
  printf("%d\n", block[8191 + n] != 1);
}

/* Takes the baton from one pipe and lays it into the other. */
static int baton[2][2];

static void carry(int from) {
  char byte;
  while (read(baton[from][0], &byte, 1) == 1) {
    burn_own(1);
    if (write(baton[!from][1], &byte, 1) != 1)
      fail("write");
  }
}

static void *carry_back(void *unused) {
  (void)unused;
  carry(1);
  return NULL;
}

static void relay(void) {
  if (pipe(baton[0]) || pipe(baton[1]) || write(baton[0][1], "", 1) != 1)
    fail("pipe");
  begin_threads(1, carry_back);
  carry(0);
}

/* Words that take no argument. */
static int plain(const char *word, char **argv) {
  char text[4096];
  if (strcmp(word, "echo-stdin") == 0)
    copy_out(stdin);
  else if (strcmp(word, "cwd") == 0)
    puts(getcwd(text, sizeof text));
  else if (strcmp(word, "argv0") == 0)
    puts(argv[0]);
  else if (strcmp(word, "limits") == 0)
    show_limits();
  else if (strcmp(word, "signals") == 0)
    show_signals();
  else if (strcmp(word, "layout") == 0)
    printf("%p\n", (void *)text);
  else if (strcmp(word, "spin") == 0)
    spin();
  else if (strcmp(word, "relay") == 0)
    relay();
  else if (strcmp(word, "segv") == 0)
    crash();
  else
    return 0;
  return 1;
}

static int with_argument(const char *word, const char *value) {
  if (strcmp(word, "print") == 0)
    printf("%s\n", value);
  else if (strcmp(word, "complain") == 0)
    fprintf(stderr, "%s\n", value);
  else if (strcmp(word, "flood") == 0)
    flood(atoll(value));
  else if (strcmp(word, "show") == 0)
    show(value);
  else if (strcmp(word, "env") == 0)
    printf("%s=%s\n", value, getenv(value) ? getenv(value) : "(unset)");
  else if (strcmp(word, "sleep") == 0)
    usleep((useconds_t)atoi(value) * 1000);
  else if (strcmp(word, "burn") == 0)
    burn(atoi(value));
  else if (strcmp(word, "heap") == 0)
    show_heap((size_t)atoll(value));
  else if (strcmp(word, "beyond") == 0)
    read_beyond((size_t)atoll(value));
  else if (strcmp(word, "spinners") == 0)
    begin_threads(atoi(value), spin_thread);
  else if (strcmp(word, "waiters") == 0)
    begin_threads(atoi(value), wait_thread);
  else if (strcmp(word, "doze") == 0)
    doze(atoi(value));
  else if (strcmp(word, "append") == 0)
    append(value, "a line\n");
  else if (strcmp(word, "allocate") == 0)
    allocate((size_t)atoll(value));
  else if (strcmp(word, "daemon") == 0)
    linger(value, 1);
  else if (strcmp(word, "child") == 0)
    linger(value, 0);
  else if (strcmp(word, "forks") == 0)
    fork_chain(value);
  else if (strcmp(word, "plugin") == 0)
    use_plugin(value);
  else if (strcmp(word, "signal") == 0)
    raise(atoi(value));
  else
    return 0;
  return 1;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (plain(word, argv))
      fflush(stdout);
    else if (i + 1 >= argc)
      break; /* a delivered candidate */
    else if (strcmp(word, "exit") == 0)
      return atoi(argv[i + 1]);
    else if (strcmp(word, "run") == 0)
      run(argv + i + 1);
    else if (strcmp(word, "become") == 0)
      execvp(argv[i + 1], argv + i + 1);
    else if (with_argument(word, argv[++i]))
      fflush(stdout);
    else
      fail(word);
  }
  return 0;
}
