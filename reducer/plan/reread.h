/* A search in another form.  An input that is edited as text may become one
 * that a parser accepts, once the text that it did not accept is gone.  Edits
 * of a module then remove more than edits of a text, and what is left goes back
 * to those of the text: a parser prints more than a tool needs.  Each search is
 * put aside while the next one works, and goes on where nothing smaller comes
 * of that. */
#ifndef CUL_REDUCER_PLAN_REREAD_H
#define CUL_REDUCER_PLAN_REREAD_H

#include "../job/job.h"

/* Search from the start in the form that the subject has now, until no edit
 * finds anything.  Errors: those of cul_reduce_search. */
typedef int cul_search_form(struct cul_reduce *job, struct cul_err *err);

/* How it ended. */
enum cul_reread {
  CUL_REREAD_NONE,   /* no other form fails the same */
  CUL_REREAD_BACK,   /* nothing smaller came of it: the search that was put
                        aside goes on */
  CUL_REREAD_SMALLER /* the result is that of the search in the other form */
};

/* Search in the first form, of those above the present one, in which the result
 * fails the same, and then as text again if the input was text.  *end is valid
 * also after an error, when the smaller result is kept.  Errors: those of the
 * search. */
CUL_MUST_CHECK int cul_reread(struct cul_reduce *job, cul_search_form *search,
                              enum cul_reread *end, struct cul_err *err);

#endif
