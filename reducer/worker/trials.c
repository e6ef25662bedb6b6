/* A worker on the command line: tries mutations at many sites, each in its own
 * process, and counts the outcomes. It measures mutations: how many results are
 * valid, how many children died, how much was removed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "trials.h"

enum outcome {
  VALID,
  UNAPPLIED,  /* no site applied */
  INVALID,    /* rejected by the subject's own check */
  UNPARSABLE, /* the printed text does not parse */
  DIED,
  N_OUTCOMES
};
static const char *const outcome_names[] = {"valid", "unapplied", "invalid",
                                            "unparsable", "died"};

/* The result of a child, in shared memory. */
struct report {
  enum outcome outcome;
  uint64_t ops;
  struct cul_digest digest;
  char why[160];
};

struct trial {
  const struct cul_trial_conf *conf;
  struct cul_session *session;
  uint32_t mutation;
  uint64_t ops; /* before the edit */
  struct report *report;
  size_t counts[N_OUTCOMES];
  uint64_t removed;
  struct cul_hasher *hasher;
  FILE *index; /* index of the kept files; or NULL */
  size_t n_kept;
};

static void judge_text(struct trial *t, const struct cul_buf *text) {
  struct report *r = t->report;
  struct cul_session again = {0};
  struct cul_err err = {0};
  r->digest = cul_digest_of(text->data, text->len);
  r->outcome = VALID;
  if (cul_session_open(&again,
                       (struct cul_reading){t->conf->form, .check = true},
                       cul_buf_bytes(text), false, &err) < 0) {
    r->outcome = UNPARSABLE;
    cul_phrase(r->why, sizeof r->why, "%s", err.what);
  }
}

static char *kept_path(const struct trial *t) {
  return cul_xasprintf("%s/%zu.mlir", t->conf->keep, t->n_kept);
}

static void keep_text(const struct trial *t, const struct cul_buf *text) {
  char *path = kept_path(t);
  struct cul_err err = {0};
  if (cul_file_replace(path, text->data, text->len, 0666, &err) < 0)
    fprintf(stderr, "%s: %s\n", path, err.what);
  free(path);
}

/* Runs in the child. */
static void build(struct trial *t, const struct cul_edit *edits, size_t n) {
  struct report *r = t->report;
  struct cul_pieces text = {0};
  struct cul_size size;
  struct cul_err err = {0};
  size_t applied = 0;
  bool valid;
  signal(SIGALRM, SIG_DFL);
  alarm(60);
  r->outcome = UNAPPLIED;
  if (cul_session_apply(t->session, edits, n, &applied, &err) < 0 || !applied)
    return;
  r->outcome = INVALID;
  valid = t->session->kind->valid(t->session->subject, r->why, sizeof r->why);
  if (!valid && !t->conf->keep)
    return;
  r->outcome = valid ? DIED : INVALID;
  cul_session_write(t->session, true, &text, &size);
  cul_pieces_flatten(&text);
  r->ops = size.ops;
  if (t->conf->keep)
    keep_text(t, &text.own);
  if (!valid)
    return;
  judge_text(t, &text.own);
}

static void print_example(const struct trial *t, const struct cul_edit *edits,
                          size_t n) {
  fprintf(stderr, "%s at %u (%zu sites): %s %s\n",
          t->session->mutations[t->mutation]->name, edits[0].site, n,
          outcome_names[t->report->outcome], t->report->why);
}

static void note_kept(struct trial *t) {
  const struct report *r = t->report;
  if (!t->index || r->outcome == UNAPPLIED)
    return;
  fprintf(t->index, "%zu\t%s\t%s\t%s\n", t->n_kept++,
          t->session->mutations[t->mutation]->name, outcome_names[r->outcome],
          r->why);
}

static void try_edits(struct trial *t, const struct cul_edit *edits, size_t n) {
  struct report *r = t->report;
  pid_t pid;
  int status = 0;
  memset(r, 0, sizeof *r);
  r->outcome = DIED;
  fflush(NULL);
  pid = fork();
  if (pid == 0) {
    build(t, edits, n);
    _exit(0);
  }
  if (pid < 0 || TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0 ||
      !WIFEXITED(status)) {
    r->outcome = DIED;
    snprintf(r->why, sizeof r->why, "signal %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }
  t->counts[r->outcome]++;
  if (r->outcome == VALID && r->ops < t->ops)
    t->removed += t->ops - r->ops;
  cul_hasher_add(t->hasher, &r->digest, sizeof r->digest);
  note_kept(t);
  if (r->outcome >= INVALID)
    print_example(t, edits, n);
}

/* Try the edits of the sites first, first + step, ... below end. */
static void try_sites(struct trial *t, size_t first, size_t end, size_t step) {
  struct cul_edit *edits = cul_xcalloc(end + 1, sizeof *edits);
  size_t n = 0;
  for (size_t i = first; i < end; i += step)
    edits[n++] = (struct cul_edit){t->mutation, (uint32_t)i};
  if (n)
    try_edits(t, edits, n);
  free(edits);
}

/* Try a mutation on ranges: from site i to its sibling i % 16 places later, or
 * to the last one. */
static void try_range(struct trial *t, size_t i) {
  const struct cul_sites *sites = &t->session->sites[t->mutation];
  struct cul_edit edits[2] = {{t->mutation, (uint32_t)i},
                              {t->mutation, (uint32_t)i}};
  size_t left = i % 16;
  for (size_t k = i + 1; k < sites->n && left > 0; k++)
    if (sites->items[k].group == sites->items[i].group) {
      edits[1].site = (uint32_t)k;
      left--;
    }
  try_edits(t, edits, 2);
}

static void print_counts(const struct trial *t, size_t tried) {
  struct cul_digest digest = cul_hasher_finish(t->hasher);
  char hex[CUL_DIGEST_HEX];
  printf("{\"mutation\": \"%s\", \"sites\": %zu, \"tried\": %zu",
         t->session->mutations[t->mutation]->name,
         t->session->sites[t->mutation].n, tried);
  for (int i = 0; i < N_OUTCOMES; i++)
    printf(", \"%s\": %zu", outcome_names[i], t->counts[i]);
  printf(", \"removed\": %llu, \"digest\": \"%s\"}\n",
         (unsigned long long)t->removed, cul_digest_hex(&digest, hex));
}

static void try_site(struct trial *t, size_t i) {
  if (t->session->mutations[t->mutation]->flags & CUL_MUT_RANGE)
    try_range(t, i);
  else
    try_sites(t, i, i + 1, 1);
}

static size_t try_subsets(struct trial *t, size_t n) {
  if (n < 2 || t->session->mutations[t->mutation]->flags & CUL_MUT_RANGE)
    return 0;
  try_sites(t, 0, n, 1);
  try_sites(t, 0, n / 2, 1);
  try_sites(t, n / 2, n, 1);
  try_sites(t, 0, n, 2);
  try_sites(t, 1, n, 3);
  return 5;
}

/* The k-th random number below n for this mutation, derived from the seed. */
static size_t draw(const struct trial *t, size_t k, size_t n) {
  const uint64_t numbers[] = {t->conf->seed, t->mutation, k};
  return cul_digest_of((const char *)numbers, sizeof numbers).w[0] % n;
}

static int try_mutation(struct trial *t, struct cul_err *err) {
  size_t n, step, most = t->conf->most, tried = 0;
  if (cul_session_list(t->session, t->mutation, err) < 0)
    return err->code;
  n = t->session->sites[t->mutation].n;
  step = n > most ? n / most : 1;
  memset(t->counts, 0, sizeof t->counts);
  t->removed = 0;
  t->hasher = cul_hasher_new();
  if (t->conf->seed)
    for (; n && tried < most; tried++)
      try_site(t, draw(t, tried, n));
  else
    for (size_t i = 0; i < n; i += step, tried++)
      try_site(t, i);
  if (!t->conf->seed)
    tried += try_subsets(t, n);
  print_counts(t, tried);
  return 0;
}

static int try_all(struct trial *t, struct cul_err *err) {
  bool all = !strcmp(t->conf->name, "all"), found = false;
  for (; t->mutation < t->session->n_mutations; t->mutation++) {
    if (!all &&
        strcmp(t->conf->name, t->session->mutations[t->mutation]->name) != 0)
      continue;
    found = true;
    if (try_mutation(t, err) < 0)
      return err->code;
  }
  return found ? 0
               : cul_fail(err, CUL_EUSAGE, "--list names them",
                          "no mutation %s for this form", t->conf->name);
}

static int open_index(struct trial *t, struct cul_err *err) {
  char *path = cul_xasprintf("%s/index", t->conf->keep);
  t->index = fopen(path, "w");
  free(path);
  return t->index ? 0
                  : cul_fail(err, CUL_EUSAGE, "give a directory that exists",
                             "--keep: cannot write in %s", t->conf->keep);
}

int cul_session_try(struct cul_session *session,
                    const struct cul_trial_conf *conf, struct cul_err *err) {
  struct trial t = {.session = session, .conf = conf};
  struct cul_size size = {0};
  int rc = conf->keep ? open_index(&t, err) : 0;
  if (rc < 0)
    return rc;
  session->kind->measure(session->subject, &size);
  t.ops = size.ops;
  t.report = mmap(NULL, sizeof *t.report, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t.report == MAP_FAILED) {
    rc = cul_fail(err, CUL_EENV, "", "cannot map shared memory");
  } else {
    rc = try_all(&t, err);
    munmap(t.report, sizeof *t.report);
  }
  if (t.index)
    fclose(t.index);
  return rc;
}
