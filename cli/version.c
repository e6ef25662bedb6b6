/* The versions of culprit's parts, and of CUDA and HIP if found: see help.h. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "../base/visible.h"
#include "../reducer/engines/gpu/names.h"
#include "commit.h"
#include "help.h"

/* A driver or runtime, recognized by one library. */
struct stack {
  const char *name, *variable, *call;
  const char *const *libraries;
};

static void *open_one(const struct stack *stack, const char **which) {
  const char *given = getenv(stack->variable);
  void *library = NULL;
  *which = given;
  if (given)
    return dlopen(given, RTLD_LAZY | RTLD_LOCAL);
  for (size_t i = 0; !library && stack->libraries[i]; i++) {
    *which = stack->libraries[i];
    library = dlopen(*which, RTLD_LAZY | RTLD_LOCAL);
  }
  return library;
}

/* The version that the library reports; -1: none. */
static int version_of(void *library, const char *call) {
  int (*ask)(int *) = NULL;
  int version = -1;
  *(void **)&ask = dlsym(library, call);
  return ask && ask(&version) == 0 ? version : -1;
}

/* Append 12080 as "12.8", 60443484 as "6.4": CUDA's numbers have thousands,
 * HIP's ten millions. */
static void add_number(int version, struct cul_buf *out) {
  if (version >= 10000000)
    cul_buf_addf(out, ", version %d.%d", version / 10000000,
                 version / 100000 % 100);
  else if (version >= 0)
    cul_buf_addf(out, ", version %d.%d", version / 1000, version / 10 % 100);
}

static void add_library(const struct stack *stack, struct cul_buf *out) {
  const char *which = NULL;
  void *library = open_one(stack, &which);
  cul_buf_addf(out, "%-9s", stack->name);
  if (library) {
    cul_buf_adds(out, which);
    add_number(version_of(library, stack->call), out);
    dlclose(library);
  } else {
    cul_buf_addf(out, "no %s", which ? which : stack->libraries[0]);
  }
}

static void add_tool(const char *name, const char *const *dirs,
                     struct cul_buf *out) {
  char *path = NULL;
  cul_buf_addf(out, "; %s ", name);
  for (; *dirs && !path; dirs++) {
    path = cul_xasprintf("%s/bin/%s", *dirs, name);
    if (access(path, X_OK) != 0) {
      free(path);
      path = NULL;
    }
  }
  if (!path)
    path = cul_find_program(name);
  cul_buf_adds(out, path ? path : "not found");
  free(path);
}

/* Append the place where MLIR looks for a toolkit: the first variable that is
 * set, else the known places. */
static void add_toolkit(struct cul_buf *out) {
  static const char *const names[] = {CUL_CUDA_VARIABLES};
  char *own = cul_own_dir(CUL_CUDA_OWN);
  const char *dirs[3] = {own ? own : CUL_CUDA_PLACE, CUL_CUDA_PLACE, NULL};
  for (size_t i = 0; names[i]; i++)
    if (getenv(names[i]) && *getenv(names[i])) {
      dirs[0] = getenv(names[i]);
      dirs[1] = NULL;
      break;
    }
  add_tool("nvcc", dirs, out);
  add_tool("ptxas", dirs, out);
  free(own);
}

static void add_llvm(struct cul_buf *out) {
  char *prefix = cul_llvm_prefix(CULPRIT_LLVM_PREFIX);
  char *library = cul_xasprintf("%s/lib/%s", prefix, CULPRIT_LIBMLIR);
  cul_buf_addf(out, "MLIR:    %s, LLVM %s, in %s", CULPRIT_MLIR_VERSION,
               CULPRIT_LLVM_VERSION, prefix);
  if (access(library, R_OK) != 0)
    cul_buf_addf(out, " (no %s there)", CULPRIT_LIBMLIR);
  cul_buf_addc(out, '\n');
  free(library);
  free(prefix);
}

void cul_version(FILE *out) {
  static const char *const cuda_libraries[] = {CUL_CUDA_LIBRARIES};
  static const char *const hip_libraries[] = {CUL_HIP_LIBRARIES};
  const struct stack cuda = {"CUDA:", CUL_CUDA_VARIABLE, "cuDriverGetVersion",
                             cuda_libraries};
  const struct stack hip = {"HIP:", CUL_HIP_VARIABLE, "hipRuntimeGetVersion",
                            hip_libraries};
  struct cul_buf text = {0};
  cul_buf_addf(&text, "culprit %s%s\n", CULPRIT_VERSION, CULPRIT_COMMIT);
  add_llvm(&text);
  add_library(&cuda, &text);
  add_toolkit(&text);
  cul_buf_addc(&text, '\n');
  add_library(&hip, &text);
  cul_buf_addc(&text, '\n');
  cul_say_text(out, cul_buf_str(&text));
  cul_buf_release(&text);
}
