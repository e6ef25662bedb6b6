/* The engine table of a worker that only the tests use: one engine that
 * ends as its words say. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../reducer/engines/engine.h"

static int print(struct cul_subject *subject, const void *warm) {
  struct cul_buf text = {0};
  ((struct cul_subject_head *)subject)->kind->write(subject, &text);
  printf("%s%s", warm ? "warm\n" : "", cul_buf_str(&text));
  cul_buf_release(&text);
  return 3;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  /* Not NULL: UndefinedBehaviorSanitizer would end the process before. */
  int *volatile nowhere = (int *)(uintptr_t)4096;
  while (strcmp(way, "hang") == 0)
    ;
  if (strcmp(way, "segv") == 0)
    *nowhere = 1;
  if (strcmp(way, "abort") == 0) {
    fprintf(stderr, "LLVM ERROR: out of cheese\n");
    abort();
  }
  if (strcmp(way, "exit") == 0)
    exit(5);
  if (strcmp(way, "leave") == 0 && fork() == 0)
    pause();
  return print(subject, warm);
}

static void *warm_up(struct cul_subject *subject, int argc, char **argv) {
  (void)subject;
  if (argc > 1 && strcmp(argv[1], "segv") == 0)
    raise(SIGSEGV);
  return argc > 1 && strcmp(argv[1], "refuse") == 0 ? NULL : argv[0];
}

static const struct cul_engine test_engine = {
    .name = "test", .summary = "for tests", .run = run, .warm = warm_up};

const struct cul_engine *const cul_engines[] = {&test_engine, NULL};

const struct cul_engine *cul_engine_find(const char *name) {
  return strcmp(name, "test") == 0 ? &test_engine : NULL;
}
