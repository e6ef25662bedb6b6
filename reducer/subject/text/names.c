/* Definitions and uses of names: see names.h.
 *
 * A name of MLIR is visible in the region that defines it and in nested
 * regions; printers reuse names in sibling regions.  So a definition is stored
 * under (name, scope), and a use is looked up in the enclosing scopes,
 * innermost first.  The order within a scope does not matter (loops of blocks,
 * graph regions).  A scope is a body of items, or an item itself for the
 * arguments and induction variables that its header defines. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"

/* Maximal number of scopes in which a name is looked up. */
#define MAX_DEPTH 256

struct entry {
  uint32_t token, scope; /* token: the definition; CUL_TEXT_NONE: free */
};

/* The scope of a body. */
struct scope {
  uint32_t of;    /* a label's body is the scope of its siblings */
  uint32_t owner; /* the item that has this body, or NONE */
};

struct resolver {
  const struct cul_text *text;
  struct scope *scopes; /* index: group */
  struct entry *table;
  size_t mask;
  uint32_t *def, *clash;
  bool *shared;
};

/* The scope of names that are visible everywhere. */
#define EVERYWHERE (CUL_TEXT_NONE - 1)

static uint32_t item_scope(const struct resolver *r, uint32_t item) {
  return r->text->n_groups + item;
}

static uint32_t body_scope(const struct resolver *r, uint32_t item) {
  return r->scopes[r->text->items[item].group].of;
}

/* The enclosing scope, or CUL_TEXT_NONE. */
static uint32_t outer(const struct resolver *r, uint32_t scope) {
  if (scope >= r->text->n_groups)
    return body_scope(r, scope - r->text->n_groups);
  return r->scopes[scope].owner == CUL_TEXT_NONE
             ? CUL_TEXT_NONE
             : item_scope(r, r->scopes[scope].owner);
}

static void find_scopes(struct resolver *r) {
  const struct cul_text_item *items = r->text->items;
  r->scopes = cul_xcalloc(r->text->n_groups, sizeof *r->scopes);
  for (size_t i = 0; i < r->text->n_items; i++) {
    uint32_t parent = items[i].parent, group = items[i].group;
    bool label = parent != CUL_TEXT_NONE && items[parent].label;
    if (items[i].starts)
      r->scopes[group] =
          (struct scope){label ? body_scope(r, parent) : group, parent};
  }
}

/* The bytes of a name without sigil and quotes: "f", @"f" and @f are the same
 * name. */
static struct cul_bytes name_of(const struct cul_text *text, uint32_t token) {
  struct cul_bytes name = cul_text_token(text, token);
  if (name.len && strchr("%@^#!", name.data[0])) {
    name.data++;
    name.len--;
  }
  if (name.len >= 2 && name.data[0] == '"') {
    name.data++;
    name.len -= 2;
  }
  return name;
}

/* The kind of a name.  Values, symbols, blocks and aliases have separate names;
 * labels of LLVM are values without a sigil, symbols of generic MLIR are
 * strings. */
static char kind_of(const struct cul_text *text, uint32_t token) {
  char c = text->bytes[text->tokens[token].start];
  return c == '"' ? '@' : strchr("@^#!", c) ? c : '%';
}

static bool same_name(const struct resolver *r, uint32_t a, uint32_t b) {
  return kind_of(r->text, a) == kind_of(r->text, b) &&
         cul_bytes_equal(name_of(r->text, a), name_of(r->text, b));
}

/* The entry of (name, scope), or the free one for it. */
static struct entry *locate(const struct resolver *r, uint32_t token,
                            uint32_t scope) {
  struct cul_bytes name = name_of(r->text, token);
  size_t at = cul_digest_of(name.data, name.len).w[0] + scope * 0x9e3779b9u;
  for (;; at++) {
    struct entry *e = &r->table[at & r->mask];
    if (e->token == CUL_TEXT_NONE ||
        (e->scope == scope && same_name(r, e->token, token)))
      return e;
  }
}

static void define(struct resolver *r, uint32_t token, uint32_t scope) {
  struct entry *e = locate(r, token, scope);
  if (e->token == CUL_TEXT_NONE)
    *e = (struct entry){.token = token, .scope = scope};
  else if (e->token != token && *r->clash == CUL_TEXT_NONE &&
           (kind_of(r->text, token) == '%' || kind_of(r->text, token) == '^'))
    *r->clash = token;
  r->def[token] = token;
  e = locate(r, token, EVERYWHERE);
  if (e->token == CUL_TEXT_NONE)
    *e = (struct entry){.token = token, .scope = EVERYWHERE};
  else if (e->token != token)
    r->shared[e->token] = r->shared[token] = true;
}

/* MLIR: is the value labelled with the name of a parameter, as in "a: %x"? */
static bool is_labelled(const struct cul_text *text, uint32_t token) {
  return token >= 2 && cul_text_is_char(text, token - 1, ':') &&
         cul_text_is_plain(text, token - 2);
}

/* Is token i an argument: "%x:", or "%x =" after the start of a line; among the
 * parameters of a function, "%x :"? */
static bool is_argument(const struct cul_text *text, uint32_t i, uint32_t end,
                        bool parameter) {
  const struct cul_token *t = &text->tokens[i];
  if (i + 1 >= end || !cul_text_is_marked(text, i, '%') || is_labelled(text, i))
    return false;
  return cul_text_is_char(text, i + 1, '=') ||
         (cul_text_is_char(text, i + 1, ':') &&
          (parameter || t[1].start == t->start + t->len));
}

/* The end of the parameters in the line from token *first on.  Without
 * parameters, *first is set to the end. */
static uint32_t parameters_end(const struct cul_text *text, uint32_t line,
                               uint32_t *first) {
  const struct cul_text_item *item = &text->items[text->lines[line].item];
  bool more = item->list && item->parent != CUL_TEXT_NONE;
  uint32_t header = more ? text->items[item->parent].first : line, open;
  *first = 0;
  if (!text->lang->dimensions)
    return 0;
  open = cul_text_header(text, header);
  if (open == CUL_TEXT_NONE || text->tokens[open].match == CUL_TEXT_NONE)
    return 0;
  *first = open;
  return text->tokens[open].match;
}

/* The end of a list at token i that defines values, "(%i, %j) =" or "(%i, %j)
 * in"; i: it is not one. */
static uint32_t tuple_end(const struct cul_text *text, uint32_t i,
                          uint32_t end) {
  uint32_t close = text->tokens[i].match;
  return cul_text_is_char(text, i, '(') && close != CUL_TEXT_NONE &&
                 close + 1 < end &&
                 (cul_text_is_char(text, close + 1, '=') ||
                  cul_text_token_is(text, close + 1, "in"))
             ? close
             : i;
}

/* The scope of the arguments that a line defines. */
static uint32_t argument_scope(const struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  uint32_t item = text->lines[line].item;
  const struct cul_text_item *it = &text->items[item];
  if (it->label)
    return body_scope(r, item);
  /* a line of a long argument list is an item inside its operation */
  if (it->first == line && it->end == line + 1 && it->parent != CUL_TEXT_NONE &&
      cul_text_is_marked(text, text->lines[line].first, '%'))
    return item_scope(r, it->parent);
  return item_scope(r, item);
}

static void define_symbols(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if ((cul_text_is_marked(text, i, '@') ||
         text->tokens[i].kind == CUL_TOKEN_STRING) &&
        cul_text_defines_symbol(text, line, i)) {
      define(r, i, 0);
      return;
    }
}

/* Add the definition of an alias: "#map = ...", "!t = ..."; in LLVM IR "!0 =
 * ...", "attributes #0 = ...". */
static void define_alias(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  uint32_t i = text->lines[line].first;
  uint32_t end = i + text->lines[line].n;
  i += cul_text_token_is(text, i, "attributes");
  if (i + 1 < end && cul_text_is_alias(text, i) &&
      cul_text_is_char(text, i + 1, '='))
    define(r, i, 0);
}

/* Add the definitions of a line.  In the header of an LLVM IR function, every
 * name is an argument. */
static void define_line(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  const struct cul_line *l = &text->lines[line];
  uint32_t end = l->first + l->n, results = l->first, list;
  uint32_t list_end = parameters_end(text, line, &list);
  bool llvm =
      cul_text_is(text, "llvm") && cul_text_token_is(text, l->first, "define");
  define_symbols(r, line);
  define_alias(r, line);
  if (cul_text_results(text, line, &results))
    for (uint32_t i = l->first; i < results; i++)
      if (cul_text_is_marked(text, i, '%'))
        define(r, i, body_scope(r, l->item));
  for (uint32_t i = results, tuple = i; i < end; i++) {
    if (i >= tuple)
      tuple = tuple_end(text, i, end);
    if (is_argument(text, i, end, i > list && i < list_end) ||
        ((i < tuple || llvm) && cul_text_is_marked(text, i, '%')))
      define(r, i, llvm ? item_scope(r, l->item) : argument_scope(r, line));
  }
  if (l->n >= 2 && text->items[l->item].label)
    define(r, l->first, body_scope(r, l->item));
}

/* The token after the name of an instruction, also of "@%p1 add.s32"; NONE: the
 * line is not an instruction. */
static uint32_t ptx_operands(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t i = l->first, end = l->first + l->n;
  while (i < end &&
         (cul_text_is_char(text, i, '@') || cul_text_is_char(text, i, '!') ||
          cul_text_is_marked(text, i, '%')))
    i++;
  return i < end && text->tokens[i].kind == CUL_TOKEN_WORD &&
                 !cul_text_is_marked(text, i, '.') &&
                 !cul_text_is_marked(text, i, '$')
             ? i + 1
             : CUL_TEXT_NONE;
}

/* Add the definition of a PTX line.  The first operand of an instruction is its
 * destination, unless it is an address.  A register may be written more than
 * once: the first line defines it, and the others use it, so that they are
 * erased with it. */
static void define_ptx(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  const struct cul_line *l = &text->lines[line];
  uint32_t scope = body_scope(r, l->item);
  uint32_t i = ptx_operands(text, line), end = l->first + l->n;
  bool vector = i < end && cul_text_is_char(text, i, '{');
  if (i == CUL_TEXT_NONE)
    return;
  for (i += vector; i < end && cul_text_is_marked(text, i, '%'); i += 2) {
    if (locate(r, i, scope)->token == CUL_TEXT_NONE)
      define(r, i, scope);
    if (i + 1 >= end || !cul_text_is_char(text, i + 1, vector ? ',' : '|'))
      break;
  }
}

static uint32_t resolve(const struct resolver *r, uint32_t token,
                        uint32_t scope) {
  for (int i = 0; i < MAX_DEPTH && scope != CUL_TEXT_NONE; i++) {
    const struct entry *e = locate(r, token, scope);
    if (e->token != CUL_TEXT_NONE)
      return e->token;
    scope = outer(r, scope);
  }
  return CUL_TEXT_NONE;
}

/* Is the token the name of a value, and not the y of x.y? */
static bool names_value(const struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_WORD &&
         cul_text_is_value(cul_text_token(text, token)) &&
         !cul_text_is_char(text, token - 1, '.');
}

/* Add the definitions of "T1, T2 = fd. ...", which are visible in the
 * function. */
static void define_nvfuser(struct resolver *r, uint32_t line) {
  const struct cul_line *l = &r->text->lines[line];
  uint32_t i = l->first, end = l->first + l->n;
  while (i < end &&
         (names_value(r->text, i) || cul_text_is_char(r->text, i, ',')))
    i++;
  if (!cul_text_is_char(r->text, i, '=') ||
      !cul_text_token_is(r->text, i + 1, "fd"))
    return;
  while (i-- > l->first)
    if (names_value(r->text, i))
      define(r, i, body_scope(r, l->item));
}

/* Resolve names to earlier definitions only. */
static void resolve_nvfuser(struct resolver *r, uint32_t line) {
  const struct cul_line *l = &r->text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (r->def[i] == CUL_TEXT_NONE && names_value(r->text, i)) {
      uint32_t def = resolve(r, i, item_scope(r, l->item));
      r->def[i] = def != CUL_TEXT_NONE && r->text->tokens[def].line < line
                      ? def
                      : CUL_TEXT_NONE;
    }
}

static void resolve_line(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  const struct cul_line *l = &text->lines[line];
  bool whole = cul_text_is(text, "spirv");
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (r->def[i] != CUL_TEXT_NONE || text->tokens[i].kind != CUL_TOKEN_WORD)
      continue;
    else if (cul_text_starts(text, i, '@') || cul_text_is_alias(text, i))
      r->def[i] = resolve(r, i, 0);
    else if (cul_text_starts(text, i, '%') || cul_text_starts(text, i, '^'))
      r->def[i] = resolve(r, i, whole ? 0 : item_scope(r, l->item));
}

static void list_uses(const struct cul_text *text,
                      struct cul_text_names *names) {
  CUL_HEAP uint32_t *at = cul_xcalloc(text->n_tokens + 2, sizeof *at);
  size_t n = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (names->def[i] != CUL_TEXT_NONE && names->def[i] != i)
      at[names->def[i] + 1]++, n++;
  for (size_t i = 1; i <= text->n_tokens; i++)
    at[i] += at[i - 1];
  names->uses = cul_xreallocarray(NULL, n + 1, sizeof *names->uses);
  names->first_use =
      cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *names->first_use);
  memcpy(names->first_use, at, (text->n_tokens + 1) * sizeof *at);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (names->def[i] != CUL_TEXT_NONE && names->def[i] != i)
      names->uses[at[names->def[i]]++] = i;
}

static void make_table(struct resolver *r) {
  size_t size = 64;
  while (size < 4 * r->text->n_tokens)
    size *= 2;
  r->table = cul_xreallocarray(NULL, size, sizeof *r->table);
  for (size_t i = 0; i < size; i++)
    r->table[i].token = CUL_TEXT_NONE;
  r->mask = size - 1;
}

static bool has_names(const struct cul_text *text) {
  return cul_text_is(text, "ptx") || cul_text_is(text, "spirv") ||
         cul_text_is(text, "nvfuser") ||
         (strchr(text->lang->sigils, '@') && *text->lang->sigils);
}

/* Add the definition of "%x =", which is visible in the whole module. */
static void define_spirv(struct resolver *r, uint32_t line) {
  const struct cul_line *l = &r->text->lines[line];
  if (l->n > 2 && cul_text_is_marked(r->text, l->first, '%') &&
      cul_text_is_char(r->text, l->first + 1, '='))
    define(r, l->first, 0);
}

static void find_definitions(const struct cul_text *text,
                             struct cul_text_names *names) {
  struct resolver r = {.text = text,
                       .def = names->def,
                       .clash = &names->clash,
                       .shared = names->shared};
  bool ptx = cul_text_is(text, "ptx"), spirv = cul_text_is(text, "spirv");
  bool nvfuser = cul_text_is(text, "nvfuser");
  find_scopes(&r);
  make_table(&r);
  for (uint32_t i = 0; i < text->n_lines; i++)
    if (text->lines[i].n)
      (ptx       ? define_ptx
       : spirv   ? define_spirv
       : nvfuser ? define_nvfuser
                 : define_line)(&r, i);
  for (uint32_t i = 0; i < text->n_lines; i++)
    (nvfuser ? resolve_nvfuser : resolve_line)(&r, i);
  free(r.scopes);
  free(r.table);
}

const struct cul_text_names *cul_text_names(struct cul_text *text) {
  struct cul_text_names *names = text->names;
  if (names)
    return names;
  names = cul_xcalloc(1, sizeof *names);
  names->clash = CUL_TEXT_NONE;
  names->def = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *names->def);
  names->shared = cul_xcalloc(text->n_tokens + 1, sizeof *names->shared);
  for (size_t i = 0; i <= text->n_tokens; i++)
    names->def[i] = CUL_TEXT_NONE;
  if (has_names(text))
    find_definitions(text, names);
  list_uses(text, names);
  return text->names = names;
}

bool cul_text_use(struct cul_text *text, uint32_t def, uint32_t i,
                  uint32_t *use) {
  const struct cul_text_names *names = cul_text_names(text);
  if (names->first_use[def] + i >= names->first_use[def + 1])
    return false;
  *use = names->uses[names->first_use[def] + i];
  return true;
}
