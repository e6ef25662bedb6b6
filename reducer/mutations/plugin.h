/* The C ABI of --mutation FILE.so: a shared object with an edit of its own, for
 * texts of a language that culprit does not know well.
 *
 * A source file ends in
 *     CUL_MUTATION_PLUGIN("drop-foo", "erase foo statements", sites, apply);
 * and is built with `cc -shared -fPIC`.  It needs only this header, and exports
 * only the struct below.
 *
 * Both functions run in a worker.  If apply() crashes or hangs, one candidate
 * ends; if sites() does, it is not called again. */
#ifndef CUL_REDUCER_MUTATIONS_PLUGIN_H
#define CUL_REDUCER_MUTATIONS_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* Incremented when a struct below, or the contract of a function, changes. */
#define CUL_MUTATION_ABI 1

/* The place of one edit: bytes [start, end) of the text.  Places may overlap.
 */
struct cul_mutation_place {
  uint32_t start, end;
};

/* Add a place; a place that is not within the text is ignored. */
typedef void cul_mutation_add_fn(void *to, struct cul_mutation_place place);
/* Append bytes to the edited text. */
typedef void cul_mutation_write_fn(void *to, const char *bytes, size_t len);

struct cul_mutation_plugin {
  uint32_t size;              /* of this struct */
  uint32_t abi;               /* CUL_MUTATION_ABI */
  const char *name, *summary; /* lower-case letters, digits, "-", at most 47; a
                                 line of at most 119 bytes */
  /* Call add(to, ...) for each place of the edit, in the order of the text.
   * text: len bytes and a '\0', borrowed for the call.  Return 0; any other
   * value means that the text has no place. */
  int (*sites)(const char *text, size_t len, cul_mutation_add_fn *add,
               void *to);
  /* Write the whole text with write(to, ...), edited at n of the listed places,
   * which are given in their order.  text is the one for which they were
   * listed.  The edited text need not be valid: the oracle judges it.  Return
   * 0; any other value means that no edit was made. */
  int (*apply)(const char *text, size_t len,
               const struct cul_mutation_place *places, size_t n,
               cul_mutation_write_fn *write, void *to);
};

#define CUL_MUTATION_PLUGIN_SYMBOL "culprit_mutation"

#define CUL_MUTATION_PLUGIN(its_name, its_summary, its_sites, its_apply)       \
  extern const struct cul_mutation_plugin culprit_mutation;                    \
  const struct cul_mutation_plugin culprit_mutation = {                        \
      .size = sizeof(struct cul_mutation_plugin),                              \
      .abi = CUL_MUTATION_ABI,                                                 \
      .name = its_name,                                                        \
      .summary = its_summary,                                                  \
      .sites = its_sites,                                                      \
      .apply = its_apply}

#endif
