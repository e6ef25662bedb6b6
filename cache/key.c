/* The key of a record: everything that determines a run's behaviour, except the
 * limits of the run (they are in the body, see records.c). */
#include "../base/environment.h"
#include "store.h"

enum { KEY_VERSION = 2 };

static void pack_digest(struct cul_buf *out, const struct cul_digest *digest) {
  cul_pack_u64(out, digest->w[0]);
  cul_pack_u64(out, digest->w[1]);
}

static void pack_list(struct cul_buf *out, const char *const *list) {
  for (; list && *list; list++)
    cul_pack_text(out, *list);
  cul_pack_text(out, NULL);
}

void cul_record_key(const struct cul_digest *artefact,
                    const struct cul_request *request, struct cul_buf *out) {
  const struct cul_command *cmd = request->cmd;
  /* All variables passed to the run: it may read any of them. */
  struct cul_digest environment = cul_environment_digest(cmd->environment);
  cul_pack_u64(out, KEY_VERSION);
  pack_digest(out, artefact);
  pack_digest(out, &request->tool);
  cul_pack_text(out, request->role);
  pack_list(out, cmd->argv);
  cul_pack_u64(out, cmd->delivery);
  cul_pack_text(out, cmd->cwd);
  pack_list(out, cmd->env);
  pack_digest(out, &environment);
  cul_pack_u64(out, request->attempt);
  cul_pack_u64(out, request->seed);
  cul_pack_u64(out,
               ((request->flags & CUL_RUN_SYMBOLIZE) ? UINT64_C(1) : 0) |
                   ((request->flags & CUL_RUN_WHERE) ? UINT64_C(2) : 0) |
                   ((request->flags & CUL_RUN_LIVE) ? UINT64_C(4) : 0) |
                   ((request->flags & CUL_RUN_RANDOMIZE) ? UINT64_C(8) : 0) |
                   ((request->flags & CUL_RUN_SERVED) ? UINT64_C(16) : 0) |
                   ((request->flags & CUL_RUN_KEEP) ? UINT64_C(32) : 0) |
                   ((request->flags & CUL_RUN_FILL) ? UINT64_C(64) : 0) |
                   (cmd->executable ? UINT64_C(1) << 32 : 0) |
                   (request->flags & CUL_RUN_LAYOUTS) / CUL_RUN_LAYOUT * 128);
}
