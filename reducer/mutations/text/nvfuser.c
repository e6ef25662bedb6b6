/* Mutations of nvFuser definitions: make extents and types smaller everywhere,
 * drop dimensions together with strides and the list of inputs, and replace
 * uses of vectors by their content. */
#include <string.h>

#include "../../subject/text/language/declarations.h"
#include "../../subject/text/language/language.h"
#include "../../subject/text/nvfuser.h"
#include "sites.h"

/* Lists that operations take as named arguments. */
enum { SHAPE, NEW_SHAPE, ENDS, STARTS, STRIDES, BROADCAST, DIMS, DIM, N_LISTS };
static const struct {
  const char *name;
  bool of; /* concerns the dimensions of the first operand, not of the result */
  bool numbers; /* contains numbers of dimensions, not an element per dimension
                 */
} lists[N_LISTS] = {
    {"shape", false, false},      {"new_shape", false, false},
    {"end_indices", true, false}, {"start_indices", true, false},
    {"strides", true, false},     {"broadcast_dims", false, true},
    {"dims", true, true},         {"dim", false, true},
};

/* Find the first token of argument `name`; false if there is none. */
static bool find_argument(const struct cul_text *text,
                          const struct cul_nvfuser_op *op, const char *name,
                          uint32_t *first) {
  uint32_t end;
  return cul_text_nvfuser_argument(text, op, name, CUL_TEXT_NONE, first, &end);
}

/* The same, but only a list. */
static bool find_list(const struct cul_text *text,
                      const struct cul_nvfuser_op *op, const char *name,
                      uint32_t *open) {
  return find_argument(text, op, name, open) &&
         cul_text_opens(text, *open, '[');
}

/* ---- extents ---- */

/* A change of an extent, and everything that changes with it. */
struct extents {
  struct cul_text *text;
  uint64_t from, to;
  bool scale; /* also scale extents that divide it or that it divides */
};

/* The new value of the number n. */
static uint64_t changed(const struct extents *e, uint64_t n) {
  if (n == e->from)
    return e->to;
  if (e->scale && n > 1 && (n % e->from == 0 || e->from % n == 0) &&
      n * e->to % e->from == 0)
    return n * e->to / e->from;
  return n;
}

static bool change(const struct extents *e, uint32_t token) {
  uint64_t n;
  return cul_text_nvfuser_number(e->text, token, &n) && changed(e, n) != n &&
         cul_text_nvfuser_put(e->text, token, changed(e, n));
}

static bool is_list(const struct cul_text *text, uint32_t open) {
  return cul_text_opens(text, open, '[') || cul_text_opens(text, open, '(');
}

/* Change each element of a list. */
static bool change_list(const struct extents *e, uint32_t open) {
  uint32_t first, end;
  bool any = false;
  if (!is_list(e->text, open))
    return false;
  for (uint32_t k = 0; cul_text_element(e->text, open, k, &first, &end); k++)
    any |= change(e, first);
  return any;
}

/* only: the single token of the sizes to change, or NONE. */
static bool change_entry(const struct extents *e,
                         const struct cul_nvfuser_entry *entry, uint32_t only) {
  uint32_t first, end;
  struct cul_nvfuser_layout l;
  bool any = false;
  if (entry->size == CUL_TEXT_NONE)
    return false;
  if (entry->stride == CUL_TEXT_NONE)
    return only == CUL_TEXT_NONE
               ? change_list(e, entry->size)
               : only > entry->size &&
                     only < e->text->tokens[entry->size].match &&
                     change(e, only);
  if (!cul_text_nvfuser_read(e->text, entry, &l))
    return false;
  for (uint32_t d = 0;
       d < l.n && cul_text_element(e->text, entry->size, d, &first, &end); d++)
    if (only == CUL_TEXT_NONE || only == first) {
      l.new[d] = changed(e, l.old[d]);
      any |= l.new[d] != l.old[d];
    }
  if (any)
    cul_text_nvfuser_write(e->text, entry, &l);
  return any;
}

/* The position of dimension d among n dimensions in the order of the strides,
 * in which the contiguity is listed. */
static uint32_t place_of(const struct cul_text *text,
                         const struct cul_nvfuser_op *op, uint32_t d,
                         uint32_t n) {
  uint32_t order, end, first;
  uint64_t at;
  return find_list(text, op, "stride_order", &order) &&
                 cul_text_element(text, order, d, &first, &end) &&
                 cul_text_nvfuser_number(text, first, &at) && at < n
             ? n - 1 - (uint32_t)at
             : d;
}

/* Change the shape of an input.  An extent of 1 becomes a broadcast dimension,
 * which has no contiguity. */
static bool change_shape(const struct extents *e,
                         const struct cul_nvfuser_op *op) {
  uint32_t shape, contiguity, end, first, n, at;
  bool any = false;
  uint64_t was;
  if (!find_list(e->text, op, "shape", &shape) ||
      !find_argument(e->text, op, "contiguity", &contiguity))
    return false;
  n = cul_text_elements(e->text, shape);
  for (uint32_t d = 0; d < n; d++) {
    cul_text_element(e->text, shape, d, &first, &end);
    if (!cul_text_nvfuser_number(e->text, first, &was) || !change(e, first))
      continue;
    any = true;
    if (changed(e, was) == 1 && cul_text_opens(e->text, contiguity, '[') &&
        cul_text_element(e->text, contiguity, place_of(e->text, op, d, n), &at,
                         &end))
      cul_text_rewrite(e->text, at, "None");
  }
  return any;
}

static bool change_op(const struct extents *e,
                      const struct cul_nvfuser_op *op) {
  uint32_t first;
  bool any = false;
  if (cul_text_token_is(e->text, op->name, "define_tensor"))
    return change_shape(e, op);
  if (cul_text_token_is(e->text, op->name, "define_vector"))
    return change_list(e, op->open + 1);
  if (cul_text_token_is(e->text, op->name, "define_scalar"))
    return change(e, op->open + 1);
  for (size_t i = SHAPE; i <= (e->scale ? STARTS : ENDS); i++)
    if (find_argument(e->text, op, lists[i].name, &first))
      any |= change_list(e, first);
  return any;
}

/* The detail of a site: a token of the sizes of an input, the new number, and
 * which other extents change with it. */
enum { TO = 3, SCALE = 4, ALONE = 8 };

static bool shrink(struct cul_text *text, uint64_t detail) {
  uint32_t token = cul_text_high(detail), how = (uint32_t)detail;
  uint32_t only = how & ALONE ? token : CUL_TEXT_NONE;
  uint32_t open = cul_text_nvfuser_inputs(text);
  struct cul_nvfuser_entry entry;
  struct extents e = {.text = text, .to = how & TO, .scale = how & SCALE};
  bool any = false;
  if (!cul_text_nvfuser_number(text, token, &e.from) || e.from <= e.to)
    return false;
  for (uint32_t k = 0; cul_text_nvfuser_entry_at(text, open, k, &entry); k++)
    any |= change_entry(&e, &entry, only);
  for (uint32_t line = 0; !(how & ALONE) && line < text->n_lines; line++) {
    struct cul_nvfuser_op op;
    if (cul_text_nvfuser_op(text, line, &op))
      any |= change_op(&e, &op);
  }
  return any;
}

/* Is the token an extent: of an input, in a vector, or in a list for the result
 * of an operation? */
static bool is_extent(const struct cul_text *text, uint32_t open,
                      uint32_t token) {
  struct cul_nvfuser_entry entry;
  struct cul_nvfuser_op op;
  uint32_t list;
  for (uint32_t k = 0; cul_text_nvfuser_entry_at(text, open, k, &entry); k++)
    if (entry.size < token && token < text->tokens[entry.size].match)
      return true;
  if (!cul_text_nvfuser_op(text, text->tokens[token].line, &op))
    return false;
  if (cul_text_is_word(text, op.name, " define_scalar define_vector "))
    return token > op.open;
  for (size_t i = SHAPE; i <= NEW_SHAPE; i++)
    if (find_list(text, &op, lists[i].name, &list))
      return list < token && token < text->tokens[list].match;
  return false;
}

/* Does an operation compute extents from others, as a product or a part? */
static bool computes(const struct cul_text *text) {
  struct cul_nvfuser_op op;
  for (uint32_t line = 0; line < text->n_lines; line++)
    if (cul_text_nvfuser_op(text, line, &op) &&
        cul_text_is_word(text, op.name, " reshape slice cat pad "))
      return true;
  return false;
}

static bool is_size(const struct cul_text *text, uint32_t token,
                    const void *open) {
  uint64_t n;
  return cul_text_nvfuser_number(text, token, &n) && n > 1 &&
         is_extent(text, *(const uint32_t *)open, token);
}

/* Add a site that changes a single extent of an input. */
static void add_alone(struct cul_text *text, uint32_t open, uint32_t to,
                      struct cul_sites *out) {
  struct cul_nvfuser_entry entry;
  uint32_t a, b;
  uint64_t n;
  for (uint32_t k = 0; cul_text_nvfuser_entry_at(text, open, k, &entry); k++)
    for (uint32_t d = 0; entry.size != CUL_TEXT_NONE &&
                         cul_text_element(text, entry.size, d, &a, &b);
         d++)
      if (cul_text_nvfuser_number(text, a, &n) && n > to)
        cul_sites_add(out, NULL, cul_text_two(a, to | ALONE), 1);
}

/* List the sites of extents: first changes everywhere, then including computed
 * extents, then alone. */
static void list_sizes(struct cul_text *text, struct cul_sites *out) {
  uint32_t open = cul_text_nvfuser_inputs(text);
  CUL_OWNED(cul_text_words) words = {0};
  bool scale;
  if (!cul_text_is_nvfuser(text))
    return;
  scale = computes(text);
  cul_text_words_sort(text, is_size, &open, &words);
  for (uint32_t to = 1; to <= 2; to++) {
    for (size_t i = 0, end; i < words.n; i = end) {
      uint32_t token = words.items[i];
      uint64_t n = 0;
      end = cul_text_words_find(text, &words, cul_text_token(text, token), &i);
      if (!cul_text_nvfuser_number(text, token, &n) || n <= to)
        continue;
      cul_sites_add(out, NULL, cul_text_two(token, to), 2);
      if (scale)
        cul_sites_add(out, NULL, cul_text_two(token, to | SCALE), 2);
    }
    add_alone(text, open, to, out);
  }
}

CUL_TEXT(text_shrink_extents, .list = list_sizes, .edit = shrink,
         .whole = true);

/* ---- vectors ---- */

/* Is the line "V3 = fd.define_vector([S1, S2], ...)"? */
static bool is_vector(struct cul_text *text, uint32_t line,
                      struct cul_nvfuser_op *op) {
  return cul_text_nvfuser_op(text, line, op) &&
         op->equals == text->lines[line].first + 1 &&
         cul_text_token_is(text, op->name, "define_vector") &&
         cul_text_opens(text, op->open + 1, '[');
}

static uint32_t vector(struct cul_text *text, uint32_t item) {
  struct cul_nvfuser_op op;
  return is_vector(text, text->items[item].first, &op)
             ? cul_text_item_weight(text, item)
             : 0;
}

static bool inline_vector(struct cul_text *text, uint64_t item) {
  uint32_t line = text->items[item].first, def = text->lines[line].first;
  uint32_t first, end;
  const struct cul_nvfuser_shape *shape =
      &cul_text_nvfuser_shapes(text)->of[def];
  struct cul_nvfuser_op op;
  CUL_OWNED(cul_buf) with = {0};
  if (!is_vector(text, line, &op))
    return false;
  for (uint32_t k = 0; cul_text_element(text, op.open + 1, k, &first, &end);
       k++) {
    struct cul_bytes word = cul_text_now(text, first);
    cul_buf_adds(&with, k ? ", " : "[");
    if ((int)k < shape->rank && shape->dims[k] >= 0)
      cul_buf_addf(&with, "%lld", (long long)shape->dims[k]);
    else
      cul_buf_add(&with, word.data, word.len);
  }
  cul_buf_adds(&with, with.len ? "]" : "[]");
  for (uint32_t u = 0, use; cul_text_use(text, def, u, &use); u++)
    cul_text_replace(text, use, with.data);
  return cul_text_erase_line(text, line);
}

CUL_TEXT(text_inline_vectors, .items = vector, .edit = inline_vector,
         .whole = true);

/* ---- types ---- */

static const struct {
  const char *nvfuser, *torch;
} types[] = {
    {"Double", "float64"}, {"BFloat16", "bfloat16"}, {"Half", "float16"}};
enum { ALL = CUL_ARRAY_SIZE(types) };

/* Is the token the T of DataType.T or torch.T, and T not Float? */
static uint32_t type_at(const struct cul_text *text, uint32_t token) {
  bool torch = cul_text_token_is(text, token - 2, "torch");
  if (token < 2 || !cul_text_is_char(text, token - 1, '.') ||
      (!torch && !cul_text_token_is(text, token - 2, "DataType")))
    return ALL;
  for (uint32_t k = 0; k < ALL; k++)
    if (cul_text_token_is(text, token,
                          torch ? types[k].torch : types[k].nvfuser))
      return k;
  return ALL;
}

static void list_types(struct cul_text *text, struct cul_sites *out) {
  uint32_t n[ALL + 1] = {0}, kinds = 0;
  for (uint32_t i = 0; cul_text_is_nvfuser(text) && i < text->n_tokens; i++) {
    uint32_t type = type_at(text, i);
    n[type] += type < ALL;
    n[ALL] += type < ALL;
  }
  for (uint32_t k = 0; k < ALL; k++)
    kinds += n[k] > 0;
  if (kinds > 1)
    cul_sites_add(out, NULL, ALL, n[ALL]);
  for (uint32_t k = 0; k < ALL; k++)
    if (n[k])
      cul_sites_add(out, NULL, k, n[k]);
}

static bool widen(struct cul_text *text, uint64_t which) {
  bool any = false;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t type = type_at(text, i);
    if (type < ALL && (which == ALL || which == type))
      any |= cul_text_replace(
          text, i,
          cul_text_token_is(text, i - 2, "torch") ? "float32" : "Float");
  }
  return any;
}

CUL_TEXT(text_float_types, .list = list_types, .edit = widen, .whole = true);

/* ---- dimensions ---- */

/* List the classes of dimensions that occur in an input, provided that each
 * tensor keeps another dimension. */
static void list_axes(struct cul_text *text, struct cul_sites *out) {
  const struct cul_nvfuser_shapes *shapes;
  struct cul_nvfuser_op op;
  /* index: axis; it must stay, or already has its site */
  CUL_HEAP bool *done = NULL;
  if (!cul_text_is_nvfuser(text))
    return;
  shapes = cul_text_nvfuser_shapes(text);
  done = cul_xcalloc(shapes->n_axes + 1, sizeof *done);
  memcpy(done, shapes->pinned, shapes->n_axes * sizeof *done);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (shapes->of[i].rank == 1 && cul_text_names(text)->def[i] == i &&
        cul_text_starts(text, i, 'T'))
      done[shapes->of[i].axes[0]] = true;
  for (uint32_t line = 0; line < text->n_lines; line++) {
    uint32_t def = text->lines[line].first;
    if (!cul_text_nvfuser_op(text, line, &op) || op.equals == CUL_TEXT_NONE ||
        !cul_text_starts(text, def, 'T'))
      continue;
    for (int d = 0; d < shapes->of[def].rank; d++) {
      uint32_t axis = shapes->of[def].axes[d];
      if (!done[axis])
        cul_sites_add(out, NULL, axis, 4);
      done[axis] = true;
    }
  }
}

/* ---- dropping a dimension ---- */

struct drop {
  struct cul_text *text;
  const struct cul_nvfuser_shapes *shapes;
  uint32_t axis;
};

/* A statement with its first result and its first operand. */
struct made {
  struct cul_nvfuser_op op;
  uint32_t result, of; /* NONE: not a tensor */
};

static bool read_made(const struct drop *drop, uint32_t line,
                      struct made *out) {
  uint32_t first, end;
  out->result = out->of = CUL_TEXT_NONE;
  if (!cul_text_nvfuser_op(drop->text, line, &out->op))
    return false;
  if (out->op.equals != CUL_TEXT_NONE)
    out->result = drop->text->lines[line].first;
  if (cul_text_nvfuser_argument(drop->text, &out->op, NULL, 0, &first, &end) &&
      cul_text_starts(drop->text, first, 'T'))
    out->of = cul_text_names(drop->text)->def[first];
  return true;
}

/* The dimensions to drop from the tensor that token def defines, as bits. */
static uint32_t gone_of(const struct drop *drop, uint32_t def) {
  const struct cul_nvfuser_shape *shape;
  uint32_t gone = 0;
  if (def == CUL_TEXT_NONE)
    return 0;
  shape = &drop->shapes->of[def];
  for (int d = 0; d < CUL_NVFUSER_RANK; d++)
    gone |= (uint32_t)(d < shape->rank && shape->axes[d] == drop->axis) << d;
  return gone;
}

/* Drop the elements of a list whose bits are set.  A tuple with one remaining
 * element keeps its comma. */
static void drop_elements(struct cul_text *text, uint32_t open, uint32_t gone,
                          uint32_t n) {
  uint32_t first, end, left = 0, last = CUL_TEXT_NONE;
  if (!is_list(text, open))
    return;
  for (uint32_t k = 0; k < n && cul_text_element(text, open, k, &first, &end);
       k++)
    if (gone >> k & 1) {
      cul_text_erase_element(text, first, end);
    } else {
      left++;
      last = first;
    }
  if (left == 1 && n > 1 && cul_text_opens(text, open, '(')) {
    struct cul_bytes now = cul_text_now(text, last);
    cul_text_rewrite(text, last, "%.*s,", (int)now.len, now.data);
  }
}

/* Renumber the dimension of def at the token, if it is one, because dropped
 * dimensions before it no longer count. */
static void renumber(const struct drop *drop, uint32_t def, uint32_t token) {
  uint64_t n, to;
  if (!cul_text_nvfuser_number(drop->text, token, &n) || n >= CUL_NVFUSER_RANK)
    return;
  to = n - (uint64_t)__builtin_popcount(gone_of(drop, def) & ((1u << n) - 1));
  if (to != n)
    cul_text_nvfuser_put(drop->text, token, to);
}

/* Update an argument of the statement.  The lists of permute and
 * broadcast_in_dim have a number for each dimension of the other tensor. */
static void drop_in_list(const struct drop *drop, const struct made *m,
                         size_t list) {
  struct cul_text *text = drop->text;
  uint32_t def = lists[list].of ? m->of : m->result, open, end, first;
  bool permutes = cul_text_token_is(text, m->op.name, "permute");
  uint32_t by = list == BROADCAST ? m->of
                : permutes        ? m->result
                                  : CUL_TEXT_NONE;
  uint32_t gone = gone_of(drop, lists[list].numbers ? by : def);
  if (!find_argument(text, &m->op, lists[list].name, &open))
    return;
  if (list == DIM)
    renumber(drop, def, open);
  if (lists[list].numbers && !cul_text_opens(text, open, '['))
    return;
  for (uint32_t k = 0; lists[list].numbers && k < CUL_NVFUSER_RANK &&
                       cul_text_element(text, open, k, &first, &end);
       k++) {
    uint64_t d;
    if (!cul_text_nvfuser_number(text, first, &d) || d >= CUL_NVFUSER_RANK)
      gone &= ~(1u << k);
    else if (by == CUL_TEXT_NONE)
      gone |= (gone_of(drop, def) >> d & 1) << k;
    if (!(gone >> k & 1))
      renumber(drop, def, first);
  }
  drop_elements(text, open, gone, CUL_NVFUSER_RANK);
}

/* Update entry k, that of the input that token def defines. */
static void drop_in_entry(const struct drop *drop, uint32_t k, uint32_t def) {
  struct cul_text *text = drop->text;
  uint32_t gone = gone_of(drop, def);
  struct cul_nvfuser_entry entry;
  struct cul_nvfuser_layout l;
  if (!cul_text_nvfuser_entry_at(text, cul_text_nvfuser_inputs(text), k,
                                 &entry) ||
      entry.size == CUL_TEXT_NONE)
    return;
  if (entry.stride != CUL_TEXT_NONE &&
      cul_text_nvfuser_read(text, &entry, &l)) {
    for (uint32_t d = 0; d < l.n; d++)
      l.new[d] = gone >> d & 1 ? 1 : l.old[d];
    cul_text_nvfuser_write(text, &entry, &l);
    drop_elements(text, entry.stride, gone, CUL_NVFUSER_RANK);
  }
  drop_elements(text, entry.size, gone, CUL_NVFUSER_RANK);
}

/* Update the contiguity, which is listed in the order of the strides, and
 * renumber that order. */
static void drop_in_tensor(const struct drop *drop, const struct made *m) {
  struct cul_text *text = drop->text;
  int rank = m->result == CUL_TEXT_NONE ? -1 : drop->shapes->of[m->result].rank;
  uint32_t n = rank < 0 ? 0 : (uint32_t)rank, open, end, first;
  uint32_t gone = gone_of(drop, m->result), places = 0;
  for (uint32_t d = 0; d < n; d++)
    places |= (gone >> d & 1) << place_of(text, &m->op, d, n);
  if (find_argument(text, &m->op, "contiguity", &open))
    drop_elements(text, open, places, n);
  if (!find_list(text, &m->op, "stride_order", &open))
    return;
  for (uint32_t d = 0; d < n; d++) {
    uint64_t order, lower;
    if (gone >> d & 1 || !cul_text_element(text, open, d, &first, &end) ||
        !cul_text_nvfuser_number(text, first, &order) || order >= n)
      continue;
    /* positions are counted from the end */
    lower = (uint64_t)__builtin_popcount(places >> (n - order));
    if (lower)
      cul_text_nvfuser_put(text, first, order - lower);
  }
  drop_elements(text, open, gone, n);
}

static bool drop_axis(struct cul_text *text, uint64_t axis) {
  struct drop drop = {.text = text, .axis = (uint32_t)axis};
  uint32_t k = 0;
  struct made m;
  if (text->edited)
    return false; /* one site at a time, because the numbers of others have
                     changed */
  drop.shapes = cul_text_nvfuser_shapes(text);
  for (uint32_t line = 0; line < text->n_lines; line++) {
    if (!read_made(&drop, line, &m))
      continue;
    if (cul_text_token_is(text, m.op.name, "define_vector")) {
      drop_elements(text, m.op.open + 1, gone_of(&drop, m.result),
                    CUL_NVFUSER_RANK);
      continue;
    }
    if (cul_text_token_is(text, m.op.name, "define_tensor")) {
      drop_in_entry(&drop, k, m.result);
      drop_in_tensor(&drop, &m);
    }
    k += cul_text_nvfuser_takes(text, &m.op);
    for (size_t i = 0; i < N_LISTS; i++)
      drop_in_list(&drop, &m, i);
  }
  return text->edited;
}

CUL_TEXT(text_drop_axis, .list = list_axes, .edit = drop_axis, .whole = true);
