/* See regex.h. */
#include "regex.h"

#include <stdlib.h>

#include "../../base/buf.h"
#include "../../base/err.h"

/* PCRE2's JIT compiler does not check all that it allocates: it never gets
 * NULL. */
static void *allocate(size_t size, void *unused) {
  (void)unused;
  return cul_xmalloc(size);
}

static void release(void *at, void *unused) {
  (void)unused;
  free(at);
}

pcre2_code *cul_regex_compile(const char *text, int *number, size_t *offset) {
  pcre2_general_context *memory =
      pcre2_general_context_create(allocate, release, NULL);
  pcre2_compile_context *context = pcre2_compile_context_create(memory);
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                                   PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C,
                                   number, offset, context);
  pcre2_compile_context_free(context);
  pcre2_general_context_free(memory);
  return code;
}

/* Without the JIT the interpreter does the same more slowly. */
pcre2_code *cul_regex_ready(pcre2_code *code) {
  (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  return code;
}

pcre2_code *cul_regex_code(struct cul_regex *regex) {
  int number;
  size_t offset;
  if (!regex->code)
    regex->code = cul_regex_compile(regex->text, &number, &offset);
  if (!regex->code)
    cul_bug("no expression: '%s'", regex->text);
  return regex->code;
}
