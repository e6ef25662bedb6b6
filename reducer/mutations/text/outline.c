/* text-outline: keep a run of operations of one block as the body of a
 * func.func.  The values that they need become its parameters, the last result
 * is returned, and all else is erased.  text-outline-own keeps the run in the
 * function around it, a hardware module or anything with parameters and a body,
 * even if the run is in a loop: it also keeps the items around the function,
 * and writes parameters and results as the input does. */
#include <stdlib.h>

#include "../../subject/text/language/mlir.h"
#include "sites.h"

/* ---- the run ---- */

/* Operations of one item, everything inside included; at least 1. */
static uint32_t count_ops(const struct cul_text *text, uint32_t item) {
  uint32_t n = cul_text_op(text, item) != CUL_TEXT_NONE;
  for (uint32_t i = item + 1; cul_text_holds(text, item, i); i++)
    n += cul_text_op(text, i) != CUL_TEXT_NONE;
  return n ? n : 1;
}

/* The number of operations in the item; 0 if it is not inside a function, or
 * ends a block. */
static uint32_t weigh(struct cul_text *text, uint32_t item,
                      struct cul_text_function *function) {
  return cul_text_op(text, item) != CUL_TEXT_NONE &&
                 !cul_text_is_terminator(text, text->habits, item) &&
                 cul_text_function_around(text, item, function) &&
                 function->item != item
             ? count_ops(text, item)
             : 0;
}

struct run {
  uint32_t first, end; /* lines */
  uint32_t last;       /* the last operation */
  struct cul_text_function around;
  struct cul_buf name, type; /* the returned value; empty: none */
};

static bool find_run(const struct cul_text *text, const struct cul_sites *sites,
                     uint32_t from, uint32_t to, struct run *out) {
  uint32_t first = (uint32_t)sites->detail[from];
  uint32_t last = (uint32_t)sites->detail[to];
  *out = (struct run){
      text->items[first].first, text->items[last].end, last, {0}, {0}, {0}};
  return cul_text_function_around(text, first, &out->around);
}

/* like: see cul_text_live_ins. */
static void write_parameters(struct cul_text *text, const struct run *run,
                             const struct cul_text_function *like,
                             struct cul_buf *out) {
  cul_text_live_ins(text, cul_text_first_token(text, run->first),
                    cul_text_first_token(text, run->end), like, out);
}

/* Write `what` on the lines after the run. */
static void write_behind(struct cul_text *text, struct run *run,
                         const char *what) {
  uint32_t token = cul_text_first_token(text, run->end) - 1;
  struct cul_bytes last = cul_text_token(text, token);
  cul_text_rewrite(text, token, "%.*s\n%s", (int)last.len, last.data, what);
}

static void find_given(struct cul_text *text, struct run *run) {
  uint32_t line = text->items[run->last].first, equals;
  uint32_t def = text->lines[line].first;
  struct cul_bytes name = cul_text_token(text, def);
  if (!cul_text_results(text, line, &equals) ||
      !cul_text_type_of_result(text, def, 0, &run->type))
    return;
  cul_buf_add(&run->name, name.data, name.len);
  if (cul_text_results_of(text, def) > 1)
    cul_buf_adds(&run->name, "#0");
}

static void run_release(struct run *run) {
  cul_buf_release(&run->name);
  cul_buf_release(&run->type);
}

/* ---- lines to keep ---- */

/* The lines to keep. */
struct kept {
  struct cul_text *text;
  bool *lines;
  uint32_t *queue; /* lines whose names are not kept yet */
  size_t n;
};

static void keep(struct kept *kept, uint32_t first, uint32_t end) {
  for (uint32_t line = first; line < end; line++)
    if (!kept->lines[line]) {
      kept->lines[line] = true;
      kept->queue[kept->n++] = line;
    }
}

/* Keep the item's own lines, and those of the items around it. */
static void keep_around(struct kept *kept, uint32_t item) {
  const struct cul_text *text = kept->text;
  for (; item != CUL_TEXT_NONE; item = text->items[item].parent)
    for (uint32_t line = text->items[item].first; line < text->items[item].end;
         line++)
      if (text->lines[line].item == item)
        keep(kept, line, line + 1);
}

/* Keep the symbols to which the lines refer. */
static void keep_named(struct kept *kept) {
  const struct cul_text *text = kept->text;
  const struct cul_text_names *names = cul_text_names(kept->text);
  for (size_t i = 0; i < kept->n; i++) {
    const struct cul_line *l = &text->lines[kept->queue[i]];
    for (uint32_t t = l->first; t < l->first + l->n; t++) {
      uint32_t def = names->def[t], item;
      if (def == CUL_TEXT_NONE || def == t || !cul_text_starts(text, t, '@'))
        continue;
      item = cul_text_item_at(text, def);
      keep(kept, text->items[item].first, text->items[item].end);
      keep_around(kept, text->items[item].parent);
    }
  }
}

/* Erase all lines except the run, the function's header, and aliases; own: also
 * keep the items around the function, and the symbols to which all of these
 * refer. */
static void keep_only(struct cul_text *text, const struct run *run, bool own) {
  CUL_HEAP bool *lines = cul_xcalloc(text->n_lines + 1, sizeof *lines);
  CUL_HEAP uint32_t *queue = cul_xcalloc(text->n_lines + 1, sizeof *queue);
  struct kept kept = {.text = text, .lines = lines, .queue = queue};
  uint32_t header = text->items[run->around.item].first;
  for (uint32_t line = 0; line < text->n_lines; line++)
    if (text->lines[line].n && cul_text_is_alias(text, text->lines[line].first))
      keep(&kept, line, line + 1);
  keep(&kept, header, header + 1);
  if (own)
    keep_around(&kept, run->around.item);
  keep(&kept, run->first, run->end);
  if (own)
    keep_named(&kept);
  for (uint32_t line = 0; line < text->n_lines; line++)
    if (!kept.lines[line])
      cul_text_erase_line(text, line);
}

/* ---- in a func.func ---- */

static uint32_t any(struct cul_text *text, uint32_t item) {
  struct cul_text_function function;
  return weigh(text, item, &function);
}

/* Keep the run under a header in place of the function's. */
static bool keep_run(struct cul_text *text, const struct cul_sites *sites,
                     uint32_t from, uint32_t to) {
  CUL_OWNED(cul_buf) parameters = {0};
  CUL_OWNED(run) run = {0};
  const char *type, *mark;
  uint32_t header;
  CUL_HEAP char *with = NULL;
  if (!find_run(text, sites, from, to, &run))
    return false;
  keep_only(text, &run, false);
  write_parameters(text, &run, NULL, &parameters);
  if (cul_text_only_result(text, run.last) != CUL_TEXT_NONE)
    find_given(text, &run);
  type = cul_buf_str(&run.type);
  mark = *type ? " -> " : "";
  header = cul_text_item_first(text, run.around.item);
  cul_text_rewrite(text, header, "func.func @f(%s)%s%s {",
                   cul_buf_str(&parameters), mark, type);
  cul_text_erase_tokens(text, header + 1, cul_text_line_end(text, header));
  with = cul_xasprintf("return %s%s%s\n}", cul_buf_str(&run.name),
                       *type ? " : " : "", type);
  write_behind(text, &run, with);
  return true;
}

CUL_TEXT(text_outline, .tree = any, .keep = keep_run);

/* ---- in a function of the input's own kind ---- */

static uint32_t own(struct cul_text *text, uint32_t item) {
  struct cul_text_function f;
  uint32_t ops = weigh(text, item, &f);
  return ops && f.arguments != CUL_TEXT_NONE && f.type == CUL_TEXT_NONE &&
                 !cul_text_is_word(text, cul_text_op(text, f.item),
                                   " func.func func ")
             ? ops
             : 0;
}

/* The first result among the parameters, "out o: T": its first token, and its
 * type; false: none. */
static bool find_result_port(const struct cul_text *text, uint32_t open,
                             uint32_t *first, uint32_t *type) {
  uint32_t end;
  for (uint32_t k = 0; cul_text_element(text, open, k, first, &end); k++) {
    uint32_t i = *first;
    while (i < end && cul_text_is_plain(text, i))
      i++;
    if (i >= *first + 2 && i < end && cul_text_is_char(text, i, ':'))
      return *type = i + 1, true;
  }
  return false;
}

/* Write the type of the result, if the header has one; false: it has none. */
static bool write_result(const struct cul_text *text, uint32_t open,
                         const char *given, struct cul_buf *out) {
  uint32_t first, type, arrow = text->tokens[open].match + 1;
  if (find_result_port(text, open, &first, &type)) {
    cul_buf_adds(out, out->len ? ", " : "");
    cul_buf_add(out, text->bytes + text->tokens[first].start,
                text->tokens[type].start - text->tokens[first].start);
    cul_buf_addf(out, "%s)", given);
    return true;
  }
  cul_buf_addc(out, ')');
  if (arrow + 1 >= text->n_tokens || !cul_text_token_is(text, arrow, "->"))
    return false;
  cul_buf_addf(out,
               cul_text_is_char(text, arrow + 1, '(') ? " -> (%s)" : " -> %s",
               given);
  return true;
}

/* The operation that ends the function, or CUL_TEXT_NONE. */
static uint32_t find_end(const struct cul_text *text, uint32_t function) {
  uint32_t found = CUL_TEXT_NONE;
  for (uint32_t i = function + 1; cul_text_holds(text, function, i); i++)
    if (cul_text_owner(text, i) == function &&
        cul_text_is_terminator(text, text->habits, i))
      found = cul_text_op(text, i);
  return found;
}

/* Write "return", "return %x : T", or "return(%x) : T". */
static void write_end(const struct cul_text *text, uint32_t end, bool gives,
                      const struct run *run, struct cul_buf *out) {
  struct cul_bytes name = cul_text_token(text, end);
  bool brackets = cul_text_is_char(text, end + 1, '('), typed = false;
  cul_buf_add(out, name.data, name.len);
  if (!gives)
    return;
  for (uint32_t i = end; i < cul_text_line_end(text, end); i++)
    typed |= cul_text_is_char(text, i, ':');
  cul_buf_addf(out, brackets ? "(%s)" : " %s", cul_buf_str(&run->name));
  if (typed)
    cul_buf_addf(out, " : %s", cul_buf_str(&run->type));
}

static bool keep_run_own(struct cul_text *text, const struct cul_sites *sites,
                         uint32_t from, uint32_t to) {
  CUL_OWNED(cul_buf) header = {0}, tail = {0};
  CUL_OWNED(run) run = {0};
  uint32_t end, open;
  bool gives = false;
  if (!find_run(text, sites, from, to, &run))
    return false;
  end = find_end(text, run.around.item);
  open = run.around.arguments;
  keep_only(text, &run, true);
  write_parameters(text, &run, &run.around, &header);
  find_given(text, &run);
  if (run.type.len && end != CUL_TEXT_NONE)
    gives = write_result(text, open, cul_buf_str(&run.type), &header);
  else
    cul_buf_addc(&header, ')');
  cul_text_erase_tokens(text, open + 1, run.around.body);
  cul_buf_adds(&header, " {");
  cul_text_rewrite(text, run.around.body, "%s", cul_buf_str(&header));
  if (end != CUL_TEXT_NONE) {
    write_end(text, end, gives, &run, &tail);
    write_behind(text, &run, cul_buf_str(&tail));
  }
  return true;
}

CUL_TEXT(text_outline_own, .tree = own, .keep = keep_run_own);
