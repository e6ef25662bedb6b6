/* The nearest passing neighbour: see neighbour.h. */
#include "neighbour.h"

#include <stdio.h>
#include <string.h>

#include "../results/difference.h"
#include "../space/space.h"
#include "job.h"

void cul_neighbours_release(struct cul_neighbours *neighbours) {
  cul_buf_release(&neighbours->nearest.text);
  cul_buf_release(&neighbours->ahead.text);
  cul_buf_release(&neighbours->difference);
}

/* bytes: a larger text is not worth storing, as the subject will shrink */
static const size_t most_remembered = 1 << 16;

/* Is size nearer to best than had: fewer operations removed, then fewer
 * bytes? */
static bool is_nearer(const struct cul_size *best, const struct cul_size *size,
                      const struct cul_size *had) {
  uint64_t a = best->ops - size->ops, b = best->ops - had->ops;
  return a != b ? a < b : size->bytes > had->bytes;
}

/* The key of the stored neighbour: the revision (and the command) that it is an
 * edit of. */
static struct cul_digest name_of(const struct cul_reduce *job) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &job->subject.space.job, sizeof job->subject.space.job);
  cul_hasher_add(h, &job->subject.space.best.digest,
                 sizeof job->subject.space.best.digest);
  if (job->conf->reduce_command) {
    struct cul_digest command =
        cul_command_digest(cul_target_command(&job->target)->argv);
    cul_hasher_add(h, &command, sizeof command);
  }
  return cul_hasher_finish(h);
}

/* Store the neighbour: one line of facts, then the text. */
static void remember(struct cul_reduce *job) {
  struct cul_digest name = name_of(job);
  CUL_OWNED(cul_buf) memo = {0};
  struct cul_err ignored = {0};
  if (!job->target.cache || job->neighbours.nearest.text.len > most_remembered)
    return;
  cul_buf_addf(&memo, "%s %llu %llu %llu\n", job->neighbours.nearest.edit,
               (unsigned long long)job->neighbours.nearest.size.ops,
               (unsigned long long)job->neighbours.nearest.size.bytes,
               (unsigned long long)job->neighbours.nearest.size.lines);
  cul_buf_add(&memo, job->neighbours.nearest.text.data,
              job->neighbours.nearest.text.len);
  (void)!cul_cache_memo_put(job->target.cache, "passing", &name, memo.data,
                            memo.len,
                            &ignored); /* the neighbour is still in memory */
}

static const char *edit_of(const struct cul_reduce *job, int slot) {
  return job->subject
      .statistics[cul_edit_space_mutation_of(&job->subject.space, slot)]
      .name;
}

/* Keep the neighbour of a speculative revision until that revision is
 * accepted. */
static void consider_ahead(struct cul_reduce *job, int slot,
                           const struct cul_size *size) {
  struct cul_neighbour *ahead = &job->neighbours.ahead;
  if ((ahead->text.len &&
       !is_nearer(&job->subject.space.ahead.size, size, &ahead->size)) ||
      !cul_edit_space_text(&job->subject.space, slot, &ahead->text))
    return;
  ahead->size = *size;
  snprintf(ahead->edit, sizeof ahead->edit, "%s", edit_of(job, slot));
}

void cul_neighbour_consider(struct cul_reduce *job, int slot,
                            const struct cul_extent *extent) {
  struct cul_size size = {
      .ops = extent->ops, .bytes = extent->bytes, .lines = extent->lines};
  if (extent->bytes > CUL_NEIGHBOUR_MOST)
    return;
  if (cul_edit_space_is_ahead(&job->subject.space, slot)) {
    consider_ahead(job, slot, &size);
    return;
  }
  if (job->phase < CUL_REDUCE_DELTA ||
      (job->neighbours.nearest.text.len &&
       !is_nearer(&job->subject.space.best.size, &size,
                  &job->neighbours.nearest.size)) ||
      !cul_edit_space_text(&job->subject.space, slot,
                           &job->neighbours.nearest.text))
    return;
  job->neighbours.nearest.size = size;
  snprintf(job->neighbours.nearest.edit, sizeof job->neighbours.nearest.edit,
           "%s", edit_of(job, slot));
  remember(job);
}

void cul_neighbour_forget(struct cul_reduce *job) {
  cul_buf_clear(&job->neighbours.ahead.text);
}

void cul_neighbour_promote(struct cul_reduce *job) {
  struct cul_neighbour *ahead = &job->neighbours.ahead;
  if (ahead->text.len == 0)
    return;
  cul_buf_clear(&job->neighbours.nearest.text);
  cul_buf_add(&job->neighbours.nearest.text, ahead->text.data, ahead->text.len);
  job->neighbours.nearest.size = ahead->size;
  memcpy(job->neighbours.nearest.edit, ahead->edit, sizeof ahead->edit);
  remember(job);
  cul_neighbour_forget(job);
}

int cul_neighbour_recall(struct cul_reduce *job, struct cul_err *err) {
  struct cul_digest name = name_of(job);
  CUL_OWNED(cul_buf) memo = {0};
  unsigned long long ops, bytes, lines;
  const char *text;
  bool found = false;
  int rc = 0;
  if (job->target.cache && job->neighbours.nearest.text.len == 0)
    rc = cul_cache_memo_get(job->target.cache, "passing", &name, &memo, &found,
                            err);
  text = found ? strchr(cul_buf_str(&memo), '\n') : NULL;
  if (text && sscanf(memo.data, "%47s %llu %llu %llu",
                     job->neighbours.nearest.edit, &ops, &bytes, &lines) == 4) {
    job->neighbours.nearest.size =
        (struct cul_size){.ops = ops, .bytes = bytes, .lines = lines};
    text++; /* the rest may contain NUL bytes */
    cul_buf_add(&job->neighbours.nearest.text, text,
                memo.len - (size_t)(text - memo.data));
  }
  return rc;
}

void cul_neighbour_describe(struct cul_reduce *job) {
  cul_buf_clear(&job->neighbours.difference);
  if (job->neighbours.nearest.text.len)
    cul_difference_describe(cul_buf_bytes(&job->outcome.text),
                            cul_buf_bytes(&job->neighbours.nearest.text),
                            &job->neighbours.difference);
}
