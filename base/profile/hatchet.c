/* Reads trees of hatchet, as Proton writes them (.hatchet): a list of roots
 * {frame: {name, type}, metrics: {"time (ns)": ..., "count": ...}, children},
 * followed by a description of the devices.  The values of a node are its own.
 * Metrics that end in "(inc)" include the children and are left out. */
#include <math.h>
#include <string.h>

#include "reader.h"

static bool hatchet_sniff(struct cul_bytes head) {
  return cul_profile_begins(head, '[') && cul_profile_has(head, "\"frame\"") &&
         cul_profile_has(head, "\"metrics\"");
}

static void read_metrics(const json_t *metrics, uint32_t node,
                         struct cul_profile *out) {
  const json_t *value;
  const char *key;
  double n = json_number_value(json_object_get(metrics, "count"));
  json_object_foreach((json_t *)(uintptr_t)metrics, key, value) {
    struct cul_bytes name = {key, strlen(key)};
    enum cul_profile_class class;
    bool count = strcmp(key, "count") == 0;
    double size = cul_profile_unit_in(&name, &class);
    double amount = json_number_value(value);
    uint32_t metric;
    if (!json_is_number(value) || cul_text_ends(key, "(inc)") ||
        strcmp(key, "device_id") == 0 || strcmp(key, "device_type") == 0)
      continue;
    class = count                         ? CUL_PROFILE_COUNT
            : cul_bytes_is(name, "time")  ? CUL_PROFILE_TIME
            : cul_bytes_is(name, "bytes") ? CUL_PROFILE_BYTES
                                          : class;
    metric = cul_profile_metric(out, name, class);
    if (n >= 1 && !count)
      cul_profile_add(out, node, metric, n, size * amount / n, NAN);
    else
      cul_profile_add(out, node, metric, 1, size * amount, NAN);
  }
}

/* Recursive.  The depth is bounded by jansson's limit of 2048 levels, two for
 * each frame. */
static int read_node(const json_t *json, uint32_t parent,
                     struct cul_profile *out, struct cul_err *err) {
  const json_t *name = json_object_get(json_object_get(json, "frame"), "name");
  const json_t *children = json_object_get(json, "children"), *child;
  uint32_t node = parent;
  size_t i;
  if (!json_is_string(name))
    return cul_fail(err, CUL_EUSAGE, "write it again",
                    "a node without frame and name");
  if (parent || strcmp(json_string_value(name), "ROOT") != 0)
    node = cul_profile_child(
        out, parent,
        (struct cul_bytes){json_string_value(name), json_string_length(name)});
  read_metrics(json_object_get(json, "metrics"), node, out);
  json_array_foreach(children, i, child) {
    if (read_node(child, node, out, err) < 0)
      return err->code;
  }
  return 0;
}

static int hatchet_read(struct cul_bytes text, struct cul_profile *out,
                        struct cul_err *err) {
  json_t *all = cul_profile_json(text, NULL, err), *root;
  size_t i;
  int rc = all ? 0 : err->code;
  json_array_foreach(all, i, root) {
    if (rc == 0 && json_object_get(root, "frame"))
      rc = read_node(root, 0, out, err);
  }
  json_decref(all);
  return rc;
}

const struct cul_profile_format cul_profile_hatchet = {.name = "hatchet",
                                                       .noun = "Proton profile",
                                                       .part = "call path",
                                                       .json = true,
                                                       .sniff = hatchet_sniff,
                                                       .read = hatchet_read};
