/* A compiler of five conversions that all fail, each for a reason of its own:
 *   two-bugs-conversions HOW WITNESS FILE
 * A conversion is tried where FILE holds its operation; the first of the table
 * that is tried is bug a, any other bug b, and which one it was is a line in
 * WITNESS.  HOW says what is printed:
 *   reason-first   its reason, then that an operation is not legal, the same
 * one of all five reason-each    that of every conversion tried, for a tool
 * that goes on reason-tried   the reasons of all, and one line for the one that
 * fails reason-closing one reason for all, and a line of no known form that
 * says which name-...       a message of which only a name tells the five apart
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct conversion {
  const char *word, *name, *reason;
} conversions[] = {
    {"math.atan2", "atan2", "'toy.call' op cannot do angles"},
    {"math.tanh", "tanh", "'toy.call' op wants a table of 256 values"},
    {"math.exp", "exp", "'toy.call' op has no result of that type"},
    {"arith.divf", "divf", "division is not exact"},
    {"scf.for", "loop", "'toy.call' op is not allowed in a loop"},
};
enum { N = sizeof conversions / sizeof *conversions };

static char *text;

static bool is_tried(int i) { return strstr(text, conversions[i].word); }

/* Of the same operation, whatever the reason. */
static void close_line(int line) {
  fprintf(stderr,
          "m.mlir:%d:3: error: failed to legalize operation 'toy.call' that "
          "was explicitly marked illegal\n"
          "m.mlir:%d:3: note: see current operation: %%%d = \"toy.call\"()\n",
          line, line, line);
}

static void give_reason(int i, int line) {
  fprintf(stderr,
          "m.mlir:1:1: warning: %s is slow\n"
          "m.mlir:%d:3: error: %s\n"
          "    %%%d = toy.call\n    ^\n",
          conversions[i].name, line, conversions[i].reason, line);
}

static void say_first(int i) {
  give_reason(i, 4);
  close_line(4);
}

static void say_each(int first) {
  for (int i = first; i < N; i++)
    if (is_tried(i)) {
      give_reason(i, i + 4);
      close_line(i + 4);
    }
}

static void say_tried(int first) {
  for (int i = N - 1; i >= first; i--)
    if (is_tried(i))
      give_reason(i, i + 4);
  close_line(first + 4);
}

static void say_closing(int i) {
  fprintf(stderr,
          "m.mlir:4:3: error: this target has no such unit\n"
          "m.mlir:4:3: error: lowering ended at '%s.call'\n",
          conversions[i].name);
}

static void say_intrinsic(int i) {
  fprintf(stderr, "LLVM ERROR: Cannot select: intrinsic %%llvm.toy.%s\n",
          conversions[i].name);
}

static void say_node(int i) {
  fprintf(stderr,
          "LLVM ERROR: Cannot select: t%d: f32 = fake_%s t7, "
          "TargetConstant:i64<%d>\n",
          i + 12, conversions[i].name, i);
}

static void say_instruction(int i) {
  fprintf(stderr,
          "LLVM ERROR: unable to legalize instruction: %%%d:_(s32) = G_%s "
          "%%1:_, %%2:_ (in function: f%d)\n",
          i, conversions[i].name, i);
}

static void say_op(int i) {
  fprintf(stderr, "m.mlir:4:3: error: unsupported op 'toy.%s'\n",
          conversions[i].name);
}

static void say_bare_op(int i) {
  fprintf(stderr, "m.mlir:4:3: error: unsupported op \"%s\"\n",
          conversions[i].name);
}

static void say_printed_op(int i) {
  fprintf(stderr,
          "m.mlir:4:3: error: no conversion: %%3 = \"toy.%s\"(%%1) : (i8) -> "
          "i8\n",
          conversions[i].name);
}

static void say_type(int i) {
  fprintf(stderr, "m.mlir:4:3: error: unknown type !toy.%s\n",
          conversions[i].name);
}

static void say_quoted_type(int i) {
  fprintf(stderr,
          "m.mlir:4:3: error: `!\"toy\"<\"%s\">` type created with "
          "unregistered dialect\n",
          conversions[i].name);
}

static const struct way {
  const char *name;
  void (*say)(int first);
} ways[] = {
    {"reason-first", say_first},
    {"reason-each", say_each},
    {"reason-tried", say_tried},
    {"reason-closing", say_closing},
    {"name-intrinsic", say_intrinsic},
    {"name-node", say_node},
    {"name-instruction", say_instruction},
    {"name-op", say_op},
    {"name-bare-op", say_bare_op},
    {"name-printed-op", say_printed_op},
    {"name-type", say_type},
    {"name-quoted-type", say_quoted_type},
};

static void fail(const struct way *way, const char *witness) {
  for (int i = 0; i < N; i++)
    if (is_tried(i)) {
      FILE *f = fopen(witness, "a");
      if (!f || fputs(i ? "b\n" : "a\n", f) < 0 || fclose(f))
        exit(99);
      way->say(i);
      exit(1);
    }
}

int main(int argc, char **argv) {
  FILE *f = argc == 4 ? fopen(argv[3], "r") : NULL;
  size_t size = 0;
  if (!f) {
    fputs("usage: two-bugs-conversions HOW WITNESS FILE\n", stderr);
    return 97;
  }
  if (getdelim(&text, &size, '\0', f) < 0)
    text = strdup("");
  fclose(f);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (!strcmp(ways[i].name, argv[1]))
      fail(&ways[i], argv[2]);
  free(text);
  return 0;
}
