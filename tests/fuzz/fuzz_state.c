/* A signature in triage's database, as another version or a hand left it: any
 * JSON.  What is read of it is written and read again as the same. */
#include "../../triage/key.h"
#include "fuzz.h"

static void check_again(const struct cul_signature *sig) {
  struct cul_signature again;
  struct cul_keys keys[2];
  json_t *json = cul_signature_json(sig);
  fuzz_demand(cul_signature_parse(json, &again), "what was written is none");
  cul_keys_of(sig, "own", false, &keys[0]);
  cul_keys_of(&again, "own", false, &keys[1]);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(keys[0].level); i++)
    fuzz_demand(cul_digest_equal(&keys[0].level[i], &keys[1].level[i]),
                "another key");
  json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  json_error_t why;
  json_t *json = json_loadb((const char *)data, size, 0, &why);
  struct cul_signature sig, clean;
  if (cul_signature_parse(json, &sig)) {
    /* What does not fit is cut, and may be cut in a character. */
    json_t *once = cul_signature_json(&sig);
    fuzz_demand(cul_signature_parse(once, &clean), "what was written is none");
    check_again(&clean);
    json_decref(once);
  }
  json_decref(json);
  return 0;
}
