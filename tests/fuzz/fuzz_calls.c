/* Calls of a tool that is traced: numbers, and arguments that lead to any
 * bytes, to their end, or nowhere.  What is printed of them are whole lines,
 * and a name that would make more of them is said to escape.
 *
 * The tool is this process: a call is a byte for its number, and a byte for
 * each argument: a place in what follows, or a number. */
#include "../../runners/trace/trace.c"

#include <sys/mman.h>

#include "fuzz.h"

enum { MOST_CALLS = 8, ROOM = 8192 };

/* Strings of the tool: the last byte is the last that can be read. */
static char *memory_of(const uint8_t *data, size_t size) {
  static char *room;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (!room) {
    room = mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fuzz_demand(room != MAP_FAILED && mprotect(room + ROOM, page, 0) == 0,
                "no memory");
  }
  if (size > ROOM)
    size = ROOM;
  if (size)
    memcpy(room + ROOM - size, data, size);
  return room + ROOM - size;
}

static uint64_t argument(uint8_t byte, const char *memory) {
  if (byte == 0xff)
    return (uint64_t)AT_FDCWD;
  return byte < 0x80 ? (uintptr_t)memory + byte : (uint64_t)byte - 0x80;
}

static void take(struct cul_trace *t, struct fuzz_input *in,
                 const char *memory) {
  const unsigned number = fuzz_byte(in);
  uint64_t args[6];
  const struct report r = {.pid = getpid(), .args = args};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(args); i++)
    args[i] = argument(fuzz_byte(in), memory);
  take_call(t, &r, cul_trace_table[number % cul_n_trace_calls].nr);
}

/* "LETTER REST" a line; '!' tells that a name had a line break. */
static void check_lines(const char *text, bool closed) {
  while (closed && *text) {
    size_t n = strcspn(text, "\n");
    fuzz_demand(text[n] == '\n' && n > 2 && strchr("!lopruwx", text[0]) &&
                    text[1] == ' ',
                "no line of a trace");
    text += n + 1;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char name[] = "tool", option[] = "-x", input[] = "/in";
  char *argv[] = {name, name, option, input, NULL};
  const struct cul_plan plan = {
      .argv = argv, .path = "/bin/tool", .tmp = "/nowhere", .trace = true};
  struct fuzz_input in = fuzz_input(data, size);
  const unsigned n = fuzz_byte(&in) % MOST_CALLS;
  const size_t calls = (size_t)n * 7;
  struct fuzz_input list = in;
  struct cul_trace *t = cul_trace_new(&plan, -1);
  struct cul_buf out = {0};
  const char *memory =
      in.left > calls
          ? memory_of((const uint8_t *)in.at + calls, in.left - calls)
          : memory_of(NULL, 0);
  bool closed;
  for (unsigned i = 0; i < n; i++)
    take(t, &list, memory);
  closed = cul_trace_finish(t, &out);
  check_lines(cul_buf_str(&out), closed);
  cul_buf_release(&out);
  return 0;
}
