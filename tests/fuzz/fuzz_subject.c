/* Fuzzes the readers of commands: pipeline text, reproducer sections, the
 * words of a shell, command lines.  What is written of what was read is read
 * again, to the same items. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/digest.h"
#include "../../pipeline/arguments.h"
#include "../../pipeline/reproducer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds)
    abort();
}

static bool read_as(struct cul_bytes text, bool options,
                    struct cul_pipeline *out) {
  return options ? cul_pipeline_read_options(text, out)
                 : cul_pipeline_read(text, out);
}

static void spread(const struct cul_pipeline *p, bool *gone) {
  for (size_t i = 0; i < p->n; i++) {
    uint32_t parent = p->items[i].parent;
    demand(parent == CUL_PIPE_NONE || parent < i);
    gone[i] |= parent != CUL_PIPE_NONE && gone[parent];
  }
}

/* Is it an anchor of MLIR: an operation's name, or "any"? */
static bool is_of_mlir(const struct cul_pipeline *p, size_t i) {
  struct cul_bytes name = cul_pipeline_name(p, (uint32_t)i);
  return memchr(name.data, '.', name.len) ||
         (name.len == 3 && memcmp(name.data, "any", 3) == 0);
}

/* Items left once those in gone, all inside, and anchors without passes, but
 * for the outermost of MLIR, have gone. */
static size_t count_left(const struct cul_pipeline *p, bool *gone) {
  bool *passes = calloc(p->n, sizeof *passes);
  size_t left = 0;
  spread(p, gone);
  for (size_t i = p->n; i-- > 0;) {
    uint32_t parent = p->items[i].parent;
    bool outermost = parent == CUL_PIPE_NONE;
    gone[i] |= p->items[i].kind == CUL_PIPE_NEST && !passes[i] &&
               !(outermost && is_of_mlir(p, i));
    if (outermost)
      continue;
    passes[parent] |= !gone[i] && p->items[i].kind != CUL_PIPE_OPTION;
  }
  spread(p, gone);
  for (size_t i = 0; i < p->n; i++)
    left += !gone[i];
  free(passes);
  return left;
}

static void check_pipeline(struct cul_bytes text, bool options, uint64_t seed) {
  struct cul_pipeline p, again;
  if (!read_as(text, options, &p))
    return;
  for (uint64_t round = 0; round < 4; round++, seed >>= 7) {
    bool *gone = calloc(p.n, sizeof *gone);
    struct cul_buf out = {0};
    size_t left;
    for (size_t i = 0; i < p.n && round; i++)
      gone[i] = (seed >> (i % 61)) & 1;
    left = count_left(&p, gone);
    cul_pipeline_write(&p, gone, &out);
    if (left > 0) {
      demand(read_as(cul_buf_bytes(&out), options, &again));
      demand(again.n == left);
      cul_pipeline_release(&again);
    }
    cul_buf_release(&out);
    free(gone);
  }
  cul_pipeline_release(&p);
}

static void check_arguments(const char *text, bool shell, uint64_t seed) {
  const char *plain[] = {"tool", text, "@@", NULL};
  const char *typed[] = {"bash", "-c", text, NULL};
  const char *const *argv = shell ? typed : plain;
  struct cul_arguments args;
  bool *gone;
  char **out;
  cul_arguments_read(argv, &args);
  gone = calloc(args.n + 1, sizeof *gone);
  out = cul_arguments_write(&args, gone, NULL);
  for (size_t i = 0; argv[i]; i++)
    demand(out[i] && strcmp(out[i], argv[i]) == 0);
  free(out);
  for (size_t i = 0; i < args.n; i++)
    gone[i] = (seed >> (i % 61)) & 1;
  out = cul_arguments_write(&args, gone, NULL);
  demand(strcmp(out[0], argv[0]) == 0);
  free(out);
  free(gone);
  cul_arguments_release(&args);
}

static void check_reproducer(struct cul_bytes text) {
  struct cul_reproducer repro;
  struct cul_buf out = {0};
  if (!cul_reproducer_find(text, &repro))
    return;
  cul_reproducer_replace(text, &repro, repro.pipeline, &out);
  demand(out.len == text.len && memcmp(out.data, text.data, text.len) == 0);
  cul_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = cul_xstrndup((const char *)data, size);
  struct cul_bytes bytes = {(const char *)data, size};
  uint64_t seed = cul_digest_of(data, size).w[0];
  check_pipeline(bytes, false, seed);
  check_pipeline(bytes, true, seed);
  check_arguments(text, false, seed);
  check_arguments(text, true, seed);
  check_reproducer(bytes);
  free(text);
  return 0;
}
