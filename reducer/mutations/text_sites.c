/* Statements and runs of tokens as sites: see text_sites.h. */
#include "text_sites.h"

uint32_t cul_text_item_weight(const struct cul_text *text, uint32_t item) {
  return cul_text_count(text, text->items[item].first, text->items[item].end);
}

void cul_text_add_item(const struct cul_text *text, uint32_t item,
                       struct cul_sites *out) {
  uint32_t id =
      cul_sites_add(out, NULL, item, cul_text_item_weight(text, item));
  out->items[id].parent = text->items[item].parent;
  out->items[id].group = text->items[item].group;
}

bool cul_text_erase_item(struct cul_text *text, uint32_t item) {
  return cul_text_erase_lines(text, text->items[item].first,
                              text->items[item].end);
}

uint32_t cul_text_add_range(uint32_t first, uint32_t end,
                            struct cul_sites *out) {
  return cul_sites_add(out, NULL, (uint64_t)first << 32 | end, end - first);
}

int cul_text_apply_ranges(struct cul_subject *subject,
                          const struct cul_sites *sites, const uint32_t *ids,
                          size_t n, size_t *applied, struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  (void)err;
  for (size_t i = 0; i < n; i++) {
    uint64_t range = sites->detail[ids[i]];
    *applied +=
        cul_text_erase_tokens(text, (uint32_t)(range >> 32), (uint32_t)range);
  }
  return 0;
}

bool cul_text_whole(struct cul_bytes number, uint64_t *value) {
  *value = 0;
  if (number.len > 18)
    return false;
  for (size_t i = 0; i < number.len; i++) {
    if (number.data[i] < '0' || number.data[i] > '9')
      return false;
    *value = 10 * *value + (uint64_t)(number.data[i] - '0');
  }
  return true;
}

bool cul_text_is_dimension(const struct cul_text *text, uint32_t token) {
  return text->lang->dimensions && token + 1 < text->n_tokens &&
         cul_text_token_is(text, token + 1, "x");
}
