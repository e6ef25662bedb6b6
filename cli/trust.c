/* Foreign commands: see trust.h. */
#include "trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/status.h"
#include "../base/visible.h"
#include "../pipeline/shell_text.h"

static void add_text(const char *what, const char *text, struct cul_buf *out) {
  if (!text)
    return;
  cul_buf_addf(out, "  %-11s", what);
  cul_shell_quote(text, out);
  cul_buf_addc(out, '\n');
}

static void add_words(const char *what, const char *script,
                      const char *const *words, struct cul_buf *out) {
  cul_buf_addf(out, "  %-11s", what);
  if (script)
    cul_shell_quote(script, out);
  for (size_t i = 0; words && words[i]; i++) {
    cul_buf_adds(out, i || script ? " " : "");
    cul_shell_quote(words[i], out);
  }
  cul_buf_addc(out, '\n');
}

static void describe(const struct cul_trust *trust, struct cul_buf *out) {
  const struct cul_target_conf *conf = trust->conf;
  add_words(trust->script ? "script:" : "command:", trust->script, conf->argv,
            out);
  add_text("reference:", conf->ref.command, out);
  add_text("control:", conf->ref.control, out);
  add_text("wide:", conf->ref.wide, out);
  for (size_t i = 0; i < conf->environment.n_set; i++)
    add_text("variable:", conf->environment.set[i], out);
  for (size_t i = 0; i < conf->environment.n_unset; i++)
    add_text("without:", conf->environment.unset[i], out);
}

static bool says_yes(void) {
  char line[16] = "";
  cul_say_text(stderr, "Run it? [y/N] ");
  fflush(stderr);
  return fgets(line, sizeof line, stdin) &&
         (strcmp(line, "y\n") == 0 || strcmp(line, "yes\n") == 0);
}

int cul_trust_ask(const struct cul_trust *trust, struct cul_err *err) {
  struct cul_buf text = {0};
  bool asked = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
  cul_status_make_way();
  describe(trust, &text);
  cul_say(stderr,
          "%s was not made here, or was changed since.  Its replay runs:\n%s",
          trust->dir, cul_buf_str(&text));
  cul_buf_release(&text);
  if (asked && says_yes())
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "read what it runs; then: culprit replay --trust BUNDLE",
                  "%s was not made here: nothing was run", trust->dir);
}
