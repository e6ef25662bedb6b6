/* Other failures met on the way: see leads.h. */
#include "leads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "watch.h"

static struct cul_lead *find_lead(struct cul_reduce *job,
                                  const struct cul_signature *sig) {
  for (size_t i = 0; i < job->n_leads; i++)
    if (cul_signature_same(&job->leads[i].sig, sig, NULL, 0))
      return &job->leads[i];
  return NULL;
}

static void remove_file(char *file) {
  if (file)
    unlink(file);
  free(file);
}

/* Heap; NULL where there is none. */
static char *keep_file(struct cul_reduce *job, int slot) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  char *file = NULL;
  if (cul_reduce_candidate(job, slot, &text)) {
    file = cul_xasprintf("%s/lead%02zu", job->target.dir, job->n_lead_files++);
    if (cul_held_put(&job->target.place.held, file, cul_buf_bytes(&text), 0600,
                     &err) < 0) {
      remove_file(file);
      file = NULL;
    }
  }
  cul_buf_release(&text);
  return file;
}

void cul_leads_wait(struct cul_reduce *job, int slot, uint64_t ticket,
                    const struct cul_signature *sig) {
  struct cul_waiting_lead waiting = {.ticket = ticket};
  if (sig->kind == CUL_KIND_NONE)
    return;
  waiting.lead.sig = *sig;
  if (!find_lead(job, sig)) {
    if (job->n_leads == CUL_MAX_LEADS)
      return;
    waiting.lead.file = keep_file(job, slot);
    if (!waiting.lead.file)
      return;
  }
  job->waiting_leads = cul_xreallocarray(
      job->waiting_leads, job->n_waiting_leads + 1, sizeof *job->waiting_leads);
  job->waiting_leads[job->n_waiting_leads++] = waiting;
}

static void count(struct cul_reduce *job, struct cul_lead *met) {
  struct cul_lead *lead = find_lead(job, &met->sig);
  if (!lead && met->file && job->n_leads < CUL_MAX_LEADS) {
    lead = &job->leads[job->n_leads++];
    *lead = *met;
    met->file = NULL;
  }
  if (lead)
    lead->met++;
}

void cul_leads_learnt(struct cul_reduce *job, uint64_t ticket) {
  for (size_t i = 0; i < job->n_waiting_leads; i++) {
    struct cul_waiting_lead *waiting = &job->waiting_leads[i];
    if (waiting->ticket != ticket)
      continue;
    count(job, &waiting->lead);
    remove_file(waiting->lead.file);
    *waiting = job->waiting_leads[--job->n_waiting_leads];
    return;
  }
}

void cul_leads_forget(struct cul_reduce *job) {
  for (size_t i = 0; i < job->n_waiting_leads; i++)
    remove_file(job->waiting_leads[i].lead.file);
  job->n_waiting_leads = 0;
}

void cul_leads_drop(struct cul_reduce *job, size_t i) {
  struct cul_lead *lead = &job->leads[i];
  free(lead->file);
  job->n_leads--;
  memmove(lead, lead + 1, (job->n_leads - i) * sizeof *lead);
}

void cul_leads_release(struct cul_reduce *job) {
  cul_leads_forget(job);
  free(job->waiting_leads);
  for (size_t i = 0; i < job->n_leads; i++)
    free(job->leads[i].file);
}
