/* Records of runs, packed with the limits of the run and a checksum, so that a
 * bad byte on disk is a miss and never a wrong answer. The limits are not part
 * of the key. A record cut short by a limit (deadline, resource limit, capped
 * output) serves only requests whose limit is at most as large: with a larger
 * limit the run might have continued. */
#include <string.h>

#include "../base/environment.h"
#include "store.h"

/* ---- numbers and byte strings ---- */

/* Unsigned numbers as LEB128, bytes with their length before. */
static void pack_u64(struct cul_buf *out, uint64_t value) {
  while (value >= 0x80) {
    cul_buf_addc(out, (char)(value | 0x80));
    value >>= 7;
  }
  cul_buf_addc(out, (char)value);
}

static void pack_bytes(struct cul_buf *out, const void *data, size_t len) {
  pack_u64(out, len);
  cul_buf_add(out, data, len);
}

/* NULL differs from "". */
static void pack_text(struct cul_buf *out, const char *text) {
  pack_u64(out, text != NULL);
  if (text)
    pack_bytes(out, text, strlen(text));
}

struct unpack {
  const unsigned char *at, *end;
  bool bad; /* the end was passed; every value read since is 0 or empty */
};

static uint64_t unpack_u64(struct unpack *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
    unsigned char byte = *in->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  in->bad = true;
  in->at = in->end;
  return 0;
}

static struct cul_bytes unpack_bytes(struct unpack *in) {
  struct cul_bytes bytes = {NULL, 0};
  uint64_t len = unpack_u64(in);
  if (in->bad || len > (uint64_t)(in->end - in->at)) {
    in->bad = true;
    in->at = in->end;
    return bytes;
  }
  bytes.data = (const char *)in->at;
  bytes.len = (size_t)len;
  in->at += len;
  return bytes;
}

/* ---- the key: what determines a run, except its limits ---- */

enum { KEY_VERSION = 3 };

static void pack_digest(struct cul_buf *out, const struct cul_digest *digest) {
  pack_u64(out, digest->w[0]);
  pack_u64(out, digest->w[1]);
}

static void pack_list(struct cul_buf *out, const char *const *list) {
  for (; list && *list; list++)
    pack_text(out, *list);
  pack_text(out, NULL);
}

void cul_record_key(const struct cul_digest *artefact,
                    const struct cul_request *request, struct cul_buf *out) {
  const struct cul_command *cmd = request->cmd;
  /* All variables passed to the run: it may read any of them. */
  struct cul_digest environment = cul_environment_digest(cmd->environment);
  pack_u64(out, KEY_VERSION);
  pack_digest(out, artefact);
  pack_digest(out, &request->tool);
  pack_text(out, request->role);
  pack_list(out, cmd->argv);
  pack_u64(out, cmd->delivery);
  pack_text(out, cmd->delivery == CUL_BY_STDIN ? NULL : request->file);
  pack_text(out, cmd->cwd);
  pack_list(out, cmd->env);
  pack_digest(out, &environment);
  pack_u64(out, request->attempt);
  pack_u64(out, request->seed);
  pack_u64(out, ((request->flags & CUL_RUN_SYMBOLIZE) ? UINT64_C(1) : 0) |
                    ((request->flags & CUL_RUN_WHERE) ? UINT64_C(2) : 0) |
                    ((request->flags & CUL_RUN_LIVE) ? UINT64_C(4) : 0) |
                    ((request->flags & CUL_RUN_RANDOMIZE) ? UINT64_C(8) : 0) |
                    ((request->flags & CUL_RUN_SERVED) ? UINT64_C(16) : 0) |
                    ((request->flags & CUL_RUN_KEEP) ? UINT64_C(32) : 0) |
                    ((request->flags & CUL_RUN_FILL) ? UINT64_C(64) : 0) |
                    (cmd->executable ? UINT64_C(1) << 32 : 0) |
                    (request->flags & CUL_RUN_LAYOUTS) / CUL_RUN_LAYOUT * 128);
}

/* ---- the body ---- */

enum { BODY_VERSION = 3, SUM_BYTES = 8 };

struct taken {
  struct cul_record record;
  bool traced;
  uint64_t wall_ms, cpu_ms, rss_bytes, out_bytes; /* 0: no limit */
};

static void pack_body(const struct cul_request *request,
                      const struct cul_record *record, struct cul_buf *out) {
  pack_u64(out, BODY_VERSION);
  pack_u64(out, (request->flags & CUL_RUN_TRACE) != 0);
  pack_u64(out, request->wall_ms);
  pack_u64(out, request->cpu_ms);
  pack_u64(out, request->rss_bytes);
  pack_u64(out, request->out_bytes);
  pack_u64(out, record->end);
  pack_u64(out, (uint32_t)record->status);
  pack_bytes(out, record->out.data, record->out.len);
  pack_bytes(out, record->err.data, record->err.len);
  pack_bytes(out, record->files.data, record->files.len);
  pack_bytes(out, record->outputs.data, record->outputs.len);
  pack_u64(out, record->wall_us);
  pack_u64(out, record->cpu_us);
  pack_u64(out, record->pace);
  pack_u64(out, record->rss_bytes);
  pack_u64(out, record->truncated);
  pack_u64(out, record->trace_closed);
  struct cul_digest sum = cul_digest_of(out->data, out->len);
  for (int i = 0; i < SUM_BYTES; i++)
    cul_buf_addc(out, (char)(sum.w[0] >> (8 * i)));
}

static bool sum_matches(const struct cul_buf *body) {
  if (body->len < SUM_BYTES)
    return false;
  size_t len = body->len - SUM_BYTES;
  struct cul_digest sum = cul_digest_of(body->data, len);
  uint64_t stored = 0;
  for (int i = 0; i < SUM_BYTES; i++)
    stored |= (uint64_t)(unsigned char)body->data[len + (size_t)i] << (8 * i);
  return stored == sum.w[0];
}

static void unpack_buf(struct unpack *in, struct cul_buf *out) {
  struct cul_bytes bytes = unpack_bytes(in);
  cul_buf_add(out, bytes.data, bytes.len);
}

/* False, with *out empty, if the body is damaged or has another version. */
static bool unpack_body(const struct cul_buf *body, struct taken *out) {
  memset(out, 0, sizeof(*out));
  if (!sum_matches(body))
    return false;
  const unsigned char *at = (const unsigned char *)body->data;
  struct unpack in = {at, at + body->len - SUM_BYTES, false};
  if (unpack_u64(&in) != BODY_VERSION)
    return false;
  struct cul_record *record = &out->record;
  out->traced = unpack_u64(&in) != 0;
  out->wall_ms = unpack_u64(&in);
  out->cpu_ms = unpack_u64(&in);
  out->rss_bytes = unpack_u64(&in);
  out->out_bytes = unpack_u64(&in);
  uint64_t end = unpack_u64(&in);
  record->end = (enum cul_end)end;
  record->status = (int32_t)(uint32_t)unpack_u64(&in);
  unpack_buf(&in, &record->out);
  unpack_buf(&in, &record->err);
  unpack_buf(&in, &record->files);
  unpack_buf(&in, &record->outputs);
  record->wall_us = unpack_u64(&in);
  record->cpu_us = unpack_u64(&in);
  uint64_t pace = unpack_u64(&in);
  record->pace = (enum cul_pace)pace;
  record->rss_bytes = unpack_u64(&in);
  record->truncated = unpack_u64(&in);
  record->trace_closed = unpack_u64(&in) != 0;
  record->cached = true;
  if (!in.bad && in.at == in.end && end <= CUL_MACHINE &&
      pace <= CUL_PACE_MIXED)
    return true;
  cul_record_release(record);
  memset(out, 0, sizeof(*out));
  return false;
}

/* A limit of 0 means no limit: it is larger than any other. */
static bool at_least(uint64_t limit, uint64_t other) {
  return limit == 0 || (other != 0 && limit >= other);
}

/* out_bytes 0 means the default of the runner, 1 MiB. */
static uint64_t output_limit(uint64_t out_bytes) {
  return out_bytes ? out_bytes : 1 << 20;
}

static bool serves(const struct taken *taken,
                   const struct cul_request *request) {
  if ((request->flags & CUL_RUN_TRACE) && !taken->traced)
    return false;
  if (taken->record.truncated &&
      output_limit(taken->out_bytes) < output_limit(request->out_bytes))
    return false;
  if (taken->record.end == CUL_DEADLINE)
    return at_least(taken->wall_ms, request->wall_ms);
  if (taken->record.end == CUL_LIMIT)
    return at_least(taken->cpu_ms, request->cpu_ms) &&
           at_least(taken->rss_bytes, request->rss_bytes);
  return true;
}

static bool is_kept(const struct cul_request *request) {
  return !(request->flags & CUL_RUN_NO_CACHE) &&
         !cul_digest_is_zero(&request->tool);
}

/* Find a record that serves request; *out is filled only if there is one. */
static bool look_up(struct cul_cache *cache, const struct cul_buf *full,
                    const struct cul_request *request, struct cul_record *out) {
  struct cul_digest key = cul_digest_of(full->data, full->len);
  struct cul_buf stored = {0}, body = {0};
  struct taken taken;
  bool found = cul_store_find(cache, CUL_SPACE_RECORD, &key, &stored, &body);
  /* Different keys may have equal digests: compare the whole text. */
  found = found && stored.len == full->len &&
          memcmp(stored.data, full->data, full->len) == 0 &&
          unpack_body(&body, &taken);
  if (found && !serves(&taken, request)) {
    cul_record_release(&taken.record);
    found = false;
  }
  if (found)
    *out = taken.record;
  cul_buf_release(&stored);
  cul_buf_release(&body);
  return found;
}

int cul_cache_get(struct cul_cache *cache, const struct cul_digest *artefact,
                  const struct cul_request *request, struct cul_record *out,
                  bool *found, struct cul_err *err) {
  *found = false;
  memset(out, 0, sizeof(*out));
  if (!cache || !is_kept(request))
    return 0;
  struct cul_buf full = {0};
  cul_record_key(artefact, request, &full);
  (void)err;
  *found = look_up(cache, &full, request, out);
  cul_buf_release(&full);
  if (*found)
    cache->hits++;
  else
    cache->misses++;
  return 0;
}

int cul_cache_put(struct cul_cache *cache, const struct cul_digest *artefact,
                  const struct cul_request *request,
                  const struct cul_record *record, struct cul_err *err) {
  if (!cache || cache->over || !is_kept(request) ||
      record->end == CUL_MACHINE || record->limit != CUL_LIMIT_TIME ||
      record->end == CUL_NOT_STARTED || record->cached)
    return 0;
  struct cul_buf full = {0}, body = {0};
  struct cul_record old = {0};
  (void)err;
  cul_record_key(artefact, request, &full);
  /* A stored record that serves this request contains at least as much. */
  if (!look_up(cache, &full, request, &old)) {
    struct cul_digest key = cul_digest_of(full.data, full.len);
    pack_body(request, record, &body);
    cul_store_put(cache, CUL_SPACE_RECORD, &key, cul_buf_bytes(&full),
                  cul_buf_bytes(&body));
  }
  cul_record_release(&old);
  cul_buf_release(&full);
  cul_buf_release(&body);
  return 0;
}
