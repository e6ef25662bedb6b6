/* Learns the prefixes of a log's lines, layer by layer: see prefix.h.
 *
 * In each layer, every line is divided at the places where its prefix may end
 * (cuts).  The part before a cut has a shape, and shapes are the candidates for
 * prefixes.  A shape with a time of day is a prefix if a few lines share it.
 * The shape of a tag, "[rank3]: ", is one if consecutive lines share it and the
 * rules understand no less of the log without it.  Any other shape is one if
 * the rules understand more without it.  A prefix is then extended as long as
 * (nearly) all of its lines continue in the same way, but never into a stack
 * frame. */
#include "prefix.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "../../oracles/rules/rules.h"
#include "../../oracles/signature/signature.h"
#include "../../oracles/signature/words.h"
#include "undo.h"

/* How likely a shape is to be a prefix rather than part of a message, in
 * ascending order. */
enum cul_shape_class {
  CUL_SHAPE_WEAK,
  CUL_SHAPE_TAG,  /* ends with a closing bracket or "|" */
  CUL_SHAPE_TIME, /* contains a time of day */
};

/* One place where a prefix may end. */
struct cul_cut {
  uint64_t shape; /* a hash of the shape of the text before it, without trailing
                     blanks */
  uint64_t key; /* a hash of the same with numbers but without times: identifies
                   the writer */
  size_t at, end; /* offsets before and after these blanks */
  enum cul_shape_class class;
};

/* ---- shape ---- */

/* Divides the start of a line into times, numbers, words and marks. */

enum {
  MOST_BYTES = 200, /* of a line that are read */
  MOST_DEEP = 4,    /* nested brackets */
};

/* For ASCII.  The functions of ctype.h look up the locale for each byte. */
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_alnum(char c) {
  return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* ---- times ---- */

static size_t digits(const char *s, const char *end) {
  size_t n = 0;
  while (s + n < end && is_digit(s[n]))
    n++;
  return n;
}

static bool is_one(const char *s, const char *end, const char *of) {
  for (; s < end && *of; of++)
    if (*s == *of)
      return true;
  return false;
}

/* The length of a time of day, or 0: "12:30:01", "0:12.34",
 * "12:30:01.123456789+02:00". */
static size_t match_clock(const char *s, const char *end) {
  const char *at = s;
  size_t n = digits(at, end);
  bool whole = false;
  if (n < 1 || n > 3 || !is_one(at + n, end, ":"))
    return 0;
  at += n + 1;
  if (digits(at, end) != 2)
    return 0;
  at += 2;
  if (is_one(at, end, ":") && digits(at + 1, end) >= 2) {
    at += 1 + digits(at + 1, end);
    whole = true;
  }
  if (is_one(at, end, ".,") && digits(at + 1, end) >= 1) {
    at += 1 + digits(at + 1, end);
    whole = true;
  }
  if (!whole)
    return 0;
  if (is_one(at, end, "Z"))
    at++;
  else if (is_one(at, end, "+-") && digits(at + 1, end) == 4)
    at += 5;
  else if (is_one(at, end, "+-") && digits(at + 1, end) == 2 &&
           is_one(at + 3, end, ":") && digits(at + 4, end) == 2)
    at += 6;
  if (end - at >= 3 && at[0] == ' ' && strchr("AP", at[1]) && at[2] == 'M')
    at += 3;
  return (size_t)(at - s);
}

/* The length of a date, or 0: "2031-02-03", "02/03/2031", "02-03". */
static size_t match_date(const char *s, const char *end) {
  const char *at = s;
  size_t n = digits(at, end);
  char sep;
  if ((n != 4 && n != 2) || !is_one(at + n, end, "-/."))
    return 0;
  sep = at[n];
  at += n + 1;
  if (digits(at, end) != 2)
    return 0;
  at += 2;
  if (at + 1 < end && *at == sep && digits(at + 1, end) >= 2)
    return (size_t)(at + 1 + digits(at + 1, end) - s);
  return n == 2 ? (size_t)(at - s) : 0;
}

/* The length of a date and a time of day, with one character between them. */
static size_t match_dated(const char *s, const char *end) {
  size_t n = match_date(s, end), clock;
  if (!n) {
    n = digits(s, end);
    if (n != 8 || end - s < 9 || !strchr("T-_ ", s[8]))
      return 0;
    clock = digits(s + 9, end) == 6 ? 6 : match_clock(s + 9, end);
    return clock ? 9 + clock + is_one(s + 9 + clock, end, "Z") : 0;
  }
  if (!is_one(s + n, end, "T _:"))
    return 0;
  clock = match_clock(s + n + 1, end);
  return clock ? n + 1 + clock : 0;
}

static size_t blanks(const char *s, const char *end) {
  size_t n = 0;
  while (s + n < end && s[n] == ' ')
    n++;
  return n;
}

/* The length of the name of a month or day and the blanks after it: "Jan ",
 * "Tue, ". */
static size_t match_name(const char *s, const char *end) {
  size_t n = 3;
  if (end - s < 5 || !isupper((unsigned char)s[0]) ||
      !islower((unsigned char)s[1]) || !islower((unsigned char)s[2]))
    return 0;
  n += s[n] == ',';
  return blanks(s + n, end) ? n + blanks(s + n, end) : 0;
}

/* The length of "Tue Jan  2 12:30:01 2031" or "Jan 02 12:30:01", or 0. */
static size_t match_named(const char *s, const char *end) {
  const char *at = s;
  size_t n;
  for (int i = 0; i < 2; i++)
    at += match_name(at, end);
  n = digits(at, end);
  if (at == s || n < 1 || n > 2 || !blanks(at + n, end))
    return 0;
  at += n + blanks(at + n, end);
  at += match_name(at, end);
  if (digits(at, end) == 4 && is_one(at + 4, end, " "))
    at += 5;
  n = match_clock(at, end);
  if (!n)
    return 0;
  at += n;
  if (is_one(at, end, " ") && digits(at + 1, end) == 4)
    at += 5;
  return (size_t)(at - s);
}

/* The length of "E0602 17:07:56.123456", or 0.  The first word consists of the
 * level, the month and the day. */
static size_t match_level(const char *s, const char *end) {
  size_t clock;
  if (!isupper((unsigned char)*s) || digits(s + 1, end) != 4 ||
      !is_one(s + 5, end, " "))
    return 0;
  clock = match_clock(s + 6, end);
  return clock ? 6 + clock : 0;
}

/* The length of a time at the start of line, with its date and zone; 0 if there
 * is none. */
static size_t shape_time(struct cul_bytes line) {
  const char *s = line.data, *end = s + line.len;
  size_t n = 0;
  if (s == end)
    return 0;
  if (is_digit(*s)) {
    n = match_dated(s, end);
    n = n ? n : match_clock(s, end);
  } else if (isupper((unsigned char)*s)) {
    n = match_level(s, end);
    n = n ? n : match_named(s, end);
  }
  return n && s + n < end && is_alnum(s[n]) ? 0 : n;
}

/* ---- shapes ---- */

struct shaper {
  const char *start, *s, *end;
  uint64_t shape, key;
  char open[MOST_DEEP]; /* the closing bracket of each open one; 0: it does not
                           begin a word */
  size_t n_open;
  enum cul_shape_class class;
  struct cul_cut *out;
  size_t n;
};

static uint64_t mix(uint64_t hash, unsigned char c) {
  return (hash ^ c) * 0x100000001b3u;
}

static void put(struct shaper *h, char shape, char key) {
  h->shape = mix(h->shape, (unsigned char)shape);
  h->key = mix(h->key, (unsigned char)key);
}

/* The length of a decimal fraction, or 0.  It is a measurement, which differs
 * on each line: "3.25", "[ 8271.267459]". */
static size_t fraction(const struct shaper *h) {
  size_t n = digits(h->s, h->end), m;
  if (!n || !is_one(h->s + n, h->end, ".,"))
    return 0;
  m = digits(h->s + n + 1, h->end);
  n += 1 + m;
  return m >= 2 && !is_one(h->s + n, h->end, ".") ? n : 0;
}

/* Add a word of letters and digits to the shape.  A word in capitals and a
 * single letter are abstracted: they are often levels. */
static void take_word(struct shaper *h) {
  const char *s = h->s;
  uint64_t shape = h->shape, key = h->key;
  bool lower = false, upper = false, number = false, was = false;
  for (; h->s < h->end; h->s++) {
    unsigned char c = (unsigned char)*h->s;
    bool digit = c >= '0' && c <= '9', small = c >= 'a' && c <= 'z';
    if (!digit && !small && !(c >= 'A' && c <= 'Z'))
      break;
    lower = lower || small;
    upper = upper || !(digit || small);
    number = number || digit;
    if (!digit || !was)
      shape = mix(shape, digit ? '0' : c);
    key = mix(key, c);
    was = digit;
  }
  if ((!lower && upper) || (h->s - s == 1 && lower)) {
    put(h, number ? 'X' : 'L', number ? 'X' : 'L');
    return;
  }
  h->shape = shape;
  h->key = key;
}

/* Is this the start of a word? */
static bool is_fresh(const struct shaper *h) {
  char c = h->s == h->start ? ' ' : h->s[-1];
  return c == ' ' || c == '\t' || c == '[' || c == '(' || c == '<' ||
         c == '|' || c == ':' || c == ']';
}

static void raise_class(struct shaper *h, enum cul_shape_class class) {
  h->class = h->class < class ? class : h->class;
}

static void take_bracket(struct shaper *h, char c) {
  char close = c == '[' ? ']' : c == '(' ? ')' : c == '{' ? '}' : '>';
  if (c == '[' || c == '(' || c == '{' || c == '<') {
    if (h->n_open < MOST_DEEP)
      h->open[h->n_open] = is_fresh(h) ? close : '\0';
    h->n_open++;
  } else if (c != ']' && c != ')' && c != '}' && c != '>') {
    return;
  } else if (h->n_open) {
    h->n_open--;
    if (h->n_open == 0 && h->open[0] == c && c != '}')
      raise_class(h, CUL_SHAPE_TAG);
  } else if (c == '>') { /* as in "name> " */
    raise_class(h, CUL_SHAPE_TAG);
  }
}

static void add_cut(struct shaper *h, const char *at) {
  if (h->n < CUL_MOST_CUTS)
    h->out[h->n++] = (struct cul_cut){.shape = h->shape,
                                      .key = h->key,
                                      .at = (size_t)(at - h->start),
                                      .end = (size_t)(h->s - h->start),
                                      .class = h->class};
}

static void take_blanks(struct shaper *h) {
  const char *at = h->s;
  while (h->s < h->end && (*h->s == ' ' || *h->s == '\t'))
    h->s++;
  if (at == h->start) /* blanks that align numbers are not part of the shape */
    return;
  add_cut(h, at);
  put(h, ' ', ' ');
}

/* May a prefix end directly after this mark, without a blank? */
static bool ends_behind(const struct shaper *h, char c) {
  if (h->s == h->end)
    return true;
  if (*h->s == ' ' || *h->s == '\t')
    return false;
  if (c == ':')
    return !is_digit(*h->s) && *h->s != ':' && *h->s != '/' && *h->s != '\\';
  return h->n_open == 0 && (c == ']' || c == ')' || c == '>' || c == '|');
}

static void take_mark(struct shaper *h) {
  char c = *h->s;
  bool bar = c == '|' && h->s > h->start && h->s[-1] == ' ';
  take_bracket(h, c);
  if (bar)
    raise_class(h, CUL_SHAPE_TAG);
  put(h, c, c);
  h->s++;
  if (ends_behind(h, c))
    add_cut(h, h->s);
}

/* The cuts of a line, in order; returns their number. */
static size_t shape_cuts(struct cul_bytes line,
                         struct cul_cut out[CUL_MOST_CUTS]) {
  size_t len = line.len < MOST_BYTES ? line.len : MOST_BYTES;
  struct shaper h = {.start = line.data,
                     .s = line.data,
                     .end = line.data + len,
                     .shape = 0xcbf29ce484222325u,
                     .key = 0xcbf29ce484222325u,
                     .out = out};
  while (h.s < h.end && h.n < CUL_MOST_CUTS) {
    size_t n = is_fresh(&h)
                   ? shape_time((struct cul_bytes){h.s, (size_t)(h.end - h.s)})
                   : 0;
    if (n) {
      put(&h, 'T', 'T');
      h.class = CUL_SHAPE_TIME;
      h.s += n;
    } else if (is_digit(*h.s) && (n = fraction(&h)) != 0) {
      h.s += n;
      put(&h, 'F', 'F');
    } else if (is_alnum(*h.s)) {
      take_word(&h);
    } else if (*h.s == ' ' || *h.s == '\t') {
      take_blanks(&h);
      continue;
    } else {
      take_mark(&h);
      continue;
    }
    if (h.s == h.end)
      add_cut(&h, h.s);
  }
  return h.n;
}

/* ---- prefix ---- */

enum {
  LAYERS = 6, /* such as: a CI service, a launcher, a logger */
  MOST_LEARNT =
      20000, /* lines at each end of a log from which shapes are learnt */
  MOST_SHOWN = 64 << 10, /* bytes of a shape's lines on which rules are tried */
  MOST_FRAMES = 200,     /* lines of a shape that are parsed as frames */
  FEW_TIMES = 3, /* minimal numbers of lines that share a shape, by class */
  FEW_TAGS = 3,
  FEW_WEAK = 8,
  MOST_BRANCHES = 3,  /* continuations of one prefix */
  MOST_WRITERS = 512, /* writers of a log */
  MOST_TRIED = 64,    /* shapes of a log on which rules are tried */
  SHORT_LOG = 50, /* lines; in a longer log, a weak prefix needs stack frames */
};

struct line {
  const char *start, *cut; /* cut: after its prefix */
  size_t len;
  uint64_t key; /* of its prefix; 0: no prefix */
};

/* A shape at the start of lines.  The shapes of a layer form a tree. */
struct node {
  uint64_t shape;
  size_t parent;         /* index + 1; 0: the start of the line */
  size_t child, sibling; /* index + 1; 0: none */
  size_t n;              /* number of lines */
  size_t bare;           /* of these, lines that consist of it only */
  size_t adjacent;       /* of these, lines directly after another one */
  size_t last;           /* the last of its lines */
  size_t first;          /* the first of its lines */
  size_t blanks;         /* minimal number of blanks after it */
  enum cul_shape_class class;
  bool stacked; /* some of its lines may contain a stack frame */
  bool begins;  /* its class is higher than that of its parent */
  bool accepted;
};

struct learner {
  const struct cul_rules *rules;
  struct line *lines;
  size_t n_lines, n_words; /* n_words: number of lines that are not empty */
  struct node *nodes;
  size_t n_nodes, *slots, n_slots; /* slots: a hash table of index + 1 */
  int n_tried; /* number of shapes on which rules were tried */
};

static struct cul_bytes rest_of(const struct line *line) {
  return (struct cul_bytes){line->cut,
                            line->len - (size_t)(line->cut - line->start)};
}

/* ---- shapes of a layer ---- */

static size_t *slot_of(const struct learner *l, uint64_t shape) {
  size_t i = (shape ^ shape >> 29) & (l->n_slots - 1);
  while (l->slots[i] && l->nodes[l->slots[i] - 1].shape != shape)
    i = (i + 1) & (l->n_slots - 1);
  return &l->slots[i];
}

static void grow(struct learner *l) {
  l->n_slots = l->n_slots ? 2 * l->n_slots : 1024;
  free(l->slots);
  l->slots = cul_xcalloc(l->n_slots, sizeof *l->slots);
  l->nodes = cul_xreallocarray(l->nodes, l->n_slots / 2, sizeof *l->nodes);
  for (size_t i = 0; i < l->n_nodes; i++)
    *slot_of(l, l->nodes[i].shape) = i + 1;
}

/* The node of the cut's shape, new if necessary; index + 1. */
static size_t node_at(struct learner *l, const struct cul_cut *cut,
                      size_t parent, size_t line) {
  size_t *slot;
  if (2 * (l->n_nodes + 1) > l->n_slots)
    grow(l);
  slot = slot_of(l, cut->shape);
  if (!*slot) {
    bool begins = cut->class != CUL_SHAPE_WEAK &&
                  (!parent || l->nodes[parent - 1].class < cut->class);
    l->nodes[l->n_nodes++] = (struct node){.shape = cut->shape,
                                           .parent = parent,
                                           .class = cut->class,
                                           .first = line,
                                           .blanks = SIZE_MAX,
                                           .begins = begins};
    *slot = l->n_nodes;
    if (parent) {
      l->nodes[l->n_nodes - 1].sibling = l->nodes[parent - 1].child;
      l->nodes[parent - 1].child = l->n_nodes;
    }
  }
  return *slot;
}

/* Faster than memmem for a single line, because it needs no preparation. */
static bool contains(struct cul_bytes line, const char *word) {
  size_t n = strlen(word);
  const char *at = line.data + n - 1, *end = line.data + line.len;
  for (; at < end && (at = memchr(at, word[n - 1], (size_t)(end - at))); at++)
    if (!memcmp(at - n + 1, word, n))
      return true;
  return false;
}

static void count_line(struct learner *l, size_t i) {
  struct cul_cut cuts[CUL_MOST_CUTS];
  struct cul_bytes rest = rest_of(&l->lines[i]);
  size_t n = shape_cuts(rest, cuts), parent = 0;
  bool stacked = n && (contains(rest, " 0x") || contains(rest, "File \""));
  l->n_words += rest.len > 0;
  for (size_t k = 0; k < n; k++) {
    struct node *node;
    size_t at = node_at(l, &cuts[k], parent, i);
    node = &l->nodes[at - 1];
    node->adjacent += node->n && node->last + 1 == i;
    node->n++;
    node->bare += cuts[k].end >= rest.len;
    node->last = i;
    node->stacked = node->stacked || stacked;
    if (cuts[k].end < rest.len && cuts[k].end - cuts[k].at < node->blanks)
      node->blanks = cuts[k].end - cuts[k].at;
    parent = at;
  }
}

/* Are shapes learnt from this line? */
static bool is_learnt(const struct learner *l, size_t i) {
  return i < MOST_LEARNT || i + MOST_LEARNT >= l->n_lines;
}

/* ---- choice ---- */

/* The offset at which the prefix of this shape ends in the line; 0: the line
 * has another shape. */
static size_t end_in(const struct learner *l, const struct node *node,
                     size_t line) {
  struct cul_cut cuts[CUL_MOST_CUTS];
  struct cul_bytes rest = rest_of(&l->lines[line]);
  size_t n = shape_cuts(rest, cuts);
  for (size_t k = 0; k < n; k++)
    if (cuts[k].shape == node->shape) {
      size_t blanks = cuts[k].end - cuts[k].at;
      return cuts[k].at + (blanks < node->blanks ? blanks : node->blanks);
    }
  return 0;
}

/* Is the line a stack frame with a position (file and line, address or
 * offset)? */
static bool is_frame(struct cul_bytes line) {
  struct cul_raw_frame frame;
  return line.len && cul_frame_parse(line, &frame) &&
         (frame.python || frame.address || frame.has_module_offset);
}

static struct cul_bytes behind(struct cul_bytes line, size_t n) {
  return (struct cul_bytes){line.data + n, line.len - n};
}

/* Does removing the longer prefix instead of the shorter one leave fewer lines
 * that parse as frames? */
static bool breaks_frames(const struct learner *l, const struct node *shorter,
                          const struct node *longer) {
  size_t seen = 0, more = 0, less = 0;
  for (size_t i = longer->first; i < l->n_lines && seen < MOST_FRAMES; i++) {
    struct cul_bytes rest = rest_of(&l->lines[i]);
    size_t end = end_in(l, longer, i), start;
    if (!end)
      continue;
    start = shorter ? end_in(l, shorter, i) : 0;
    more += is_frame(behind(rest, start));
    less += is_frame(behind(rest, end));
    seen++;
  }
  return less < more;
}

/* Append the lines of a shape to texts[0], without the shorter prefix unless
 * that is NULL, and to texts[1] without their prefix. */
static void collect_lines(const struct learner *l, const struct node *shorter,
                          const struct node *node, struct cul_buf texts[2]) {
  for (size_t i = node->first; i < l->n_lines && texts[0].len < MOST_SHOWN;
       i++) {
    struct cul_bytes rest = rest_of(&l->lines[i]);
    size_t end = end_in(l, node, i), start;
    if (!end)
      continue;
    rest.len = rest.len < 4096 ? rest.len : 4096;
    end = end < rest.len ? end : rest.len;
    start = shorter ? end_in(l, shorter, i) : 0;
    start = start < end ? start : end;
    cul_buf_add(&texts[0], rest.data + start, rest.len - start);
    cul_buf_addc(&texts[0], '\n');
    cul_buf_add(&texts[1], rest.data + end, rest.len - end);
    cul_buf_addc(&texts[1], '\n');
  }
}

/* Do the rules understand more (1), less (-1) or the same (0) without the
 * prefix of node than with what it adds to the shorter one?  shorter: NULL:
 * than with all of it. */
static int gain(const struct learner *l, const struct node *shorter,
                const struct node *node) {
  struct cul_buf texts[2] = {{0}};
  size_t with, without;
  collect_lines(l, shorter, node, texts);
  with = cul_understood(l->rules, cul_buf_bytes(&texts[0]));
  without = cul_understood(l->rules, cul_buf_bytes(&texts[1]));
  cul_buf_release(&texts[0]);
  cul_buf_release(&texts[1]);
  return (without > with) - (without < with);
}

static bool nearly_all(size_t n, size_t of) {
  return n + of / 50 >= of && n + 8 >= of - of / 50;
}

/* Does other text follow on at least half of the lines? */
static bool leaves_text(const struct node *node) {
  return 2 * node->bare <= node->n;
}

/* The next longer prefix of (nearly) all lines of node, as index + 1; 0:
 * none. */
static size_t longer_than(const struct learner *l, size_t node) {
  size_t at = l->nodes[node - 1].child;
  for (; at; at = l->nodes[at - 1].sibling)
    if (nearly_all(l->nodes[at - 1].n, l->nodes[node - 1].n) &&
        leaves_text(&l->nodes[at - 1]))
      return breaks_frames(l, &l->nodes[node - 1], &l->nodes[at - 1]) ? 0 : at;
  return 0;
}

/* The number of words that the longer of two prefixes adds, in its first
 * line. */
static size_t words_between(const struct learner *l, size_t shorter,
                            size_t longer) {
  const struct node *node = &l->nodes[longer - 1];
  struct cul_bytes rest = rest_of(&l->lines[node->first]);
  size_t at = end_in(l, &l->nodes[shorter - 1], node->first), n = 0;
  for (size_t end = end_in(l, node, node->first); at < end; at++)
    n += rest.data[at] != ' ' && (at + 1 == end || rest.data[at + 1] == ' ');
  return n;
}

/* If (nearly) all lines of node continue in one of a few ways, accept each of
 * these longer prefixes, unless the rules understand less without them. */
static void accept_branches(struct learner *l, size_t node) {
  size_t found[MOST_BRANCHES], n = 0, sum = 0;
  size_t at = l->nodes[node - 1].child;
  for (; at; at = l->nodes[at - 1].sibling) {
    if (l->nodes[at - 1].n < FEW_TIMES)
      continue;
    if (n == MOST_BRANCHES)
      return;
    found[n++] = at - 1;
    sum += l->nodes[at - 1].n;
  }
  if (n < 2 || !nearly_all(sum, l->nodes[node - 1].n))
    return;
  for (size_t i = 0; i < n; i++)
    if (breaks_frames(l, &l->nodes[node - 1], &l->nodes[found[i]]) ||
        gain(l, &l->nodes[node - 1], &l->nodes[found[i]]) < 0)
      return;
  for (size_t i = 0; i < n; i++)
    l->nodes[found[i]].accepted = true;
}

/* Does the prefix end with a square or angle bracket or a bar? */
static bool ends_tag(const struct learner *l, const struct node *node) {
  struct cul_bytes rest = rest_of(&l->lines[node->first]);
  size_t end = end_in(l, node, node->first);
  while (end && (rest.data[end - 1] == ' ' || rest.data[end - 1] == '\t'))
    end--;
  return end && strchr("]>|", rest.data[end - 1]);
}

/* Extend the prefix of node as far as possible.  Its lines may just begin with
 * the same words, so it grows by at most FEW_WORDS, or to the end of a tag if
 * many lines have it. */
static size_t extend(struct learner *l, size_t node) {
  enum { FEW_WORDS = 3 };
  size_t next, begin = node, end = node;
  bool tagged = false;
  while ((next = longer_than(l, node)) != 0) {
    const struct node *at = &l->nodes[next - 1];
    bool few = words_between(l, begin, next) <= FEW_WORDS;
    bool tag = at->n >= FEW_TIMES && ends_tag(l, at);
    if (tag || (few && !tagged))
      end = next;
    tagged = tagged || tag;
    if (!few && at->n < FEW_TIMES)
      break;
    node = next;
  }
  return end;
}

static bool is_prefix(struct learner *l, const struct node *node,
                      const struct node *whole) {
  bool all = node->n >= 2 && node->n == l->n_words;
  if (node->class == CUL_SHAPE_TIME)
    return node->n >= FEW_TIMES || all;
  if ((node->n < FEW_TAGS && !all) || l->n_tried == MOST_TRIED)
    return false;
  if (node->class == CUL_SHAPE_WEAK &&
      is_frame(rest_of(&l->lines[node->first])))
    return false; /* the line itself is a frame, without a prefix */
  if (node->class == CUL_SHAPE_TAG)
    return 2 * node->adjacent >= node->n && ++l->n_tried &&
           gain(l, NULL, whole) >= 0;
  return (nearly_all(node->n, l->n_words) ||
          (node->n >= FEW_WEAK && 2 * node->adjacent >= node->n)) &&
         ++l->n_tried && gain(l, NULL, whole) > 0;
}

/* Does a harness mark a test on this line, as in "[ RUN      ] Shapes.Pad"? */
static bool is_mark(const struct learner *l, struct cul_bytes line) {
  struct cul_section *sections = NULL;
  size_t n = cul_sections_find(l->rules, line, &sections);
  free(sections);
  return n > 0;
}

/* Does the shape contain (part of) such a mark? */
static bool contains_mark(const struct learner *l, const struct node *node) {
  struct cul_bytes rest = rest_of(&l->lines[node->first]);
  size_t at = node->parent;
  while (at &&
         !is_mark(l, behind(rest, end_in(l, &l->nodes[at - 1], node->first))))
    at = l->nodes[at - 1].parent;
  return at || is_mark(l, rest);
}

/* The number of a step, "[2/31] ", or 0. */
static unsigned long step_of(struct cul_bytes line) {
  size_t n;
  if (line.len < 2 || line.data[0] != '[')
    return 0;
  n = digits(line.data + 1, line.data + line.len);
  return n && n + 1 < line.len && line.data[n + 1] == '/'
             ? strtoul(line.data + 1, NULL, 10)
             : 0;
}

/* Does a build number its steps with this prefix?  The numbers must stay,
 * because they show whether the build ended. */
static bool counts_steps(const struct learner *l, const struct node *node) {
  return node->first + 1 < l->n_lines &&
         step_of(rest_of(&l->lines[node->first])) == 1 &&
         step_of(rest_of(&l->lines[node->first + 1])) == 2;
}

/* Accept the shapes that are prefixes.  A prefix may begin where the class
 * rises or at the start of the line. */
static bool accept_prefixes(struct learner *l) {
  bool any = false;
  for (size_t i = 0; i < l->n_nodes; i++) {
    struct node *node = &l->nodes[i];
    size_t whole;
    if ((!node->begins && node->parent) || node->n < 2 ||
        (node->class == CUL_SHAPE_WEAK && !node->stacked &&
         l->n_words > SHORT_LOG) ||
        (node->n < FEW_TIMES && node->n != l->n_words))
      continue;
    whole = extend(l, i + 1);
    if (!leaves_text(&l->nodes[whole - 1]) ||
        !is_prefix(l, node, &l->nodes[whole - 1]) || contains_mark(l, node) ||
        counts_steps(l, node))
      continue;
    l->nodes[whole - 1].accepted = l->nodes[i].accepted = any = true;
    accept_branches(l, whole);
  }
  return any;
}

/* ---- cutting ---- */

/* Is it a line of level F, "F0602 17:07:56.123456 "?  The prefix stays, because
 * only this letter shows that the process ends here. */
static bool is_fatal(struct cul_bytes line) {
  return line.len > 6 && *line.data == 'F' &&
         match_level(line.data, line.data + line.len) != 0;
}

/* Is it a line of level E? */
static bool is_error(struct cul_bytes line) {
  return line.len > 6 && *line.data == 'E' &&
         match_level(line.data, line.data + line.len) != 0;
}

/* Does the mark name no writer, as "# | " and "> ", which a harness puts before
 * some lines of one writer? */
static bool is_nameless(struct cul_bytes mark) {
  for (size_t i = 0; i < mark.len; i++)
    if (is_alnum(mark.data[i]))
      return false;
  return true;
}

static void cut_line(const struct learner *l, struct line *line) {
  struct cul_cut cuts[CUL_MOST_CUTS];
  struct cul_bytes rest = rest_of(line);
  size_t n = is_fatal(rest) ? 0 : shape_cuts(rest, cuts), end = 0;
  uint64_t key = 0;
  for (size_t k = 0; k < n; k++) {
    size_t at = *slot_of(l, cuts[k].shape);
    const struct node *node = at ? &l->nodes[at - 1] : NULL;
    size_t blanks = cuts[k].end - cuts[k].at;
    if (!node || !node->accepted)
      continue;
    end = cuts[k].at + (blanks < node->blanks ? blanks : node->blanks);
    key = cuts[k].key;
  }
  line->cut += end;
  if (end && !is_nameless((struct cul_bytes){rest.data, end}))
    line->key = line->key * 31 + (key | 1);
}

static bool cut_layer(struct learner *l) {
  bool any;
  l->n_nodes = l->n_words = 0;
  if (l->n_slots)
    memset(l->slots, 0, l->n_slots * sizeof *l->slots);
  for (size_t i = 0; i < l->n_lines; i++)
    if (is_learnt(l, i))
      count_line(l, i);
  any = l->n_nodes && accept_prefixes(l);
  for (size_t i = 0; any && i < l->n_lines; i++)
    cut_line(l, &l->lines[i]);
  return any;
}

/* Remove a time at the start of a single line, unless it is an error. */
static bool cut_time(struct line *line) {
  struct cul_bytes rest = rest_of(line);
  size_t n = shape_time(rest);
  if (!n || n >= rest.len || !strchr(" \t:|-]", rest.data[n]) ||
      is_fatal(rest) || is_error(rest))
    return false;
  while (n < rest.len && strchr(" \t:|-]", rest.data[n]))
    n++;
  line->cut += n;
  return true;
}

/* If the rules understand little of a text, only the level of a line may show
 * the failure, so this is put before the rest of a line whose level was cut. */
static const char error_level[] = "ERROR: ";

static bool is_hardly_understood(const struct cul_rules *rules,
                                 struct cul_bytes text) {
  enum {
    LITTLE = 6
  }; /* rules of a lower rank at most show that something failed */
  return cul_understood(rules, text) < LITTLE;
}

/* Does a logger report an error on the line (with its prefix)? */
static bool is_reported(const struct cul_rules *rules, struct cul_bytes line) {
  return cul_line_find(rules, CUL_LINE_REPORT, line).len > 0;
}

static bool loses_level(const struct learner *l, const struct line *line) {
  struct cul_bytes rest = rest_of(line);
  return line->cut > line->start && rest.len &&
         is_reported(l->rules, (struct cul_bytes){line->start, line->len}) &&
         !is_reported(l->rules, rest);
}

/* The first word in capitals of the line's prefix, such as a level. */
static struct cul_bytes level_of(const struct line *line) {
  enum { LEAST = 3 };
  for (const char *at = line->start; at < line->cut;) {
    size_t n = 0;
    while (at + n < line->cut && at[n] >= 'A' && at[n] <= 'Z')
      n++;
    if (n >= LEAST)
      return (struct cul_bytes){at, n};
    at += n + 1;
  }
  return (struct cul_bytes){"", 0};
}

/* Does the line begin a record of its own?  Its level is another than that of
 * the line before it. */
static bool begins_record(const struct line *before, const struct line *line) {
  struct cul_bytes a = level_of(before), b = level_of(line);
  return before->key && line->key &&
         (a.len != b.len || memcmp(a.data, b.data, a.len) != 0);
}

/* Append the lines without their prefixes; with an empty line between records,
 * so that no rule reads on in the next one. */
static void join(const struct learner *l, bool ends, bool levels,
                 struct cul_buf *out) {
  for (size_t i = 0; i < l->n_lines; i++) {
    struct cul_bytes rest = rest_of(&l->lines[i]);
    if (i > 0 && begins_record(&l->lines[i - 1], &l->lines[i]))
      cul_buf_addc(out, '\n');
    if (levels && loses_level(l, &l->lines[i]))
      cul_buf_adds(out, error_level);
    cul_buf_add(out, rest.data, rest.len);
    if (i + 1 < l->n_lines || ends)
      cul_buf_addc(out, '\n');
  }
}

/* ---- writers ---- */

static size_t writer_of(uint64_t *keys, size_t *n, uint64_t key) {
  size_t i = 0;
  while (i < *n && keys[i] != key)
    i++;
  if (i == *n && *n < MOST_WRITERS)
    keys[(*n)++] = key;
  return i;
}

/* Append lines [from, to), which have prefixes, grouped by writer; an empty
 * line is between two groups, so that no rule reads on in what another one
 * wrote. Returns false, and appends nothing, if the writers do not take turns,
 * or if there are too many of them to be writers. */
static bool sort_block(const struct learner *l, size_t from, size_t to,
                       struct line *out, size_t *n_out) {
  uint64_t *keys = cul_xcalloc(MOST_WRITERS, sizeof *keys);
  size_t n = 0;
  bool turns = false, good = true;
  for (size_t i = from; i < to && good; i++) {
    size_t before = n, w = writer_of(keys, &n, l->lines[i].key);
    good = w < MOST_WRITERS;
    turns = turns || (before == n && w + 1 != n);
  }
  good = good && turns && n <= 4 + (to - from) / 3;
  for (size_t w = 0; w < n && good; w++) {
    if (w > 0)
      out[(*n_out)++] = (struct line){.start = "", .cut = ""};
    for (size_t i = from; i < to; i++)
      if (l->lines[i].key == keys[w])
        out[(*n_out)++] = l->lines[i];
  }
  free(keys);
  return good;
}

static size_t understood(const struct learner *l) {
  struct cul_buf text = {0};
  size_t n;
  join(l, true, false, &text);
  n = cul_understood(l->rules, cul_buf_bytes(&text));
  cul_buf_release(&text);
  return n;
}

/* Group the lines by writer if writers take turns.  Keep the old order if the
 * rules understand less then: prefixes may differ for other reasons. */
static void sort_writers(struct learner *l) {
  /* a writer has a line at least, and one empty line before it */
  struct line *out = cul_xcalloc(2 * l->n_lines + 1, sizeof *out);
  struct learner sorted = *l;
  size_t n = 0;
  bool any = false;
  for (size_t from = 0; from < l->n_lines;) {
    size_t to = from;
    while (to < l->n_lines && l->lines[to].key)
      to++;
    if (to > from && sort_block(l, from, to, out, &n))
      any = true;
    else
      for (size_t i = from; i < to; i++)
        out[n++] = l->lines[i];
    if (to < l->n_lines)
      out[n++] = l->lines[to];
    from = to + 1;
  }
  sorted.lines = out;
  sorted.n_lines = n;
  if (any && understood(&sorted) >= understood(l)) {
    free(l->lines);
    l->lines = out;
    l->n_lines = n;
  } else {
    free(out);
  }
}

/* ---- lines ---- */

static void split(struct learner *l, struct cul_bytes text) {
  size_t n = 1;
  for (size_t i = 0; i < text.len; i++)
    n += text.data[i] == '\n';
  l->lines = cul_xcalloc(n, sizeof *l->lines);
  for (size_t at = 0; at < text.len;) {
    const char *start = text.data + at;
    const char *nl = memchr(start, '\n', text.len - at);
    size_t len = nl ? (size_t)(nl - start) : text.len - at;
    l->lines[l->n_lines++] =
        (struct line){.start = start, .cut = start, .len = len};
    at += len + 1;
  }
}

/* ---- ctest -V ---- */

/* ctest prints the output of test N as "N: TEXT" when it arrives, and later the
 * result of the test: " 1/15 Test #N: NAME ...***Failed".  Put the result
 * first, as with --output-on-failure, so that each text belongs to its test. */

/* The N of "N: TEXT", or 0; *text: the rest. */
static unsigned long number_of(struct cul_bytes line, struct cul_bytes *text) {
  enum { DIGITS = 7 };
  size_t n = digits(line.data, line.data + line.len);
  if (!n || n > DIGITS || n == line.len || line.data[n] != ':')
    return 0;
  if (n + 1 < line.len && line.data[n + 1] != ' ')
    return 0;
  *text = behind(line, n + 2 < line.len ? n + 2 : line.len);
  return strtoul(line.data, NULL, 10);
}

static bool is_setting(struct cul_bytes text) {
  return cul_bytes_start(text, "Test command: ") ||
         cul_bytes_start(text, "Working Directory: ") ||
         cul_bytes_start(text, "Test timeout computed to be: ");
}

/* The number of the test in " 1/15 Test  #3: NAME ....   Passed", or 0. */
static unsigned long ended_test(struct cul_bytes line, bool *passed) {
  static const char passes[] = " Passed ";
  const char *at = line.data, *end = at + line.len;
  at += blanks(at, end);
  at += digits(at, end);
  at += at < end && *at == '/';
  at += digits(at, end);
  if (end - at < 8 || memcmp(at, " Test ", 6) != 0)
    return 0;
  at += 6 + blanks(at + 6, end);
  if (at == end || *at != '#' || !digits(at + 1, end))
    return 0;
  *passed = memmem(at, (size_t)(end - at), passes, strlen(passes)) != NULL;
  return strtoul(at + 1, NULL, 10);
}

/* Is it the line "test 3", which announces a test? */
static bool is_announced(struct cul_bytes line) {
  return cul_bytes_start(line, "test ") && line.len > 5 &&
         digits(line.data + 5, line.data + line.len) == line.len - 5;
}

/* Linked lists of the lines of each test. */
struct printed {
  size_t *next;         /* per line: index + 1 of the next line of its test */
  size_t *first, *last; /* per test: index + 1 of its lines */
  unsigned long most;   /* the highest number of a test */
};

static void print_test(struct learner *l, struct printed *p, unsigned long test,
                       bool keep, struct line *out, size_t *n) {
  for (size_t i = p->first[test]; i && keep; i = p->next[i - 1])
    out[(*n)++] = l->lines[i - 1];
  p->first[test] = p->last[test] = 0;
}

static void sort_tests(struct learner *l, struct printed *p) {
  struct line *out = cul_xcalloc(l->n_lines + 1, sizeof *out);
  size_t n = 0;
  for (size_t i = 0; i < l->n_lines; i++) {
    struct cul_bytes rest = rest_of(&l->lines[i]), text;
    unsigned long test = number_of(rest, &text);
    bool passed = false;
    if (test && test <= p->most) {
      l->lines[i].cut = text.data;
      if (is_setting(text))
        continue;
      *(p->last[test] ? &p->next[p->last[test] - 1] : &p->first[test]) = i + 1;
      p->last[test] = i + 1;
      continue;
    }
    if (is_announced(rest))
      continue;
    out[n++] = l->lines[i];
    test = ended_test(rest, &passed);
    if (test && test <= p->most)
      print_test(l, p, test, !passed, out, &n);
  }
  for (unsigned long test = 1; test <= p->most; test++)
    print_test(l, p, test, true, out, &n);
  free(l->lines);
  l->lines = out;
  l->n_lines = n;
}

static bool cut_tests(struct learner *l) {
  enum { MOST_TESTS = 1000000 };
  struct printed p = {0};
  for (size_t i = 0; i < l->n_lines; i++) {
    struct cul_bytes text;
    unsigned long test = number_of(rest_of(&l->lines[i]), &text);
    if (test > p.most && test <= MOST_TESTS &&
        cul_bytes_start(text, "Test command: "))
      p.most = test;
  }
  if (!p.most)
    return false;
  p.next = cul_xcalloc(l->n_lines, sizeof *p.next);
  p.first = cul_xcalloc(p.most + 1, sizeof *p.first);
  p.last = cul_xcalloc(p.most + 1, sizeof *p.last);
  sort_tests(l, &p);
  free(p.next);
  free(p.first);
  free(p.last);
  return true;
}

static bool cut_lines(const struct cul_rules *rules, struct cul_bytes text,
                      struct cul_buf *out) {
  struct learner l = {.rules = rules};
  bool any = false, tests, ends = text.data[text.len - 1] == '\n';
  split(&l, text);
  tests = cut_tests(&l);
  for (int layer = 0; layer < LAYERS && cut_layer(&l); layer++) {
    any = true;
    tests = tests || cut_tests(&l);
  }
  if (any)
    sort_writers(&l);
  any = any || tests;
  for (size_t i = 0; i < l.n_lines; i++)
    any = cut_time(&l.lines[i]) || any;
  if (any)
    join(&l, ends, false, out);
  if (any && is_hardly_understood(rules, cul_buf_bytes(out))) {
    cul_buf_clear(out);
    join(&l, ends, true, out);
  }
  free(l.lines);
  free(l.nodes);
  free(l.slots);
  return any;
}

/* ---- JSON ---- */

static json_t *parse_object(struct cul_bytes line) {
  json_t *object = NULL;
  size_t at = 0;
  while (at < line.len && strchr(" \t", line.data[at]))
    at++;
  if (at < line.len && line.data[at] == '{')
    object = json_loadb(line.data + at, line.len - at, JSON_ALLOW_NUL, NULL);
  if (!json_is_object(object)) {
    json_decref(object);
    return NULL;
  }
  return object;
}

/* The number of blanks and line breaks.  Text for people contains many, a path
 * or a time few. */
static size_t blanks_of(const json_t *value) {
  const char *text = json_string_value(value);
  size_t n = 0;
  for (size_t i = 0; text && i < json_string_length(value); i++)
    n += strchr(" \t\n", text[i]) != NULL;
  return n;
}

/* Add the words of an object's strings to the counts by member name; bytes only
 * break ties. */
static void add_words(json_t *words, const json_t *object) {
  enum { WORD = 1 << 16 };
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, name, value) {
    json_int_t n = json_integer_value(json_object_get(words, name));
    if (json_is_string(value))
      json_object_set_new(
          words, name,
          json_integer(n + (json_int_t)(WORD * blanks_of(value) +
                                        json_string_length(value))));
  }
}

static char *wordiest(json_t *words) {
  const char *name, *best = NULL;
  json_t *value;
  json_int_t most = 0;
  json_object_foreach(words, name, value) {
    if (json_integer_value(value) > most) {
      most = json_integer_value(value);
      best = name;
    }
  }
  return best ? cul_xstrdup(best) : NULL;
}

static void take_text(const json_t *value, struct cul_buf *out) {
  size_t len = json_string_length(value);
  const char *text = json_string_value(value);
  if (!text)
    return;
  cul_buf_add(out, text, len);
  if (!len || text[len - 1] != '\n')
    cul_buf_addc(out, '\n');
}

/* Is a one-word member of the object (such as "error") a level, so that the
 * text after it is a line by which a logger reports an error? */
static bool has_level(const struct cul_rules *rules, const json_t *object,
                      const char *name) {
  const char *text = json_string_value(json_object_get(object, name)), *other;
  json_t *value;
  bool found = false;
  json_object_foreach((json_t *)(uintptr_t)object, other, value) {
    const char *word = json_string_value(value);
    struct cul_buf line = {0};
    if (found || !text || !word || !strcmp(other, name) || blanks_of(value))
      continue;
    for (; *word; word++)
      cul_buf_addc(&line, (char)toupper((unsigned char)*word));
    cul_buf_addf(&line, " %s", text);
    found = is_reported(rules, cul_buf_bytes(&line));
    cul_buf_release(&line);
  }
  return found;
}

/* Append the member of that name, then other members that contain sentences or
 * several lines, such as an error or a stack. */
static void take_object(const json_t *object, const char *name,
                        struct cul_buf *out) {
  enum { SENTENCE = 3 };
  const char *other;
  json_t *value;
  take_text(json_object_get(object, name), out);
  json_object_foreach((json_t *)(uintptr_t)object, other, value) {
    if (strcmp(other, name) != 0 &&
        (blanks_of(value) >= SENTENCE ||
         (json_is_string(value) && strchr(json_string_value(value), '\n'))))
      take_text(value, out);
  }
}

/* Append the texts of the objects, and between them the other lines if
 * `others`. */
static void join_objects(const struct learner *l, json_t *const *objects,
                         const char *name, bool others, bool levels,
                         struct cul_buf *out) {
  for (size_t i = 0; i < l->n_lines; i++) {
    if (objects[i]) {
      if (levels && has_level(l->rules, objects[i], name))
        cul_buf_adds(out, error_level);
      take_object(objects[i], name, out);
    } else if (others) {
      cul_buf_add(out, l->lines[i].start, l->lines[i].len);
      cul_buf_addc(out, '\n');
    }
  }
}

/* Does a line of the text look like an object? */
static bool contains_object(struct cul_bytes text) {
  return (text.len && *text.data == '{') || contains(text, "\n{");
}

/* Append the text of a log of JSON objects, one per line.  A log that also has
 * other lines counts if it has several objects, and the rules understand no
 * less without JSON.  Returns false if it is no such log. */
static bool cut_json(const struct cul_rules *rules, struct cul_bytes text,
                     struct cul_buf *out) {
  enum { SEVERAL = 2 };
  struct learner l = {.rules = rules};
  json_t *words, **objects;
  size_t n = 0, n_lines = 0;
  char *name = NULL;
  bool whole;
  if (!contains_object(text))
    return false;
  split(&l, text);
  words = json_object();
  objects = cul_xcalloc(l.n_lines + 1, sizeof(json_t *));
  for (size_t i = 0; i < l.n_lines; i++) {
    n_lines += l.lines[i].len > 0;
    objects[i] = parse_object(rest_of(&l.lines[i]));
    n += objects[i] != NULL;
    if (objects[i])
      add_words(words, objects[i]);
  }
  whole = n * 10 >= n_lines * 9;
  if (json_object_size(words) > 1 && (n >= SEVERAL || (n && whole)))
    name = wordiest(words);
  if (name)
    join_objects(&l, objects, name, !whole, false, out);
  if (name && is_hardly_understood(rules, cul_buf_bytes(out))) {
    cul_buf_clear(out);
    join_objects(&l, objects, name, !whole, true, out);
  }
  for (size_t i = 0; i < l.n_lines; i++)
    json_decref(objects[i]);
  free(l.lines);
  json_decref(words);
  free(objects);
  if (name && !whole &&
      cul_understood(rules, cul_buf_bytes(out)) < cul_understood(rules, text)) {
    cul_buf_clear(out);
    free(name);
    name = NULL;
  }
  free(name);
  return name != NULL;
}

/* Append text without the prefixes of its lines.  False: there is none; out is
 * unchanged then. */
static bool cut_prefixes(const struct cul_rules *rules, struct cul_bytes text,
                         struct cul_buf *out) {
  struct cul_buf inner = {0};
  bool cut;
  if (!text.len)
    return false;
  if (!cut_json(rules, text, &inner)) {
    cut = cut_lines(rules, text, out);
    if (cut && cut_json(rules, cul_buf_bytes(out), &inner)) {
      cul_buf_release(out);
      *out = inner;
    }
    return cut;
  }
  if (!inner.len || !cut_lines(rules, cul_buf_bytes(&inner), out))
    cul_buf_add(out, inner.data, inner.len);
  cul_buf_release(&inner);
  return true;
}

bool cul_unwrap(const struct cul_rules *rules, struct cul_buf *text) {
  struct cul_buf plain = {0};
  bool cut = cut_prefixes(rules, cul_buf_bytes(text), &plain);
  if (cut) {
    cul_buf_release(text);
    *text = plain;
  }
  cut = cul_sections_unwrap(rules, cul_buf_bytes(text), text) || cut;
  cul_undo(rules, text);
  return cut;
}
