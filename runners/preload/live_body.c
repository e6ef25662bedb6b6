/* The message of a live run, packed and read: see live.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../live.h"

struct head {
  uint64_t wall_ms, cpu_s, as_bytes, tmp_dev, tmp_ino;
  uint64_t memory_bytes;
  struct cul_stay_wish stay;
  /* of the sandbox */
  uint32_t parts, n_own, n_places, n_writes, n_opened, n_changed;
  struct timespec began;
  uint32_t n_env;
  int32_t abi;
  bool trace, randomize, memory;
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

/* The same for paths that are sorted, and may be many. */
static const char *take_sorted(const char *at, const char *end, uint32_t n,
                               struct cul_paths *out) {
  for (; n > 0 && at < end; n--, at += strlen(at) + 1)
    cul_paths_insert(out, at);
  return at;
}

static void add_name(struct cul_buf *out, const char *name) {
  add_word(out, name ? name : "");
}

static void pack(const struct cul_plan *plan, bool whole, struct cul_buf *out) {
  const struct cul_box *box = &plan->box;
  const struct cul_sandbox *watched =
      box->parts & CUL_PART_WATCH ? box->spares : NULL;
  struct head head = {.wall_ms = plan->wall_ms,
                      .cpu_s = plan->cpu_s,
                      .as_bytes = plan->as_bytes,
                      .tmp_dev = plan->tmp_dev,
                      .tmp_ino = plan->tmp_ino,
                      .memory_bytes = box->memory_bytes,
                      .stay = plan->stay,
                      .parts = box->parts & ~(uint32_t)CUL_PART_READS,
                      .n_own = (uint32_t)box->own.n,
                      .n_places = (uint32_t)box->places.n,
                      .n_writes = (uint32_t)(box->writes ? box->writes->n : 0),
                      .abi = box->abi,
                      .trace = whole && plan->trace,
                      .randomize = whole && plan->randomize,
                      .memory = whole && box->memory};
  if (watched) {
    head.n_opened = (uint32_t)watched->spared.opened.n;
    head.n_changed = (uint32_t)watched->spared.changed.n;
    head.began = watched->spared.began;
  }
  while (whole && plan->envp[head.n_env])
    head.n_env++;
  cul_buf_add(out, &head, sizeof head);
  add_words(out, &box->own);
  add_words(out, &box->places);
  add_words(out, box->writes);
  if (watched) {
    add_words(out, &watched->spared.opened);
    add_words(out, &watched->spared.changed);
  }
  add_word(out, plan->tmp);
  add_name(out, plan->cwd);
  add_name(out, whole ? plan->path : NULL);
  add_name(out, whole ? plan->link : NULL);
  add_name(out, whole ? plan->input : NULL);
  for (size_t i = 0; i < head.n_env; i++)
    add_word(out, plan->envp[i]);
  for (size_t i = 1; plan->argv[i]; i++)
    add_word(out, plan->argv[i]);
}

int cul_live_send(int sock, const struct cul_supervision *s, bool whole) {
  const int fds[] = {s->out, s->err, s->control, s->result};
  struct cul_buf body = {0};
  int rc, error;
  pack(s->plan, whole, &body);
  rc = cul_wire_send_fds(sock, CUL_LIVE_RUN, cul_buf_bytes(&body), fds,
                         CUL_ARRAY_SIZE(fds));
  error = errno;
  cul_buf_release(&body);
  errno = error;
  return rc;
}

/* The next word; "" where there is none. */
static char *take_word(const char **at, const char *end) {
  char *word = (char *)*at;
  if (*at >= end)
    return (char *)"";
  *at += strlen(word) + 1;
  return word;
}

static char *take_name(const char **at, const char *end) {
  char *name = take_word(at, end);
  return *name ? name : NULL;
}

bool cul_live_unpack(const struct cul_buf *body, struct cul_plan *plan) {
  struct head head;
  const char *end = body->data + body->len, *at;
  struct cul_sandbox *sandbox;
  size_t n = 0;
  if (body->len <= sizeof head || end[-1] != '\0')
    return false;
  memcpy(&head, body->data, sizeof head);
  *plan = (struct cul_plan){.wall_ms = head.wall_ms,
                            .cpu_s = head.cpu_s,
                            .as_bytes = head.as_bytes,
                            .tmp_dev = head.tmp_dev,
                            .tmp_ino = head.tmp_ino,
                            .stay = head.stay,
                            .trace = head.trace,
                            .randomize = head.randomize};
  plan->box = (struct cul_box){.parts = head.parts,
                               .abi = head.abi,
                               .memory = head.memory,
                               .memory_bytes = head.memory_bytes,
                               .uid = geteuid(),
                               .gid = getegid()};
  plan->argv = cul_xcalloc(body->len, sizeof *plan->argv);
  plan->envp = cul_xcalloc(head.n_env + 1, sizeof *plan->envp);
  sandbox = cul_sandbox_new(CUL_SANDBOX_AUTO);
  sandbox->spared.began = head.began;
  plan->box.spares = sandbox;
  plan->box.writes = &sandbox->writes;
  at = take_words(body->data + sizeof head, end, head.n_own, &plan->box.own);
  at = take_words(at, end, head.n_places, &plan->box.places);
  at = take_words(at, end, head.n_writes, &sandbox->writes);
  at = take_words(at, end, head.n_opened, &sandbox->spared.opened);
  at = take_sorted(at, end, head.n_changed, &sandbox->spared.changed);
  plan->tmp = take_word(&at, end);
  plan->cwd = take_name(&at, end);
  plan->path = take_name(&at, end);
  plan->link = take_name(&at, end);
  plan->input = take_name(&at, end);
  for (uint32_t i = 0; i < head.n_env; i++)
    plan->envp[i] = take_word(&at, end);
  while (at < end)
    plan->argv[++n] = take_word(&at, end);
  return n > 0;
}

void cul_live_release(struct cul_plan *plan) {
  free(plan->argv);
  free(plan->envp);
  cul_paths_release(&plan->box.own);
  cul_paths_release(&plan->box.places);
  cul_sandbox_free((struct cul_sandbox *)plan->box.spares);
}
