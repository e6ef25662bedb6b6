/* Choose the form of the subject: the first whose identity candidate (the input
 * parsed and printed again without an edit) shows the same failure. */
#ifndef CUL_REDUCER_FORMS_FORMS_H
#define CUL_REDUCER_FORMS_FORMS_H

#include "../../probe/target/target.h"
#include "../worker/worker.h"

struct cul_form_conf {
  bool forced;        /* --form */
  enum cul_form form; /* the form to use if forced */
  /* --opt-tool 'CMD @@'; NULL: use the tools that culprit knows */
  const char *opt_tool;
  /* run the trivial subjects in parallel with the identity candidate, because
   * the job needs them next */
  bool with_trivial;
  /* a result of the job, which is read again in place of the input; only forms
   * before `below` are tried, and only by its identity candidate, which teaches
   * nothing about the failure.  {NULL, 0}: the input, and all forms */
  struct cul_bytes again;
  enum cul_form below;
};

/* A subject ready to be reduced. */
struct cul_chosen_form {
  enum cul_form form;
  bool check;       /* candidates are verified before they run */
  uint8_t language; /* see struct cul_reading */
  /* candidates are printed with locations: without them, not even the identity
   * candidate shows the failure */
  bool located;
  struct cul_worker *worker;
  /* the identity candidate; it may borrow from cul_workers.input */
  struct cul_pieces text;
  struct cul_digest digest; /* of text */
  struct cul_size size;
  /* heap; the file that an opt tool printed in generic form; NULL: the input
   * itself was parsed */
  char *read;
  /* heap; why an opt tool did not print it; NULL: it did, or none was run */
  char *unprinted;
  struct cul_buf tried; /* one line "FORM: WHY" per form that was refused */
  /* heap; the last of these lines for a form that parsed the input, but whose
   * candidate did not show the failure; or NULL */
  char *unlike;
};

/* The form to try first for this input.  text: the bytes of the input, so that
 * a text that no MLIR parser accepts needs no worker for one; empty: judge by
 * the name alone. */
enum cul_form cul_form_first(const struct cul_form_conf *conf,
                             const char *input, struct cul_bytes text);
/* Choose a form for a target that was classified as SAME.  On success
 * out->worker is open.  Unless another form is forced, or conf->again is read,
 * form text always works.  Errors: EUSAGE (no such form works, with the
 * reason), EBUDGET, EENV, EINTR. */
CUL_MUST_CHECK int cul_form_choose(struct cul_workers *workers,
                                   struct cul_target *target,
                                   const struct cul_form_conf *conf,
                                   struct cul_chosen_form *out,
                                   struct cul_err *err);
/* The most telling line "FORM: WHY" about an input that no MLIR parser
 * accepts.  Empty if one does, and for input that is not MLIR by its name
 * (".mlir") nor by the form chosen.  Borrowed from chosen. */
struct cul_bytes cul_form_refusal(const struct cul_chosen_form *chosen,
                                  const char *input);
/* Append one line: the reason why no tool printed the generic form, and advice.
 * False: nothing was appended. */
bool cul_form_advice(const struct cul_chosen_form *chosen,
                     const struct cul_form_conf *conf, struct cul_buf *out);
/* Free everything; a worker that was taken over must have been set to NULL. */
void cul_chosen_form_release(struct cul_chosen_form *chosen);

/* The command that prints the generic form of "@@": `typed`, else the one known
 * for the tool.  Caller frees (one block); NULL: none is known. */
char **cul_form_opt_tool(const struct cul_target *target, const char *typed);

/* Write text into a file, and run such a command on it for at most wall_ms.
 * record: {0}; filled; release it.  *path: the name of that file, heap; path
 * may be NULL.  Errors: those of a run. */
CUL_MUST_CHECK int cul_form_print(struct cul_target *target,
                                  const char *const *argv,
                                  struct cul_bytes text, uint64_t wall_ms,
                                  struct cul_record *record, char **path,
                                  struct cul_err *err);

/* How the job's candidates are read and written. */
struct cul_reading cul_form_reading(const struct cul_chosen_form *chosen);

/* Open the input in a worker and print it unedited: the identity candidate.
 * The language of a text is guessed, not taken from `how`.  On success
 * out->worker is open, and form, check, located, language, text, digest and
 * size are filled.  Errors: EUSAGE (it is not parsed, or does not verify),
 * ECHILD, ELOST after several attempts, EENV, EINTR. */
CUL_MUST_CHECK int cul_form_identity(struct cul_workers *workers,
                                     struct cul_reading how,
                                     struct cul_bytes input,
                                     struct cul_chosen_form *out,
                                     struct cul_err *err);

#endif
