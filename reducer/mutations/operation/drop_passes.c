/* drop-passes: remove passes, nested pipelines and options from the pipeline of
 * a crash reproducer, in the {-# #-} section. */
#include "../../../pipeline/pipeline.h"
#include "../../../pipeline/reproducer.h"
#include "../frame/each.h"

static bool read_section(const struct cul_ir *ir, struct cul_reproducer *repro,
                         struct cul_pipeline *list) {
  return cul_reproducer_find(cul_buf_bytes(&ir->resources), repro) &&
         cul_pipeline_read(repro->pipeline, list);
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  struct cul_reproducer repro;
  CUL_OWNED(cul_pipeline) list = {0};
  if (!read_section(ir, &repro, &list))
    return;
  for (uint32_t i = 0; i < list.n; i++) {
    uint32_t id = cul_sites_add(out, NULL, i, 1);
    uint32_t parent = list.items[i].parent;
    out->items[id].parent = parent == CUL_PIPE_NONE ? CUL_SITE_NONE : parent;
    out->items[id].group = parent == CUL_PIPE_NONE ? 0 : parent + 1;
  }
}

static size_t apply(struct cul_ir *ir, const struct cul_sites *listed,
                    const uint32_t *ids, size_t n) {
  struct cul_reproducer repro;
  CUL_OWNED(cul_pipeline) list = {0};
  CUL_OWNED(cul_buf) pipeline = {0};
  struct cul_buf section = {0};
  CUL_HEAP bool *gone = NULL;
  if (!read_section(ir, &repro, &list))
    return 0;
  gone = cul_xcalloc(list.n + 1, sizeof *gone);
  for (size_t i = 0; i < n; i++)
    gone[listed->detail[ids[i]]] = true;
  cul_pipeline_write(&list, gone, &pipeline);
  cul_reproducer_replace(cul_buf_bytes(&ir->resources), &repro,
                         cul_buf_bytes(&pipeline), &section);
  cul_buf_release(&ir->resources);
  ir->resources = section;
  return n;
}

CUL_EACH(drop_passes, .all = sites, .edit_all = apply);
