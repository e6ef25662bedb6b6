/* A child of the workshop: one candidate.  It edits its copy of the subject,
 * checks, prints, digests and answers; then it waits to write, to be adopted
 * or to be dropped. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../base/file.h"
#include "workshop_server.h"
#include "workshop_wire.h"

static void build(struct cul_shop *shop, const struct cul_edit *edits, size_t n,
                  struct cul_buf *text, struct cul_child_built *built) {
  struct cul_err err = {0};
  if (cul_shop_apply(shop, edits, n, &built->applied, &err) < 0) {
    snprintf(built->why, sizeof built->why, "%.159s", err.what);
    return;
  }
  built->valid =
      shop->kind->valid(shop->subject, built->why, sizeof built->why);
  if (!built->valid)
    return;
  cul_shop_write(shop, text, &built->size);
  built->digest = cul_digest_of(text->data, text->len);
}

static uint64_t peak_rss(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_maxrss * 1024;
}

static int write_to(int fd, const struct cul_buf *text) {
  return cul_write_all(fd, text->data, text->len) < 0 ? errno : 0;
}

/* Serve the client until it adopts this child; ends the process otherwise. */
static void wait_for_fate(const struct cul_buf *text) {
  struct cul_wire_msg msg;
  bool adopted = false;
  while (!adopted && cul_wire_recv(CUL_WIRE_FD, &msg) == 1) {
    enum cul_wire_type reply = CUL_WIRE_ADOPTED;
    int32_t error = 0;
    adopted = msg.type == CUL_WIRE_ADOPT;
    if (msg.type == CUL_WIRE_WRITE) {
      reply = CUL_WIRE_WROTE;
      error = write_to(msg.fd, text);
    }
    cul_wire_msg_release(&msg);
    if (cul_wire_send(CUL_WIRE_FD, reply, &error, sizeof error, -1) < 0)
      _exit(1);
  }
  if (!adopted)
    _exit(0);
}

void cul_shop_candidate(struct cul_shop *shop, const struct cul_edit *edits,
                        size_t n) {
  struct cul_child_built built = {0};
  struct cul_buf text = {0};
  cul_words_inherit();
  build(shop, edits, n, &text, &built);
  built.rss_bytes = peak_rss();
  if (cul_wire_send(CUL_WIRE_FD, CUL_WIRE_BUILT, &built, sizeof built, -1) < 0)
    _exit(1);
  wait_for_fate(&text);
  cul_buf_release(&text);
  cul_shop_forget(shop);
}
