/* C, C++ and CUDA as text, without a parser (language.h).  After a declaration
 * was erased, this file fixes its uses: a use of a variable becomes 0, a use of
 * a type becomes int.  If a parameter was erased, its arguments are erased too,
 * and its uses become 0 (in templates 1 or int).  The parameters of Python
 * functions are handled here as well. */
#include <stdlib.h>
#include <string.h>

#include "../ops.h"
#include "declarations.h"
#include "language.h"
#include "terms.h"

/* Lists for cul_text_is_word: keywords that are types, and those that precede
 * the name of a type. */
#define TYPES                                                                  \
  " auto bool char const double float int long short signed unsigned "
#define TAGS " struct class union enum "

/* ---- names ---- */

static bool is_close(const struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_CLOSE;
}

/* The "}" that closes the body around token i; without one, the end of the
 * text. */
static uint32_t scope_of(const struct cul_text *text, uint32_t i) {
  while (i < text->n_tokens &&
         !(cul_text_is_char(text, i, '}') && is_close(text, i)))
    i = cul_text_after(text, i);
  return i < text->n_tokens ? i : (uint32_t)text->n_tokens;
}

/* Is token i a use of the variable `name`?  In "x.name", "x->name" and
 * "x::name" it is another entity. */
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

/* Is token i an assignment operator ("=", "+=", ...)?  Comparisons also end in
 * "=". */
static bool assigns(const struct cul_text *text, uint32_t i) {
  struct cul_bytes op;
  if (i >= text->n_tokens || text->tokens[i].kind != CUL_TOKEN_PUNCT)
    return false;
  op = cul_text_token(text, i);
  return op.data[op.len - 1] == '=' &&
         !(op.len == 2 && strchr("=!<>", *op.data));
}

/* Is token i a unary "&" or "*", as in "f(x, &name)"? */
static bool is_unary(const struct cul_text *text, uint32_t i) {
  return cul_text_is_any(text, i, "&*") && i &&
         (text->tokens[i - 1].kind == CUL_TOKEN_OPEN ||
          cul_text_is_any(text, i - 1, ",="));
}

/* Replace the use at token i, with the indices, arguments and members after it,
 * by `with`.  If a statement assigns to it, erase the statement. */
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

static void put_name(struct cul_text *text, uint32_t name, uint32_t first,
                     uint32_t end, const char *with) {
  for (uint32_t i = first; i < end; i++)
    if (i != name && is_use(text, i, name) && cul_text_is_live(text, i))
      put_at(text, i, with);
}

/* ---- variables ---- */

/* Do the braces enclose an initializer, not statements? */
static bool holds_values(const struct cul_text *text, uint32_t open) {
  return open && (cul_text_is_any(text, open - 1, "=,(") ||
                  cul_text_token_is(text, open - 1, "return"));
}

/* Can token i directly precede the first name of a declaration? */
static bool ends_type(const struct cul_text *text, uint32_t i) {
  return cul_text_is_unkeyed(text, i) || cul_text_is_any(text, i, "*&") ||
         (cul_text_is_char(text, i, '>') && is_close(text, i)) ||
         cul_text_is_word(text, i, TYPES " constexpr ");
}

/* Replace the uses of erased variables by 0.  An erased name was a variable if
 * a type or a comma precedes it and it was not in an initializer or an argument
 * list. */
static void fix_variables(struct cul_text *text) {
  CUL_HEAP uint32_t *around = cul_text_brackets(text);
  for (uint32_t i = 1; i < text->n_tokens; i++)
    if (!cul_text_is_live(text, i) && cul_text_is_unkeyed(text, i) &&
        cul_text_is_any(text, i + 1, "=;,[") &&
        (ends_type(text, i - 1) || cul_text_is_char(text, i - 1, ',')) &&
        (around[i] == CUL_TEXT_NONE ||
         (cul_text_is_char(text, around[i], '{') &&
          !holds_values(text, around[i]))))
      put_name(text, i, i + 1, scope_of(text, i), "0");
}

/* ---- types ---- */

/* Does a declaration of a type begin at token i ("struct alignas(8) name : base
 * {", "struct name;")?  *name: its name.  *body: its "{" or ";". */
static bool find_type(const struct cul_text *text, uint32_t i, uint32_t *name,
                      uint32_t *body) {
  *name = CUL_TEXT_NONE;
  if (!cul_text_is_word(text, i, TAGS))
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

/* Replace the use of a type by int; a member of the type ("T::x") by 0. */
static void replace_type(struct cul_text *text, uint32_t i) {
  uint32_t end = i + 1;
  bool member;
  if (cul_text_opens(text, end, '<'))
    end = text->tokens[end].match + 1;
  member = end + 1 < text->n_tokens && cul_text_token_is(text, end, "::");
  if (cul_text_is_word(text, i - 1, TAGS))
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

/* ---- parameters ---- */

/* A list of parameters.  open: its bracket; name: the name of the function or
 * template; end: the end of the tokens in which the parameters are visible. */
struct parameters {
  uint32_t open, name, end;
  bool of_template;
};

/* Is it the list of a function definition: "name(...) {", "name(...) const
 * {"? */
static bool find_function(const struct cul_text *text, uint32_t open,
                          struct parameters *out) {
  uint32_t behind = text->tokens[open].match + 1;
  while (cul_text_is_word(text, behind, " const noexcept "))
    behind++;
  *out =
      (struct parameters){open, open - 1, cul_text_after(text, behind), false};
  return cul_text_is_char(text, open, '(') && open &&
         cul_text_is_unkeyed(text, open - 1) &&
         cul_text_is_char(text, behind, '{');
}

/* Is it the list of a template: "template <...> ... name"?  The name is the one
 * before "(...) {" or "(...);", in a template of a type the last one before the
 * body. */
static bool find_template(const struct cul_text *text, uint32_t open,
                          struct parameters *out) {
  uint32_t name = CUL_TEXT_NONE, i, behind;
  bool function = false;
  if (!open || !cul_text_token_is(text, open - 1, "template"))
    return false;
  for (i = text->tokens[open].match + 1;
       i < text->n_tokens && !cul_text_is_any(text, i, "{;:") &&
       text->tokens[i].kind != CUL_TOKEN_CLOSE;
       i = behind) {
    behind = cul_text_after(text, i);
    if (cul_text_is_char(text, i, '(') && behind < text->n_tokens &&
        cul_text_is_word(text, behind, " { ; const ") &&
        cul_text_is_unkeyed(text, i - 1))
      name = i - 1, function = true;
    if (!function && cul_text_is_unkeyed(text, i))
      name = i;
  }
  if (name == CUL_TEXT_NONE || i >= text->n_tokens)
    return false;
  while (i + 1 < text->n_tokens && cul_text_is_char(text, i, ':'))
    i++;
  *out = (struct parameters){open, name, cul_text_after(text, i), true};
  return true;
}

/* Is it the list of a Python function: "def name(...):"? */
static bool find_def(const struct cul_text *text, uint32_t open,
                     struct parameters *out) {
  *out = (struct parameters){
      open, open - 1, cul_text_item_end(text, cul_text_item_at(text, open)),
      false};
  return open > 1 && cul_text_token_is(text, open - 2, "def");
}

static bool find(const struct cul_text *text, uint32_t open,
                 struct parameters *out) {
  if (text->tokens[open].kind != CUL_TOKEN_OPEN)
    return false;
  return text->lang->indents
             ? find_def(text, open, out)
             : find_function(text, open, out) || find_template(text, open, out);
}

bool cul_text_opens_parameters(const struct cul_text *text, uint32_t token) {
  struct parameters list;
  return find(text, token, &list) &&
         (text->lang->indents || cul_text_is(text, "c"));
}

/* The name of the parameter in tokens [first, end): the last identifier before
 * a default value.  CUL_TEXT_NONE: it has none. */
static uint32_t name_of(const struct cul_text *text, uint32_t first,
                        uint32_t end) {
  uint32_t name = CUL_TEXT_NONE;
  for (uint32_t i = first; i < end && !cul_text_is_char(text, i, '=');
       i = cul_text_after(text, i))
    if (cul_text_is_unkeyed(text, i))
      name = i;
  /* A single identifier is the type, as in "const T *". */
  return name == first && !cul_text_token_is(text, first, "...") ? CUL_TEXT_NONE
                                                                 : name;
}

/* Erase element k of a list.  Without elements, a list in angle brackets is
 * erased with its brackets. */
static void erase_at(struct cul_text *text, uint32_t open, uint32_t k,
                     bool angles) {
  uint32_t first, end, close = text->tokens[open].match;
  if (cul_text_element(text, open, k, &first, &end) &&
      !cul_text_is_char(text, first + 1, '=')) /* a keyword argument */
    cul_text_erase_element(text, first, end);
  for (first = open + 1; first < close && !cul_text_is_live(text, first);)
    first++;
  if (angles && first == close)
    cul_text_erase_tokens(text, open, close + 1);
}

/* Erase the explicit instantiation "template void f<int>(int);" around a name
 * that is no longer a template. */
static void erase_instance(struct cul_text *text, uint32_t name) {
  uint32_t first = name, end = name;
  while (first && !cul_text_token_is(text, first, "template") &&
         !cul_text_is_any(text, first - 1, ";}"))
    first--;
  if (!cul_text_token_is(text, first, "template") ||
      cul_text_is_char(text, first + 1, '<'))
    return;
  while (end < text->n_tokens && !cul_text_is_char(text, end, ';'))
    end++;
  cul_text_erase_tokens(text, first, end + (end < text->n_tokens));
}

/* Erase parameter k of a definition and replace its uses.  A template without
 * parameters becomes an ordinary function or type. */
static void drop_defined(struct cul_text *text, const struct parameters *list,
                         uint32_t k) {
  uint32_t first, end, name;
  const char *with = list->of_template ? "1" : "0";
  if (!cul_text_element(text, list->open, k, &first, &end))
    return;
  name = name_of(text, first, end);
  if (list->of_template && cul_text_is_word(text, first, " typename class "))
    name = first + 1, with = "int";
  erase_at(text, list->open, k, list->of_template);
  if (list->of_template && !cul_text_is_live(text, list->open)) {
    cul_text_erase_token(text, list->open - 1);
    for (uint32_t i = 0; i < text->n_tokens; i++)
      if (cul_text_same(text, i, list->name))
        erase_instance(text, i);
  }
  if (text->lang->indents)
    cul_text_put_zero(text, end, list->end, first);
  else if (name != CUL_TEXT_NONE)
    put_name(text, name, end, list->end, with);
}

/* ---- arguments ---- */

/* The list after the name at token i: in angle brackets or in parentheses.
 * CUL_TEXT_NONE: there is none. */
static uint32_t list_behind(const struct cul_text *text, uint32_t i,
                            bool angles) {
  if (cul_text_opens(text, ++i, '<')) {
    if (angles)
      return i;
    i = text->tokens[i].match + 1;
  }
  return !angles && cul_text_opens(text, i, '(') ? i : CUL_TEXT_NONE;
}

/* Does the list at token `at` belong to another function of this name?  The
 * call resolves to the definition with the fewest parameters that has at least
 * as many as the call has arguments (parameters may have default values); that
 * one differs from `list` if its number of parameters does. */
static bool is_overload(const struct cul_text *text,
                        const struct parameters *list, uint32_t at) {
  uint32_t n = cul_text_elements(text, at), least = 0, other;
  struct parameters found;
  for (uint32_t i = 0; !list->of_template && i + 1 < text->n_tokens; i++)
    if (cul_text_same(text, i, list->name) &&
        text->tokens[i + 1].kind == CUL_TOKEN_OPEN &&
        find_function(text, i + 1, &found) &&
        (other = cul_text_elements(text, i + 1)) >= n &&
        (!least || other < least))
      least = other;
  return least && least != cul_text_elements(text, list->open);
}

/* Is the bracket that of a subscript "x[", not of a list "["? */
static bool is_subscript(const struct cul_text *text, uint32_t open) {
  const struct cul_token *before = open ? &text->tokens[open - 1] : NULL;
  return before && before->line == text->tokens[open].line &&
         cul_text_is_char(text, open, '[') &&
         (before->kind == CUL_TOKEN_WORD || before->kind == CUL_TOKEN_CLOSE);
}

/* Python: erase "name=..." in brackets, and the string "name" with its value in
 * dictionaries, even if nothing is called: the name of a parameter is often a
 * key of tables. */
static void erase_named(struct cul_text *text, uint32_t name) {
  struct cul_bytes said = cul_text_said(text, name);
  CUL_HEAP uint32_t *around = cul_text_brackets(text);
  uint32_t first, end;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t open = around[i];
    bool string = text->tokens[i].kind == CUL_TOKEN_STRING;
    if (open == CUL_TEXT_NONE || !cul_text_is_live(text, i) ||
        !cul_bytes_equal(cul_text_said(text, i), said) ||
        !(string || cul_text_is_char(text, i + 1, '=')) ||
        (string && is_subscript(text, open)))
      continue;
    for (uint32_t k = 0; cul_text_element(text, open, k, &first, &end); k++)
      if (first <= i && i < end)
        cul_text_erase_element(text, first, end);
  }
}

/* ---- the fix ---- */

/* Remove parameter k from all definitions, and its arguments from all calls. */
static void fix_parameter(struct cul_text *text, const struct parameters *list,
                          uint32_t k) {
  struct parameters other;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t at = cul_text_same(text, i, list->name)
                      ? list_behind(text, i, list->of_template)
                      : CUL_TEXT_NONE;
    if (at == CUL_TEXT_NONE || at == list->open || is_overload(text, list, at))
      continue;
    if (find(text, at, &other))
      drop_defined(text, &other, k);
    else
      erase_at(text, at, k, list->of_template);
  }
  drop_defined(text, list, k);
}

void cul_text_fix_up_parameters(struct cul_text *text) {
  struct parameters list;
  uint32_t first, end;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    if (!find(text, i, &list) || !cul_text_is_live(text, i))
      continue;
    for (uint32_t k = 0; cul_text_element(text, i, k, &first, &end); k++) {
      if (cul_text_is_live(text, first))
        continue;
      fix_parameter(text, &list, k);
      if (text->lang->indents)
        erase_named(text, first);
    }
  }
}

/* ---- declarations ---- */

/* Is token i a specifier that takes arguments?  It is not a declared name. */
static bool is_specifier(const struct cul_text *text, uint32_t i) {
  return cul_text_is_word(text, i,
                          " alignas decltype noexcept explicit __attribute__ "
                          "__launch_bounds__ __align__ __declspec asm ");
}

/* Does "(" follow the name, or "<int>("? */
static bool is_called(const struct cul_text *text, uint32_t i) {
  return cul_text_opens(text, i + 1, '(') ||
         (cul_text_opens(text, i + 1, '<') &&
          cul_text_opens(text, cul_text_after(text, i + 1), '('));
}

/* Does the declaration that begins at token `first` declare the name at token
 * i?  A declared name follows a type or a bracket, and precedes what can follow
 * a declarator. */
static bool is_given(const struct cul_text *text, uint32_t first, uint32_t i) {
  if (!cul_text_is_unkeyed(text, i) || is_specifier(text, i))
    return false;
  return i == first
             ? is_called(text, i)
             : (ends_type(text, i - 1) || cul_text_is_any(text, i - 1, ",})") ||
                cul_text_is_word(text, i - 1, " :: using void ")) &&
                   (is_called(text, i) ||
                    cul_text_is_any(text, i + 1, "=;,[{"));
}

/* Add a preprocessor line as a declaration: of the name for "#define name"; all
 * others must stay. */
static uint32_t add_directive(const struct cul_text *text, uint32_t line,
                              struct cul_text_declarations *all) {
  const struct cul_line *l = &text->lines[line];
  bool define = l->n > 2 && cul_text_token_is(text, l->first + 1, "define");
  if (define)
    all->is_name[l->first + 2] = true;
  cul_text_declares(all, l->first, l->first + l->n, !define);
  return l->first + l->n;
}

/* The "{" of "namespace name {" or "extern "C" {" at token i, or
 * CUL_TEXT_NONE. */
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

/* Mark the names of the enumerators. */
static void name_all(const struct cul_text *text, uint32_t open,
                     struct cul_text_declarations *all) {
  for (uint32_t i = open + 1; i < text->tokens[open].match; i++)
    if (cul_text_is_unkeyed(text, i))
      all->is_name[i] = true;
}

/* Mark the names of the declaration that begins at first.  Returns its end:
 * after ";" or after the body of a function. */
static uint32_t add_names(const struct cul_text *text, uint32_t first,
                          uint32_t end, struct cul_text_declarations *all) {
  bool function = false, enumerates = false;
  for (uint32_t i = first, behind, name, body; i < end; i = behind) {
    behind = cul_text_after(text, i);
    if (cul_text_is_char(text, i, ';'))
      return behind;
    enumerates |= cul_text_token_is(text, i, "enum");
    if (cul_text_opens(text, i, '{')) {
      if (function && !cul_text_is_any(text, behind, ";,") &&
          !cul_text_opens(text, behind, '{'))
        return behind;
      if (enumerates)
        name_all(text, i, all);
    } else if (find_type(text, i, &name, &body)) {
      all->is_name[name] = true;
    } else if (!function && is_given(text, first, i)) {
      all->is_name[i] = true;
      function = is_called(text, i);
    }
  }
  return end;
}

/* Add the declaration that begins at first.  An explicit instantiation and
 * "using namespace" declare no name. */
static uint32_t add_c(const struct cul_text *text, uint32_t first, uint32_t end,
                      struct cul_text_declarations *all) {
  bool directive = cul_text_token_is(text, first, "using") &&
                   cul_text_token_is(text, first + 1, "namespace");
  bool instance = cul_text_token_is(text, first, "template") &&
                  !cul_text_opens(text, first + 1, '<');
  end = add_names(text, first, end, all);
  if (instance || directive)
    memset(all->is_name + first, 0, end - first);
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

/* Is token i a name after a type, and before a token that can follow a declared
 * name? */
static bool defines(const struct cul_text *text, uint32_t i) {
  return i && i + 1 < text->n_tokens &&
         (cul_text_is_unkeyed(text, i - 1) ||
          cul_text_is_any(text, i - 1, "*&>,") ||
          cul_text_is_word(text, i - 1, TYPES)) &&
         cul_text_is_any(text, i + 1, "=;,[({:)");
}

/* ---- bodies ---- */

/* Does the brace open the body of a function ("name(...) const {") or of a
 * constructor, not of a loop? */
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

/* The "{" of the first function body on the item's own lines; CUL_TEXT_NONE:
 * there is none, or it is empty. */
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

/* The size of the body in tokens, or 0; drop: erase its content, because an
 * empty body is valid. */
static uint32_t body(struct cul_text *text, uint32_t item, bool drop) {
  uint32_t brace = body_of(text, item), end;
  if (brace == CUL_TEXT_NONE)
    return 0;
  end = text->tokens[brace].match;
  return drop && !cul_text_erase_tokens(text, brace + 1, end) ? 0
                                                              : end + 1 - brace;
}

/* ---- the language ---- */

static void fix_up(struct cul_text *text) {
  cul_text_fix_up_parameters(text);
  fix_types(text);
  fix_variables(text);
}

const struct cul_text_language cul_text_c = {
    .name = "c",
    .fix_up = fix_up,
    .declarations = declarations,
    .defines = defines,
    .body = body,
};
