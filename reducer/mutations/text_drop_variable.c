/* C: the declaration of a variable goes, 0 stands where it was used. */
#include "../subject/text_ops.h"
#include "text_c.h"

/* A statement: tokens [first, end), end is its ";". */
struct statement {
  uint32_t first, end;
};

/* Braces that hold values, not statements. */
static bool holds_values(const struct cul_text *text, uint32_t open) {
  return open && (cul_text_is_any(text, open - 1, "=,(") ||
                  cul_text_token_is(text, open - 1, "return"));
}

static bool ends_header(const struct cul_text *text, uint32_t i) {
  return text->tokens[i].kind == CUL_TOKEN_CLOSE ||
         text->tokens[i].kind == CUL_TOKEN_COMMENT ||
         cul_text_is_char(text, i, '{') ||
         cul_text_directive(text, text->tokens[i].line).len;
}

/* The statement that ends behind token *at; *at is where to go on. */
static bool next_statement(const struct cul_text *text, uint32_t *at,
                           struct statement *out) {
  out->first = *at;
  for (uint32_t i = *at; i < text->n_tokens; i++) {
    if (cul_text_is_char(text, i, ';')) {
      out->end = i;
      *at = i + 1;
      return true;
    }
    if (text->tokens[i].kind == CUL_TOKEN_OPEN &&
        (!cul_text_is_char(text, i, '{') || holds_values(text, i)))
      i = text->tokens[i].match;
    else if (ends_header(text, i))
      out->first = i + 1;
  }
  return false;
}

/* What may stand right before the first name declared. */
static bool ends_type(const struct cul_text *text, uint32_t i) {
  static const char words[] =
      " auto bool char const constexpr double float int long short signed "
      "unsigned ";
  return cul_text_c_name(text, i) || cul_text_is_any(text, i, "*&") ||
         (cul_text_is_char(text, i, '>') &&
          text->tokens[i].kind == CUL_TOKEN_CLOSE) ||
         cul_text_is_word(text, i, words);
}

/* What a declaration starts with. */
static bool starts_declaration(const struct cul_text *text, uint32_t i) {
  static const char words[] =
      " class enum extern static struct union volatile ";
  return ends_type(text, i) || cul_text_is_word(text, i, words);
}

/* Declared names at the level of the statement: the first behind a type, the
 * others behind commas. */
static void add_names(const struct cul_text *text, struct statement statement,
                      struct cul_sites *out) {
  bool any = false;
  if (!starts_declaration(text, statement.first))
    return;
  for (uint32_t i = statement.first + 1; i < statement.end;
       i = cul_text_after(text, i))
    if (cul_text_c_name(text, i) && cul_text_is_any(text, i + 1, "=;,[") &&
        (any ? cul_text_is_char(text, i - 1, ',') : ends_type(text, i - 1))) {
      cul_sites_add(out, NULL, cul_text_two(statement.first, i),
                    statement.end - i);
      any = true;
    }
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct statement statement;
  uint32_t at = 0;
  if (!cul_text_is_c(text))
    return;
  while (next_statement(text, &at, &statement))
    add_names(text, statement, out);
}

/* Of the declaration, this name and what stands behind it up to a comma; the
 * whole where it is the last one left. */
static void erase_name(struct cul_text *text, uint32_t first, uint32_t name) {
  uint32_t end = name, before = name;
  bool others = false;
  while (!cul_text_is_any(text, end, ";,"))
    end = cul_text_after(text, end);
  while (before > first && text->tokens[before - 1].dead)
    before--;
  for (uint32_t i = end; !cul_text_is_char(text, i, ';');
       i = cul_text_after(text, i))
    others |= cul_text_is_live(text, i);
  if (cul_text_is_char(text, before - 1, ',')) {
    cul_text_erase_tokens(text, before - 1, end);
  } else if (others) {
    cul_text_erase_tokens(text, name, end + 1);
  } else {
    while (!cul_text_is_char(text, end, ';'))
      end = cul_text_after(text, end);
    cul_text_erase_tokens(text, first, end + 1);
  }
}

static bool drop(struct cul_text *text, uint64_t detail) {
  uint32_t first = cul_text_high(detail), name = (uint32_t)detail;
  if (!cul_text_is_live(text, name))
    return false;
  cul_text_c_put(text, name, name + 1, cul_text_c_scope(text, name), "0");
  erase_name(text, first, name);
  return true;
}

const struct cul_mutation cul_mutation_text_drop_variable = {
    .name = "text-drop-variable",
    .summary = "erase a variable of C, its uses become 0",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = drop},
};
