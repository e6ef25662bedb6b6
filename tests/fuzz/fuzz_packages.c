/* What pip and an index print, and what installed packages say of themselves.
 * Parts: a listing, a page of an index, a version, a file of a package, a list
 * as pip freeze prints it. */
#include "../../bisect/install/pip.h"
#include "../../bisect/packages/freeze.h"
#include "../../bisect/packages/provenance.h"
#include "fuzz.h"

static void read_listing(const char *text) {
  struct cul_pip_versions listed = {0};
  struct cul_pep440 one, next;
  cul_pip_read_listing(text, &listed);
  for (size_t i = 0; i + 1 < listed.n; i++) {
    fuzz_demand(cul_pep440_parse(listed.items[i], &one) &&
                    cul_pep440_parse(listed.items[i + 1], &next),
                "what is listed is no version");
    fuzz_demand(cul_pep440_compare(&one, &next) <= 0, "not in order");
    fuzz_demand(cul_pep440_compare(&next, &one) >= 0, "an order of one way");
  }
  cul_pip_versions_release(&listed);
}

static void read_list(const char *text) {
  struct cul_freeze_list list;
  struct cul_err err = {0};
  fuzz_demand_words(cul_freeze_read("list", text, &list, &err), &err);
  for (size_t i = 0; i < list.n; i++)
    fuzz_demand(list.entries[i].name && list.entries[i].text,
                "an entry without a name");
  cul_freeze_list_release(&list);
}

static void read_package(const char *text) {
  char *commit = cul_provenance_of_text(text);
  fuzz_demand(!commit || strlen(commit) == 40, "no commit of 40 digits");
  free(commit);
  commit = cul_provenance_of_version(text);
  fuzz_demand(!commit || (strlen(commit) >= 7 && strlen(commit) <= 40),
              "no commit of 7 to 40 digits");
  free(commit);
  free(cul_provenance_repository(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  char *parts[5];
  struct cul_pep440 version;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++) {
    struct cul_bytes part = fuzz_part(&in);
    parts[i] = cul_xstrndup(part.data, part.len);
  }
  read_listing(parts[0]);
  if (cul_pep440_parse(parts[2], &version))
    free(cul_pip_first_upload(parts[1], &version));
  read_package(parts[2]);
  read_package(parts[3]);
  read_list(parts[4]);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++)
    free(parts[i]);
  return 0;
}
