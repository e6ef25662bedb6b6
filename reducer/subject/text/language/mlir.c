/* MLIR as text: see language.h.  A value whose definition was erased becomes an
 * argument of its function. */
#include "mlir.h"

#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "language.h"
#include "terms.h"

/* A value that became an argument. */
struct moved {
  uint32_t def, number; /* number: of the result, if it is one of several */
  uint32_t function;    /* its item */
  char *name;
};

struct fixing {
  struct cul_text *text;
  const struct cul_text_names *names;
  struct moved *moved;
  size_t n;
  uint32_t fresh; /* number of fresh names */
};

/* Append `what` to the list in brackets. */
static void append(struct cul_text *text, uint32_t open, const char *what) {
  uint32_t close = text->tokens[open].match, i = open + 1;
  const char *with = cul_text_replaced(text, close);
  while (i < close && !cul_text_is_live(text, i))
    i++;
  cul_text_rewrite(text, close, "%.*s%s%s)", with ? (int)strlen(with) - 1 : 0,
                   with ? with : "",
                   i < close || (with && strlen(with) > 1) ? ", " : "", what);
}

/* Add an argument to a generic function that had none, hence no
 * "^bb0(...):". */
static void add_label(struct cul_text *text, uint32_t body, const char *what) {
  const char *with = cul_text_replaced(text, body);
  if (with)
    cul_text_rewrite(text, body, "%.*s, %s):", (int)strlen(with) - 2, with,
                     what);
  else
    cul_text_rewrite(text, body, "{\n^bb0(%s):", what);
}

struct argument {
  struct cul_bytes name, type;
};

/* Append "name: type" to `list`.  If it is NULL, append it to the arguments of
 * the function instead, and type to the type of a generic function. */
static void add_argument(struct cul_text *text,
                         const struct cul_text_function *function, uint32_t def,
                         struct argument argument, struct cul_buf *list) {
  CUL_OWNED(cul_buf) both = {0};
  CUL_HEAP char *type = cul_bytes_copy(argument.type);
  if (list)
    cul_buf_adds(list, list->len ? ", " : "");
  cul_text_write_parameter(text, function, def, argument.name, argument.type,
                           list ? list : &both);
  if (!list && function->arguments != CUL_TEXT_NONE)
    append(text, function->arguments, cul_buf_str(&both));
  else if (!list)
    add_label(text, function->body, cul_buf_str(&both));
  if (!list && function->type != CUL_TEXT_NONE)
    append(text, function->type, type);
}

char *cul_text_fresh_name(const struct cul_text *text, uint32_t *next) {
  char *name = cul_xasprintf("%%_%u", (*next)++);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (cul_text_token_is(text, i, name)) {
      free(name);
      return cul_text_fresh_name(text, next);
    }
  return name;
}

/* Replace the use, "%x" or "%x#1", by `name`. */
static void replace_use(struct cul_text *text, uint32_t use, const char *name) {
  uint32_t number;
  bool numbered = cul_text_result_number(text, use, &number);
  if (cul_text_replace(text, use, name) && numbered)
    cul_text_replace(text, use + 1, "");
}

void cul_text_read_as(struct cul_text *text, uint32_t use, uint32_t other) {
  struct cul_bytes bytes = cul_text_now(text, other);
  uint32_t number;
  CUL_HEAP char *name = NULL;
  if (!cul_text_replaced(text, other) &&
      cul_text_result_number(text, other, &number))
    bytes.len += text->tokens[other + 1].len;
  name = cul_bytes_copy(bytes);
  replace_use(text, use, name);
}

void cul_text_all_read_as(struct cul_text *text, uint32_t def, uint32_t number,
                          uint32_t other) {
  uint32_t which;
  for (uint32_t u = 0, use; cul_text_use(text, def, u, &use); u++) {
    cul_text_result_number(text, use, &which);
    if (which == number)
      cul_text_read_as(text, use, other);
  }
}

/* The name of the argument for a value: its own if it is unique in the text,
 * otherwise a fresh one ("%_7"). */
static char *choose_name(struct fixing *m, uint32_t def, bool numbered) {
  return numbered || m->names->shared[def]
             ? cul_text_fresh_name(m->text, &m->fresh)
             : cul_bytes_copy(cul_text_token(m->text, def));
}

static const char *find(const struct fixing *m, uint32_t def, uint32_t number,
                        uint32_t function) {
  for (size_t i = m->n; i-- > 0;)
    if (m->moved[i].def == def && m->moved[i].number == number &&
        m->moved[i].function == function)
      return m->moved[i].name;
  return NULL;
}

/* Takes over the name. */
static const char *remember(struct fixing *m, uint32_t def, uint32_t number,
                            uint32_t function, char *name) {
  m->moved = cul_xreallocarray(m->moved, m->n + 1, sizeof *m->moved);
  m->moved[m->n++] = (struct moved){def, number, function, name};
  return name;
}

static void release(struct fixing *m) {
  for (size_t i = 0; i < m->n; i++)
    free(m->moved[i].name);
  free(m->moved);
}

/* Does a statement that is not erased name the function? */
static bool is_called(const struct fixing *m,
                      const struct cul_text_function *function) {
  uint32_t symbol = function->symbol;
  if (symbol == CUL_TEXT_NONE)
    return false;
  for (uint32_t u = 0, use; cul_text_use(m->text, symbol, u, &use); u++)
    if (cul_text_is_live(m->text, use))
      return true;
  return false;
}

/* The name of an existing argument of the function with this type; heap; NULL:
 * there is none. */
static char *find_argument(struct fixing *m,
                           const struct cul_text_function *function,
                           struct cul_bytes type) {
  uint32_t i = function->arguments, end = i;
  CUL_OWNED(cul_buf) other = {0};
  char *found = NULL;
  if (i != CUL_TEXT_NONE)
    end = m->text->tokens[i].match;
  for (; !found && i < end; i++)
    if (m->names->def[i] == i && cul_text_is_live(m->text, i) &&
        cul_text_type_of_result(m->text, i, 0, &other) &&
        cul_bytes_equal(cul_buf_bytes(&other), type))
      found = cul_bytes_copy(cul_text_token(m->text, i));
  return found;
}

/* Replace the use by an argument of the function, which is added if necessary.
 * A function that is called gets no new argument if an existing one has the
 * type.
 *
 * list: NULL, or the parameters of a function that is about to be written; the
 * argument is then added there, in the form of the parameters of `function` (or
 * NULL). */
static void read_argument(struct fixing *m, uint32_t use,
                          const struct cul_text_function *function,
                          struct cul_buf *list) {
  uint32_t def = m->names->def[use], number, in = list ? 0 : function->item;
  bool numbered = cul_text_result_number(m->text, use, &number);
  const char *name = find(m, def, number, in);
  CUL_OWNED(cul_buf) type = {0};
  char *new = NULL;
  if (!name && cul_text_type_of_result(m->text, def, number, &type)) {
    if (!list && is_called(m, function))
      new = find_argument(m, function, cul_buf_bytes(&type));
    if (!new) {
      new = choose_name(m, def, numbered);
      add_argument(m->text, function, def,
                   (struct argument){{new, strlen(new)}, cul_buf_bytes(&type)},
                   list);
    }
    name = remember(m, def, number, in, new);
  }
  if (name && !cul_text_token_is(m->text, use, name))
    replace_use(m->text, use, name);
}

void cul_text_live_ins(struct cul_text *text, uint32_t first, uint32_t end,
                       const struct cul_text_function *like,
                       struct cul_buf *out) {
  struct fixing m = {.text = text, .names = cul_text_names(text)};
  for (uint32_t i = first; i < end; i++) {
    uint32_t def = m.names->def[i];
    if (def != CUL_TEXT_NONE && !(def >= first && def < end) &&
        cul_text_starts(text, i, '%'))
      read_argument(&m, i, like, out);
  }
  release(&m);
}

static bool is_argument(const struct cul_text *text,
                        const struct cul_text_function *function,
                        uint32_t def) {
  return function->arguments != CUL_TEXT_NONE && def > function->arguments &&
         def < text->tokens[function->arguments].match;
}

/* Replace the uses of erased values by arguments of the function around the
 * use, with the type that the definition shows, in pretty and in generic form.
 * Uses of erased arguments and all calls stay unchanged.  A value without a
 * known type or without an enclosing function stays too: the check rejects the
 * candidate. */
static void fix_up_values(struct cul_text *text) {
  struct fixing m = {.text = text, .names = cul_text_names(text)};
  struct cul_text_function function;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t def = m.names->def[i];
    if (def != CUL_TEXT_NONE && def != i && !text->tokens[i].with &&
        cul_text_starts(text, i, '%') && cul_text_is_live(text, i) &&
        !cul_text_is_live(text, def) &&
        cul_text_function_around(text, cul_text_item_at(text, i), &function) &&
        cul_text_is_live(text, function.body) && function.symbol <= i &&
        !is_argument(text, &function, def))
      read_argument(&m, i, &function, NULL);
  }
  release(&m);
}

/* ---- the language ---- */

/* Replace "func.func @f" by "func.func private @f". */
static void declare(struct cul_text *text, uint32_t first, uint32_t brace) {
  uint32_t symbol = cul_text_header(text, text->tokens[first].line) - 1;
  struct cul_bytes name = cul_text_token(text, symbol);
  bool visible = !cul_bytes_start(cul_text_token(text, first), "llvm");
  (void)brace;
  for (uint32_t i = first; i < symbol; i++) {
    if (cul_text_token_is(text, i, "public"))
      cul_text_erase_token(text, i);
    visible &= !cul_text_is_word(text, i, " private nested ");
  }
  if (visible)
    cul_text_rewrite(text, symbol, "private %.*s", (int)name.len, name.data);
}

static void fix_up(struct cul_text *text) {
  cul_text_fix_up_edges(text);
  fix_up_values(text);
}

static const struct cul_text_edges edges = {.branches = {"br"},
                                            .condition = "cond_"};

static const struct cul_text_values values = {.type = cul_text_type_of_result,
                                              .before = 64};

const struct cul_text_language cul_text_mlir = {
    .name = "mlir",
    .edges = &edges,
    .values = &values,
    .declare = declare,
    .fix_up = fix_up,
};
