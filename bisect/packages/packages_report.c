/* What is known of the packages to blame: see packages_private.h. */
#include <stdlib.h>

#include "../../probe/target/findings.h"
#include "packages_private.h"
#include "provenance.h"

/* The two versions of an answer: the one to blame, and that before it. */
struct pair {
  const struct cul_package *package;
  size_t axis;
  uint32_t culprit, before; /* values of the axis */
};

static json_t *text_or_null(const char *text) {
  return text ? cul_report_string(text) : json_null();
}

/* The value whose name this is; false: none. */
static bool find_value(const struct cul_packages *job, const char *name,
                       size_t *axis, uint32_t *value) {
  bool found = false;
  for (size_t k = 0; name && k < job->axes.n && !found; k++)
    for (uint32_t v = 0; v < job->axes.axes[k].n && !found; v++) {
      struct cul_buf text = {0};
      cul_axis_name(&job->axes.axes[k], v, &text);
      found = strcmp(cul_buf_str(&text), name) == 0;
      *axis = k;
      *value = v;
      cul_buf_release(&text);
    }
  return found;
}

static bool find_pair(const struct cul_packages *job, const json_t *change,
                      struct pair *out) {
  const char *culprit = json_string_value(json_object_get(change, "culprit"));
  const char *before =
      json_string_value(json_array_get(json_object_get(change, "parents"), 0));
  size_t axis;
  if (!find_value(job, culprit, &out->axis, &out->culprit) ||
      !find_value(job, before, &axis, &out->before) || axis != out->axis)
    return false;
  out->package = &job->packages[axis];
  return true;
}

static const char *version_of(const struct cul_packages *job,
                              const struct pair *pair, uint32_t value) {
  return job->axes.axes[pair->axis].values[value];
}

/* {"version": ..., "uploaded": time or null, "commit": ... or null} */
static int describe(struct cul_packages *job, const struct pair *pair,
                    const uint32_t *at, json_t **out, struct cul_err *err) {
  const char *version = version_of(job, pair, at[pair->axis]);
  struct cul_provenance from = {0};
  struct cul_venv venv;
  char *uploaded = NULL;
  int rc = cul_installs_have(&job->installs, at, &venv, err);
  if (rc == 0 && venv.dir)
    cul_provenance_find(venv.dir, pair->package->range->name, version, &from);
  cul_venv_leave(&venv);
  if (rc == 0)
    rc = cul_pip_uploaded(&job->way.pip, &pair->package->offered, version,
                          &uploaded, err);
  *out = json_pack("{s:s, s:o, s:o, s:o}", "version", version, "uploaded",
                   text_or_null(uploaded), "commit", text_or_null(from.commit),
                   "repository", text_or_null(from.repository));
  cul_provenance_release(&from);
  free(uploaded);
  return rc;
}

/* The others as they were held. */
static void values_of(const struct cul_packages *job, const json_t *change,
                      uint32_t *at) {
  const json_t *held = json_object_get(change, "held"), *one;
  size_t i, axis;
  uint32_t value;
  json_array_foreach(held, i, one) {
    if (find_value(job, json_string_value(one), &axis, &value))
      at[axis] = value;
  }
}

static int complete_change(struct cul_packages *job, json_t *change,
                           struct cul_err *err) {
  uint32_t at[CUL_MAX_AXES] = {0};
  struct pair pair;
  json_t *culprit = NULL, *before = NULL;
  int rc;
  if (!find_pair(job, change, &pair))
    return 0;
  values_of(job, change, at);
  at[pair.axis] = pair.culprit;
  rc = describe(job, &pair, at, &culprit, err);
  at[pair.axis] = pair.before;
  if (rc == 0)
    rc = describe(job, &pair, at, &before, err);
  json_object_set_new(change, "package",
                      cul_report_string(pair.package->range->name));
  json_object_set_new(change, "first", culprit ? culprit : json_null());
  json_object_set_new(change, "before", before ? before : json_null());
  return rc;
}

static json_t *packages_of(const struct cul_packages *job) {
  json_t *out = json_array();
  for (size_t k = 0; k < job->axes.n; k++) {
    const struct cul_axis *axis = &job->axes.axes[k];
    uint32_t good = job->good[k], bad = axis->n - 1 - good;
    json_array_append_new(out, json_pack("{s:s, s:s, s:s, s:I}", "name",
                                         axis->name, "good", axis->values[good],
                                         "bad", axis->values[bad], "versions",
                                         (json_int_t)axis->n));
  }
  return out;
}

int cul_packages_complete(struct cul_packages *job, json_t *report, bool cut,
                          struct cul_err *err) {
  json_t *changes = json_object_get(report, "changes"), *change;
  size_t i;
  int rc = 0;
  json_object_set_new(report, "packages", packages_of(job));
  json_array_foreach(changes, i, change) {
    if (rc == 0 && !cut)
      rc = complete_change(job, change, err);
  }
  return rc;
}
