/* Names of kernels in the dumps of simpler: see simpler.h. */
#include "simpler.h"

#include <glob.h>
#include <stdlib.h>

#include "../base/buf.h"

json_t *cul_simpler_names(const char *dir) {
  char *pattern = cul_xasprintf("%s/name_map*.json", dir);
  glob_t found = {0};
  json_t *map = NULL, *names = NULL;
  if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1)
    map = json_load_file(found.gl_pathv[0], 0, NULL);
  names = json_object_get(map, "callable_id_to_name");
  json_incref(names);
  json_decref(map);
  globfree(&found);
  free(pattern);
  return names;
}

static void add_kernel(const json_t *names, const json_t *id,
                       struct cul_buf *out) {
  const char *name = json_string_value(id);
  char number[24];
  if (!name && (!json_is_integer(id) || json_integer_value(id) < 0))
    return;
  if (!name) {
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(id));
    name = json_string_value(json_object_get(names, number));
  }
  cul_buf_adds(out, out->len ? ", " : "kernel ");
  cul_buf_adds(out, name ? name : number);
}

char *cul_simpler_kernels(const json_t *names, const json_t *ids) {
  struct cul_buf out = {0};
  const json_t *id;
  size_t i;
  if (!json_is_array(ids))
    add_kernel(names, ids, &out);
  json_array_foreach(ids, i, id) add_kernel(names, id, &out);
  if (out.len)
    return cul_buf_take(&out);
  cul_buf_release(&out);
  return NULL;
}
