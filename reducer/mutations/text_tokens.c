/* Single tokens, strings, pairs of brackets, and runs of neighbours. */
#include <string.h>

#include "../subject/text_ops.h"
#include "../subject/text_spirv.h"
#include "text_sites.h"

static bool erase(struct cul_text *text, uint64_t token) {
  return cul_text_erase_token(text, (uint32_t)token);
}

static uint32_t comment(struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_COMMENT;
}

const struct cul_mutation cul_mutation_text_erase_comments = {
    .name = "text-erase-comments",
    .summary = "erase comments",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.tokens = comment, .edit = erase),
};

/* An instruction of SPIR-V has a fixed number of operands, more of them only at
 * its end. */
static bool may_go(const struct cul_text *text, uint32_t end) {
  return !cul_text_is(text, "spirv") || end == cul_text_line_end(text, end - 1);
}

/* Brackets go in pairs. */
static uint32_t single(struct cul_text *text, uint32_t token) {
  return text->tokens[token].match == CUL_TEXT_NONE && may_go(text, token + 1);
}

const struct cul_mutation cul_mutation_text_erase_tokens = {
    .name = "text-erase-tokens",
    .summary = "erase single tokens",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_LAST,
    CUL_TEXT_EACH(.tokens = single, .edit = erase),
};

static uint32_t opens(struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_OPEN ? 2 : 0;
}

static bool unwrap(struct cul_text *text, uint64_t open) {
  bool any = cul_text_erase_token(text, (uint32_t)open);
  return any | cul_text_erase_token(text, text->tokens[open].match);
}

const struct cul_mutation cul_mutation_text_unwrap = {
    .name = "text-unwrap",
    .summary = "erase a pair of brackets, keep what they enclose",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_FINE,
    CUL_TEXT_EACH(.tokens = opens, .edit = unwrap),
};

/* Quotes of a string token, and of a name such as @"f": three alike, or one. */
static uint32_t quotes(struct cul_bytes string) {
  if (string.len >= 6 && string.data[0] == string.data[1] &&
      string.data[0] == string.data[2])
    return 3;
  return 1;
}

static uint32_t string(struct cul_text *text, uint32_t token) {
  struct cul_bytes string = cul_text_token(text, token);
  return text->tokens[token].kind == CUL_TOKEN_STRING &&
         string.len > 2 * quotes(string);
}

/* Only the quotes stay. */
static bool empty(struct cul_text *text, uint64_t token) {
  struct cul_bytes string = cul_text_token(text, (uint32_t)token);
  uint32_t k = 2 * quotes(string);
  char empty[8];
  memset(empty, string.data[0], k);
  empty[k] = '\0';
  return cul_text_replace(text, (uint32_t)token, empty);
}

const struct cul_mutation cul_mutation_text_empty_strings = {
    .name = "text-empty-strings",
    .summary = "empty string literals",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_FINE,
    CUL_TEXT_EACH(.tokens = string, .edit = empty),
};

enum { FEWEST = 2, MOST = 3 };

/* Brackets with what they enclose count as one: what goes only together, such
 * as "?x" or "attributes {}". */
static void add_runs(const struct cul_text *text, uint32_t first,
                     struct cul_sites *out) {
  uint32_t line = text->tokens[first].line, end = first;
  for (int n = 1; n <= MOST; n++) {
    if (end >= text->n_tokens || text->tokens[end].line != line ||
        text->tokens[end].kind == CUL_TOKEN_CLOSE)
      return;
    end = cul_text_after(text, end);
    if (n >= FEWEST && may_go(text, end))
      cul_text_add_range(first, end, out);
  }
}

static void list_runs(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    add_runs(text, i, out);
}

const struct cul_mutation cul_mutation_text_erase_runs = {
    .name = "text-erase-runs",
    .summary = "erase two or three neighbouring tokens or brackets",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_FINE,
    CUL_TEXT_EACH(.list = list_runs, .edit_all = cul_text_erase_ranges),
};
