/* report.sarif: SARIF 2.1.0, a rule for every kind, a result for every
 * failure; the bucket's key is the partial fingerprint. */
#include <stdlib.h>
#include <string.h>

#include "../../base/visible.h"
#include "report.h"

/* A path as a URI reference (RFC 3986): all other characters are
 * percent-encoded.  Heap. */
static char *uri_of(const char *path) {
  static const char plain[] = "-._~/!$&'()*+,;=@";
  struct cul_buf out = {0};
  for (const char *c = path; *c; c++) {
    unsigned char byte = (unsigned char)*c;
    bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    if (letter || (byte >= '0' && byte <= '9') || strchr(plain, byte))
      cul_buf_addc(&out, *c);
    else
      cul_buf_addf(&out, "%%%02X", byte);
  }
  return cul_buf_take(&out);
}

/* Consumers require a location: the source line of the tool if known, else the
 * module, else the log. */
static json_t *location_of(const struct cul_triage *t,
                           const struct cul_member *member) {
  const struct cul_signature *sig = &t->kinds[member->kind]->sig;
  bool source = sig->file[0] && sig->line;
  const char *file = source           ? sig->file
                     : member->module ? member->module
                                      : member->log;
  char *uri = uri_of(file);
  json_t *out = json_pack("{s:{s:{s:s}, s:{s:i}}}", "physicalLocation",
                          "artifactLocation", "uri", uri ? uri : "", "region",
                          "startLine", source ? (int)sig->line : 1);
  free(uri);
  return out;
}

static json_t *result_of(const struct cul_triage *t,
                         const struct cul_bucket *bucket,
                         const struct cul_member *member) {
  const struct cul_kind_of *kind = t->kinds[member->kind];
  char key[CUL_KEY_TEXT], label[24];
  char *log = cul_member_label(member);
  json_t *out = json_pack(
      "{s:s, s:s, s:{s:o}, s:[o], s:{s:s}, s:s, s:{s:s, s:o}}", "ruleId",
      cul_kind_name(kind->sig.kind), "level",
      bucket->ignored ? "note" : "error", "message", "text",
      cul_json_text(cul_bucket_title(t, bucket)), "locations",
      location_of(t, member), "partialFingerprints", "culpritBucket/v1",
      cul_bucket_key(t, bucket, key), "baselineState",
      bucket->state == CUL_BUCKET_NEW ? "new" : "unchanged", "properties",
      "bucket", cul_bucket_label(bucket, label), "log", cul_json_text(log));
  free(log);
  if (bucket->ignored)
    json_object_set_new(out, "suppressions",
                        json_pack("[{s:s}]", "kind", "external"));
  return out;
}

static json_t *rules_of(void) {
  json_t *out = json_array();
  for (int kind = CUL_KIND_SIGNAL; kind <= CUL_KIND_MISMATCH; kind++)
    json_array_append_new(out, json_pack("{s:s, s:{s:s}}", "id",
                                         cul_kind_name((enum cul_kind)kind),
                                         "shortDescription", "text",
                                         cul_kind_name((enum cul_kind)kind)));
  return out;
}

static void write_sarif(const struct cul_triage *t, struct cul_buf *out) {
  json_t *results = json_array(), *sarif;
  char *text;
  for (size_t b = 0; b < t->n_buckets; b++)
    for (size_t i = 0; i < t->buckets[b].n_members; i++)
      json_array_append_new(
          results,
          result_of(t, &t->buckets[b], &t->members[t->buckets[b].members[i]]));
  sarif =
      json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                "https://json.schemastore.org/sarif-2.1.0.json", "version",
                "2.1.0", "runs", "tool", "driver", "name", "culprit", "version",
                CULPRIT_VERSION, "rules", rules_of(), "results", results);
  text = json_dumps(sarif, JSON_INDENT(1));
  cul_visible_json(text ? text : "{}", out);
  cul_buf_addc(out, '\n');
  free(text);
  json_decref(sarif);
}

const struct cul_triage_report cul_triage_report_sarif = {
    .name = "sarif",
    .file = "report.sarif",
    .mark = "\"name\": \"culprit\"",
    .write = write_sarif};
