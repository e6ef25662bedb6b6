/* Complete signatures as JSON, for the database and the lists. */
#include <stdio.h>
#include <string.h>

#include "../../base/visible.h"
#include "../../oracles/rules/rules.h"
#include "../key.h"

static const char *const roles[] = {
    [CUL_FRAME_RELEVANT] = "relevant", [CUL_FRAME_TRAP] = "trap",
    [CUL_FRAME_HELPER] = "helper",     [CUL_FRAME_ASKED] = "asked",
    [CUL_FRAME_OUTER] = "outer",
};

/* The text as a JSON string; bytes that are not UTF-8 become \xff. */
static json_t *visible(const char *text) {
  struct cul_buf shown = {0};
  json_t *out;
  cul_visible_add((struct cul_bytes){text, strlen(text)}, &shown);
  out = json_stringn(cul_buf_str(&shown), shown.len);
  cul_buf_release(&shown);
  return out ? out : json_string("(not UTF-8)");
}

json_t *cul_json_text(const char *text) {
  size_t len = strlen(text);
  json_t *out = json_stringn(text, len);
  for (int i = 0; !out && len > 0 && i < 4; i++)
    out = json_stringn(text, --len);
  return out ? out : visible(text);
}

static json_t *frame_json(const struct cul_frame *frame) {
  return json_pack(
      "{s:o, s:o, s:I, s:b, s:s}", "name", cul_json_text(frame->name), "module",
      cul_json_text(frame->module), "offset", (json_int_t)frame->offset,
      "relative", (int)frame->relative, "role", roles[frame->role]);
}

static json_t *error_json(const struct cul_signature *sig, size_t i) {
  const struct cul_error_line *line = &sig->errors.lines[i];
  return json_pack("{s:o, s:o, s:I, s:i, s:b}", "text",
                   cul_json_text(line->text), "raw", cul_json_text(line->raw),
                   "id", (json_int_t)line->id, "place", (int)line->place,
                   "lead", (int)(i + 1 == sig->errors.lead));
}

/* NULL: unknown. */
static json_t *errors_json(const struct cul_signature *sig) {
  json_t *errors = sig->errors.known ? json_array() : NULL;
  for (size_t i = 0; errors && i < sig->errors.n; i++)
    json_array_append_new(errors, error_json(sig, i));
  return errors;
}

/* Does the title say "guess"?  It does if the kind is a guess as well. */
static bool is_guessed(const struct cul_signature *sig) {
  return sig->guess ||
         (sig->words && sig->kind == CUL_KIND_EXIT && !sig->status);
}

json_t *cul_signature_json(const struct cul_signature *sig) {
  json_t *frames = json_array();
  for (size_t i = 0; i < sig->n_frames; i++)
    json_array_append_new(frames, frame_json(&sig->frames[i]));
  return json_pack(
      "{s:s, s:s*, s:i, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:i, s:o, s:o*, "
      "s:b, s:o*, s:o*, s:o*}",
      "kind", cul_kind_name(sig->kind), "cause",
      sig->cause ? cul_kind_name(sig->cause) : NULL, "status", sig->status,
      "title", cul_json_text(sig->title), "text", cul_json_text(sig->text),
      "raw", cul_json_text(sig->raw), "pass", cul_json_text(sig->pass), "input",
      cul_json_text(sig->input), "rule", sig->rule, "file",
      cul_json_text(sig->file), "line", (int)sig->line, "frames", frames,
      "errors", errors_json(sig), "errors_cut", (int)sig->errors.cut, "late",
      sig->late ? json_true() : NULL, "guessed",
      is_guessed(sig) ? json_true() : NULL, "unruled",
      sig->words ? json_true() : NULL);
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

static void take_errors(const json_t *json, struct cul_signature *out) {
  const json_t *errors = json_object_get(json, "errors"), *error;
  size_t i;
  out->errors.known = json_is_array(errors);
  out->errors.cut = json_is_true(json_object_get(json, "errors_cut"));
  json_array_foreach(errors, i, error) {
    struct cul_error_line *line;
    json_int_t place = json_integer_value(json_object_get(error, "place"));
    if (i == CUL_SIG_MAX_ERRORS)
      break;
    line = &out->errors.lines[i];
    take(error, "text", line->text, sizeof line->text);
    take(error, "raw", line->raw, sizeof line->raw);
    line->id = (uint64_t)json_integer_value(json_object_get(error, "id"));
    line->place = place == CUL_ERROR_BEFORE   ? CUL_ERROR_BEFORE
                  : place == CUL_ERROR_BEHIND ? CUL_ERROR_BEHIND
                                              : CUL_ERROR_AFTER;
    if (json_is_true(json_object_get(error, "lead")))
      out->errors.lead = i + 1;
    out->errors.n = i + 1;
  }
}

static bool take_kind(const json_t *json, const char *key, enum cul_kind *out) {
  const char *name = json_string_value(json_object_get(json, key));
  for (int kind = 0; name && kind <= CUL_KIND_INFRASTRUCTURE; kind++)
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
  if (!json_is_object(json) || !take_kind(json, "kind", &out->kind))
    return false;
  (void)take_kind(json, "cause", &out->cause);
  out->status = (int)json_integer_value(json_object_get(json, "status"));
  take(json, "title", out->title, sizeof out->title);
  take(json, "text", out->text, sizeof out->text);
  take(json, "raw", out->raw, sizeof out->raw);
  take(json, "pass", out->pass, sizeof out->pass);
  take(json, "input", out->input, sizeof out->input);
  take(json, "rule", out->rule, sizeof out->rule);
  take(json, "file", out->file, sizeof out->file);
  out->line = (uint32_t)json_integer_value(json_object_get(json, "line"));
  out->late = json_is_true(json_object_get(json, "late"));
  out->guess = json_is_true(json_object_get(json, "guessed"));
  out->words = out->guess || json_is_true(json_object_get(json, "unruled"));
  out->guess = out->guess && out->kind != CUL_KIND_EXIT;
  take_errors(json, out);
  json_array_foreach(json_object_get(json, "frames"), i, frame) {
    if (i == CUL_SIG_MAX_FRAMES)
      break;
    take_frame(frame, &out->frames[out->n_frames++]);
  }
  return true;
}
