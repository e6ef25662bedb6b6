/* A plugin of --mutation as a mutation of texts: see plugin.h.  It returns the
 * whole text, which is parsed again. */
#include "plugin.h"

#include <stdlib.h>

#include "../../subject/text/text.h"
#include "../plugin/load.h"
#include "sites.h"

struct listing {
  const struct cul_text *text;
  struct cul_sites *out;
};

static uint32_t count_tokens(const struct cul_text *text,
                             struct cul_mutation_place place) {
  uint32_t n = 0;
  for (size_t i = 0; i < text->n_tokens; i++)
    n += text->tokens[i].start >= place.start &&
         text->tokens[i].start < place.end;
  return n;
}

static void add_place(void *to, struct cul_mutation_place place) {
  struct listing *listing = to;
  if (place.start <= place.end && place.end <= listing->text->len)
    cul_sites_add(listing->out, NULL, (uint64_t)place.start << 32 | place.end,
                  count_tokens(listing->text, place));
}

static void list_places(const void *how, struct cul_subject *subject,
                        struct cul_sites *out) {
  const struct cul_mutation_plugin *plugin = how;
  struct listing listing = {cul_text_settled(subject), out};
  const struct cul_text *text = listing.text;
  if (plugin->sites(text->bytes, text->len, add_place, &listing) != 0)
    cul_sites_clear(out);
}

static void append(void *to, const char *bytes, size_t len) {
  cul_buf_add(to, bytes, len);
}

/* Apply the plugin; not after another mutation, whose edits moved the
 * places. */
static size_t apply_at(const void *how, struct cul_subject *subject,
                       const struct cul_sites *sites, const uint32_t *ids,
                       size_t n) {
  const struct cul_mutation_plugin *plugin = how;
  struct cul_text *text = cul_text_of(subject);
  CUL_HEAP struct cul_mutation_place *places =
      cul_xcalloc(n + 1, sizeof *places);
  CUL_OWNED(cul_buf) written = {0};
  int rc;
  if (text->edited)
    return 0;
  for (size_t i = 0; i < n; i++)
    places[i] =
        (struct cul_mutation_place){(uint32_t)(sites->detail[ids[i]] >> 32),
                                    (uint32_t)sites->detail[ids[i]]};
  rc = plugin->apply(text->bytes, text->len, places, n, append, &written);
  if (rc != 0 || written.len >= CUL_TEXT_NONE)
    return 0;
  cul_text_become(text, &written);
  return n;
}

static const struct cul_mutation_frame frame = {.sites = list_places,
                                                .apply = apply_at};

int cul_text_plugin_new(const char *path, const struct cul_mutation **out,
                        struct cul_err *err) {
  const struct cul_mutation_plugin *plugin = NULL;
  struct cul_mutation *mutation;
  int rc = cul_mutation_plugin_load(path, &plugin, err);
  if (rc < 0)
    return rc;
  mutation = cul_xcalloc(1, sizeof *mutation);
  *mutation = (struct cul_mutation){.name = plugin->name,
                                    .summary = plugin->summary,
                                    .kinds = CUL_SUBJECT_TEXT,
                                    .phase = CUL_PHASE_DELTA,
                                    .flags = CUL_MUT_REWRITES,
                                    .frame = &frame,
                                    .how = plugin};
  *out = mutation;
  return 0;
}
