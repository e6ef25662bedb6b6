/* What Triton's layouts ask of sizes and elements: read from the text of the
 * types, as they come in the opaque form.
 *
 *   #ttg.linear<..>        made for these sizes
 *   #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma.., kWidth = 2}>
 *                          4 * kWidth elements along the inner dimension
 *   #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false,
 *     elementBitWidth = 16}>
 *                          128 bytes along the contiguous dimension */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

/* The number behind a word; 0: it is not there. */
static int64_t number_of(const char *text, const char *word) {
  const char *at = strstr(text, word);
  return at ? strtoll(at + strlen(word), NULL, 10) : 0;
}

static void pin_sizes(struct cul_retype *g, const struct cul_retype_slot *s) {
  for (uint32_t i = 0; i < s->rank; i++)
    cul_retype_pin(g, s->first + CUL_RETYPE_SIZE + i);
}

/* Dimension `back` from the last. */
static void at_least(struct cul_retype *g, const struct cul_retype_slot *s,
                     uint32_t back, int64_t least) {
  if (back < s->rank && least > 1)
    cul_retype_relate(g, CUL_RETYPE_AT_LEAST,
                      s->first + CUL_RETYPE_SIZE + s->rank - 1 - back, least);
}

/* Sizes are in the layout, or stand behind it once more: of the buffer that
 * this is a part of. */
static bool is_for_sizes(const char *text) {
  const char *tail = strstr(text, "mutable, ");
  return strstr(text, "linear<") || strstr(text, "tensor_memory_encoding") ||
         (tail && strchr("0123456789", tail[strlen("mutable, ")]));
}

static void rule_operand(struct cul_retype *g, const struct cul_retype_slot *s,
                         const char *text) {
  const char *dot = strstr(text, "dot_op<{");
  if (!dot)
    return;
  if (strstr(dot, "nvidia_mma"))
    at_least(g, s, number_of(dot, "opIdx = ") == 1,
             4 * number_of(dot, "kWidth = "));
  else if (!strstr(dot, "blocked"))
    pin_sizes(g, s);
}

static void rule_shared(struct cul_retype *g, const struct cul_retype_slot *s,
                        const char *text) {
  const char *shared = strstr(text, "nvmma_shared<{");
  int64_t bits = shared ? number_of(shared, "elementBitWidth = ") : 0;
  MlirType element = {(void *)(intptr_t)g->nodes.value[s->first]};
  if (bits > 0)
    at_least(g, s, strstr(shared, "transposed = true") != NULL,
             8 * number_of(shared, "swizzlingByteWidth = ") / bits);
  if (bits > 0 || (strstr(text, "memdesc<") && mlirTypeIsAInteger(element)))
    cul_retype_pin(g, s->first);
}

void cul_retype_rule_layouts(struct cul_retype *g) {
  for (size_t i = 0; i < g->slots.n; i++) {
    const struct cul_retype_slot *s = &g->slots.items[i];
    const char *text = s->rank ? cul_ir_type_text(g->ir, s->type) : "";
    if (!strchr(text, '#'))
      continue;
    if (is_for_sizes(text))
      pin_sizes(g, s);
    if (strstr(text, "tensor_memory_encoding"))
      cul_retype_pin(g, s->first);
    rule_operand(g, s, text);
    rule_shared(g, s, text);
  }
}
