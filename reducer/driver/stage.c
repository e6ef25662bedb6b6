/* One mutation of a row of turns: see stage.h. */
#include "stage.h"

#include <stdlib.h>

#include "../mutations/mutation.h"

static const struct cul_listing *list_of(const struct cul_stage *stage,
                                         const struct cul_driver *driver) {
  return driver->edits.listing(driver->edits.self, stage->list);
}

/* Per site of the listing: is it worth a try, as far as is known now?  Heap. */
static bool *worth(const struct cul_stage *stage,
                   const struct cul_driver *driver) {
  return cul_novelty_worth(&driver->novelty, list_of(stage, driver),
                           driver->statistics[stage->mutation].flags,
                           stage->turn->kind >= CUL_TURN_MINIMAL);
}

/* The sites that are worth a try become items: what is known to be hopeless
 * is left out, and what stands inside goes to what is around it. */
static void fill_items(struct cul_stage *stage,
                       const struct cul_driver *driver) {
  const struct cul_listing *list = list_of(stage, driver);
  uint32_t *item_of =
      cul_xreallocarray(NULL, list->n_sites + 1, sizeof *item_of);
  bool *keep = worth(stage, driver);
  stage->items =
      cul_xreallocarray(NULL, list->n_sites + 1, sizeof *stage->items);
  stage->site = cul_xreallocarray(NULL, list->n_sites + 1, sizeof *stage->site);
  for (uint32_t i = 0; i < list->n_sites; i++) {
    const struct cul_listed *site = &list->sites[i];
    uint32_t parent =
        site->parent == CUL_SITE_NONE ? CUL_NO_ITEM : item_of[site->parent];
    item_of[i] = keep[i] ? (uint32_t)stage->n_items : parent;
    if (!keep[i])
      continue;
    stage->site[stage->n_items] = i;
    stage->items[stage->n_items++] =
        (struct cul_item){.weight = site->weight ? site->weight : 1,
                          .parent = parent,
                          .group = site->group};
  }
  free(item_of);
  free(keep);
}

/* Each site that the last search over this mutation left had failed alone:
 * where there are about as many now, few of them can go, and together none but
 * those that are nothing alone. */
static const char *rule_of(const struct cul_stage *stage,
                           const struct cul_driver *driver) {
  const struct cul_listing *list = list_of(stage, driver);
  const struct cul_statistics *known = &driver->statistics[stage->mutation];
  if (!known->left_some || stage->n_items > known->left * 5 / 4 + 4 ||
      stage->turn->kind != CUL_TURN_DELTA || driver->is_ruled)
    return stage->turn->rule;
  for (size_t i = 0; i < stage->n_items; i++)
    if (list->sites[stage->site[i]].novel.what[0] == CUL_NOVEL_ALONE)
      return stage->turn->rule;
  return "minimal";
}

void cul_stage_open(struct cul_stage *stage, struct cul_driver *driver,
                    const struct cul_turn *turn, size_t list) {
  *stage = (struct cul_stage){
      .mutation = turn->mutation, .turn = turn, .list = list};
  fill_items(stage, driver);
  if (stage->n_items == 0)
    return;
  stage->search =
      cul_search_new(cul_rule_find(rule_of(stage, driver)), stage->items,
                     stage->n_items, driver->workers, driver->seed);
  cul_search_set_patience(stage->search, turn->patience);
}

void cul_stage_release(struct cul_stage *stage) {
  cul_search_free(stage->search);
  free(stage->items);
  free(stage->site);
  free(stage->told);
  cul_ticket_row_release(&stage->tickets);
  *stage = (struct cul_stage){0};
}

bool cul_stage_is_done(const struct cul_stage *stage) {
  return !stage->search || cul_search_finished(stage->search);
}

bool cul_stage_has_won(const struct cul_stage *stage) {
  return stage->search && (cul_search_state(stage->search)->n > 0 ||
                           cul_search_is_accepting(stage->search));
}

bool cul_stage_is_outdated(const struct cul_stage *stage,
                           const struct cul_driver *driver) {
  bool *keep = worth(stage, driver);
  size_t n = 0;
  for (size_t i = 0; i < list_of(stage, driver)->n_sites; i++)
    n += keep[i];
  free(keep);
  return n != stage->n_items;
}

/* Items become sites. */
static void name_sites(const struct cul_stage *stage, struct cul_set *set) {
  for (size_t i = 0; i < set->n; i++)
    set->ids[i] = stage->site[set->ids[i]] | (uint32_t)stage->list
                                                 << CUL_LISTING_SHIFT;
}

bool cul_stage_ask(struct cul_stage *stage, struct cul_set *set,
                   uint64_t *ticket) {
  if (!stage->search || !cul_search_ask(stage->search, set, ticket))
    return false;
  stage->asked = *ticket;
  name_sites(stage, set);
  return true;
}

uint64_t cul_stage_last(struct cul_stage *stage, struct cul_set *set) {
  uint64_t ticket = stage->search ? cul_search_last(stage->search, set) : 0;
  if (ticket)
    name_sites(stage, set);
  return ticket;
}

void cul_stage_keep(struct cul_stage *stage, uint64_t ticket, bool yes) {
  stage->told =
      cul_xreallocarray(stage->told, stage->n_told + 1, sizeof *stage->told);
  stage->told[stage->n_told++] = (struct cul_early){ticket, yes};
  stage->n_yes += yes;
}

void cul_stage_replay(struct cul_stage *stage) {
  for (size_t i = 0; i < stage->n_told; i++)
    cul_search_tell(stage->search, stage->told[i].ticket, stage->told[i].yes);
  stage->n_told = stage->n_yes = 0;
}

void cul_stage_leave(const struct cul_stage *stage, struct cul_driver *driver) {
  struct cul_statistics *known = &driver->statistics[stage->mutation];
  const struct cul_listing *list = list_of(stage, driver);
  const struct cul_set *gone;
  if (!stage->search)
    return;
  gone = cul_search_state(stage->search);
  known->left_some = true;
  known->left = stage->n_items - gone->n;
  if (cul_novelty_unasked(known->flags))
    return;
  for (uint32_t i = 0; i < stage->n_items; i++)
    if (!cul_set_has(gone, i))
      cul_novelty_failed(&driver->novelty, &list->sites[stage->site[i]].novel);
}
