/* The difference in words: see difference.h. */
#include "difference.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/markup.h"
#include "difference_lines.h"
#include "difference_type.h"

static const size_t most_clauses = 2, longest_excerpt = 72;

/* Which value of the failing text a name of the passing one stands for, from
 * the token where it is defined on. */
struct name {
  struct cul_bytes theirs, ours;
  uint32_t at;
};

struct telling {
  struct cul_diff_side fails, passes;
  struct name *names; /* in the order of their definitions */
  size_t n_names;
  size_t clauses;
  bool more; /* some difference is not told */
  struct cul_buf *out;
};

/* ---- values ---- */

/* Without "#1": the operation's results together. */
static struct cul_bytes base_of(struct cul_bytes value) {
  const char *hash = memchr(value.data, '#', value.len);
  if (hash)
    value.len = (size_t)(hash - value.data);
  return value;
}

static struct cul_bytes result_of(struct cul_bytes value) {
  size_t n = base_of(value).len;
  return (struct cul_bytes){value.data + n, value.len - n};
}

/* Our name of their value, used at our token `at`; data NULL: it is new.
 * Functions use the same names again: the last definition before the use
 * counts, else (blocks in any order) the first behind it. */
static struct cul_bytes our_name(const struct telling *t,
                                 struct cul_bytes theirs, uint32_t at) {
  struct cul_bytes base = base_of(theirs), found = {NULL, 0};
  for (size_t i = 0; i < t->n_names; i++) {
    if (t->names[i].at > at && found.data)
      break;
    if (cul_bytes_equal(t->names[i].theirs, base))
      found = t->names[i].ours;
  }
  return found;
}

static bool same_value(const struct telling *t, uint32_t at) {
  const struct cul_diff_token *token = &t->fails.tokens[at];
  struct cul_bytes ours = token->text;
  struct cul_bytes theirs = t->passes.tokens[token->match].text;
  struct cul_bytes name = our_name(t, theirs, at);
  if (!name.data) /* a line stands for another, and keeps its name */
    return cul_bytes_equal(ours, theirs);
  return cul_bytes_equal(name, base_of(ours)) &&
         cul_bytes_equal(result_of(ours), result_of(theirs));
}

/* ---- words ---- */

/* Start a clause; false: enough is told. */
static bool begin(struct telling *t) {
  if (t->clauses == most_clauses) {
    t->more = true;
    return false;
  }
  if (t->clauses++)
    cul_buf_adds(t->out, " and ");
  return true;
}

static void add_excerpt(struct cul_bytes text, struct cul_buf *out) {
  bool cut = text.len > longest_excerpt;
  char *words = cul_xasprintf("%.*s%s", (int)(cut ? longest_excerpt : text.len),
                              text.data, cut ? "..." : "");
  cul_markdown_code(words, out);
  free(words);
}

static void add_bytes(struct cul_bytes text, struct cul_buf *out) {
  cul_buf_add(out, text.data, text.len);
}

/* The operation a line is about: `memref.load`. */
static void add_op(const struct cul_diff_side *side, uint32_t line,
                   struct cul_buf *out) {
  struct cul_bytes op = side->tokens[side->lines[line].op].text;
  char *name;
  if (op.len > 2 && op.data[0] == '"')
    op = (struct cul_bytes){op.data + 1, op.len - 2};
  name = cul_xstrndup(op.data, op.len);
  cul_markdown_code(name, out);
  free(name);
}

static bool is_mark(const struct cul_diff_token *token, char mark) {
  return token->kind == CUL_DIFF_MARK && token->text.data[0] == mark;
}

/* ---- whole lines ---- */

/* A line of brackets belongs to another one. */
static bool says_something(const struct cul_diff_side *side, uint32_t line) {
  const struct cul_diff_line *at = &side->lines[line];
  for (uint32_t i = at->first; i < at->first + at->n; i++)
    if (side->tokens[i].kind != CUL_DIFF_MARK)
      return true;
  return false;
}

static uint32_t next_unmatched(const struct cul_diff_side *side,
                               uint32_t line) {
  while (line < side->n_lines && (side->lines[line].match != CUL_DIFF_NONE ||
                                  !says_something(side, line)))
    line++;
  return line;
}

static uint32_t count_unmatched(const struct cul_diff_side *side) {
  uint32_t n = 0, at = next_unmatched(side, 0);
  for (; at < side->n_lines; at = next_unmatched(side, at + 1))
    n++;
  return n;
}

static void tell_lines(struct telling *t, const struct cul_diff_side *side,
                       const char *verb) {
  uint32_t n = count_unmatched(side);
  if (n == 0 || !begin(t))
    return;
  add_excerpt(side->lines[next_unmatched(side, 0)].text, t->out);
  if (n == 2)
    cul_buf_adds(t->out, " and one more line");
  else if (n > 2)
    cul_buf_addf(t->out, " and %u more lines", n - 1);
  cul_buf_addf(t->out, n > 1 ? " are %s" : " is %s", verb);
}

/* One line in place of another. */
static bool tell_replaced(struct telling *t) {
  uint32_t a = next_unmatched(&t->fails, 0);
  uint32_t b = next_unmatched(&t->passes, 0);
  if (count_unmatched(&t->fails) != 1 || count_unmatched(&t->passes) != 1 ||
      !begin(t))
    return false;
  add_excerpt(t->fails.lines[a].text, t->out);
  cul_buf_adds(t->out, " is replaced by ");
  add_excerpt(t->passes.lines[b].text, t->out);
  return true;
}

/* ---- tokens of paired lines ---- */

/* Whose type is this?  "%arg0: type", "%0 = op ... type"; else nobody's. */
static struct cul_bytes type_owner(const struct cul_diff_side *side,
                                   uint32_t at) {
  const struct cul_diff_line *line = &side->lines[side->tokens[at].line];
  uint32_t last = line->first + line->n;
  if (at >= line->first + 2 && side->tokens[at - 2].defines &&
      is_mark(&side->tokens[at - 1], ':'))
    return side->tokens[at - 2].text;
  while (last-- > at)
    if (side->tokens[last].kind == CUL_DIFF_TYPE)
      break;
  if (last == at && line->op == line->first + 2)
    return side->tokens[line->first].text;
  return (struct cul_bytes){NULL, 0};
}

static void tell_type(struct telling *t, uint32_t at) {
  struct cul_diff_token *ours = &t->fails.tokens[at];
  struct cul_bytes value = type_owner(&t->fails, at);
  struct cul_buf owner = {0};
  if (!begin(t))
    return;
  if (value.data)
    add_bytes(value, &owner);
  else
    add_op(&t->fails, ours->line, &owner);
  cul_difference_of_types(ours->text, t->passes.tokens[ours->match].text,
                          cul_buf_str(&owner), value.data != NULL, t->out);
  cul_buf_release(&owner);
}

/* Their value under our name. */
static void add_value(struct telling *t, struct cul_bytes theirs, uint32_t at) {
  struct cul_bytes name = our_name(t, theirs, at);
  if (!name.data) {
    cul_buf_adds(t->out, "a new value");
    return;
  }
  add_bytes(name, t->out);
  add_bytes(result_of(theirs), t->out);
}

/* "`axis` of `tosa.concat` is 0 instead of 1", "`arith.constant` has ...". */
static void tell_token(struct telling *t, uint32_t at) {
  const struct cul_diff_token *ours = &t->fails.tokens[at];
  const struct cul_diff_line *line = &t->fails.lines[ours->line];
  struct cul_bytes theirs = t->passes.tokens[ours->match].text;
  if (!begin(t))
    return;
  if (at >= line->first + 2 && is_mark(ours - 1, '=') && at - 2 > line->op) {
    add_excerpt(ours[-2].text, t->out);
    cul_buf_adds(t->out, " of ");
    add_op(&t->fails, ours->line, t->out);
    cul_buf_adds(t->out, " is ");
  } else {
    add_op(&t->fails, ours->line, t->out);
    cul_buf_adds(t->out, ours->kind == CUL_DIFF_VALUE ? " uses " : " has ");
  }
  if (ours->kind == CUL_DIFF_VALUE)
    add_value(t, theirs, at);
  else
    add_bytes(theirs, t->out);
  cul_buf_adds(t->out, " instead of ");
  add_bytes(ours->text, t->out);
}

/* Tokens that only one side has, in one stretch. */
struct stretch {
  uint32_t from, to;
};

static struct stretch stretch_at(const struct cul_diff_side *side,
                                 uint32_t line, uint32_t from) {
  uint32_t end = side->lines[line].first + side->lines[line].n, to = from;
  while (to < end && side->tokens[to].match == CUL_DIFF_NONE)
    to++;
  return (struct stretch){from, to};
}

/* What the other side has in the same place. */
static struct stretch across(const struct cul_diff_side *side,
                             const struct cul_diff_side *other, uint32_t line,
                             uint32_t from) {
  const struct cul_diff_line *at = &side->lines[line];
  uint32_t start = from == at->first ? other->lines[at->match].first
                                     : side->tokens[from - 1].match + 1;
  return stretch_at(other, at->match, start);
}

static void add_stretch(const struct cul_diff_side *side, struct stretch range,
                        struct cul_buf *out) {
  const struct cul_diff_token *first = &side->tokens[range.from];
  const struct cul_diff_token *last = &side->tokens[range.to - 1];
  size_t n = (size_t)(last->text.data + last->text.len - first->text.data);
  add_excerpt((struct cul_bytes){first->text.data, n}, out);
}

static void tell_stretch(struct telling *t, uint32_t line, struct stretch ours,
                         struct stretch theirs) {
  if (!begin(t))
    return;
  add_op(&t->fails, line, t->out);
  if (theirs.from == theirs.to) {
    cul_buf_adds(t->out, " lacks ");
    add_stretch(&t->fails, ours, t->out);
    return;
  }
  cul_buf_adds(t->out, " has ");
  add_stretch(&t->passes, theirs, t->out);
  if (ours.from < ours.to) {
    cul_buf_adds(t->out, " instead of ");
    add_stretch(&t->fails, ours, t->out);
  }
}

/* In front of each token that both have, and at the end of the line. */
static void tell_stretches(struct telling *t, uint32_t line) {
  const struct cul_diff_line *at = &t->fails.lines[line];
  uint32_t from = at->first, end = from + at->n;
  while (at->match != CUL_DIFF_NONE && from <= end) {
    struct stretch ours = stretch_at(&t->fails, line, from);
    struct stretch theirs = across(&t->fails, &t->passes, line, from);
    if (ours.from < ours.to || theirs.from < theirs.to)
      tell_stretch(t, line, ours, theirs);
    from = ours.to + 1;
  }
}

/* ---- the whole ---- */

static void learn_names(struct telling *t) {
  t->names = cul_xcalloc(t->fails.n_tokens + 1, sizeof *t->names);
  for (uint32_t i = 0; i < t->fails.n_tokens; i++) {
    const struct cul_diff_token *ours = &t->fails.tokens[i];
    if (ours->defines && ours->match != CUL_DIFF_NONE)
      t->names[t->n_names++] =
          (struct name){t->passes.tokens[ours->match].text, ours->text, i};
  }
}

static bool differs(const struct telling *t, uint32_t at) {
  const struct cul_diff_token *ours = &t->fails.tokens[at];
  struct cul_bytes theirs;
  if (ours->match == CUL_DIFF_NONE || ours->defines)
    return false;
  theirs = t->passes.tokens[ours->match].text;
  return ours->kind == CUL_DIFF_VALUE ? !same_value(t, at)
                                      : !cul_bytes_equal(ours->text, theirs);
}

/* One change of types shows in many places: it is told once, where the type
 * is some value's own, if it is anywhere. */
static void tell_types(struct telling *t) {
  uint32_t chosen = CUL_DIFF_NONE;
  for (uint32_t i = 0; i < t->fails.n_tokens; i++) {
    if (t->fails.tokens[i].kind != CUL_DIFF_TYPE || !differs(t, i))
      continue;
    if (chosen == CUL_DIFF_NONE ||
        (!type_owner(&t->fails, chosen).data && type_owner(&t->fails, i).data))
      chosen = i;
  }
  if (chosen != CUL_DIFF_NONE)
    tell_type(t, chosen);
}

static void tell_tokens(struct telling *t, enum cul_diff_kind kind) {
  for (uint32_t i = 0; i < t->fails.n_tokens; i++)
    if (t->fails.tokens[i].kind == kind && differs(t, i))
      tell_token(t, i);
}

static void tell(struct telling *t) {
  learn_names(t);
  if (!tell_replaced(t)) {
    tell_lines(t, &t->fails, "gone");
    tell_lines(t, &t->passes, "added");
  }
  tell_types(t);
  tell_tokens(t, CUL_DIFF_WORD);
  tell_tokens(t, CUL_DIFF_VALUE);
  tell_tokens(t, CUL_DIFF_NUMBER);
  tell_tokens(t, CUL_DIFF_MARK);
  for (uint32_t i = 0; i < t->fails.n_lines; i++)
    tell_stretches(t, i);
  if (t->more)
    cul_buf_adds(t->out, ", among other differences");
}

void cul_difference_describe(struct cul_bytes fails, struct cul_bytes passes,
                             struct cul_buf *out) {
  struct telling t = {.out = out};
  cul_diff_read(fails, &t.fails);
  cul_diff_read(passes, &t.passes);
  if (cul_diff_match(&t.fails, &t.passes))
    tell(&t);
  free(t.names);
  cul_diff_release(&t.fails);
  cul_diff_release(&t.passes);
}
