/* Records of runs, packed with the limits of the run and a checksum, so that a
 * bad byte on disk is a miss and never a wrong answer. The limits are not part
 * of the key. A record cut short by a limit (deadline, resource limit, capped
 * output) serves only requests whose limit is at most as large: with a larger
 * limit the run might have continued. */
#include <string.h>

#include "store.h"

enum { BODY_VERSION = 3, SUM_BYTES = 8 };

struct taken {
  struct cul_record record;
  bool traced;
  uint64_t wall_ms, cpu_ms, rss_bytes, out_bytes; /* 0: no limit */
};

static void pack_body(const struct cul_request *request,
                      const struct cul_record *record, struct cul_buf *out) {
  cul_pack_u64(out, BODY_VERSION);
  cul_pack_u64(out, (request->flags & CUL_RUN_TRACE) != 0);
  cul_pack_u64(out, request->wall_ms);
  cul_pack_u64(out, request->cpu_ms);
  cul_pack_u64(out, request->rss_bytes);
  cul_pack_u64(out, request->out_bytes);
  cul_pack_u64(out, record->end);
  cul_pack_u64(out, (uint32_t)record->status);
  cul_pack_bytes(out, record->out.data, record->out.len);
  cul_pack_bytes(out, record->err.data, record->err.len);
  cul_pack_bytes(out, record->files.data, record->files.len);
  cul_pack_bytes(out, record->outputs.data, record->outputs.len);
  cul_pack_u64(out, record->wall_us);
  cul_pack_u64(out, record->cpu_us);
  cul_pack_u64(out, record->pace);
  cul_pack_u64(out, record->rss_bytes);
  cul_pack_u64(out, record->truncated);
  cul_pack_u64(out, record->trace_closed);
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

static void unpack_buf(struct cul_unpack *in, struct cul_buf *out) {
  struct cul_bytes bytes = cul_unpack_bytes(in);
  cul_buf_add(out, bytes.data, bytes.len);
}

/* False, with *out empty, if the body is damaged or has another version. */
static bool unpack_body(const struct cul_buf *body, struct taken *out) {
  memset(out, 0, sizeof(*out));
  if (!sum_matches(body))
    return false;
  const unsigned char *at = (const unsigned char *)body->data;
  struct cul_unpack in = {at, at + body->len - SUM_BYTES, false};
  if (cul_unpack_u64(&in) != BODY_VERSION)
    return false;
  struct cul_record *record = &out->record;
  out->traced = cul_unpack_u64(&in) != 0;
  out->wall_ms = cul_unpack_u64(&in);
  out->cpu_ms = cul_unpack_u64(&in);
  out->rss_bytes = cul_unpack_u64(&in);
  out->out_bytes = cul_unpack_u64(&in);
  uint64_t end = cul_unpack_u64(&in);
  record->end = (enum cul_end)end;
  record->status = (int32_t)(uint32_t)cul_unpack_u64(&in);
  unpack_buf(&in, &record->out);
  unpack_buf(&in, &record->err);
  unpack_buf(&in, &record->files);
  unpack_buf(&in, &record->outputs);
  record->wall_us = cul_unpack_u64(&in);
  record->cpu_us = cul_unpack_u64(&in);
  uint64_t pace = cul_unpack_u64(&in);
  record->pace = (enum cul_pace)pace;
  record->rss_bytes = cul_unpack_u64(&in);
  record->truncated = cul_unpack_u64(&in);
  record->trace_closed = cul_unpack_u64(&in) != 0;
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
  if (!cache || !is_kept(request) || record->end == CUL_MACHINE ||
      record->limit != CUL_LIMIT_TIME || record->end == CUL_NOT_STARTED ||
      record->cached)
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
