/* The passes of a command: a shell's string, a subject, and what the tool's
 * --help prints, each up to a zero byte.  What is written of them is a
 * command, and holds what was asked for. */
#include "../../base/visible.h"
#include "../../pipeline/call_words.h"
#include "../../pipeline/passes.h"
#include "../../pipeline/shell_text.h"
#include "../../pipeline/shell_words.h"
#include "fuzz.h"

static void check_range(const struct cul_passes *passes, size_t from, size_t to,
                        struct cul_bytes text) {
  const struct cul_pass_range range = {.from = from, .to = to};
  struct cul_buf out = {0};
  char **argv = cul_passes_argv(passes, &range);
  fuzz_demand(argv && argv[0], "no command");
  cul_passes_text(passes, text, &range, &out);
  cul_buf_release(&out);
  free(argv);
}

static void check_passes(const char *const *argv, struct cul_bytes text,
                         struct cul_bytes help) {
  struct cul_passes passes;
  cul_passes_read(argv, text, help, &passes);
  cul_passes_need_help(&passes);
  for (size_t i = 0; i < passes.n; i++) {
    fuzz_demand(cul_passes_name(&passes, i).len > 0, "a pass without a name");
    cul_passes_written(&passes, i);
  }
  check_range(&passes, 0, passes.n, text);
  check_range(&passes, 0, passes.n / 2, text);
  check_range(&passes, passes.n / 2, passes.n, text);
  cul_passes_release(&passes);
}

/* A word is quoted so that a shell gets the same again.  One with bytes that
 * are not to be shown has a substitution, which nobody here reads. */
static void check_quote(const char *word) {
  const struct cul_bytes bytes = {word, strlen(word)};
  struct cul_shell_words words;
  struct cul_buf quoted = {0};
  cul_shell_quote(word, &quoted);
  if (cul_shell_words(cul_buf_str(&quoted), &words)) {
    char *again = cul_shell_unquote(cul_buf_str(&quoted), quoted.len);
    fuzz_demand(words.n == 1 && words.items[0].to == quoted.len,
                "a quoted word is not one word");
    fuzz_demand(strcmp(again, word) == 0, "quoting changes a word");
    cul_shell_words_release(&words);
    free(again);
  } else {
    fuzz_demand(cul_visible_prefix(bytes) < bytes.len, "a word is not read");
  }
  fuzz_demand(cul_visible_prefix(cul_buf_bytes(&quoted)) == quoted.len,
              "what is quoted is not shown");
  cul_buf_release(&quoted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  char *command = fuzz_text(&in);
  struct cul_bytes text = fuzz_part(&in), help = fuzz_part(&in);
  const char *typed[] = {"bash", "-c", command, NULL};
  const char *plain[] = {"tool", command, "@@", NULL};
  struct cul_call_words words = {0};
  check_quote(command);
  check_passes(typed, text, help);
  check_passes(plain, text, help);
  if (cul_call_words(command, &words))
    cul_call_words_release(&words);
  free(command);
  return 0;
}
