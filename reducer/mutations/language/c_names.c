/* C: what reads the name of a variable or a type whose declaration was erased
 * reads 0, or is an int. */
#include <string.h>

#include "../../subject/text/ops.h"
#include "terms.h"

/* ---- names ---- */

static bool is_close(const struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_CLOSE;
}

/* Where the body around the token ends: its "}", or the end of the text. */
static uint32_t scope_of(const struct cul_text *text, uint32_t i) {
  while (i < text->n_tokens &&
         !(cul_text_is_char(text, i, '}') && is_close(text, i)))
    i = cul_text_after(text, i);
  return i < text->n_tokens ? i : (uint32_t)text->n_tokens;
}

/* "x.name" and "x->name" are of another thing, "name::" of none. */
static bool is_use(const struct cul_text *text, uint32_t i, uint32_t name) {
  return text->tokens[i].kind == CUL_TOKEN_WORD &&
         cul_text_same(text, i, name) &&
         !(i && cul_text_is_word(text, i - 1, " . -> :: "));
}

static bool starts_statement(const struct cul_text *text, uint32_t i) {
  return i == 0 || cul_text_is_any(text, i - 1, ";{}") ||
         text->tokens[i - 1].kind == CUL_TOKEN_COMMENT ||
         cul_text_directive(text, text->tokens[i - 1].line).len;
}

/* "=", "+=" ... but not "==". */
static bool assigns(const struct cul_text *text, uint32_t i) {
  struct cul_bytes op;
  if (i >= text->n_tokens || text->tokens[i].kind != CUL_TOKEN_PUNCT)
    return false;
  op = cul_text_token(text, i);
  return op.data[op.len - 1] == '=' &&
         !(op.len == 2 && strchr("=!<>", *op.data));
}

/* The "&" of "&name", "f(x, &name)": an address, no conjunction. */
static bool is_unary(const struct cul_text *text, uint32_t i) {
  return cul_text_is_any(text, i, "&*") && i &&
         (text->tokens[i - 1].kind == CUL_TOKEN_OPEN ||
          cul_text_is_any(text, i - 1, ",="));
}

/* Write `with` in place of the name, with the indices, arguments and members
 * behind it; a statement that assigns to it goes. */
static void put_at(struct cul_text *text, uint32_t i, const char *with) {
  uint32_t end = cul_text_end_of_use(text, i);
  if (starts_statement(text, i) && assigns(text, end)) {
    while (end < text->n_tokens && !cul_text_is_char(text, end, ';') &&
           !is_close(text, end))
      end = cul_text_after(text, end);
    cul_text_erase_tokens(text, i, end + cul_text_is_char(text, end, ';'));
    return;
  }
  if (i && is_unary(text, i - 1))
    cul_text_erase_token(text, i - 1);
  cul_text_replace(text, i, with);
  cul_text_erase_tokens(text, i + 1, end);
}

void cul_text_put(struct cul_text *text, uint32_t name, uint32_t first,
                  uint32_t end, const char *with) {
  for (uint32_t i = first; i < end; i++)
    if (i != name && is_use(text, i, name) && cul_text_is_live(text, i))
      put_at(text, i, with);
}

/* ---- variables ---- */

/* Braces that hold values, not statements. */
static bool holds_values(const struct cul_text *text, uint32_t open) {
  return open && (cul_text_is_any(text, open - 1, "=,(") ||
                  cul_text_token_is(text, open - 1, "return"));
}

static bool ends_header(const struct cul_text *text, uint32_t i) {
  return is_close(text, i) || text->tokens[i].kind == CUL_TOKEN_COMMENT ||
         cul_text_is_char(text, i, '{') ||
         cul_text_directive(text, text->tokens[i].line).len;
}

/* What may stand right before the first name declared. */
static bool ends_type(const struct cul_text *text, uint32_t i) {
  return cul_text_is_unkeyed(text, i) || cul_text_is_any(text, i, "*&") ||
         (cul_text_is_char(text, i, '>') && is_close(text, i)) ||
         cul_text_is_word(text, i, CUL_TEXT_C_TYPES " constexpr ");
}

/* What a declaration starts with. */
static bool starts_declaration(const struct cul_text *text, uint32_t i) {
  return ends_type(text, i) ||
         cul_text_is_word(text, i,
                          " class enum extern static struct union volatile ");
}

/* What reads a name that the statement [first, end) declared at its own level,
 * the first behind a type, others behind commas, reads 0 where it went. */
static void fix_names(struct cul_text *text, uint32_t first, uint32_t end) {
  bool any = false;
  if (!starts_declaration(text, first))
    return;
  for (uint32_t i = first + 1; i < end; i = cul_text_after(text, i))
    if (cul_text_is_unkeyed(text, i) && cul_text_is_any(text, i + 1, "=;,[") &&
        (any ? cul_text_is_char(text, i - 1, ',') : ends_type(text, i - 1))) {
      any = true;
      if (!cul_text_is_live(text, i))
        cul_text_put(text, i, i + 1, scope_of(text, i), "0");
    }
}

static void fix_variables(struct cul_text *text) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (cul_text_is_char(text, i, ';')) {
      fix_names(text, first, i);
      first = i + 1;
    } else if (text->tokens[i].kind == CUL_TOKEN_OPEN &&
               (!cul_text_is_char(text, i, '{') || holds_values(text, i))) {
      i = text->tokens[i].match;
    } else if (ends_header(text, i)) {
      first = i + 1;
    }
}

/* ---- types ---- */

/* The name that the definition at token i gives, and its "{"; "struct
 * alignas(8) name : base {".  False: it defines none. */
static bool find_type(const struct cul_text *text, uint32_t i, uint32_t *name,
                      uint32_t *body) {
  *name = CUL_TEXT_NONE;
  if (!cul_text_is_word(text, i, CUL_TEXT_C_TAGS))
    return false;
  for (i++; i < text->n_tokens && !cul_text_is_any(text, i, "{;,") &&
            !is_close(text, i);
       i = cul_text_after(text, i))
    if (*name == CUL_TEXT_NONE && cul_text_is_unkeyed(text, i) &&
        !cul_text_is_char(text, i + 1, '('))
      *name = i;
  *body = i;
  return *name != CUL_TEXT_NONE &&
         (cul_text_is_char(text, i, '{') ||
          (cul_text_is_char(text, i, ';') && i == *name + 1));
}

/* A use is an int; what is a member of the type itself, 0. */
static void replace_type(struct cul_text *text, uint32_t i) {
  uint32_t end = i + 1;
  bool member;
  if (cul_text_opens(text, end, '<'))
    end = text->tokens[end].match + 1;
  member = end + 1 < text->n_tokens && cul_text_token_is(text, end, "::");
  if (cul_text_is_word(text, i - 1, CUL_TEXT_C_TAGS))
    cul_text_erase_token(text, i - 1);
  if (cul_text_replace(text, i, member ? "0" : "int"))
    cul_text_erase_tokens(text, i + 1, end + (member ? 2 : 0));
}

static void fix_types(struct cul_text *text) {
  uint32_t name, body;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    if (!find_type(text, i, &name, &body) || cul_text_is_live(text, name))
      continue;
    for (uint32_t k = 0; k < text->n_tokens; k++)
      if (cul_text_same(text, k, name) && cul_text_is_live(text, k))
        replace_type(text, k);
  }
}

void cul_text_fix_up_c(struct cul_text *text) {
  cul_text_fix_up_parameters(text);
  fix_types(text);
  fix_variables(text);
}
