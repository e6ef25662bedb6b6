/* The message of a live run, packed and read: see live.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../live.h"

struct head {
  uint64_t wall_ms, cpu_s, as_bytes, tmp_dev, tmp_ino;
  uint64_t memory_bytes;
  struct cul_stay_wish stay;
  uint32_t parts, n_own, n_places; /* of the sandbox */
  int32_t abi;
};

static void add_word(struct cul_buf *out, const char *word) {
  cul_buf_add(out, word, strlen(word) + 1);
}

static void add_words(struct cul_buf *out, const struct cul_paths *paths) {
  for (size_t i = 0; paths && i < paths->n; i++)
    add_word(out, paths->items[i]);
}

/* What follows them; end where there are fewer. */
static const char *take_words(const char *at, const char *end, uint32_t n,
                              struct cul_paths *out) {
  for (; n > 0 && at < end; n--, at += strlen(at) + 1)
    cul_paths_add(out, at);
  return at;
}

void cul_live_pack(const struct cul_plan *plan, struct cul_buf *out) {
  const struct cul_box *box = &plan->box;
  const struct head head = {
      .wall_ms = plan->wall_ms,
      .cpu_s = plan->cpu_s,
      .as_bytes = plan->as_bytes,
      .tmp_dev = plan->tmp_dev,
      .tmp_ino = plan->tmp_ino,
      .memory_bytes = box->memory_bytes,
      .stay = plan->stay,
      .parts = box->parts & ~(uint32_t)CUL_PART_READS,
      .n_own = (uint32_t)(box->own.n + (box->writes ? box->writes->n : 0)),
      .n_places = (uint32_t)box->places.n,
      .abi = box->abi};
  cul_buf_add(out, &head, sizeof head);
  add_words(out, &box->own);
  add_words(out, box->writes);
  add_words(out, &box->places);
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
                            .tmp_ino = head.tmp_ino,
                            .stay = head.stay};
  plan->box = (struct cul_box){.parts = head.parts,
                               .abi = head.abi,
                               .memory_bytes = head.memory_bytes,
                               .uid = geteuid(),
                               .gid = getegid()};
  plan->argv = cul_xcalloc(body->len, sizeof *plan->argv);
  at = take_words(body->data + sizeof head, end, head.n_own, &plan->box.own);
  at = take_words(at, end, head.n_places, &plan->box.places);
  for (; at < end; at += strlen(at) + 1, n++) {
    if (n == 0)
      plan->tmp = at;
    else if (n == 1)
      plan->cwd = *at ? (char *)at : NULL;
    else
      plan->argv[n - 1] = (char *)at;
  }
  return n > 2;
}

void cul_live_release(struct cul_plan *plan) {
  free(plan->argv);
  cul_paths_release(&plan->box.own);
  cul_paths_release(&plan->box.places);
}
