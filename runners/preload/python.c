/* Imports before the script: see python.h.  The interpreter is reached by the
 * functions that it has for extensions. */
#include "python.h"

#include <dlfcn.h>

/* As in CPython. */
typedef int ask_function(void);
typedef int ensure_function(void);
typedef void release_function(int);
typedef int run_function(const char *);

static void *find(const char *name) { return dlsym(RTLD_DEFAULT, name); }

bool cul_python_import(void) {
  ask_function *is_initialized;
  ensure_function *ensure;
  release_function *release;
  run_function *run;
  int state, rc;
  *(void **)&is_initialized = find("Py_IsInitialized");
  *(void **)&ensure = find("PyGILState_Ensure");
  *(void **)&release = find("PyGILState_Release");
  *(void **)&run = find("PyRun_SimpleString");
  if (!is_initialized || !ensure || !release || !run || !is_initialized())
    return true;
  state = ensure();
  rc = run((const char *)cul_python_scripts[0].data);
  release(state);
  return rc == 0;
}
