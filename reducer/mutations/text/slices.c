/* text-keep-slice: keep a part of a C or Python text with all that it needs,
 * and erase the rest.  It is one of the first cuts, because most of a text has
 * nothing to do with the failure. */
#include "../../subject/text/language/language.h"
#include "../../subject/text/language/slice.h"
#include "sites.h"

/* The least share of the text (1/PART) and number of items of a body. */
enum { PART = 32, FEWEST = 3 };

static void list_bodies(struct cul_text *text, struct cul_sites *out) {
  if (cul_text_language(text)->defines)
    cul_text_add_bodies(text, PART, FEWEST, out);
}

static bool keep_slice(struct cul_text *text, const struct cul_sites *sites,
                       uint32_t first, uint32_t last) {
  uint32_t group = sites->items[first].group;
  CUL_HEAP bool *kept = cul_xcalloc(text->n_items + 1, sizeof *kept);
  bool any = false;
  for (uint32_t i = first; i <= last; i++) {
    uint32_t item = (uint32_t)sites->detail[i];
    if (sites->items[i].group != group)
      continue;
    kept[item] = true;
    for (uint32_t k = item + 1; cul_text_holds(text, item, k); k++)
      kept[k] = true;
  }
  cul_text_add_slice(text, (uint32_t)sites->detail[first], kept);
  for (uint32_t i = 0; i < text->n_items; i++)
    if (!kept[i])
      any |= cul_text_erase_item(text, i);
  return any;
}

CUL_TEXT(text_keep_slice, .whole = true, .list = list_bodies,
         .keep = keep_slice, .fixes = true);
