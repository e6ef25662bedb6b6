/* Classes of equal artefacts: see classes.h. */
#include "classes.h"

#include <stdlib.h>
#include <string.h>

void cul_classes_open(struct cul_classes *classes) {
  classes->of =
      cul_xcalloc((size_t)classes->range->history.n + 1, sizeof *classes->of);
}

void cul_classes_release(struct cul_classes *classes) {
  free(classes->items);
  free(classes->of);
}

static struct cul_artefact_class *named(struct cul_classes *classes,
                                        const struct cul_digest *name) {
  for (size_t i = 0; i < classes->n; i++)
    if (memcmp(&classes->items[i].name, name, sizeof *name) == 0)
      return &classes->items[i];
  classes->items =
      cul_xreallocarray(classes->items, classes->n + 1, sizeof *classes->items);
  classes->items[classes->n] = (struct cul_artefact_class){
      .name = *name, .artefact = *name, .member = CUL_DAG_NONE};
  return &classes->items[classes->n++];
}

/* The commit is of the class. */
static void join(struct cul_classes *classes, uint32_t commit,
                 const struct cul_artefact_class *one) {
  classes->of[commit] = 1 + (uint32_t)(one - classes->items);
}

struct cul_artefact_class *cul_classes_set(struct cul_classes *classes,
                                           uint32_t commit,
                                           const struct cul_digest *artefact) {
  struct cul_artefact_class *one;
  struct cul_digest tree, name;
  if (!cul_ledger_tree(classes->ledger, classes->range, commit, &tree))
    return NULL;
  name = artefact ? *artefact : tree;
  one = named(classes, &name);
  join(classes, commit, one);
  if (artefact)
    cul_ledger_keep_artefact(classes->ledger, &tree, artefact);
  return one;
}

struct cul_artefact_class *cul_classes_find(struct cul_classes *classes,
                                            uint32_t commit) {
  struct cul_digest tree, artefact;
  if (classes->of[commit])
    return &classes->items[classes->of[commit] - 1];
  if (classes->by_tree)
    return cul_classes_set(classes, commit, NULL);
  if (!cul_ledger_tree(classes->ledger, classes->range, commit, &tree) ||
      !cul_ledger_artefact(classes->ledger, &tree, &artefact))
    return NULL;
  return cul_classes_set(classes, commit, &artefact);
}

const struct cul_artefact_class *
cul_classes_get(const struct cul_classes *classes, uint32_t commit) {
  uint32_t one = classes->of[commit];
  return one ? &classes->items[one - 1] : NULL;
}

void cul_classes_set_apart(struct cul_classes *classes, uint32_t commit,
                           uint32_t from) {
  const struct cul_commit_id *ids = classes->range->history.ids;
  struct cul_artefact_class *one = cul_classes_find(classes, commit);
  struct cul_digest artefact = one->artefact;
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest own;
  char hex[CUL_COMMIT_HEX], other[CUL_COMMIT_HEX];
  cul_hasher_field(h, "apart");
  cul_hasher_add(h, &one->name, sizeof one->name);
  cul_hasher_add(h, ids[commit].raw, sizeof ids[commit].raw);
  own = cul_hasher_finish(h);
  one = named(classes, &own);
  one->artefact = artefact;
  join(classes, commit, one);
  cul_notices_warn(
      classes->notices,
      "%.12s and %.12s are the same binary to the test, but stand on both "
      "sides of the failure: a revert, or the test depends on more than the "
      "files it reads",
      cul_commit_hex(&ids[commit], hex), cul_commit_hex(&ids[from], other));
}

void cul_classes_distrust(struct cul_classes *classes) {
  classes->by_tree = true;
  memset(classes->of, 0, classes->range->history.n * sizeof *classes->of);
}

struct cul_digest
cul_artefact_class_trial(const struct cul_artefact_class *artefact_class,
                         uint32_t attempt) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &artefact_class->name, sizeof artefact_class->name);
  cul_hasher_u64(h, attempt);
  return cul_hasher_finish(h);
}
