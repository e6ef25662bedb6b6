/* What reading a signature costs.
 *
 *   bench-signature [FILE...]
 *
 * Microseconds per text, median of 21: the files given, or a crash of 4 kB,
 * a log of 100 kB that ends in it, and hostile texts of 10 MB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../oracles/oracle.h"

enum { RUNS = 21 };

static int compare(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void measure(const struct cul_rules *rules, const char *name,
                    struct cul_buf *text) {
  struct cul_record record = {.end = CUL_SIGNALED, .status = 11, .err = *text};
  struct cul_signature sig;
  double times[RUNS];
  int runs = text->len > 1 << 20 ? 3 : RUNS;
  for (int i = 0; i < runs; i++) {
    uint64_t start = cul_now_us();
    /* Hostile texts go through the rules of diagnostics too. */
    record.end = text->len > 1 << 20 ? CUL_EXITED : CUL_SIGNALED;
    cul_signature_read(rules, &record, &sig);
    times[i] = (double)(cul_now_us() - start);
  }
  qsort(times, (size_t)runs, sizeof *times, compare);
  printf("%-24s %10zu bytes %10.0f us  %.60s\n", name, text->len,
         times[runs / 2], sig.title);
  cul_buf_release(text);
}

static void add_crash(struct cul_buf *text) {
  cul_buf_adds(text, "Stack dump:\n"
                     "0  libToy.so 0x00007f0000011786 "
                     "llvm::sys::RunSignalHandlers() + 54\n");
  for (int i = 1; i < 40; i++)
    cul_buf_addf(text,
                 "%d  libToy.so 0x00007f00000%05x void toy::(anonymous "
                 "namespace)::step%d<int, A<B>>(mlir::Operation*, int) + %d\n",
                 i, 0x21000 + 64 * i, i, i);
}

static void repeat(struct cul_buf *text, const char *piece, size_t size) {
  while (text->len < size)
    cul_buf_adds(text, piece);
}

static void measure_made_up(const struct cul_rules *rules) {
  static const char *const hostile[][2] = {
      {"one line of errors", "a.mlir:1:2: error: "},
      {"one line of frames", "#0 0x1 "},
      {"one line of asserts", "Assertion `x' "},
      {"lines of all", "Assertion `x\nerror: a\nValueError\n#1 0x12 f(\n"},
      {"brackets", "((((((((((((((("},
  };
  struct cul_buf text = {0};
  add_crash(&text);
  measure(rules, "crash", &text);
  repeat(&text, "%3 = \"arith.addi\"(%1, %2) : (i32, i32) -> i32\n", 100000);
  add_crash(&text);
  measure(rules, "log with a crash", &text);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(hostile); i++) {
    repeat(&text, hostile[i][1], 10 * 1000 * 1000);
    measure(rules, hostile[i][0], &text);
  }
}

int main(int argc, char **argv) {
  struct cul_rules *rules;
  struct cul_err err;
  uint64_t start = cul_now_us();
  if (cul_rules_new(&rules, &err) < 0) {
    fprintf(stderr, "bench-signature: %s\n", err.what);
    return 1;
  }
  printf("%-24s %30.0f us\n", "loading the rules",
         (double)(cul_now_us() - start));
  for (int i = 1; i < argc; i++) {
    struct cul_buf text = {0};
    if (cul_file_read(argv[i], 0, &text, &err) < 0) {
      fprintf(stderr, "bench-signature: %s\n", err.what);
      return 1;
    }
    measure(rules, cul_basename(argv[i]), &text);
  }
  if (argc == 1)
    measure_made_up(rules);
  cul_rules_free(rules);
  return 0;
}
