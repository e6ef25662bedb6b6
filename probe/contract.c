/* The contracts, and a script's argv under one of them: see contract.h. */
#include "contract.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/files/file.h"

#define CONTRACT(name) extern const struct cul_contract cul_contract_##name;
#include "list.h"
#undef CONTRACT

const struct cul_contract *const cul_contracts[] = {
#define CONTRACT(name) &cul_contract_##name,
#include "list.h"
#undef CONTRACT
    NULL,
};

/* All deliveries at once satisfy scripts of most reducers; only the sense
 * differs, and that shows on an empty subject. */
const struct cul_contract cul_contract_all = {
    .name = "all",
    .summary = "any of them: argument, standard input and name at once",
    .delivery = CUL_BY_ALL,
    .fresh = true};

const struct cul_contract cul_contract_bisect = {
    .name = "bisect",
    .summary = "git bisect run, with the candidate as argument",
    .delivery = CUL_BY_ARGUMENT,
    .alone = true,
    .shell = true,
    .sense = CUL_SENSE_BISECT};

const struct cul_contract cul_contract_circt = {.name = "circt",
                                                .summary =
                                                    "circt-reduce --test",
                                                .delivery = CUL_BY_ARGUMENT,
                                                .alone = true,
                                                .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_circt_must_fail = {
    .name = "circt-must-fail",
    .summary = "circt-reduce --test-must-fail",
    .delivery = CUL_BY_ARGUMENT,
    .alone = true,
    .sense = CUL_SENSE_NONZERO};

const struct cul_contract cul_contract_creduce = {.name = "creduce",
                                                  .summary = "C-Reduce",
                                                  .delivery = CUL_BY_NAME,
                                                  .fresh = true,
                                                  .shell = true,
                                                  .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_cvise = {
    .name = "cvise",
    .summary = "C-Vise, also its --commands",
    .delivery = CUL_BY_NAME,
    .fresh = true,
    .shell = true,
    .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_delta = {.name = "delta",
                                                .summary = "singledelta -test",
                                                .delivery = CUL_BY_ARGUMENT,
                                                .fresh = true,
                                                .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_halfempty = {.name = "halfempty",
                                                    .summary = "halfempty",
                                                    .delivery = CUL_BY_STDIN,
                                                    .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_hlo = {.name = "hlo",
                                              .summary = "hlo_bisect",
                                              .delivery = CUL_BY_ARGUMENT,
                                              .alone = true,
                                              .sense = CUL_SENSE_NONZERO};

const struct cul_contract cul_contract_iree = {.name = "iree",
                                               .summary = "iree-reduce",
                                               .delivery = CUL_BY_ARGUMENT,
                                               .alone = true,
                                               .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_llvm = {.name = "llvm",
                                               .summary = "llvm-reduce --test",
                                               .delivery = CUL_BY_ARGUMENT,
                                               .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_mlir = {
    .name = "mlir",
    .summary = "mlir-reduce, pass reduction-tree",
    .delivery = CUL_BY_ARGUMENT,
    .alone = true,
    .sense = CUL_SENSE_NONZERO};

const struct cul_contract cul_contract_perses = {.name = "perses",
                                                 .summary = "Perses",
                                                 .delivery = CUL_BY_NAME,
                                                 .fresh = true,
                                                 .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_picire = {.name = "picire",
                                                 .summary =
                                                     "Picire and Picireny",
                                                 .delivery = CUL_BY_ARGUMENT,
                                                 .fresh = true,
                                                 .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_polygraphy = {
    .name = "polygraphy",
    .summary = "polygraphy debug --check",
    .delivery = CUL_BY_LINK,
    .sense = CUL_SENSE_NONZERO,
    .file = "polygraphy_debug.onnx"};

const struct cul_contract cul_contract_shrinkray = {.name = "shrinkray",
                                                    .summary = "Shrink Ray",
                                                    .delivery = CUL_BY_ALL,
                                                    .fresh = true,
                                                    .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_spirv = {.name = "spirv",
                                                .summary = "spirv-reduce",
                                                .delivery = CUL_BY_ARGUMENT,
                                                .alone = true,
                                                .sense = CUL_SENSE_ZERO};

const struct cul_contract cul_contract_treereduce = {
    .name = "treereduce",
    .summary = "treereduce: standard input, or @@ behind \"--\"",
    .delivery = CUL_BY_STDIN,
    .sense = CUL_SENSE_ZERO};

int cul_contract_find(const char *name, const struct cul_contract **out,
                      struct cul_err *err) {
  struct cul_buf names = {0};
  int rc;
  for (size_t i = 0; cul_contracts[i]; i++) {
    if (strcmp(cul_contracts[i]->name, name ? name : "all") == 0) {
      *out = cul_contracts[i];
      cul_buf_release(&names);
      return 0;
    }
    cul_buf_addf(&names, "%s%s", i ? ", " : "one of ", cul_contracts[i]->name);
  }
  rc = cul_fail(err, CUL_EUSAGE, cul_buf_str(&names),
                "--contract: unknown contract \"%s\"", name);
  cul_buf_release(&names);
  return rc;
}

/* The script's full path, heap; NULL: there is no such file.  A name without a
 * slash may be a program on PATH, as after "--". */
static char *find_file(const char *script) {
  char *full = realpath(script, NULL);
  if (!full && !strchr(script, '/'))
    full = cul_find_program(script);
  return full;
}

static int check_file(const char *script, const char *full,
                      struct cul_err *err) {
  struct stat st;
  if (!full)
    return cul_fail(err, CUL_EUSAGE,
                    strchr(script, ' ') ? "give the program alone, and its "
                                          "words behind \"--\", where the "
                                          "candidate follows: --script sh -- "
                                          "test.sh"
                                        : "check the name of the script",
                    "cannot find script %s: %s", script, strerror(errno));
  if (stat(full, &st) == 0 && S_ISDIR(st.st_mode))
    return cul_fail(err, CUL_EUSAGE, "give the file inside it",
                    "script %s is a directory", script);
  if (access(full, X_OK) != 0)
    return cul_fail(err, CUL_EUSAGE,
                    "chmod +x it, and give it a first line "
                    "such as #!/bin/sh",
                    "script %s is not executable", script);
  return 0;
}

bool cul_contract_shares(const struct cul_contract *contract) {
  return contract && contract->delivery == CUL_BY_LINK;
}

int cul_contract_check_place(const struct cul_contract *contract,
                             struct cul_err *err) {
  struct stat st;
  if (!cul_contract_shares(contract) || lstat(contract->file, &st) != 0 ||
      (S_ISLNK(st.st_mode) && stat(contract->file, &st) != 0))
    return 0;
  return cul_fail(
      err, CUL_EUSAGE, "remove it, or start in another directory",
      "%s already exists: the script would find the candidate under this name",
      contract->file);
}

void cul_contract_clear_place(const struct cul_contract *contract,
                              const char *dir) {
  char leads_to[4096], *full = realpath(dir, NULL);
  ssize_t n = cul_contract_shares(contract)
                  ? readlink(contract->file, leads_to, sizeof leads_to - 1)
                  : -1;
  leads_to[n > 0 ? n : 0] = '\0';
  if (full && strncmp(leads_to, full, strlen(full)) == 0)
    unlink(contract->file);
  free(full);
}

int cul_contract_argv(const struct cul_contract *contract, const char *script,
                      const char *const *words, const char ***argv,
                      enum cul_delivery *delivery, struct cul_err *err) {
  char *full = find_file(script);
  bool string = !full && contract->shell;
  size_t n = 0, at = 0;
  int rc = string ? 0 : check_file(script, full, err);
  if (rc < 0) {
    free(full);
    return rc;
  }
  while (words && words[n])
    n++;
  *argv = cul_xcalloc(n + 5, sizeof **argv);
  (*argv)[at++] = string ? cul_xstrdup("/bin/sh") : full;
  if (string) {
    (*argv)[at++] = "-c";
    (*argv)[at++] = script;
    (*argv)[at++] = "sh";
  }
  for (size_t i = 0; i < n; i++)
    (*argv)[at++] = words[i];
  *delivery =
      cul_has_placeholder(*argv) ? CUL_BY_PLACEHOLDER : contract->delivery;
  return 0;
}

const char *cul_contract_string(const char *const *argv) {
  bool string = argv[1] && argv[2] && strcmp(argv[0], "/bin/sh") == 0 &&
                strcmp(argv[1], "-c") == 0;
  return string ? argv[2] : NULL;
}

void cul_contract_free(const char **argv) {
  if (argv)
    free((char *)argv[0]);
  free(argv);
}
