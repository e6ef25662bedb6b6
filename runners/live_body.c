/* The message of a live run, packed and read: see live.h. */
#include <string.h>

#include "live.h"

struct head {
  uint64_t wall_ms, cpu_s, as_bytes, tmp_dev, tmp_ino;
};

static void add_word(struct cul_buf *out, const char *word) {
  cul_buf_add(out, word, strlen(word) + 1);
}

void cul_live_pack(const struct cul_plan *plan, struct cul_buf *out) {
  struct head head = {plan->wall_ms, plan->cpu_s, plan->as_bytes, plan->tmp_dev,
                      plan->tmp_ino};
  cul_buf_add(out, &head, sizeof head);
  add_word(out, plan->tmp);
  add_word(out, plan->cwd ? plan->cwd : "");
  for (size_t i = 1; plan->argv[i]; i++)
    add_word(out, plan->argv[i]);
}

bool cul_live_unpack(const struct cul_buf *body, struct cul_plan *plan) {
  struct head head;
  const char *end = body->data + body->len, *at;
  size_t n = 0;
  if (body->len <= sizeof head || end[-1] != '\0')
    return false;
  memcpy(&head, body->data, sizeof head);
  *plan = (struct cul_plan){.wall_ms = head.wall_ms,
                            .cpu_s = head.cpu_s,
                            .as_bytes = head.as_bytes,
                            .tmp_dev = head.tmp_dev,
                            .tmp_ino = head.tmp_ino};
  plan->argv = cul_xcalloc(body->len, sizeof *plan->argv);
  for (at = body->data + sizeof head; at < end; at += strlen(at) + 1, n++) {
    if (n == 0)
      plan->tmp = at;
    else if (n == 1)
      plan->cwd = *at ? (char *)at : NULL;
    else
      plan->argv[n - 1] = (char *)at;
  }
  return n > 2;
}
