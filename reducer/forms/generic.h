/* Asking a tool for the generic form of the input. */
#ifndef CUL_REDUCER_FORMS_GENERIC_H
#define CUL_REDUCER_FORMS_GENERIC_H

#include "../../probe/target/target.h"
#include "../../systems/systems.h"

/* What a tool said. */
struct cul_generic_asked {
  struct cul_buf text; /* the module in generic form, resources and all */
  char *read;          /* the file that it was printed from */
  int rc;              /* 0: it printed something */
  struct cul_err err;  /* else why not, in its own words */
};
/* Run argv on the input, "@@" in it is the file, for wall_ms at most.  out:
 * {0}; release it. */
void cul_generic_ask(struct cul_target *target, const char *const *argv,
                     uint64_t wall_ms, struct cul_generic_asked *out);
void cul_generic_asked_release(struct cul_generic_asked *asked);

/* The tool as its first run showed it; borrows from target and from dir, which
 * is cul_program_dir(). */
struct cul_system_tool cul_generic_tool(const struct cul_target *target,
                                        const char *dir);

#endif
