/* The site list that a mutation fills: see mutation.h. */
#include <stdlib.h>
#include <string.h>

#include "../mutation.h"

static void grow(struct cul_sites *sites) {
  size_t cap = sites->cap ? 2 * sites->cap : 64;
  sites->items = cul_xreallocarray(sites->items, cap, sizeof *sites->items);
  sites->place = cul_xreallocarray(sites->place, cap, sizeof *sites->place);
  sites->detail = cul_xreallocarray(sites->detail, cap, sizeof *sites->detail);
  sites->cap = cap;
}

uint32_t cul_sites_add(struct cul_sites *sites, void *place, uint64_t detail,
                       uint32_t weight) {
  size_t at = sites->n;
  if (at == sites->cap)
    grow(sites);
  sites->items[at] = (struct cul_site){
      .weight = weight ? weight : 1, .parent = CUL_SITE_NONE, .group = 0};
  sites->place[at] = place;
  sites->detail[at] = detail;
  sites->n++;
  return (uint32_t)at;
}

void cul_sites_clear(struct cul_sites *sites) { sites->n = 0; }

void cul_sites_release(struct cul_sites *sites) {
  free(sites->items);
  free(sites->place);
  free(sites->detail);
  memset(sites, 0, sizeof *sites);
}
