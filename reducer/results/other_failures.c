/* Other failures: see other_failures.h. */
#include "other_failures.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A failure that counts once the search has learnt the answer. */
struct cul_waiting_failure {
  uint64_t ticket;
  struct cul_other_failure failure; /* file: NULL if already an item */
};

static struct cul_other_failure *find(struct cul_other_failures *others,
                                      const struct cul_signature *sig) {
  for (size_t i = 0; i < others->n; i++)
    if (cul_signature_same(&others->items[i].sig, sig, NULL, 0))
      return &others->items[i];
  return NULL;
}

static void remove_file(char *file) {
  if (file)
    unlink(file);
  free(file);
}

/* Write the text to a file; its path, heap, or NULL if it cannot be kept. */
static char *keep_file(struct cul_other_failures *others,
                       const struct cul_buf *text) {
  struct cul_err err = {0};
  char *file = cul_xasprintf("%s/other%02zu", others->dir, others->n_files++);
  if (cul_held_put(others->held, file, cul_buf_bytes(text), 0600, &err) == 0)
    return file;
  remove_file(file);
  return NULL;
}

bool cul_other_failures_want(const struct cul_other_failures *others,
                             const struct cul_signature *sig) {
  for (size_t i = 0; i < others->n; i++)
    if (cul_signature_same(&others->items[i].sig, sig, NULL, 0))
      return false;
  return sig->kind != CUL_KIND_NONE && others->n < CUL_MOST_OTHER_FAILURES;
}

void cul_other_failures_wait(struct cul_other_failures *others, uint64_t ticket,
                             const struct cul_signature *sig,
                             const struct cul_buf *text) {
  struct cul_waiting_failure waiting = {.ticket = ticket};
  if (sig->kind == CUL_KIND_NONE)
    return;
  waiting.failure.sig = *sig;
  if (!find(others, sig)) {
    waiting.failure.file = text ? keep_file(others, text) : NULL;
    if (!waiting.failure.file)
      return;
  }
  others->waiting = cul_xreallocarray(others->waiting, others->n_waiting + 1,
                                      sizeof *others->waiting);
  others->waiting[others->n_waiting++] = waiting;
}

static void count(struct cul_other_failures *others,
                  struct cul_other_failure *met) {
  struct cul_other_failure *failure = find(others, &met->sig);
  if (!failure && met->file && others->n < CUL_MOST_OTHER_FAILURES) {
    failure = &others->items[others->n++];
    *failure = *met;
    met->file = NULL;
  }
  if (failure)
    failure->met++;
}

void cul_other_failures_learnt(struct cul_other_failures *others,
                               uint64_t ticket) {
  for (size_t i = 0; i < others->n_waiting; i++) {
    struct cul_waiting_failure *waiting = &others->waiting[i];
    if (waiting->ticket != ticket)
      continue;
    count(others, &waiting->failure);
    remove_file(waiting->failure.file);
    *waiting = others->waiting[--others->n_waiting];
    return;
  }
}

void cul_other_failures_forget(struct cul_other_failures *others) {
  for (size_t i = 0; i < others->n_waiting; i++)
    remove_file(others->waiting[i].failure.file);
  others->n_waiting = 0;
}

void cul_other_failures_drop(struct cul_other_failures *others, size_t i) {
  struct cul_other_failure *failure = &others->items[i];
  free(failure->file);
  others->n--;
  memmove(failure, failure + 1, (others->n - i) * sizeof *failure);
}

void cul_other_failures_release(struct cul_other_failures *others) {
  cul_other_failures_forget(others);
  free(others->waiting);
  for (size_t i = 0; i < others->n; i++)
    free(others->items[i].file);
  *others = (struct cul_other_failures){0};
}

/* Testing a failure that is met rarely costs more runs than it saves. */
enum { OFTEN = 3, MOST_ASKED = 3 };

bool cul_other_failures_is_due(const struct cul_other_failures *others,
                               size_t i) {
  return !others->items[i].asked && others->items[i].met >= OFTEN &&
         others->n_asked < MOST_ASKED;
}

bool cul_other_failures_due(const struct cul_other_failures *others) {
  bool due = false;
  for (size_t i = 0; i < others->n; i++)
    due |= cul_other_failures_is_due(others, i);
  return due;
}
