/* Any bytes come from the other end of a connection: frames, each a message of
 * its type or none.  A message that is read is written again to one that is
 * read alike. */
#include <stdlib.h>

#include "../../runners/remote/message.h"
#include "fuzz.h"

union message {
  struct cul_remote_hello hello;
  struct cul_remote_job job;
  struct cul_remote_run run;
  struct cul_remote_record record;
  struct cul_remote_words words;
};

static void pass(struct cul_codec *codec, uint32_t type, union message *m) {
  switch (type) {
  case CUL_FRAME_HELLO:
    cul_remote_pass_hello(codec, &m->hello);
    break;
  case CUL_FRAME_JOB:
    cul_remote_pass_job(codec, &m->job);
    break;
  case CUL_FRAME_RUN:
    cul_remote_pass_run(codec, &m->run);
    break;
  case CUL_FRAME_RECORD:
    cul_remote_pass_record(codec, &m->record);
    break;
  default:
    cul_remote_pass_words(codec, &m->words);
  }
}

static void release(uint32_t type, union message *m) {
  switch (type) {
  case CUL_FRAME_HELLO:
    cul_remote_hello_release(&m->hello);
    break;
  case CUL_FRAME_JOB:
    cul_remote_job_release(&m->job);
    break;
  case CUL_FRAME_RUN:
    cul_remote_run_release(&m->run);
    break;
  case CUL_FRAME_RECORD:
    cul_remote_record_release(&m->record);
    break;
  default:
    cul_buf_release(&m->words.text);
  }
}

/* The bytes of the message again; out stays empty where it is none. */
static void again(struct cul_bytes body, uint32_t type, struct cul_buf *out) {
  struct cul_codec in = {.at = body.data, .end = body.data + body.len};
  struct cul_codec to = {.out = out};
  union message m;
  memset(&m, 0, sizeof m);
  pass(&in, type, &m);
  if (cul_codec_is_done(&in))
    pass(&to, type, &m);
  release(type, &m);
}

static void check_body(struct cul_bytes body, uint32_t type) {
  struct cul_buf first = {0}, second = {0};
  again(body, type, &first);
  if (first.len) {
    fuzz_demand(first.len == body.len, "it became longer or shorter");
    again(cul_buf_bytes(&first), type, &second);
    fuzz_demand(cul_bytes_equal(cul_buf_bytes(&first), cul_buf_bytes(&second)),
                "what was written is not read");
  }
  cul_buf_release(&first);
  cul_buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_bytes rest = {(const char *)data, size}, body;
  uint32_t type;
  size_t used;
  while (cul_frame_next(rest, &type, &body, &used) == CUL_FRAME_WHOLE) {
    fuzz_demand(used <= rest.len &&
                    body.data + body.len <= rest.data + rest.len,
                "a frame beyond the bytes");
    check_body(body, type);
    rest.data += used;
    rest.len -= used;
  }
  return 0;
}
