/* Which form the subject travels in: the first whose identity candidate
 * (parsed, printed, no edit) shows the same failure. */
#ifndef CUL_REDUCER_FORMS_FORMS_H
#define CUL_REDUCER_FORMS_FORMS_H

#include "../../probe/target/target.h"
#include "../worker/worker.h"

struct cul_form_conf {
  bool forced;          /* --form */
  enum cul_form form;   /* then this one */
  const char *opt_tool; /* --opt-tool 'CMD @@'; NULL = by what is known */
  bool with_trivial;    /* the job will ask for the trivial subjects next: they
                           are run beside the identity candidate */
};

/* A subject ready to be reduced. */
struct cul_chosen_form {
  enum cul_form form;
  bool check;       /* candidates are verified before they run */
  uint8_t language; /* of texts; see struct cul_reading */
  bool located; /* they keep their locations: without, the tool takes not even
                   the identity candidate */
  struct cul_worker *worker;
  struct cul_buf text;      /* the identity candidate */
  struct cul_digest digest; /* of text */
  struct cul_size size;
  char *read;      /* the file from which an opt tool printed what was opened;
                      NULL: the input itself was opened */
  char *unprinted; /* why an opt tool did not print it; NULL: it did, or there
                      is none */
  struct cul_buf tried; /* a line per form that was refused, with why */
  char *unlike; /* the last of these lines that is of a form that reads the
                   input, but whose text shows something else; or NULL */
};

/* The form that is tried first on this input. */
enum cul_form cul_form_first(const struct cul_form_conf *conf,
                             const char *input);

/* target is classified (SAME).  Errors: EUSAGE (a forced form does not work,
 * with the reason), EENV, EINTR.  Text always works unless another form is
 * forced. */
CUL_MUST_CHECK int cul_form_choose(struct cul_workers *workers,
                                   struct cul_target *target,
                                   const struct cul_form_conf *conf,
                                   struct cul_chosen_form *out,
                                   struct cul_err *err);
/* Why no parser of MLIR reads the input, in one line "FORM: WHY" that says
 * most; empty where one does, and of what does not look like MLIR: by its name
 * (".mlir"), or by the form that was chosen.  Borrowed from chosen. */
struct cul_bytes cul_form_refusal(const struct cul_chosen_form *chosen,
                                  const char *input);
/* Append why no tool printed the generic form, and what to do about it, in one
 * line; false: there is nothing to say. */
bool cul_form_advice(const struct cul_chosen_form *chosen,
                     const struct cul_form_conf *conf, struct cul_buf *out);
/* Frees all but the worker where it was taken (set to NULL). */
void cul_chosen_form_release(struct cul_chosen_form *chosen);

/* The command that prints the generic form of "@@": what was typed, else by
 * what is known of the tool.  Caller frees (one block); NULL: there is none. */
char **cul_form_opt_tool(const struct cul_target *target, const char *typed);

/* Run such a command on text, a file of its own, for at most wall_ms.  record:
 * zero; filled (release it).  path: where it stood (heap); or NULL.  Errors:
 * those of a run. */
CUL_MUST_CHECK int cul_form_print(struct cul_target *target,
                                  const char *const *argv,
                                  struct cul_bytes text, uint64_t wall_ms,
                                  struct cul_record *record, char **path,
                                  struct cul_err *err);

/* How the job's candidates are read and written. */
struct cul_reading cul_form_reading(const struct cul_chosen_form *chosen);

/* Open text and print it unedited: the identity candidate.  On success *worker
 * is open and text, digest, size are filled. */
CUL_MUST_CHECK int cul_form_identity(struct cul_workers *workers,
                                     struct cul_reading how,
                                     struct cul_bytes input,
                                     struct cul_chosen_form *out,
                                     struct cul_err *err);

#endif
