/* Two buckets become one: see work_private.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../probe/json_word.h"
#include "work_private.h"

static void take_members(struct cul_triage *t, struct cul_bucket *a,
                         struct cul_bucket *b, const char *why) {
  for (size_t i = 0; i < b->n_members; i++) {
    struct cul_member *member = &t->members[b->members[i]];
    char *text = cul_xasprintf("%s; %s", why, member->why);
    free(member->why);
    member->why = text;
  }
  a->members = cul_xreallocarray(a->members, a->n_members + b->n_members,
                                 sizeof *a->members);
  memcpy(a->members + a->n_members, b->members,
         b->n_members * sizeof *b->members);
  a->n_members += b->n_members;
  b->n_members = 0;
}

/* Seen tonight by what b saw. */
static void take_state(struct cul_bucket *a, const struct cul_bucket *b) {
  if (a->state == CUL_BUCKET_GONE && a->n_members)
    a->state = b->state == CUL_BUCKET_NEW ? CUL_BUCKET_KNOWN : b->state;
  else if (a->state == CUL_BUCKET_NEW && b->state != CUL_BUCKET_NEW)
    a->state = b->state;
  for (size_t i = 0; i < a->n_history && i < b->n_history; i++)
    a->history[i] += b->history[i];
}

/* One case is enough: a's own, or else b's under a's name. */
static int take_case(struct cul_work *w, struct cul_bucket *a,
                     struct cul_bucket *b, struct cul_err *err) {
  char *old = cul_json_word_take(json_object_get(b->reduced, "file"));
  bool wanted = !json_object_get(a->reduced, "file");
  int rc = 0;
  if (old && wanted) {
    json_decref(a->reduced);
    a->reduced = b->reduced;
    b->reduced = NULL;
    rc = cul_work_keep_reduced(w, a, err);
    if (rc == 0)
      rc = cul_state_save_reduced(w->state, a, err);
  }
  if (old && rc == 0)
    unlink(old);
  free(old);
  return rc;
}

int cul_work_join(struct cul_work *w, struct cul_bucket *a,
                  struct cul_bucket *b, const char *why, struct cul_err *err) {
  int rc = cul_state_merge(w->state, b->id, a->id, err);
  if (rc < 0)
    return rc;
  take_members(w->t, a, b, why);
  take_state(a, b);
  return take_case(w, a, b, err);
}
