/* Lines of stack dumps and names in them: as frames, demangled, cleaned, with
 * chance taken out.  What comes of a text does not depend on chance. */
#include "../../oracles/rules/rules.h"
#include "fuzz.h"

static void check_line(struct cul_bytes line) {
  struct cul_raw_frame frame;
  char name[256];
  if (!cul_frame_parse(line, &frame))
    return;
  fuzz_demand(frame.symbol.len <= line.len && frame.module.len <= line.len,
              "a name longer than its line");
  cul_symbol_clean(frame.symbol.data, frame.symbol.len, name, sizeof name);
  fuzz_demand(memchr(name, 0, sizeof name) != NULL, "the name is no string");
}

static void check_names(const struct cul_rules *rules, struct cul_bytes text) {
  struct cul_raw_frame frames[8];
  struct cul_buf once = {0}, twice = {0};
  char name[64];
  fuzz_demand(cul_python_frames(text, frames, CUL_ARRAY_SIZE(frames)) <=
                  CUL_ARRAY_SIZE(frames),
              "too many frames");
  cul_symbol_clean(text.data, text.len, name, sizeof name);
  fuzz_demand(memchr(name, 0, sizeof name) != NULL, "the name is no string");
  cul_demangle(text.data, text.len, &once);
  cul_demangle(text.data, text.len, &twice);
  fuzz_demand(cul_bytes_equal(cul_buf_bytes(&once), cul_buf_bytes(&twice)),
              "demangling depends on chance");
  cul_buf_clear(&once);
  cul_buf_clear(&twice);
  cul_normalise(rules, CUL_KIND_ASSERTION, text.data, text.len, &once);
  cul_normalise(rules, CUL_KIND_ASSERTION, text.data, text.len, &twice);
  fuzz_demand(cul_bytes_equal(cul_buf_bytes(&once), cul_buf_bytes(&twice)),
              "normalising depends on chance");
  cul_buf_release(&once);
  cul_buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct cul_rules *rules; /* made once: libFuzzer never ends a target */
  const char *at = (const char *)data, *end = at + size;
  struct cul_err err;
  if (!rules && cul_rules_load(NULL, &rules, &err) < 0)
    cul_bug("%s", err.what);
  check_names(rules, (struct cul_bytes){at, size});
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t len = (size_t)((stop ? stop : end) - at);
    check_line((struct cul_bytes){at, len});
    at += len + (stop != NULL);
  }
  return 0;
}
