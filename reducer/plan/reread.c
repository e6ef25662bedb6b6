/* See reread.h. */
#include "reread.h"

#include <stdlib.h>
#include <string.h>

#include "../job/output.h"
#include "../job/watch.h"

/* A search in one form. */
struct aside {
  struct cul_chosen_form form;
  struct cul_edit_space space;
  struct cul_statistics *statistics;
  size_t n_mutations;
  struct cul_neighbours neighbours;
  struct cul_trail trail;
  struct cul_pieces written; /* its result */
  struct cul_buf last;       /* cul_reduce_log.last */
  bool is_large;
  size_t n_steps;
  bool origins; /* cul_reduce_losses.origins */
  bool quotes;  /* cul_oracle_conf.quotes */
};

/* May the result be read in another form?  Not if it was read so before, nor
 * for a hang: what prints the generic form would hang, too, and provisional
 * answers are proven by their texts, which would be in two forms. */
static bool may_reread(const struct cul_reduce *job) {
  const struct cul_reduce_subject *subject = &job->subject;
  return subject->form.form >= CUL_FORM_MLIR_TEXT && !job->conf->form.forced &&
         !job->conf->extract && !job->target.probe.deadline.provisional &&
         cul_pieces_len(&job->output.written) > 0 &&
         !cul_digest_equal(&subject->reread.at, &subject->space.best.digest);
}

/* Find the first form whose identity candidate of the result fails the same.
 * out: {0}; release it.  *found: there is one. */
static int find_form(struct cul_reduce *job, struct cul_chosen_form *out,
                     bool *found, struct cul_err *err) {
  struct cul_form_conf conf = job->conf->form;
  struct cul_err refused = {0};
  bool quotes = job->target.oracle_conf.quotes;
  int rc;
  conf.again = cul_pieces_flat(&job->output.written);
  conf.below = job->subject.form.form;
  job->subject.reread.at = job->subject.space.best.digest;
  rc = cul_form_choose(&job->subject.workers, &job->target, &conf, out,
                       &refused);
  job->target.oracle_conf.quotes = quotes;
  *found = rc == 0;
  if (rc == 0 || rc == CUL_EUSAGE || rc == CUL_ECHILD)
    return 0;
  *err = refused;
  return rc;
}

static const char *reread_as(enum cul_form form) {
  static const char *const words[CUL_N_FORMS] = {
      "reread-as-native", "reread-as-native-generic", "reread-as-llvm",
      "reread-as-opaque", "reread-as-mlir-text",      "reread-as-text"};
  return words[form];
}

/* The mutations of another form are numbered otherwise, and what the driver
 * learnt is of them. */
static void begin_form(struct cul_reduce *job) {
  job->target.probe.best_ops = job->subject.space.best.size.ops;
  job->driver.statistics = job->subject.statistics;
  if (job->conf->wishes)
    job->conf->wishes->skip = 0;
  cul_driver_release(&job->driver);
  cul_reduce_name_points(job);
}

static void put_aside(struct cul_reduce *job, struct aside *aside) {
  struct cul_reduce_subject *subject = &job->subject;
  *aside = (struct aside){.form = subject->form,
                          .space = subject->space,
                          .statistics = subject->statistics,
                          .n_mutations = subject->n_mutations,
                          .neighbours = job->neighbours,
                          .trail = job->trail,
                          .written = job->output.written,
                          .is_large = job->log.is_large,
                          .n_steps = job->log.n_steps,
                          .origins = subject->losses.origins,
                          .quotes = job->target.oracle_conf.quotes};
  cul_buf_add(&aside->last, job->log.last.data, job->log.last.len);
  job->neighbours = (struct cul_neighbours){0};
  job->trail = (struct cul_trail){0};
}

/* Put the search aside, and make the result in the other form the revision.
 * The output keeps the result until there is a smaller one. */
static int begin_reread(struct cul_reduce *job, struct cul_chosen_form *found,
                        struct aside *aside, struct cul_err *err) {
  struct cul_reduce_subject *subject = &job->subject;
  struct cul_edit_space *space = &subject->space;
  uint64_t kept = space->kept;
  int rc;
  put_aside(job, aside);
  subject->form = *found;
  *found = (struct cul_chosen_form){0};
  job->output.written = subject->form.text;
  subject->form.text = (struct cul_pieces){0};
  cul_edit_space_init(space, &job->target, subject->form.worker,
                      &subject->form.digest);
  subject->form.worker = NULL;
  space->output = job->output.path;
  space->written = &job->output.written;
  space->kept = cul_pieces_len(&aside->written);
  if (kept && kept < space->kept)
    space->kept = kept;
  if (subject->form.form == CUL_FORM_OPAQUE && !subject->vendor)
    subject->vendor = cul_vendor_new(&job->target, job->conf->form.opt_tool);
  if (subject->form.form == CUL_FORM_OPAQUE)
    space->vendor = subject->vendor;
  job->target.oracle_conf.quotes =
      job->target.oracle_conf.match && subject->form.form > CUL_FORM_OPAQUE;
  subject->losses.origins = true;
  subject->reread.on = true;
  subject->reread.size = space->best.size;
  rc = cul_reduce_watch(job, err);
  begin_form(job);
  if (rc == 0)
    rc = cul_reduce_write_output(job, cul_pieces_flat(&job->output.written),
                                 err);
  cul_reduce_jumped(job, reread_as(subject->form.form));
  return rc;
}

/* Add what another search did to the statistics of mutations: of the present
 * form, or else to the others. */
static void add_statistics(struct cul_reduce_subject *subject,
                           const struct cul_statistics *others, size_t n) {
  struct cul_reduce_reread *reread = &subject->reread;
  for (size_t i = 0; i < n; i++) {
    struct cul_statistics *to = NULL;
    for (size_t k = 0; k < subject->n_mutations + reread->n_mutations; k++) {
      struct cul_statistics *known =
          k < subject->n_mutations
              ? &subject->statistics[k]
              : &reread->statistics[k - subject->n_mutations];
      if (!to && strcmp(known->name, others[i].name) == 0)
        to = known;
    }
    if (!to) {
      reread->statistics =
          cul_xreallocarray(reread->statistics, reread->n_mutations + 1,
                            sizeof *reread->statistics);
      reread->statistics[reread->n_mutations++] = others[i];
      continue;
    }
    to->sites += others[i].sites;
    to->tried += others[i].tried;
    to->invalid += others[i].invalid;
    to->accepted += others[i].accepted;
    to->ops_removed += others[i].ops_removed;
    to->skipped += others[i].skipped;
  }
}

/* End the present search, and go on with the one that was put aside. */
static void go_back(struct cul_reduce *job, const struct aside *aside) {
  struct cul_reduce_subject *subject = &job->subject;
  CUL_HEAP struct cul_statistics *others = subject->statistics;
  struct cul_reduce_log *log = &job->log;
  size_t n = subject->n_mutations;
  cul_edit_space_release(&subject->space);
  cul_chosen_form_release(&subject->form);
  cul_neighbours_release(&job->neighbours);
  cul_trail_cut(&job->trail, 0);
  cul_pieces_release(&job->output.written);
  cul_buf_release(&log->last);
  while (log->n_steps > aside->n_steps)
    json_decref(log->steps[--log->n_steps].json);
  subject->form = aside->form;
  subject->space = aside->space;
  subject->losses.origins = aside->origins;
  subject->statistics = aside->statistics;
  subject->n_mutations = aside->n_mutations;
  add_statistics(subject, others, n);
  job->neighbours = aside->neighbours;
  job->trail = aside->trail;
  job->output.written = aside->written;
  log->last = aside->last;
  log->is_large = aside->is_large;
  job->target.oracle_conf.quotes = aside->quotes;
  begin_form(job);
}

static void drop_aside(struct cul_reduce *job, struct aside *aside) {
  add_statistics(&job->subject, aside->statistics, aside->n_mutations);
  free(aside->statistics);
  cul_edit_space_release(&aside->space);
  cul_chosen_form_release(&aside->form);
  cul_neighbours_release(&aside->neighbours);
  cul_trail_cut(&aside->trail, 0);
  cul_pieces_release(&aside->written);
  cul_buf_release(&aside->last);
}

/* Keep the result of the present search if it has fewer bytes than that. */
static bool settle(struct cul_reduce *job, struct aside *aside, uint64_t than) {
  bool smaller = cul_pieces_len(&job->output.written) < than;
  job->subject.space.kept = aside->space.kept;
  if (smaller)
    drop_aside(job, aside);
  else
    go_back(job, aside);
  return smaller;
}

/* Generic text is longer than what people write: take that if it makes the
 * result smaller than the text, and fails the same. */
static int print_shorter(struct cul_reduce *job, uint64_t than,
                         struct cul_err *err) {
  struct cul_reading how = cul_form_reading(&job->subject.form);
  CUL_OWNED(cul_chosen_form) pretty = {0};
  CUL_OWNED(cul_judged) judged = {0};
  struct cul_size *size = &job->subject.space.best.size;
  struct cul_err unread = {0};
  int rc;
  if ((how.form != CUL_FORM_GENERIC && how.form != CUL_FORM_OPAQUE) ||
      cul_pieces_len(&job->output.written) < than)
    return 0;
  how.form = CUL_FORM_NATIVE;
  how.check = true;
  if (cul_form_identity(&job->subject.workers, how,
                        cul_pieces_flat(&job->output.written), &pretty,
                        &unread) < 0 ||
      pretty.size.bytes >= than)
    return 0;
  rc = cul_target_judge(&job->target, cul_pieces_flat(&pretty.text), false,
                        &judged, err);
  if (rc < 0 || judged.verdict.answer != CUL_SAME)
    return rc;
  size->bytes = pretty.size.bytes;
  size->lines = pretty.size.lines;
  return cul_reduce_write_output(job, cul_pieces_flat(&pretty.text), err);
}

/* Edit what the parser printed as the text that the input was. */
static int polish(struct cul_reduce *job, struct cul_reading how,
                  cul_search_form *search, struct cul_err *err) {
  CUL_OWNED(cul_chosen_form) found = {0};
  struct cul_err unread = {0};
  struct aside aside;
  int rc =
      cul_form_identity(&job->subject.workers, how,
                        cul_pieces_flat(&job->output.written), &found, &unread);
  if (rc == CUL_EUSAGE || rc == CUL_ECHILD)
    return 0;
  if (rc < 0) {
    *err = unread;
    return rc;
  }
  rc = begin_reread(job, &found, &aside, err);
  if (rc == 0)
    rc = search(job, err);
  settle(job, &aside, cul_pieces_len(&aside.written));
  return rc;
}

/* The bytes of the result of the search as text, once it is finished: MLIR is
 * printed as its parser does where that fails the same (finish/finish.c), which
 * the other form has shown then. */
static uint64_t finished(const struct cul_reduce *job,
                         const struct cul_chosen_form *found) {
  bool printed = job->subject.form.form == CUL_FORM_MLIR_TEXT &&
                 found->form == CUL_FORM_NATIVE && found->check;
  return cul_pieces_len(printed ? &found->text : &job->output.written);
}

int cul_reread(struct cul_reduce *job, cul_search_form *search,
               enum cul_reread *end, struct cul_err *err) {
  struct cul_reduce_reread *reread = &job->subject.reread;
  CUL_OWNED(cul_chosen_form) found = {0};
  struct cul_reading how = cul_form_reading(&job->subject.form);
  struct cul_size size;
  struct aside aside;
  bool is_found = false, smaller;
  uint64_t than;
  int rc = may_reread(job) ? find_form(job, &found, &is_found, err) : 0;
  *end = CUL_REREAD_NONE;
  if (rc < 0 || !is_found)
    return rc;
  than = finished(job, &found);
  if (!reread->kept)
    reread->from = how.form;
  reread->as = found.form;
  size = found.size;
  rc = begin_reread(job, &found, &aside, err);
  if (rc == 0)
    rc = search(job, err);
  if (rc == 0)
    rc = print_shorter(job, than, err);
  if (rc == 0 && how.form == CUL_FORM_TEXT &&
      cul_size_less(&job->subject.space.best.size, &size))
    rc = polish(job, how, search, err);
  smaller = settle(job, &aside, than);
  *end = smaller ? CUL_REREAD_SMALLER : CUL_REREAD_BACK;
  reread->kept |= smaller;
  reread->on = reread->kept;
  cul_reduce_name_points(job);
  return rc;
}
