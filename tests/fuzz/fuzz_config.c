/* Settings files of others: whole entries, or an error that names the line. */
#include "../../base/options/config.h"
#include "fuzz.h"

struct seen {
  size_t line;
};

static int tell(void *self, const struct cul_config_entry *entry,
                struct cul_err *err) {
  struct seen *seen = self;
  (void)err;
  fuzz_demand(entry->line >= seen->line, "lines go backwards");
  fuzz_demand(*entry->section && *entry->key, "a name is empty");
  fuzz_demand(strcspn(entry->key, "= \t\n[]\"") == strlen(entry->key),
              "a key is no name");
  fuzz_demand(!entry->value || strlen(entry->value) < SIZE_MAX / 2,
              "a value has no end");
  seen->line = entry->line;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct seen seen = {0};
  struct cul_err err = {0};
  int rc = cul_config_read((struct cul_bytes){(const char *)data, size}, "f",
                           tell, &seen, &err);
  fuzz_demand_words(rc, &err);
  fuzz_demand(rc == 0 || strncmp(err.what, "f:", 2) == 0, "no line is named");
  return 0;
}
