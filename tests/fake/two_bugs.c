/* A compiler with two bugs, many times over:
 *   two-bugs [--addresses | --HOW] PAIR WITNESS FILE
 * Of the pair, bug a shows where FILE holds all words of a; else bug b where
 * it holds those of b, which are fewer.  Which one it was is a line in
 * WITNESS, "a" or "b": no other part of the failure needs to be believed.
 *
 * Crashes are crashes, in functions that call each other as a compiler's do,
 * and the stack is the real one, printed in LLVM's way: with offsets in the
 * modules or, after --addresses, as loaded.  Functions without NAMED have no
 * name in it; in the stripped build no function has.  A '$$' of a name is
 * printed as "::".
 *
 * --anywhere: one bug, the words of a, that shows in either place, as memory
 * lies.  Without address randomisation the text decides, with it the parity of
 * the lines in WITNESS, so that nothing is left to chance.
 * --chancy: two bugs, but with address randomisation that parity decides
 * whether bug a shows where b can.
 * --freed: one bug, the words of a: memory is used after it was freed.  What
 * the text has made of that memory by then decides in which place it fails.
 * --freed-twice: the same of two bugs, of which each has a use of its own.
 * --freed-beside: two bugs that no memory decides, and a harmless use. */
#include <assert.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#define NAMED(function, symbol)                                                \
  void function(void) __asm__(symbol);                                         \
  void function(void)

struct bug {
  const char *words[3];
  void (*fail)(void);
  const char *pass; /* printed in the stack dump; NULL = not */
};

struct pair {
  const char *name;
  struct bug a, b;
};

struct block;

static struct {
  bool addresses;
  const struct bug *bug;
  struct block *volatile freed, *volatile other;
  const struct bug *volatile used;
} state;

/* ---- the stack dump ---- */

static void print_name(const char *name) {
  for (; *name; name++)
    if (name[0] == '$' && name[1] == '$')
      fputs("::", stderr), name++;
    else
      fputc(*name, stderr);
  fputs("()", stderr);
}

static void print_frame(int i, char *address) {
  Dl_info info = {0};
  const char *file;
  dladdr(address, &info);
  file = info.dli_fname ? info.dli_fname : "";
  if (state.addresses) {
    file = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    fprintf(stderr, "%-2d %-15s 0x%016lx ", i, file, (unsigned long)address);
    if (info.dli_sname) {
      print_name(info.dli_sname);
      fprintf(stderr, " + %ld", (long)(address - (char *)info.dli_saddr));
    }
  } else {
    fprintf(stderr, " #%d 0x%016lx ", i, (unsigned long)address);
    if (info.dli_sname)
      print_name(info.dli_sname), fputc(' ', stderr);
    fprintf(stderr, "(%s+0x%lx)", file,
            (unsigned long)(address - (char *)info.dli_fbase));
  }
  fputc('\n', stderr);
}

static void on_death(int number) {
  void *frames[256];
  int n = backtrace(frames, 256);
  fputs("Stack dump:\n0.\tProgram arguments: two-bugs\n", stderr);
  if (state.bug && state.bug->pass)
    fprintf(stderr, "1.\tRunning pass '%s' on module 'm'\n", state.bug->pass);
  for (int i = 0; i < n; i++)
    print_frame(i, frames[i]);
  signal(number, SIG_DFL);
  raise(number);
}

static void watch_for_death(void) {
  static char stack[1 << 16];
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction act = {.sa_handler = on_death, .sa_flags = SA_ONSTACK};
  void *none[1];
  backtrace(none, 1); /* loads what it needs before memory is broken */
  sigaltstack(&alternative, NULL);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &act, NULL);
}

static void die_untraced(const char *text) {
  signal(SIGABRT, SIG_DFL);
  fputs(text, stderr);
  abort();
}

static void complain(int status, const char *text) {
  fputs(text, stderr);
  exit(status);
}

static void give_up(const char *text) {
  fprintf(stderr, "LLVM ERROR: %s\n", text);
  abort();
}

/* ---- what everybody calls: as deep as MLIR's ---- */

static void touch_nothing(void) {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}

NAMED(operand_storage, "mlir$$detail$$OperandStorage$$OperandStorage") {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}
NAMED(create, "mlir$$Operation$$create") { operand_storage(); }
NAMED(builder_create, "mlir$$OpBuilder$$create") { create(); }
NAMED(replace, "mlir$$RewriterBase$$replaceOp") { builder_create(); }
/* Unnamed helpers of a stripped tool: more than a handful. */
static void insert(void) { replace(); }
static void rewrite(void) { insert(); }
static void notify(void) { rewrite(); }

/* A library of the tool's own: three functions on the way to every crash. */
NAMED(get_body, "toy$$StructType$$getBody") {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}
NAMED(describe, "toy$$Descriptor$$Descriptor") { get_body(); }
NAMED(undef, "toy$$Descriptor$$undef") { describe(); }

/* ---- patterns ---- */

NAMED(lower_add, "toy$$LowerAdd$$matchAndRewrite") { replace(); }
NAMED(lower_mul, "toy$$LowerMul$$matchAndRewrite") { replace(); }
static void hidden_add(void) { replace(); }
static void hidden_mul(void) { replace(); }
static void deep_add(void) { notify(); }
static void deep_mul(void) { notify(); }
NAMED(lower_alloc, "toy$$LowerAlloc$$matchAndRewrite") { undef(); }
NAMED(lower_view, "toy$$LowerView$$matchAndRewrite") { undef(); }
static void hidden_alloc(void) { undef(); }
static void hidden_view(void) { undef(); }
NAMED(fold_shape, "toy$$foldShape") { touch_nothing(); }
NAMED(fold_stride, "toy$$foldStride") { touch_nothing(); }

/* At the same place of their pages, and their calls too. */
__attribute__((aligned(4096))) static void page_one(void) { touch_nothing(); }
__attribute__((aligned(4096))) static void page_two(void) { touch_nothing(); }

NAMED(divide, "toy$$fold") {
  volatile int zero = 0;
  zero = 1 / zero;
}
NAMED(load, "toy$$fold$$load") { touch_nothing(); }
NAMED(bus, "toy$$fold$$bus") { raise(SIGBUS); }

/* Two recursions without end that share a function. */
static volatile int depth;
static void visit_region(void);
static void visit_block(void) {
  char used[256];
  memset(used, depth, sizeof used);
  if (depth++ >= 0)
    visit_region();
  depth -= used[3];
}
static void (*volatile turn)(void);
static void visit_region(void) {
  turn();
  depth--;
}
static void visit_loop(void) {
  visit_region();
  depth--;
}
static void walk_blocks(void) {
  turn = visit_block;
  visit_block();
}
static void walk_loops(void) {
  turn = visit_loop;
  visit_loop();
}
NAMED(convert_vector, "toy$$convertVector");
NAMED(convert_type, "toy$$convertType") {
  turn();
  depth--;
}
NAMED(convert_vector, "toy$$convertVector") {
  convert_type();
  depth--;
}
NAMED(convert_tuple, "toy$$convertTuple") {
  convert_type();
  depth--;
}
static void convert_vectors(void) {
  turn = convert_vector;
  convert_vector();
}
static void convert_tuples(void) {
  turn = convert_tuple;
  convert_tuple();
}

/* Assertions: the same expression at two lines, another one. */
static void check_rank(int where) {
  volatile int rank = 0;
  signal(SIGABRT, SIG_DFL);
  if (where == 1)
    assert(rank > 0);
  if (where == 2)
    assert(rank > 0);
  assert(rank >= 2 && "needs a matrix");
}
static void assert_first(void) { check_rank(1); }
static void assert_second(void) { check_rank(2); }
static void assert_other(void) { check_rank(3); }

/* ---- failures told by words ---- */

static void exit_3(void) { exit(3); }
static void exit_4(void) { exit(4); }
static void words_rule(void) {
  complain(1, "toyc: reading\ntoyc: no rule for a loop here\n");
}
static void words_full(void) {
  complain(1, "toyc: reading\ntoyc: the table of names is full\n");
}
#define CLOSING                                                                \
  "stack traceback:\n\t[C]: in ?\n1 failed, 20 passed\n"                       \
  "Command exited with non-zero status 1\n"
static void closing_rule(void) {
  complain(1, "toyc: no rule for a loop here\n" CLOSING);
}
static void closing_full(void) {
  complain(1, "toyc: the table of names is full\n" CLOSING);
}
static void abort_rule(void) { die_untraced("toyc: no rule for a loop\n"); }
static void abort_full(void) { die_untraced("toyc: names are full\n"); }
static void fatal_space(void) { give_up("unsupported memory space"); }
static void fatal_shape(void) { give_up("unsupported shape"); }
static void fatal_exit(void) {
  complain(1, "LLVM ERROR: unsupported memory space\n");
}
static void legal_add(void) {
  complain(1, "m:1:1: error: failed to legalize operation 'toy.add'\n");
}
static void legal_mul(void) {
  complain(1, "m:1:1: error: failed to legalize operation 'toy.mul'\n");
}
static void verify_count(void) {
  complain(1, "m:1:1: error: 'toy.pad' op expected 2 results but got 1\n");
}
static void verify_words(void) {
  complain(1, "m:1:1: error: 'toy.pad' op requires attribute 'low'\n");
}
static void verify_first(void) {
  complain(1, "m:1:1: error: 'toy.pad' op operand #0 must be integer\n");
}
static void verify_second(void) {
  complain(1, "m:1:1: error: 'toy.pad' op operand #1 must be integer\n");
}
static void dominance_add(void) {
  complain(1, "m:1:1: error: operand #0 does not dominate this use\n"
              "m:1:1: note: see current operation: "
              "%1 = \"toy.add\"(%0, %0) : (f32, f32) -> f32\n");
}
static void dominance_mul(void) {
  complain(1, "m:1:1: error: operand #0 does not dominate this use\n"
              "m:1:1: note: see current operation: "
              "%1 = \"toy.mul\"(%0, %0) : (f32, f32) -> f32\n");
}
static void asan_report(const char *what, const char *access) {
  fprintf(stderr,
          "==7==ERROR: AddressSanitizer: %s on address 0x602000000011 at pc "
          "0x1 bp 0x2 sp 0x3\n%s of size 4 at 0x602000000011 thread T0\n"
          "    #0 0x55550001 in toy::fold(int) /src/fold.cpp:7:3\n"
          "    #1 0x55550002 in main /src/main.cpp:9:3\n\n"
          "SUMMARY: AddressSanitizer: %s /src/fold.cpp:7:3 in toy::fold(int)\n",
          what, access, what);
  exit(1);
}
static void asan_use(void) { asan_report("heap-use-after-free", "READ"); }
static void asan_over(void) { asan_report("heap-buffer-overflow", "READ"); }
static void hang(void) {
  for (;;)
    pause();
}

/* ---- pairs ---- */

#define LOOP "math.atan2", "scf.for"
#define TWO "math.tanh", "math.exp"

static const struct pair pairs[] = {
    {"exit-status", {{LOOP}, exit_3}, {{"math.atan2"}, exit_4}},
    {"exit-words", {{TWO}, words_rule}, {{"math.exp"}, words_full}},
    {"closing-words", {{TWO}, closing_rule}, {{"math.exp"}, closing_full}},
    {"abort-words", {{LOOP}, abort_rule}, {{"math.atan2"}, abort_full}},
    {"fatal-text", {{TWO}, fatal_shape}, {{"math.tanh"}, fatal_space}},
    {"fatal-end", {{LOOP}, fatal_space}, {{"func.func"}, fatal_exit}},
    {"fatal-pass",
     {{LOOP}, fatal_space, "toy-lower-loops"},
     {{"math.atan2"}, fatal_space, "toy-lower-math"}},
    {"pass-text",
     {{TWO}, fatal_space, "toy-lower-math"},
     {{"math.exp"}, fatal_shape, "toy-lower-math"}},
    {"diagnostic-op", {{LOOP}, legal_add}, {{"func.func"}, legal_mul}},
    {"verifier-text", {{TWO}, verify_count}, {{"math.tanh"}, verify_words}},
    {"verifier-operand", {{LOOP}, verify_first}, {{"scf.for"}, verify_second}},
    {"dominance-op", {{TWO}, dominance_add}, {{"math.exp"}, dominance_mul}},
    {"assert-line", {{LOOP}, assert_first}, {{"func.func"}, assert_second}},
    {"assert-text", {{TWO}, assert_first}, {{"math.exp"}, assert_other}},
    {"signal", {{LOOP}, divide}, {{"math.atan2"}, load}},
    {"signal-bus", {{TWO}, bus}, {{"math.exp"}, load}},
    {"storage-named", {{LOOP}, lower_add}, {{"math.atan2"}, lower_mul}},
    {"storage-unnamed", {{TWO}, hidden_add}, {{"math.tanh"}, hidden_mul}},
    {"storage-deep", {{LOOP}, deep_add}, {{"scf.for"}, deep_mul}},
    {"library-named", {{LOOP}, lower_alloc}, {{"math.atan2"}, lower_view}},
    {"library-unnamed", {{TWO}, hidden_alloc}, {{"math.exp"}, hidden_view}},
    {"callers", {{LOOP}, fold_shape}, {{"func.func"}, fold_stride}},
    {"page", {{TWO}, page_one}, {{"math.exp"}, page_two}},
    {"recursion", {{LOOP}, convert_vectors}, {{"scf.for"}, convert_tuples}},
    {"recursion-unnamed", {{TWO}, walk_blocks}, {{"math.exp"}, walk_loops}},
    {"sanitizer", {{LOOP}, asan_use}, {{"math.atan2"}, asan_over}},
    {"crash-hang", {{TWO}, fold_shape}, {{"math.tanh", "return %"}, hang}},
    {"hang-crash", {{TWO}, hang}, {{"math.exp"}, fold_shape}},
};

/* ---- the drivers, and main ---- */

NAMED(apply_patterns, "mlir$$PatternApplicator$$matchAndRewrite") {
  state.bug->fail();
}
NAMED(run_passes, "mlir$$PassManager$$run") { apply_patterns(); }

static bool holds(const char *text, const struct bug *bug) {
  for (size_t i = 0; i < 3 && bug->words[i]; i++)
    if (!strstr(text, bug->words[i]))
      return false;
  return true;
}

static void fail_as(const struct bug *bug, const char *letter,
                    const char *witness) {
  FILE *f = fopen(witness, "a");
  if (!f || fputs(letter, f) < 0 || fclose(f))
    exit(99);
  state.bug = bug;
  watch_for_death();
  run_passes();
  exit(98); /* no failure is one */
}

static const struct pair *pair_named(const char *name) {
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (!strcmp(pairs[i].name, name))
      return &pairs[i];
  return NULL;
}

static unsigned count_lines(const char *path) {
  FILE *f = fopen(path, "r");
  unsigned n = 0;
  int c;
  while (f && (c = getc(f)) != EOF)
    n += c == '\n';
  if (f)
    fclose(f);
  return n;
}

static bool is_randomized(void) {
  return !(personality(0xffffffff) & ADDR_NO_RANDOMIZE);
}

static unsigned sum_of(const char *text) {
  unsigned sum = 0;
  while (*text)
    sum = sum * 31 + (unsigned char)*text++;
  return sum >> 7;
}

static bool shows_in_b(const char *text, const char *witness) {
  return is_randomized() ? count_lines(witness) % 2 : sum_of(text) & 1;
}

/* ---- memory that is used after it was freed ---- */

struct block {
  struct block *self;
  const struct bug *fails; /* NULL: harmless */
  char rest[900];          /* the next of its size gets what one frees */
};

static const struct bug *use(const struct block *block) {
  return block->self->fails;
}

NAMED(use_of_a, "fake$$Uses$$ofA") { state.used = use(state.freed); }
NAMED(use_of_b, "fake$$Uses$$ofB") { state.used = use(state.freed); }

/* What was freed is handed out again for what makes `fails` of it. */
static void use_freed(const struct bug *fails, void (*function)(void)) {
  state.freed = calloc(1, sizeof *state.freed);
  state.freed->self = state.freed;
  free(state.freed);
  state.other = malloc(sizeof *state.other);
  state.other->self = state.other;
  state.other->fails = fails;
  state.bug = fails;
  watch_for_death();
  function();
}

/* Returns where nothing fails. */
static void fail_by_use(const char *how, const struct pair *pair,
                        const char *text, const char *witness) {
  bool twice = !strcmp(how, "--freed-twice"), a = holds(text, &pair->a);
  if (!twice && !a)
    return;
  if (!a && !holds(text, &pair->b))
    return;
  use_freed((twice ? !a : sum_of(text) & 1) ? &pair->b : &pair->a,
            twice && !a ? use_of_b : use_of_a);
  if (state.used)
    fail_as(state.used, a ? "a\n" : "b\n", witness);
}

int main(int argc, char **argv) {
  const struct pair *pair;
  const char *how = argc > 1 && !strncmp(argv[1], "--", 2) ? argv[1] : "";
  bool anywhere = !strcmp(how, "--anywhere"), chancy = !strcmp(how, "--chancy");
  char *text = NULL;
  size_t size = 0;
  FILE *f;
  state.addresses = !strcmp(how, "--addresses");
  argv += *how != '\0';
  argc -= *how != '\0';
  pair = argc == 4 ? pair_named(argv[1]) : NULL;
  f = pair ? fopen(argv[3], "r") : NULL;
  if (!f) {
    fputs("usage: two-bugs [--addresses | --HOW] PAIR WITNESS FILE\n", stderr);
    return 97;
  }
  if (getdelim(&text, &size, '\0', f) < 0)
    text = strdup("");
  fclose(f);
  if (!strcmp(how, "--freed") || !strcmp(how, "--freed-twice"))
    return fail_by_use(how, pair, text, argv[2]), 0;
  if (!strcmp(how, "--freed-beside"))
    use_freed(NULL, use_of_a);
  if (anywhere && holds(text, &pair->a) && shows_in_b(text, argv[2]))
    fail_as(&pair->b, "a\n", argv[2]);
  if (holds(text, &pair->a) && !(chancy && holds(text, &pair->b) &&
                                 is_randomized() && count_lines(argv[2]) % 2))
    fail_as(&pair->a, "a\n", argv[2]);
  if (!anywhere && holds(text, &pair->b))
    fail_as(&pair->b, "b\n", argv[2]);
  free(text);
  return 0;
}
