/* The C ABI of --mutation FILE.so: a shared object that brings an edit of its
 * own, for texts of a language that culprit does not know well.
 *
 * It ends in
 *     CUL_MUTATION_PLUGIN("drop-foo", "erase what foo says", sites, apply);
 * and is built with `cc -shared -fPIC`.  It needs nothing of culprit but this
 * header, and the struct below is the only symbol looked for.
 *
 * Both functions run in a worker.  One that crashes or hangs in apply() ends
 * one candidate; one that does so in sites() is left alone from then on. */
#ifndef CUL_REDUCER_MUTATIONS_PLUGIN_H
#define CUL_REDUCER_MUTATIONS_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* Raised when a struct below, or what a function is to do, changes. */
#define CUL_MUTATION_ABI 1

/* A place that one edit is about: bytes [start, end) of the text.  Places may
 * overlap. */
struct cul_mutation_place {
  uint32_t start, end;
};

/* Takes a place; one that is not within the text is passed over. */
typedef void cul_mutation_add_fn(void *to, struct cul_mutation_place place);
/* Appends bytes to the text that the edit leaves. */
typedef void cul_mutation_write_fn(void *to, const char *bytes, size_t len);

struct cul_mutation_plugin {
  uint32_t size;              /* of this struct */
  uint32_t abi;               /* CUL_MUTATION_ABI */
  const char *name, *summary; /* small letters, digits, "-", at most 47; a line
                                 of at most 119 bytes */
  /* Say with add(to, ...) where the edit can be made, in the text's order.
   * text: len bytes and a '\0', borrowed for the call.  0; else the text has
   * no such place. */
  int (*sites)(const char *text, size_t len, cul_mutation_add_fn *add,
               void *to);
  /* Write with write(to, ...) the whole text with the edit made at all n places
   * of those listed, in their order.  The same text as when they were listed.
   * What it leaves may be anything: the oracle judges it.  0; else no edit is
   * made. */
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
