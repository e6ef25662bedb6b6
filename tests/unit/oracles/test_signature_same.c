/* When two failures are the same: in one binary, and across binaries. */
#include "signature_helper.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

struct frame {
  const char *module;
  uint64_t offset;    /* in the module */
  const char *symbol; /* "NAME + N" or "" */
};

/* Where the modules are loaded in one run. */
struct loads {
  uint64_t lib, exe;
};
static const struct loads plain = {0x7f0000000000, 0x555555554000};
static const struct loads moved = {0x7fa812345000, 0x5626def01000};

static uint64_t base_of(const struct loads *loads, const char *module) {
  return strcmp(module, "toy-opt") == 0 ? loads->exe : loads->lib;
}

/* A crash by signal with these frames, loaded there. */
static struct cul_signature crash(const struct loads *loads,
                                  const struct frame *frames, size_t n) {
  struct cul_buf text = {0};
  struct cul_signature sig;
  cul_buf_adds(&text, "Stack dump:\n");
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(&text, "%-2zu %-10s 0x%016llx %s\n", i, frames[i].module,
                 (unsigned long long)(base_of(loads, frames[i].module) +
                                      frames[i].offset),
                 frames[i].symbol);
  sig = read_signature(rules, CUL_SIGNALED, SIGSEGV, cul_buf_str(&text));
  cul_buf_release(&text);
  return sig;
}

#define CRASH(loads, ...)                                                      \
  crash(loads, (const struct frame[]){__VA_ARGS__},                            \
        sizeof((const struct frame[]){__VA_ARGS__}) / sizeof(struct frame))

#define DIED                                                                   \
  {"libToy.so", 0x11fd3, "llvm::sys::RunSignalHandlers() + 131"},              \
      {"libToy.so", 0x124f4, ""}
#define PASS {"libToy.so", 0x30937, "mlir::PassManager::run(int) + 983"}
#define MAIN {"toy-opt", 0x3a291, "main + 865"}

static void unnamed_frames_count(void **state) {
  struct cul_signature a =
      CRASH(&plain, DIED, {"libToy.so", 0x229d5, ""}, PASS, MAIN);
  struct cul_signature b =
      CRASH(&plain, DIED, {"libToy.so", 0x229d7, ""}, PASS, MAIN);
  struct cul_signature c =
      CRASH(&plain, DIED, {"toy-opt", 0x229d5, ""}, PASS, MAIN);
  (void)state;
  assert_same(&a, &a);
  assert_differ(&a, &b, "frame");
  assert_differ(&a, &c, "frame");
}

static void load_addresses_do_not_matter(void **state) {
  struct cul_signature a =
      CRASH(&plain, DIED, {"libToy.so", 0x229d5, ""}, PASS, MAIN);
  struct cul_signature b =
      CRASH(&moved, DIED, {"libToy.so", 0x229d5, ""}, PASS, MAIN);
  /* The same place in its page, another page: the anchors tell. */
  struct cul_signature c =
      CRASH(&moved, DIED, {"libToy.so", 0x239d5, ""}, PASS, MAIN);
  (void)state;
  assert_same(&a, &b);
  assert_differ(&a, &c, "frame");
}

static void one_shared_anchor_is_enough(void **state) {
  struct cul_signature a = CRASH(&plain, {"toy-opt", 0x1123, ""}, MAIN);
  struct cul_signature b = CRASH(&moved, {"toy-opt", 0x1123, ""},
                                 {"toy-opt", 0x2000, "work(int) + 16"}, MAIN);
  struct cul_signature c = CRASH(&moved, {"toy-opt", 0x5123, ""},
                                 {"toy-opt", 0x2000, "work(int) + 16"}, MAIN);
  char why[160];
  (void)state;
  /* b has one relevant frame more than a: compare only what both have. */
  assert_false(cul_signature_same(&a, &b, why, sizeof why));
  assert_non_null(strstr(why, "stack: '2 frames', not '1 frame'"));
  assert_false(cul_signature_same(&a, &c, why, sizeof why));
  assert_non_null(strstr(why, "frame: 'toy-opt+..123'"));
}

static void without_anchors_the_page_and_the_distance_decide(void **state) {
  struct cul_signature a =
      CRASH(&plain, {"libX.so", 0x229d5, ""}, {"libX.so", 0x31010, ""});
  struct cul_signature b =
      CRASH(&moved, {"libX.so", 0x229d5, ""}, {"libX.so", 0x31010, ""});
  struct cul_signature c =
      CRASH(&moved, {"libX.so", 0x229d5, ""}, {"libX.so", 0x32010, ""});
  struct cul_signature d =
      CRASH(&moved, {"libX.so", 0x229d5, ""}, {"libX.so", 0x31011, ""});
  (void)state;
  assert_same(&a, &b);
  assert_differ(&a, &c, "frame");
  assert_differ(&a, &d, "frame");
}

static void a_symbolized_stack_is_the_plain_one(void **state) {
  struct cul_signature a =
      CRASH(&moved, DIED, {"libToy.so", 0x229d5, ""},
            {"libToy.so", 0x23010, "toy::walk(int) + 16"}, PASS, MAIN);
  struct cul_signature b = read_signature(
      rules, CUL_SIGNALED, SIGSEGV,
      " #0 0x00007f0000011fd3 llvm::sys::RunSignalHandlers() "
      "(/usr/lib/libToy.so+0x11fd3)\n"
      " #1 0x00007f00000124f4 (/usr/lib/libToy.so+0x124f4)\n"
      " #2 0x00007f00000229d5 (/usr/lib/libToy.so+0x229d5)\n"
      " #3 0x00007f0000023010 toy::walk(int) (/usr/lib/libToy.so+0x23010)\n"
      " #4 0x00007f0000030937 mlir::PassManager::run(int) "
      "(/usr/lib/libToy.so+0x30937)\n");
  struct cul_signature c = read_signature(
      rules, CUL_SIGNALED, SIGSEGV,
      " #1 0x00007f00000229d5 (/usr/lib/libToy.so+0x329d5)\n"
      " #2 0x00007f0000023010 toy::walk(int) (/usr/lib/libToy.so+0x23010)\n");
  (void)state;
  assert_same(&a, &b);
  assert_differ(&b, &c, "frame");
}

/* Of a tool that exports nothing only the symbolizer knows names. */
static void a_nameless_stack_is_the_symbolized_one(void **state) {
  struct cul_signature a =
      CRASH(&plain, {"libToy.so", 0x11c10, ""}, {"libc.so.6", 0x3c050, ""},
            {"libToy.so", 0x229d5, ""}, {"libToy.so", 0x23010, ""},
            {"libToy.so", 0x24020, ""}, {"libToy.so", 0x30937, ""});
#define NAMED(last)                                                            \
  " #0 0x00007f0000011c10 SignalHandler(int) S.cpp:0:0\n"                      \
  " #1 0x00007f000003c050 (/lib/libc.so.6+0x3c050)\n"                          \
  " #2 0x00007f00000229d5 toy::Type::width() const T.cpp:0:0\n"                \
  " #3 0x00007f0000023010 mlir::Operation::create(int) O.cpp:0:0\n"            \
  " #4 0x00007f00000" last " toy::walk(int) W.cpp:0:0\n"                       \
  " #5 0x00007f0000030937 mlir::PassManager::run(int) P.cpp:0:0\n"
  struct cul_signature b =
      read_signature(rules, CUL_SIGNALED, SIGSEGV, NAMED("24020"));
  struct cul_signature c =
      read_signature(rules, CUL_SIGNALED, SIGSEGV, NAMED("24028"));
  (void)state;
  assert_string_equal(b.frames[2].name, "toy::Type::width");
  assert_true(cul_signature_same(&a, &b, NULL, 0));
  assert_true(cul_signature_same(&b, &a, NULL, 0));
  assert_differ(&a, &c, "frame: 'toy::Type::width', not 'libToy.so+..9d5'");
}

static void helpers_are_looked_through(void **state) {
#define CREATE                                                                 \
  {"libToy.so", 0x20100,                                                       \
   "mlir::detail::OperandStorage::OperandStorage() + 9"},                      \
      {"libToy.so", 0x20200, "mlir::Operation::create(int) + 80"}
  struct cul_signature a =
      CRASH(&plain, DIED, CREATE, {"libToy.so", 0x22111, ""}, PASS);
  struct cul_signature b =
      CRASH(&plain, DIED, CREATE, {"libToy.so", 0x22444, ""}, PASS);
  struct cul_signature c = CRASH(
      &plain, DIED, {"libToy.so", 0x20200, "mlir::Operation::create(int) + 80"},
      {"libToy.so", 0x22111, ""}, PASS);
  (void)state;
  assert_same(&a, &a);
  assert_differ(&a, &b, "frame");
  /* The helper that failed is part of the failure, by its name. */
  assert_differ(&a, &c, "failing function");
}

static void a_faulting_instruction_may_move(void **state) {
  struct cul_signature a =
      CRASH(&plain, DIED, {"libToy.so", 0x22ff1, "toy::load() + 33"}, PASS);
  struct cul_signature b =
      CRASH(&moved, DIED, {"libToy.so", 0x23001, "toy::load() + 49"}, PASS);
  struct cul_signature c =
      CRASH(&moved, DIED, {"libToy.so", 0x23401, "toy::load() + 1073"}, PASS);
  (void)state;
  assert_same(&a, &b);
  assert_differ(&a, &c, "place in the function");
}

static void a_caller_must_stand_still(void **state) {
  struct cul_signature a =
      CRASH(&plain, DIED, {"libToy.so", 0x22010, "toy::load() + 16"},
            {"libToy.so", 0x23010, "toy::walk() + 16"}, PASS);
  struct cul_signature b =
      CRASH(&plain, DIED, {"libToy.so", 0x22010, "toy::load() + 16"},
            {"libToy.so", 0x23018, "toy::walk() + 24"}, PASS);
  (void)state;
  assert_differ(&a, &b, "place in the function");
}

static void outer_frames_do_not_matter(void **state) {
  struct cul_signature a =
      CRASH(&plain, DIED, {"libToy.so", 0x22010, "toy::load() + 16"}, PASS,
            {"libToy.so", 0x40000, ""}, MAIN);
  struct cul_signature b = CRASH(
      &moved, DIED, {"libToy.so", 0x22010, "toy::load() + 16"},
      {"libToy.so", 0x31000, "mlir::detail::OpToOpPassAdaptor::run() + 9"},
      {"libToy.so", 0x50000, "llvm::StdThreadPool::processTasks() + 3"});
  (void)state;
  assert_same(&a, &b);
}

static void behind_three_frames_the_way_may_be_longer(void **state) {
#define THREE                                                                  \
  {"libToy.so", 0x22010, "a() + 16"}, {"libToy.so", 0x23010, "b() + 16"},      \
      {"libToy.so", 0x24010, "c() + 16"}
#define WAY_D {"libToy.so", 0x25010, "d() + 16"}
#define WAY_E {"libToy.so", 0x26010, "e() + 16"}
  struct cul_signature a = CRASH(&plain, DIED, THREE, WAY_D, PASS);
  struct cul_signature b = CRASH(&plain, DIED, THREE, WAY_E, WAY_D, PASS);
  struct cul_signature c = CRASH(&plain, DIED, THREE, WAY_E, MAIN);
  (void)state;
  assert_same(&a, &b);
  assert_same(&a, &c); /* never meets a's way again: nothing shows */
}

static void behind_three_frames_nobody_else_may_stand(void **state) {
  struct cul_signature a = CRASH(&plain, DIED, THREE, WAY_D, PASS);
  struct cul_signature b = CRASH(&plain, DIED, THREE, WAY_E, PASS);
  struct cul_signature c = CRASH(&moved, DIED, THREE, WAY_E, WAY_E, PASS);
  (void)state;
  assert_differ(&a, &b, "caller: 'e', not 'd'");
  assert_differ(&a, &c, "caller");
}

static void recursion_is_folded(void **state) {
#define VISIT {"libToy.so", 0x23010, "toy::visit(int) + 16"}
#define ENTER {"libToy.so", 0x24010, "toy::enter(int) + 16"}
#define LEAF {"libToy.so", 0x22010, "toy::leaf() + 16"}
#define TOP {"libToy.so", 0x25010, "toy::top() + 16"}
  struct cul_signature a = CRASH(&plain, DIED, LEAF, VISIT, TOP, PASS);
  struct cul_signature b =
      CRASH(&plain, DIED, LEAF, VISIT, VISIT, VISIT, TOP, PASS);
  struct cul_signature c = CRASH(&plain, DIED, LEAF, VISIT, ENTER, TOP, PASS);
  struct cul_signature d = CRASH(&plain, DIED, LEAF, VISIT, ENTER, VISIT, ENTER,
                                 VISIT, ENTER, TOP, PASS);
  (void)state;
  assert_same(&a, &b);
  assert_same(&c, &d);
  assert_differ(&a, &c, "frame");
}

/* A stack that overflowed, its innermost frame being any of the cycle. */
static struct cul_signature overflow(size_t first) {
  static const char *const names[] = {"toy::ping() + 8", "toy::pong() + 8",
                                      "toy::pung() + 8"};
  struct frame frames[255];
  for (size_t i = 0; i < 255; i++)
    frames[i] = (struct frame){"libToy.so", 0x1000 * ((first + i) % 3 + 1) + 8,
                               names[(first + i) % 3]};
  frames[0] = (struct frame){"libToy.so", 0x9010 + 64 * first, ""};
  return crash(first ? &moved : &plain, frames, 255);
}

static void a_stack_overflow_is_its_cycle(void **state) {
  struct cul_signature a = overflow(0), b = overflow(1), c = overflow(2);
  (void)state;
  assert_string_equal(a.text, "stack overflow");
  assert_int_equal(a.n_frames, 3);
  assert_string_equal(a.frames[0].name, "toy::ping");
  assert_same(&a, &b);
  assert_same(&a, &c);
}

static void printing_that_dies_is_blamed_on_who_asked(void **state) {
#define EMIT {"libToy.so", 0x26010, "mlir::Operation::emitOpError() + 16"}
#define VERIFY(o, name) {"libToy.so", o, name "::verify() + 16"}
  struct cul_signature a =
      CRASH(&plain, DIED, {"libToy.so", 0x22010, "mlir::P::printType() + 16"},
            EMIT, VERIFY(0x27010, "toy::A"), PASS);
  struct cul_signature b =
      CRASH(&plain, DIED, {"libToy.so", 0x23010, "mlir::P::printAttr() + 16"},
            {"libToy.so", 0x24010, ""}, EMIT, VERIFY(0x27010, "toy::A"), PASS);
  struct cul_signature c =
      CRASH(&plain, DIED, {"libToy.so", 0x22010, "mlir::P::printType() + 16"},
            EMIT, VERIFY(0x28010, "toy::B"), PASS);
  (void)state;
  assert_same(&a, &b);
  assert_differ(&a, &c, "failing function");
}

static void a_wild_address_is_passed_over(void **state) {
  struct cul_signature a = read_signature(
      rules, CUL_SIGNALED, SIGSEGV,
      " #0 0x0000000000000000\n"
      " #1 0x00007f0000022010 toy::call() (/l/libToy.so+0x22010)\n");
  struct cul_signature b = read_signature(
      rules, CUL_SIGNALED, SIGSEGV,
      " #0 0x0000000012345678\n"
      " #1 0x00007f0000022010 toy::call() (/l/libToy.so+0x22010)\n");
  const struct cul_frame *frame;
  (void)state;
  assert_same(&a, &b);
  assert_int_equal(cul_frames_relevant(&a, false, &frame, 1), 1);
  assert_string_equal(frame->name, "toy::call");
}

static void passes_tell_apart_where_both_are_known(void **state) {
#define DIES_IN(pass) "LLVM ERROR: x\nStack dump:\n" pass
  struct cul_signature a = says(DIES_IN("1.\tRunning pass \"aa\" on f\n"));
  struct cul_signature b = says(DIES_IN("1.\tRunning pass \"bb\" on f\n"));
  struct cul_signature c = says(DIES_IN(""));
  (void)state;
  assert_differ(&a, &b, "pass: 'bb', not 'aa'");
  assert_same(&a, &c);
}

static void across_binaries_names_decide(void **state) {
  struct cul_signature a =
      CRASH(&plain, DIED, {"libToy.so.1", 0x22111, ""},
            {"libToy.so.1", 0x23010, "toy::walk() + 16"}, PASS);
  struct cul_signature b =
      CRASH(&moved, DIED, {"libToy.so.2", 0x55010, "toy::walk() + 99"}, PASS);
  struct cul_signature c =
      CRASH(&moved, DIED, {"libToy.so.2", 0x55010, "toy::run() + 99"}, PASS);
  char why[160];
  (void)state;
  assert_true(cul_signature_same_across(&a, &b, why, sizeof why));
  assert_true(cul_digest_equal(&a.key_across, &b.key_across));
  assert_false(cul_signature_same(&a, &b, NULL, 0));
  assert_false(cul_signature_same_across(&a, &c, why, sizeof why));
  assert_non_null(strstr(why, "frame: 'toy::run', not 'toy::walk'"));
}

/* A library that exports nothing: its handlers are unnamed too. */
#define HANDLERS                                                               \
  {"libToy.so", 0x110ab, ""}, {"libToy.so", 0x111fe, ""},                      \
      {"libToy.so", 0x11c10, ""}, {"libc.so.6", 0x3c050, ""}

static void a_nameless_tool(void **state) {
  struct cul_signature a = CRASH(&plain, HANDLERS, {"libToy.so", 0x22111, ""},
                                 {"libToy.so", 0x23222, ""});
  struct cul_signature b = CRASH(&moved, HANDLERS, {"libToy.so", 0x22111, ""},
                                 {"libToy.so", 0x23222, ""});
  struct cul_signature c = CRASH(&plain, HANDLERS, {"libToy.so", 0x24333, ""},
                                 {"libToy.so", 0x23222, ""});
  const struct cul_frame *frame;
  (void)state;
  assert_int_equal(cul_frames_relevant(&a, false, &frame, 1), 1);
  assert_int_equal(frame->offset, plain.lib + 0x22111);
  assert_same(&a, &b);
  assert_differ(&a, &c, "frame");
  assert_true(cul_signature_same_across(&a, &b, NULL, 0));
  assert_true(cul_digest_equal(&a.key_across, &b.key_across));
  assert_false(cul_signature_same_across(&a, &c, NULL, 0));
  assert_false(cul_digest_equal(&a.key_across, &c.key_across));
}

/* Helpers of a nameless tool look like all the rest: more frames count. */
static void a_nameless_tool_is_known_by_six_frames(void **state) {
#define INNER                                                                  \
  HANDLERS, {"libToy.so", 0x22111, ""}, {"libToy.so", 0x22222, ""},            \
      {"libToy.so", 0x22333, ""}, {"libToy.so", 0x22444, ""}
  struct cul_signature a = CRASH(&plain, INNER, {"libToy.so", 0x25111, ""});
  struct cul_signature b = CRASH(&plain, INNER, {"libToy.so", 0x26222, ""});
  (void)state;
  assert_differ(&a, &b, "frame");
}

/* Helpers of a nameless tool may stand deeper than that. */
static void a_nameless_tool_has_callers(void **state) {
#define DEEP INNER, {"libToy.so", 0x23555, ""}, {"libToy.so", 0x23666, ""}
#define DRIVERS {"libToy.so", 0x41111, ""}, {"libToy.so", 0x41222, ""}
  struct cul_signature a =
      CRASH(&plain, DEEP, {"libToy.so", 0x25111, ""}, DRIVERS);
  struct cul_signature b =
      CRASH(&moved, DEEP, {"libToy.so", 0x26222, ""}, DRIVERS);
  struct cul_signature c = CRASH(&plain, DEEP, {"libToy.so", 0x25111, ""},
                                 {"libToy.so", 0x25777, ""}, DRIVERS);
  (void)state;
  assert_differ(&a, &b, "caller");
  assert_same(&a, &c);
}

/* The same words with another exit status are another failure's, but where the
 * status is chance or is not known. */
static void an_exit_status_tells_apart(void **state) {
#define SAYS(status, text) read_signature(rules, CUL_EXITED, status, text)
#define ERROR "a.mlir:1:2: error: cannot lower it\n"
  struct cul_signature a = SAYS(1, ERROR), b = SAYS(2, ERROR);
  struct cul_signature c = SAYS(139, ERROR), d = a;
  (void)state;
  assert_same(&a, &a);
  assert_differ(&a, &b, "exit status: '");
  assert_false(cul_signature_same(&a, &c, NULL, 0));
  d.status = 0;
  assert_same(&a, &d);
  assert_true(cul_signature_same_across(&a, &b, NULL, 0));
  a.kind = b.kind = CUL_KIND_MEMORY;
  assert_same(&a, &b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unnamed_frames_count),
      cmocka_unit_test(load_addresses_do_not_matter),
      cmocka_unit_test(one_shared_anchor_is_enough),
      cmocka_unit_test(without_anchors_the_page_and_the_distance_decide),
      cmocka_unit_test(a_symbolized_stack_is_the_plain_one),
      cmocka_unit_test(a_nameless_stack_is_the_symbolized_one),
      cmocka_unit_test(helpers_are_looked_through),
      cmocka_unit_test(a_faulting_instruction_may_move),
      cmocka_unit_test(a_caller_must_stand_still),
      cmocka_unit_test(outer_frames_do_not_matter),
      cmocka_unit_test(behind_three_frames_the_way_may_be_longer),
      cmocka_unit_test(behind_three_frames_nobody_else_may_stand),
      cmocka_unit_test(recursion_is_folded),
      cmocka_unit_test(a_stack_overflow_is_its_cycle),
      cmocka_unit_test(printing_that_dies_is_blamed_on_who_asked),
      cmocka_unit_test(a_wild_address_is_passed_over),
      cmocka_unit_test(passes_tell_apart_where_both_are_known),
      cmocka_unit_test(across_binaries_names_decide),
      cmocka_unit_test(a_nameless_tool),
      cmocka_unit_test(a_nameless_tool_is_known_by_six_frames),
      cmocka_unit_test(a_nameless_tool_has_callers),
      cmocka_unit_test(an_exit_status_tells_apart),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
