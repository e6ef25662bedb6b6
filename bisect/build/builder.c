/* Builds of commits: see builder.h. */
#include "builder.h"

#include <stdlib.h>

int cul_builder_begin(struct cul_builder *builder, int i, uint32_t commit,
                      int *fd, struct cul_err *err) {
  struct cul_builder_slot *slot = &builder->slots[i];
  struct cul_revision revision;
  struct cul_buf lacking = {0};
  int rc;
  cul_range_revision(builder->range, commit, &revision, &slot->held);
  if (cul_lacking_paths(builder->lacking, &revision, &lacking))
    slot->lacking = cul_xstrdup(cul_buf_str(&lacking));
  cul_buf_release(&lacking);
  rc = cul_pool_begin(builder->pool, &revision, &slot->place, err);
  if (rc < 0)
    return rc;
  slot->used = true;
  cul_commit_hex(&revision.commit, slot->hex);
  cul_commit_hex(&builder->range->history.ids[commit], slot->name);
  slot->subst[0] = (struct cul_subst){"@{dir}", slot->place.dir};
  slot->subst[1] = (struct cul_subst){"@{commit}", slot->hex};
  slot->art = (struct cul_artefact){.subst = slot->subst,
                                    .n_subst = 2,
                                    .dir = slot->place.dir,
                                    .file = "",
                                    .live_fd = -1};
  if (slot->place.fresh)
    cul_notices_say(builder->notices, "building %.12s", slot->name);
  *fd = slot->place.fd;
  return 0;
}

int cul_builder_built(struct cul_builder *builder, int i, struct cul_err *err) {
  return cul_pool_built(builder->pool, &builder->slots[i].place, err);
}

void cul_builder_drop(struct cul_builder *builder, int i) {
  struct cul_builder_slot *slot = &builder->slots[i];
  if (slot->used)
    cul_pool_leave(builder->pool, &slot->place);
  free(slot->held);
  free(slot->lacking);
  *slot = (struct cul_builder_slot){0};
}

void cul_builder_drop_all(struct cul_builder *builder) {
  for (int i = 0; i <= CUL_MAX_WORKERS; i++)
    cul_builder_drop(builder, i);
}

void cul_builder_keep(struct cul_builder *builder, uint32_t commit,
                      bool fails) {
  struct cul_override *held;
  struct cul_revision revision;
  cul_range_revision(builder->range, commit, &revision, &held);
  cul_pool_keep(builder->pool, &revision, fails);
  free(held);
}

static struct cul_built_in built_in(const struct cul_builder *builder, int i) {
  const struct cul_builder_slot *slot = &builder->slots[i];
  return (struct cul_built_in){slot->place.dir, slot->name, slot->lacking};
}

bool cul_builder_learn(struct cul_builder *builder, int i, const char *files,
                       struct cul_digest *out) {
  struct cul_built_in build = built_in(builder, i);
  return cul_artefacts_learn(builder->artefacts, files, &build, out);
}

bool cul_builder_find(struct cul_builder *builder, int i,
                      struct cul_digest *out) {
  struct cul_built_in build = built_in(builder, i);
  return cul_artefacts_find(builder->artefacts, &build, out);
}
