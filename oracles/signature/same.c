/* Decides whether two failures are the same: see signature.h for the two
 * meanings.
 *
 * Printed addresses are load addresses.  Between two runs of one binary all
 * addresses of a module differ by one multiple of the page size.  That distance
 * is known if both stacks contain the same function as "NAME + N" (an anchor);
 * else any multiple of the page size is accepted, if it is the same for all
 * compared frames of the module. */
#include <stdio.h>
#include <string.h>

#include "../oracle.h"
#include "../rules/rules.h"

enum {
  N_COMPARED = 3, /* frames */
  N_NAMELESS = 6,
  N_NEAR = 12,
  PAGE_MASK = 0xfff,
  MAX_DRIFT = 64, /* bytes by which a faulting instruction may move */
};

struct distance {
  const char *module;
  int64_t bytes;
};

struct comparison {
  const struct cul_signature *a, *b;
  struct distance known[N_NAMELESS];
  size_t n_known;
  char *why;
  size_t n;
};

static bool differ(struct comparison *c, const char *what, const char *a,
                   const char *b) {
  if (c->why)
    snprintf(c->why, c->n, "%s: '%.60s', not '%.60s'", what, b, a);
  return false;
}

/* Has the tool no exported symbols?  No frame near the failure has a name. */
static bool nameless(const struct cul_signature *sig) {
  size_t seen = 0;
  for (size_t i = 0; i < sig->n_frames && seen < N_NEAR; i++) {
    if (sig->frames[i].role == CUL_FRAME_TRAP)
      continue;
    if (sig->frames[i].name[0])
      return false;
    seen++;
  }
  return true;
}

/* The frames to compare: N_COMPARED, or N_NAMELESS of a nameless tool, whose
 * helpers cannot be distinguished from relevant functions. */
static size_t compared_frames(const struct cul_signature *sig,
                              const struct cul_frame **out) {
  return cul_frames_relevant(sig, false, out,
                             nameless(sig) ? N_NAMELESS : N_COMPARED);
}

/* The function that failed, which may be a helper; NULL: no stack is known. */
static const struct cul_frame *site_of(const struct cul_signature *sig) {
  for (size_t i = 0; i < sig->n_frames; i++)
    if (sig->frames[i].role != CUL_FRAME_TRAP &&
        sig->frames[i].role != CUL_FRAME_ASKED)
      return &sig->frames[i];
  return NULL;
}

/* SIGBUS (7) counts as SIGSEGV (11): both are memory faults. */
static int signal_class(int signal) { return signal == 7 ? 11 : signal; }

static bool same_end(struct comparison *c) {
  const struct cul_signature *a = c->a, *b = c->b;
  char x[16], y[16];
  if (a->kind != b->kind)
    return differ(c, "kind", cul_kind_name(a->kind), cul_kind_name(b->kind));
  snprintf(x, sizeof x, "%d", a->status);
  snprintf(y, sizeof y, "%d", b->status);
  if (a->kind == CUL_KIND_SIGNAL && a->status && b->status &&
      signal_class(a->status) != signal_class(b->status))
    return differ(c, "signal", cul_signal_name(a->status),
                  cul_signal_name(b->status));
  if (a->kind == CUL_KIND_EXIT && a->status != b->status)
    return differ(c, "exit status", x, y);
  return true;
}

bool cul_signature_chooses_status(const struct cul_signature *sig) {
  return !sig->signal && sig->status > 0 && sig->kind != CUL_KIND_SIGNAL &&
         sig->kind != CUL_KIND_TIMEOUT && sig->kind < CUL_KIND_MEMORY;
}

bool cul_signature_tells_place(const struct cul_signature *sig) {
  const struct cul_frame *frame;
  return cul_frames_relevant(sig, false, &frame, 1) > 0;
}

/* For one binary, whatever the texts are: do both end by the same signal, or
 * both exit with the same status, and at the same line of the sources? */
static bool same_death(struct comparison *c) {
  const struct cul_signature *a = c->a, *b = c->b;
  char x[96], y[96];
  if (signal_class(a->signal) != signal_class(b->signal))
    return differ(c, "end", a->signal ? cul_signal_name(a->signal) : "exit",
                  b->signal ? cul_signal_name(b->signal) : "exit");
  snprintf(x, sizeof x, "%d", a->status);
  snprintf(y, sizeof y, "%d", b->status);
  if (a->status != b->status && cul_signature_chooses_status(a) &&
      cul_signature_chooses_status(b))
    return differ(c, "exit status", x, y);
  if (!a->line || !b->line || (a->line == b->line && !strcmp(a->file, b->file)))
    return true;
  snprintf(x, sizeof x, "%.60s:%u", a->file, a->line);
  snprintf(y, sizeof y, "%.60s:%u", b->file, b->line);
  return differ(c, "line", x, y);
}

/* Are both timeouts, and is it not known of one whether it computed or waited?
 * Then they may be the same. */
static bool same_hang(const struct comparison *c) {
  return c->a->kind == CUL_KIND_TIMEOUT && c->b->kind == CUL_KIND_TIMEOUT &&
         (!c->a->text[0] || !c->b->text[0]);
}

static bool same_text(struct comparison *c) {
  if (same_hang(c))
    return true;
  if (strcmp(c->a->text, c->b->text) != 0)
    return differ(c, "message", c->a->text, c->b->text);
  if (c->a->pass[0] && c->b->pass[0] && strcmp(c->a->pass, c->b->pass) != 0)
    return differ(c, "pass", c->a->pass, c->b->pass);
  return true;
}

static bool same_errors(struct comparison *c) {
  struct cul_errors_differ found;
  return cul_errors_same(c->a, c->b, &found) ||
         differ(c, found.what, found.a, found.b);
}

static bool same_lead(struct comparison *c) {
  struct cul_errors_differ found;
  return cul_errors_same_lead(c->a, c->b, &found) ||
         differ(c, found.what, found.a, found.b);
}

/* *bytes: the distance of b's copy of the module from a's.  False: the stacks
 * share no anchor. */
static bool anchored(const struct comparison *c, const char *module,
                     int64_t *bytes) {
  uint64_t id = cul_digest_of(module, strlen(module)).w[0];
  for (size_t i = 0; i < c->a->n_anchors; i++)
    for (size_t j = 0; j < c->b->n_anchors; j++)
      if (c->a->anchors[i].module == id &&
          c->a->anchors[i].id == c->b->anchors[j].id) {
        *bytes = (int64_t)(c->b->anchors[j].address - c->a->anchors[i].address);
        return true;
      }
  return false;
}

static bool same_distance(struct comparison *c, const struct cul_frame *a,
                          const struct cul_frame *b) {
  struct distance d = {a->module, 0};
  for (size_t i = 0; i < c->n_known; i++)
    if (!strcmp(c->known[i].module, a->module))
      return c->known[i].bytes == (int64_t)(b->offset - a->offset);
  if (!anchored(c, a->module, &d.bytes))
    d.bytes = (int64_t)(b->offset - a->offset);
  if (c->n_known < N_NAMELESS)
    c->known[c->n_known++] = d;
  return d.bytes == (int64_t)(b->offset - a->offset);
}

static bool same_place(struct comparison *c, const struct cul_frame *a,
                       const struct cul_frame *b) {
  if (!a->offset || !b->offset)
    return true;
  if ((a->offset ^ b->offset) & PAGE_MASK)
    return false;
  if (a->relative && b->relative)
    return a->offset == b->offset;
  return a->relative != b->relative || same_distance(c, a, b);
}

static void print_frame(const struct cul_frame *frame, char *out, size_t size) {
  if (frame->name[0])
    snprintf(out, size, "%.*s", (int)size - 1, frame->name);
  else
    snprintf(out, size, "%.*s+..%03x", (int)size - 8, frame->module,
             (unsigned)(frame->offset & PAGE_MASK));
}

static bool frames_differ(struct comparison *c, const char *what,
                          const struct cul_frame *a,
                          const struct cul_frame *b) {
  char x[64], y[64];
  print_frame(a, x, sizeof x);
  print_frame(b, y, sizeof y);
  return differ(c, a->name[0] && !strcmp(x, y) ? "place in the function" : what,
                x, y);
}

static bool same_frame(struct comparison *c, const struct cul_frame *a,
                       const struct cul_frame *b) {
  bool named = a->name[0] != '\0';
  if (strcmp(a->name, b->name) != 0)
    return false;
  if (!named && a->module[0] && b->module[0] &&
      strcmp(a->module, b->module) != 0)
    return false;
  return same_place(c, a, b);
}

/* Compare the functions that faulted.  The instructions may differ by MAX_DRIFT
 * bytes: the first load of an expression may follow a broken pointer, or the
 * second one. */
static bool same_fault(struct comparison *c, const struct cul_frame *a,
                       const struct cul_frame *b) {
  struct cul_frame moved = *b;
  int64_t drift =
      (int64_t)(b->offset & PAGE_MASK) - (int64_t)(a->offset & PAGE_MASK);
  drift -= drift > PAGE_MASK / 2 ? PAGE_MASK + 1 : 0;
  drift += drift < -PAGE_MASK / 2 ? PAGE_MASK + 1 : 0;
  if (!a->name[0] || !a->offset || !b->offset || drift > MAX_DRIFT ||
      drift < -MAX_DRIFT)
    return same_frame(c, a, b);
  moved.offset -= (uint64_t)drift;
  return same_frame(c, a, &moved);
}

/* Is the stack missing on one side, while the text identifies the failure?
 * Then stacks are not compared. */
static bool stack_missing(const struct comparison *c, size_t n_a, size_t n_b) {
  return (n_a == 0 || n_b == 0) && c->a->text[0];
}

/* Are the frames of plain at the same places as those from `named` on? */
static bool addresses_follow(struct comparison *c,
                             const struct cul_frame *const *plain, size_t n,
                             const struct cul_frame *named) {
  c->n_known = 0;
  for (size_t i = 0; i < n; i++)
    if (!named[i].offset || !same_place(c, plain[i], &named[i]))
      return false;
  return true;
}

/* Compare stacks of which only one has names, as from a symbolizer for a tool
 * that exports none.  The roles of frames depend on their names and thus
 * differ, but the addresses are the same. */
static bool same_addresses(struct comparison *c, const struct cul_signature *a,
                           const struct cul_signature *b) {
  const struct cul_signature *with_names = nameless(a) ? b : a;
  const struct cul_frame *plain[N_NAMELESS], *relevant[N_NAMELESS];
  size_t n = compared_frames(nameless(a) ? a : b, plain);
  n = n < N_COMPARED ? n : N_COMPARED;
  for (size_t at = 0; at + n <= with_names->n_frames && at < N_NEAR; at++)
    if (addresses_follow(c, plain, n, &with_names->frames[at]))
      return true;
  (void)compared_frames(with_names, relevant);
  return with_names == b ? frames_differ(c, "frame", plain[0], relevant[0])
                         : frames_differ(c, "frame", relevant[0], plain[0]);
}

static bool same_frames(struct comparison *c) {
  const struct cul_frame *a[N_NAMELESS], *b[N_NAMELESS];
  const struct cul_frame *x = site_of(c->a), *y = site_of(c->b);
  size_t n_a = compared_frames(c->a, a), n_b = compared_frames(c->b, b);
  char counts[2][32];
  if (stack_missing(c, n_a, n_b))
    return true;
  if (n_a && n_b && nameless(c->a) != nameless(c->b))
    return same_addresses(c, c->a, c->b);
  if (x && y && strcmp(x->name, y->name) != 0)
    return frames_differ(c, "failing function", x, y);
  for (size_t i = 0; i < n_a && i < n_b; i++)
    if (!(a[i] == x && b[i] == y ? same_fault(c, a[i], b[i])
                                 : same_frame(c, a[i], b[i])))
      return frames_differ(c, "frame", a[i], b[i]);
  if (n_a == n_b)
    return true;
  snprintf(counts[0], sizeof counts[0], "%zu frame%s", n_a, cul_s(n_a));
  snprintf(counts[1], sizeof counts[1], "%zu frame%s", n_b, cul_s(n_b));
  return differ(c, "stack", counts[0], counts[1]);
}

/* The frames from the innermost one to the driver that called the failing code,
 * including the driver's, at which two ways meet again. */
static size_t way_of(const struct cul_signature *sig, size_t max,
                     const struct cul_frame **out) {
  size_t n = 0;
  for (size_t i = 0; i < sig->n_frames && n < max; i++) {
    const struct cul_frame *frame = &sig->frames[i];
    if (frame->role == CUL_FRAME_RELEVANT || frame->role == CUL_FRAME_OUTER)
      out[n++] = frame;
    if (frame->role == CUL_FRAME_OUTER)
      break;
  }
  return n;
}

struct way {
  const struct cul_frame *frames[CUL_SIG_MAX_FRAMES];
  size_t n;
};

/* Are the ways the same from i and j on?  Two equal frames in a row prove it,
 * or the driver's frame alone. */
static bool meet(struct comparison *c, const struct way *a, size_t i,
                 const struct way *b, size_t j) {
  if (i >= a->n || j >= b->n || !same_frame(c, a->frames[i], b->frames[j]))
    return false;
  if (a->frames[i]->role == CUL_FRAME_OUTER)
    return true;
  return i + 1 < a->n && j + 1 < b->n &&
         same_frame(c, a->frames[i + 1], b->frames[j + 1]);
}

/* Compare the callers after the frames that were compared one by one.  One way
 * may have additional frames: operations are nested, visitors recurse.  But if
 * functions of one way replace those of the other before the ways meet again,
 * two patterns called the same helper, and the failures differ. */
static bool same_way(struct comparison *c) {
  enum { MAX_DETOUR = 4 };
  struct way a, b;
  bool bare = nameless(c->a);
  size_t first = bare ? N_NAMELESS : N_COMPARED, i = 0;
  a.n = way_of(c->a, bare ? N_NEAR : CUL_SIG_MAX_FRAMES, a.frames);
  b.n = way_of(c->b, bare ? N_NEAR : CUL_SIG_MAX_FRAMES, b.frames);
  while (i < a.n && i < b.n &&
         (i < first || same_frame(c, a.frames[i], b.frames[i])))
    i++;
  if (i == a.n || i == b.n || bare != nameless(c->b))
    return true;
  for (size_t sum = 1; sum <= (size_t)2 * MAX_DETOUR; sum++)
    for (size_t k = 0; k <= sum; k++)
      if (k <= MAX_DETOUR && sum - k <= MAX_DETOUR &&
          meet(c, &a, i + k, &b, i + sum - k))
        return k == 0 || k == sum ||
               frames_differ(c, "caller", a.frames[i], b.frames[i]);
  return true;
}

bool cul_signature_same(const struct cul_signature *a,
                        const struct cul_signature *b, char *why, size_t n) {
  struct comparison c = {.a = a, .b = b, .why = why, .n = n};
  if (why && n)
    why[0] = '\0';
  return same_end(&c) && same_death(&c) && same_text(&c) && same_errors(&c) &&
         same_frames(&c) && same_way(&c);
}

bool cul_signature_same_across(const struct cul_signature *a,
                               const struct cul_signature *b, char *why,
                               size_t n) {
  struct comparison c = {.a = a, .b = b, .why = why, .n = n};
  const struct cul_frame *x[N_COMPARED], *y[N_COMPARED];
  size_t n_a = cul_frames_relevant(a, true, x, N_COMPARED);
  size_t n_b = cul_frames_relevant(b, true, y, N_COMPARED);
  if (why && n)
    why[0] = '\0';
  if (!same_end(&c) || !same_text(&c) || !same_lead(&c))
    return false;
  if (stack_missing(&c, n_a, n_b))
    return true;
  if (n_a == 0 && n_b == 0)
    return same_frames(&c);
  for (size_t i = 0; i < n_a && i < n_b; i++)
    if (strcmp(x[i]->name, y[i]->name) != 0)
      return frames_differ(&c, "frame", x[i], y[i]);
  if ((n_a == 0) != (n_b == 0))
    return differ(&c, "stack", n_a ? "named frames" : "no named frame",
                  n_b ? "named frames" : "no named frame");
  return true;
}

static void add_common(struct cul_hasher *h, const struct cul_rules *rules,
                       const struct cul_signature *sig) {
  enum cul_kind kind = cul_signature_message_kind(sig);
  cul_hasher_u64(h, CUL_SIG_VERSION);
  cul_hasher_u64(h, rules->custom.w[0]);
  /* Hash the kind of the message, not that of the end, which a log may lack. */
  cul_hasher_u64(h, kind);
  cul_hasher_u64(h, kind == CUL_KIND_SIGNAL && !sig->n_frames
                        ? (uint64_t)signal_class(sig->status)
                    : kind == CUL_KIND_EXIT ? (uint64_t)sig->status
                                            : 0);
  cul_hasher_field(h, sig->text);
}

void cul_signature_seal(const struct cul_rules *rules,
                        struct cul_signature *sig) {
  const struct cul_frame *frames[N_NAMELESS];
  const struct cul_frame *site = site_of(sig);
  struct cul_hasher *h = cul_hasher_new();
  size_t n = compared_frames(sig, frames);
  add_common(h, rules, sig);
  cul_hasher_field(h, site ? site->name : NULL);
  for (size_t i = 0; i < n; i++) {
    cul_hasher_field(h, frames[i]->name);
    cul_hasher_field(h, frames[i]->name[0] ? "" : frames[i]->module);
    cul_hasher_u64(h, frames[i] == site && site->name[0]
                          ? 0
                          : frames[i]->offset & PAGE_MASK);
  }
  sig->key = cul_hasher_finish(h);
  n = cul_frames_relevant(sig, true, frames, N_COMPARED);
  h = cul_hasher_new();
  add_common(h, rules, sig);
  cul_hasher_field(h, sig->pass);
  for (size_t i = 0; i < n; i++)
    cul_hasher_field(h, frames[i]->name);
  if (n == 0 && !sig->text[0]) /* only its places identify the failure */
    cul_hasher_u64(h, sig->key.w[0]);
  sig->key_across = cul_hasher_finish(h);
}
