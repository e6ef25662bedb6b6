/* The operations inside a dispatch: see dispatch_inside.h. */
#include "dispatch_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "dispatch_text.h"
#include "dispatch_values.h"

static void level_release(struct cul_dispatch_level *level) {
  for (size_t i = 0; i < level->n; i++) {
    struct cul_dispatch_op *op = &level->ops[i];
    free(op->value), free(op->type), free(op->name);
    free(op->location), free(op->text);
  }
  free(level->ops);
  cul_buf_release(&level->module);
}

/* ---- the operations of its function ---- */

/* The first FILE:LINE:COLUMN of a location; heap, "" = none. */
static char *place_of(const struct cul_divergence_job *job, const char *at) {
  const char *input = job->conf->target.input;
  for (; (at = strchr(at, '"')); at++) {
    const char *end = strchr(at + 1, '"');
    CUL_HEAP char *file = NULL;
    char *out;
    if (!end)
      break;
    if (end[1] != ':' || !isdigit((unsigned char)end[2])) {
      at = end;
      continue;
    }
    file = cul_xstrndup(at + 1, (size_t)(end - at - 1));
    out = cul_xasprintf("%s:%.*s",
                        strcmp(cul_basename(file), cul_basename(input)) == 0 ||
                                strcmp(file, "-") == 0
                            ? input
                            : file,
                        (int)strspn(end + 2, "0123456789:"), end + 2);
    return out;
  }
  return cul_xstrdup("");
}

/* The start of the location of the operation that ends at `end`; `end` if it
 * has none. */
static const char *location_of(const char *text, const char *end) {
  const char *found = end;
  for (const char *at = text; (at = strstr(at, " loc(")) && at < end; at++)
    found = at;
  return found;
}

/* The type of the last result, with which the operation's text ends; heap.
 * NULL: it is no tensor of a static shape. */
static char *last_type(const char *text, const char *end) {
  static const char *const before[] = {" -> ", " into ", " to ", " : "};
  const char *found = NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(before); i++)
    for (const char *at = text; (at = strstr(at, before[i])) && at < end; at++)
      if (at + strlen(before[i]) > found)
        found = at + strlen(before[i]);
  return found && cul_mlir_starts(found, "tensor<") &&
                 !memchr(found, '?', (size_t)(end - found))
             ? cul_xstrndup(found, (size_t)(end - found))
             : NULL;
}

/* Append the types of the operation's n results; as many as the text has. */
static void add_result_types(const char *text, const char *end, size_t n,
                             struct cul_mlir_words *out) {
  const char *list = NULL;
  char *only = n == 1 ? last_type(text, end) : NULL;
  if (only)
    cul_mlir_words_add(out, only);
  for (const char *at = text; (at = strstr(at, " -> (")) && at < end; at++)
    list = at + strlen(" -> ");
  if (n > 1 && list)
    cul_mlir_words_split(list + 1, cul_mlir_behind_brackets(list) - 1, out);
}

/* Append a dispatch.tensor.load as a slice of the function's argument. */
static void add_load(const char *text, const char *end, struct cul_buf *out) {
  const char *load = strstr(text, "dispatch.tensor.load "), *at, *type, *inner;
  const char *eq = strstr(text, " = ");
  cul_buf_add(out, text, (size_t)(eq + 3 - text));
  cul_buf_adds(out, "tensor.extract_slice ");
  at = load + strlen("dispatch.tensor.load ");
  cul_buf_add(out, at, strcspn(at, ","));
  for (at = strchr(at, '['); at && at < end; at = strchr(at, '[')) {
    const char *close = cul_mlir_behind_brackets(at);
    cul_buf_add(out, at, (size_t)(close - at));
    at = close;
    if (!cul_mlir_starts(at, ", "))
      break;
  }
  type = at ? strstr(at, " : ") : NULL;
  inner = type ? strstr(type, "tensor<tensor") : NULL;
  inner = inner ? inner : type ? strstr(type, ":tensor<") : NULL;
  at = type ? strstr(type, " -> ") : NULL;
  if (!inner || !at)
    return;
  inner = strstr(inner, "tensor<");
  cul_buf_adds(out, " : ");
  cul_buf_add(out, inner,
              (size_t)(cul_mlir_behind_brackets(inner + 6) - inner));
  cul_buf_adds(out, " to ");
  cul_buf_add(out, at + 4, (size_t)(end - at - 4));
  cul_buf_addc(out, '\n');
}

/* Add the tensors of static shapes that an operation computes to body->ops.
 * name: the start of its results' name; loc: the end of its text. */
static void add_results(const struct cul_divergence_job *job,
                        struct cul_dispatch_level *body, const char *name,
                        const char *loc) {
  const char *eq = strstr(name, " = ");
  size_t value_n = strcspn(name, " :");
  size_t n = name[value_n] == ':' ? strtoul(name + value_n + 1, NULL, 10) : 1;
  CUL_OWNED(cul_mlir_words) types = {0};
  add_result_types(name, loc, n, &types);
  for (size_t i = 0; types.n == n && i < n; i++) {
    struct cul_dispatch_op op = {.result = i, .n_results = n};
    if (!cul_mlir_starts(types.items[i], "tensor<") ||
        strchr(types.items[i], '?'))
      continue;
    op.type = cul_xstrdup(types.items[i]);
    op.value = n == 1 ? cul_xstrndup(name, value_n)
                      : cul_xasprintf("%.*s#%zu", (int)value_n, name, i);
    op.name = cul_xstrndup(eq + 3, strcspn(eq + 3, " (\n"));
    op.location = place_of(job, loc);
    op.text = cul_xstrndup(name, (size_t)(loc - name));
    CUL_XADD(body->ops, body->n, body->cap) = op;
  }
}

/* Append to out the operation whose text is given; a load becomes a slice, and
 * stores and returns are left out.  Add the tensors that it computes to
 * body->ops; those in `plain` only create or move values, and are not added. */
static void take_op(const struct cul_divergence_job *job,
                    struct cul_dispatch_level *body, const char *text,
                    size_t len, struct cul_buf *out) {
  const char *loc, *eq, *name;
  static const char *const plain[] = {"tensor.empty", "arith.constant",
                                      "linalg.fill", "tensor.extract_slice",
                                      NULL};
  bool dull = false;
  CUL_HEAP char *copy = cul_xstrndup(text, len);
  loc = location_of(copy, copy + len);
  eq = strstr(copy, " = ");
  name = copy + strspn(copy, " ");
  if (strstr(copy, "dispatch.tensor.load ") && eq) {
    add_load(copy, loc, out);
  } else if (!strstr(copy, "dispatch.tensor.store ") &&
             !cul_mlir_starts(name, "return")) {
    cul_buf_adds(out, copy);
    cul_buf_addc(out, '\n');
    for (size_t i = 0; eq && plain[i]; i++)
      dull = dull || cul_mlir_starts(eq + 3, plain[i]);
    if (eq && eq < strchrnul(copy, '\n') && *name == '%' && !dull)
      add_results(job, body, name, loc);
  }
}

/* The constant that defines a name in @main of the part; NULL: none does. */
static const char *number_of(const struct cul_buf *part, const char *name) {
  CUL_HEAP char *mark = cul_xasprintf("\n    %s = arith.constant ", name);
  const char *found = strstr(cul_buf_str(part), mark);
  return found ? strstr(found, "arith.constant ") : NULL;
}

/* Append the tensors of the dispatch's function that it reads to out, as
 * arguments, and its numbers to body, as the constants that the part gives it.
 * False: there is something else. */
static bool add_arguments(const char *at, const struct cul_dispatch_site *site,
                          const struct cul_buf *part, struct cul_buf *out,
                          struct cul_buf *body) {
  const char *end = cul_mlir_behind_brackets(at), *comma = "";
  CUL_OWNED(cul_mlir_words) items = {0};
  bool good = true;
  cul_mlir_words_split(at + 1, end - 1, &items);
  for (size_t i = 0; i < items.n && good; i++) {
    const char *item = items.items[i], *inner = strstr(item, ":tensor<");
    int name = (int)strcspn(item, ":");
    const char *number = inner || i >= site->operands.n
                             ? NULL
                             : number_of(part, site->operands.items[i]);
    if (strstr(item, "writeonly"))
      continue;
    good = inner || number;
    if (number)
      cul_buf_addf(body, "        %.*s = %.*s\n", name, item,
                   (int)strcspn(number, "\n"), number);
    if (inner) {
      cul_buf_addf(out, "%s%.*s: %.*s", comma, name, item,
                   (int)(cul_mlir_behind_brackets(inner + 7) - inner - 1),
                   inner + 1);
      comma = ", ";
    }
  }
  return good;
}

static void add_types(struct cul_dispatch_level *level) {
  for (size_t i = 0; i < level->n; i++)
    cul_buf_addf(&level->module, "%s%s", i ? ", " : "", level->ops[i].type);
}

/* List the operations of the function of an event, and make the module that
 * returns their values.  flow: printed with locations and without aliases;
 * part: the module with the dispatch alone. */
static int read_body(const struct cul_divergence_job *job,
                     const struct cul_buf *flow, const struct cul_buf *part,
                     const char *event, struct cul_dispatch_level *out,
                     struct cul_err *err) {
  const char *colons = strstr(event, "::"), *at, *end, *from = NULL;
  CUL_HEAP char *mark =
      cul_xasprintf("      func.func @%s(", colons ? colons + 2 : event);
  CUL_OWNED(cul_buf) body = {0};
  CUL_OWNED(cul_dispatch_site) site = {0};
  int rc = cul_dispatch_site_find(part, event, 0, &site, err);
  at = strstr(cul_buf_str(flow), mark);
  end = at ? strstr(at, "\n      }") : NULL;
  cul_buf_adds(&out->module, "func.func @main(");
  if (rc == 0 && (!end || !add_arguments(at + strlen(mark) - 1, &site, part,
                                         &out->module, &body)))
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "its function reads other things than tensors and numbers");
  if (rc < 0)
    return rc;
  for (at = strchr(at, '\n') + 1; at <= end; at += strcspn(at, "\n") + 1) {
    bool begin = cul_mlir_starts(at, "        ") && at[8] != ' ' &&
                 at[8] != '}' && at[8] != '^';
    if (begin && from)
      take_op(job, out, from, (size_t)(at - 1 - from), &body);
    from = begin ? at : from;
  }
  if (from)
    take_op(job, out, from, (size_t)(end - from), &body);
  cul_buf_adds(&out->module, ") -> (");
  add_types(out);
  cul_buf_addf(&out->module, ") {\n%s        return ", cul_buf_str(&body));
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].value);
  cul_buf_adds(&out->module, " : ");
  add_types(out);
  cul_buf_adds(&out->module, "\n}\n");
  return 0;
}

/* ---- operations in the body of a linalg.generic ---- */

/* A linalg.generic.  The values of one of its scalar operations in all
 * iterations are a tensor of its shape, or, with a reduction, of the sizes of
 * all its loops: there the head makes every loop parallel. */
struct generic {
  char *head;  /* from its name to its outputs, for one of them; heap */
  char *shape; /* "4x8x"; heap */
  size_t shape_n;
  const char *body, *end;          /* its operations, up to the yield */
  struct cul_mlir_words arguments; /* of its block */
  size_t n_inputs;                 /* of these; the others are its outputs' */
};

/* Does the text name the value? */
static bool names(const char *text, const char *end, const char *value) {
  size_t n = strlen(value);
  for (const char *at = text; (at = strstr(at, value)) && at < end; at++)
    if (cul_mlir_name_length(at) == n)
      return true;
  return false;
}

/* The text from the generic's name to its outputs, with the maps of its inputs
 * and of one output only; heap.  NULL: its maps are not in the text. */
static char *head_of(const char *begin, const char *outs, size_t n_inputs,
                     const struct cul_dispatch_op *op) {
  static const char mark[] = "indexing_maps = ";
  const char *maps = strstr(begin, mark), *behind;
  CUL_OWNED(cul_mlir_words) items = {0};
  struct cul_buf out = {0};
  if (op->n_results == 1)
    return cul_xstrndup(begin, (size_t)(outs - begin));
  maps = maps ? maps + strlen(mark) : outs;
  if (maps >= outs || *maps != '[')
    return NULL;
  behind = cul_mlir_behind_brackets(maps);
  cul_mlir_words_split(maps + 1, behind - 1, &items);
  if (behind > outs || items.n != n_inputs + op->n_results)
    return NULL;
  cul_buf_add(&out, begin, (size_t)(maps + 1 - begin));
  for (size_t i = 0; i < n_inputs; i++)
    cul_buf_addf(&out, "%s, ", items.items[i]);
  cul_buf_addf(&out, "%s]", items.items[n_inputs + op->result]);
  cul_buf_add(&out, behind, (size_t)(outs - behind));
  return cul_buf_take(&out);
}

/* Append the types of a list such as "(%a, %b : tensor<4xf32>, f32)". */
static void add_list_types(const char *list, struct cul_mlir_words *out) {
  const char *end = cul_mlir_behind_brackets(list) - 1;
  const char *colon = strstr(list, " : ");
  if (colon && colon < end)
    cul_mlir_words_split(colon + 3, end, out);
}

/* Append the items of the brackets that follow. */
static void add_bracketed(const char *at, struct cul_mlir_words *out) {
  cul_mlir_words_split(at + 1, cul_mlir_behind_brackets(at) - 1, out);
}

/* The size of a loop: that of a dimension of a tensor that it indexes; 0: it is
 * not known. */
static size_t loop_size(const char *loop, const char *map, const char *type) {
  static const char list[] = "-> (", tensor[] = "tensor<";
  const char *at = strstr(map, list), *size = type + strlen(tensor);
  CUL_OWNED(cul_mlir_words) indices = {0};
  if (!at || !cul_mlir_starts(type, tensor))
    return 0;
  add_bracketed(at + strlen(list) - 1, &indices);
  for (size_t i = 0; i < indices.n && isdigit((unsigned char)*size); i++) {
    if (strcmp(indices.items[i], loop) == 0)
      return strtoul(size, NULL, 10);
    size += strspn(size, "0123456789");
    size += *size == 'x';
  }
  return 0;
}

/* Set the head and the shape of a generic with a reduction.  False: the size of
 * a loop is not known, or there are too many iterations. */
static bool read_loops(const char *begin, const char *outs,
                       struct generic *out) {
  enum { MOST_ITERATIONS = 1 << 20 };
  const char *maps = strstr(begin, "indexing_maps = ["), *loop, *behind;
  const char *kinds = maps ? strstr(maps, "iterator_types = [") : NULL;
  const char *ins = kinds ? strstr(kinds, " ins(") : NULL;
  size_t all = 1;
  CUL_OWNED(cul_mlir_words) items = {0}, types = {0}, loops = {0};
  CUL_OWNED(cul_buf) head = {0}, shape = {0};
  if (!ins || ins > outs)
    return false;
  maps = strchr(maps, '['), kinds = strchr(kinds, '[');
  add_bracketed(maps, &items);
  add_list_types(strchr(ins, '('), &types);
  add_list_types(strchr(outs, '('), &types);
  loop = items.n ? strchr(items.items[0], '(') : NULL;
  if (!loop || items.n != types.n || items.n <= out->n_inputs)
    return false;
  add_bracketed(loop, &loops);
  for (size_t i = 0; i < loops.n; i++) {
    size_t size = 0;
    for (size_t k = 0; k < items.n && !size; k++)
      size = loop_size(loops.items[i], items.items[k], types.items[k]);
    if (size == 0 || size > MOST_ITERATIONS / all)
      return false;
    all *= size;
    cul_buf_addf(&shape, "%zux", size);
  }
  cul_buf_add(&head, begin, (size_t)(maps + 1 - begin));
  for (size_t i = 0; i < out->n_inputs; i++)
    cul_buf_addf(&head, "%s, ", items.items[i]);
  behind = cul_mlir_behind_brackets(loop);
  cul_buf_addf(&head, "affine_map<%.*s -> %.*s>]", (int)(behind - loop), loop,
               (int)(behind - loop), loop);
  behind = cul_mlir_behind_brackets(maps);
  cul_buf_add(&head, behind, (size_t)(kinds + 1 - behind));
  for (size_t i = 0; i < loops.n; i++)
    cul_buf_addf(&head, "%s\"parallel\"", i ? ", " : "");
  behind = cul_mlir_behind_brackets(kinds) - 1;
  cul_buf_add(&head, behind, (size_t)(outs - behind));
  out->head = cul_buf_take(&head);
  out->shape = cul_buf_take(&shape);
  return true;
}

/* Read the operation; false: it is no linalg.generic of this form. */
static bool read_generic(const struct cul_dispatch_op *op,
                         struct generic *out) {
  const char *begin = strstr(op->text, "linalg.generic ");
  const char *outs = begin ? strstr(begin, " outs(") : NULL;
  const char *block = outs ? strstr(outs, "\n        ^bb0(") : NULL;
  const char *close =
      block ? cul_mlir_behind_brackets(strchr(block, '(')) : NULL;
  const char *last = strrchr(op->type, 'x'), *shape = strchr(op->type, '<') + 1;
  *out = (struct generic){0};
  if (!close || !cul_mlir_starts(close, ":\n") || strchr(op->type, ','))
    return false;
  out->body = close + 2;
  out->end = strstr(close, "\n          linalg.yield ");
  cul_mlir_words_split(strchr(block, '(') + 1, close - 1, &out->arguments);
  if (!out->end || out->arguments.n < op->n_results)
    return false;
  out->n_inputs = out->arguments.n - op->n_results;
  if (memmem(begin, (size_t)(outs - begin), "\"reduction\"", 11)) {
    if (!read_loops(begin, outs, out))
      return false;
  } else {
    out->shape = cul_xstrndup(shape, last ? (size_t)(last + 1 - shape) : 0);
    out->head = head_of(begin, outs, out->n_inputs, op);
  }
  out->shape_n = out->shape ? strlen(out->shape) : 0;
  return out->head != NULL;
}

/* The type of a tensor of the generic's shape whose elements have the type of a
 * scalar operation's value; heap.  NULL: that type is not known.  It is read
 * from the end of the operation's text, but an operation with a word before its
 * operands, such as a comparison, has the type of the operands there. */
static char *scalar_type(const struct generic *generic, const char *text,
                         const char *end) {
  static const char *const before[] = {" : ", " to "};
  const char *eq = strstr(text, " = "), *found = NULL;
  const char *operand = eq && eq < end ? strchr(eq + 3, ' ') : NULL;
  char *type;
  if (!operand || operand[1] != '%')
    return NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(before); i++)
    for (const char *at = text; (at = strstr(at, before[i])) && at < end; at++)
      if (!found || at + strlen(before[i]) > found)
        found = at + strlen(before[i]);
  if (!found)
    return NULL;
  for (const char *at = found; at < end; at++)
    if (!isalnum((unsigned char)*at))
      return NULL;
  type = cul_xasprintf("tensor<%.*s%.*s>", (int)generic->shape_n,
                       generic->shape, (int)(end - found), found);
  if (cul_mlir_element_bytes(type))
    return type;
  free(type);
  return NULL;
}

/* Append a copy of the generic whose body is given; it yields the value of
 * `op`. */
static void add_until(const struct generic *generic,
                      const struct cul_dispatch_op *op, size_t number,
                      const struct cul_buf *body, struct cul_buf *out) {
  const struct cul_mlir_words *arguments = &generic->arguments;
  const char *output = arguments->items[generic->n_inputs];
  const char *element = op->type + strlen("tensor<") + generic->shape_n;
  int n = (int)strcspn(element, ">");
  cul_buf_addf(out, "        %%culprit_empty%zu = tensor.empty() : %s\n",
               number, op->type);
  cul_buf_addf(out, "        %%culprit_value%zu = ", number);
  cul_buf_addf(out, "%s outs(%%culprit_empty%zu : %s) {\n        ^bb0(",
               generic->head, number, op->type);
  for (size_t i = 0; i < generic->n_inputs; i++)
    cul_buf_addf(out, "%s, ", arguments->items[i]);
  cul_buf_addf(out, "%.*s: %.*s):\n", (int)strcspn(output, ":"), output, n,
               element);
  cul_buf_add(out, body->data, body->len);
  cul_buf_addf(out, "          linalg.yield %s : %.*s\n        } -> %s\n",
               op->value, n, element, op->type);
}

/* Does the text read one of the values? */
static bool reads_any(const char *text, const char *end,
                      const struct cul_mlir_words *values) {
  bool any = false;
  for (size_t i = 0; i < values->n && !any; i++)
    any = names(text, end, values->items[i]);
  return any;
}

/* Make the module that returns the scalar operations' values.  of: the function
 * around the generic; copies: the generics that yield them. */
static void add_scalars_module(const struct cul_dispatch_level *of,
                               const struct cul_buf *copies,
                               struct cul_dispatch_level *out) {
  const char *text = cul_buf_str(&of->module), *returns = text;
  const char *args = strstr(text, ") -> ("), *ops = strstr(text, ") {\n");
  for (const char *at = text; (at = strstr(at, "\n        return ")); at++)
    returns = at + 1;
  cul_buf_add(&out->module, text, (size_t)(args - text));
  cul_buf_adds(&out->module, ") -> (");
  add_types(out);
  cul_buf_add(&out->module, ops, (size_t)(returns - ops));
  cul_buf_add(&out->module, copies->data, copies->len);
  cul_buf_adds(&out->module, "        return ");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%%culprit_value%zu", i ? ", " : "", i);
  cul_buf_adds(&out->module, " : ");
  add_types(out);
  cul_buf_adds(&out->module, "\n}\n");
}

/* List the scalar operations whose values can be returned, and make the module
 * that returns them.  Those that depend on an output, as on the sum so far, are
 * left out.  of: the function around the generic.  *n: the number of all its
 * operations. */
static void read_scalars(const struct cul_divergence_job *job,
                         const struct cul_dispatch_level *of,
                         const struct generic *generic,
                         struct cul_dispatch_level *out, size_t *n) {
  const char *from, *next;
  size_t passed = 0; /* operations that depend on no output */
  CUL_OWNED(cul_mlir_words) outputs = {0};
  CUL_OWNED(cul_buf) copies = {0}, body = {0};
  for (size_t i = generic->n_inputs; i < generic->arguments.n; i++)
    cul_mlir_words_add(&outputs,
                       cul_xstrndup(generic->arguments.items[i],
                                    strcspn(generic->arguments.items[i], ":")));
  *n = 0;
  for (from = generic->body; from < generic->end; from = next) {
    const char *loc, *name = from + strspn(from, " ");
    struct cul_dispatch_op op = {0};
    next = from;
    do
      next = strchrnul(next, '\n') + 1;
    while (next < generic->end && !cul_mlir_starts(next, "          %"));
    next = next > generic->end ? generic->end + 1 : next;
    (*n)++;
    if (reads_any(from, next, &outputs)) {
      cul_mlir_words_add(&outputs,
                         cul_xstrndup(name, cul_mlir_name_length(name)));
      continue;
    }
    passed++;
    cul_buf_add(&body, from, (size_t)(next - from));
    loc = location_of(from, next - 1);
    op.type = scalar_type(generic, from, loc);
    if (!op.type)
      continue;
    op.behind = passed - 1 > out->n;
    op.value = cul_xstrndup(name, cul_mlir_name_length(name));
    op.name = cul_xstrndup(strstr(name, " = ") + 3,
                           strcspn(strstr(name, " = ") + 3, " \n"));
    op.location = place_of(job, loc);
    op.text = cul_xstrndup(name, (size_t)(loc - name));
    add_until(generic, &op, out->n, &body, &copies);
    CUL_XADD(out->ops, out->n, out->cap) = op;
  }
  add_scalars_module(of, &copies, out);
}

/* ---- the first operation whose value differs ---- */

/* Run the level's module on both sides, and set level->wrong to the first
 * operation whose value differs. */
static int compare_level(struct cul_dispatch_sides *sides,
                         const struct cul_dispatch_part *part,
                         struct cul_dispatch_level *level,
                         struct cul_err *err) {
  CUL_OWNED(cul_tensors) got = {0}, want = {0};
  struct cul_dispatch_request request = {&sides->reference, "", &level->module,
                                         part->arguments, level->n};
  int rc = cul_dispatch_call(sides->job, &request, &want, err);
  request.side = &sides->suspect;
  if (rc == 0)
    rc = cul_dispatch_call(sides->job, &request, &got, err);
  for (size_t i = 0; rc == 0 && i < level->n && !level->wrong; i++)
    if (cul_dispatch_differ(sides->job, &got.items[i], &want.items[i],
                            level->what, sizeof level->what))
      level->wrong = &level->ops[i];
  return rc;
}

/* If the wrong operation is a linalg.generic, find the wrong scalar operation
 * inside it.  It is no error if none is found. */
static int enter_generic(struct cul_dispatch_sides *sides,
                         const struct cul_dispatch_part *part,
                         struct cul_dispatch_inside *inside,
                         struct cul_err *err) {
  struct cul_dispatch_level *body = &inside->body, *scalars = &inside->scalars;
  struct generic generic;
  CUL_HEAP char *ignored = NULL;
  size_t n = 0;
  int rc = 0;
  if (read_generic(body->wrong, &generic))
    read_scalars(sides->job, body, &generic, scalars, &n);
  if (n == 1 && scalars->n == 1) {
    scalars->wrong = &scalars->ops[0];
    snprintf(scalars->what, sizeof scalars->what, "%s", body->what);
  } else if (scalars->n) {
    rc = cul_dispatch_excuse(compare_level(sides, part, scalars, err), &ignored,
                             err);
  }
  cul_mlir_words_release(&generic.arguments);
  free(generic.head);
  free(generic.shape);
  return rc;
}

/* Find the wrong operation; EUSAGE: none is found. */
static int enter(struct cul_dispatch_sides *sides,
                 const struct cul_dispatch_part *part,
                 struct cul_dispatch_inside *inside, struct cul_err *err) {
  CUL_OWNED(cul_buf) flow = {0};
  struct cul_dispatch_level *body = &inside->body;
  if (cul_dispatch_print(
          sides->job, &sides->suspect,
          "--compile-to=flow --mlir-print-local-scope --mlir-print-debuginfo",
          &flow, err) < 0 ||
      read_body(sides->job, &flow, &part->module,
                sides->suspect.trace.events[part->step].name, body, err) < 0)
    return err->code;
  if (body->n == 0)
    return cul_fail(err, CUL_EUSAGE, "",
                    "none of its operations computes a tensor");
  if (compare_level(sides, part, body, err) < 0)
    return err->code;
  if (!body->wrong)
    return cul_fail(err, CUL_EUSAGE, "",
                    "its operations agree where each value is returned");
  return enter_generic(sides, part, inside, err);
}

int cul_dispatch_inside_find(struct cul_dispatch_sides *sides,
                             const struct cul_dispatch_part *part,
                             struct cul_dispatch_inside *out,
                             struct cul_err *err) {
  return cul_dispatch_excuse(enter(sides, part, out, err), &out->stop, err);
}

void cul_dispatch_inside_release(struct cul_dispatch_inside *inside) {
  level_release(&inside->body);
  level_release(&inside->scalars);
  free(inside->stop);
}
