/* Names of kernels in the dumps of simpler: see simpler.h. */
#include "simpler.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../base/buf.h"

json_t *cul_simpler_load(const char *path, json_error_t *why) {
  struct stat st;
  if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
    return json_load_file(path, 0, why);
  if (why)
    *why = (json_error_t){.text = "no regular file"};
  return NULL;
}

/* The one file name_map*.json of a directory; heap; NULL: none, or several. */
static char *find_map(const char *dir) {
  DIR *entries = opendir(dir);
  const struct dirent *entry;
  char *found = NULL;
  size_t n = 0;
  while (entries && (entry = readdir(entries)))
    if (fnmatch("name_map*.json", entry->d_name, 0) == 0 && n++ == 0)
      found = cul_xasprintf("%s/%s", dir, entry->d_name);
  if (entries)
    closedir(entries);
  if (n == 1)
    return found;
  free(found);
  return NULL;
}

json_t *cul_simpler_names(const char *dir) {
  char *file = find_map(dir);
  json_t *map = file ? cul_simpler_load(file, NULL) : NULL;
  json_t *names = json_incref(json_object_get(map, "callable_id_to_name"));
  json_decref(map);
  free(file);
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
