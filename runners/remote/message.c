/* See message.h. */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/sandbox.h"

/* ---- bodies ---- */

/* Take the next n bytes of the body; NULL: it has fewer. */
static const char *take(struct cul_codec *codec, uint64_t n) {
  const char *at = codec->at;
  if (codec->bad || n > (uint64_t)(codec->end - at)) {
    codec->bad = true;
    return NULL;
  }
  codec->at += n;
  return at;
}

static void pass_number(struct cul_codec *codec, uint64_t *value,
                        unsigned bytes) {
  unsigned char raw[8];
  const char *from;
  if (codec->out) {
    for (unsigned i = 0; i < bytes; i++)
      raw[i] = (unsigned char)(*value >> (8 * i));
    cul_buf_add(codec->out, raw, bytes);
    return;
  }
  *value = 0;
  from = take(codec, bytes);
  for (unsigned i = 0; from && i < bytes; i++)
    *value |= (uint64_t)(unsigned char)from[i] << (8 * i);
}

static void pass_u64(struct cul_codec *codec, uint64_t *value) {
  pass_number(codec, value, 8);
}

void cul_codec_u32(struct cul_codec *codec, uint32_t *value) {
  uint64_t wide = *value;
  pass_number(codec, &wide, 4);
  *value = (uint32_t)wide;
}

static void pass_flag(struct cul_codec *codec, bool *value) {
  uint64_t wide = *value;
  pass_number(codec, &wide, 1);
  *value = wide != 0;
}

void cul_codec_digest(struct cul_codec *codec, struct cul_digest *value) {
  pass_u64(codec, &value->w[0]);
  pass_u64(codec, &value->w[1]);
}

static void pass_bytes(struct cul_codec *codec, struct cul_buf *value) {
  uint64_t len = codec->out ? value->len : 0;
  const char *from;
  pass_u64(codec, &len);
  if (codec->out)
    cul_buf_add(codec->out, value->data, value->len);
  else if ((from = take(codec, len)))
    cul_buf_add(value, from, (size_t)len);
}

/* The length that represents NULL. */
static const uint32_t none = UINT32_MAX;

static void pass_text(struct cul_codec *codec, char **value) {
  uint32_t len = codec->out && *value ? (uint32_t)strlen(*value) : none;
  const char *from;
  cul_codec_u32(codec, &len);
  if (codec->out) {
    cul_buf_add(codec->out, *value, len == none ? 0 : len);
    return;
  }
  *value = NULL;
  if (codec->bad || len == none || !(from = take(codec, len)))
    return;
  if (len && memchr(from, '\0', len))
    codec->bad = true;
  else
    *value = cul_xstrndup(from, len);
}

static uint32_t count(char *const *words) {
  uint32_t n = 0;
  while (words && words[n])
    n++;
  return n;
}

static void pass_words(struct cul_codec *codec, char ***value) {
  uint32_t n = codec->out && *value ? count(*value) : none;
  cul_codec_u32(codec, &n);
  if (!codec->out)
    *value = NULL;
  /* each word takes at least four bytes for its length */
  if (codec->bad || n == none ||
      (!codec->out && n > (uint64_t)(codec->end - codec->at) / 4)) {
    codec->bad |= n != none;
    return;
  }
  if (!codec->out)
    *value = cul_xcalloc((size_t)n + 1, sizeof **value);
  for (uint32_t i = 0; i < n && !codec->bad; i++) {
    pass_text(codec, &(*value)[i]);
    codec->bad |= !(*value)[i];
  }
}

bool cul_codec_is_done(const struct cul_codec *codec) {
  return !codec->bad && codec->at == codec->end;
}

static void free_words(char **words) {
  for (size_t i = 0; words && words[i]; i++)
    free(words[i]);
  free(words);
}

/* ---- messages ---- */

void cul_remote_pass_hello(struct cul_codec *codec,
                           struct cul_remote_hello *hello) {
  cul_codec_u32(codec, &hello->version);
  pass_text(codec, &hello->host);
  pass_text(codec, &hello->system);
  cul_codec_u32(codec, &hello->cores);
  pass_u64(codec, &hello->memory_bytes);
  cul_codec_digest(codec, &hello->program);
  cul_codec_digest(codec, &hello->store);
}

void cul_remote_pass_job(struct cul_codec *codec, struct cul_remote_job *job) {
  cul_codec_u32(codec, &job->version);
  cul_codec_u32(codec, &job->sandbox);
  pass_u64(codec, &job->memory_bytes);
  pass_words(codec, &job->set);
  pass_words(codec, &job->unset);
  pass_flag(codec, &job->all);
  codec->bad |= job->sandbox > CUL_SANDBOX_STRICT;
}

static void pass_file(struct cul_codec *codec, struct cul_remote_file *file) {
  cul_codec_u32(codec, &file->place);
  cul_codec_u32(codec, &file->mode);
  pass_text(codec, &file->name);
  pass_flag(codec, &file->carried);
  cul_codec_digest(codec, &file->digest);
  pass_bytes(codec, &file->bytes);
  codec->bad |= file->place > CUL_PLACE_INSTALL || !file->name;
}

/* minimal bytes of a file in a body */
enum { FILE_BYTES = 37 };

static void pass_files(struct cul_codec *codec, struct cul_remote_run *run) {
  cul_codec_u32(codec, &run->n_files);
  if (!codec->out) {
    codec->bad |= run->n_files > (codec->end - codec->at) / FILE_BYTES;
    run->n_files = codec->bad ? 0 : run->n_files;
    run->files = cul_xcalloc((size_t)run->n_files + 1, sizeof *run->files);
  }
  for (uint32_t i = 0; i < run->n_files && !codec->bad; i++)
    pass_file(codec, &run->files[i]);
}

void cul_remote_pass_run(struct cul_codec *codec, struct cul_remote_run *run) {
  cul_codec_u32(codec, &run->id);
  pass_words(codec, &run->argv);
  pass_words(codec, &run->env);
  cul_codec_u32(codec, &run->delivery);
  pass_text(codec, &run->cwd);
  pass_words(codec, &run->keys);
  pass_words(codec, &run->values);
  pass_flag(codec, &run->placed);
  pass_text(codec, &run->file);
  cul_codec_u32(codec, &run->attempt);
  cul_codec_u32(codec, &run->flags);
  pass_u64(codec, &run->wall_ms);
  pass_u64(codec, &run->cpu_ms);
  pass_u64(codec, &run->rss_bytes);
  pass_u64(codec, &run->out_bytes);
  cul_codec_u32(codec, &run->without);
  pass_flag(codec, &run->sealed);
  pass_text(codec, &run->workspace);
  pass_flag(codec, &run->building);
  pass_flag(codec, &run->anew);
  pass_bytes(codec, &run->lists);
  pass_text(codec, &run->install.name);
  pass_text(codec, &run->install.script);
  pass_u64(codec, &run->install.most_bytes);
  pass_files(codec, run);
  codec->bad |= !run->argv || !run->argv[0] || !run->file ||
                run->delivery > CUL_BY_LINK ||
                count(run->keys) != count(run->values) ||
                (run->install.name && (!run->install.script || run->workspace));
}

static void pass_int(struct cul_codec *codec, int *value) {
  uint32_t wide = (uint32_t)*value;
  cul_codec_u32(codec, &wide);
  *value = (int)wide;
}

/* Pass an enumerator between 0 and most. */
static uint32_t pass_choice(struct cul_codec *codec, uint32_t value,
                            uint32_t most) {
  cul_codec_u32(codec, &value);
  codec->bad |= value > most;
  return codec->bad ? 0 : value;
}

void cul_remote_pass_record(struct cul_codec *codec,
                            struct cul_remote_record *record) {
  struct cul_record *r = &record->record;
  cul_codec_u32(codec, &record->id);
  pass_text(codec, &record->dir);
  pass_text(codec, &record->tmp);
  pass_text(codec, &record->out);
  r->end = (enum cul_end)pass_choice(codec, r->end, CUL_MACHINE);
  pass_int(codec, &r->status);
  pass_bytes(codec, &r->out);
  pass_bytes(codec, &r->err);
  pass_bytes(codec, &r->files);
  pass_bytes(codec, &r->outputs);
  pass_u64(codec, &r->wall_us);
  pass_u64(codec, &r->cpu_us);
  r->pace = (enum cul_pace)pass_choice(codec, r->pace, CUL_PACE_MIXED);
  r->limit = (enum cul_limit)pass_choice(codec, r->limit, CUL_LIMIT_PROCESSES);
  pass_u64(codec, &r->rss_bytes);
  pass_u64(codec, &r->truncated);
  pass_flag(codec, &r->trace_closed);
  codec->bad |= !record->dir || !record->tmp || !record->out;
}

void cul_remote_pass_words(struct cul_codec *codec,
                           struct cul_remote_words *words) {
  cul_codec_u32(codec, &words->id);
  pass_bytes(codec, &words->text);
}

void cul_remote_hello_release(struct cul_remote_hello *hello) {
  free(hello->host);
  free(hello->system);
  *hello = (struct cul_remote_hello){0};
}

void cul_remote_job_release(struct cul_remote_job *job) {
  free_words(job->set);
  free_words(job->unset);
  *job = (struct cul_remote_job){0};
}

void cul_remote_run_release(struct cul_remote_run *run) {
  free_words(run->argv);
  free_words(run->env);
  free(run->cwd);
  free_words(run->keys);
  free_words(run->values);
  free(run->file);
  free(run->workspace);
  cul_buf_release(&run->lists);
  free(run->install.name);
  free(run->install.script);
  for (uint32_t i = 0; i < run->n_files; i++) {
    free(run->files[i].name);
    cul_buf_release(&run->files[i].bytes);
  }
  free(run->files);
  *run = (struct cul_remote_run){0};
}

void cul_remote_record_release(struct cul_remote_record *record) {
  free(record->dir);
  free(record->tmp);
  free(record->out);
  cul_record_release(&record->record);
  *record = (struct cul_remote_record){0};
}

/* ---- frames ---- */

enum { HEAD = 8 };

void cul_frame_add(struct cul_buf *out, enum cul_frame_type type,
                   struct cul_bytes body) {
  struct cul_codec codec = {.out = out};
  uint32_t kind = type, len = (uint32_t)body.len;
  if (body.len > CUL_FRAME_MOST)
    cul_bug("a frame of %zu bytes", body.len);
  cul_codec_u32(&codec, &kind);
  cul_codec_u32(&codec, &len);
  cul_buf_add(out, body.data, body.len);
}

enum cul_frame_state cul_frame_next(struct cul_bytes bytes, uint32_t *type,
                                    struct cul_bytes *body, size_t *used) {
  struct cul_codec head = {.at = bytes.data, .end = bytes.data + bytes.len};
  uint32_t len = 0;
  *type = 0;
  if (bytes.len < HEAD)
    return CUL_FRAME_PART;
  cul_codec_u32(&head, type);
  cul_codec_u32(&head, &len);
  if (*type < CUL_FRAME_HELLO || *type > CUL_FRAME_LOOK || len > CUL_FRAME_MOST)
    return CUL_FRAME_BAD;
  if (len > bytes.len - HEAD)
    return CUL_FRAME_PART;
  *body = (struct cul_bytes){bytes.data + HEAD, len};
  *used = HEAD + (size_t)len;
  return CUL_FRAME_WHOLE;
}
