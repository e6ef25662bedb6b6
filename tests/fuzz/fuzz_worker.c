/* The answers of a worker, whose process may have been damaged by what it
 * read: the client takes any packets.  First byte: which call; then packets of
 * a type, a length of two bytes and so many bytes. */
#include <poll.h>
#include <sys/socket.h>

#include "../../reducer/worker/wire.h"
#include "../../reducer/worker/worker.c"
#include "fuzz.h"

static void send_answers(int sock, struct fuzz_input *in) {
  for (int i = 0; i < 4 && in->left; i++) {
    uint32_t type = fuzz_byte(in);
    size_t len = fuzz_byte(in);
    struct cul_buf body = {0};
    len = len << 8 | fuzz_byte(in);
    /* Longer than the input: the rest are zeros. */
    cul_buf_add(&body, in->at, len < in->left ? len : in->left);
    while (body.len < len)
      cul_buf_addc(&body, 0);
    in->at += len < in->left ? len : in->left;
    in->left -= len < in->left ? len : in->left;
    (void)!cul_wire_send(sock, type, body.data, body.len, -1);
    cul_buf_release(&body);
  }
}

static int list_sites(struct cul_worker *session, struct cul_err *err) {
  const uint32_t mutations[] = {0};
  struct cul_listed *sites = NULL;
  size_t n = 0;
  int rc = cul_worker_sites(session, mutations, 1, 1, &sites, &n, err);
  for (size_t i = 0; i < n; i++)
    fuzz_demand(sites[i].parent == UINT32_MAX || sites[i].parent < i,
                "a site whose parent is no site before it");
  free(sites);
  return rc;
}

static int call(unsigned which, struct cul_worker *session,
                struct cul_child *child, struct cul_err *err) {
  static const char *const words[] = {"a", NULL};
  static const struct cul_workers workers;
  struct cul_child_built built;
  struct cul_buf text = {0};
  int rc = 0;
  switch (which % 6) {
  case 0:
    rc = open_text(&workers, session,
                   (struct cul_reading){CUL_FORM_TEXT, .check = true},
                   (struct cul_bytes){"x", 1}, 1, err);
    break;
  case 1:
    rc = list_sites(session, err);
    break;
  case 2:
    rc = cul_worker_origins(session, &text, err);
    break;
  case 3:
    rc = cul_worker_warm(session, words, err);
    break;
  case 4:
    rc = cul_child_built(child, &built, err);
    if (rc == 0)
      fuzz_demand(memchr(built.why, 0, sizeof built.why) != NULL,
                  "why is no string");
    break;
  default:
    rc = cul_child_text(child, &text, err);
  }
  cul_buf_release(&text);
  return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  unsigned which = fuzz_byte(&in);
  struct cul_worker session = {.n_mutations = 3};
  struct cul_child child = {0};
  struct cul_err err = {0};
  int pair[2];
  fuzz_demand(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0, "no socket");
  session.peer.sock = child.peer.sock = pair[0];
  send_answers(pair[1], &in);
  shutdown(pair[1], SHUT_WR);
  fuzz_demand_words(call(which, &session, &child, &err), &err);
  free(session.mutations);
  close(pair[0]);
  close(pair[1]);
  return 0;
}
