/* The space of edits: see space.h. */
#include "space.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Listing is one walk over the subject; above this it has gone astray. */
static const uint64_t list_limit_ms = 60 * 1000;

bool cul_size_less(const struct cul_size *a, const struct cul_size *b) {
  return a->ops != b->ops ? a->ops < b->ops : a->bytes < b->bytes;
}

void cul_edit_space_init(struct cul_edit_space *space,
                         struct cul_target *target, struct cul_workshop *shop,
                         const struct cul_digest *revision) {
  *space = (struct cul_edit_space){.target = target,
                                   .shop = shop,
                                   .revision = *revision,
                                   .best_digest = *revision};
  cul_workshop_size(shop, &space->best);
  space->slots =
      cul_xcalloc((size_t)target->probe.workers, sizeof *space->slots);
}

static void free_slot(struct cul_edit_slot *slot) {
  cul_child_drop(slot->child);
  cul_placed_release(&slot->placed);
  *slot = (struct cul_edit_slot){0};
}

void cul_edit_space_release(struct cul_edit_space *space) {
  if (space->slots)
    for (int i = 0; i < space->target->probe.workers; i++)
      free_slot(&space->slots[i]);
  cul_child_drop(space->best_child);
  cul_workshop_close(space->shop);
  free(space->slots);
  free(space->sites);
  *space = (struct cul_edit_space){0};
}

int cul_edit_space_list(struct cul_edit_space *space, uint32_t mutation,
                        struct cul_err *err) {
  free(space->sites);
  space->sites = NULL;
  space->n_sites = 0;
  space->mutation = mutation;
  return cul_workshop_sites(space->shop, &mutation, 1, list_limit_ms,
                            &space->sites, &space->n_sites, err);
}

int cul_edit_space_adopt(struct cul_edit_space *space, bool *changed,
                         struct cul_err *err) {
  int rc;
  *changed = space->best_child != NULL;
  if (!*changed)
    return 0;
  rc = cul_workshop_adopt(space->shop, space->best_child, err);
  space->best_child = NULL;
  space->revision = space->best_digest;
  return rc;
}

static const char *mutation_name(const struct cul_edit_space *space) {
  size_t n;
  return cul_workshop_mutations(space->shop, &n)[space->mutation].name;
}

static void name_point(void *self, const struct cul_point *point,
                       struct cul_digest *out) {
  const struct cul_edit_space *space = self;
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &space->job, sizeof space->job);
  cul_hasher_add(h, &space->revision, sizeof space->revision);
  cul_hasher_field(h, mutation_name(space));
  for (size_t i = 0; i < point->n; i++)
    cul_hasher_u64(h, point->ids[i]);
  if (space->floor) { /* other candidates are valid then */
    cul_hasher_add(h, &space->avoid, sizeof space->avoid);
    cul_hasher_u64(h, space->best.ops);
    cul_hasher_u64(h, space->best.bytes);
  }
  *out = cul_hasher_finish(h);
}

static int begin(void *self, const struct cul_point *point, int i, int *fd,
                 struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_edit_slot *slot = &space->slots[i];
  struct cul_edit *edits = cul_xreallocarray(NULL, point->n, sizeof *edits);
  int rc;
  for (size_t k = 0; k < point->n; k++) {
    const struct cul_listed *site = &space->sites[point->ids[k]];
    edits[k] = (struct cul_edit){site->mutation, site->site};
  }
  rc = cul_workshop_begin(space->shop, edits, point->n, &slot->child, err);
  free(edits);
  if (rc < 0)
    return rc;
  slot->best = space->best;
  *fd = cul_child_fd(slot->child);
  return cul_target_place(space->target, i, &slot->placed, err);
}

/* A pump may not do more than double its subject. */
static bool is_small_enough(const struct cul_edit_space *space,
                            const struct cul_size *size,
                            const struct cul_size *best) {
  return space->may_grow ? size->ops <= 2 * best->ops + 16
                         : cul_size_less(size, best);
}

/* Back to where a pump began is no way down. */
static bool is_back(const struct cul_edit_space *space,
                    const struct cul_digest *digest) {
  return space->floor && cul_digest_equal(digest, &space->avoid);
}

static int built(void *self, int i, struct cul_built *out,
                 struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_edit_slot *slot = &space->slots[i];
  struct cul_child_built answer;
  int rc = cul_child_built(slot->child, &answer, err);
  if (rc < 0)
    return rc;
  *out = (struct cul_built){.valid = answer.valid && answer.applied > 0};
  out->size = (struct cul_extent){answer.size.ops, answer.size.bytes,
                                  answer.size.lines};
  snprintf(out->why, sizeof out->why, "%s",
           answer.valid ? "nothing to apply" : answer.why);
  slot->placed.art.digest = answer.digest;
  out->art = slot->placed.art;
  /* Smaller than what was best when asked: decided here, not when accepted,
   * so that the order of finishing does not matter. */
  struct cul_size size = {out->size.ops, out->size.bytes, out->size.lines};
  if (out->valid && (!is_small_enough(space, &size, &slot->best) ||
                     is_back(space, &answer.digest))) {
    out->valid = false;
    snprintf(out->why, sizeof out->why, "not smaller");
  }
  return 0;
}

static int materialise(void *self, int i, struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_edit_slot *slot = &space->slots[i];
  return cul_child_write(slot->child, slot->placed.path, err);
}

/* The best so far is on disk after every step: written beside, renamed. */
static int write_output(struct cul_edit_space *space, struct cul_child *child,
                        const struct cul_size *size, struct cul_err *err) {
  char *beside;
  int rc;
  if (!space->output || (space->floor && !cul_size_less(size, space->floor)))
    return 0;
  beside = cul_xasprintf("%s.part", space->output);
  rc = cul_child_write(child, beside, err);
  if (rc == 0 && rename(beside, space->output) < 0)
    rc = cul_fail(err, CUL_EENV, "is its directory still there and writable?",
                  "cannot write %s: %s", space->output, strerror(errno));
  if (rc < 0)
    remove(beside);
  free(beside);
  return rc;
}

static int commit(void *self, int i, const struct cul_point *point,
                  const struct cul_built *result, struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_edit_slot *slot = &space->slots[i];
  struct cul_size size = {result->size.ops, result->size.bytes,
                          result->size.lines};
  struct cul_step step = {
      .mutation = mutation_name(space), .before = space->best, .after = size};
  int rc = write_output(space, slot->child, &size, err);
  (void)point;
  cul_child_drop(space->best_child);
  space->best_child = slot->child;
  slot->child = NULL;
  space->best_digest = result->art.digest;
  space->best = size;
  free_slot(slot);
  if (!space->floor)
    cul_probe_tighten(&space->target->probe);
  if (rc == 0 && space->stepped && !space->floor)
    space->stepped(space->watcher, &step);
  return rc;
}

static void drop(void *self, int i) {
  struct cul_edit_space *space = self;
  free_slot(&space->slots[i]);
}

struct cul_space cul_edit_space_view(struct cul_edit_space *space) {
  return (struct cul_space){.name = "edits",
                            .self = space,
                            .key = name_point,
                            .begin = begin,
                            .built = built,
                            .materialise = materialise,
                            .commit = commit,
                            .drop = drop};
}
