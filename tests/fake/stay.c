/* A tool that stays somewhere: each word is a thing to do, one after the other;
 * "file FILE": those in FILE; other words there are ignored.
 *   start MS   compute for so long, of processor time, in a function of its own
 *   outer      loop for ever in outer(), which calls three functions
 *   inner      the same, but the second of them never returns
 *   other      loop for ever in other(), which calls the same functions
 *   slow MS    outer() for so long
 *   recurse    loop for ever in a recursion that goes deep and comes back
 *   deep       the same, deeper than any copy of a stack
 *   signals    outer() for ever, with a timer whose handler calls functions
 *   copied     the code of this program moves to anonymous memory
 *   nanosleep  sleep for a minute;  pipe, futex, poll  wait for ever
 *   threads    eight threads wait, and one is in outer() for ever
 *   shadow     map as much memory as the shadow of a sanitizer
 *   traced MS  end with 1 once its main thread is traced, or with 0 after so
 *              long, of processor time
 *   checked    end with 0 if no call was interrupted, short ones and long ones,
 *              while other threads compute; 1 if one was */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static volatile uint64_t sink;
static uint64_t until_us = UINT64_MAX; /* processor time */

static uint64_t cpu_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

APART static void first(void) {
  for (int i = 0; i < 200000; i++)
    sink += (uint64_t)i;
}

APART static void second(int for_ever) {
  do
    for (int i = 0; i < 200000; i++)
      sink ^= (uint64_t)i;
  while (for_ever);
}

APART static void third(void) {
  for (int i = 0; i < 200000; i++)
    sink -= (uint64_t)i;
}

APART static void outer(int stuck) {
  while (cpu_us() < until_us) {
    first();
    second(stuck);
    third();
  }
}

APART static void other(void) {
  while (cpu_us() < until_us) {
    first();
    second(0);
    third();
  }
}

APART static void start(int ms) {
  uint64_t end = cpu_us() + (uint64_t)ms * 1000;
  while (cpu_us() < end)
    first();
}

APART static int recursion(int depth) {
  volatile char room[200];
  room[0] = (char)depth;
  if (depth == 0) {
    first();
    return 1;
  }
  return recursion(depth - 1) + room[0];
}

static void handle(int sig) {
  (void)sig;
  third();
}

static void *wait_for_ever(void *arg) {
  for (;;)
    pause();
  return arg;
}

static void *burn(void *arg) {
  start(1500);
  return arg;
}

/* Wait as programs do that handle no signals: long, and so often that samples
 * meet a thread that was about to compute and has begun to wait since. */
static int check_calls(void) {
  enum { N_BURNERS = 3, N_LONG = 4 };
  pthread_t burners[N_BURNERS];
  int epoll = epoll_create1(0), ends[2];
  struct epoll_event event;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  if (pipe(ends) || sigprocmask(SIG_BLOCK, &one, NULL))
    return 2;
  for (int i = 0; i < N_BURNERS; i++)
    if (pthread_create(&burners[i], NULL, burn, NULL))
      return 2;
  for (int i = 0; cpu_us() < 1500 * 1000; i++) {
    struct pollfd fd = {ends[0], POLLIN, 0};
    int ms = i < N_LONG ? 200 : 1;
    first();
    const struct timespec t = {0, ms * 1000000L};
    if (epoll_wait(epoll, &event, 1, ms) < 0 || poll(&fd, 1, ms) < 0 ||
        (sigtimedwait(&one, NULL, &t) < 0 && errno != EAGAIN))
      return 1;
  }
  return 0;
}

static void run_threads(void) {
  for (int i = 0; i < 8; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_ever, NULL);
  }
  outer(0);
}

static void wait_in(const char *where) {
  int ends[2], word = 0;
  char byte;
  if (strcmp(where, "pipe") == 0 && pipe(ends) == 0)
    (void)!read(ends[0], &byte, 1);
  else if (strcmp(where, "futex") == 0)
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
  else if (strcmp(where, "poll") == 0)
    poll(NULL, 0, -1);
  else if (strcmp(where, "nanosleep") == 0)
    sleep(60);
}

static void with_signals(void) {
  const struct itimerval each = {{0, 3000}, {0, 3000}};
  signal(SIGALRM, handle);
  setitimer(ITIMER_REAL, &each, NULL);
  outer(0);
}

/* Replace the whole pages of this program's code by a copy. */
static void copy_code(void) {
  extern char __executable_start, etext;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  char *from = &__executable_start + page, *copy;
  size_t size =
      (size_t)(&etext - from + (ptrdiff_t)page - 1) & ~(size_t)(page - 1);
  copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
              -1, 0);
  if (copy == MAP_FAILED)
    exit(4);
  memcpy(copy, from, size);
  if (mprotect(copy, size, PROT_READ | PROT_EXEC) ||
      mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, from) != from)
    exit(4);
}

static int is_traced(void) {
  char text[4096], path[64];
  const char *at;
  size_t n;
  FILE *file;
  snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)getpid());
  if (!(file = fopen(path, "r")))
    exit(3);
  n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = '\0';
  at = strstr(text, "TracerPid:");
  return at && atoi(at + sizeof "TracerPid:" - 1) != 0;
}

/* The main thread computes; this one looks. */
static void *look_for_tracer(void *ms) {
  uint64_t end = cpu_us() + (uint64_t)(intptr_t)ms * 1000;
  while (cpu_us() < end)
    if (is_traced())
      exit(1);
  exit(0);
}

static void run_traced(int ms) {
  pthread_t looker;
  if (pthread_create(&looker, NULL, look_for_tracer, (void *)(intptr_t)ms))
    exit(3);
  for (;;)
    first();
}

static void map_shadow(void) {
  if (mmap(NULL, (size_t)1 << 44, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    exit(3);
}

static void do_word(const char *word, const char *next) {
  int ms = next ? atoi(next) : 0;
  if (strcmp(word, "start") == 0)
    start(ms);
  else if (strcmp(word, "outer") == 0)
    outer(0);
  else if (strcmp(word, "inner") == 0)
    outer(1);
  else if (strcmp(word, "other") == 0)
    other();
  else if (strcmp(word, "slow") == 0)
    until_us = cpu_us() + (uint64_t)ms * 1000, outer(0), until_us = UINT64_MAX;
  else if (strcmp(word, "recurse") == 0)
    for (;;)
      recursion(60);
  else if (strcmp(word, "deep") == 0)
    for (;;)
      recursion(9000);
  else if (strcmp(word, "signals") == 0)
    with_signals();
  else if (strcmp(word, "threads") == 0)
    run_threads();
  else if (strcmp(word, "copied") == 0)
    copy_code();
  else if (strcmp(word, "shadow") == 0)
    map_shadow();
  else if (strcmp(word, "traced") == 0)
    run_traced(ms);
  else if (strcmp(word, "checked") == 0)
    exit(check_calls());
  else
    wait_in(word);
}

/* Words that stand below one another or in a row. */
static void do_file(const char *path) {
  static char text[1 << 20];
  char *words[2] = {NULL, NULL}, *rest = text;
  FILE *file = fopen(path, "r");
  if (!file)
    exit(3);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  while ((words[1] = strsep(&rest, " \n\t"))) {
    if (words[0])
      do_word(words[0], words[1]);
    words[0] = words[1];
  }
  if (words[0])
    do_word(words[0], NULL);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "file") == 0 && argv[i + 1])
      do_file(argv[++i]);
    else
      do_word(argv[i], argv[i + 1]);
  return 0;
}
