/* The parts of a large text, before it is read as statements: keep a run of
 * them, or erase those that are not needed.  Sites are ranges of bytes, which
 * denote the same lines once the text has been read. */
#include "sites.h"

static void list_parts(struct cul_text *text, struct cul_sites *out) {
  for (size_t i = 0; i < text->n_lines; i++) {
    const struct cul_line *part = &text->lines[i];
    if (part->item != CUL_TEXT_NONE)
      cul_sites_add(out, NULL, cul_text_two(part->start, part->end),
                    part->n ? part->n : 1);
  }
}

/* The first line that starts at the byte or after it. */
static uint32_t line_at(const struct cul_text *text, uint32_t byte) {
  uint32_t low = 0, high = (uint32_t)text->n_lines;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (text->lines[middle].start < byte)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool erase(struct cul_text *text, uint64_t part) {
  return cul_text_erase_lines(text, line_at(text, cul_text_high(part)),
                              line_at(text, (uint32_t)part));
}

CUL_TEXT(text_keep_part, .whole = true, .parts = true, .list = list_parts,
         .edit = erase, .others = true);

CUL_TEXT(text_erase_parts, .whole = true, .parts = true, .list = list_parts,
         .edit = erase);
