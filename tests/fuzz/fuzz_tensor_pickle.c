/* The pickles inside of .pt files, without the archive around them. */
#include "../../base/tensor/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_pickle pickle;
  struct cul_err err = {0};
  struct cul_bytes bytes = {(const char *)data, size};
  if (cul_pickle_read(bytes, &pickle, &err) < 0) {
    if (!err.what[0] || !err.advice[0])
      cul_bug("an error that says nothing");
    return 0;
  }
  if (pickle.root >= pickle.n)
    cul_bug("the root is no value");
  for (size_t i = 0; i < pickle.n; i++)
    for (size_t k = 0; k < pickle.values[i].n; k++)
      if (pickle.values[i].items[k] >= pickle.n)
        cul_bug("an item is no value");
  cul_pickle_release(&pickle);
  return 0;
}
