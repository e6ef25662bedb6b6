/* The state of a worker: a subject, its mutations and their sites. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#ifdef CUL_WORKER_TEXT
#include "../mutations/text/plugin.h"
#endif
#include "session.h"
#include "wire.h"

static void choose_mutations(struct cul_session *session, uint32_t bits) {
  size_t n = 0;
  while (cul_mutations[n])
    n++;
  session->mutations = cul_xcalloc(n + 2, sizeof *session->mutations);
  for (size_t i = 0; i < n; i++)
    if (cul_mutations[i]->kinds & bits)
      session->mutations[session->n_mutations++] = cul_mutations[i];
  if (session->plugin && session->plugin->kinds & bits)
    session->mutations[session->n_mutations++] = session->plugin;
  session->sites =
      cul_xcalloc(session->n_mutations + 1, sizeof *session->sites);
  session->listed =
      cul_xcalloc(session->n_mutations + 1, sizeof *session->listed);
}

/* Find the memory of the command line, which ps(1) shows for this process. */
static void find_room(struct cul_session_role *role, int argc, char **argv) {
  const char *last = argv[argc - 1], *slash = strrchr(argv[0], '/');
  size_t len;
  role->room = argv[0];
  role->size = (size_t)(last - argv[0]) + strlen(last);
  role->program = cul_xstrdup(slash ? slash + 1 : argv[0]);
  len = strlen(role->program);
  while (len && role->program[len - 1] == ' ') /* the padding */
    role->program[--len] = '\0';
}

void cul_session_say_role(const struct cul_session *session, const char *name,
                          const char *what) {
  const struct cul_session_role *role = &session->role;
  prctl(PR_SET_NAME, name);
  if (!role->room)
    return;
  memset(role->room, 0, role->size);
  snprintf(role->room, role->size, "%s: %s", role->program, what);
}

void cul_session_prepare(struct cul_session *session, int argc, char **argv) {
  find_room(&session->role, argc, argv);
  if (getenv(CUL_WAIT_VARIABLE)) {
    struct cul_session_wait *wait =
        mmap(NULL, sizeof *wait, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    session->role.wait = wait == MAP_FAILED ? NULL : wait;
  }
  cul_session_say_role(session, "culprit-worker", "nothing read");
  for (size_t i = 0; cul_subject_kinds[i] && !session->kind; i++)
    if (cul_subject_kinds[i]->prepare) {
      session->kind = cul_subject_kinds[i];
      session->prepared = session->kind->prepare();
    }
}

int cul_session_plug(struct cul_session *session, const char *path,
                     struct cul_err *err) {
#ifdef CUL_WORKER_TEXT
  return cul_text_plugin_new(path, &session->plugin, err);
#else
  (void)session;
  return cul_fail(err, CUL_EUSAGE, "it edits texts: use --form text",
                  "--mutation %s: not for this form", path);
#endif
}

static int open_text(struct cul_session *session, struct cul_reading how,
                     struct cul_bytes text, struct cul_err *err) {
  const struct cul_subject_kind *kind = cul_subject_kind_for(how.form);
  int rc;
  if (!kind)
    return cul_fail(err, CUL_EINTERNAL, "", "no subject of form %s here",
                    cul_form_name(how.form));
  rc = kind->open(text, how, kind == session->kind ? session->prepared : NULL,
                  &session->subject, err);
  session->prepared = NULL;
  if (rc == 0)
    session->kind = kind;
  if (rc == 0 && session->entries && kind->enter)
    kind->enter(session->subject, session->entries);
  return rc;
}

/* Open the text without its large literals.  False: it has none, or is not
 * valid without. */
static bool open_cut(struct cul_session *session, struct cul_reading how,
                     struct cul_bytes text) {
  struct cul_buf rest = {0};
  struct cul_err err = {0};
  char why[160];
  bool opened =
      cul_form_bits(how.form) & (CUL_SUBJECT_MLIR | CUL_SUBJECT_MLIR_TEXT) &&
      cul_literals_cut(text, &session->literals, &rest) &&
      open_text(session, how, cul_buf_bytes(&rest), &err) == 0;
  if (opened && how.check &&
      !session->kind->valid(session->subject, why, sizeof why)) {
    session->kind->free(session->subject);
    session->subject = NULL;
    opened = false;
  }
  if (!opened)
    cul_literals_release(&session->literals);
  cul_buf_release(&rest);
  return opened;
}

int cul_session_open(struct cul_session *session, struct cul_reading how,
                     struct cul_bytes text, bool cut, struct cul_err *err) {
  int rc = 0;
  how.lives = false;
  if (!cut || !open_cut(session, how, text)) {
    how.lives = cut;
    rc = open_text(session, how, text, err);
  }
  if (rc == 0)
    choose_mutations(session, cul_form_bits(how.form));
  return rc;
}

void cul_session_forget(struct cul_session *session) {
  for (size_t i = 0; i < session->n_mutations; i++) {
    cul_sites_release(&session->sites[i]);
    session->listed[i] = false;
  }
}

void cul_session_release(struct cul_session *session) {
  cul_session_forget(session);
  free(session->mutations);
  free(session->sites);
  free(session->listed);
  if (session->subject)
    session->kind->free(session->subject);
  cul_literals_release(&session->literals);
  memset(session, 0, sizeof *session);
}

int cul_session_list(struct cul_session *session, uint32_t mutation,
                     struct cul_err *err) {
  if (mutation >= session->n_mutations)
    return cul_fail(err, CUL_EINTERNAL, "", "no mutation number %u", mutation);
  if (session->listed[mutation])
    return 0;
  cul_sites_clear(&session->sites[mutation]);
  cul_mutation_sites(session->mutations[mutation], session->subject,
                     &session->sites[mutation]);
  session->listed[mutation] = true;
  return 0;
}

bool cul_session_wants_all(const void *op) {
  (void)op;
  return true;
}

static int compare_edits(const void *left, const void *right) {
  const struct cul_edit *a = left, *b = right;
  if (a->mutation != b->mutation)
    return a->mutation < b->mutation ? -1 : 1;
  return (a->site > b->site) - (a->site < b->site);
}

/* Sort the edits, if needed: a search gives its set in order. */
static void sort_edits(struct cul_edit *edits, size_t n) {
  for (size_t i = 1; i < n; i++)
    if (compare_edits(&edits[i - 1], &edits[i]) > 0) {
      qsort(edits, n, sizeof *edits, compare_edits);
      return;
    }
}

static int check_edits(struct cul_session *session,
                       const struct cul_edit *edits, size_t n,
                       struct cul_err *err) {
  for (size_t i = 0; i < n; i++) {
    int rc = cul_session_list(session, edits[i].mutation, err);
    if (rc < 0)
      return rc;
    if (edits[i].site >= session->sites[edits[i].mutation].n)
      return cul_fail(err, CUL_EINTERNAL, "", "%s has no site %u",
                      session->mutations[edits[i].mutation]->name,
                      edits[i].site);
  }
  return 0;
}

/* Apply the edits edits[0..n), sorted, which all belong to one mutation. */
static size_t apply_one(struct cul_session *session,
                        const struct cul_edit *edits, size_t n) {
  uint32_t m = edits[0].mutation;
  uint32_t *ids = cul_xreallocarray(NULL, n, sizeof *ids);
  size_t n_ids = 0;
  for (size_t i = 0; i < n; i++)
    if (i == 0 || edits[i].site != edits[i - 1].site)
      ids[n_ids++] = edits[i].site;
  n = cul_mutation_apply(session->mutations[m], session->subject,
                         &session->sites[m], ids, n_ids);
  free(ids);
  return n;
}

int cul_session_apply(struct cul_session *session, const struct cul_edit *edits,
                      size_t n, size_t *applied, struct cul_err *err) {
  struct cul_edit *sorted = cul_xreallocarray(NULL, n + 1, sizeof *sorted);
  int rc = check_edits(session, edits, n, err);
  *applied = 0;
  if (n)
    memcpy(sorted, edits, n * sizeof *sorted);
  sort_edits(sorted, n);
  for (size_t i = 0, j; rc == 0 && i < n; i = j) {
    for (j = i; j < n && sorted[j].mutation == sorted[i].mutation; j++)
      ;
    *applied += apply_one(session, sorted + i, j - i);
  }
  free(sorted);
  if (rc == 0 && session->kind->fix)
    session->kind->fix(session->subject);
  return rc;
}

static bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Larger numbers count as this one: 1e+30 is not simpler than 1e+29. */
enum { MOST_NUMBER = 1000000 };

/* In larger subjects numbers are not summed: they matter only at the end. */
enum { MOST_BYTES = 64 << 10 };

/* The value of the digits at p; *end: after them. The 32 of f32 counts 0: it is
 * the simplest floating-point type. */
static uint64_t number_at(const char *start, const char *p, const char *last,
                          const char **end) {
  uint64_t value = 0;
  const char *first = p;
  for (; p < last && is_digit(*p); p++)
    if (value < MOST_NUMBER)
      value = 10 * value + (uint64_t)(*p - '0');
  *end = p;
  if (value == 32 && first > start && first[-1] == 'f')
    return 0;
  return value < MOST_NUMBER ? value : MOST_NUMBER;
}

/* The sum of sizes, widths, positions and literals, without numbers in names of
 * values, blocks, symbols and aliases. It is finite, so a sequence of steps
 * that lower it ends. */
static uint64_t sum_numbers(const char *start, const char *end) {
  uint64_t sum = 0;
  for (const char *p = start; p < end;) {
    if (*p == '%' || *p == '^' || *p == '@' || *p == '#')
      for (p++; p < end && is_word(*p); p++)
        ;
    else if (is_digit(*p))
      sum += number_at(start, p, end, &p);
    else
      p++;
  }
  return sum;
}

/* The bytes of a text with the literals in place of the placeholders. */
static uint64_t whole_bytes(const struct cul_literals *literals,
                            struct cul_bytes text) {
  struct cul_literals_reader reader = {literals, text, 0, NULL};
  struct cul_bytes piece;
  uint64_t n = 0;
  while (cul_literals_read(&reader, &piece))
    n += piece.len;
  return n;
}

/* Only a text that is one piece has placeholders, or numbers that count. */
static void measure(struct cul_session *session, const struct cul_pieces *text,
                    struct cul_size *size) {
  struct cul_bytes own = cul_buf_bytes(&text->own);
  *size = (struct cul_size){0};
  session->kind->measure(session->subject, size);
  size->bytes = cul_pieces_len(text);
  size->lines = cul_pieces_lines(text);
  if (size->bytes <= MOST_BYTES && text->n == 0 &&
      (session->kind->bits & (CUL_SUBJECT_MLIR | CUL_SUBJECT_MLIR_TEXT)))
    size->numbers = sum_numbers(own.data, own.data + own.len);
  if (session->literals.n && text->n == 0)
    size->bytes = whole_bytes(&session->literals, own);
}

void cul_session_write(struct cul_session *session, bool edited,
                       struct cul_pieces *out, struct cul_size *size) {
  const struct cul_subject_kind *kind = session->kind;
  if (!edited && kind->present)
    kind->present(session->subject, &out->own);
  else if (kind->pieces && !session->literals.n)
    kind->pieces(session->subject, out);
  else
    kind->write(session->subject, &out->own);
  measure(session, out, size);
}
