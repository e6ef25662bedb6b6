/* The flow of a module: see divergence_flow.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "divergence_run.h"

static char *field(const char **at, char end) {
  size_t n = strcspn(*at, (const char[]){end, '\n', '\0'});
  char *out = cul_xstrndup(*at, n);
  *at += n + ((*at)[n] == end);
  return out;
}

/* Read a location, heap.  The engine's parser calls the file "-": replace that
 * by the input's name. */
static char *take_location(struct cul_divergence_job *job, const char **at) {
  char *raw = field(at, '\t'), *out, *hit = strstr(raw, "\"-\"");
  if (!hit)
    return raw;
  if (hit == raw && !strchr(raw + 3, '"'))
    out = cul_xasprintf("%s%s", job->conf->target.input, raw + 3);
  else
    out = cul_xasprintf("%.*s\"%s\"%s", (int)(hit - raw), raw,
                        job->conf->target.input, hit + 3);
  free(raw);
  return out;
}

void cul_divergence_read_op(struct cul_divergence_job *job, const char *at,
                            struct cul_flow_op *out) {
  out->name = field(&at, '\t');
  out->location = take_location(job, &at);
  out->text = field(&at, '\n');
}

static void read_line(struct cul_divergence_job *job, const char *at) {
  unsigned op, end, inside;
  unsigned long long elements;
  int skip = 0;
  job->fresh |= strncmp(at, "fresh\n", 6) == 0;
  job->shared |= strncmp(at, "shared\n", 7) == 0;
  if (sscanf(at, "op %*u %u %n", &inside, &skip) == 1) {
    struct cul_flow_op *new;
    job->ops = cul_xreallocarray(job->ops, job->n_ops + 1, sizeof *job->ops);
    new = &job->ops[job->n_ops++];
    *new = (struct cul_flow_op){.inside = inside};
    cul_divergence_read_op(job, at + skip, new);
  } else if (sscanf(at, "stop %u %n", &op, &skip) == 1 && op < job->n_ops) {
    at += skip;
    free(job->ops[op].stop);
    job->ops[op].stop = field(&at, '\n');
  } else if (sscanf(at, "value %*u %u %u %llu %n", &op, &end, &elements,
                    &skip) == 3) {
    job->values =
        cul_xreallocarray(job->values, job->n_values + 1, sizeof *job->values);
    at += skip;
    job->values[job->n_values++] =
        (struct cul_flow_item){op, end, elements, field(&at, '\n')};
  }
}

int cul_divergence_read_flow(struct cul_divergence_job *job,
                             struct cul_err *err) {
  static const char *const words[] = {"--flow", NULL};
  cul_divergence_free_flow(job);
  return cul_divergence_list(job, words, read_line, err);
}

void cul_flow_op_release(struct cul_flow_op *op) {
  free(op->name);
  free(op->location);
  free(op->text);
  free(op->stop);
}

void cul_divergence_free_flow(struct cul_divergence_job *job) {
  for (size_t i = 0; i < job->n_ops; i++)
    cul_flow_op_release(&job->ops[i]);
  for (size_t i = 0; i < job->n_values; i++)
    free(job->values[i].type);
  free(job->ops);
  free(job->values);
  job->ops = NULL;
  job->values = NULL;
  job->n_ops = job->n_values = 0;
}
