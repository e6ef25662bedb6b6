/* C, C++ and CUDA as text, without a parser: see language.h. */
#include <string.h>

#include "../../subject/text/ops.h"
#include "declarations.h"
#include "language.h"
#include "terms.h"

/* ---- declarations ---- */

/* A word with brackets behind it that declares nothing. */
static bool is_specifier(const struct cul_text *text, uint32_t i) {
  return cul_text_is_word(text, i,
                          " alignas decltype noexcept explicit __attribute__ "
                          "__launch_bounds__ __align__ __declspec asm ");
}

/* The name before "(" in "name(" and "name<int>(". */
static uint32_t name_before(const struct cul_text *text, uint32_t first,
                            uint32_t open) {
  uint32_t i = open;
  if (i > first && text->tokens[i - 1].kind == CUL_TOKEN_CLOSE &&
      cul_text_is_char(text, i - 1, '>'))
    i = text->tokens[i - 1].match;
  return i > first && cul_text_is_unkeyed(text, i - 1) &&
                 !is_specifier(text, i - 1)
             ? i - 1
             : CUL_TEXT_NONE;
}

/* What stands before the body or the first value of a declaration. */
struct head {
  uint32_t function; /* its name, or NONE */
  uint32_t type;     /* the name behind "struct" and its like, or NONE */
  uint32_t last;     /* the last name */
  uint32_t end;      /* "{", "=", ":", ";" */
  bool is_type, enumerates, instantiates;
};

static void read_head(const struct cul_text *text, uint32_t first, uint32_t end,
                      struct cul_text_declarations *all, struct head *head) {
  *head = (struct head){CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE, end,
                        false,         false,         false};
  for (uint32_t i = first; i < end; i = cul_text_after(text, i)) {
    head->end = i;
    if (cul_text_opens(text, i, '{') || cul_text_is_any(text, i, "=:;"))
      return;
    if (cul_text_token_is(text, i, "template") &&
        !(i + 1 < end && cul_text_opens(text, i + 1, '<')))
      head->instantiates = true;
    if (cul_text_opens(text, i, '(') &&
        name_before(text, first, i) != CUL_TEXT_NONE)
      head->function = name_before(text, first, i);
    if (cul_text_is_char(text, i, ',') && head->last != CUL_TEXT_NONE)
      cul_text_declares_name(all, head->last);
    if (cul_text_is_word(text, i, CUL_TEXT_C_TAGS)) {
      head->is_type = true;
      head->enumerates |= cul_text_token_is(text, i, "enum");
    } else if (cul_text_is_unkeyed(text, i) && !is_specifier(text, i)) {
      head->last = i;
      if (head->is_type && head->type == CUL_TEXT_NONE)
        head->type = i;
    }
  }
  head->end = end;
}

/* What is named between the brackets of an enum, and behind those of a type:
 * "typedef struct { ... } name;". */
static void name_type(const struct cul_text *text, const struct head *head,
                      struct cul_text_declarations *all) {
  uint32_t close = text->tokens[head->end].match;
  for (uint32_t i = head->end + 1; head->enumerates && i < close; i++)
    if (cul_text_is_unkeyed(text, i))
      cul_text_declares_name(all, i);
  for (uint32_t i = close + 1;
       i < text->n_tokens && !cul_text_is_char(text, i, ';'); i++)
    if (cul_text_is_unkeyed(text, i))
      cul_text_declares_name(all, i);
}

static void name_c(const struct cul_text *text, const struct head *head,
                   struct cul_text_declarations *all) {
  bool body = cul_text_opens(text, head->end, '{');
  if (head->function != CUL_TEXT_NONE) {
    cul_text_declares_name(all, head->function);
    return;
  }
  if (head->type != CUL_TEXT_NONE)
    cul_text_declares_name(all, head->type);
  if (body && head->is_type)
    name_type(text, head, all);
  else if (head->last != CUL_TEXT_NONE)
    cul_text_declares_name(all, head->last);
}

/* Behind "...;", "... {}" of a function, "... {};" of a type. */
static uint32_t end_of_c(const struct cul_text *text, const struct head *head,
                         uint32_t end) {
  bool open_end = head->function == CUL_TEXT_NONE;
  for (uint32_t i = head->end; i < end; i = cul_text_after(text, i)) {
    uint32_t behind = cul_text_after(text, i);
    if (cul_text_is_char(text, i, ';'))
      return i + 1;
    if (cul_text_opens(text, i, '{') && !open_end &&
        !(behind < end && (cul_text_is_any(text, behind, ";,") ||
                           cul_text_opens(text, behind, '{'))))
      return behind;
  }
  return end;
}

/* "#define name" may go; what else is said to the preprocessor stays. */
static uint32_t add_directive(const struct cul_text *text, uint32_t line,
                              struct cul_text_declarations *all) {
  const struct cul_line *l = &text->lines[line];
  bool define = l->n > 2 && cul_text_token_is(text, l->first + 1, "define");
  if (define)
    cul_text_declares_name(all, l->first + 2);
  cul_text_declares(all, l->first, l->first + l->n, !define);
  return l->first + l->n;
}

/* "namespace name {", "extern "C" {": its "{". */
static uint32_t find_namespace(const struct cul_text *text, uint32_t i,
                               uint32_t end) {
  if (cul_text_token_is(text, i, "inline"))
    i++;
  if (i + 1 >= end || !(cul_text_token_is(text, i, "namespace") ||
                        (cul_text_token_is(text, i, "extern") &&
                         text->tokens[i + 1].kind == CUL_TOKEN_STRING)))
    return CUL_TEXT_NONE;
  for (i++; i < end && (text->tokens[i].kind == CUL_TOKEN_WORD ||
                        text->tokens[i].kind == CUL_TOKEN_STRING ||
                        cul_text_token_is(text, i, "::"));
       i++)
    ;
  return i < end && cul_text_opens(text, i, '{') ? i : CUL_TEXT_NONE;
}

static uint32_t add_c(const struct cul_text *text, uint32_t first, uint32_t end,
                      struct cul_text_declarations *all) {
  bool directive = cul_text_token_is(text, first, "using") && first + 1 < end &&
                   cul_text_token_is(text, first + 1, "namespace");
  struct head head;
  read_head(text, first, end, all, &head);
  if (head.instantiates || directive)
    memset(all->is_name + first, 0, end - first);
  else
    name_c(text, &head, all);
  end = end_of_c(text, &head, end);
  cul_text_declares(all, first, end, directive);
  return end;
}

static void declarations(const struct cul_text *text,
                         struct cul_text_declarations *all) {
  uint32_t end = (uint32_t)text->n_tokens;
  for (uint32_t i = 0; i < end;) {
    uint32_t line = text->tokens[i].line, open;
    if (text->lines[line].first == i && cul_text_directive(text, line).len)
      i = add_directive(text, line, all);
    else if (text->tokens[i].kind == CUL_TOKEN_COMMENT ||
             cul_text_is_any(text, i, ";}"))
      i++;
    else if ((open = find_namespace(text, i, end)) != CUL_TEXT_NONE)
      i = open + 1;
    else
      i = add_c(text, i, end, all);
  }
}

/* ---- values ---- */

/* Behind a type, before what may stand behind a name. */
static bool defines(const struct cul_text *text, uint32_t i) {
  return i && i + 1 < text->n_tokens &&
         (cul_text_is_unkeyed(text, i - 1) ||
          cul_text_is_any(text, i - 1, "*&>,") ||
          cul_text_is_word(text, i - 1, CUL_TEXT_C_TYPES)) &&
         cul_text_is_any(text, i + 1, "=;,[({:)");
}

/* ---- bodies ---- */

/* The "{" of "name(...) const {", and of a constructor; no loop's. */
static bool opens_function(const struct cul_text *text, uint32_t brace) {
  uint32_t i = brace;
  while (cul_text_is_word(text, i - 1, " const noexcept override final "))
    i--;
  if (!i || !cul_text_is_char(text, i - 1, ')') ||
      text->tokens[i - 1].kind != CUL_TOKEN_CLOSE ||
      cul_text_directive(text, text->tokens[brace].line).len)
    return false;
  i = text->tokens[i - 1].match;
  return i && (cul_text_is_any(text, i - 1, ")>") ||
               cul_text_is_unkeyed(text, i - 1) ||
               (i > 1 && cul_text_token_is(text, i - 2, "operator")));
}

/* Of the first function on the item's own lines. */
static uint32_t body_of(const struct cul_text *text, uint32_t item) {
  const struct cul_text_item *it = &text->items[item];
  for (uint32_t line = it->first; line < it->end;) {
    const struct cul_line *l = &text->lines[line];
    for (uint32_t i = l->first; l->item == item && i < l->first + l->n; i++)
      if (cul_text_opens(text, i, '{') && opens_function(text, i))
        return text->tokens[i].match > i + 1 ? i : CUL_TEXT_NONE;
    line = l->item == item ? line + 1 : text->items[l->item].end;
  }
  return CUL_TEXT_NONE;
}

static uint32_t weigh_body(struct cul_text *text, uint32_t item) {
  uint32_t brace = body_of(text, item);
  return brace == CUL_TEXT_NONE ? 0 : text->tokens[brace].match + 1 - brace;
}

/* An empty one will do. */
static bool drop_body(struct cul_text *text, uint32_t item) {
  uint32_t brace = body_of(text, item);
  return brace != CUL_TEXT_NONE &&
         cul_text_erase_tokens(text, brace + 1, text->tokens[brace].match);
}

static void fix_up(struct cul_text *text) {
  cul_text_fix_up_parameters(text);
  cul_text_fix_up_c(text);
}

const struct cul_text_language cul_text_c = {
    .name = "c",
    .fix_up = fix_up,
    .declarations = declarations,
    .defines = defines,
    .weigh_body = weigh_body,
    .drop_body = drop_body,
};
