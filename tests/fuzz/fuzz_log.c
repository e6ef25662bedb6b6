/* Any bytes are a log: its readers must survive them, and what they find has a
 * name with an extension, a command, and text or the reason why not. */
#include <stdint.h>
#include <string.h>

#include "../../systems/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what) {
  if (!holds)
    cul_bug("%s", what);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_log log;
  struct cul_log_repros repros;
  cul_log_read((struct cul_bytes){(const char *)data, size}, ".", &log);
  cul_log_find(&log, &repros);
  for (size_t i = 0; i < repros.n; i++) {
    const struct cul_log_repro *repro = &repros.items[i];
    check(strrchr(repro->name, '.') != NULL, "a name without an extension");
    check(repro->argv && repro->argv[0], "no command");
    check(repro->text.len || repro->fault, "neither text nor fault");
    check(repro->line >= 1 && repro->line <= log.n + 1, "no line of the log");
  }
  cul_log_repros_release(&repros);
  cul_log_release(&log);
  return 0;
}
