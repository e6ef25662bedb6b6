/* The C ABI of --oracle FILE.so: a shared object that brings its own oracle.
 *
 * A plugin is written like the oracles here (oracle.h), ends in
 *     CUL_ORACLE_PLUGIN(my_oracle);
 * and is built with `cc -shared -fPIC`, unlinked: culprit itself provides the
 * functions of oracle.h, settle.h, signature.h and base/.  The plugin stays
 * loaded until the process ends.  A call that crashes, returns invalid data, or
 * has not returned after the conf's timeout_ms (--timeout; default 60 s;
 * culprit uses SIGALRM and ITIMER_REAL meanwhile) ends the job with an error
 * (EENV) that names the plugin.  The struct below is the only symbol that
 * culprit looks up. */
#ifndef CUL_ORACLES_PLUGIN_H
#define CUL_ORACLES_PLUGIN_H

#include "../base/err.h"
#include "oracle.h"
#include <stdint.h>

/* The sizes come first, so that a plugin compiled against other headers is
 * refused before anything else is read. */
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

/* Call body(what) and return 0, or the fatal signal that it raised; SIGALRM if
 * it did not return within wall_ms milliseconds (0: no limit).  After a signal,
 * body was abandoned in the middle and its data must not be used again.  Fatal
 * signals are caught on a separate stack, so endless recursion is caught,
 * too. */
int cul_plugin_call(void (*body)(void *what), void *what, uint64_t wall_ms);

#endif
