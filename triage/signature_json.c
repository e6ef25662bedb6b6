/* Signatures as JSON, whole: what the database and the lists keep. */
#include <stdio.h>
#include <string.h>

#include "../oracles/rules.h"
#include "key.h"

static const char *const roles[] = {
    [CUL_FRAME_RELEVANT] = "relevant", [CUL_FRAME_TRAP] = "trap",
    [CUL_FRAME_HELPER] = "helper",     [CUL_FRAME_ASKED] = "asked",
    [CUL_FRAME_OUTER] = "outer",
};

json_t *cul_json_text(const char *text) {
  size_t len = strlen(text);
  json_t *out = json_stringn(text, len);
  for (int i = 0; !out && len > 0 && i < 4; i++)
    out = json_stringn(text, --len);
  return out ? out : json_string("(not UTF-8)");
}

static json_t *frame_json(const struct cul_frame *frame) {
  return json_pack(
      "{s:o, s:o, s:I, s:b, s:s}", "name", cul_json_text(frame->name), "module",
      cul_json_text(frame->module), "offset", (json_int_t)frame->offset,
      "relative", (int)frame->relative, "role", roles[frame->role]);
}

json_t *cul_signature_json(const struct cul_signature *sig) {
  json_t *frames = json_array();
  for (size_t i = 0; i < sig->n_frames; i++)
    json_array_append_new(frames, frame_json(&sig->frames[i]));
  return json_pack(
      "{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:i, s:o}", "kind",
      cul_kind_name(sig->kind), "status", sig->status, "title",
      cul_json_text(sig->title), "text", cul_json_text(sig->text), "raw",
      cul_json_text(sig->raw), "pass", cul_json_text(sig->pass), "input",
      cul_json_text(sig->input), "rule", sig->rule, "file",
      cul_json_text(sig->file), "line", (int)sig->line, "frames", frames);
}

static void take(const json_t *json, const char *key, char *out, size_t size) {
  const char *text = json_string_value(json_object_get(json, key));
  snprintf(out, size, "%s", text ? text : "");
}

static void take_frame(const json_t *json, struct cul_frame *frame) {
  char role[16];
  take(json, "name", frame->name, sizeof frame->name);
  take(json, "module", frame->module, sizeof frame->module);
  take(json, "role", role, sizeof role);
  frame->offset = (uint64_t)json_integer_value(json_object_get(json, "offset"));
  frame->relative = json_is_true(json_object_get(json, "relative"));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(roles); i++)
    if (!strcmp(roles[i], role))
      frame->role = (enum cul_frame_role)i;
}

static bool take_kind(const json_t *json, enum cul_kind *out) {
  const char *name = json_string_value(json_object_get(json, "kind"));
  for (int kind = 0; name && kind <= CUL_KIND_LARGER; kind++)
    if (!strcmp(name, cul_kind_name((enum cul_kind)kind))) {
      *out = (enum cul_kind)kind;
      return true;
    }
  return false;
}

bool cul_signature_parse(const json_t *json, struct cul_signature *out) {
  const json_t *frame;
  size_t i;
  memset(out, 0, sizeof *out);
  if (!json_is_object(json) || !take_kind(json, &out->kind))
    return false;
  out->status = (int)json_integer_value(json_object_get(json, "status"));
  take(json, "title", out->title, sizeof out->title);
  take(json, "text", out->text, sizeof out->text);
  take(json, "raw", out->raw, sizeof out->raw);
  take(json, "pass", out->pass, sizeof out->pass);
  take(json, "input", out->input, sizeof out->input);
  take(json, "rule", out->rule, sizeof out->rule);
  take(json, "file", out->file, sizeof out->file);
  out->line = (uint32_t)json_integer_value(json_object_get(json, "line"));
  json_array_foreach(json_object_get(json, "frames"), i, frame) {
    if (i == CUL_SIG_MAX_FRAMES)
      break;
    take_frame(frame, &out->frames[out->n_frames++]);
  }
  return true;
}
