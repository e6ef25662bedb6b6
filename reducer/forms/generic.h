/* Let a tool print the generic form of the input. */
#ifndef CUL_REDUCER_FORMS_GENERIC_H
#define CUL_REDUCER_FORMS_GENERIC_H

#include "../../probe/target/target.h"
#include "../../systems/systems.h"

/* The answer of a tool. */
struct cul_generic_asked {
  struct cul_buf text; /* the module in generic form, with its resources */
  char *read;          /* the file from which the tool printed it; heap */
  int rc;              /* 0: it printed something; else err */
  struct cul_err err;  /* the reason in the tool's words */
};
/* Run argv on the input, with "@@" for its file, for at most wall_ms.  out:
 * {0}; release it. */
void cul_generic_ask(struct cul_target *target, const char *const *argv,
                     uint64_t wall_ms, struct cul_generic_asked *out);
void cul_generic_asked_release(struct cul_generic_asked *asked);

/* The tool under test as its first run identified it.  Borrows from target and
 * from dir, which is cul_program_dir(). */
struct cul_system_tool cul_generic_tool(const struct cul_target *target,
                                        const char *dir);

#endif
