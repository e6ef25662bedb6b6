/* Values without definition become arguments: see text_mend.h. */
#include "text_mend.h"

#include <stdlib.h>
#include <string.h>

#include "text_terms.h"

/* A value that became an argument. */
struct moved {
  uint32_t def, number; /* the result's number, where it is one of several */
  uint32_t function;    /* its item */
  char *name;
};

struct mending {
  struct cul_text *text;
  const struct cul_text_names *names;
  struct moved *moved;
  size_t n;
  uint32_t fresh; /* names made so far */
};

/* Something stands in the list already. */
static bool has_elements(const struct cul_text *text, uint32_t open) {
  uint32_t close = text->tokens[open].match;
  const char *with = cul_text_replaced(text, close);
  for (uint32_t i = open + 1; i < close; i++)
    if (cul_text_is_live(text, i))
      return true;
  return with && strlen(with) > 1;
}

/* Write `what` before the ")" of the list. */
static void append(struct cul_text *text, uint32_t open, const char *what) {
  uint32_t close = text->tokens[open].match;
  const char *with = cul_text_replaced(text, close);
  char *new = cul_xasprintf("%.*s%s%s)", with ? (int)strlen(with) - 1 : 0,
                            with ? with : "",
                            has_elements(text, open) ? ", " : "", what);
  cul_text_rewrite(text, close, new);
  free(new);
}

/* A generic function without arguments has no "^bb0(...):" yet. */
static void add_label(struct cul_text *text, uint32_t body, const char *what) {
  const char *with = cul_text_replaced(text, body);
  char *new =
      with ? cul_xasprintf("%.*s, %s):", (int)strlen(with) - 2, with, what)
           : cul_xasprintf("{\n^bb0(%s):", what);
  cul_text_rewrite(text, body, new);
  free(new);
}

/* Append "name: type" to a list of arguments that ends with token close, and
 * type to the list of a generic function's type. */
static void add_argument(struct cul_text *text,
                         const struct cul_text_function *function, uint32_t def,
                         struct cul_bytes name, struct cul_bytes type) {
  struct cul_buf both = {0};
  char *alone = cul_xstrndup(type.data, type.len);
  cul_text_write_parameter(text, function, def, name, type, &both);
  if (function->arguments != CUL_TEXT_NONE)
    append(text, function->arguments, cul_buf_str(&both));
  else
    add_label(text, function->body, cul_buf_str(&both));
  if (function->type != CUL_TEXT_NONE)
    append(text, function->type, alone);
  cul_buf_release(&both);
  free(alone);
}

static bool is_known(const struct cul_text *text, const char *name) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (cul_text_token_is(text, i, name))
      return true;
  return false;
}

char *cul_text_fresh_name(const struct cul_text *text, uint32_t *next) {
  char *name = NULL;
  do {
    free(name);
    name = cul_xasprintf("%%_%u", (*next)++);
  } while (is_known(text, name));
  return name;
}

void cul_text_replace_use(struct cul_text *text, uint32_t use,
                          const char *name) {
  uint32_t number;
  bool numbered = cul_text_result_number(text, use, &number);
  if (cul_text_replace(text, use, name) && numbered)
    cul_text_replace(text, use + 1, "");
}

void cul_text_replace_uses(struct cul_text *text, uint32_t def, uint32_t number,
                           const char *name) {
  uint32_t which;
  for (uint32_t u = 0, use; cul_text_use(text, def, u, &use); u++) {
    cul_text_result_number(text, use, &which);
    if (which == number)
      cul_text_replace_use(text, use, name);
  }
}

/* The name as it stands where that is one name in the whole text, else a new
 * one: "%_7". */
static char *choose_name(struct mending *m, uint32_t def, bool numbered) {
  struct cul_bytes name = cul_text_token(m->text, def);
  if (!numbered && !m->names->shared[def])
    return cul_xstrndup(name.data, name.len);
  return cul_text_fresh_name(m->text, &m->fresh);
}

static const char *find(const struct mending *m, uint32_t def, uint32_t number,
                        uint32_t function) {
  for (size_t i = m->n; i-- > 0;)
    if (m->moved[i].def == def && m->moved[i].number == number &&
        m->moved[i].function == function)
      return m->moved[i].name;
  return NULL;
}

/* Takes the name. */
static const char *remember(struct mending *m, uint32_t def, uint32_t number,
                            uint32_t function, char *name) {
  m->moved = cul_xreallocarray(m->moved, m->n + 1, sizeof *m->moved);
  m->moved[m->n++] = (struct moved){def, number, function, name};
  return name;
}

static void release(struct mending *m) {
  for (size_t i = 0; i < m->n; i++)
    free(m->moved[i].name);
  free(m->moved);
}

/* Does a statement that stays name the function? */
static bool is_called(const struct mending *m,
                      const struct cul_text_function *function) {
  uint32_t symbol = function->symbol;
  if (symbol == CUL_TEXT_NONE)
    return false;
  for (uint32_t u = 0, use; cul_text_use(m->text, symbol, u, &use); u++)
    if (cul_text_is_live(m->text, use))
      return true;
  return false;
}

/* The name of an argument that the function has, of this type; heap; NULL:
 * none is. */
static char *find_argument(struct mending *m,
                           const struct cul_text_function *function,
                           struct cul_bytes type) {
  struct cul_buf other = {0};
  uint32_t first, end;
  char *found = NULL;
  if (function->arguments == CUL_TEXT_NONE)
    return NULL;
  for (uint32_t k = 0; !found && cul_text_element(m->text, function->arguments,
                                                  k, &first, &end);
       k++)
    for (; first < end; first++)
      if (m->names->def[first] == first && cul_text_is_live(m->text, first) &&
          cul_text_type_of(m->text, first, &other) &&
          cul_bytes_equal(cul_buf_bytes(&other), type)) {
        struct cul_bytes name = cul_text_token(m->text, first);
        found = cul_xstrndup(name.data, name.len);
        break;
      }
  cul_buf_release(&other);
  return found;
}

/* The name of the argument that stands for the value; NULL: there is none.
 * What is called keeps its arguments where one of them can stand in. */
static const char *move(struct mending *m, uint32_t def, uint32_t number,
                        bool numbered,
                        const struct cul_text_function *function) {
  const char *known = find(m, def, number, function->item);
  struct cul_buf type = {0};
  char *name;
  if (known || !cul_text_type_of_result(m->text, def, number, &type)) {
    cul_buf_release(&type);
    return known;
  }
  name = is_called(m, function)
             ? find_argument(m, function, cul_buf_bytes(&type))
             : NULL;
  if (name) {
    cul_buf_release(&type);
    return remember(m, def, number, function->item, name);
  }
  name = choose_name(m, def, numbered);
  add_argument(m->text, function, def, (struct cul_bytes){name, strlen(name)},
               cul_buf_bytes(&type));
  cul_buf_release(&type);
  return remember(m, def, number, function->item, name);
}

void cul_text_live_ins(struct cul_text *text, uint32_t first, uint32_t end,
                       const struct cul_text_function *like,
                       struct cul_buf *out) {
  const struct cul_text_names *names = cul_text_names(text);
  struct mending m = {.text = text, .names = names};
  struct cul_buf type = {0};
  for (uint32_t i = first; i < end; i++) {
    uint32_t def = names->def[i], number;
    bool numbered = cul_text_result_number(text, i, &number);
    const char *name;
    if (def == CUL_TEXT_NONE || (def >= first && def < end) ||
        !cul_text_starts(text, i, '%'))
      continue;
    name = find(&m, def, number, 0);
    if (!name && cul_text_type_of_result(text, def, number, &type)) {
      name = remember(&m, def, number, 0, choose_name(&m, def, numbered));
      cul_buf_adds(out, out->len ? ", " : "");
      cul_text_write_parameter(text, like, def,
                               (struct cul_bytes){name, strlen(name)},
                               cul_buf_bytes(&type), out);
    }
    if (name && !cul_text_token_is(text, i, name))
      cul_text_replace_use(text, i, name);
  }
  cul_buf_release(&type);
  release(&m);
}

static void mend_use(struct mending *m, uint32_t use) {
  struct cul_text *text = m->text;
  struct cul_text_function function;
  uint32_t def = m->names->def[use], number;
  bool numbered = cul_text_result_number(text, use, &number);
  const char *name;
  if (!cul_text_function_around(text, cul_text_item_at(text, use), &function) ||
      !cul_text_is_live(text, function.body) || function.symbol > use)
    return;
  name = move(m, def, number, numbered, &function);
  if (name && !cul_text_token_is(text, use, name))
    cul_text_replace_use(text, use, name);
}

void cul_text_mend_values(struct cul_text *text) {
  struct mending m = {.text = text, .names = cul_text_names(text)};
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t def = m.names->def[i];
    if (def != CUL_TEXT_NONE && def != i && !text->tokens[i].with &&
        cul_text_starts(text, i, '%') && cul_text_is_live(text, i) &&
        !cul_text_is_live(text, def))
      mend_use(&m, i);
  }
  release(&m);
}

void cul_text_mend(struct cul_text *text) {
  if (text->lang->indents)
    cul_text_mend_python(text);
  if (cul_text_is_mlir(text))
    cul_text_mend_values(text);
}
