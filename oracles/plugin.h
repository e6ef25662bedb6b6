/* The C ABI of --oracle FILE.so: a shared object that brings its own oracle.
 *
 * It is written as the oracles here are (oracle.h), ends in
 *     CUL_ORACLE_PLUGIN(my_oracle);
 * and is built with `cc -shared -fPIC`, unlinked: the functions of oracle.h,
 * settle.h, signature.h and base/ are culprit's own.  It lives as long as
 * the process.  A call that crashes, that gives back what makes no sense, or
 * that has not returned after the conf's timeout_ms (--timeout; 60 s; SIGALRM
 * and ITIMER_REAL are culprit's meanwhile) ends the job with an error (EENV)
 * that names the plugin.  The struct below is the only symbol looked for. */
#ifndef CUL_ORACLES_PLUGIN_H
#define CUL_ORACLES_PLUGIN_H

#include "../base/err.h"
#include "oracle.h"
#include <stdint.h>

/* The sizes come first: a plugin compiled against other headers is refused
 * before anything else of it is read. */
struct cul_oracle_plugin {
  uint32_t size; /* of this struct */
  uint32_t abi;  /* CUL_ORACLE_ABI */
  uint32_t oracle_size, conf_size, record_size, verdict_size, wants_size;
  const struct cul_oracle *oracle;
};

#define CUL_ORACLE_PLUGIN(descriptor)                                          \
  extern const struct cul_oracle_plugin culprit_oracle;                        \
  const struct cul_oracle_plugin culprit_oracle = {                            \
      .size = sizeof(struct cul_oracle_plugin),                                \
      .abi = CUL_ORACLE_ABI,                                                   \
      .oracle_size = sizeof(struct cul_oracle),                                \
      .conf_size = sizeof(struct cul_oracle_conf),                             \
      .record_size = sizeof(struct cul_record),                                \
      .verdict_size = sizeof(struct cul_verdict),                              \
      .wants_size = sizeof(struct cul_wants),                                  \
      .oracle = &(descriptor)}

/* body(what), and returns 0; or the signal that it died of, SIGALRM where it
 * has not returned after wall_ms milliseconds (0: no limit): it was left in the
 * middle, and what it worked on is not to be touched again.  The deadly signals
 * are caught meanwhile, on a stack of their own: an endless recursion counts,
 * too. */
int cul_plugin_call(void (*body)(void *what), void *what, uint64_t wall_ms);

#endif
