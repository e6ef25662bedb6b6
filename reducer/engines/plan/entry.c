/* The entry function: see entry.h. */
#include "entry.h"

#include <stdlib.h>
#include <string.h>

static char *symbol_of(MlirOperation op) {
  MlirAttribute name =
      mlirOperationGetAttributeByName(op, cul_ir_str("sym_name"));
  MlirStringRef text;
  if (!name.ptr || !mlirAttributeIsAString(name))
    return NULL;
  text = mlirStringAttrGetValue(name);
  return cul_xstrndup(text.data, text.length);
}

static bool is_callable(MlirOperation op) {
  MlirRegion body;
  if (!cul_ir_str_is(mlirIdentifierStr(mlirOperationGetName(op)), "func.func"))
    return false;
  body = mlirOperationGetRegion(op, 0);
  return mlirRegionGetFirstBlock(body).ptr != NULL;
}

/* The preference for calling the function; 0: not at all.  Only the function
 * `asked` for if that is set; else @main before public before private
 * functions. */
static int rank_of(MlirOperation op, const char *name, const char *asked) {
  MlirAttribute visibility =
      mlirOperationGetAttributeByName(op, cul_ir_str("sym_visibility"));
  if (asked)
    return strcmp(name, asked) == 0 ? 3 : 0;
  return strcmp(name, "main") == 0 ? 3 : visibility.ptr ? 1 : 2;
}

MlirOperation cul_entry_find(struct cul_ir *ir, const char *asked, char **name,
                             struct cul_err *err) {
  MlirOperation best = {NULL};
  int best_rank = 0;
  MlirBlock body = mlirModuleGetBody(ir->module);
  CUL_IR_EACH_OP(op, body) {
    char *own = is_callable(op) ? symbol_of(op) : NULL;
    int rank = own ? rank_of(op, own, asked) : 0;
    if (rank > best_rank) {
      best = op, best_rank = rank;
      free(*name);
      *name = own;
    } else {
      free(own);
    }
  }
  if (!best.ptr)
    cul_fail(err, CUL_EUSAGE, "name one with --entry",
             "the module has no function%s%s to call", asked ? " " : "",
             asked ? asked : "");
  return best;
}
